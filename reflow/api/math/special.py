"""`tf.math`: special functions, polynomials, functions of two or three arguments with their own parameter names."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from reflow.api.call import Function, call, described, op_inputs, takes, unary, unary_sections
from reflow.api.export import Made, export, with_sections
from reflow.api.math import arithmetic as m
from reflow.api.math.reduce import reduce_all, reduce_sum
from reflow.core.tensor import Tensor
from reflow.ops import registry
from reflow.ops.convert import constant, convert_to_tensor


def _on_host(op_name: str, public: str) -> Callable[[Function], Function]:
    """Like `unary`, for ops that SciPy runs: they have no fast path."""

    def function(x, name=None):
        return call(op_name, (convert_to_tensor(x),), {}, name)

    return described(function, public, sections=unary_sections(registry.get(op_name).definition, others=False))


@unary("Erf", "math.erf")
def erf(x, name=None) -> Tensor:
    """Computes the error function of each element.

    >>> tf.math.erf([-9.0, 0.0, 9.0]).numpy().tolist()
    [-1.0, 0.0, 1.0]
    """


@unary("Erfc", "math.erfc")
def erfc(x, name=None) -> Tensor:
    """Computes one minus the error function of each element.

    >>> (tf.math.erf(0.5) + tf.math.erfc(0.5)).numpy().item()
    1.0
    """


@unary("Erfinv", "math.erfinv")
def erfinv(x, name=None) -> Tensor:
    """Computes the inverse of the error function, elementwise; NaN outside of [-1, 1].

    >>> round(tf.math.erfinv(tf.math.erf(0.25)).numpy().item(), 4)
    0.25
    """


@unary("Ndtri", "math.ndtri")
def ndtri(x, name=None) -> Tensor:
    """Computes quantiles of the standard normal distribution: the inverse of its distribution function.

    >>> print(tf.math.ndtri([0.5, 0.975]).numpy().round(2))
    [0.   1.96]
    """


@unary("Lgamma", "math.lgamma")
def lgamma(x, name=None) -> Tensor:
    """Computes the logarithm of the absolute value of the gamma function of each element.

    >>> print(tf.exp(tf.math.lgamma([1.0, 2.0, 5.0])).numpy().round(3))
    [ 1.  1. 24.]
    """


@unary("Digamma", "math.digamma")
def digamma(x, name=None) -> Tensor:
    """Computes the derivative of `tf.math.lgamma` at each element.

    >>> round(tf.math.digamma(1.0).numpy().item(), 4)
    -0.5772
    """


@unary("BesselI0", "math.bessel_i0", "math.special.bessel_i0")
def bessel_i0(x, name=None) -> Tensor:
    """Computes the modified Bessel function of the first kind of order 0.

    >>> tf.math.bessel_i0(0.0).numpy().item()
    1.0
    """


@unary("BesselI1", "math.bessel_i1", "math.special.bessel_i1")
def bessel_i1(x, name=None) -> Tensor:
    """Computes the modified Bessel function of the first kind of order 1.

    >>> print(tf.math.bessel_i1([-1.0, 1.0]).numpy().round(3))
    [-0.565  0.565]
    """


@unary("BesselI0e", "math.bessel_i0e", "math.special.bessel_i0e")
def bessel_i0e(x, name=None) -> Tensor:
    """Computes `exp(-abs(x)) * bessel_i0(x)`, which does not overflow.

    >>> round(tf.math.bessel_i0e(100.0).numpy().item(), 4)
    0.0399
    """


@unary("BesselI1e", "math.bessel_i1e", "math.special.bessel_i1e")
def bessel_i1e(x, name=None) -> Tensor:
    """Computes `exp(-abs(x)) * bessel_i1(x)`, which does not overflow.

    >>> print(tf.math.bessel_i1e([1.0, 10.0, 100.0]).numpy().round(3))
    [0.208 0.121 0.04 ]
    """


@_on_host("BesselK0", "math.special.bessel_k0")
def bessel_k0(x, name=None) -> Tensor:
    """Computes the modified Bessel function of the second kind of order 0.

    >>> print(tf.math.special.bessel_k0([0.0, 1.0, 2.0]).numpy().round(3))
    [  inf 0.421 0.114]
    """


@_on_host("BesselK0e", "math.special.bessel_k0e")
def bessel_k0e(x, name=None) -> Tensor:
    """Computes `exp(x) * bessel_k0(x)`, which does not underflow.

    >>> round(tf.math.special.bessel_k0e(100.0).numpy().item(), 4)
    0.1252
    """


@_on_host("BesselK1", "math.special.bessel_k1")
def bessel_k1(x, name=None) -> Tensor:
    """Computes the modified Bessel function of the second kind of order 1.

    >>> tf.math.special.bessel_k1(0.0).numpy().item()
    inf
    """


@_on_host("BesselK1e", "math.special.bessel_k1e")
def bessel_k1e(x, name=None) -> Tensor:
    """Computes `exp(x) * bessel_k1(x)`, which does not underflow.

    >>> print(tf.math.special.bessel_k1e([1.0, 100.0]).numpy().round(3))
    [1.636 0.126]
    """


@_on_host("BesselJ0", "math.special.bessel_j0")
def bessel_j0(x, name=None) -> Tensor:
    """Computes the Bessel function of the first kind of order 0.

    >>> print(tf.math.special.bessel_j0([0.0, 1.0, 2.0, 3.0]).numpy().round(2))
    [ 1.    0.77  0.22 -0.26]
    """


@_on_host("BesselJ1", "math.special.bessel_j1")
def bessel_j1(x, name=None) -> Tensor:
    """Computes the Bessel function of the first kind of order 1.

    >>> (tf.math.special.bessel_j1(-1.0) + tf.math.special.bessel_j1(1.0)).numpy().item()
    0.0
    """


@_on_host("BesselY0", "math.special.bessel_y0")
def bessel_y0(x, name=None) -> Tensor:
    """Computes the Bessel function of the second kind of order 0.

    >>> tf.math.special.bessel_y0(0.0).numpy().item()
    -inf
    """


@_on_host("BesselY1", "math.special.bessel_y1")
def bessel_y1(x, name=None) -> Tensor:
    """Computes the Bessel function of the second kind of order 1.

    >>> round(tf.math.special.bessel_y1(1.0).numpy().item(), 4)
    -0.7812
    """


@_on_host("Dawsn", "math.special.dawsn")
def dawsn(x, name=None) -> Tensor:
    """Computes Dawson's integral of each element.

    >>> print(tf.math.special.dawsn([-1.0, 0.0, 1.0]).numpy().round(3))
    [-0.538  0.     0.538]
    """


@_on_host("Expint", "math.special.expint")
def expint(x, name=None) -> Tensor:
    """Computes the exponential integral of each element.

    >>> tf.math.special.expint(0.0).numpy().item()
    -inf
    """


@_on_host("FresnelCos", "math.special.fresnel_cos")
def fresnel_cos(x, name=None) -> Tensor:
    """Computes Fresnel's cosine integral of each element.

    >>> print(tf.math.special.fresnel_cos([-9.0, 0.0, 9.0]).numpy().round(1))
    [-0.5  0.   0.5]
    """


@_on_host("FresnelSin", "math.special.fresnel_sin")
def fresnel_sin(x, name=None) -> Tensor:
    """Computes Fresnel's sine integral of each element.

    >>> round(tf.math.special.fresnel_sin(1.0).numpy().item(), 4)
    0.4383
    """


@_on_host("Spence", "math.special.spence")
def spence(x, name=None) -> Tensor:
    """Computes Spence's integral of each element, the dilogarithm of `1 - x`.

    >>> print(tf.math.special.spence([0.0, 1.0]).numpy().round(4))  # pi ** 2 / 6
    [1.6449 0.    ]
    """


@export("math.erfcinv")
@takes("x: A tensor of a float dtype", returns="A tensor of the shape and dtype of `x`")
def erfcinv(x, name=None):
    """Computes the inverse of `tf.math.erfc`, elementwise; NaN outside of [0, 2].

    >>> abs(tf.math.erfcinv(1.0).numpy().item())
    0.0
    """
    return m.multiply(m.negative(ndtri(m.multiply(0.5, convert_to_tensor(x)))), float(np.sqrt(0.5)), name)


def _takes_two(first: str, second: str, but: str = "") -> Callable[[Made], Made]:
    """`with_sections` for a function of two tensors and a name."""
    result = f"A tensor of the dtype of the operands, of the shape that they broadcast to{but}"
    name = "name: A name for the operation"
    return with_sections(f"Args:\n  {first}.\n  {second}.\n  {name}.\n\nReturns:\n  {result}.\n")


_OUTSIDE = "; NaN where an argument is outside its\n  range"
_GAMMA = "a: The parameter of the gamma function, a positive float tensor"


@export("atan2", "math.atan2")
@_takes_two(
    "y: The second coordinates, a tensor of a float dtype",
    "x: The first coordinates, of the same dtype; shapes broadcast",
)
def atan2(y, x, name=None):
    """Computes the angle of the point (x, y), in radians, between -pi and pi.

    Raises:
      InvalidArgumentError: The dtypes differ or are no floats, or the shapes do not broadcast.

    >>> print(tf.math.atan2([1.0, -1.0], [1.0, -1.0]).numpy().round(4))
    [ 0.7854 -2.3562]
    """
    return call("Atan2", m.pair(y, x), {}, name)


@export("math.nextafter")
@_takes_two("x1: A tensor of dtype float32 or float64", "x2: Another one; shapes broadcast")
def nextafter(x1, x2, name=None):
    """Returns the next number after x1 in the direction of x2.

    Raises:
      InvalidArgumentError: The operands have another dtype, or the shapes do not broadcast.

    >>> tf.math.nextafter(1.0, 2.0).numpy().item() > 1
    True
    """
    return call("NextAfter", op_inputs("NextAfter", x1, x2), {}, name)


@export("math.igamma")
@_takes_two(
    _GAMMA,
    "x: The upper bound of the integral, not negative, of the same dtype; shapes broadcast", but=_OUTSIDE,
)
def igamma(a, x, name=None):
    """Computes the regularized lower incomplete gamma function.

    >>> round(tf.math.igamma(1.0, 1.0).numpy().item(), 4)
    0.6321
    """
    return call("Igamma", m.pair(a, x), {}, name)


@export("math.igammac")
@_takes_two(
    _GAMMA,
    "x: The lower bound of the integral, not negative, of the same dtype; shapes broadcast", but=_OUTSIDE,
)
def igammac(a, x, name=None):
    """Computes the regularized upper incomplete gamma function, `1 - igamma(a, x)`.

    >>> (tf.math.igamma(2.0, 1.0) + tf.math.igammac(2.0, 1.0)).numpy().item()
    1.0
    """
    return call("Igammac", m.pair(a, x), {}, name)


@export("math.zeta")
@_takes_two(
    "x: The exponents, a tensor of dtype float32 or float64",
    "q: The shifts, of the same dtype; shapes broadcast",
)
def zeta(x, q, name=None):
    """Computes the Hurwitz zeta function: the sum of `(k + q) ** -x` over k = 0, 1, 2, …

    >>> print(tf.math.zeta([2.0, 4.0], 1.0).numpy().round(4))
    [1.6449 1.0823]
    """
    return call("Zeta", m.pair(x, q), {}, name)


@export("math.polygamma")
@_takes_two(
    "a: The orders, a tensor of dtype float32 or float64 with integers that are not negative",
    "x: Where the derivatives are taken, of the same dtype; shapes broadcast",
    but="; NaN where the order is not an integer",
)
def polygamma(a, x, name=None):
    """Computes the derivative of order a of `tf.math.digamma`.

    >>> print(tf.math.polygamma(1.0, [1.0, 2.0, 3.0]).numpy().round(4))
    [1.6449 0.6449 0.3949]
    """
    return call("Polygamma", m.pair(a, x), {}, name)


@export("math.betainc")
def betainc(a, b, x, name=None):
    """Computes the regularized incomplete beta function.

    Args:
      a: The first parameter of the beta function, a positive tensor of dtype float32 or float64.
      b: The second parameter.
      x: The upper bound of the integral, in [0, 1].
      name: A name for the operation.

    Returns:
      A tensor of the dtype of the operands, of the shape that they broadcast to; NaN where an argument is outside its
      range.

    >>> tf.math.betainc(1.0, 1.0, 0.25).numpy().item()
    0.25
    """
    return call("Betainc", op_inputs("Betainc", a, b, x), {}, name)


@export("math.lbeta")
@takes("x: A tensor of positive floats", returns="A tensor of the dtype of `x`, of its shape without the last axis")
def lbeta(x, name=None):
    """Computes the logarithm of the beta function of the numbers along the last axis.

    >>> tf.math.lbeta([1.0, 1.0]).numpy().item()
    0.0
    """
    x = convert_to_tensor(x)
    return m.subtract(reduce_sum(lgamma(x), -1), lgamma(reduce_sum(x, -1)), name)


_with_zero = _takes_two(
    "x: A tensor of a float or complex dtype", "y: Another one of the same dtype; shapes broadcast"
)


@export("math.xlogy")
@_with_zero
def xlogy(x, y, name=None):
    """Computes `x * log(y)`, and 0 where x is 0.

    >>> tf.math.xlogy(0.0, 0.0).numpy().item()
    0.0
    """
    return call("Xlogy", m.pair(x, y), {}, name)


@export("math.xlog1py")
@_with_zero
def xlog1py(x, y, name=None):
    """Computes `x * log1p(y)`, and 0 where x is 0.

    >>> tf.math.xlog1py([0.0, 1.0], [-1.0, 0.0]).numpy().tolist()
    [0.0, 0.0]
    """
    return call("Xlog1py", m.pair(x, y), {}, name)


@export("math.xdivy")
@_with_zero
def xdivy(x, y, name=None):
    """Computes `x / y`, and 0 where x is 0.

    >>> tf.math.xdivy([0.0, 1.0], 0.0).numpy().tolist()
    [0.0, inf]
    """
    return call("Xdivy", m.pair(x, y), {}, name)


@export("math.log_sigmoid")
@takes("x: A tensor of a float dtype", returns="A tensor of the shape and dtype of `x`")
def log_sigmoid(x, name=None):
    """Computes the logarithm of the sigmoid of each element, without overflow.

    >>> round(tf.math.log_sigmoid(0.0).numpy().item(), 4)
    -0.6931
    """
    return m.negative(call("Softplus", (m.negative(convert_to_tensor(x)),)), name)


@export("math.polyval")
def polyval(coeffs, x, name=None):
    """Evaluates a polynomial at x, by Horner's rule; the coefficient of the highest power comes first.

    Args:
      coeffs: A list of coefficients: numbers, or tensors that broadcast with `x`.
      x: Where to evaluate the polynomial, a tensor of numbers.
      name: Names the result only if `coeffs` is empty.

    Returns:
      A tensor of the dtype of `x`, of the shape that `x` and the coefficients broadcast to; zeros if there are none.

    Raises:
      ValueError: `coeffs` is not a list.

    >>> tf.math.polyval([1.0, 0.0, 2.0], 3.0).numpy().item()
    11.0
    """
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    x = convert_to_tensor(x)
    if not coeffs:
        return call("ZerosLike", (x,), {}, name)
    terms = [convert_to_tensor(c, dtype_hint=x._dtype) for c in coeffs]
    return functools.reduce(lambda total, c: m.add(c, m.multiply(total, x)), terms[1:], terms[0])


# --- order ----------------------------------------------------------------------------------------------------------


def _neighbours(x):
    flat = call("Reshape", (convert_to_tensor(x), constant([-1])))
    size = call("Reshape", (m.maximum(m.subtract(call("Size", (flat,)), 1), 0), constant([1])))
    return call("Slice", (flat, constant([1]), size)) if flat.shape.rank is None or flat.shape.as_list() != [
        0
    ] else flat, (call("Slice", (flat, constant([0]), size)))


_IN_ORDER = """\
Args:
  x: A tensor of a float or integer dtype.
  name: A name for the operation.

Returns:
  A scalar tensor of dtype bool; true if there are fewer than two elements.
"""


@export("math.is_non_decreasing")
@with_sections(_IN_ORDER)
def is_non_decreasing(x, name=None):
    """Says whether each element is at least the one before it, in row-major order.

    >>> tf.math.is_non_decreasing([1, 1, 2]).numpy().item()
    True
    """
    after, before = _neighbours(x)
    return reduce_all(m.less_equal(before, after), name=name)


@export("math.is_strictly_increasing")
@with_sections(_IN_ORDER)
def is_strictly_increasing(x, name=None):
    """Says whether each element exceeds the one before it, in row-major order.

    >>> tf.math.is_strictly_increasing([1, 1, 2]).numpy().item()
    False
    """
    after, before = _neighbours(x)
    return reduce_all(m.less(before, after), name=name)
