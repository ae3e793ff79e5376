"""Decides when eager code calls one of our C++ kernels (`reflow/native/windows.py`) instead of NumPy.

Each function takes the arguments of its namesake in `windows.py` and returns the result, or None to use NumPy: for
other dtypes, for other than two spatial axes, and for small inputs, for which nothing is loaded. A step of a small
image network (`bench/jobs.py: eager_cnn`) takes 7.9 ms with NumPy and 2.1 with these kernels; TensorFlow takes 5.3.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from reflow.core.types import Array, Static
from reflow.ops.xp.windows import window_of

FLOAT32 = np.dtype(np.float32)
# multiply-adds: about 200 µs in NumPy. Loading the library imports JAX, which small programs do without
LEAST = 1 << 19
LEAST_POOLED = 1 << 16  # elements of the image to pool: the same time


def _run(kind: str, operands: tuple[Array, ...], shape: Static, *numbers: Any, **more: Any) -> Array:
    from reflow.native import windows  # not at the top: it imports JAX

    return windows.run(kind, operands, shape, *numbers, **more)


def _kind(stem: str, channels: int, filters: int, dilations: Static, groups: int) -> str | None:
    """The name of the convolution kernel: the second of the pair is for one filter per channel."""
    if 1 < groups == channels == filters:
        return f"depthwise_{stem}" if stem else "depthwise"
    dense = groups == 1 and all(d == 1 for d in dilations or ())
    return (stem or "convolution") if dense else None


def conv(
    x: Array, w: Array, strides: Static, padding: Static, dilations: Static | None = None,
    lhs_dilation: Static | None = None, groups: Static = 1,
) -> Array:
    if x.ndim != 4 or x.dtype != FLOAT32 or lhs_dilation is not None and any(d != 1 for d in lhs_dilation):
        return None
    kind = _kind("", x.shape[3], w.shape[3], dilations, groups)
    out = (x.shape[0], *window_of(x.shape[1:3], w.shape[:2], strides, padding, dilations).out, w.shape[3])
    if kind is None or math.prod(out) * math.prod(w.shape[:3]) < LEAST:
        return None
    return _run(kind, (x, w), out, strides, padding, dilations)


def conv_backprop_input(
    input_shape: Static, w: Array, g: Array, strides: Static, padding: Static, dilations: Static = None,
    groups: Static = 1,
) -> Array:
    if g.ndim != 4 or g.dtype != FLOAT32 or g.size * math.prod(w.shape[:3]) < LEAST:
        return None
    kind = _kind("input_gradient", input_shape[3], w.shape[3], dilations, groups)
    return None if kind is None else _run(kind, (g, w), tuple(input_shape), strides, padding, dilations)


def conv_backprop_filter(
    x: Array, filter_shape: Static, g: Array, strides: Static, padding: Static, dilations: Static = None,
    groups: Static = 1,
) -> Array:
    if g.ndim != 4 or g.dtype != FLOAT32 or g.size * math.prod(filter_shape[:3]) < LEAST:
        return None
    kind = _kind("filter_gradient", x.shape[3], filter_shape[3], dilations, groups)
    return None if kind is None else _run(kind, (x, g), tuple(filter_shape), strides, padding, dilations)


def max_pool(x: Array, window: Static, strides: Static, padding: Static) -> Array:
    if x.ndim != 4 or x.dtype != FLOAT32 or x.size < LEAST_POOLED:
        return None
    out = (x.shape[0], *window_of(x.shape[1:3], window, strides, padding).out, x.shape[3])
    return _run("max_pool", (x,), out, strides, padding, window=window)


def max_pool_grad(x: Array, y: Array, g: Array, window: Static, strides: Static, padding: Static) -> Array:
    if x.ndim != 4 or not x.dtype == y.dtype == g.dtype == FLOAT32 or y.shape != g.shape or x.size < LEAST_POOLED:
        return None
    return _run("max_pool_gradient", (x, y, g), x.shape, strides, padding, window=window)
