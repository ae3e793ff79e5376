"""Taps of a linear interpolation: the two source rows for each row of the result."""

from __future__ import annotations

import numpy as np


class Taps:
    """For each row of the result two of the source, `first` and `second`, and the `share` of the way from the one to
    the other.

    The kernel in C++ reads them at their `addresses`, which are looked up once: that takes a microsecond each.
    """

    __slots__ = ("first", "second", "share", "addresses")

    def __init__(self, first: np.ndarray, second: np.ndarray, share: np.ndarray):
        self.first, self.second = (np.ascontiguousarray(rows, np.int32) for rows in (first, second))
        self.share = np.ascontiguousarray(share, np.float32)
        self.addresses = tuple(array.ctypes.data for array in (self.first, self.second, self.share))
