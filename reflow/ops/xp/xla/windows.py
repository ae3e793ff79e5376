"""Convolution and pooling on XLA: a part of `xp.xla`. Each function has the meaning of its namesake in
`xp.host.windows`.

The gradients of convolution and mean pooling are transposes of linear functions, which JAX computes. The gradient of
max pooling is our own kernel (`native/pooling.h`) if available. Otherwise it loops over the window's taps, which XLA
fuses: 0.4 ms, against 4.7 ms for its select-and-scatter on (16, 28, 28, 64), 2x2, on two CPU cores. Windows of more
than `_MOST_TAPS` elements use select-and-scatter, whose comparison >= also keeps the first maximum. So does an
accelerator: 0.33 ms, against 0.68, on an H200 for ResNet's (64, 112, 112, 64), 3x3.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax import lax

from reflow.core.context import state
from reflow.core.types import Array, Static
from reflow.ops.xp.dtype_facts import extremes
from reflow.ops.xp.first import first
from reflow.ops.xp.names import WINDOWS
from reflow.ops.xp.windows import pool_counts, window_of
from reflow.ops.xp.xla import native as xla_native
from reflow.ops.xp.xla.base import broadcast_to, widen, widen_on_host

__all__ = WINDOWS


_MOST_TAPS = 16
_MOST_DEPTHWISE_TAPS = 49


def _numbers(rank: int) -> Array:
    data = (0, rank + 1, *range(1, rank + 1))
    return lax.ConvDimensionNumbers(data, (rank + 1, rank, *range(rank)), data)


@widen_on_host
def conv(
    x: Array, w: Array, strides: Static, padding: Static, dilations: Static | None = None,
    lhs_dilation: Static | None = None, groups: Static = 1,
) -> Array:
    quick = None
    if lhs_dilation is None:
        quick = xla_native.conv(x, w, strides, padding, dilations, groups)
    return _conv(x, w, strides, padding, dilations, groups, lhs_dilation) if quick is None else quick


def _conv(
    x: Array, w: Array, strides: Static, padding: Static, dilations: Static = None, groups: Static = 1,
    lhs_dilation: Static = None,
) -> Array:
    """XLA's convolution, or on the CPU something faster: depthwise by taps, pointwise as a matrix product."""
    if lhs_dilation is None and jax.default_backend() == "cpu":
        taps = math.prod(w.shape[:-2])
        if groups > 1 and groups == x.shape[-1] and taps <= _MOST_DEPTHWISE_TAPS:
            return _depthwise(x, w, strides, padding, dilations)
        if groups == 1 and taps == 1 and not any(map(any, padding)):
            return _pointwise(x, w, strides)
    return lax.conv_general_dilated(
        x, w, tuple(strides), [tuple(pair) for pair in padding], lhs_dilation, dilations, _numbers(x.ndim - 2),
        feature_group_count=groups,
    )


def _pointwise(x: Array, w: Array, strides: Static) -> Array:
    """A convolution with a window of one element: a matrix product over the channels."""
    if any(s != 1 for s in strides):
        x = lax.slice(x, (0,) * x.ndim, x.shape, (1, *strides, 1))
    flat = lax.reshape(x, (math.prod(x.shape[:-1]), x.shape[-1]))
    product = lax.dot(flat, lax.reshape(w, w.shape[-2:]))
    return lax.reshape(product, (*x.shape[:-1], w.shape[-1]))


def _depthwise(x: Array, w: Array, strides: Static, padding: Static, dilations: Static) -> Array:
    """Depthwise: a sum over the window's taps of shifted inputs times one number per channel, which XLA fuses into a
    loop.

    On (16, 12, 12, 384), 3x3: 0.6 ms here, where the first design measured 39 for XLA's own grouped convolution.
    """
    rank = x.ndim - 2
    dilations = tuple(dilations or (1,) * rank)
    padded = lax.pad(x, np.zeros((), x.dtype), [(0, 0, 0), *[(a, b, 0) for a, b in padding], (0, 0, 0)])
    window = w.shape[:rank]
    sizes = [
        (n - (k - 1) * d - 1) // s + 1
        for n, k, d, s in zip(padded.shape[1:-1], window, dilations, strides, strict=True)
    ]
    multiplier = w.shape[-1] // x.shape[-1]
    total = None
    for tap in np.ndindex(*window):
        starts = [t * d for t, d in zip(tap, dilations, strict=True)]
        stops = [a + (n - 1) * s + 1 for a, n, s in zip(starts, sizes, strides, strict=True)]
        under = lax.slice(padded, (0, *starts, 0), (x.shape[0], *stops, x.shape[-1]), (1, *strides, 1))
        weights = lax.reshape(
            lax.slice(w, (*tap, 0, 0), (*[t + 1 for t in tap], 1, w.shape[-1])), (x.shape[-1], multiplier)
        )
        if multiplier == 1:
            part = lax.mul(under, broadcast_to(lax.reshape(weights, (x.shape[-1],)), under.shape))
        else:
            spread = lax.broadcast_in_dim(under, (*under.shape, multiplier), tuple(range(under.ndim)))
            part = lax.mul(spread, broadcast_to(weights, spread.shape))
        total = part if total is None else lax.add(total, part)
    return lax.reshape(total, (x.shape[0], *sizes, w.shape[-1]))


def _transpose(function: Callable[..., Any], shape: Static, dtype: Static, g: Array) -> Array:
    return jax.linear_transpose(function, jax.ShapeDtypeStruct(tuple(shape), dtype))(g)[0]


@widen_on_host
@first(xla_native.conv_backprop_input)
def conv_backprop_input(input_shape: Static, w: Array, g: Array, *how: Static, **more: Static) -> Array:
    return _transpose(lambda x: _conv(x, w, *how, **more), input_shape, g.dtype, g)


@widen_on_host
@first(xla_native.conv_backprop_filter)
def conv_backprop_filter(x: Array, filter_shape: Static, g: Array, *how: Static, **more: Static) -> Array:
    return _transpose(lambda w: _conv(x, w, *how, **more), filter_shape, g.dtype, g)


# --- pooling --------------------------------------------------------------------------------------


def _whole(spatial: Static, edge: Static) -> tuple[Array, ...]:
    """Per-axis values for the spatial axes, with `edge` for batch and channels."""
    return (edge, *[tuple(v) if isinstance(v, (list, tuple)) else v for v in spatial], edge)


def _pool(
    x: Array, start: Static, combine: Callable[..., Any], window: Static, strides: Static, padding: Static
) -> Array:
    return lax.reduce_window(x, start, combine, _whole(window, 1), _whole(strides, 1), _whole(padding, (0, 0)))


@first(xla_native.max_pool)
def max_pool(x: Array, window: Static, strides: Static, padding: Static) -> Array:
    return _pool(x, extremes(x.dtype)[0], lax.max, window, strides, padding)


@widen
@first(xla_native.max_pool_grad)
def max_pool_grad(x: Array, y: Array, g: Array, window: Static, strides: Static, padding: Static) -> Array:
    if math.prod(window) <= _MOST_TAPS and not state.accelerated:
        return _max_pool_grad_by_taps(x, y, g, window_of(x.shape[1:-1], window, strides, padding))
    return lax.select_and_scatter_add_p.bind(
        g, x, select_prim=lax.ge_p, window_dimensions=_whole(window, 1), window_strides=_whole(strides, 1),
        padding=_whole(padding, (0, 0)),
    )


def _max_pool_grad_by_taps(x: Array, y: Array, g: Array, window: Static) -> Array:
    """Adds each window's gradient to the first tap that holds its maximum."""
    zero = np.zeros((), g.dtype)
    edges = _whole([(before, after, 0) for before, after in window.padding], (0, 0, 0))
    padded = lax.pad(x, extremes(x.dtype)[0], edges)
    open_ = lax.full(y.shape, True, bool)  # windows whose maximum has not been found yet
    result = lax.full(padded.shape, 0, g.dtype)
    for _, where in window.taps():
        starts, stops = [s.start for s in where], [s.stop for s in where]
        steps = [s.step for s in where]
        under = lax.slice(padded, (0, *starts, 0), (x.shape[0], *stops, x.shape[-1]), (1, *steps, 1))
        hit = lax.bitwise_and(lax.eq(under, y), open_)
        open_ = lax.bitwise_and(open_, lax.bitwise_not(hit))
        part = lax.select(hit, g, lax.full(g.shape, 0, g.dtype))
        place = [(a, n - b, step - 1) for a, b, step, n in zip(starts, stops, steps, window.padded, strict=True)]
        result = lax.add(result, lax.pad(part, zero, _whole(place, (0, 0, 0))))
    return lax.pad(result, zero, _whole([(-b, -a, 0) for b, a in window.padding], (0, 0, 0)))


def _counts(spatial: Static, window: Static, strides: Static, padding: Static, like: Array) -> Array:
    counts = pool_counts(spatial, window_of(spatial, window, strides, padding)).astype(like.dtype)
    return broadcast_to(counts, like.shape)


@widen
def avg_pool(x: Array, window: Static, strides: Static, padding: Static) -> Array:
    total = _pool(x, np.zeros((), x.dtype), lax.add, window, strides, padding)
    return lax.div(total, _counts(x.shape[1:-1], window, strides, padding, total))


@widen
def avg_pool_grad(input_shape: Static, g: Array, window: Static, strides: Static, padding: Static) -> Array:
    zero = np.zeros((), g.dtype)
    g = lax.div(g, _counts(tuple(input_shape)[1:-1], window, strides, padding, g))
    return _transpose(lambda x: _pool(x, zero, lax.add, window, strides, padding), input_shape, g.dtype, g)
