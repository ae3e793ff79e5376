"""Gathering large rows: batches of a dataset that lies in memory.

A run of consecutive rows is a view. Other rows are copied by several threads: NumPy releases the interpreter lock while it copies, and
one thread fills a fresh batch of 38 MB at 3 to 5 GB/s, which is slower than a GPU takes it.
"""

from __future__ import annotations

import functools
import os

import numpy as np

from reflow.core.types import Array

LARGE = 1 << 20  # bytes of a result from which on a thread pool pays
MOST_THREADS = 8


@functools.cache
def _pool(process: int) -> Array:
    """The threads of one process: after a fork the child starts its own."""
    import concurrent.futures  # 8 ms, for few programs

    return concurrent.futures.ThreadPoolExecutor(_threads(), "reflow-rows")


def _threads() -> int:
    return min(MOST_THREADS, os.cpu_count() or 1)


def take_rows(x: Array, indices: Array) -> Array:
    """x[indices] along the first axis, indices of one axis clamped to the bounds. A view where the rows are consecutive."""
    if len(indices) * (x.nbytes // len(x)) < LARGE or x.dtype == object:
        return np.asarray(x.take(indices, 0, mode="clip"))
    first = int(indices[0])
    if 0 <= first <= len(x) - len(indices) and np.array_equal(indices, np.arange(first, first + len(indices))):
        return x[first : first + len(indices)]
    out = np.empty((len(indices), *x.shape[1:]), x.dtype)  # every element is written: the chunks cover all rows
    chunk = -(-len(indices) // _threads())
    parts = [slice(i, i + chunk) for i in range(0, len(indices), chunk)]
    waiting = [_pool(os.getpid()).submit(x.take, indices[p], 0, out[p], "clip") for p in parts[1:]]
    x.take(indices[parts[0]], 0, out[parts[0]], "clip")
    for done in waiting:
        done.result()
    return out
