"""Arithmetic on quantized integers: each operand comes with its range, and so does the result (`conversion.py`)."""

from __future__ import annotations

import numpy as np

from reflow.core import errors
from reflow.ops import require
from reflow.ops import shape_rules as rules
from reflow.ops.kernels.nn import trace_checks as traced
from reflow.ops.kernels.quantized.conversion import ends_of, number, to_float, to_integer, to_integer_unclamped
from reflow.ops.registry import NO_GRADIENT, get, op
from reflow.ops.shape_facts import NodeFacts
from reflow.ops.trace_checks import concat, reshape
from reflow.ops.xp import host as host_xp

F32, I32 = np.dtype(np.float32), np.dtype(np.int32)


def _operands(f):
    """The facts about two operands, without those about the ranges that follow them."""
    return NodeFacts(f.op, f.dtypes, f.shapes[:2], f.values[:2], f.attrs)


def _with_range(shape):
    """The shapes of a result and of its range, two scalars."""
    return lambda f: [*shape(_operands(f)), (), ()]


def _shaped_as(name: str):
    """The shape of the result is that of the op on floats called `name`."""
    return _with_range(lambda f: get(name).shape(f))


def _joined(f):
    """The facts about an axis and the operands, without those about both ends of the range of each."""
    count = (len(f.shapes) - 1) // 3 + 1
    return NodeFacts(f.op, f.dtypes[:count], f.shapes[:count], f.values[:count], f.attrs)


_FACTS: dict = {"grad": NO_GRADIENT, "host": True}


def _answer(q, low, high):
    return q, np.asarray(low, F32).reshape(()), np.asarray(high, F32).reshape(())


def _check_ranges(**ends) -> None:
    """Check that each range, by the name of its operand, ends after it begins."""
    for name, (low, high) in ends.items():
        require.rank_zero(**{f"min_{name}": low, f"max_{name}": high})
        if not high > low:
            raise ValueError(f"max_{name} must be larger than min_{name}.")


def _centred(q, low, high) -> np.ndarray:
    """The integers minus the one that represents 0."""
    return q.astype(np.int64) - to_integer_unclamped(0.0, low, high, q.dtype).astype(np.int64)


def _product_range(x, low_x, high_x, y, low_y, high_y, dtype):
    """The range of a product: one step of it is the product of one step of each factor."""
    step = np.float32(1)
    for q, low, high in ((x, low_x, high_x), (y, low_y, high_y)):
        first, last = ends_of(q.dtype)
        step = step * ((np.float32(high) - np.float32(low)) / np.float32(last - first))
    first, last = ends_of(dtype)
    return step * np.float32(first), step * np.float32(last)


# --- products ---------------------------------------------------------------------------------------------------------


@op("QuantizedMul", shape=_with_range(rules.broadcast), **_FACTS)
def quantized_mul(_, x, y, min_x, max_x, min_y, max_y):
    _check_ranges(x=(min_x, max_x), y=(min_y, max_y))
    if x.ndim != y.ndim and not (x.size and y.size):
        raise ValueError("vector must have at least 1 element")
    product = _centred(x, min_x, max_x) * _centred(y, min_y, max_y)
    return _answer(product.astype(I32), *_product_range(x, min_x, max_x, y, min_y, max_y, I32))


@op(
    "QuantizedMatMul", fits="2 2 0 0 0 0", shape=_with_range(rules.matmul),
    trace_check=lambda f: traced.product(_operands(f)), **_FACTS,
)
def quantized_mat_mul(_, a, b, min_a, max_a, min_b, max_b, transpose_a=False, transpose_b=False):
    max_a, max_b = (np.asarray(number(end), F32) for end in (max_a, max_b))
    _check_ranges(a=(min_a, max_a), b=(min_b, max_b))
    left, right = _centred(a, min_a, max_a), _centred(b, min_b, max_b)
    product = (left.T if transpose_a else left) @ (right.T if transpose_b else right)
    return _answer(product.astype(I32), *_product_range(a, min_a, max_a, b, min_b, max_b, I32))


@op(
    "QuantizedConv2D", fits="4 4 0 0 0 0", shape=_shaped_as("Conv2D"),
    trace_check=lambda f: traced.conv(_operands(f)), **_FACTS,
)
def quantized_conv(
    _, input, filter, min_input, max_input, min_filter, max_filter, strides, padding, dilations=(1, 1, 1, 1)
):
    if strides[1] != strides[2]:
        raise ValueError("Current implementation only supports equal length strides in the row and column dimensions.")
    if tuple(dilations[1:3]) != (1, 1):
        raise ValueError("Current implementation only supports dilated rate as 1 in the row and column dimensions.")
    if not input.size:
        raise ValueError("Invalid input: Shapes dimension cannot be 0.")
    x = _centred(input, min_input, max_input).astype(np.float64)
    w = _centred(filter, min_filter, max_filter).astype(np.float64)
    out = get("Conv2D").kernel(host_xp, x, w, strides=strides, padding=padding, dilations=dilations)
    bounds = _product_range(input, min_input, max_input, filter, min_filter, max_filter, I32)
    return _answer(np.rint(out).astype(I32), *bounds)


# --- one operand ------------------------------------------------------------------------------------------------------


def _clipped(name: str, top) -> None:
    @op(name, fits="* 0 0", shape=_with_range(rules.same), **_FACTS)
    def kernel(_, features, min_features, max_features):
        zero = int(to_integer(0.0, min_features, max_features, features.dtype))
        highest = ends_of(features.dtype)[1]
        if top is not None:
            highest = int(to_integer(top, min_features, max_features, features.dtype))
        return _answer(np.clip(features, zero, highest), min_features, max_features)


_clipped("QuantizedRelu", None)
_clipped("QuantizedRelu6", 6.0)


@op(
    "QuantizedReshape", fits="* 1 0 0", shape=_shaped_as("Reshape"), trace_words=lambda f: reshape(_operands(f)),
    **_FACTS,
)
def quantized_reshape(_, tensor, shape, input_min, input_max):
    require.vector("shape", shape)
    for name, end in (("input_min", input_min), ("input_max", input_max)):
        if end.ndim > 1 or end.size != 1:
            raise ValueError(f"{name} must be a scalar or a vector of 1 element")
    sizes = shape.tolist()
    for axis, size in enumerate(sizes):
        if size < -1:
            raise ValueError(f"Size {axis} must be non-negative, not {size}")
    return _answer(np.reshape(tensor, tuple(sizes)), input_min, input_max)


@op("QuantizedMaxPool", fits="4 0 0", shape=_shaped_as("MaxPool"), **_FACTS)
def quantized_max_pool(_, input, min_input, max_input, ksize, strides, padding):
    require.rank_zero(min_input=min_input, max_input=max_input)
    pooled = get("MaxPool").kernel(host_xp, input.astype(F32), ksize=ksize, strides=strides, padding=padding)
    return _answer(pooled.astype(input.dtype), min_input, max_input)


@op("QuantizedAvgPool", fits="4 0 0", shape=_shaped_as("AvgPool"), **_FACTS)
def quantized_avg_pool(_, input, min_input, max_input, ksize, strides, padding):
    require.rank_zero(min_input=min_input, max_input=max_input)
    pooled = get("AvgPool").kernel(host_xp, input.astype(np.float64), ksize=ksize, strides=strides, padding=padding)
    return _answer(np.floor(pooled).astype(input.dtype), min_input, max_input)


# --- several operands -------------------------------------------------------------------------------------------------


@op(
    "QuantizedConcat", fits="0 * 0 0", shape=lambda f: [*get("Concat").shape(_joined(f)), (), ()],
    trace_words=lambda f: concat(_joined(f)), **_FACTS,
)
def quantized_concat(_, concat_dim, values, input_mins, input_maxes):
    """Operands brought to one range that holds all of theirs, and 0."""
    require.scalar("Concat dim tensor", concat_dim)
    axis, rank = int(concat_dim), values[0].ndim
    if not 0 <= axis < rank:
        words = f"ConcatOp : Expected concatenating dimensions in the range [0, {rank}), but got {axis}"
        # a ValueError would be told in the words of the shape rule
        raise errors.InvalidArgumentError(None, None, words)
    ends = [(number(a), number(b)) for a, b in zip(input_mins, input_maxes, strict=True)]
    low, high = min(0.0, *(a for a, _ in ends)), max(b for _, b in ends)
    parts = [
        q if (a, b) == (low, high) else to_integer(to_float(q, a, b).astype(F32), low, high, q.dtype)
        for q, (a, b) in zip(values, ends, strict=True)
    ]
    return _answer(np.concatenate(parts, axis), low, high)


def _sum(x, y, ranges, room: int):
    """The sum in a range that is far larger than both operands', by `room` bits, and symmetric around 0."""
    reach = max(abs(float(v)) for v in ranges) * (1 << room)
    low, high = np.float32(-reach), np.float32(reach)
    total = to_integer_unclamped(to_float(x, *ranges[:2]), low, high, I32) + to_integer_unclamped(
        to_float(y, *ranges[2:]), low, high, I32
    )
    zero = to_integer_unclamped(0.0, low, high, I32)
    return _answer(np.clip(total - zero, *ends_of(I32)).astype(I32), low, high)


@op("QuantizedAdd", fits="* * 0 0 0 0", shape=_with_range(rules.broadcast), **_FACTS)
def quantized_add(_, x, y, min_x, max_x, min_y, max_y):
    _check_ranges(x=(min_x, max_x), y=(min_y, max_y))
    if not (x.size and y.size):
        raise ValueError("Must have some elements to add")
    return _sum(x, y, (min_x, max_x, min_y, max_y), 14)


@op(
    "QuantizedBiasAdd", fits="2+ 1 0 0 0 0", shape=_with_range(rules.same),
    trace_check=lambda f: traced.bias(_operands(f)), **_FACTS,
)
def quantized_bias_add(_, input, bias, min_input, max_input, min_bias, max_bias):
    require.rank_zero(min_input=min_input, max_input=max_input, min_bias=min_bias, max_bias=max_bias)
    return _sum(input, bias, (min_input, max_input, min_bias, max_bias), 17)
