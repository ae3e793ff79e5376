"""Elementwise functions and reductions on tensors: a part of `xp.tensor`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from reflow.core import dtypes
from reflow.core.types import Array, Static
from reflow.ops.xp.names import named
from reflow.ops.xp.tensor.arrays import const, zeros_like
from reflow.ops.xp.tensor.base import as_dtype, dims_of, operand, run

# --- elementwise ----------------------------------------------------------------------------------------------------


def _unary(name: str, op_name: str) -> Callable[..., Any]:
    def function(x: Array) -> Array:
        return run(op_name, x)

    return named(function, name)


def _binary(name: str, op_name: str) -> Callable[..., Any]:
    def function(x: Array, y: Array) -> Array:
        return run(op_name, x, y)

    return named(function, name)


negative = _unary("negative", "Neg")
exp = _unary("exp", "Exp")
expm1 = _unary("expm1", "Expm1")
log = _unary("log", "Log")
log1p = _unary("log1p", "Log1p")
sqrt = _unary("sqrt", "Sqrt")
square = _unary("square", "Square")
sin = _unary("sin", "Sin")
cos = _unary("cos", "Cos")
tan = _unary("tan", "Tan")
asin = _unary("asin", "Asin")
acos = _unary("acos", "Acos")
atan = _unary("atan", "Atan")
sinh = _unary("sinh", "Sinh")
cosh = _unary("cosh", "Cosh")
tanh = _unary("tanh", "Tanh")
asinh = _unary("asinh", "Asinh")
acosh = _unary("acosh", "Acosh")
atanh = _unary("atanh", "Atanh")
floor = _unary("floor", "Floor")
ceil = _unary("ceil", "Ceil")
rint = _unary("rint", "Rint")
isnan = _unary("isnan", "IsNan")
isinf = _unary("isinf", "IsInf")
isfinite = _unary("isfinite", "IsFinite")
logical_not = _unary("logical_not", "LogicalNot")
bitwise_not = _unary("bitwise_not", "Invert")
sign = _unary("sign", "Sign")
rsqrt = _unary("rsqrt", "Rsqrt")
reciprocal = _unary("reciprocal", "Reciprocal")
sigmoid = _unary("sigmoid", "Sigmoid")
softplus = _unary("softplus", "Softplus")
relu = _unary("relu", "Relu")
population_count = _unary("population_count", "PopulationCount")
erf = _unary("erf", "Erf")
erfc = _unary("erfc", "Erfc")
erfinv = _unary("erfinv", "Erfinv")
ndtri = _unary("ndtri", "Ndtri")
lgamma = _unary("lgamma", "Lgamma")
digamma = _unary("digamma", "Digamma")
bessel_i0e = _unary("bessel_i0e", "BesselI0e")
bessel_i1e = _unary("bessel_i1e", "BesselI1e")
add = _binary("add", "AddV2")
subtract = _binary("subtract", "Sub")
multiply = _binary("multiply", "Mul")
divide = _binary("divide", "RealDiv")
maximum = _binary("maximum", "Maximum")
minimum = _binary("minimum", "Minimum")
atan2 = _binary("atan2", "Atan2")
less = _binary("less", "Less")
less_equal = _binary("less_equal", "LessEqual")
greater = _binary("greater", "Greater")
greater_equal = _binary("greater_equal", "GreaterEqual")
logical_and = _binary("logical_and", "LogicalAnd")
logical_or = _binary("logical_or", "LogicalOr")
bitwise_and = _binary("bitwise_and", "BitwiseAnd")
bitwise_or = _binary("bitwise_or", "BitwiseOr")
bitwise_xor = _binary("bitwise_xor", "BitwiseXor")
left_shift = _binary("left_shift", "LeftShift")
right_shift = _binary("right_shift", "RightShift")
nextafter = _binary("nextafter", "NextAfter")
truncate_mod = _binary("truncate_mod", "TruncateMod")
floor_mod = _binary("floor_mod", "FloorMod")
floor_divide = _binary("floor_divide", "FloorDiv")
truncate_div = _binary("truncate_div", "TruncateDiv")
power = _binary("power", "Pow")
igamma = _binary("igamma", "Igamma")
igammac = _binary("igammac", "Igammac")
zeta = _binary("zeta", "Zeta")
polygamma = _binary("polygamma", "Polygamma")
igamma_grad_a = _binary("igamma_grad_a", "IgammaGradA")


def equal(x: Array, y: Array) -> Array:
    return run("Equal", x, y, incompatible_shape_error=True)


def not_equal(x: Array, y: Array) -> Array:
    return run("NotEqual", x, y, incompatible_shape_error=True)


def logical_xor(x: Array, y: Array) -> Array:
    return not_equal(x, y)


def trunc(x: Array) -> Array:
    return select(less(x, zeros_like(x)), ceil(x), floor(x))


def abs(x: Array) -> Array:
    if x._dtype.kind == "c":
        return run("ComplexAbs", x, Tout=x._dtype.real_dtype)
    return run("Abs", x)


def conj(x: Array) -> Array:
    return run("Conj", x) if x._dtype.kind == "c" else x


def real(x: Array) -> Array:
    return run("Real", x, Tout=x._dtype.real_dtype) if x._dtype.kind == "c" else x


def imag(x: Array) -> Array:
    return run("Imag", x, Tout=x._dtype.real_dtype) if x._dtype.kind == "c" else zeros_like(x)


def angle(x: Array) -> Array:
    if x._dtype.kind == "c":
        return run("Angle", x, Tout=x._dtype.real_dtype)
    return select(less(x, zeros_like(x)), const(math.pi, x), zeros_like(x))


def complex(re: Array, im: Array) -> Array:
    wide = dtypes.complex64 if re._dtype is dtypes.float32 else dtypes.complex128
    return run("Complex", re, im, Tout=wide)


def betainc(a: Array, b: Array, x: Array) -> Array:
    return run("Betainc", a, b, x)


def select(c: Array, x: Array, y: Array) -> Array:
    return run("SelectV2", c, x, y)


# --- reductions -------------------------------------------------------------------------------------------------------


def _axes(axes: Static, x: Array) -> Array:
    """Axes of a reduction as a tensor; None means all."""
    if axes is not None:
        return operand(axes)
    dims = dims_of(x)
    if dims is not None:
        return operand(tuple(range(len(dims))))
    return run("Range", operand(0), run("Rank", x), operand(1))


def reduce_all_axes(name: str, x: Array) -> Array:
    """The reduction op `name` of x over all its axes."""
    return run(name, x, _axes(None, x), keep_dims=False)


def _reduction(op_name: str) -> Callable[..., Any]:
    def function(x: Array, axes: Static, keepdims: bool = False) -> Array:
        return run(op_name, x, _axes(axes, x), keep_dims=keepdims)

    return named(function, op_name.lower())


sum = _reduction("Sum")
prod = _reduction("Prod")
mean = _reduction("Mean")
max = _reduction("Max")
min = _reduction("Min")
any = _reduction("Any")
all = _reduction("All")


def all_below(x: Array, limit: int) -> Array:
    """Whether all integers are in [0, limit); a limit that the type cannot represent is no limit."""
    inside = greater_equal(x, const(0, x))
    if limit <= x._dtype.max:
        inside = logical_and(inside, less(x, const(limit, x)))
    return all(inside, None)


def argmax(x: Array, axis: Static, dtype: Static) -> Array:
    return run("ArgMax", x, operand(axis), output_type=as_dtype(dtype))


def argmin(x: Array, axis: Static, dtype: Static) -> Array:
    return run("ArgMin", x, operand(axis), output_type=as_dtype(dtype))


def cumsum(x: Array, axis: Static, exclusive: bool = False, reverse: bool = False) -> Array:
    return run("Cumsum", x, operand(axis), exclusive=exclusive, reverse=reverse)


def cumprod(x: Array, axis: Static, exclusive: bool = False, reverse: bool = False) -> Array:
    return run("Cumprod", x, operand(axis), exclusive=exclusive, reverse=reverse)


def logcumsumexp(x: Array, axis: Static, exclusive: bool = False, reverse: bool = False) -> Array:
    return run("CumulativeLogsumexp", x, operand(axis), exclusive=exclusive, reverse=reverse)


def top_k(x: Array, k: Static) -> Array:
    return tuple(run("TopKV2", x, operand(k), sorted=True))


def searchsorted(seq: Static, values: Sequence[Array], side: str, dtype: Static) -> Array:
    return run("LowerBound" if side == "left" else "UpperBound", seq, values, out_type=as_dtype(dtype))
