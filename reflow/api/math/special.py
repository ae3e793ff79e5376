"""`tf.math`: special functions, polynomials, functions of two or three arguments with their own parameter names."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from reflow.api.call import Function, call, described, op_inputs, unary
from reflow.api.export import export
from reflow.api.math import arithmetic as m
from reflow.api.math.reduce import reduce_all, reduce_sum
from reflow.core.tensor import Tensor
from reflow.ops.convert import constant, convert_to_tensor


def _on_host(op_name: str, public: str) -> Callable[[Function], Function]:
    """Like `unary`, for ops that SciPy runs: they have no fast path."""

    def function(x, name=None):
        return call(op_name, (convert_to_tensor(x),), {}, name)

    return described(function, public)


@unary("Erf", "math.erf")
def erf(x, name=None) -> Tensor:
    """The error function.

    >>> tf.math.erf([-9.0, 0.0, 9.0]).numpy().tolist()
    [-1.0, 0.0, 1.0]
    """


@unary("Erfc", "math.erfc")
def erfc(x, name=None) -> Tensor:
    """One minus the error function.

    >>> (tf.math.erf(0.5) + tf.math.erfc(0.5)).numpy().item()
    1.0
    """


@unary("Erfinv", "math.erfinv")
def erfinv(x, name=None) -> Tensor:
    """The inverse of the error function.

    >>> round(tf.math.erfinv(tf.math.erf(0.25)).numpy().item(), 4)
    0.25
    """


@unary("Ndtri", "math.ndtri")
def ndtri(x, name=None) -> Tensor:
    """The quantiles of the standard normal distribution.

    >>> print(tf.math.ndtri([0.5, 0.975]).numpy().round(2))
    [0.   1.96]
    """


@unary("Lgamma", "math.lgamma")
def lgamma(x, name=None) -> Tensor:
    """The logarithm of the size of the gamma function.

    >>> print(tf.exp(tf.math.lgamma([1.0, 2.0, 5.0])).numpy().round(3))
    [ 1.  1. 24.]
    """


@unary("Digamma", "math.digamma")
def digamma(x, name=None) -> Tensor:
    """The derivative of `tf.math.lgamma`.

    >>> round(tf.math.digamma(1.0).numpy().item(), 4)
    -0.5772
    """


@unary("BesselI0", "math.bessel_i0", "math.special.bessel_i0")
def bessel_i0(x, name=None) -> Tensor:
    """The modified Bessel function of order 0.

    >>> tf.math.bessel_i0(0.0).numpy().item()
    1.0
    """


@unary("BesselI1", "math.bessel_i1", "math.special.bessel_i1")
def bessel_i1(x, name=None) -> Tensor:
    """The modified Bessel function of order 1.

    >>> print(tf.math.bessel_i1([-1.0, 1.0]).numpy().round(3))
    [-0.565  0.565]
    """


@unary("BesselI0e", "math.bessel_i0e", "math.special.bessel_i0e")
def bessel_i0e(x, name=None) -> Tensor:
    """`exp(-abs(x)) * bessel_i0(x)`.

    >>> round(tf.math.bessel_i0e(100.0).numpy().item(), 4)
    0.0399
    """


@unary("BesselI1e", "math.bessel_i1e", "math.special.bessel_i1e")
def bessel_i1e(x, name=None) -> Tensor:
    """`exp(-abs(x)) * bessel_i1(x)`.

    >>> print(tf.math.bessel_i1e([1.0, 10.0, 100.0]).numpy().round(3))
    [0.208 0.121 0.04 ]
    """


@_on_host("BesselK0", "math.special.bessel_k0")
def bessel_k0(x, name=None) -> Tensor:
    """The modified Bessel function of the second kind of order 0.

    >>> print(tf.math.special.bessel_k0([0.0, 1.0, 2.0]).numpy().round(3))
    [  inf 0.421 0.114]
    """


@_on_host("BesselK0e", "math.special.bessel_k0e")
def bessel_k0e(x, name=None) -> Tensor:
    """`exp(x) * bessel_k0(x)`.

    >>> round(tf.math.special.bessel_k0e(100.0).numpy().item(), 4)
    0.1252
    """


@_on_host("BesselK1", "math.special.bessel_k1")
def bessel_k1(x, name=None) -> Tensor:
    """The modified Bessel function of the second kind of order 1.

    >>> tf.math.special.bessel_k1(0.0).numpy().item()
    inf
    """


@_on_host("BesselK1e", "math.special.bessel_k1e")
def bessel_k1e(x, name=None) -> Tensor:
    """`exp(x) * bessel_k1(x)`.

    >>> print(tf.math.special.bessel_k1e([1.0, 100.0]).numpy().round(3))
    [1.636 0.126]
    """


@_on_host("BesselJ0", "math.special.bessel_j0")
def bessel_j0(x, name=None) -> Tensor:
    """The Bessel function of order 0.

    >>> print(tf.math.special.bessel_j0([0.0, 1.0, 2.0, 3.0]).numpy().round(2))
    [ 1.    0.77  0.22 -0.26]
    """


@_on_host("BesselJ1", "math.special.bessel_j1")
def bessel_j1(x, name=None) -> Tensor:
    """The Bessel function of order 1.

    >>> (tf.math.special.bessel_j1(-1.0) + tf.math.special.bessel_j1(1.0)).numpy().item()
    0.0
    """


@_on_host("BesselY0", "math.special.bessel_y0")
def bessel_y0(x, name=None) -> Tensor:
    """The Bessel function of the second kind of order 0.

    >>> tf.math.special.bessel_y0(0.0).numpy().item()
    -inf
    """


@_on_host("BesselY1", "math.special.bessel_y1")
def bessel_y1(x, name=None) -> Tensor:
    """The Bessel function of the second kind of order 1.

    >>> round(tf.math.special.bessel_y1(1.0).numpy().item(), 4)
    -0.7812
    """


@_on_host("Dawsn", "math.special.dawsn")
def dawsn(x, name=None) -> Tensor:
    """Dawson's integral.

    >>> print(tf.math.special.dawsn([-1.0, 0.0, 1.0]).numpy().round(3))
    [-0.538  0.     0.538]
    """


@_on_host("Expint", "math.special.expint")
def expint(x, name=None) -> Tensor:
    """The exponential integral.

    >>> tf.math.special.expint(0.0).numpy().item()
    -inf
    """


@_on_host("FresnelCos", "math.special.fresnel_cos")
def fresnel_cos(x, name=None) -> Tensor:
    """Fresnel's cosine integral.

    >>> print(tf.math.special.fresnel_cos([-9.0, 0.0, 9.0]).numpy().round(1))
    [-0.5  0.   0.5]
    """


@_on_host("FresnelSin", "math.special.fresnel_sin")
def fresnel_sin(x, name=None) -> Tensor:
    """Fresnel's sine integral.

    >>> round(tf.math.special.fresnel_sin(1.0).numpy().item(), 4)
    0.4383
    """


@_on_host("Spence", "math.special.spence")
def spence(x, name=None) -> Tensor:
    """Spence's integral, the dilogarithm of `1 - x`.

    >>> print(tf.math.special.spence([0.0, 1.0]).numpy().round(4))  # pi ** 2 / 6
    [1.6449 0.    ]
    """


@export("math.erfcinv")
def erfcinv(x, name=None):
    """The inverse of `tf.math.erfc`.

    >>> abs(tf.math.erfcinv(1.0).numpy().item())
    0.0
    """
    return m.multiply(m.negative(ndtri(m.multiply(0.5, convert_to_tensor(x)))), float(np.sqrt(0.5)), name)


@export("atan2", "math.atan2")
def atan2(y, x, name=None):
    """The angle of the point (x, y), between -pi and pi.

    >>> print(tf.math.atan2([1.0, -1.0], [1.0, -1.0]).numpy().round(4))
    [ 0.7854 -2.3562]
    """
    return call("Atan2", m.pair(y, x), {}, name)


@export("math.nextafter")
def nextafter(x1, x2, name=None):
    """The next number after x1 in the direction of x2.

    >>> tf.math.nextafter(1.0, 2.0).numpy().item() > 1
    True
    """
    return call("NextAfter", op_inputs("NextAfter", x1, x2), {}, name)


@export("math.igamma")
def igamma(a, x, name=None):
    """The regularized lower incomplete gamma function.

    >>> round(tf.math.igamma(1.0, 1.0).numpy().item(), 4)
    0.6321
    """
    return call("Igamma", m.pair(a, x), {}, name)


@export("math.igammac")
def igammac(a, x, name=None):
    """The regularized upper incomplete gamma function, `1 - igamma(a, x)`.

    >>> (tf.math.igamma(2.0, 1.0) + tf.math.igammac(2.0, 1.0)).numpy().item()
    1.0
    """
    return call("Igammac", m.pair(a, x), {}, name)


@export("math.zeta")
def zeta(x, q, name=None):
    """The Hurwitz zeta function.

    >>> print(tf.math.zeta([2.0, 4.0], 1.0).numpy().round(4))
    [1.6449 1.0823]
    """
    return call("Zeta", m.pair(x, q), {}, name)


@export("math.polygamma")
def polygamma(a, x, name=None):
    """The derivative of order a of `tf.math.digamma`.

    >>> print(tf.math.polygamma(1.0, [1.0, 2.0, 3.0]).numpy().round(4))
    [1.6449 0.6449 0.3949]
    """
    return call("Polygamma", m.pair(a, x), {}, name)


@export("math.betainc")
def betainc(a, b, x, name=None):
    """The regularized incomplete beta function.

    >>> tf.math.betainc(1.0, 1.0, 0.25).numpy().item()
    0.25
    """
    return call("Betainc", op_inputs("Betainc", a, b, x), {}, name)


@export("math.lbeta")
def lbeta(x, name=None):
    """The logarithm of the beta function of the last axis.

    >>> tf.math.lbeta([1.0, 1.0]).numpy().item()
    0.0
    """
    x = convert_to_tensor(x)
    return m.subtract(reduce_sum(lgamma(x), -1), lgamma(reduce_sum(x, -1)), name)


@export("math.xlogy")
def xlogy(x, y, name=None):
    """`x * log(y)`, and 0 where x is 0.

    >>> tf.math.xlogy(0.0, 0.0).numpy().item()
    0.0
    """
    return call("Xlogy", m.pair(x, y), {}, name)


@export("math.xlog1py")
def xlog1py(x, y, name=None):
    """`x * log1p(y)`, and 0 where x is 0.

    >>> tf.math.xlog1py([0.0, 1.0], [-1.0, 0.0]).numpy().tolist()
    [0.0, 0.0]
    """
    return call("Xlog1py", m.pair(x, y), {}, name)


@export("math.xdivy")
def xdivy(x, y, name=None):
    """`x / y`, and 0 where x is 0.

    >>> tf.math.xdivy([0.0, 1.0], 0.0).numpy().tolist()
    [0.0, inf]
    """
    return call("Xdivy", m.pair(x, y), {}, name)


@export("math.log_sigmoid")
def log_sigmoid(x, name=None):
    """The logarithm of the sigmoid, without overflow.

    >>> round(tf.math.log_sigmoid(0.0).numpy().item(), 4)
    -0.6931
    """
    return m.negative(call("Softplus", (m.negative(convert_to_tensor(x)),)), name)


@export("math.polyval")
def polyval(coeffs, x, name=None):
    """A polynomial at x, by Horner's rule; the coefficient of the highest power comes first.

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


@export("math.is_non_decreasing")
def is_non_decreasing(x, name=None):
    """Whether each element is at least the one before it.

    >>> tf.math.is_non_decreasing([1, 1, 2]).numpy().item()
    True
    """
    after, before = _neighbours(x)
    return reduce_all(m.less_equal(before, after), name=name)


@export("math.is_strictly_increasing")
def is_strictly_increasing(x, name=None):
    """Whether each element exceeds the one before it.

    >>> tf.math.is_strictly_increasing([1, 1, 2]).numpy().item()
    False
    """
    after, before = _neighbours(x)
    return reduce_all(m.less(before, after), name=name)
