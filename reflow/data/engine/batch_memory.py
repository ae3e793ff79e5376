"""Memory of batches, reused when a batch is no longer referenced.

The system zeroes new memory: for 19 MB, 32 images of 224 by 224, that takes 5 ms, as long as decoding ten of them. So
an array of `Spare` is in memory that is returned when nothing refers to the array any more, neither a view of it nor a
program that reads it. The arrays are aligned to 64 bytes, so XLA reads them without a copy.
"""

from __future__ import annotations

import math

import numpy as np

MOST = 1 << 26  # bytes that wait for the next batch
ALIGNMENT = 64


class Spare:
    """Memory of the batches of one stage that are gone."""

    def __init__(self) -> None:
        self.waiting: list[np.ndarray] = []

    def array(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """An array without values: the caller writes what it gives away of it."""
        size = math.prod(shape) * dtype.itemsize
        lease = _Lease(self, self._memory(size + ALIGNMENT), size)
        return np.asarray(lease).view(dtype).reshape(shape)

    def _memory(self, size: int) -> np.ndarray:
        while self.waiting:
            try:
                memory = self.waiting.pop()
            except IndexError:  # another thread was faster
                break
            if memory.nbytes == size:
                return memory
        return np.empty(size, np.uint8)  # every element of a batch is written by `Spare.array`'s caller

    def give_back(self, memory: np.ndarray) -> None:
        if sum(m.nbytes for m in self.waiting) + memory.nbytes <= MOST:
            self.waiting.append(memory)


class _Lease:
    """Memory of an array that NumPy makes from it; the array and its views keep it alive."""

    def __init__(self, spare: Spare, memory: np.ndarray, size: int):
        self.spare, self.memory = spare, memory
        start = memory.ctypes.data
        self.__array_interface__ = {
            "data": (start + -start % ALIGNMENT, False), "shape": (size,), "typestr": "|u1", "version": 3,
        }

    def __del__(self) -> None:
        self.spare.give_back(self.memory)
