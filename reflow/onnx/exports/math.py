"""Elementwise functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import reflow as tf
from reflow.graph.graph import Node
from reflow.onnx.export_table import Unexportable, exports
from reflow.onnx.writer import Scope, Value

#: ops that are one operator of ONNX, on operands that are broadcast alike
SAME = {
    "Abs": "Abs", "Acos": "Acos", "Acosh": "Acosh", "Add": "Add", "AddN": "Sum", "AddV2": "Add", "Asin": "Asin",
    "Asinh": "Asinh", "Atan": "Atan", "Atanh": "Atanh", "Ceil": "Ceil", "Cos": "Cos", "Cosh": "Cosh", "Erf": "Erf",
    "Exp": "Exp", "Floor": "Floor", "Inv": "Reciprocal", "IsNan": "IsNaN", "Log": "Log", "LogicalAnd": "And",
    "LogicalNot": "Not", "LogicalOr": "Or", "Maximum": "Max", "Minimum": "Min", "Mul": "Mul", "Neg": "Neg",
    "RealDiv": "Div", "Reciprocal": "Reciprocal", "Relu": "Relu", "Rint": "Round", "Round": "Round",
    "SelectV2": "Where", "Selu": "Selu", "Sigmoid": "Sigmoid", "Sign": "Sign", "Sin": "Sin", "Sinh": "Sinh",
    "Softplus": "Softplus", "Softsign": "Softsign", "Sqrt": "Sqrt", "Sub": "Sub", "Tan": "Tan", "Tanh": "Tanh",
    "Elu": "Elu", "Equal": "Equal", "Greater": "Greater", "GreaterEqual": "GreaterOrEqual", "Less": "Less",
    "LessEqual": "LessOrEqual", "BitwiseAnd": "BitwiseAnd", "BitwiseOr": "BitwiseOr", "BitwiseXor": "BitwiseXor",
    "Invert": "BitwiseNot", "Pow": "Pow",
}  # fmt: skip


def _same(operator: str) -> Callable[..., Value]:
    def convert(s: Scope, node: Node, *inputs: Value) -> Value:
        return s.op(operator, *inputs)

    return convert


for _op, _operator in SAME.items():
    exports(_op)(_same(_operator))


@exports("IsInf")
def is_infinite(s: Scope, node: Node, x: Value) -> Value:
    return s.op("IsInf", _single(s, x))


@exports("IsFinite")
def is_finite(s: Scope, node: Node, x: Value) -> Value:
    x = _single(s, x)
    return s.op("Not", s.op("Or", s.op("IsNaN", x, dtype=tf.bool), s.op("IsInf", x, dtype=tf.bool)))


def _single(s: Scope, x: Value) -> Value:
    """A half-precision number as float32, which holds the same infinities: ONNX Runtime's `IsInf` takes no halves."""
    return s.cast(x, tf.float32) if x.dtype in (tf.float16, tf.bfloat16) else x


@exports("Cast")
def cast(s: Scope, node: Node, x: Value) -> Value:
    return s.cast(x, node.attrs["DstT"])


@exports("NotEqual")
def not_equal(s: Scope, node: Node, x: Value, y: Value) -> Value:
    return s.op("Not", s.op("Equal", x, y, dtype=tf.bool))


@exports("Square")
def square(s: Scope, node: Node, x: Value) -> Value:
    return s.op("Mul", x, x)


@exports("SquaredDifference")
def squared_difference(s: Scope, node: Node, x: Value, y: Value) -> Value:
    return square(s, node, s.op("Sub", x, y))


@exports("Rsqrt")
def rsqrt(s: Scope, node: Node, x: Value) -> Value:
    return s.op("Reciprocal", s.op("Sqrt", x))


@exports("Log1p")
def log1p(s: Scope, node: Node, x: Value) -> Value:
    return s.op("Log", s.op("Add", x, s.number(1, x)))


@exports("Expm1")
def expm1(s: Scope, node: Node, x: Value) -> Value:
    return s.op("Sub", s.op("Exp", x), s.number(1, x))


@exports("Erfc")
def erfc(s: Scope, node: Node, x: Value) -> Value:
    return s.op("Sub", s.number(1, x), s.op("Erf", x))


@exports("Relu6")
def relu6(s: Scope, node: Node, x: Value) -> Value:
    return s.op("Clip", x, s.number(0, x), s.number(6, x))


@exports("LeakyRelu")
def leaky_relu(s: Scope, node: Node, x: Value) -> Value:
    return s.op("LeakyRelu", x, alpha=float(node.attrs.get("alpha", 0.2)))


@exports("ClipByValue")
def clip(s: Scope, node: Node, x: Value, low: Value, high: Value) -> Value:
    return s.op("Min", s.op("Max", x, low), high)


@exports("Div")
def divide(s: Scope, node: Node, x: Value, y: Value) -> Value:
    return s.op("Div", x, y)


@exports("TruncateDiv")
def truncated_divide(s: Scope, node: Node, x: Value, y: Value) -> Value:
    quotient = s.op("Div", x, y)
    if not x.dtype.is_floating:
        return quotient
    return s.op("Mul", s.op("Sign", quotient), s.op("Floor", s.op("Abs", quotient)))


@exports("FloorDiv")
def floor_divide(s: Scope, node: Node, x: Value, y: Value) -> Value:
    """ONNX' quotient of integers drops the fraction.

    It is one too large where the operands have different signs and there is one.
    """
    if x.dtype.is_floating:
        return s.op("Floor", s.op("Div", x, y))
    return s.op("Div", s.op("Sub", x, s.op("Mod", x, y)), y)


@exports("FloorMod")
def floor_modulo(s: Scope, node: Node, x: Value, y: Value) -> Value:
    if not x.dtype.is_floating:
        return s.op("Mod", x, y)
    return s.op("Sub", x, s.op("Mul", s.op("Floor", s.op("Div", x, y)), y))


@exports("Mod", "TruncateMod")
def truncated_modulo(s: Scope, node: Node, x: Value, y: Value) -> Value:
    return s.op("Mod", x, y, fmod=1)


@exports("DivNoNan")
def divide_no_nan(s: Scope, node: Node, x: Value, y: Value) -> Value:
    return _zero_where_zero(s, y, s.op("Div", x, y))


@exports("MulNoNan")
def multiply_no_nan(s: Scope, node: Node, x: Value, y: Value) -> Value:
    return _zero_where_zero(s, y, s.op("Mul", x, y))


@exports("Xlogy")
def xlogy(s: Scope, node: Node, x: Value, y: Value) -> Value:
    return _zero_where_zero(s, x, s.op("Mul", x, s.op("Log", y)))


@exports("Xdivy")
def xdivy(s: Scope, node: Node, x: Value, y: Value) -> Value:
    return _zero_where_zero(s, x, s.op("Div", x, y))


def _zero_where_zero(s: Scope, x: Value, y: Value) -> Value:
    """`y`, or zero where `x` is zero."""
    return s.op("Where", s.op("Equal", x, s.number(0, x), dtype=tf.bool), s.number(0, y), y, dtype=y.dtype)


@exports("Atan2")
def atan2(s: Scope, node: Node, y: Value, x: Value) -> Value:
    """The angle of a point. On the left half-plane the arc tangent is off by half a turn; on the vertical axis its
    argument is infinite, and at the origin the angle is zero."""
    zero = s.number(0, x)
    half_turn = s.op(
        "Where", s.op("Less", y, zero, dtype=tf.bool), s.number(-math.pi, x), s.number(math.pi, x), dtype=x.dtype
    )
    turn = s.op("Where", s.op("Less", x, zero, dtype=tf.bool), half_turn, zero, dtype=x.dtype)
    angle = s.op("Add", s.op("Atan", s.op("Div", y, x)), turn)
    origin = s.op("And", s.op("Equal", x, zero, dtype=tf.bool), s.op("Equal", y, zero, dtype=tf.bool))
    return s.op("Where", origin, zero, angle, dtype=x.dtype)


@exports("LeftShift", "RightShift")
def shift(s: Scope, node: Node, x: Value, y: Value) -> Value:
    if not x.dtype.is_unsigned:
        raise Unexportable(f"ONNX shifts unsigned integers alone, and this is {x.dtype.name}")
    return s.op("BitShift", x, y, direction="LEFT" if node.type.startswith("Left") else "RIGHT")


@exports("Select")
def select(s: Scope, node: Node, condition: Value, x: Value, y: Value) -> Value:
    """A vector of conditions chooses whole rows."""
    if condition.rank == 1 and x.rank > 1:
        condition = s.unsqueeze(condition, range(1, x.rank))
    return s.op("Where", condition, x, y, dtype=x.dtype)


@exports("Cumsum")
def cumulative_sum(s: Scope, node: Node, x: Value, axis: Value) -> Value:
    flags: dict[str, Any] = {name: int(bool(node.attrs.get(name, False))) for name in ("exclusive", "reverse")}
    return s.op("CumSum", x, axis, **flags)
