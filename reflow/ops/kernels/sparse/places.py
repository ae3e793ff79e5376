"""Positions of entries: index rows as row-major positions, and back."""

from __future__ import annotations

import numpy as np


def places(indices, shape) -> np.ndarray:
    """Row-major positions of index rows.

    >>> places(np.array([[1, 0], [0, 2]]), (2, 3)).tolist()
    [3, 2]
    """
    if not len(shape):
        return np.zeros(len(indices), np.int64)
    return np.asarray(indices, np.int64) @ _weights(shape)


def _weights(shape) -> np.ndarray:
    sizes = [int(s) for s in shape]
    out = [1] * len(sizes)
    for i in range(len(sizes) - 2, -1, -1):
        out[i] = out[i + 1] * max(sizes[i + 1], 1)
    return np.array(out, np.int64)


def rows_of(positions, shape) -> np.ndarray:
    """The inverse of `places`."""
    if not len(shape):
        return np.zeros((len(positions), 0), np.int64)
    if not len(positions):
        return np.zeros((0, len(shape)), np.int64)
    return np.stack(np.unravel_index(positions, [int(s) for s in shape]), 1).astype(np.int64)
