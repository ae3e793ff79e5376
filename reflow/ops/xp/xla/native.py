"""When a program on the CPU calls a kernel of ours in C++ (`reflow/native`) in place of XLA's operation.

Each function gives the result, or None where XLA's own operation is to be used: for other dtypes and devices, for sizes at which
XLA is as good, and inside `jax.vmap` and `jax.vjp`, which know nothing about foreign calls. `state.native` says that we are
lowering a region for the CPU outside of such.
"""

from __future__ import annotations

import math

import jax
import numpy as np

from reflow import native
from reflow.core.context import state

FLOAT32 = np.dtype(np.float32)
#: Multiply-adds of a product. Below, XLA compiles it into the surrounding loop. Above, XLA is as good, and it does other things meanwhile, where
#: a foreign call makes its thread wait: with all products ours an MLP's step (784-100-10, batch 50) takes 320 µs, with none 297, and with those
#: that turn their left operand round, the gradients of weights, 288 (medians, calls in turn in one process).
LEAST, MOST, MOST_TURNED = 1 << 16, 3 << 20, 16 << 20
FEW_ROWS = 64  # for which turning the other operand round is not worth it


def _usable(x, y) -> bool:
    return state.native and x.dtype == FLOAT32 and y.dtype == FLOAT32 and native.available()


def product(x, y, flip_x, flip_y):
    """x @ y for matrices, each transposed first if its flag is set; x may have more axes in front."""
    if y.ndim != 2 or x.ndim < 2 or x.ndim > 2 and flip_x or not state.native:
        return None
    rows = x.shape[1] if flip_x else math.prod(x.shape[:-1])
    columns = y.shape[0] if flip_y else y.shape[1]
    depth = x.shape[0] if flip_x else x.shape[-1]
    most = MOST_TURNED if flip_x else MOST
    if depth != y.shape[1 if flip_y else 0] or not LEAST <= rows * columns * depth <= most or not _usable(x, y):
        return None
    if flip_y and rows < FEW_ROWS:
        return None
    if x.ndim > 2:
        flat = jax.lax.reshape(x, (rows, depth))
        return jax.lax.reshape(product(flat, y, False, flip_y), (*x.shape[:-1], columns))
    call = jax.ffi.ffi_call("reflow_product", jax.ShapeDtypeStruct((rows, columns), FLOAT32))
    return call(x, y, flip_x=flip_x, flip_y=flip_y)


def _windowed(name, x, y, shape, strides, padding, **more):
    call = jax.ffi.ffi_call(name, jax.ShapeDtypeStruct(tuple(shape), FLOAT32))
    numbers = {"strides": strides, "padding": padding, **more}
    return call(x, y, **{key: np.array(value, np.int64).ravel() for key, value in numbers.items()})


def _plain(image, filter_, dilations, groups, padding) -> bool:
    """Whether it is a two-dimensional convolution without dilation, groups, cropping or empty axes."""
    return groups == 1 and all(d == 1 for d in dilations or ()) and _flat(image, filter_, padding)


def _depthwise(image, filter_, groups, padding) -> bool:
    """Whether each channel by itself has one filter."""
    own = 1 < groups == image[-1] == filter_[-1]
    return own and _flat(image, filter_, padding)


def _flat(image, filter_, padding) -> bool:
    return len(image) == 4 and min(min(pair) for pair in padding) >= 0 and math.prod(image) * math.prod(filter_) > 0


def conv(x, w, strides, padding, dilations, groups):
    dilations = dilations or (1,) * len(strides)
    alone = _depthwise(x.shape, w.shape, groups, padding)
    if not (alone or _plain(x.shape, w.shape, dilations, groups, padding)) or not _usable(x, w):
        return None
    sizes = [
        (n + sum(pair) - (k - 1) * d - 1) // s + 1
        for n, k, s, d, pair in zip(x.shape[1:3], w.shape[:2], strides, dilations, padding, strict=True)
    ]
    if min(sizes) <= 0:
        return None
    shape = (x.shape[0], *sizes, w.shape[3])
    if alone:
        return _windowed("reflow_depthwise", x, w, shape, strides, padding, dilations=dilations)
    return _windowed("reflow_convolution", x, w, shape, strides, padding)


def conv_backprop_input(input_shape, w, g, strides, padding, dilations, groups):
    if w.ndim != 4 or not _usable(w, g):
        return None
    if _depthwise(g.shape, w.shape, groups, padding):
        more = {"dilations": dilations or (1, 1)}
        return _windowed("reflow_depthwise_input_gradient", g, w, input_shape, strides, padding, **more)
    # Few channels would leave most of a vector register empty.
    if w.shape[2] < 8 or not _plain(g.shape, w.shape, dilations, groups, padding):
        return None
    return _windowed("reflow_input_gradient", g, w, input_shape, strides, padding)


def conv_backprop_filter(x, filter_shape, g, strides, padding, dilations, groups):
    if not _usable(x, g):
        return None
    if _depthwise(x.shape, g.shape, groups, padding):
        more = {"dilations": dilations or (1, 1)}
        return _windowed("reflow_depthwise_filter_gradient", x, g, filter_shape, strides, padding, **more)
    if not _plain(x.shape, g.shape, dilations, groups, padding):
        return None
    return _windowed("reflow_filter_gradient", x, g, filter_shape, strides, padding)
