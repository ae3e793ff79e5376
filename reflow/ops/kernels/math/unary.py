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


def _function(name: str, kernel, **facts):
    """The record of a function of `xp`. (A kernel that looked it up by name would take 25 ns more.)"""
    unary_op(name, **facts)(kernel)


def _one_minus_square(xp, x):
    return xp.subtract(xp.const(1, x), xp.square(x))


# --- sign, powers, exponentials -------------------------------------------------------------------------------------


_function(
    "Neg", lambda xp, x: xp.negative(x), linear=lambda xp, g: xp.negative(g),
    value=lambda f: -f.values[0] if isinstance(f.values[0], int) else None,
)
_function("Abs", lambda xp, x: xp.abs(x), from_x=lambda xp, g, x: xp.multiply(g, xp.sign(x)))


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


_function("Sign", lambda xp, x: xp.sign(x), from_both=_sign_grad)
_function(
    "Square", lambda xp, x: xp.square(x),
    from_x=lambda xp, g, x: xp.multiply(g, xp.multiply(xp.const(2, x), conj(xp, x))),
)


def _where_given(xp, g, grad):
    """`grad`, and zero where the cotangent is zero. TensorFlow's kernels of the roots do the same: the derivative is
    infinite at 0."""
    return xp.select(xp.equal(g, xp.const(0, g)), g, grad)


def sqrt_grad(xp, g, y):
    return _where_given(xp, g, xp.divide(xp.multiply(xp.const(0.5, g), g), conj(xp, y)))


_function("Sqrt", lambda xp, x: xp.sqrt(x), from_y=sqrt_grad)


def rsqrt_grad(xp, g, y):
    y = conj(xp, y)
    return _where_given(xp, g, xp.multiply(xp.multiply(xp.const(-0.5, g), xp.multiply(g, y)), xp.square(y)))


_function("Rsqrt", lambda xp, x: xp.rsqrt(x), from_y=rsqrt_grad)


def reciprocal_grad(xp, g, y):
    y = conj(xp, y)
    return xp.multiply(xp.multiply(xp.negative(y), g), y)


def reciprocal(xp, x):
    return xp.reciprocal(x) if x.dtype.kind in "fcV" else xp.truncate_div(xp.const(1, x), x)


for _name in ("Reciprocal", "Inv"):
    unary_op(_name, from_y=reciprocal_grad)(reciprocal)


_function("Exp", lambda xp, x: xp.exp(x), from_y=lambda xp, g, y: xp.multiply(g, conj(xp, y)))
_function("Expm1", lambda xp, x: xp.expm1(x), from_x=lambda xp, g, x: xp.multiply(g, xp.exp(conj(xp, x))))
_function("Log", lambda xp, x: xp.log(x), from_x=lambda xp, g, x: xp.multiply(g, xp.reciprocal(conj(xp, x))))
_function(
    "Log1p", lambda xp, x: xp.log1p(x),
    from_x=lambda xp, g, x: xp.multiply(g, xp.reciprocal(xp.add(xp.const(1, x), conj(xp, x)))),
)


def sigmoid_grad(xp, g, y):
    y = conj(xp, y)
    return xp.multiply(g, xp.multiply(y, xp.subtract(xp.const(1, y), y)))


_function("Sigmoid", lambda xp, x: xp.sigmoid(x), from_y=sigmoid_grad)


# --- trigonometry ---------------------------------------------------------------------------------------------------


_function("Sin", lambda xp, x: xp.sin(x), from_x=lambda xp, g, x: xp.multiply(g, xp.cos(conj(xp, x))))
_function("Cos", lambda xp, x: xp.cos(x), from_x=lambda xp, g, x: xp.multiply(xp.negative(g), xp.sin(conj(xp, x))))
_function(
    "Tan", lambda xp, x: xp.tan(x),
    from_x=lambda xp, g, x: xp.multiply(xp.square(xp.reciprocal(xp.cos(conj(xp, x)))), g),
)
_function(
    "Asin", lambda xp, x: xp.asin(x),
    from_x=lambda xp, g, x: xp.divide(g, xp.sqrt(_one_minus_square(xp, conj(xp, x)))),
)
_function(
    "Acos", lambda xp, x: xp.acos(x),
    from_x=lambda xp, g, x: xp.negative(xp.divide(g, xp.sqrt(_one_minus_square(xp, conj(xp, x))))),
)
_function(
    "Atan", lambda xp, x: xp.atan(x),
    from_x=lambda xp, g, x: xp.divide(g, xp.add(xp.const(1, x), xp.square(conj(xp, x)))),
)
_function("Sinh", lambda xp, x: xp.sinh(x), from_x=lambda xp, g, x: xp.multiply(g, xp.cosh(conj(xp, x))))
_function("Cosh", lambda xp, x: xp.cosh(x), from_x=lambda xp, g, x: xp.multiply(g, xp.sinh(conj(xp, x))))


def tanh_grad(xp, g, y):
    return xp.multiply(g, _one_minus_square(xp, conj(xp, y)))


_function("Tanh", lambda xp, x: xp.tanh(x), from_y=tanh_grad)
_function("Asinh", lambda xp, x: xp.asinh(x), from_y=lambda xp, g, y: xp.divide(g, xp.cosh(conj(xp, y))))
_function("Acosh", lambda xp, x: xp.acosh(x), from_y=lambda xp, g, y: xp.divide(g, xp.sinh(conj(xp, y))))
_function("Atanh", lambda xp, x: xp.atanh(x), from_x=lambda xp, g, x: xp.divide(g, _one_minus_square(xp, conj(xp, x))))


# --- rounding and predicates ------------------------------------------------------------------------------------------


for _name, _kernel in {
    "Floor": lambda xp, x: xp.floor(x), "Ceil": lambda xp, x: xp.ceil(x), "Rint": lambda xp, x: xp.rint(x),
    "Round": lambda xp, x: xp.rint(x),  # halves go to the even neighbour
    "IsNan": lambda xp, x: xp.isnan(x), "IsInf": lambda xp, x: xp.isinf(x), "IsFinite": lambda xp, x: xp.isfinite(x),
    "LogicalNot": lambda xp, x: xp.logical_not(x), "Invert": lambda xp, x: xp.bitwise_not(x),
    "PopulationCount": lambda xp, x: xp.population_count(x),
}.items():
    _function(_name, _kernel, grad=NO_GRADIENT)


# --- complex parts ----------------------------------------------------------------------------------------------------


_function("Conj", lambda xp, input: xp.conj(input), linear=lambda xp, g: conj(xp, g))


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

_function("Erf", lambda xp, x: xp.erf(x), from_x=lambda xp, g, x: xp.multiply(g, _erf_slope(xp, x)))
_function("Erfc", lambda xp, x: xp.erfc(x), from_x=lambda xp, g, x: xp.negative(xp.multiply(g, _erf_slope(xp, x))))
_function("Erfinv", lambda xp, x: xp.erfinv(x), from_y=lambda xp, g, y: xp.multiply(g, _erfinv_slope(xp, y)))
_function("Ndtri", lambda xp, x: xp.ndtri(x), from_y=lambda xp, g, y: xp.multiply(g, _ndtri_slope(xp, y)))
_function("Lgamma", lambda xp, x: xp.lgamma(x), from_x=lambda xp, g, x: xp.multiply(g, xp.digamma(x)))
_function(
    "Digamma", lambda xp, x: xp.digamma(x), from_x=lambda xp, g, x: xp.multiply(g, xp.polygamma(xp.ones_like(x), x))
)


def _bessel_i0e_grad(xp, g, x, y):
    return xp.multiply(g, xp.subtract(xp.bessel_i1e(x), xp.multiply(xp.sign(x), y)))


_function("BesselI0e", lambda xp, x: xp.bessel_i0e(x), from_both=_bessel_i0e_grad)


def _bessel_i1e_grad(xp, g, x, y):
    zero = xp.equal(x, xp.zeros_like(x))
    safe = xp.select(zero, xp.ones_like(x), x)
    slope = xp.subtract(xp.bessel_i0e(x), xp.multiply(y, xp.add(xp.sign(x), xp.reciprocal(safe))))
    return xp.multiply(g, xp.select(zero, xp.const(0.5, x), slope))


_function("BesselI1e", lambda xp, x: xp.bessel_i1e(x), from_both=_bessel_i1e_grad)
