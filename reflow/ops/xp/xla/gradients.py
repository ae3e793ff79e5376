"""Helpers that gradients call, on XLA: one part of `xla_xp`; `host_gradients` defines them."""

import math

import numpy as np
from jax import lax

from reflow.ops.xp.shapes import axes_of, static_axes
from reflow.ops.xp.words import GRADIENTS
from reflow.ops.xp.xla.arrays import unsorted_segment
from reflow.ops.xp.xla.linalg import fftn

__all__ = GRADIENTS


def keep_axes(y, x, axes, keepdims):
    if keepdims or y.ndim == x.ndim:
        return y
    return lax.expand_dims(y, axes_of(static_axes(axes), x.ndim))


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


def fft_last(x, kind, rank):
    return fftn(x, kind, x.shape[x.ndim - rank :])


def _fitted(x, shape):
    lead = x.ndim - len(shape)
    common = [min(a, b) for a, b in zip(x.shape[lead:], shape, strict=True)]
    x = lax.slice(x, (0,) * x.ndim, x.shape[:lead] + tuple(common))
    after = [(0, 0, 0)] * lead + [(0, n - k, 0) for n, k in zip(shape, common, strict=True)]
    return lax.pad(x, np.zeros((), x.dtype), after)


def rfft_adjoint(g, x, lengths):
    lengths = static_axes(lengths)
    whole = lax.conj(fftn(lax.conj(_fitted(g, lengths)), "fft", lengths))
    return lax.convert_element_type(_fitted(lax.real(whole), x.shape[x.ndim - len(lengths) :]), x.dtype)


def irfft_adjoint(g, x, lengths):
    lengths = static_axes(lengths)
    n = lengths[-1]
    counts = np.full(n // 2 + 1, 2, g.dtype)
    counts[0] = 1
    if n % 2 == 0:
        counts[-1] = 1
    spectrum = fftn(g, "rfft", lengths)
    scale = np.broadcast_to((counts / math.prod(lengths)).astype(g.dtype), spectrum.shape).astype(spectrum.dtype)
    return lax.convert_element_type(_fitted(lax.mul(spectrum, scale), x.shape[x.ndim - len(lengths) :]), x.dtype)
