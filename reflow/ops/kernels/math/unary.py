"""Elementwise ops of one input. As in TensorFlow, gradients use the output where the derivative is a function of it."""

from __future__ import annotations

import math

from reflow.ops import opdef
from reflow.ops import shape_rules as rules
from reflow.ops.naming import Naming
from reflow.ops.registry import NO_GRADIENT, op


def conj(xp, x):
    """The conjugate; real arrays as they are."""
    return xp.conj(x) if x.dtype.kind == "c" else x


def unary_op(name: str, *, linear=None, from_x=None, from_y=None, from_both=None, **facts):
    """The record of a function of one element, y = f(x).

    Its gradient is one of four rules: `linear(xp, g)`, `from_x(xp, g, x)`, `from_y(xp, g, y)` or
    `from_both(xp, g, x, y)`. What the rule takes is what the record `needs`.
    """
    definition = opdef.lookup(name)
    if linear is not None:
        facts["grad"] = lambda xp, attrs, xs, ys, cts, wanted: (linear(xp, cts[0]),)
        facts["needs"] = ()
    elif from_x is not None:
        facts["grad"] = lambda xp, attrs, xs, ys, cts, wanted: (from_x(xp, cts[0], xs[0]),)
        facts["needs"] = (definition.inputs[0].name,)
    elif from_y is not None:
        facts["grad"] = lambda xp, attrs, xs, ys, cts, wanted: (from_y(xp, cts[0], ys[0]),)
        facts["needs"] = (definition.outputs[0].name,)
    elif from_both is not None:
        facts["grad"] = lambda xp, attrs, xs, ys, cts, wanted: (from_both(xp, cts[0], xs[0], ys[0]),)
    return op(name, shape=rules.same, elementwise=True, **facts)


def _one_minus_square(xp, x):
    return xp.subtract(xp.const(1, x), xp.square(x))


# --- sign, powers, exponentials -------------------------------------------------------------------------------------


@unary_op(
    "Neg", linear=lambda xp, g: xp.negative(g), value=lambda f: -f.values[0] if isinstance(f.values[0], int) else None
)
def neg(xp, x):
    return xp.negative(x)


@unary_op("Abs", from_x=lambda xp, g, x: xp.multiply(g, xp.sign(x)))
def abs_(xp, x):
    return xp.abs(x)


def _complex_abs_grad(xp, attrs, inputs, outputs, cts, wanted):
    (x,), (y,), (g,) = inputs, outputs, cts
    zero = xp.zeros_like(y)
    ratio = xp.select(xp.equal(y, zero), zero, xp.divide(g, y))
    return (xp.multiply(xp.complex(ratio, zero), x),)


@unary_op("ComplexAbs", grad=_complex_abs_grad, naming=Naming("Abs"))
def complex_abs(xp, x, Tout=None):
    if Tout is not None and 2 * Tout.size != x.dtype.itemsize:
        raise ValueError(
            f"Signature mismatch, have: {x.dtype}->{Tout.name} expected: {x.dtype}->float{4 * x.dtype.itemsize}"
        )
    return xp.abs(x)


def _sign_grad(xp, g, x, y):
    """Zero for real numbers; a complex result moves along the unit circle."""
    if x.dtype.kind != "c":
        return xp.zeros_like(g)
    zero = xp.equal(x, xp.const(0, x))
    size = xp.abs(x)
    turn = xp.subtract(g, xp.multiply(xp.square(y), xp.conj(g)))
    return xp.select(zero, xp.const(0, x), xp.divide(turn, xp.cast(xp.add(size, size), x.dtype)))


@unary_op("Sign", from_both=_sign_grad)
def sign(xp, x):
    return xp.sign(x)


@unary_op("Square", from_x=lambda xp, g, x: xp.multiply(g, xp.multiply(xp.const(2, x), conj(xp, x))))
def square(xp, x):
    return xp.square(x)


def _where_given(xp, g, grad):
    """`grad`, and zero where the cotangent is zero. TensorFlow's kernels of the roots do the same: the derivative is
    infinite at 0."""
    return xp.select(xp.equal(g, xp.const(0, g)), g, grad)


def sqrt_grad(xp, g, y):
    return _where_given(xp, g, xp.divide(xp.multiply(xp.const(0.5, g), g), conj(xp, y)))


@unary_op("Sqrt", from_y=sqrt_grad)
def sqrt(xp, x):
    return xp.sqrt(x)


def rsqrt_grad(xp, g, y):
    y = conj(xp, y)
    return _where_given(xp, g, xp.multiply(xp.multiply(xp.const(-0.5, g), xp.multiply(g, y)), xp.square(y)))


@unary_op("Rsqrt", from_y=rsqrt_grad)
def rsqrt(xp, x):
    return xp.rsqrt(x)


def reciprocal_grad(xp, g, y):
    y = conj(xp, y)
    return xp.multiply(xp.multiply(xp.negative(y), g), y)


def reciprocal(xp, x):
    return xp.reciprocal(x) if x.dtype.kind in "fcV" else xp.truncate_div(xp.const(1, x), x)


for _name in ("Reciprocal", "Inv"):
    unary_op(_name, from_y=reciprocal_grad)(reciprocal)


@unary_op("Exp", from_y=lambda xp, g, y: xp.multiply(g, conj(xp, y)))
def exp(xp, x):
    return xp.exp(x)


@unary_op("Expm1", from_x=lambda xp, g, x: xp.multiply(g, xp.exp(conj(xp, x))))
def expm1(xp, x):
    return xp.expm1(x)


@unary_op("Log", from_x=lambda xp, g, x: xp.multiply(g, xp.reciprocal(conj(xp, x))))
def log(xp, x):
    return xp.log(x)


@unary_op("Log1p", from_x=lambda xp, g, x: xp.multiply(g, xp.reciprocal(xp.add(xp.const(1, x), conj(xp, x)))))
def log1p(xp, x):
    return xp.log1p(x)


def sigmoid_grad(xp, g, y):
    y = conj(xp, y)
    return xp.multiply(g, xp.multiply(y, xp.subtract(xp.const(1, y), y)))


@unary_op("Sigmoid", from_y=sigmoid_grad)
def sigmoid(xp, x):
    return xp.sigmoid(x)


# --- trigonometry ---------------------------------------------------------------------------------------------------


@unary_op("Sin", from_x=lambda xp, g, x: xp.multiply(g, xp.cos(conj(xp, x))))
def sin(xp, x):
    return xp.sin(x)


@unary_op("Cos", from_x=lambda xp, g, x: xp.multiply(xp.negative(g), xp.sin(conj(xp, x))))
def cos(xp, x):
    return xp.cos(x)


@unary_op("Tan", from_x=lambda xp, g, x: xp.multiply(xp.square(xp.reciprocal(xp.cos(conj(xp, x)))), g))
def tan(xp, x):
    return xp.tan(x)


@unary_op("Asin", from_x=lambda xp, g, x: xp.divide(g, xp.sqrt(_one_minus_square(xp, conj(xp, x)))))
def asin(xp, x):
    return xp.asin(x)


@unary_op("Acos", from_x=lambda xp, g, x: xp.negative(xp.divide(g, xp.sqrt(_one_minus_square(xp, conj(xp, x))))))
def acos(xp, x):
    return xp.acos(x)


@unary_op("Atan", from_x=lambda xp, g, x: xp.divide(g, xp.add(xp.const(1, x), xp.square(conj(xp, x)))))
def atan(xp, x):
    return xp.atan(x)


@unary_op("Sinh", from_x=lambda xp, g, x: xp.multiply(g, xp.cosh(conj(xp, x))))
def sinh(xp, x):
    return xp.sinh(x)


@unary_op("Cosh", from_x=lambda xp, g, x: xp.multiply(g, xp.sinh(conj(xp, x))))
def cosh(xp, x):
    return xp.cosh(x)


def tanh_grad(xp, g, y):
    return xp.multiply(g, _one_minus_square(xp, conj(xp, y)))


@unary_op("Tanh", from_y=tanh_grad)
def tanh(xp, x):
    return xp.tanh(x)


@unary_op("Asinh", from_y=lambda xp, g, y: xp.divide(g, xp.cosh(conj(xp, y))))
def asinh(xp, x):
    return xp.asinh(x)


@unary_op("Acosh", from_y=lambda xp, g, y: xp.divide(g, xp.sinh(conj(xp, y))))
def acosh(xp, x):
    return xp.acosh(x)


@unary_op("Atanh", from_x=lambda xp, g, x: xp.divide(g, _one_minus_square(xp, conj(xp, x))))
def atanh(xp, x):
    return xp.atanh(x)


# --- rounding and predicates ------------------------------------------------------------------------------------------


@unary_op("Floor", grad=NO_GRADIENT)
def floor(xp, x):
    return xp.floor(x)


@unary_op("Ceil", grad=NO_GRADIENT)
def ceil(xp, x):
    return xp.ceil(x)


@unary_op("Round", grad=NO_GRADIENT)
def round_(xp, x):
    """Halves go to the even neighbour."""
    return xp.rint(x)


@unary_op("Rint", grad=NO_GRADIENT)
def rint(xp, x):
    return xp.rint(x)


@unary_op("IsNan", grad=NO_GRADIENT)
def is_nan(xp, x):
    return xp.isnan(x)


@unary_op("IsInf", grad=NO_GRADIENT)
def is_inf(xp, x):
    return xp.isinf(x)


@unary_op("IsFinite", grad=NO_GRADIENT)
def is_finite(xp, x):
    return xp.isfinite(x)


@unary_op("LogicalNot", grad=NO_GRADIENT)
def logical_not(xp, x):
    return xp.logical_not(x)


@unary_op("Invert", grad=NO_GRADIENT)
def invert(xp, x):
    return xp.bitwise_not(x)


@unary_op("PopulationCount", grad=NO_GRADIENT)
def population_count(xp, x):
    return xp.population_count(x)


# --- complex parts ----------------------------------------------------------------------------------------------------


@unary_op("Conj", linear=lambda xp, g: conj(xp, g))
def conj_(xp, input):
    return xp.conj(input)


@unary_op("Real", linear=lambda xp, g: xp.complex(g, xp.zeros_like(g)))
def real(xp, input, Tout=None):
    return xp.real(input)


@unary_op("Imag", linear=lambda xp, g: xp.complex(xp.zeros_like(g), g))
def imag(xp, input, Tout=None):
    return xp.imag(input)


def _angle_grad(xp, g, x):
    inverse = xp.reciprocal(xp.complex(xp.imag(x), xp.real(x)))
    return xp.negative(xp.multiply(xp.complex(g, xp.zeros_like(g)), inverse))


@unary_op("Angle", from_x=_angle_grad)
def angle(xp, input, Tout=None):
    return xp.angle(input)


# --- special functions ------------------------------------------------------------------------------------------------


def _gaussian(factor, scale):
    """`factor * exp(scale * x**2)`."""
    return lambda xp, x: xp.multiply(xp.const(factor, x), xp.exp(xp.multiply(xp.const(scale, x), xp.square(x))))


_erf_slope = _gaussian(2 / math.sqrt(math.pi), -1)
_erfinv_slope = _gaussian(math.sqrt(math.pi) / 2, 1)
_ndtri_slope = _gaussian(math.sqrt(2 * math.pi), 0.5)


@unary_op("Erf", from_x=lambda xp, g, x: xp.multiply(g, _erf_slope(xp, x)))
def erf(xp, x):
    return xp.erf(x)


@unary_op("Erfc", from_x=lambda xp, g, x: xp.negative(xp.multiply(g, _erf_slope(xp, x))))
def erfc(xp, x):
    return xp.erfc(x)


@unary_op("Erfinv", from_y=lambda xp, g, y: xp.multiply(g, _erfinv_slope(xp, y)))
def erfinv(xp, x):
    return xp.erfinv(x)


@unary_op("Ndtri", from_y=lambda xp, g, y: xp.multiply(g, _ndtri_slope(xp, y)))
def ndtri(xp, x):
    return xp.ndtri(x)


@unary_op("Lgamma", from_x=lambda xp, g, x: xp.multiply(g, xp.digamma(x)))
def lgamma(xp, x):
    return xp.lgamma(x)


@unary_op("Digamma", from_x=lambda xp, g, x: xp.multiply(g, xp.polygamma(xp.ones_like(x), x)))
def digamma(xp, x):
    return xp.digamma(x)


def _bessel_i0e_grad(xp, g, x, y):
    return xp.multiply(g, xp.subtract(xp.bessel_i1e(x), xp.multiply(xp.sign(x), y)))


@unary_op("BesselI0e", from_both=_bessel_i0e_grad)
def bessel_i0e(xp, x):
    return xp.bessel_i0e(x)


def _bessel_i1e_grad(xp, g, x, y):
    zero = xp.equal(x, xp.zeros_like(x))
    safe = xp.select(zero, xp.ones_like(x), x)
    slope = xp.subtract(xp.bessel_i0e(x), xp.multiply(y, xp.add(xp.sign(x), xp.reciprocal(safe))))
    return xp.multiply(g, xp.select(zero, xp.const(0.5, x), slope))


@unary_op("BesselI1e", from_both=_bessel_i1e_grad)
def bessel_i1e(xp, x):
    return xp.bessel_i1e(x)
