"""NumPy's and SciPy's BLAS beside other work: no more threads than there are idle cores.

OpenBLAS's threads wait for each other in a loop. Where something else runs on one of their cores, be it a thread that
prepares data, they wait for whole time slices: on 2 cores, beside two busy processes, a product of 512x512 takes 48 ms
with two threads and 6 with one, a QR factorization of 384x128 takes 45 and 1.6. On idle cores two threads are up to
twice as fast. So what runs now is counted before large calls.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import glob
import importlib
import os
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from reflow.core.fork import new_lock
from reflow.devices.cores import idle_cores

#: bytes of the operands from which OpenBLAS may use threads
LARGE = 1 << 14


class Library(NamedTuple):
    """An OpenBLAS in this process."""

    get_threads: Callable[[], int]
    set_threads: Callable[[int], None]


@functools.cache
def library(package: str) -> Library | None:
    """The OpenBLAS that a package brings along; None if it uses another BLAS."""
    home = importlib.import_module(package).__file__ or ""
    for path in glob.glob(os.path.join(os.path.dirname(os.path.dirname(home)), f"{package}.libs", "*openblas*")):
        opened = ctypes.PyDLL(path)  # in memory already
        for prefix, suffix in (("scipy_", "64_"), ("scipy_", ""), ("", "64_"), ("", "")):
            with contextlib.suppress(AttributeError):
                return Library(
                    getattr(opened, f"{prefix}openblas_get_num_threads{suffix}"),
                    getattr(opened, f"{prefix}openblas_set_num_threads{suffix}"),
                )
    return None


class _Limits:
    """Lowers the number of threads of one library while calls are under way, however many threads make them."""

    def __init__(self, found: Library) -> None:
        self.library, self.lock = found, new_lock()
        self.calls, self.usual = 0, 0

    @contextlib.contextmanager
    def at(self, threads: int) -> Iterator[None]:
        with self.lock:
            if not self.calls:
                self.usual = self.library.get_threads()
                self.library.set_threads(min(threads, self.usual))
            self.calls += 1
        try:
            yield
        finally:
            with self.lock:
                self.calls -= 1
                if not self.calls:
                    self.library.set_threads(self.usual)


@functools.cache
def _limits(package: str) -> _Limits | None:
    found = library(package)
    return _Limits(found) if found is not None else None


def on_idle_cores(function: Callable[..., Any], package: str = "numpy") -> Callable[..., Any]:
    """A function that calls BLAS, with as many threads as there are idle cores.

    >>> import numpy as np
    >>> on_idle_cores(np.linalg.inv)(np.eye(2) * 2).tolist()
    [[0.5, 0.0], [0.0, 0.5]]
    """

    def call(*args: Any, **options: Any) -> Any:
        if not idle_cores.cores or sum([x.nbytes for x in args if type(x) is np.ndarray]) < LARGE:
            return function(*args, **options)
        idle = idle_cores()
        limits = _limits(package) if idle < idle_cores.cores else None
        if limits is None:
            return function(*args, **options)
        with limits.at(idle):
            return function(*args, **options)

    return call
