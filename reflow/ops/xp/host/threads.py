"""Multi-threaded NumPy on large arrays: threads share one operation.

NumPy releases the GIL while it computes and copies.
"""

from __future__ import annotations

import contextvars
import functools
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from reflow.core.types import Array
from reflow.devices import cores

#: bytes of an operand from which threads pay off for a function of one array
LARGE = 1 << 21
#: the same for arithmetic, which is limited by memory: a * b + c of a million numbers takes 530 µs on one core and 660
#: on two
LARGE_ARITHMETIC = 1 << 23
#: elements per block of a multi-step function. Its intermediate results stay in the cache; with smaller blocks the
#: threads wait for the GIL (log1p of four million numbers: 21 ms in blocks of 16,384, 14 in these)
BLOCK = 1 << 17
MOST_THREADS = 8


@functools.cache
def _pool(process: int) -> Any:
    """The threads of one process: after a fork the child starts its own."""
    import concurrent.futures  # 8 ms, for few programs

    return concurrent.futures.ThreadPoolExecutor(_count(), "reflow-host")


def _count() -> int:
    return min(MOST_THREADS, cores.AVAILABLE)


def share(work: Callable[[slice], Any], rows: int) -> None:
    """Call `work` with slices that cover `rows` rows, in several threads at once. Returns when all are done; re-raises
    the first failure.
    """
    chunk = -(-rows // _count())
    first, *others = [slice(i, min(i + chunk, rows)) for i in range(0, rows, chunk)]
    waiting = [_pool(os.getpid()).submit(contextvars.copy_context().run, work, part) for part in others]
    try:
        work(first)
    finally:
        failures = [done.exception() for done in waiting]
    for failure in filter(None, failures):
        raise failure


def spread(ufunc: Callable[..., Any], *arrays: Array) -> Array:
    """A ufunc of large arrays. Broadcast or non-contiguous operands are computed by one thread."""
    flat = _flat(arrays)
    if flat is None:
        return ufunc(*arrays, out=...)
    # every element is written: the slices cover all
    out = np.empty(arrays[0].shape, ufunc(*_part(flat, slice(0, 1))).dtype)
    into = out.reshape(-1)
    native = _native(ufunc, flat[0]) if len(flat) == 1 else None
    if native is not None:
        share(lambda part: native(flat[0][part], into[part]), out.size)
    else:
        share(lambda part: ufunc(*_part(flat, part), out=into[part]), out.size)
    return out


def in_blocks(function: Callable[..., Array]) -> Callable[..., Array]:
    """An elementwise function of several steps that processes large arrays block by block, on all cores."""

    @functools.wraps(function)
    def call(x: Array) -> Array:
        if x.nbytes < LARGE or not x.flags.c_contiguous:
            return function(x)
        flat = x.reshape(-1)
        out = np.empty(x.shape, function(flat[:1]).dtype)  # every element is written: the slices cover all
        into = out.reshape(-1)
        native = _native(function, flat)

        def work(part: slice) -> None:
            if native is not None:
                return native(flat[part], into[part])
            for start in range(part.start, part.stop, BLOCK):
                block = slice(start, min(start + BLOCK, part.stop))
                into[block] = function(flat[block])

        share(work, out.size)
        return out

    return call


def _native(function: Callable[..., Any], x: Array) -> Callable[[Array, Array], None] | None:
    """The same function in C++, for float32. NumPy's exp of four million numbers takes 20 ms on one core without
    AVX-512; this takes 3.4.
    """
    if x.dtype != np.float32:
        return None
    from reflow import native  # not at the top: it imports JAX, which programs that compile nothing do not need

    return native.elementwise(function.__name__)


def _flat(arrays: tuple[Array, ...]) -> list[Array] | None:
    """The arrays as vectors of equal length; scalars stay.

    None if shapes differ, or if they are not numeric and contiguous.
    """
    shape = arrays[0].shape
    for array in arrays:
        if array.dtype == object or (array.ndim and not (array.shape == shape and array.flags.c_contiguous)):
            return None
    return [array.reshape(-1) if array.ndim else array for array in arrays]


def _part(flat: list[Array], part: slice) -> list[Array]:
    return [array[part] if array.ndim else array for array in flat]
