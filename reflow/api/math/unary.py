"""`tf.math`: elementwise functions of one input, and complex numbers."""

from __future__ import annotations

import numpy as np

from reflow.api.call import call, takes, unary
from reflow.api.export import export
from reflow.core import dtypes
from reflow.core.tensor import Tensor
from reflow.ops.convert import convert_to_tensor, from_array


@unary("Neg", "negative", "math.negative")
def negative(x, name=None) -> Tensor:
    """Computes `-x`, elementwise.

    >>> tf.negative(tf.constant([1, -2])).numpy().tolist()
    [-1, 2]
    """


@unary("Sign", "sign", "math.sign")
def sign(x, name=None) -> Tensor:
    """Returns -1, 0 or 1 for the sign of each element; for complex numbers `x / abs(x)`, and 0 for 0.

    >>> tf.sign([-3.0, 0.0, 2.0]).numpy().tolist()
    [-1.0, 0.0, 1.0]
    """


@unary("Square", "square", "math.square")
def square(x, name=None) -> Tensor:
    """Computes `x * x`, elementwise.

    >>> tf.square([1, -2, 3]).numpy().tolist()
    [1, 4, 9]
    """


@unary("Sqrt", "sqrt", "math.sqrt")
def sqrt(x, name=None) -> Tensor:
    """Computes the square root of each element.

    >>> tf.sqrt([4.0, 9.0]).numpy().tolist()
    [2.0, 3.0]
    """


@unary("Rsqrt", "math.rsqrt")
def rsqrt(x, name=None) -> Tensor:
    """Computes one divided by the square root of each element.

    >>> tf.math.rsqrt([4.0, 16.0]).numpy().tolist()
    [0.5, 0.25]
    """


@unary("Reciprocal", "math.reciprocal")
def reciprocal(x, name=None) -> Tensor:
    """Computes `1 / x`, elementwise.

    >>> tf.math.reciprocal([2.0, 4.0, 0.0]).numpy().tolist()
    [0.5, 0.25, inf]
    """


@unary("Exp", "exp", "math.exp")
def exp(x, name=None) -> Tensor:
    """Computes the exponential of each element.

    >>> print(tf.exp([0.0, 1.0]).numpy().round(4))
    [1.     2.7183]
    """


@unary("Expm1", "math.expm1")
def expm1(x, name=None) -> Tensor:
    """Computes `exp(x) - 1`, elementwise; it is precise near 0.

    >>> tf.math.expm1(0.0).numpy().item()
    0.0
    """


@unary("Log", "math.log")
def log(x, name=None) -> Tensor:
    """Computes the natural logarithm of each element.

    >>> tf.math.log([1.0, 0.0]).numpy().tolist()
    [0.0, -inf]
    """


@unary("Log1p", "math.log1p")
def log1p(x, name=None) -> Tensor:
    """Computes `log(1 + x)`, elementwise; it is precise near 0.

    >>> tf.math.log1p(0.0).numpy().item()
    0.0
    """


@unary("Sigmoid", "sigmoid", "math.sigmoid", "nn.sigmoid")
def sigmoid(x, name=None) -> Tensor:
    """Computes `1 / (1 + exp(-x))`, elementwise.

    >>> tf.sigmoid([-100.0, 0.0, 100.0]).numpy().tolist()
    [0.0, 0.5, 1.0]
    """


@unary("Tanh", "tanh", "math.tanh", "nn.tanh")
def tanh(x, name=None) -> Tensor:
    """Computes the hyperbolic tangent of each element.

    >>> print(tf.tanh([-9.5, 0.0, 9.5]).numpy().round(4))
    [-1.  0.  1.]
    """


@unary("Sin", "sin", "math.sin")
def sin(x, name=None) -> Tensor:
    """Computes the sine of angles in radians.

    >>> tf.sin(0.0).numpy().item()
    0.0
    """


@unary("Cos", "cos", "math.cos")
def cos(x, name=None) -> Tensor:
    """Computes the cosine of angles in radians.

    >>> print((tf.cos([0.3]) ** 2 + tf.sin([0.3]) ** 2).numpy().round(4))
    [1.]
    """


@unary("Tan", "tan", "math.tan")
def tan(x, name=None) -> Tensor:
    """Computes the tangent of angles in radians.

    >>> print(tf.tan(0.5).numpy().round(4))
    0.5463
    """


@unary("Asin", "asin", "math.asin")
def asin(x, name=None) -> Tensor:
    """Computes the angle, in radians, whose sine is x: between -pi/2 and pi/2, and NaN outside of [-1, 1].

    >>> tf.asin([0.0, 2.0]).numpy().tolist()
    [0.0, nan]
    """


@unary("Acos", "acos", "math.acos")
def acos(x, name=None) -> Tensor:
    """Computes the angle, in radians, whose cosine is x: between 0 and pi, and NaN outside of [-1, 1].

    >>> print(tf.acos([1.0, 0.0, -1.0]).numpy().round(4))
    [0.     1.5708 3.1416]
    """


@unary("Atan", "atan", "math.atan")
def atan(x, name=None) -> Tensor:
    """Computes the angle, in radians, whose tangent is x: between -pi/2 and pi/2.

    >>> print(tf.atan([0.0, 1.0]).numpy().round(4))
    [0.     0.7854]
    """


@unary("Sinh", "sinh", "math.sinh")
def sinh(x, name=None) -> Tensor:
    """Computes the hyperbolic sine of each element.

    >>> print(tf.sinh([-1.0, 0.0, 1.0]).numpy().round(3))
    [-1.175  0.     1.175]
    """


@unary("Cosh", "cosh", "math.cosh")
def cosh(x, name=None) -> Tensor:
    """Computes the hyperbolic cosine of each element.

    >>> print((tf.cosh([0.0, 1.0]) - tf.sinh([0.0, 1.0])).numpy().round(3))
    [1.    0.368]
    """


@unary("Asinh", "asinh", "math.asinh")
def asinh(x, name=None) -> Tensor:
    """Computes the inverse of `tf.sinh`, elementwise.

    >>> print(tf.asinh(tf.sinh([0.5, 2.0])).numpy().round(4))
    [0.5 2. ]
    """


@unary("Acosh", "acosh", "math.acosh")
def acosh(x, name=None) -> Tensor:
    """Computes the inverse of `tf.cosh`, elementwise; NaN below 1.

    >>> tf.acosh([0.5, 1.0, float("inf")]).numpy().tolist()
    [nan, 0.0, inf]
    """


@unary("Atanh", "atanh", "math.atanh")
def atanh(x, name=None) -> Tensor:
    """Computes the inverse of `tf.tanh`, elementwise; NaN outside of [-1, 1].

    >>> tf.atanh([-1.0, 0.0, 1.0]).numpy().tolist()
    [-inf, 0.0, inf]
    """


@unary("Floor", "floor", "math.floor")
def floor(x, name=None) -> Tensor:
    """Rounds each element down to an integer.

    >>> tf.floor([1.7, -1.2]).numpy().tolist()
    [1.0, -2.0]
    """


@unary("Ceil", "math.ceil")
def ceil(x, name=None) -> Tensor:
    """Rounds each element up to an integer.

    >>> tf.math.ceil([1.2, -1.7]).numpy().tolist()
    [2.0, -1.0]
    """


@export("round", "math.round")
@takes("x: A tensor of a number dtype", returns="A tensor of the shape and dtype of `x`")
def round(x, name=None):
    """Rounds to the nearest integer; halves to even. Integers are unchanged.

    >>> tf.round([0.5, 1.5, 2.6]).numpy().tolist()
    [0.0, 2.0, 3.0]
    """
    x = convert_to_tensor(x)
    return x if x._dtype.is_integer else call("Round", (x,), {}, name)


@unary("Rint", "math.rint")
def rint(x, name=None) -> Tensor:
    """Rounds floats to the nearest integer; halves go to the even one.

    >>> tf.math.rint([0.5, 1.5, 2.5, -0.5]).numpy().tolist()
    [0.0, 2.0, 2.0, -0.0]
    """


@unary("IsNan", "math.is_nan")
def is_nan(x, name=None) -> Tensor:
    """Says which elements are NaN.

    >>> tf.math.is_nan([1.0, float('nan')]).numpy().tolist()
    [False, True]
    """


@unary("IsInf", "math.is_inf")
def is_inf(x, name=None) -> Tensor:
    """Says which elements are infinite.

    >>> tf.math.is_inf([1.0, float('-inf')]).numpy().tolist()
    [False, True]
    """


@unary("IsFinite", "math.is_finite")
def is_finite(x, name=None) -> Tensor:
    """Says which elements are neither infinite nor NaN.

    >>> tf.math.is_finite([1.0, float('inf')]).numpy().tolist()
    [True, False]
    """


@unary("LogicalNot", "logical_not", "math.logical_not")
def logical_not(x, name=None) -> Tensor:
    """Computes `not x`, elementwise.

    >>> tf.logical_not([True, False]).numpy().tolist()
    [False, True]
    """


@unary("Invert", "bitwise.invert")
def invert(x, name=None) -> Tensor:
    """Flips all bits of each element.

    >>> tf.bitwise.invert([0, 5]).numpy().tolist()
    [-1, -6]
    """


@export("abs", "math.abs")
def abs(x, name=None):
    """Computes the absolute value of each element; for complex numbers the magnitude, a float.

    Args:
      x: A tensor, sparse tensor or ragged tensor of a float, complex or signed integer dtype.
      name: A name for the operation.

    Returns:
      A tensor of the shape and dtype of `x`, of the same kind; a float for complex `x`: float32 for complex64, float64
      for complex128.

    Raises:
      InvalidArgumentError: `x` has another dtype, for example an unsigned one.

    >>> tf.abs([-2.0, 3.0]).numpy().tolist()
    [2.0, 3.0]
    """
    if hasattr(x, "map_values"):  # sparse or ragged
        return x.map_values(abs)
    x = convert_to_tensor(x)
    if x._dtype.is_complex:
        return call("ComplexAbs", (x,), {"Tout": x._dtype.real_dtype}, name)
    return call("Abs", (x,), {}, name)


# --- complex numbers --------------------------------------------------------------------------------------------------


@export("complex", "dtypes.complex")
def complex(real, imag, name=None):
    """Makes complex numbers of their parts.

    Args:
      real: The real parts, float32 or float64.
      imag: The imaginary parts, of the same dtype; shapes broadcast.
      name: A name for the operation.

    Returns:
      A tensor of dtype complex64, or complex128 for float64 parts.

    Raises:
      TypeError: The parts differ in dtype, or are neither float32 nor float64.

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


_REAL_DTYPE = "float32 for complex64, float64 for complex128, else of the dtype of `input`"
_of_complex = takes("input: A tensor of numbers", returns=f"A tensor of the shape of `input`: {_REAL_DTYPE}")


@export("math.real")
@_of_complex
def real(input, name=None):
    """Returns the real part of each element; real tensors are unchanged.

    Raises:
      TypeError: `input` has no numbers.

    >>> tf.math.real(tf.constant([1 + 2j])).numpy().tolist()
    [1.0]
    """
    x = convert_to_tensor(input)
    if x._dtype.is_complex:
        return call("Real", (x,), {"Tout": x._dtype.real_dtype}, name)
    return _number(x, "real")


@export("math.imag")
@_of_complex
def imag(input, name=None):
    """Returns the imaginary part of each element; zeros for a real tensor.

    >>> tf.math.imag([1 + 2j, 3j]).numpy().tolist()
    [2.0, 3.0]
    """
    x = convert_to_tensor(input)
    if x._dtype.is_complex:
        return call("Imag", (x,), {"Tout": x._dtype.real_dtype}, name)
    return call("ZerosLike", (x,), {}, name)


@export("math.angle")
@_of_complex
def angle(input, name=None):
    """Computes the angle of complex numbers with the real axis, in radians; 0 or pi for real ones.

    >>> tf.math.angle([1.0, 2.0]).numpy().tolist()
    [0.0, 0.0]
    """
    x = convert_to_tensor(input)
    if x._dtype.is_complex:
        return call("Angle", (x,), {"Tout": x._dtype.real_dtype}, name)
    zero, pi = (from_array(np.array(v, x._dtype.np_dtype)) for v in (0, np.pi))
    return call("SelectV2", (call("Less", (x, zero)), pi, call("ZerosLike", (x,))), {}, name)


@export("math.conj")
@takes("x: A tensor of numbers, or of variants", returns="A tensor of the shape and dtype of `x`")
def conj(x, name=None):
    """Computes the complex conjugate of each element; real tensors are unchanged.

    Raises:
      TypeError: `x` has neither numbers nor variants.

    >>> tf.math.conj(tf.constant([1 + 2j])).numpy().tolist()
    [(1-2j)]
    """
    if isinstance(x, Tensor) and x._dtype.kind in "fiu":
        return x
    x = convert_to_tensor(x)
    if x._dtype.is_complex or x._dtype is dtypes.variant:
        return call("Conj", (x,), {}, name)
    if x._dtype.kind not in "fiu":
        raise TypeError(f"Expected numeric or variant tensor, got dtype {x._dtype!r}.")
    return x


def _number(x, what):
    if x._dtype.kind not in "fiuc":
        raise TypeError(f"input must be a numeric tensor, but got tensor with dtype {x._dtype!r} in tf.math.{what}.")
    return x
