"""The processes that train together: how they connect, exchange values, and detect that one has died.

`join` starts `jax.distributed` among the processes of a cluster. A collective is one small XLA program over a mesh with
one device of each process: JAX runs it with Gloo between CPUs and with NCCL between GPUs. All processes must run the
same collectives in the same order.

Every process listens on its own address without answering: a successful connection shows that it is alive. At startup
each process waits until it can connect to all others. When a collective fails, or takes long, it checks which process
has stopped listening. So a missing or dead process is named, and a slow one is waited for.

JAX's coordination service connects the processes and groups of their devices. If all collectives are those of this
module, the service is then shut down: it would kill the survivors of a dead process, with a signal that no program can
catch.
"""

from __future__ import annotations

import contextlib
import functools
import os
import socket
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from reflow.core import errors
from reflow.core.logging import logger
from reflow.ops.xp.xla.base import wide_types

#: seconds to wait for processes that have not started, and after which an exchange looks whether the others still live
PATIENCE = 60.0
LOOK_AFTER = 5.0

_AXIS = "processes"


def split_address(address: str) -> tuple[str, int]:
    """The host and the port of `host:port`."""
    host, _, port = address.rpartition(":")
    if not host or not (port.isdecimal() and port.isascii() and int(port) < 2**16):
        raise ValueError(f"The address of a task must be of the form host:port. Received: {address!r}")
    return host.strip("[]"), int(port)


def answers(address: str, seconds: float = 1.0) -> bool:
    """Whether a process listens at an address."""
    try:
        socket.create_connection(split_address(address), timeout=seconds).close()
    except OSError:
        return False
    return True


def listen(address: str) -> socket.socket:
    """A socket that listens on an address of this machine, and on no other of its interfaces.

    Raises:
      UnknownError: if the address is taken.
    """
    listener = socket.socket(socket.AF_INET6 if ":" in split_address(address)[0] else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(split_address(address))
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise errors.UnknownError(
            None, None,
            f"Could not start server on {address}: {error.strerror or error}. Another program uses this address, or "
            "two tasks of the cluster have the same type and index.",
        ) from None
    return listener


@contextlib.contextmanager
def _stdout_to_stderr() -> Iterator[None]:
    """What C++ code prints to the standard output goes to the standard error instead."""
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


class Processes:
    """The processes of a cluster; this one has the number `index`."""

    def __init__(
        self, tasks: Sequence[tuple[str, str]], index: int, timeout: float | None = None, stay_connected: bool = False
    ):
        """`tasks` has a name and an address for each process; `timeout` is how long the others are waited for. Whoever
        wants programs over devices of his choice needs JAX's service also later: `stay_connected`."""
        self.tasks, self.index, self.timeout, self.stay_connected = list(tasks), index, timeout, stay_connected
        self._start()

    @property
    def count(self) -> int:
        return len(self.tasks)

    # --- the beginning

    def _start(self) -> None:
        """Connect all processes: JAX's service in the first one introduces them to each other."""
        name, address = self.tasks[self.index]
        first = self.tasks[0][1]
        self._listener = listen(address)
        try:
            self._await([i for i in range(self.count) if i != self.index])
            if self.index == 0:
                self._listener.close()  # JAX's service takes its place for a while
            jax.distributed.initialize(
                first, self.count, self.index, coordinator_bind_address=first, cluster_detection_method="deactivate",
                initialization_timeout=int(self.timeout or PATIENCE),
            )
            devices = [next(d for d in jax.devices() if d.process_index == i) for i in range(self.count)]
            self._mesh = Mesh(np.array(devices), (_AXIS,))
            with _stdout_to_stderr():  # Gloo prints a line when it connects
                self.sum([np.zeros(1, np.float32)])
            if not self.stay_connected:
                jax.distributed.shutdown()
            if self.index == 0 and not self.stay_connected:
                self._listener = listen(address)
        except BaseException:
            self._listener.close()
            raise
        logger.info("%s at %s is one of %s processes", name, address, self.count)

    def _await(self, others: list[int]) -> None:
        """Wait until others can be reached.

        Raises:
          UnavailableError: with the names of those that cannot.
        """
        deadline = time.monotonic() + (self.timeout or PATIENCE)
        while missing := [i for i in others if not answers(self.tasks[i][1])]:
            if time.monotonic() > deadline:
                raise self._unavailable(missing, "did not start")
            time.sleep(0.05)

    def _unavailable(self, numbers: list[int], what: str) -> errors.OpError:
        names = ", ".join(f"{name} at {address}" for name, address in (self.tasks[i] for i in numbers))
        return errors.UnavailableError(
            None, None, f"Collective ops is aborted: {names} {what}. Restart your program on all machines to go on."
        )

    # --- exchanges

    def gather(self, array: np.ndarray) -> np.ndarray:
        """The arrays of all processes, of equal shape, along a new first axis."""
        return self._exchange(_gathered, array)

    def sum(
        self, arrays: Sequence[np.ndarray], bytes_per_pack: int = 0, timeout: float | None = None
    ) -> list[np.ndarray]:
        """The sums over all processes of several arrays. Those of one dtype travel in packs."""
        results: list[Any] = [None] * len(arrays)
        for dtype in dict.fromkeys(a.dtype for a in arrays):
            mine = [i for i, a in enumerate(arrays) if a.dtype == dtype]
            flat = np.concatenate([np.ravel(arrays[i]) for i in mine])
            size = bytes_per_pack // dtype.itemsize or flat.size or 1
            packs = [self._exchange(_summed, flat[i : i + size], timeout) for i in range(0, flat.size, size)]
            total = np.concatenate(packs) if packs else flat
            ends = np.cumsum([arrays[i].size for i in mine])
            for i, end in zip(mine, ends, strict=True):
                results[i] = total[end - arrays[i].size : end].reshape(arrays[i].shape)
        return results

    def concatenate(self, array: np.ndarray, axis: int) -> np.ndarray:
        """The arrays of all processes, concatenated along an axis; their sizes may differ."""
        sizes = self.gather(np.asarray(array.shape[axis], np.int64))
        missing = int(sizes.max()) - array.shape[axis]
        padded = np.pad(array, [(0, missing if i == axis % array.ndim else 0) for i in range(array.ndim)])
        parts = self.gather(padded)
        return np.concatenate(
            [np.take(part, range(size), axis) for part, size in zip(parts, sizes.tolist(), strict=True)], axis
        )

    def _exchange(self, function: Any, array: np.ndarray, timeout: float | None = None) -> np.ndarray:
        sharding = NamedSharding(self._mesh, PartitionSpec(_AXIS))
        device = self._mesh.devices[self.index]
        try:
            with wide_types():
                mine = jax.device_put(array[None], device)
                whole = jax.make_array_from_single_device_arrays((self.count, *array.shape), sharding, [mine])
                result = function(self._mesh)(whole)
                self._wait_for(result, timeout or self.timeout)
                return np.asarray(result.addressable_data(0))
        except (jax.errors.JaxRuntimeError, ValueError) as error:  # which of them depends on where JAX notices
            raise self._unavailable(self._dead(), "is not there any more") from error

    def _wait_for(self, result: Any, timeout: float | None) -> None:
        """Wait for a result, as long as the other processes live or until the timeout."""
        start = looked = time.monotonic()
        pause = 1e-5
        while not result.is_ready():
            time.sleep(pause)
            pause = min(2 * pause, 1e-3)
            now = time.monotonic()
            late = timeout is not None and now - start > timeout
            if late or now - looked > LOOK_AFTER:
                looked = now
                dead = self._unreachable()
                if dead or late:
                    others = [i for i in range(self.count) if i != self.index]
                    raise self._unavailable(
                        dead or others, "is not there any more" if dead else f"did not answer in {timeout} s"
                    )

    def _unreachable(self) -> list[int]:
        return [i for i, (_, address) in enumerate(self.tasks) if i != self.index and not answers(address, 2.0)]

    def _dead(self) -> list[int]:
        """The processes that are gone, after an exchange has failed.

        The operating system may take a moment to close their ports.
        """
        for _ in range(20):
            dead = self._unreachable()
            if dead:
                return dead
            time.sleep(0.1)
        return [i for i in range(self.count) if i != self.index]


@functools.cache
def _summed(mesh: Mesh) -> Any:
    return jax.jit(lambda x: x.sum(0, dtype=x.dtype), out_shardings=NamedSharding(mesh, PartitionSpec()))


@functools.cache
def _gathered(mesh: Mesh) -> Any:
    return jax.jit(lambda x: x, out_shardings=NamedSharding(mesh, PartitionSpec()))


_processes: Processes | None = None


def join(
    tasks: Sequence[tuple[str, str]], index: int, timeout: float | None = None, stay_connected: bool = False
) -> Processes:
    """Join the processes of a cluster: once in a program, before anything has been computed.

    Raises:
      RuntimeError: if JAX has started already, or the program has joined another cluster.
      UnavailableError: if a process does not start in time; it is named.
    """
    global _processes
    if _processes is not None:
        if (_processes.tasks, _processes.index) != (list(tasks), index):
            raise RuntimeError("Collective ops must be configured at program startup, and once.")
        return _processes
    _processes = Processes(tasks, index, timeout, stay_connected)
    return _processes


def current() -> Processes | None:
    """The processes that this one has joined."""
    return _processes
