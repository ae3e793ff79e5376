"""`tf.math`, elementwise functions of one input, and complex numbers."""

from __future__ import annotations

import numpy as np

from reflow.api.call import call, unary
from reflow.api.export import export
from reflow.core import dtypes
from reflow.core.tensor import Tensor
from reflow.ops.convert import convert_to_tensor, from_array

negative = unary(
    "Neg",
    "negative",
    "math.negative",
    doc="""`-x`.

    >>> tf.negative([1, -2]).numpy().tolist()
    [-1, 2]
    """,
)
sign = unary(
    "Sign",
    "sign",
    "math.sign",
    doc="""-1, 0 or 1; for complex numbers `x / abs(x)`.

    >>> tf.sign([-3.0, 0.0, 2.0]).numpy().tolist()
    [-1.0, 0.0, 1.0]
    """,
)
square = unary(
    "Square",
    "square",
    "math.square",
    doc="""`x * x`.

    >>> tf.square([1, -2]).numpy().tolist()
    [1, 4]
    """,
)
sqrt = unary(
    "Sqrt",
    "sqrt",
    "math.sqrt",
    doc="""The square root.

    >>> tf.sqrt([4.0, 9.0]).numpy().tolist()
    [2.0, 3.0]
    """,
)
rsqrt = unary(
    "Rsqrt",
    "math.rsqrt",
    doc="""One divided by the square root.

    >>> tf.math.rsqrt([4.0, 16.0]).numpy().tolist()
    [0.5, 0.25]
    """,
)
reciprocal = unary(
    "Reciprocal",
    "math.reciprocal",
    doc="""`1 / x`.

    >>> tf.math.reciprocal([2.0, 4.0]).numpy().tolist()
    [0.5, 0.25]
    """,
)
exp = unary(
    "Exp",
    "exp",
    "math.exp",
    doc="""The exponential.

    >>> tf.exp(0.0).numpy().item()
    1.0
    """,
)
expm1 = unary(
    "Expm1",
    "math.expm1",
    doc="""`exp(x) - 1`, precise near 0.

    >>> tf.math.expm1(0.0).numpy().item()
    0.0
    """,
)
log = unary(
    "Log",
    "math.log",
    doc="""The natural logarithm.

    >>> tf.math.log(1.0).numpy().item()
    0.0
    """,
)
log1p = unary(
    "Log1p",
    "math.log1p",
    doc="""`log(1 + x)`, precise near 0.

    >>> tf.math.log1p(0.0).numpy().item()
    0.0
    """,
)
sigmoid = unary(
    "Sigmoid",
    "sigmoid",
    "math.sigmoid",
    "nn.sigmoid",
    doc="""`1 / (1 + exp(-x))`.

    >>> tf.sigmoid(0.0).numpy().item()
    0.5
    """,
)
tanh = unary(
    "Tanh",
    "tanh",
    "math.tanh",
    "nn.tanh",
    doc="""The hyperbolic tangent.

    >>> tf.tanh(0.0).numpy().item()
    0.0
    """,
)
sin = unary(
    "Sin",
    "sin",
    "math.sin",
    doc="""The sine of an angle in radians.

    >>> tf.sin(0.0).numpy().item()
    0.0
    """,
)
cos = unary(
    "Cos",
    "cos",
    "math.cos",
    doc="""The cosine of an angle in radians.

    >>> tf.cos(0.0).numpy().item()
    1.0
    """,
)
tan = unary(
    "Tan",
    "tan",
    "math.tan",
    doc="""The tangent of an angle in radians.

    >>> tf.tan(0.0).numpy().item()
    0.0
    """,
)
asin = unary(
    "Asin",
    "asin",
    "math.asin",
    doc="""The angle whose sine is x.

    >>> tf.asin(0.0).numpy().item()
    0.0
    """,
)
acos = unary(
    "Acos",
    "acos",
    "math.acos",
    doc="""The angle whose cosine is x.

    >>> tf.acos(1.0).numpy().item()
    0.0
    """,
)
atan = unary(
    "Atan",
    "atan",
    "math.atan",
    doc="""The angle whose tangent is x.

    >>> tf.atan(0.0).numpy().item()
    0.0
    """,
)
sinh = unary(
    "Sinh",
    "sinh",
    "math.sinh",
    doc="""The hyperbolic sine.

    >>> tf.sinh(0.0).numpy().item()
    0.0
    """,
)
cosh = unary(
    "Cosh",
    "cosh",
    "math.cosh",
    doc="""The hyperbolic cosine.

    >>> tf.cosh(0.0).numpy().item()
    1.0
    """,
)
asinh = unary(
    "Asinh",
    "asinh",
    "math.asinh",
    doc="""The inverse of `tf.sinh`.

    >>> tf.asinh(0.0).numpy().item()
    0.0
    """,
)
acosh = unary(
    "Acosh",
    "acosh",
    "math.acosh",
    doc="""The inverse of `tf.cosh`.

    >>> tf.acosh(1.0).numpy().item()
    0.0
    """,
)
atanh = unary(
    "Atanh",
    "atanh",
    "math.atanh",
    doc="""The inverse of `tf.tanh`.

    >>> tf.atanh(0.0).numpy().item()
    0.0
    """,
)
floor = unary(
    "Floor",
    "floor",
    "math.floor",
    doc="""Round down.

    >>> tf.floor([1.7, -1.2]).numpy().tolist()
    [1.0, -2.0]
    """,
)
ceil = unary(
    "Ceil",
    "math.ceil",
    doc="""Round up.

    >>> tf.math.ceil([1.2, -1.7]).numpy().tolist()
    [2.0, -1.0]
    """,
)


@export("round", "math.round")
def round(x, name=None):
    """Round to the nearest integer; halves go to the even one. Integers are what they are.

    >>> tf.round([0.5, 1.5, 2.6]).numpy().tolist()
    [0.0, 2.0, 3.0]
    """
    x = convert_to_tensor(x)
    return x if x._dtype.is_integer else call("Round", (x,), {}, name)


rint = unary(
    "Rint",
    "math.rint",
    doc="""Round floats to the nearest integer; halves go to the even one.

    >>> tf.math.rint([0.5, 1.5]).numpy().tolist()
    [0.0, 2.0]
    """,
)
is_nan = unary(
    "IsNan",
    "math.is_nan",
    doc="""Which elements are NaN.

    >>> tf.math.is_nan([1.0, float('nan')]).numpy().tolist()
    [False, True]
    """,
)
is_inf = unary(
    "IsInf",
    "math.is_inf",
    doc="""Which elements are infinite.

    >>> tf.math.is_inf([1.0, float('-inf')]).numpy().tolist()
    [False, True]
    """,
)
is_finite = unary(
    "IsFinite",
    "math.is_finite",
    doc="""Which elements are neither infinite nor NaN.

    >>> tf.math.is_finite([1.0, float('inf')]).numpy().tolist()
    [True, False]
    """,
)
logical_not = unary(
    "LogicalNot",
    "logical_not",
    "math.logical_not",
    doc="""`not x`, elementwise.

    >>> tf.logical_not([True, False]).numpy().tolist()
    [False, True]
    """,
)
invert = unary(
    "Invert",
    "bitwise.invert",
    doc="""Flip all bits.

    >>> tf.bitwise.invert([0, 5]).numpy().tolist()
    [-1, -6]
    """,
)


@export("abs", "math.abs")
def abs(x, name=None):
    """The absolute value; of complex numbers the magnitude, a float.

    >>> tf.abs([-2.0, 3.0]).numpy().tolist()
    [2.0, 3.0]
    """
    if hasattr(x, "map_values"):  # sparse or ragged
        return x.map_values(abs)
    x = convert_to_tensor(x)
    if x._dtype.is_complex:
        return call("ComplexAbs", (x,), {"Tout": x._dtype.real_dtype}, name)
    return call("Abs", (x,), {}, name)


# --- complex numbers ----------------------------------------------------------------------------------------------------


@export("complex", "dtypes.complex")
def complex(real, imag, name=None):
    """Complex numbers from their parts.

    >>> tf.complex(1.0, 2.0).numpy().item()
    (1+2j)
    """
    real, imag = convert_to_tensor(real), convert_to_tensor(imag)
    out = {dtypes.float32: dtypes.complex64, dtypes.float64: dtypes.complex128}
    if real._dtype is not imag._dtype or real._dtype not in out:
        raise TypeError(
            f"The `real` and `imag` components have incorrect types: {real._dtype.name} {imag._dtype.name}. "
            "They must be consistent, and one of [tf.float32, tf.float64]"
        )
    return call("Complex", (real, imag), {"Tout": out[real._dtype]}, name)


@export("math.real")
def real(input, name=None):
    """The real part; real tensors as they are.

    >>> tf.math.real(tf.constant([1 + 2j])).numpy().tolist()
    [1.0]
    """
    x = convert_to_tensor(input)
    if x._dtype.is_complex:
        return call("Real", (x,), {"Tout": x._dtype.real_dtype}, name)
    return _number(x, "real")


@export("math.imag")
def imag(input, name=None):
    """The imaginary part; zeros for a real tensor.

    >>> tf.math.imag(tf.constant([1 + 2j])).numpy().tolist()
    [2.0]
    """
    x = convert_to_tensor(input)
    if x._dtype.is_complex:
        return call("Imag", (x,), {"Tout": x._dtype.real_dtype}, name)
    return call("ZerosLike", (x,), {}, name)


@export("math.angle")
def angle(input, name=None):
    """The angle of complex numbers with the real axis; 0 or pi for real ones.

    >>> tf.math.angle([1.0, 2.0]).numpy().tolist()
    [0.0, 0.0]
    """
    x = convert_to_tensor(input)
    if x._dtype.is_complex:
        return call("Angle", (x,), {"Tout": x._dtype.real_dtype}, name)
    zero, pi = (from_array(np.array(v, x._dtype.np_dtype)) for v in (0, np.pi))
    return call("SelectV2", (call("Less", (x, zero)), pi, call("ZerosLike", (x,))), {}, name)


@export("math.conj")
def conj(x, name=None):
    """The complex conjugate; real tensors as they are.

    >>> tf.math.conj(tf.constant([1 + 2j])).numpy().tolist()
    [(1-2j)]
    """
    if isinstance(x, Tensor) and x._dtype.kind in "fiu":
        return x
    x = convert_to_tensor(x)
    if x._dtype.is_complex or x._dtype is dtypes.variant:
        return call("Conj", (x,), {}, name)
    return _number(x, "conj")


def _number(x, what):
    if x._dtype.kind not in "fiuc":
        raise TypeError(f"input must be a numeric tensor, but got tensor with dtype {x._dtype!r} in tf.math.{what}.")
    return x
