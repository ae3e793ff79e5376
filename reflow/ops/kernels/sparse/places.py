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
    """The inverse of `places`. A position beyond the last one, or before the first, has a row out of the shape, which
    division that cuts off finds.

    >>> rows_of([3, 2, 7, -1], (2, 3)).tolist()
    [[1, 0], [0, 2], [2, 1], [0, -1]]
    """
    left, columns = np.asarray(positions, np.int64), []
    for weight in _weights(shape).tolist():
        columns.append(np.sign(left) * (np.abs(left) // weight))
        left = left - columns[-1] * weight
    return np.stack(columns, 1) if columns else np.zeros((len(positions), 0), np.int64)
