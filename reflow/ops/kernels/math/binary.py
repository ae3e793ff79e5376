"""Elementwise ops of two inputs: arithmetic, comparisons, logic, bits, and special functions of two arguments.

Inputs broadcast; `sum_to_like` takes a gradient back to an input's own shape.
"""

from __future__ import annotations

import operator

from reflow.core import dtypes
from reflow.ops import batching, require
from reflow.ops import shape_rules as rules
from reflow.ops import trace_checks as traced
from reflow.ops.kernels.math.unary import conj
from reflow.ops.naming import Naming
from reflow.ops.registry import NO_GRADIENT, op


def binary_op(name: str, **facts):
    """The record of a function of two elements: inputs are broadcast."""
    return op(name, shape=rules.broadcast, elementwise=True, **facts)


def of_operands(left, right):
    """A gradient from `left(xp, g, x, y, z)` and `right(...)`, each summed to its input's shape; None: no gradient."""

    def grad(xp, attrs, inputs, outputs, cts, wanted):
        x, y = inputs
        z, g = outputs[0], cts[0]
        return (
            xp.sum_to_like(left(xp, g, x, y, z), x) if wanted[0] and left else None,
            xp.sum_to_like(right(xp, g, x, y, z), y) if wanted[1] and right else None,
        )

    return grad


def _safe(xp, mask, x, fallback):
    """x where the mask holds, elsewhere a number that keeps what follows finite."""
    return xp.select(mask, x, xp.const(fallback, x))


def _is_zero(xp, x):
    return xp.equal(x, xp.const(0, x))


# --- arithmetic -----------------------------------------------------------------------------------------------------

_add_grad = of_operands(lambda xp, g, x, y, z: g, lambda xp, g, x, y, z: g)


@binary_op(
    "AddV2", grad=_add_grad, needs=("x", "y"), shape_only=("x", "y"), value=rules.value_elementwise(operator.add),
    naming=Naming("Add", operator="add"), addition=True,
)
def add_v2(xp, x, y):
    return xp.add(x, y)


@binary_op(
    "Add", grad=_add_grad, needs=("x", "y"), value=rules.value_elementwise(operator.add), addition=True,
    naming=Naming("Add", operator="add"),
)
def add(xp, x, y):
    """Also joins strings."""
    return xp.add(x, y)


@binary_op(
    "Sub", needs=("x", "y"), shape_only=("x", "y"), value=rules.value_elementwise(operator.sub),
    grad=of_operands(lambda xp, g, x, y, z: g, lambda xp, g, x, y, z: xp.negative(g)), naming=Naming(operator="sub"),
)
def sub(xp, x, y):
    return xp.subtract(x, y)


@binary_op(
    "Mul",
    needs=("x", "y"),
    value=rules.value_elementwise(operator.mul),
    grad=of_operands(
        lambda xp, g, x, y, z: xp.multiply(g, conj(xp, y)), lambda xp, g, x, y, z: xp.multiply(conj(xp, x), g)
    ),
    naming=Naming(operator="mul"),
)
def mul(xp, x, y):
    return xp.multiply(x, y)


def _mul_no_nan(xp, x, y):
    zero = xp.const(0, y)
    return xp.select(xp.equal(y, zero), zero, xp.multiply(x, y))


@binary_op(
    "MulNoNan", needs=("x", "y"),
    grad=of_operands(lambda xp, g, x, y, z: _mul_no_nan(xp, g, y), lambda xp, g, x, y, z: _mul_no_nan(xp, x, g)),
    naming=Naming("multiply_no_nan"),
)
def mul_no_nan(xp, x, y):
    """0 wherever y is 0, also for an infinite x."""
    return _mul_no_nan(xp, x, y)


def _by_denominator(divide):
    """`g * -x / y**2` for a kind of division."""

    def rule(xp, g, x, y, z):
        x, y = conj(xp, x), conj(xp, y)
        return xp.multiply(g, divide(xp, divide(xp, xp.negative(x), y), y))

    return rule


def _divide(xp, x, y):
    return xp.divide(x, y) if x.dtype.kind in "fcV" else xp.truncate_div(x, y)


_divide_grad = of_operands(lambda xp, g, x, y, z: xp.divide(g, conj(xp, y)), _by_denominator(_divide))


def _no_zero_divisor(xp, attrs, x, y):
    if y.dtype.kind not in "iu":
        return []
    return [(xp.all(xp.not_equal(y, xp.const(0, y)), None), "Integer division by zero")]


@binary_op("RealDiv", grad=_divide_grad, needs=("x", "y"), checks=(), naming=Naming("truediv", operator="truediv"))
def real_div(xp, x, y):
    return _divide(xp, x, y)


@binary_op("Div", grad=_divide_grad, needs=("x", "y"), checks=(_no_zero_divisor,))
def div(xp, x, y):
    """Integers truncate."""
    return _divide(xp, x, y)


def _div_no_nan(xp, x, y):
    none = _is_zero(xp, y)
    return xp.select(none, xp.const(0, x), xp.divide(x, _safe_divisor(xp, none, y)))


def _safe_divisor(xp, none, y):
    return xp.select(none, xp.const(1, y), y)


@binary_op(
    "DivNoNan", needs=("x", "y"),
    grad=of_operands(lambda xp, g, x, y, z: _div_no_nan(xp, g, conj(xp, y)), _by_denominator(_div_no_nan)),
    naming=Naming("div_no_nan"),
)
def div_no_nan(xp, x, y):
    """0 wherever y is 0."""
    return _div_no_nan(xp, x, y)


@binary_op(
    "FloorDiv", grad=NO_GRADIENT, checks=(_no_zero_divisor,), value=rules.value_elementwise(operator.floordiv),
    naming=Naming("floordiv"),
)
def floor_div(xp, x, y):
    return xp.floor_divide(x, y)


@binary_op("TruncateDiv", grad=NO_GRADIENT, checks=(_no_zero_divisor,))
def truncate_div(xp, x, y):
    return xp.truncate_div(x, y)


@binary_op(
    "FloorMod",
    needs=("x", "y"),
    checks=(_no_zero_divisor,),
    value=rules.value_elementwise(operator.mod),
    grad=of_operands(
        lambda xp, g, x, y, z: g, lambda xp, g, x, y, z: xp.multiply(g, xp.negative(xp.floor_divide(x, y)))
    ),
    naming=Naming(operator="mod"),
)
def floor_mod(xp, x, y):
    return xp.floor_mod(x, y)


for _name in ("Mod", "TruncateMod"):

    @binary_op(
        _name,
        needs=("x", "y"),
        checks=(_no_zero_divisor,),
        grad=of_operands(
            lambda xp, g, x, y, z: g, lambda xp, g, x, y, z: xp.multiply(g, xp.negative(xp.truncate_div(x, y)))
        ),
    )
    def truncate_mod(xp, x, y):
        return xp.truncate_mod(x, y)


def _pow_left(xp, g, x, y, z):
    x, y = conj(xp, x), conj(xp, y)
    return xp.multiply(xp.multiply(g, y), xp.power(x, xp.subtract(y, xp.const(1, y))))


def _pow_right(xp, g, x, y, z):
    """The logarithm counts as 0 where x is not positive (complex: where it is 0)."""
    zero = xp.const(0, x)
    inside = xp.not_equal(x, zero) if x.dtype.kind == "c" else xp.greater(x, zero)
    log = xp.select(inside, xp.log(_safe(xp, inside, x, 1)), zero)
    return xp.multiply(xp.multiply(g, conj(xp, z)), conj(xp, log))


def _whole_exponent(xp, attrs, x, y):
    if y.dtype.kind != "i":
        return []
    return [(xp.all(xp.greater_equal(y, xp.const(0, y)), None), "Integers to negative integer powers are not allowed")]


@binary_op("Pow", grad=of_operands(_pow_left, _pow_right), checks=(_whole_exponent,), naming=Naming(operator="pow"))
def pow_(xp, x, y):
    return xp.power(x, y)


def _where(condition):
    """A gradient that gives g to x where `condition(x, y)` holds, and to y elsewhere."""

    def taken(xp, g, x, y, z):
        return xp.select(condition(xp, x, y), g, xp.const(0, g))

    def other(xp, g, x, y, z):
        return xp.select(condition(xp, x, y), xp.const(0, g), g)

    return of_operands(taken, other)


@binary_op(
    "Maximum", grad=_where(lambda xp, x, y: xp.greater_equal(x, y)), needs=("x", "y"),
    value=rules.value_elementwise(max),
)
def maximum(xp, x, y):
    """Of equal elements the first input gets the gradient."""
    return xp.maximum(x, y)


@binary_op(
    "Minimum", grad=_where(lambda xp, x, y: xp.less_equal(x, y)), needs=("x", "y"), value=rules.value_elementwise(min)
)
def minimum(xp, x, y):
    return xp.minimum(x, y)


def _twice_difference(xp, g, x, y, z):
    return xp.multiply(xp.multiply(xp.const(2, g), g), xp.subtract(x, y))


@binary_op(
    "SquaredDifference",
    needs=("x", "y"),
    grad=of_operands(_twice_difference, lambda *a: a[0].negative(_twice_difference(*a))),
)
def squared_difference(xp, x, y):
    """`conj(x - y) * (x - y)`."""
    difference = xp.subtract(x, y)
    return xp.square(difference) if x.dtype.kind != "c" else xp.multiply(xp.conj(difference), difference)


def _atan2_grad(xp, attrs, inputs, outputs, cts, wanted):
    y, x = inputs
    scaled = xp.divide(cts[0], xp.add(xp.square(x), xp.square(y)))
    return (
        xp.sum_to_like(xp.multiply(x, scaled), y) if wanted[0] else None,
        xp.sum_to_like(xp.negative(xp.multiply(y, scaled)), x) if wanted[1] else None,
    )


@binary_op("Atan2", grad=_atan2_grad, needs=("x", "y"))
def atan2(xp, y, x):
    return xp.atan2(y, x)


def _complex_grad(xp, attrs, inputs, outputs, cts, wanted):
    real, imag = inputs
    return (
        xp.sum_to_like(xp.real(cts[0]), real) if wanted[0] else None,
        xp.sum_to_like(xp.imag(cts[0]), imag) if wanted[1] else None,
    )


@binary_op("Complex", grad=_complex_grad, needs=("real", "imag"))
def complex_(xp, real, imag, Tout=None):
    return xp.complex(real, imag)


# --- x times a function of y, 0 where x is 0; like TensorFlow's, these gradients do not conjugate ---------------------


def _xlogy(xp, x, y):
    none = _is_zero(xp, x)
    return xp.select(none, xp.const(0, x), xp.multiply(x, xp.log(xp.select(none, xp.const(1, y), y))))


def _xlog1py(xp, x, y):
    none = _is_zero(xp, x)
    return xp.select(none, xp.const(0, x), xp.multiply(x, xp.log1p(xp.select(none, xp.const(1, y), y))))


def _xdivy(xp, x, y):
    none = _is_zero(xp, x)
    return xp.select(none, xp.const(0, x), xp.divide(x, xp.select(none, xp.const(1, y), y)))


def _not_zero(xp, x):
    return xp.select(_is_zero(xp, x), xp.const(0, x), xp.const(1, x))


def _slope(function):
    """The derivative by x: the function of y, where x is not 0."""
    return lambda xp, g, x, y, z: xp.multiply(g, function(xp, _not_zero(xp, x), y))


@binary_op(
    "Xlogy",
    needs=("x", "y"),
    grad=of_operands(_slope(_xlogy), lambda xp, g, x, y, z: xp.multiply(g, _xdivy(xp, x, y))),
)
def xlogy(xp, x, y):
    return _xlogy(xp, x, y)


@binary_op(
    "Xlog1py",
    needs=("x", "y"),
    grad=of_operands(_slope(_xlog1py), lambda xp, g, x, y, z: xp.multiply(g, _xdivy(xp, x, xp.add(y, xp.const(1, y))))),
)
def xlog1py(xp, x, y):
    return _xlog1py(xp, x, y)


@binary_op(
    "Xdivy",
    needs=("x", "y"),
    grad=of_operands(_slope(_xdivy), lambda xp, g, x, y, z: xp.multiply(g, _xdivy(xp, xp.negative(x), xp.square(y)))),
)
def xdivy(xp, x, y):
    return _xdivy(xp, x, y)


# --- special functions ------------------------------------------------------------------------------------------------


def _igamma_by_x(xp, g, a, x, z):
    density = xp.subtract(xp.multiply(xp.subtract(a, xp.const(1, a)), xp.log(x)), xp.add(x, xp.lgamma(a)))
    return xp.multiply(g, xp.exp(density))


def _igamma_by_a(xp, g, a, x, z):
    return xp.multiply(g, xp.igamma_grad_a(a, x))


@binary_op("Igamma", grad=of_operands(_igamma_by_a, _igamma_by_x), needs=("a", "x"))
def igamma(xp, a, x):
    return xp.igamma(a, x)


@binary_op(
    "Igammac",
    needs=("a", "x"),
    grad=of_operands(lambda *v: v[0].negative(_igamma_by_a(*v)), lambda *v: v[0].negative(_igamma_by_x(*v))),
)
def igammac(xp, a, x):
    return xp.igammac(a, x)


@binary_op("IgammaGradA")
def igamma_grad_a(xp, a, x):
    return xp.igamma_grad_a(a, x)


@binary_op("RandomGammaGrad")
def random_gamma_grad(xp, alpha, sample):
    """How a sample of a gamma distribution moves with `alpha`.

    The quantile stays, so minus the quotient of the derivatives of `igamma`.
    """
    density = _igamma_by_x(xp, xp.const(1, sample), alpha, sample, None)
    return xp.negative(xp.divide(xp.igamma_grad_a(alpha, sample), density))


def _zeta_by_q(xp, g, x, q, z):
    return xp.multiply(g, xp.negative(xp.multiply(x, xp.zeta(xp.add(x, xp.const(1, x)), q))))


@binary_op("Zeta", grad=of_operands(None, _zeta_by_q), needs=("x", "q"), nondiff=("x",))
def zeta(xp, x, q):
    return xp.zeta(x, q)


@binary_op(
    "Polygamma", needs=("a", "x"), nondiff=("a",),
    grad=of_operands(None, lambda xp, g, a, x, z: xp.multiply(g, xp.polygamma(xp.add(a, xp.const(1, a)), x))),
)
def polygamma(xp, a, x):
    return xp.polygamma(a, x)


@binary_op(
    "NextAfter",
    needs=("x1", "x2"),
    grad=of_operands(lambda xp, g, x, y, z: g, lambda xp, g, x, y, z: xp.zeros_like(g)),
)
def next_after(xp, x1, x2):
    return xp.nextafter(x1, x2)


# --- comparisons and logic --------------------------------------------------------------------------------------------


def _pointwise(name, kernel, **facts):
    """An op without a gradient whose kernel is one function of `xp`."""
    binary_op(name, grad=NO_GRADIENT, **facts)(kernel)


_pointwise("Less", lambda xp, x, y: xp.less(x, y))
_pointwise("LessEqual", lambda xp, x, y: xp.less_equal(x, y))
_pointwise("Greater", lambda xp, x, y: xp.greater(x, y))
def _places(xp, y):
    """By how many places to shift: what is more than the bits of a number has is all but one of them,
    what is negative is none."""
    bits = 8 * y.dtype.itemsize
    return xp.minimum(xp.maximum(y, xp.const(0, y)), xp.const(bits - 1, y))


_pointwise("GreaterEqual", lambda xp, x, y: xp.greater_equal(x, y))
_pointwise("LogicalAnd", lambda xp, x, y: xp.logical_and(x, y), naming=Naming(operator="and", statement=False))
_pointwise("LogicalOr", lambda xp, x, y: xp.logical_or(x, y), naming=Naming(operator="or", statement=False))
_pointwise("BitwiseAnd", lambda xp, x, y: xp.bitwise_and(x, y), naming=Naming(operator="and"))
_pointwise("BitwiseOr", lambda xp, x, y: xp.bitwise_or(x, y), naming=Naming(operator="or"))
_pointwise("BitwiseXor", lambda xp, x, y: xp.bitwise_xor(x, y), naming=Naming(operator="xor"))
_pointwise("LeftShift", lambda xp, x, y: xp.left_shift(x, _places(xp, y)))
_pointwise("RightShift", lambda xp, x, y: xp.right_shift(x, _places(xp, y)))


def _fits(x, y):
    """Whether two shapes broadcast."""
    return all(a == b or a == 1 or b == 1 for a, b in zip(reversed(x), reversed(y)))  # ranks may differ


def _equality_shape(f):
    """With incompatible_shape_error=False, shapes that do not fit give a scalar."""
    if f.attr("incompatible_shape_error"):
        return rules.broadcast(f)
    a, b = f.shapes
    if a is None or b is None:
        return [None]
    if any(None in pair and 1 not in pair for pair in zip(reversed(a), reversed(b))):
        return [None]
    return rules.broadcast(f) if _fits(a, b) else [()]


def _equality_of_rows(op, attrs, values, flags):
    return batching.aligned(op, attrs, values, flags) if attrs.get("incompatible_shape_error", True) else None


@op("Equal", shape=_equality_shape, grad=NO_GRADIENT, batch=_equality_of_rows)
def equal(xp, x, y, incompatible_shape_error=True):
    if not incompatible_shape_error and not _fits(x.shape, y.shape):
        return xp.zeros((), dtypes.bool_.np_dtype)
    return xp.equal(x, y)


@op("NotEqual", shape=_equality_shape, grad=NO_GRADIENT, batch=_equality_of_rows)
def not_equal(xp, x, y, incompatible_shape_error=True):
    if not incompatible_shape_error and not _fits(x.shape, y.shape):
        return xp.ones((), dtypes.bool_.np_dtype)
    return xp.not_equal(x, y)


@binary_op("ApproximateEqual", grad=NO_GRADIENT, trace_check=traced.equal_shapes, batch=batching.equal_shapes)
def approximate_equal(xp, x, y, tolerance=1e-5):
    require.equal_shapes(x=x, y=y)
    distance = xp.abs(xp.subtract(x, y))
    return xp.less(distance, xp.const(tolerance, distance))
