"""Quantized operators: 8-bit integers (and narrower) with scales and zero points.

Products are integer products: the operands' zero points are subtracted and the sums are int32, as with the
corresponding machine instructions.
"""

from __future__ import annotations

from typing import Any

import reflow as tf
from reflow.onnx.node import Node, positive, rank
from reflow.onnx.operators.math import as_numpy, converted, matmul
from reflow.onnx.operators.nn import convolution
from reflow.onnx.table import operator


def _along(node: Node, t: Any, x: Any) -> Any:
    """Scales or zero points, one for all, for each slice along `axis`, or for each block of it, to go with `x`."""
    axis = positive(node.get("axis", 1), rank(x)) if rank(x) else 0
    if rank(t) == 0 or (rank(t) == 1 and t.shape[0] == 1 and not node.get("block_size", 0)):
        return tf.reshape(t, [])
    if rank(t) == 1 and rank(x) != 1 or rank(t) == 1 and not node.get("block_size", 0):
        return tf.reshape(t, [-1 if i == axis else 1 for i in range(rank(x))])
    block = node.get("block_size", 0)
    return tf.repeat(t, block, axis=axis)[tuple(slice(0, n) for n in x.shape.as_list())]


def _limits(dtype: Any) -> tuple[float, float]:
    import ml_dtypes

    found = ml_dtypes.iinfo(as_numpy(dtype))
    return float(found.min), float(found.max)


def _wide(t: Any, dtype: Any) -> Any:
    """Integers of any width as another dtype."""
    return tf.cast(t, dtype)


@operator("QuantizeLinear")
def quantize(node: Node, x: Any, scale: Any, zero: Any = None) -> Any:
    dtype = (
        zero.dtype if zero is not None else node.dtype("output_dtype", tf.uint8) if node.get("output_dtype")
        else tf.uint8
    )
    real = tf.cast(x, tf.float32) if x.dtype != tf.float64 else x
    parts = real / tf.cast(_along(node, scale, x), real.dtype)
    offset = None if zero is None else _along(node, _wide(zero, real.dtype), x)
    if dtype.is_floating:
        return converted(parts if offset is None else parts + offset, dtype, bool(node.get("saturate", 1)))
    low, high = _limits(dtype)
    rounded = tf.round(parts)
    moved = rounded if offset is None else rounded + offset
    return tf.cast(tf.cast(tf.clip_by_value(moved, low, high), tf.int32), dtype)


@operator("DequantizeLinear")
def dequantize(node: Node, x: Any, scale: Any, zero: Any = None) -> Any:
    dtype = node.dtype("output_dtype", scale.dtype) if node.get("output_dtype") else scale.dtype
    real = _wide(x, tf.float32)
    if zero is not None:
        real = real - _along(node, _wide(zero, tf.float32), x)
    return tf.cast(real * tf.cast(_along(node, scale, x), tf.float32), dtype)


@operator("DynamicQuantizeLinear")
def dynamic_quantize(node: Node, x: Any) -> Any:
    """Scale and zero point from the range of the numbers, with zero in it."""
    low, high = tf.minimum(tf.reduce_min(x), 0.0), tf.maximum(tf.reduce_max(x), 0.0)
    scale = (high - low) / 255.0
    zero = tf.clip_by_value(tf.round(-low / scale), 0.0, 255.0)
    y = tf.clip_by_value(tf.round(x / scale) + zero, 0.0, 255.0)
    return tf.cast(y, tf.uint8), scale, tf.cast(zero, tf.uint8)


def _centred(x: Any, zero: Any, axis: int | None = None) -> Any:
    """Integers with their zero point subtracted, as int32."""
    wide = tf.cast(x, tf.int32)
    if zero is None:
        return wide
    offset = tf.cast(zero, tf.int32)
    if rank(offset) and axis is not None:
        offset = tf.reshape(offset, [-1 if i == axis else 1 for i in range(rank(x))])
    return wide - offset


@operator("MatMulInteger")
def matmul_integer(node: Node, a: Any, b: Any, zero_a: Any = None, zero_b: Any = None) -> Any:
    axis = rank(a) - 2 if rank(a) > 1 else 0
    return matmul(
        _centred(a, zero_a, axis if zero_a is not None and rank(zero_a) == 1 and zero_a.shape[0] != 1 else None),
        _centred(b, zero_b),
    )


@operator("ConvInteger")
def conv_integer(node: Node, x: Any, w: Any, zero_x: Any = None, zero_w: Any = None) -> Any:
    return _integer_convolution(node, _centred(x, zero_x), _centred(w, zero_w, 0))


def _integer_convolution(node: Node, x: Any, w: Any) -> Any:
    """A convolution of integers below 2**9, exact in float64, whose sums hold 2**53."""
    y = convolution(node, tf.cast(x, tf.float64), tf.cast(w, tf.float64), node.get("group", 1))
    return tf.cast(y, tf.int32)


def _requantized(sums: Any, factor: Any, scale: Any, zero: Any) -> Any:
    low, high = _limits(zero.dtype)
    scaled = tf.round(tf.cast(sums, tf.float32) * factor / tf.cast(scale, tf.float32)) + tf.cast(zero, tf.float32)
    return tf.cast(tf.clip_by_value(scaled, low, high), zero.dtype)


@operator("QLinearMatMul")
def quantised_matmul(
    node: Node, a: Any, scale_a: Any, zero_a: Any, b: Any, scale_b: Any, zero_b: Any, scale: Any, zero: Any
) -> Any:
    sums = matmul(_centred(a, zero_a), _centred(b, zero_b))
    return _requantized(sums, tf.cast(scale_a, tf.float32) * tf.cast(scale_b, tf.float32), scale, zero)


@operator("QLinearConv")
def quantised_conv(
    node: Node, x: Any, scale_x: Any, zero_x: Any, w: Any, scale_w: Any, zero_w: Any, scale: Any, zero: Any,
    bias: Any = None,
) -> Any:
    sums = _integer_convolution(node, _centred(x, zero_x), _centred(w, zero_w, 0))
    shape = [-1] + [1] * (rank(x) - 2)
    if bias is not None:
        sums = sums + tf.reshape(bias, shape)
    factor = scale_x * scale_w
    return _requantized(sums, tf.reshape(factor, shape) if rank(factor) else factor, scale, zero)
