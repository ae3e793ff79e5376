"""Elementwise operators: arithmetic, comparisons, logic, bits, activations."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

import reflow as tf
from reflow.onnx.node import Node, positive, rank, scalar, wide
from reflow.onnx.table import operator

# --- arithmetic


def _plain(name: str, function: Callable[..., Any]) -> None:
    """An operator that is one of our functions, with no attributes."""
    operator(name)(lambda node, *inputs: function(*inputs))


_SAME: dict[str, Any] = {
    "Acos": tf.acos, "Acosh": tf.acosh, "Asin": tf.asin, "Asinh": tf.asinh, "Atan": tf.atan, "Atanh": tf.atanh,
    "Cos": tf.cos, "Cosh": tf.cosh, "Sin": tf.sin, "Sinh": tf.sinh, "Tan": tf.tan, "Tanh": tf.tanh,
    "Ceil": tf.math.ceil, "Floor": tf.floor, "Exp": tf.exp, "Log": tf.math.log, "Sqrt": tf.sqrt, "Erf": tf.math.erf,
    "Neg": tf.negative, "Reciprocal": tf.math.reciprocal, "Sigmoid": tf.sigmoid, "IsNaN": tf.math.is_nan,
    "And": tf.logical_and, "Or": tf.logical_or, "Xor": tf.math.logical_xor, "Not": tf.logical_not,
    "Equal": tf.equal, "Add": tf.add, "Sub": tf.subtract, "Mul": tf.multiply,
    "BitwiseAnd": tf.bitwise.bitwise_and, "BitwiseOr": tf.bitwise.bitwise_or, "BitwiseXor": tf.bitwise.bitwise_xor,
    "BitwiseNot": tf.bitwise.invert, "Identity": tf.identity, "Softsign": tf.nn.softsign, "Det": tf.linalg.det,
}  # fmt: skip
for _name, _function in _SAME.items():
    _plain(_name, _function)


def unsigned_up(convert: Callable[..., Any], *tensors: Any) -> Any:
    """`convert` in int64, for integers for which TensorFlow has no such kernel."""
    dtype = tensors[0].dtype
    if not dtype.is_integer or dtype in (tf.int32, tf.int64):
        return convert(*tensors)
    result = convert(*[tf.cast(t, tf.int64) for t in tensors])
    return tf.cast(result, dtype) if result.dtype == tf.int64 else result


@operator("Abs")
def absolute(node: Node, x: Any) -> Any:
    return x if x.dtype.is_unsigned else tf.abs(x)


@operator("Sign")
def sign(node: Node, x: Any) -> Any:
    return unsigned_up(tf.sign, x)


@operator("Round")
def round_half_even(node: Node, x: Any) -> Any:
    return tf.round(x)


@operator("Div")
def divide(node: Node, x: Any, y: Any) -> Any:
    """Integers are divided towards zero."""
    if not x.dtype.is_integer:
        return tf.divide(x, y)
    return unsigned_up(tf.truncatediv, x, y)


@operator("Mod")
def modulo(node: Node, x: Any, y: Any) -> Any:
    """Python's remainder, or with `fmod` that of C, which has the sign of the dividend."""
    if node.get("fmod", 0):
        return wide(tf.truncatemod, x, y) if x.dtype.is_floating else unsigned_up(tf.truncatemod, x, y)
    return unsigned_up(tf.math.floormod, x, y)


@operator("Pow")
def power(node: Node, x: Any, y: Any) -> Any:
    """The result has the base's dtype, the exponent may have another."""
    if x.dtype == y.dtype:
        return unsigned_up(tf.pow, x, y)
    both = tf.float64 if y.dtype.is_floating or tf.float64 in (x.dtype, y.dtype) else tf.int64
    both = tf.float64 if x.dtype.is_floating else both
    return tf.cast(tf.pow(tf.cast(x, both), tf.cast(y, both)), x.dtype)


def _several(name: str, function: Callable[..., Any]) -> None:
    operator(name)(lambda node, *inputs: reduce(lambda a, b: unsigned_up(function, a, b), inputs))


_several("Sum", tf.add)
_several("Max", tf.maximum)
_several("Min", tf.minimum)


@operator("Mean")
def mean(node: Node, *inputs: Any) -> Any:
    return tf.divide(reduce(tf.add, inputs), scalar(len(inputs), inputs[0]))


def _compare(name: str, function: Callable[..., Any]) -> None:
    operator(name)(lambda node, x, y: unsigned_up(function, x, y))


_compare("Less", tf.less)
_compare("LessOrEqual", tf.less_equal)
_compare("Greater", tf.greater)
_compare("GreaterOrEqual", tf.greater_equal)


@operator("IsInf")
def is_infinite(node: Node, x: Any) -> Any:
    found = tf.math.is_inf(x)
    if not node.get("detect_negative", 1):
        found = found & (x > scalar(0, x))
    if not node.get("detect_positive", 1):
        found = found & (x < scalar(0, x))
    return found


@operator("BitShift")
def shift(node: Node, x: Any, y: Any) -> Any:
    """Past the width of the type, and by a negative number, all bits are shifted out.

    TensorFlow's ops clamp such numbers.
    """
    most = scalar(8 * x.dtype.size - 1, x)
    inside = (y >= scalar(0, y)) & (y <= most)
    if node.get("direction") == "LEFT":
        return tf.where(inside, tf.bitwise.left_shift(x, y), scalar(0, x))
    empty = tf.bitwise.right_shift(tf.bitwise.right_shift(x, most), scalar(1, x))
    return tf.where(inside, tf.bitwise.right_shift(x, y), empty)


@operator("Clip")
def clip(node: Node, x: Any, low: Any = None, high: Any = None) -> Any:
    """The limits are attributes before operator set 11."""
    low = scalar(node.get("min"), x) if low is None and "min" in node else low
    high = scalar(node.get("max"), x) if high is None and "max" in node else high
    x = x if low is None else unsigned_up(tf.maximum, x, low)
    return x if high is None else unsigned_up(tf.minimum, x, high)


# --- products


@operator("MatMul")
def product(node: Node, x: Any, y: Any) -> Any:
    return unsigned_up(matmul, x, y)


def matmul(x: Any, y: Any) -> Any:
    """NumPy's `matmul`: vectors are rows on the left and columns on the right."""
    if rank(x) == 1 and rank(y) == 1:
        return tf.tensordot(x, y, 1)
    if rank(x) == 1:
        return tf.squeeze(tf.matmul(x[None, :], y), -2)
    if rank(y) == 1:
        return tf.linalg.matvec(x, y)
    return tf.matmul(x, y)


@operator("Gemm")
def general_product(node: Node, a: Any, b: Any, c: Any = None) -> Any:
    y = tf.matmul(a, b, transpose_a=bool(node.get("transA", 0)), transpose_b=bool(node.get("transB", 0)))
    alpha, beta = node.get("alpha", 1.0), node.get("beta", 1.0)
    y = y if alpha == 1.0 else tf.multiply(scalar(alpha, y), y)
    if c is None or beta == 0.0:
        return y
    return tf.add(y, c if beta == 1.0 else tf.multiply(scalar(beta, c), c))


@operator("Einsum")
def einsum(node: Node, *inputs: Any) -> Any:
    return tf.einsum(node.get("equation").replace(" ", ""), *inputs)


# --- activations


@operator("Relu")
def relu(node: Node, x: Any) -> Any:
    return tf.nn.relu(x)


@operator("LeakyRelu")
def leaky_relu(node: Node, x: Any) -> Any:
    return tf.nn.leaky_relu(x, node.get("alpha", 0.01))


@operator("PRelu")
def parametric_relu(node: Node, x: Any, slope: Any) -> Any:
    return tf.where(x < scalar(0, x), x * slope, x)


@operator("ThresholdedRelu")
def thresholded_relu(node: Node, x: Any) -> Any:
    return tf.where(x > scalar(node.get("alpha", 1.0), x), x, tf.zeros_like(x))


@operator("Elu")
def elu(node: Node, x: Any) -> Any:
    return tf.where(x < scalar(0, x), scalar(node.get("alpha", 1.0), x) * tf.math.expm1(x), x)


@operator("Selu")
def selu(node: Node, x: Any) -> Any:
    alpha, gamma = node.get("alpha", 1.67326319217681884765625), node.get("gamma", 1.05070102214813232421875)
    return scalar(gamma, x) * tf.where(x < scalar(0, x), scalar(alpha, x) * tf.math.expm1(x), x)


@operator("Celu")
def celu(node: Node, x: Any) -> Any:
    alpha = scalar(node.get("alpha", 1.0), x)
    return tf.nn.relu(x) + tf.minimum(scalar(0, x), alpha * tf.math.expm1(x / alpha))


@operator("HardSigmoid")
def hard_sigmoid(node: Node, x: Any) -> Any:
    y = scalar(node.get("alpha", 0.2), x) * x + scalar(node.get("beta", 0.5), x)
    return tf.clip_by_value(y, scalar(0, x), scalar(1, x))


@operator("HardSwish")
def hard_swish(node: Node, x: Any) -> Any:
    return x * tf.clip_by_value(x * scalar(1 / 6, x) + scalar(0.5, x), scalar(0, x), scalar(1, x))


@operator("Softplus")
def softplus(node: Node, x: Any) -> Any:
    return tf.nn.softplus(x)


@operator("Mish")
def mish(node: Node, x: Any) -> Any:
    return x * tf.tanh(tf.nn.softplus(x))


@operator("Swish")
def swish(node: Node, x: Any) -> Any:
    return x * tf.sigmoid(scalar(node.get("alpha", 1.0), x) * x)


@operator("Gelu")
def gelu(node: Node, x: Any) -> Any:
    return tf.nn.gelu(x, approximate=node.get("approximate", "none") == "tanh")


@operator("Shrink")
def shrink(node: Node, x: Any) -> Any:
    bias, limit = scalar(node.get("bias", 0.0), x), scalar(node.get("lambd", 0.5), x)
    return tf.where(x < -limit, x + bias, tf.where(x > limit, x - bias, tf.zeros_like(x)))


def _rowwise(node: Node, x: Any, function: Callable[..., Any]) -> Any:
    """A function along an axis. Before operator set 13, along all axes from `axis` on, as if they were one."""
    if node.opset >= 13:
        return function(x, positive(node.get("axis", -1), rank(x)))
    axis = positive(node.get("axis", 1), rank(x))
    flat = tf.reshape(x, tf.concat([tf.shape(x)[:axis], [-1]], 0)) if axis < rank(x) - 1 else x
    return tf.reshape(function(flat, axis), tf.shape(x))


@operator("Softmax")
def softmax(node: Node, x: Any) -> Any:
    return _rowwise(node, x, tf.nn.softmax)


@operator("LogSoftmax")
def log_softmax(node: Node, x: Any) -> Any:
    return _rowwise(node, x, tf.nn.log_softmax)


@operator("Hardmax")
def hardmax(node: Node, x: Any) -> Any:
    return _rowwise(
        node, x,
        lambda t, axis: tf.one_hot(tf.argmax(t, axis), t.shape[axis] or tf.shape(t)[axis], axis=axis, dtype=t.dtype),
    )


# --- dtypes


@operator("Cast")
def cast(node: Node, x: Any) -> Any:
    return converted(x, node.dtype("to"), bool(node.get("saturate", 1)))


@operator("CastLike")
def cast_like(node: Node, x: Any, like: Any) -> Any:
    return converted(x, like.dtype, bool(node.get("saturate", 1)))


def converted(x: Any, dtype: Any, saturate: bool = True) -> Any:
    """A cast by ONNX' rules: numbers to texts and back, and saturation for floats of 8 bits."""
    if x.dtype == tf.string:
        return tf.cast(tf.strings.to_number(x, tf.float32 if dtype.size <= 4 else dtype), dtype)
    if dtype == tf.string:
        return tf.strings.as_string(x)
    largest = _largest(dtype) if saturate and dtype.is_floating and dtype.size == 1 else None
    if largest is not None and x.dtype.is_floating:
        up = tf.cast(x, tf.float32)
        top = tf.constant(largest, tf.float32)
        up = tf.where(tf.math.is_nan(up), up, tf.clip_by_value(up, -top, top))
        return tf.cast(up, dtype)
    if dtype.size < 1 or x.dtype.is_floating and x.dtype.size == 1:
        return tf.cast(tf.cast(x, tf.float32), dtype)
    return tf.cast(x, dtype)


def _largest(dtype: Any) -> float | None:
    import ml_dtypes

    number = float(ml_dtypes.finfo(dtype.as_numpy_dtype).max)
    return number if math.isfinite(number) else None


@operator("BitCast")
def bit_cast(node: Node, x: Any) -> Any:
    dtype = node.dtype("to")
    if x.dtype == tf.bool or dtype == tf.bool:
        return (
            tf.cast(x if x.dtype == tf.bool else x != scalar(0, x), dtype) if dtype.size == 1
            else tf.cast(tf.cast(x, tf.uint8), dtype)
        )
    return tf.bitcast(x, dtype)


@operator("Dropout")
def dropout(node: Node, x: Any, ratio: Any = None, training: Any = None) -> Any:
    """Dropout in inference, which is all that a model without `training_mode` can do: the input itself."""
    if training is not None and bool(node.value(training, "training_mode")):
        rate = 0.5 if ratio is None else float(node.value(ratio, "ratio"))
        if rate == 0.0:
            return x, tf.fill(tf.shape(x), True)
        keep = tf.random.uniform(tf.shape(x), seed=node.get("seed")) >= rate
        return tf.where(keep, x / scalar(1 - rate, x), tf.zeros_like(x)), keep
    return x, tf.fill(tf.shape(x), True)


@operator("EyeLike")
def eye_like(node: Node, x: Any) -> Any:
    rows, columns = tf.shape(x)[0], tf.shape(x)[1]
    difference = tf.range(columns)[None, :] - tf.range(rows)[:, None]
    return tf.cast(difference == node.get("k", 0), node.dtype("dtype", x.dtype))


@operator("Trilu")
def triangle(node: Node, x: Any, k: Any = None) -> Any:
    """The upper or the lower triangle, moved by `k` diagonals."""
    shift = tf.zeros([], tf.int64) if k is None else tf.cast(tf.reshape(k, []), tf.int64)
    rows, columns = tf.shape(x, tf.int64)[-2], tf.shape(x, tf.int64)[-1]
    difference = tf.range(columns)[None, :] - tf.range(rows)[:, None]
    keep = difference >= shift if node.get("upper", 1) else difference <= shift
    return tf.where(keep, x, tf.zeros_like(x))


def as_numpy(dtype: Any) -> np.dtype:
    return np.dtype(dtype.as_numpy_dtype)
