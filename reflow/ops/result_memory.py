"""Memory that the caller of a function offers for its result.

A caller that knows where a result will finally be stored offers that memory (`state.offered`): a row of a batch, for
example. A kernel that creates a large array uses it if the size is right, and the result need not be copied. An offer
is taken once. What is stored there in the end need not be the result, and other code may have kept a reference; so the
offer counts references to its memory before it is reused.
"""

from __future__ import annotations

import math
import sys

import numpy as np

from reflow.core.context import state


class Offer:
    """The memory of a row of a writable contiguous array of numbers."""

    __slots__ = ("array",)

    def __init__(self, owner: np.ndarray, address: int, row: int):
        """`address` is where the array begins: asking NumPy takes a microsecond."""
        self.array = np.asarray(_Memory(owner, address + row * owner.strides[0]))

    def views(self) -> int:
        """The number of arrays in this memory."""
        return sys.getrefcount(self.array) - 2  # minus the offer's own reference, and the one of this call


class _Memory:
    """Memory for an array that is the `base` of all its views, each of which counts as a reference to it.

    If the array were itself a view, the base of its views would be the array that owns the memory.
    """

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, owner: np.ndarray, address: int):
        self.owner = owner
        self.__array_interface__ = {
            "data": (address, False), "shape": owner.shape[1:], "typestr": owner.dtype.str, "version": 3,
        }


def result_memory(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """An uninitialized array, in the offered memory if its size is right. The caller writes all of it."""
    offer = state.offered
    if offer is None or offer.array.dtype != dtype or offer.array.size != math.prod(shape):
        return np.empty(shape, dtype)  # every element is written by the caller
    state.offered = None
    return offer.array.reshape(shape)
