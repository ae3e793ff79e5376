"""Decides when a program on the CPU calls one of our C++ kernels (`reflow/native`) instead of XLA's operation.

Each function returns the result, or None to use XLA's operation: for other dtypes and devices, for sizes at which XLA
is as fast, and inside `jax.vmap` and `jax.vjp`, which do not support foreign calls. `state.native` is set while a
region for the CPU is lowered outside of those: to True, or to the `Calls` of a program whose foreign calls may absorb
the ops that follow them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

from reflow import native
from reflow.core.context import state
from reflow.core.types import Array, Static
from reflow.ops.xp.windows import window_of

FLOAT32 = np.dtype(np.float32)
#: Multiply-adds of a product. Below the lower limit, XLA compiles it into the surrounding loop. Above the upper limit,
#: XLA is as fast, and can do other work meanwhile, where a foreign call blocks its thread. With registers of 256 bits,
#: a step of an MLP (784-100-10, batch 50) takes 320 µs with all products in our kernel, 297 with none, and 288 with
#: only those that transpose their left operand (the gradients of weights).
LEAST, MOST, MOST_TURNED = 1 << 16, 3 << 20, 16 << 20
#: How many times larger products pay off with registers of 512 bits, which XLA does not fill: those that transpose
#: their left operand (steps of the LSTM, the GRU and the Transformer of `make bench` take 3 to 7% less), and all where
#: the caller waits for the program: the MLP's step takes 178 µs in a session, before 257, but called again and again
#: without waiting 174, before 152. (Medians of alternating calls in one process.)
WIDE, WIDE_COLUMNS = 6, 32
# taps of a filter, taps in one of its rows; elements of one image's result
FEW_TAPS, FEW_IN_A_ROW, CACHED = 32, 27, 1 << 17
LEAST_UPDATED = 4096  # numbers of a variable: below this, XLA compiles a step into the surrounding loops
FEW_ROWS = 64  # below this, transposing the other operand does not pay off
# The limits of `native/checks.h`, and a padding with which sizes cannot overflow.
MOST_STRIDE, MOST_SIZE, MOST_TAPS, MOST_PADDING, ALWAYS_PADDED = 2**31 - 1, 2**48, 1 << 22, 4, 1 << 19


class Call(NamedTuple):
    """A foreign call, and how to repeat it with more fused into it."""

    result: Array
    target: str
    operands: tuple[Array, ...]
    attributes: dict[str, Any]

    def again(self, target: str, *operands: Array, **attributes: Any) -> Array:
        """The same call to another target, with additional operands and attributes.

        XLA drops the first one if it is unused.
        """
        return _called(target, (*self.operands, *operands), self.result.shape, self.attributes | attributes)


class Calls:
    """The foreign calls of one program so far.

    A pass over a large array costs as much as the arithmetic of a small convolution, and XLA runs it on one thread. So
    the bias and the ReLU after a convolution are fused into its call, and so is the gradient of a ReLU after that of a
    convolution or a pooling. This saves 1.1 of 5.5 ms in a step of a network with two convolutions
    (`bench/distribute.py`). It requires knowledge of the whole program: a result that is used twice must exist unfused.
    """

    def __init__(self, waited_for: bool = False) -> None:
        self.waited_for = waited_for  # the caller does nothing else until the program has run
        self._made: dict[int, Call] = {}  # by the id of the result, which is kept alive with it
        self._alone: Sequence[Array] = ()

    def begin(self, alone: Sequence[Array]) -> None:
        """An instruction begins; these values have no other use."""
        self._alone = alone

    def add(self, call: Call) -> None:
        self._made[id(call.result)] = call

    def of(self, value: Array, *targets: str) -> Call | None:
        """The call to one of these targets that produced a value, if only the current instruction uses the value."""
        call = self._made.get(id(value))
        found = call is not None and call.target in targets and any(value is other for other in self._alone)
        return call if found else None


def _made_by(value: Array, *targets: str) -> Call | None:
    return state.native.of(value, *targets) if isinstance(state.native, Calls) else None


def _called(target: str, operands: tuple[Array, ...], shape: Static, attributes: dict[str, Any]) -> Array:
    """A foreign call; flags are passed as they are, other attributes as lists of integers."""
    call = jax.ffi.ffi_call(target, jax.ShapeDtypeStruct(tuple(shape), FLOAT32))
    result = call(
        *operands, **{k: v if isinstance(v, bool) else np.array(v, np.int64).ravel() for k, v in attributes.items()}
    )
    if isinstance(state.native, Calls):
        state.native.add(Call(result, target, operands, attributes))
    return result


def _usable(x: Array, y: Array) -> bool:
    return state.native and x.dtype == FLOAT32 and y.dtype == FLOAT32 and native.available()


def _has_wide_registers() -> bool:
    return native.panel_columns() == WIDE_COLUMNS


def product(x: Array, y: Array, flip_x: bool, flip_y: bool) -> Array:
    """x @ y for matrices, each transposed first if its flag is set; x may have more leading axes."""
    if y.ndim != 2 or x.ndim < 2 or x.ndim > 2 and flip_x or not state.native:
        return None
    rows = x.shape[1] if flip_x else math.prod(x.shape[:-1])
    columns = y.shape[0] if flip_y else y.shape[1]
    depth = x.shape[0] if flip_x else x.shape[-1]
    most = MOST_TURNED if flip_x else MOST
    if (flip_x or isinstance(state.native, Calls) and state.native.waited_for) and _has_wide_registers():
        most *= WIDE
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
    """x @ y for int8 matrices, summed in int32; x may have more leading axes."""
    if (
        not state.native or x.dtype != np.int8 or y.dtype != np.int8 or y.ndim != 2 or x.ndim < 2
        or x.shape[-1] != y.shape[0]
    ):
        return None
    rows, columns = math.prod(x.shape[:-1]), y.shape[1]
    if rows * y.shape[0] * columns < LEAST or not native.multiplies_integers():
        return None
    call = jax.ffi.ffi_call("reflow_integer_product", jax.ShapeDtypeStruct((rows, columns), np.int32))
    return jax.lax.reshape(call(jax.lax.reshape(x, (rows, y.shape[0])), y), (*x.shape[:-1], columns))


def _windowed(name: str, x: Array, y: Array, shape: Static, strides: Static, padding: Static, **more: Any) -> Array:
    return _called(name, (x, y), shape, {"strides": strides, "padding": padding, **more})


class Sizes:
    """The sizes of one convolution of `image` by `filter_` to `out`, and which of our kernels supports it, if any.

    `native/checks.h` validates all of this again: it trusts neither us nor the program.
    """

    def __init__(
        self, image: Array, filter_: Array, out: Static, strides: Static, padding: Static, dilations: Static,
        groups: Static,
    ) -> None:
        self.image, self.filter, self.out = tuple(image), tuple(filter_), tuple(out)
        self.strides, self.padding, self.groups = strides, padding, groups
        self.dilations = dilations or (1,) * len(strides)

    def flat(self) -> bool:
        """Whether it is two-dimensional, crops nothing, is within the kernels' limits, and has no empty axes."""
        return (
            len(self.image) == len(self.filter) == len(self.out) == 4
            and all(0 <= n <= MOST_SIZE for pair in self.padding for n in pair)
            and all(0 < n <= MOST_STRIDE for n in (*self.strides, *self.dilations))
            and 0 < math.prod(self.image) * math.prod(self.filter) * math.prod(self.out)
        )

    def depthwise(self) -> bool:
        """Whether each channel has its own filter."""
        own = 1 < self.groups == self.image[-1] == self.filter[-1]
        return own and self.flat() and all(n * k <= MOST_TAPS for n, k in zip(self.out[1:3], self.filter[:2]))

    def dense(self) -> bool:
        """Whether every filter reads every channel, without dilation."""
        return self.groups == 1 and all(d == 1 for d in self.dilations) and self.flat()

    def few_taps(self) -> bool:
        """Whether the filter's gradient has a special loop (`native/few_taps.h`), and the gradient of one image's
        result fits the cache.
        """
        height, width, channels, filters = self.filter
        step = self.strides[1] * channels
        fits = (
            height * width * channels <= FEW_TAPS and step in (1, 3) and width * channels <= FEW_IN_A_ROW
            and filters % 16 == 0
        )
        return fits and math.prod(self.out[1:]) <= CACHED

    def pads_little(self) -> bool:
        """Whether padding does not make the image much larger."""
        padded = [n + sum(pair) for n, pair in zip(self.image[1:3], self.padding, strict=True)]
        return self._little(math.prod(padded) * self.image[3])

    def pads_gradient_little(self) -> bool:
        """Whether the padding of the result's gradient, by less than two windows, does not make it much larger."""
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
    input_shape: Static, w: Array, g: Array, strides: Static, padding: Static, dilations: Static = None,
    groups: Static = 1,
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
    x: Array, filter_shape: Static, g: Array, strides: Static, padding: Static, dilations: Static = None,
    groups: Static = 1,
) -> Array:
    if not _usable(x, g):
        return None
    sizes = Sizes(x.shape, filter_shape, g.shape, strides, padding, dilations, groups)
    if sizes.depthwise():
        more = {"dilations": sizes.dilations}
        return _windowed("reflow_depthwise_filter_gradient", x, g, filter_shape, strides, padding, **more)
    if not sizes.dense() or not sizes.pads_little():
        return None
    pool = _made_by(g, "reflow_max_pool_gradient") if sizes.few_taps() else None
    if pool is None:
        return _windowed("reflow_filter_gradient", x, g, filter_shape, strides, padding)
    numbers = {
        "window": pool.attributes["window"], "positive": pool.attributes["positive"], "strides": strides,
        "padding": padding,
    }
    more = {f"pool_{name}": pool.attributes[name] for name in ("strides", "padding")}
    return _called("reflow_pooled_filter_gradient", (x, *pool.operands), filter_shape, numbers | more)


def adam(
    var: Array, m: Array, v: Array, grad: Array, rate: Array, mean: Array, square: Array, epsilon: Array
) -> Array:
    operands = (var, m, v, grad, rate, mean, square, epsilon)
    if not state.native or var.size < LEAST_UPDATED or any(x.dtype != FLOAT32 for x in operands):
        return None
    if any(x.ndim for x in operands[4:]) or not native.available():
        return None
    shape = jax.ShapeDtypeStruct(var.shape, FLOAT32)
    return jax.ffi.ffi_call("reflow_adam", (shape, shape, shape), input_output_aliases={0: 0, 1: 1, 2: 2})(*operands)


# --- ops that are fused into the preceding call


def add_bias(x: Array, y: Array) -> Array:
    """x + y, if one is the result of a convolution and the other has one number per channel."""
    for result, bias in ((x, y), (y, x)):
        call = _made_by(result, "reflow_convolution")
        if (
            call is not None and bias.dtype == FLOAT32 and 0 < bias.ndim <= result.ndim
            and bias.size == bias.shape[-1] == result.shape[-1]
        ):
            return call.again("reflow_finished_convolution", jax.lax.reshape(bias, (bias.size,)), relu=False)
    return None


def relu(x: Array) -> Array:
    """The ReLU of a convolution's result, with or without a bias."""
    call = _made_by(x, "reflow_convolution", "reflow_finished_convolution")
    if call is None:
        return None
    bias = () if call.target == "reflow_finished_convolution" else (np.zeros(0, FLOAT32),)
    return call.again("reflow_finished_convolution", *bias, relu=True)


def relu_grad(g: Array, y: Array) -> Array:
    """g where y > 0, else 0, if g is the gradient of a convolution or a pooling with respect to y."""
    call = _made_by(g, "reflow_input_gradient", "reflow_max_pool_gradient")
    if call is None or g.shape != y.shape or y.dtype != FLOAT32:
        return None
    if call.target == "reflow_input_gradient":
        return call.again("reflow_input_gradient_before_relu", y)
    return call.again(call.target, positive=True) if call.operands[0] is y else None


# --- pooling


def _pooling(x: Array, out: Static, window: Static, strides: Static, padding: Static) -> dict[str, Static] | None:
    """The attributes of a pooling kernel; None if it is not used."""
    if x.ndim != 4 or not _usable(x, x):
        return None
    sizes = Sizes(x.shape, (*window, 1, x.shape[-1]), out, strides, padding, None, x.shape[-1])
    return {"window": window, "strides": strides, "padding": padding} if sizes.flat() else None


def max_pool(x: Array, window: Static, strides: Static, padding: Static) -> Array:
    if x.ndim != 4 or not isinstance(state.native, Calls):  # engines have their own step for XLA's operation
        return None
    out = (x.shape[0], *window_of(x.shape[1:3], window, strides, padding).out, x.shape[3])
    attributes = _pooling(x, out, window, strides, padding)
    return None if attributes is None else _called("reflow_max_pool", (x,), out, attributes)


def max_pool_grad(x: Array, y: Array, g: Array, window: Static, strides: Static, padding: Static) -> Array:
    attributes = _pooling(x, y.shape, window, strides, padding) if y.shape == g.shape and g.dtype == FLOAT32 else None
    return (
        None if attributes is None
        else _called("reflow_max_pool_gradient", (x, y, g), x.shape, attributes | {"positive": False})
    )
