"""When a program on the CPU calls a kernel of ours in C++ (`reflow/native`) in place of XLA's operation.

Each function gives the result, or None where XLA's own operation is to be used: for other dtypes and devices, for sizes at which
XLA is as good, and inside `jax.vmap` and `jax.vjp`, which know nothing about foreign calls. `state.native` says that we are
lowering a region for the CPU outside of such.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from reflow import native
from reflow.core.context import state
from reflow.core.types import Array, Static
from reflow.ops.xp.windows import window_of

FLOAT32 = np.dtype(np.float32)
#: Multiply-adds of a product. Below, XLA compiles it into the surrounding loop. Above, XLA is as good, and it does other things meanwhile, where
#: a foreign call makes its thread wait: with all products ours an MLP's step (784-100-10, batch 50) takes 320 µs, with none 297, and with those
#: that turn their left operand round, the gradients of weights, 288 (medians, calls in turn in one process).
LEAST, MOST, MOST_TURNED = 1 << 16, 3 << 20, 16 << 20
FEW_ROWS = 64  # for which turning the other operand round is not worth it
# The limits of `native/checks.h`, and a padding with which sizes cannot overflow.
MOST_STRIDE, MOST_SIZE, MOST_TAPS, MOST_PADDING, ALWAYS_PADDED = 2**31 - 1, 2**48, 1 << 22, 4, 1 << 19


def first(ours: Callable[..., Array]) -> Callable[[Callable[..., Array]], Callable[..., Array]]:
    """A decorator: ask a function of this module first, and the decorated one if it gives None. Both take the same arguments."""

    def decorate(by_xla: Callable[..., Array]) -> Callable[..., Array]:
        @functools.wraps(by_xla)
        def choose(*args: Any, **kwargs: Any) -> Array:
            result = ours(*args, **kwargs)
            return by_xla(*args, **kwargs) if result is None else result

        return choose

    return decorate


def _usable(x: Array, y: Array) -> bool:
    return state.native and x.dtype == FLOAT32 and y.dtype == FLOAT32 and native.available()


def product(x: Array, y: Array, flip_x: bool, flip_y: bool) -> Array:
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


def integer_product(x: Array, y: Array) -> Array:
    """x @ y for matrices of int8, summed in int32; x may have more axes in front."""
    if not state.native or x.dtype != np.int8 or y.dtype != np.int8 or y.ndim != 2 or x.ndim < 2 or x.shape[-1] != y.shape[0]:
        return None
    rows, columns = math.prod(x.shape[:-1]), y.shape[1]
    if rows * y.shape[0] * columns < LEAST or not native.multiplies_integers():
        return None
    call = jax.ffi.ffi_call("reflow_integer_product", jax.ShapeDtypeStruct((rows, columns), np.int32))
    return jax.lax.reshape(call(jax.lax.reshape(x, (rows, y.shape[0])), y), (*x.shape[:-1], columns))


def _windowed(name: str, x: Array, y: Array, shape: Static, strides: Static, padding: Static, **more: Any) -> Array:
    call = jax.ffi.ffi_call(name, jax.ShapeDtypeStruct(tuple(shape), FLOAT32))
    numbers = {"strides": strides, "padding": padding, **more}
    return call(x, y, **{key: np.array(value, np.int64).ravel() for key, value in numbers.items()})


class Sizes:
    """The sizes of one convolution of `image` by `filter_` to `out`, and which of our kernels takes it, if any.

    `native/checks.h` refuses what is not true here: it believes neither us nor the program.
    """

    def __init__(
        self, image: Array, filter_: Array, out: Static, strides: Static, padding: Static, dilations: Static,
        groups: Static,
    ) -> None:
        self.image, self.filter, self.out = tuple(image), tuple(filter_), tuple(out)
        self.strides, self.padding, self.groups = strides, padding, groups
        self.dilations = dilations or (1,) * len(strides)

    def flat(self) -> bool:
        """Whether it is two-dimensional, crops nothing, and has numbers within the kernels' limits and no empty axes."""
        return (
            len(self.image) == len(self.filter) == len(self.out) == 4
            and all(0 <= n <= MOST_SIZE for pair in self.padding for n in pair)
            and all(0 < n <= MOST_STRIDE for n in (*self.strides, *self.dilations))
            and 0 < math.prod(self.image) * math.prod(self.filter) * math.prod(self.out)
        )

    def depthwise(self) -> bool:
        """Whether each channel by itself has one filter."""
        own = 1 < self.groups == self.image[-1] == self.filter[-1]
        return own and self.flat() and all(n * k <= MOST_TAPS for n, k in zip(self.out[1:3], self.filter[:2]))

    def dense(self) -> bool:
        """Whether every filter sees every channel, without dilation."""
        return self.groups == 1 and all(d == 1 for d in self.dilations) and self.flat()

    def pads_little(self) -> bool:
        """Whether the image with its padding is not far larger than what is really there."""
        padded = [n + sum(pair) for n, pair in zip(self.image[1:3], self.padding, strict=True)]
        return self._little(math.prod(padded) * self.image[3])

    def pads_gradient_little(self) -> bool:
        """The same for the result's gradient, which the input's gradient pads by less than two windows."""
        padded = [n + 2 * (k // s) + 2 for n, k, s in zip(self.out[1:3], self.filter[:2], self.strides, strict=True)]
        return self._little(math.prod(padded) * self.out[3])

    def _little(self, numbers: Array) -> bool:
        real = math.prod(self.image[1:]) + math.prod(self.filter) + math.prod(self.out[1:])
        return numbers <= max(ALWAYS_PADDED, MOST_PADDING * real)


def conv(x: Array, w: Array, strides: Static, padding: Static, dilations: Static, groups: Static) -> Array:
    if x.ndim != 4 or not _usable(x, w):
        return None
    window = window_of(x.shape[1:3], w.shape[:2], strides, padding, dilations)
    sizes = Sizes(x.shape, w.shape, (x.shape[0], *window.out, w.shape[3]), strides, padding, dilations, groups)
    if sizes.depthwise():
        return _windowed("reflow_depthwise", x, w, sizes.out, strides, padding, dilations=sizes.dilations)
    if sizes.dense() and sizes.pads_little():
        return _windowed("reflow_convolution", x, w, sizes.out, strides, padding)
    return None


def conv_backprop_input(
    input_shape: Static, w: Array, g: Array, strides: Static, padding: Static, dilations: Static = None, groups: Static = 1
) -> Array:
    if w.ndim != 4 or not _usable(w, g):
        return None
    sizes = Sizes(input_shape, w.shape, g.shape, strides, padding, dilations, groups)
    if sizes.depthwise():
        more = {"dilations": sizes.dilations}
        return _windowed("reflow_depthwise_input_gradient", g, w, input_shape, strides, padding, **more)
    # Few channels would leave most of a vector register empty.
    if w.shape[2] >= 8 and sizes.dense() and sizes.pads_gradient_little():
        return _windowed("reflow_input_gradient", g, w, input_shape, strides, padding)
    return None


def conv_backprop_filter(
    x: Array, filter_shape: Static, g: Array, strides: Static, padding: Static, dilations: Static = None, groups: Static = 1
) -> Array:
    if not _usable(x, g):
        return None
    sizes = Sizes(x.shape, filter_shape, g.shape, strides, padding, dilations, groups)
    if sizes.depthwise():
        more = {"dilations": sizes.dilations}
        return _windowed("reflow_depthwise_filter_gradient", x, g, filter_shape, strides, padding, **more)
    if sizes.dense() and sizes.pads_little():
        return _windowed("reflow_filter_gradient", x, g, filter_shape, strides, padding)
    return None


def max_pool_grad(x: Array, y: Array, g: Array, window: Static, strides: Static, padding: Static) -> Array:
    if x.ndim != 4 or not _usable(x, g) or y.shape != g.shape:
        return None
    sizes = Sizes(x.shape, (*window, 1, x.shape[-1]), y.shape, strides, padding, None, x.shape[-1])
    if not sizes.flat():
        return None
    call = jax.ffi.ffi_call("reflow_max_pool_gradient", jax.ShapeDtypeStruct(x.shape, FLOAT32))
    numbers = {"window": window, "strides": strides, "padding": padding}
    return call(x, y, g, **{key: np.array(value, np.int64).ravel() for key, value in numbers.items()})
