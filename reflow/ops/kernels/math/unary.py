"""Elementwise ops of one input. Gradients follow TensorFlow: where the derivative is a function of the output, it is."""

from __future__ import annotations

import math

from reflow.ops import shape_rules as rules
from reflow.ops.naming import Naming
from reflow.ops.registry import NO_GRADIENT, op


def conj(xp, x):
    """The conjugate; real arrays as they are."""
    return xp.conj(x) if x.dtype.kind == "c" else x


def unary_op(name: str, **facts):
    """The record of a function of one element."""
    return op(name, shape=rules.same, elementwise=True, **facts)


def of_input(rule):
    """A gradient from `rule(xp, g, x)`; record it with needs=("x",)."""

    def grad(xp, attrs, inputs, outputs, cts, wanted):
        return (rule(xp, cts[0], inputs[0]),)

    return grad


def of_output(rule):
    """A gradient from `rule(xp, g, y)`; record it with needs=("y",)."""

    def grad(xp, attrs, inputs, outputs, cts, wanted):
        return (rule(xp, cts[0], outputs[0]),)

    return grad


def of_both(rule):
    """A gradient from `rule(xp, g, x, y)`."""

    def grad(xp, attrs, inputs, outputs, cts, wanted):
        return (rule(xp, cts[0], inputs[0], outputs[0]),)

    return grad


def _one_minus_square(xp, x):
    return xp.subtract(xp.const(1, x), xp.square(x))


# --- sign, powers, exponentials -------------------------------------------------------------------------------------


@unary_op(
    "Neg",
    grad=of_input(lambda xp, g, x: xp.negative(g)),
    needs=(),
    value=lambda f: -f.values[0] if isinstance(f.values[0], int) else None,
)
def neg(xp, x):
    return xp.negative(x)


@unary_op("Abs", grad=of_input(lambda xp, g, x: xp.multiply(g, xp.sign(x))), needs=("x",))
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
        raise ValueError(f"Signature mismatch, have: {x.dtype}->{Tout.name} expected: {x.dtype}->float{4 * x.dtype.itemsize}")
    return xp.abs(x)


def _sign_grad(xp, g, x, y):
    """Zero for real numbers; a complex result moves along the unit circle."""
    if x.dtype.kind != "c":
        return xp.zeros_like(g)
    zero = xp.equal(x, xp.const(0, x))
    size = xp.abs(x)
    turn = xp.subtract(g, xp.multiply(xp.square(y), xp.conj(g)))
    return xp.select(zero, xp.const(0, x), xp.divide(turn, xp.cast(xp.add(size, size), x.dtype)))


@unary_op("Sign", grad=of_both(_sign_grad))
def sign(xp, x):
    return xp.sign(x)


@unary_op(
    "Square",
    needs=("x",),
    grad=of_input(lambda xp, g, x: xp.multiply(g, xp.multiply(xp.const(2, x), conj(xp, x)))),
)
def square(xp, x):
    return xp.square(x)


def _where_given(xp, g, grad):
    """`grad`, and zero where the cotangent is zero. TensorFlow's kernels of the roots do the same: the derivative is
    infinite at 0."""
    return xp.select(xp.equal(g, xp.const(0, g)), g, grad)


def sqrt_grad(xp, g, y):
    return _where_given(xp, g, xp.divide(xp.multiply(xp.const(0.5, g), g), conj(xp, y)))


@unary_op("Sqrt", grad=of_output(sqrt_grad), needs=("y",))
def sqrt(xp, x):
    return xp.sqrt(x)


def rsqrt_grad(xp, g, y):
    y = conj(xp, y)
    return _where_given(xp, g, xp.multiply(xp.multiply(xp.const(-0.5, g), xp.multiply(g, y)), xp.square(y)))


@unary_op("Rsqrt", grad=of_output(rsqrt_grad), needs=("y",))
def rsqrt(xp, x):
    return xp.rsqrt(x)


def reciprocal_grad(xp, g, y):
    y = conj(xp, y)
    return xp.multiply(xp.multiply(xp.negative(y), g), y)


def reciprocal(xp, x):
    return xp.reciprocal(x) if x.dtype.kind in "fcV" else xp.truncate_div(xp.const(1, x), x)


for _name in ("Reciprocal", "Inv"):
    unary_op(_name, grad=of_output(reciprocal_grad), needs=("y",))(reciprocal)


@unary_op("Exp", grad=of_output(lambda xp, g, y: xp.multiply(g, conj(xp, y))), needs=("y",))
def exp(xp, x):
    return xp.exp(x)


@unary_op("Expm1", grad=of_input(lambda xp, g, x: xp.multiply(g, xp.exp(conj(xp, x)))), needs=("x",))
def expm1(xp, x):
    return xp.expm1(x)


@unary_op("Log", grad=of_input(lambda xp, g, x: xp.multiply(g, xp.reciprocal(conj(xp, x)))), needs=("x",))
def log(xp, x):
    return xp.log(x)


@unary_op(
    "Log1p",
    needs=("x",),
    grad=of_input(lambda xp, g, x: xp.multiply(g, xp.reciprocal(xp.add(xp.const(1, x), conj(xp, x))))),
)
def log1p(xp, x):
    return xp.log1p(x)


def sigmoid_grad(xp, g, y):
    y = conj(xp, y)
    return xp.multiply(g, xp.multiply(y, xp.subtract(xp.const(1, y), y)))


@unary_op("Sigmoid", grad=of_output(sigmoid_grad), needs=("y",))
def sigmoid(xp, x):
    return xp.sigmoid(x)


# --- trigonometry ---------------------------------------------------------------------------------------------------


@unary_op("Sin", grad=of_input(lambda xp, g, x: xp.multiply(g, xp.cos(conj(xp, x)))), needs=("x",))
def sin(xp, x):
    return xp.sin(x)


@unary_op(
    "Cos",
    grad=of_input(lambda xp, g, x: xp.multiply(xp.negative(g), xp.sin(conj(xp, x)))),
    needs=("x",),
)
def cos(xp, x):
    return xp.cos(x)


@unary_op(
    "Tan",
    grad=of_input(lambda xp, g, x: xp.multiply(xp.square(xp.reciprocal(xp.cos(conj(xp, x)))), g)),
    needs=("x",),
)
def tan(xp, x):
    return xp.tan(x)


@unary_op(
    "Asin",
    needs=("x",),
    grad=of_input(lambda xp, g, x: xp.divide(g, xp.sqrt(_one_minus_square(xp, conj(xp, x))))),
)
def asin(xp, x):
    return xp.asin(x)


@unary_op(
    "Acos",
    needs=("x",),
    grad=of_input(lambda xp, g, x: xp.negative(xp.divide(g, xp.sqrt(_one_minus_square(xp, conj(xp, x)))))),
)
def acos(xp, x):
    return xp.acos(x)


@unary_op(
    "Atan",
    needs=("x",),
    grad=of_input(lambda xp, g, x: xp.divide(g, xp.add(xp.const(1, x), xp.square(conj(xp, x))))),
)
def atan(xp, x):
    return xp.atan(x)


@unary_op("Sinh", grad=of_input(lambda xp, g, x: xp.multiply(g, xp.cosh(conj(xp, x)))), needs=("x",))
def sinh(xp, x):
    return xp.sinh(x)


@unary_op("Cosh", grad=of_input(lambda xp, g, x: xp.multiply(g, xp.sinh(conj(xp, x)))), needs=("x",))
def cosh(xp, x):
    return xp.cosh(x)


def tanh_grad(xp, g, y):
    return xp.multiply(g, _one_minus_square(xp, conj(xp, y)))


@unary_op("Tanh", grad=of_output(tanh_grad), needs=("y",))
def tanh(xp, x):
    return xp.tanh(x)


@unary_op("Asinh", grad=of_output(lambda xp, g, y: xp.divide(g, xp.cosh(conj(xp, y)))), needs=("y",))
def asinh(xp, x):
    return xp.asinh(x)


@unary_op("Acosh", grad=of_output(lambda xp, g, y: xp.divide(g, xp.sinh(conj(xp, y)))), needs=("y",))
def acosh(xp, x):
    return xp.acosh(x)


@unary_op(
    "Atanh",
    needs=("x",),
    grad=of_input(lambda xp, g, x: xp.divide(g, _one_minus_square(xp, conj(xp, x)))),
)
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


@unary_op("Conj", grad=of_input(lambda xp, g, x: conj(xp, g)), needs=())
def conj_(xp, input):
    return xp.conj(input)


@unary_op("Real", grad=of_input(lambda xp, g, x: xp.complex(g, xp.zeros_like(g))), needs=())
def real(xp, input, Tout=None):
    return xp.real(input)


@unary_op("Imag", grad=of_input(lambda xp, g, x: xp.complex(xp.zeros_like(g), g)), needs=())
def imag(xp, input, Tout=None):
    return xp.imag(input)


def _angle_grad(xp, g, x):
    inverse = xp.reciprocal(xp.complex(xp.imag(x), xp.real(x)))
    return xp.negative(xp.multiply(xp.complex(g, xp.zeros_like(g)), inverse))


@unary_op("Angle", grad=of_input(_angle_grad), needs=("input",))
def angle(xp, input, Tout=None):
    return xp.angle(input)


# --- special functions --------------------------------------------------------------------------------------------------


def _gaussian(factor, scale):
    """`factor * exp(scale * x**2)`."""
    return lambda xp, x: xp.multiply(xp.const(factor, x), xp.exp(xp.multiply(xp.const(scale, x), xp.square(x))))


_erf_slope = _gaussian(2 / math.sqrt(math.pi), -1)
_erfinv_slope = _gaussian(math.sqrt(math.pi) / 2, 1)
_ndtri_slope = _gaussian(math.sqrt(2 * math.pi), 0.5)


@unary_op("Erf", grad=of_input(lambda xp, g, x: xp.multiply(g, _erf_slope(xp, x))), needs=("x",))
def erf(xp, x):
    return xp.erf(x)


@unary_op(
    "Erfc",
    grad=of_input(lambda xp, g, x: xp.negative(xp.multiply(g, _erf_slope(xp, x)))),
    needs=("x",),
)
def erfc(xp, x):
    return xp.erfc(x)


@unary_op("Erfinv", grad=of_output(lambda xp, g, y: xp.multiply(g, _erfinv_slope(xp, y))), needs=("y",))
def erfinv(xp, x):
    return xp.erfinv(x)


@unary_op("Ndtri", grad=of_output(lambda xp, g, y: xp.multiply(g, _ndtri_slope(xp, y))), needs=("y",))
def ndtri(xp, x):
    return xp.ndtri(x)


@unary_op("Lgamma", grad=of_input(lambda xp, g, x: xp.multiply(g, xp.digamma(x))), needs=("x",))
def lgamma(xp, x):
    return xp.lgamma(x)


@unary_op(
    "Digamma",
    needs=("x",),
    grad=of_input(lambda xp, g, x: xp.multiply(g, xp.polygamma(xp.ones_like(x), x))),
)
def digamma(xp, x):
    return xp.digamma(x)


@unary_op(
    "BesselI0e",
    grad=of_both(lambda xp, g, x, y: xp.multiply(g, xp.subtract(xp.bessel_i1e(x), xp.multiply(xp.sign(x), y)))),
)
def bessel_i0e(xp, x):
    return xp.bessel_i0e(x)


def _bessel_i1e_grad(xp, g, x, y):
    zero = xp.equal(x, xp.zeros_like(x))
    safe = xp.select(zero, xp.ones_like(x), x)
    slope = xp.subtract(xp.bessel_i0e(x), xp.multiply(y, xp.add(xp.sign(x), xp.reciprocal(safe))))
    return xp.multiply(g, xp.select(zero, xp.const(0.5, x), slope))


@unary_op("BesselI1e", grad=of_both(_bessel_i1e_grad))
def bessel_i1e(xp, x):
    return xp.bessel_i1e(x)
