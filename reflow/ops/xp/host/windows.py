"""Convolution and pooling on NumPy: a part of `xp.host`. Channels last, any number of spatial axes.

Convolutions lay out the input under each window as a row (*im2col*, through a strided view) and multiply matrices; a
batch is processed in pieces so that the rows stay below `_ROW_BYTES`. Depthwise convolutions and pooling instead loop
over the window's taps, each a strided slice of the padded input; the former a few images at a time, so that the sum
stays in the cache. Large float32 images go to C++ kernels (`native.py`).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.lib.stride_tricks import as_strided

from reflow.core.types import Array, Static
from reflow.ops.xp.dtype_facts import extremes
from reflow.ops.xp.first import first
from reflow.ops.xp.host import native as host_native
from reflow.ops.xp.host.base import widen
from reflow.ops.xp.names import WINDOWS
from reflow.ops.xp.windows import pool_counts, window_of

__all__ = WINDOWS


_ROW_BYTES = 32 << 20
_CACHE_BYTES = 512 << 10  # 3x3 over (16, 48, 48, 96): 18 ms this way, 27 ms with the whole batch at once


def _padded(x: Array, padding: Static, value: Array = 0) -> Array:
    """x with its spatial axes padded; negative padding crops."""
    if not any(before or after for before, after in padding):
        return x
    crop = [slice(max(0, -b), n - max(0, -a)) for n, (b, a) in zip(x.shape[1:-1], padding, strict=True)]
    x = x[(slice(None), *crop)]
    padding = [(max(0, b), max(0, a)) for b, a in padding]
    spatial = [n + b + a for n, (b, a) in zip(x.shape[1:-1], padding, strict=True)]
    result = np.full((x.shape[0], *spatial, x.shape[-1]), value, x.dtype)
    inner = [slice(b, b + n) for n, (b, _) in zip(x.shape[1:-1], padding, strict=True)]
    result[(slice(None), *inner)] = x
    return result


def _unpadded(x: Array, spatial: Static, padding: Static) -> Array:
    """The adjoint of _padded."""
    if not any(before or after for before, after in padding):
        return x
    crop = [
        slice(max(0, b), max(0, b) + n - max(0, -b) - max(0, -a)) for n, (b, a) in zip(spatial, padding, strict=True)
    ]
    x = x[(slice(None), *crop)]
    return _padded(x, [(max(0, -b), max(0, -a)) for b, a in padding])


def _dilated(x: Array, dilation: Static) -> Array:
    """x with dilation - 1 zeros between neighbours on each spatial axis."""
    if dilation is None or all(d == 1 for d in dilation):
        return x
    spatial = [(n - 1) * d + 1 if n else 0 for n, d in zip(x.shape[1:-1], dilation, strict=True)]
    result = np.zeros((x.shape[0], *spatial, x.shape[-1]), x.dtype)
    result[(slice(None), *[slice(None, None, d) for d in dilation])] = x
    return result


def _rows(x: Array, window: Static, groups: Static) -> Array:
    """The padded input under each window, as (groups, batch * out, taps * channels of a group)."""
    batch, channels = x.shape[0], x.shape[-1]
    of_group, taps = channels // groups, math.prod(window.size)
    if window.is_pointwise and groups == 1:
        return x.reshape((1, -1, channels))
    steps = x.strides[1:-1]
    view = as_strided(
        x,
        (batch, *window.out, *window.size, channels),
        (
            x.strides[0],
            *[a * b for a, b in zip(steps, window.strides, strict=True)],
            *[a * b for a, b in zip(steps, window.dilations, strict=True)],
            x.strides[-1],
        ),
        writeable=False,
    )
    if groups == 1:
        return view.reshape((1, batch * math.prod(window.out), taps * channels))
    rank = len(window.out)
    view = view.reshape((*view.shape[:-1], groups, of_group))
    view = np.moveaxis(view, 1 + 2 * rank, 0)
    return view.reshape((groups, batch * math.prod(window.out), taps * of_group))


def _matrices(w: Array, groups: Static) -> Array:
    """The filter as (groups, taps * input channels of a group, output channels of a group)."""
    out = w.shape[-1]
    return w.reshape((-1, groups, out // groups)).swapaxes(0, 1)


def _pieces(batch: Static, window: Static, channels: Static, itemsize: Static) -> list[Array]:
    """Slices of the batch whose rows fit into _ROW_BYTES."""
    per_image = max(1, math.prod(window.out) * math.prod(window.size) * channels * itemsize)
    step = max(1, _ROW_BYTES // per_image)
    return [slice(i, i + step) for i in range(0, batch, step)]


def _is_depthwise(channels: Static, groups: Static) -> bool:
    return groups == channels and groups > 1


@widen
@first(host_native.conv)
def conv(
    x: Array, w: Array, strides: Static, padding: Static, dilations: Static | None = None,
    lhs_dilation: Static | None = None, groups: Static = 1,
) -> Array:
    """Cross-correlation of x[batch, *spatial, in] with w[*window, in / groups, out].

    strides, dilations, lhs_dilation: an int per spatial axis; padding: (before, after) pairs, negative crops.
    """
    x = _padded(_dilated(x, lhs_dilation), padding)
    window = window_of(x.shape[1:-1], w.shape[:-2], strides, [(0, 0)] * len(strides), dilations)
    shape = (x.shape[0], *window.out, w.shape[-1])
    result = np.empty(shape, x.dtype)  # every element is written: the pieces make up the batch
    if not result.size:
        return result
    if _is_depthwise(x.shape[-1], groups):
        return _depthwise(x, w, window, result)
    matrices = _matrices(w, groups)
    for piece in _pieces(x.shape[0], window, x.shape[-1], x.itemsize):
        product = np.matmul(_rows(x[piece], window, groups), matrices)
        result[piece] = product.swapaxes(0, 1).reshape(result[piece].shape)
    return result


def _depthwise(x: Array, w: Array, window: Static, result: Array) -> Array:
    channels = x.shape[-1]
    multiplier = w.shape[-1] // channels
    by_channel = result.reshape((*result.shape[:-1], channels, multiplier))
    by_channel[...] = 0
    for piece in _cache_pieces(by_channel):
        images, total = x[piece][..., None], by_channel[piece]
        product = np.empty_like(total)  # every element is written by each multiplication
        for tap, where in window.taps():
            np.multiply(images[(slice(None), *where)], w[tap].reshape((channels, multiplier)), out=product)
            total += product
    return result


def _cache_pieces(array: Static) -> list[Array]:
    """Slices of the batch that fit into the cache."""
    step = max(1, _CACHE_BYTES // max(1, array[:1].nbytes))
    return [slice(i, i + step) for i in range(0, array.shape[0], step)]


@widen
@first(host_native.conv_backprop_input)
def conv_backprop_input(
    input_shape: Static, w: Array, g: Array, strides: Static, padding: Static, dilations: Static = None,
    groups: Static = 1,
) -> Array:
    """The gradient of conv with respect to x of input_shape, for the output's gradient g."""
    spatial = input_shape[1:-1]
    window = window_of(spatial, w.shape[:-2], strides, padding, dilations)
    channels = input_shape[-1]
    result = np.zeros((input_shape[0], *window.padded, channels), g.dtype)
    if g.size and result.size and _is_depthwise(channels, groups):
        _add_depthwise(result, g, w, window)
    elif g.size and result.size:
        matrices = _matrices(w, groups).swapaxes(1, 2)
        for piece in _pieces(input_shape[0], window, channels, g.itemsize):
            _add_rows(result[piece], g[piece], matrices, window, groups)
    return _unpadded(result, spatial, window.padding)


def _add_rows(result: Array, g: Array, matrices: Array, window: Static, groups: Static) -> None:
    """Adds the gradient of im2col's rows to the positions that they were read from."""
    of_group = result.shape[-1] // groups
    grouped = g.reshape((-1, groups, g.shape[-1] // groups)).swapaxes(0, 1)
    rows = np.matmul(grouped, matrices).swapaxes(0, 1)
    rows = rows.reshape((*g.shape[:-1], groups, *window.size, of_group))
    everywhere = (slice(None),) * (g.ndim - 1)
    for tap, where in window.taps():
        part = rows[(*everywhere, slice(None), *tap)]
        result[(slice(None), *where)] += part.reshape((*g.shape[:-1], result.shape[-1]))


def _add_depthwise(result: Array, g: Array, w: Array, window: Static) -> None:
    """Adds the gradient of a depthwise convolution's input, tap by tap."""
    channels = result.shape[-1]
    g = g.reshape((*g.shape[:-1], channels, -1))
    multiplier = g.shape[-1]
    for piece in _cache_pieces(g):
        total, outputs = result[piece], g[piece]
        product = np.empty_like(outputs)  # every element is written by each multiplication
        for tap, where in window.taps():
            np.multiply(outputs, w[tap].reshape((channels, multiplier)), out=product)
            total[(slice(None), *where)] += product[..., 0] if multiplier == 1 else product.sum(-1)


@widen
@first(host_native.conv_backprop_filter)
def conv_backprop_filter(
    x: Array, filter_shape: Static, g: Array, strides: Static, padding: Static, dilations: Static = None,
    groups: Static = 1,
) -> Array:
    """The gradient of conv with respect to w of filter_shape, for the output's gradient g."""
    x = _padded(x, padding)
    window = window_of(x.shape[1:-1], filter_shape[:-2], strides, [(0, 0)] * len(strides), dilations)
    out = filter_shape[-1]
    if _is_depthwise(x.shape[-1], groups):
        return _depthwise_backprop_filter(x, g, filter_shape, window)
    result = np.zeros((groups, math.prod(filter_shape[:-1]), out // groups), x.dtype)
    if g.size:
        for piece in _pieces(x.shape[0], window, x.shape[-1], x.itemsize):
            rows = _rows(x[piece], window, groups)
            grouped = g[piece].reshape((-1, groups, out // groups)).swapaxes(0, 1)
            result += np.matmul(rows.swapaxes(1, 2), grouped)
    return result.swapaxes(0, 1).reshape(filter_shape)


def _depthwise_backprop_filter(x: Array, g: Array, filter_shape: Static, window: Static) -> Array:
    channels = x.shape[-1]
    result = np.zeros(filter_shape, x.dtype)
    g = g.reshape((-1, channels, g.shape[-1] // channels))
    for tap, where in window.taps():
        under = x[(slice(None), *where)].reshape((-1, channels))
        result[tap] = np.einsum("nc,ncm->cm", under, g).reshape(result[tap].shape)
    return result


# --- pooling --------------------------------------------------------------------------------------


@first(host_native.max_pool)
def max_pool(x: Array, window: Static, strides: Static, padding: Static) -> Array:
    """The maximum of each window; window and strides have one int per spatial axis."""
    geometry = window_of(x.shape[1:-1], window, strides, padding)
    padded = _padded(x, padding, extremes(x.dtype)[0])
    result = np.full((x.shape[0], *geometry.out, x.shape[-1]), extremes(x.dtype)[0], x.dtype)
    for _, where in geometry.taps():
        np.maximum(result, padded[(slice(None), *where)], out=result)
    return result


@widen
@first(host_native.max_pool_grad)
def max_pool_grad(x: Array, y: Array, g: Array, window: Static, strides: Static, padding: Static) -> Array:
    """g, the gradient of y = max_pool(x), at the first maximum of each window."""
    spatial = x.shape[1:-1]
    geometry = window_of(spatial, window, strides, padding)
    padded = _padded(x, padding, extremes(x.dtype)[0])
    result = np.zeros(padded.shape, g.dtype)
    open_, zero = np.ones(y.shape, bool), g.dtype.type(0)  # windows whose maximum has not been found yet
    for _, where in geometry.taps():
        hit = (padded[(slice(None), *where)] == y) & open_
        open_ &= ~hit
        result[(slice(None), *where)] += np.where(hit, g, zero)  # not a product: infinity times 0 is NaN
    return _unpadded(result, spatial, padding)


@widen
def avg_pool(x: Array, window: Static, strides: Static, padding: Static) -> Array:
    """The mean of each window over the elements inside the input."""
    geometry = window_of(x.shape[1:-1], window, strides, padding)
    padded = _padded(x, padding)
    result = np.zeros((x.shape[0], *geometry.out, x.shape[-1]), x.dtype)
    for _, where in geometry.taps():
        result += padded[(slice(None), *where)]
    return result / pool_counts(x.shape[1:-1], geometry).astype(x.dtype)


@widen
def avg_pool_grad(input_shape: Static, g: Array, window: Static, strides: Static, padding: Static) -> Array:
    """The gradient of avg_pool with respect to its input of input_shape."""
    spatial = input_shape[1:-1]
    geometry = window_of(spatial, window, strides, padding)
    g = g / pool_counts(spatial, geometry).astype(g.dtype)
    result = np.zeros((input_shape[0], *geometry.padded, input_shape[-1]), g.dtype)
    for _, where in geometry.taps():
        result[(slice(None), *where)] += g
    return _unpadded(result, spatial, padding)
