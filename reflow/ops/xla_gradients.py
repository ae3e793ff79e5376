"""Helpers that gradients call, on XLA: one part of `xla_numpy`; `host_gradients` defines them."""

import math

import numpy as np
from jax import lax

from reflow.ops.facade_shapes import axes_of, limits
from reflow.ops.xla_arrays import unsorted_segment


def keep_axes(y, x, axes, keepdims):
    if keepdims or y.ndim == x.ndim:
        return y
    return lax.expand_dims(y, axes_of(tuple(np.reshape(axes, -1).tolist()), x.ndim))


def unreduce(g, x, axes, keepdims):
    kept = keep_axes(g, x, axes, keepdims)
    return lax.broadcast_in_dim(kept, x.shape, tuple(range(x.ndim)))


def size_ratio(x, y):
    return np.array(math.prod(x.shape) // (math.prod(y.shape) or 1), x.dtype)


def igamma_grad_a(a, x):
    shape = np.broadcast_shapes(a.shape, x.shape)
    return lax.igamma_grad_a(
        *[lax.broadcast_in_dim(v, shape, tuple(range(len(shape) - v.ndim, len(shape)))) for v in (a, x)]
    )


def broadcast_rows(condition, x):
    if condition.ndim == 1 and x.ndim > 1:
        return lax.expand_dims(condition, tuple(range(1, x.ndim)))
    return condition


def broadcast_prefix(mask, x):
    return lax.expand_dims(mask, tuple(range(mask.ndim, x.ndim)))


def segment_sum_like(data, ids, y):
    return unsorted_segment("sum", data, ids, y.shape[0])


def segment_prod_like(data, ids, y):
    return unsorted_segment("prod", data, ids, y.shape[0])


def lowest_like(x):
    return limits(x.dtype)[0]
