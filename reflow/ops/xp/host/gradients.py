"""Helpers that gradients call, on NumPy: one part of `host_xp`.

Gradients never look at shapes (on symbolic tensors they may be unknown), so what needs one is a function here: undoing a
reduction, the number of elements that went into a mean.
"""

import numpy as np

from reflow.ops.xp.host.arrays import unsorted_segment
from reflow.ops.xp.host.linalg import fftn
from reflow.ops.xp.incomplete_gamma import igamma_grad_a  # noqa: F401 - a word of the facade
from reflow.ops.xp.shapes import axes_of, static_axes
from reflow.ops.xp.words import GRADIENTS

__all__ = GRADIENTS


def keep_axes(y, x, axes, keepdims):
    """y, a reduction of x over `axes` (a static array or ints), with size 1 at the reduced axes."""
    if keepdims or y.ndim == x.ndim:
        return y
    return np.expand_dims(y, axes_of(static_axes(axes), x.ndim))


def unreduce(g, x, axes, keepdims):
    """The adjoint of a sum of x over `axes`: g at every element that was summed, in x's shape."""
    kept = keep_axes(g, x, axes, keepdims)
    return kept if kept.shape == x.shape else np.broadcast_to(kept, x.shape)


def size_ratio(x, y):
    """How many elements of x there are for each of y, a 0-d array of x's dtype."""
    return np.array(x.size // (y.size or 1), x.dtype)


def broadcast_rows(condition, x):
    """A condition for each element, or each row (a vector), or all of x, in a shape that broadcasts with x."""
    if condition.ndim == 1 and x.ndim > 1:
        return condition.reshape((-1,) + (1,) * (x.ndim - 1))
    return condition


def broadcast_prefix(mask, x):
    """A mask over the first axes of x, in a shape that broadcasts with x."""
    return mask.reshape(mask.shape + (1,) * (x.ndim - mask.ndim))


def segment_sum_like(data, ids, y):
    """The sums of the rows of data with each id, as many as y has rows."""
    return unsorted_segment("sum", data, ids, y.shape[0])


def segment_prod_like(data, ids, y):
    """The products of the rows of data with each id, as many as y has rows."""
    return unsorted_segment("prod", data, ids, y.shape[0])


def fft_last(x, kind, rank):
    """The complex transform "fft" or "ifft" over the last `rank` axes."""
    return fftn(x, kind, x.shape[x.ndim - rank :])


def _fitted(x, shape):
    """The last axes of x cropped or padded with zeros to `shape`."""
    lead = x.ndim - len(shape)
    result = np.zeros(x.shape[:lead] + tuple(shape), x.dtype)
    common = (..., *[slice(min(a, b)) for a, b in zip(x.shape[lead:], shape, strict=True)])
    result[common] = x[common]
    return result


def rfft_adjoint(g, x, lengths):
    """The adjoint of the real transform of x to `lengths`: what was not stored has no cotangent."""
    lengths = static_axes(lengths)
    whole = np.conjugate(fftn(np.conjugate(_fitted(g, lengths)), "fft", lengths))
    return _fitted(whole.real, x.shape[x.ndim - len(lengths) :]).astype(x.dtype, copy=False)


def irfft_adjoint(g, x, lengths):
    """The adjoint of the inverse real transform: elements that stand for two, themselves and their mirror, count twice."""
    lengths = static_axes(lengths)
    n = lengths[-1]
    kept = n // 2 + 1
    counts = np.full(kept, 2, g.dtype)
    counts[0] = 1
    if n % 2 == 0:
        counts[-1] = 1
    spectrum = fftn(g, "rfft", lengths) * (counts / np.prod(lengths)).astype(g.dtype)
    return _fitted(spectrum, x.shape[x.ndim - len(lengths) :]).astype(x.dtype, copy=False)
