"""Array helpers, segments, and Fourier transforms over the last axes, for `xp.host` and `xp.xla`."""

from __future__ import annotations

import numpy as np

from reflow.core.types import Array, Static
from reflow.ops.protocols import Xp
from reflow.ops.xp.dtype_facts import limits


def const(xp: Xp, value: Array, like: Array) -> Array:
    """A 0-d array of a Python number, with the dtype of the array `like`. It is an ndarray on both sides."""
    return np.array(value, like.dtype)


def shape(xp: Xp, x: Array) -> Array:
    return x.shape


def ndim(xp: Xp, x: Array) -> int:
    return x.ndim


def size(xp: Xp, x: Array) -> int:
    return x.size


def unsorted_segment(xp: Xp, mode: str, data: Array, ids: Array, num: int) -> Array:
    """ "sum", "prod", "max" or "min" of the rows of data with each id in range(num); rows with other ids are dropped.

    A segment without rows is 0, 1, the lowest or the highest finite value.
    """
    low, high = limits(data.dtype) if data.dtype.kind != "c" else (0, 0)
    empty = {"sum": 0, "prod": 1, "max": low, "min": high}[mode]
    start = xp.full((num, *data.shape[ids.ndim :]), empty, data.dtype)
    return xp.scatter_rows(mode, start, ids, data)


def fft(xp: Xp, x: Array) -> Array:
    return xp.fftn(x, "fft", x.shape[-1:])


def ifft(xp: Xp, x: Array) -> Array:
    return xp.fftn(x, "ifft", x.shape[-1:])


def rfft(xp: Xp, x: Array, length: Static) -> Array:
    return xp.fftn(x, "rfft", (length,))


def irfft(xp: Xp, x: Array, length: Static) -> Array:
    return xp.fftn(x, "irfft", (length,))


def fft_last(xp: Xp, x: Array, kind: str, rank: int) -> Array:
    """The complex transform "fft" or "ifft" over the last `rank` axes."""
    return xp.fftn(x, kind, xp.last_sizes(x, rank))


def last_sizes(xp: Xp, x: Array, count: int) -> Array:
    """The sizes of the last `count` axes."""
    return x.shape[x.ndim - count :]


def fit_last(xp: Xp, x: Array, sizes: Static) -> Array:
    """The last axes of x, each cropped or padded with zeros to its size in `sizes`."""
    lead = x.ndim - len(sizes)
    common = [min(n, size) for n, size in zip(x.shape[lead:], sizes, strict=True)]
    x = xp.slice(x, (0,) * x.ndim, (*x.shape[:lead], *common))
    after = [(0, size - n) for n, size in zip(common, sizes, strict=True)]
    return xp.pad(x, [(0, 0)] * lead + after, np.zeros((), x.dtype))
