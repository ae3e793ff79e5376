"""The processes: `hvd.init`, `hvd.rank`, `hvd.size` and similar functions."""

from __future__ import annotations

import os
from collections.abc import Callable

from reflow.distribute import processes
from reflow.horovod.launch import ADDRESSES

_started = False


def init(comm=None):
    """Join the other processes of this program: those that `python -m reflow -np N` started, else none."""
    global _started
    if comm is not None:
        raise ValueError(f"Subsets of processes are not supported. Received: comm={comm!r}")
    addresses = [address for address in os.environ.get(ADDRESSES, "").split(",") if address]
    if len(addresses) > 1:
        named = [(f"rank {i}", address) for i, address in enumerate(addresses)]
        processes.join(named, int(os.environ["HOROVOD_RANK"]))
    _started = True


def is_initialized() -> bool:
    """Whether `init` has been called."""
    return _started


def shutdown():
    """Undoes `init`. The processes stay connected until they end."""
    global _started
    _started = False


def _number(name: str, default: int, doc: str) -> Callable[[], int]:
    """The function that reads a number which Horovod's launcher put into the environment."""

    def read() -> int:
        if not _started:
            raise ValueError("Horovod has not been initialized; use hvd.init().")
        return int(os.environ.get(f"HOROVOD_{name.upper()}", default))

    read.__name__, read.__doc__ = name, doc
    return read


size = _number("size", 1, "How many processes there are.")
rank = _number("rank", 0, "The number of this process.")
local_size = _number("local_size", 1, "How many processes are on this machine.")
local_rank = _number("local_rank", 0, "The number of this process among those on this machine.")
cross_size = _number("cross_size", 1, "How many machines there are.")
cross_rank = _number("cross_rank", 0, "The number of this machine.")


def is_homogeneous() -> bool:
    """Whether every machine has equally many processes."""
    return size() == local_size() * cross_size()


def gloo_built() -> bool:
    """Gloo exchanges values between CPUs: it comes with JAX."""
    return True


gloo_enabled = gloo_built


def nccl_built() -> bool:
    """Whether NCCL is selected explicitly: JAX uses it automatically between GPUs."""
    return False


def mpi_built() -> bool:
    """MPI is not used."""
    return False


mpi_enabled = mpi_threads_supported = ddl_built = ccl_built = cuda_built = rocm_built = mpi_built
