"""`tf.experimental.numpy`: elementwise functions of one and two arguments, and `clip`.

Functions of floating-point numbers also accept integers, as float64. Booleans are added with "or" and multiplied with
"and".
"""

from __future__ import annotations

import math

import numpy as np

from reflow.api.array import arrange
from reflow.api.array import creation as tensors
from reflow.api.export import export, export_function, with_sections
from reflow.api.math import arithmetic as m
from reflow.api.math import special, unary
from reflow.api.math.reduce import reduce_any
from reflow.api.numpy.arrays import asarray, floating, promoted
from reflow.api.numpy.shaping import broadcast
from reflow.api.numpy.types import result_type
from reflow.core import dtypes
from reflow.function.control_flow import while_loop
from reflow.ops.convert import constant

_SPACE = "experimental.numpy."


def _rounded(result) -> str:
    return ".round(4)" if isinstance(result, float) else ""


def _unary_result(function, result, convert) -> str:
    """What the docstring of a function of one argument says of its result."""
    if isinstance(result, bool):
        return "A boolean tensor of the shape of `x`."
    if function is unary.abs:
        return "A tensor of the shape of `x`, of its dtype or, if that is complex, the real dtype of its parts."
    if convert is floating:
        return "A tensor of the shape of `x`, and of its dtype if that is floating-point or complex; else float64."
    return "A tensor of the shape and dtype of `x`."


def _unary(name: str, function, what: str, argument, result, convert=floating):
    """A public function of one argument, which `convert` makes a tensor."""

    def elementwise(x):
        return function(convert(x))

    doc = f"""{what}

    Args:
      x: A tensor or an array-like value.

    Returns:
      {_unary_result(function, result, convert)}

    >>> tf.experimental.numpy.{name}({argument!r}).numpy(){_rounded(result)}.item()
    {result!r}
    """
    return export_function(elementwise, _SPACE + name, doc=doc)


_COMMON = "A tensor of their common dtype, of the shape to which both are broadcast."
_FLOATING = (
    "A tensor of the broadcast shape, of their common dtype if that is floating-point or complex, else of floats."
)


def _binary(name: str, function, what: str, arguments, result, returns=_COMMON):
    """A public function of two arguments, which are brought to their common dtype."""

    def elementwise(x1, x2):
        return function(*promoted(x1, x2))

    doc = f"""{what}

    Args:
      x1: A tensor or an array-like value.
      x2: A tensor or an array-like value.

    Returns:
      {returns}

    Raises:
      InvalidArgumentError: The shapes cannot be broadcast together.

    >>> tf.experimental.numpy.{name}{arguments!r}.numpy(){_rounded(result)}.item()
    {result!r}
    """
    return export_function(elementwise, _SPACE + name, doc=doc)


# --- one argument -----------------------------------------------------------------------------------------------------

sin = _unary("sin", unary.sin, "Returns the sine of each element, an angle in radians.", 0.0, 0.0)
cos = _unary("cos", unary.cos, "Returns the cosine of each element, an angle in radians.", 0, 1.0)
tan = _unary("tan", unary.tan, "Returns the tangent of each element, an angle in radians.", 0.0, 0.0)
sinh = _unary("sinh", unary.sinh, "Returns the hyperbolic sine of each element.", 0.0, 0.0)
cosh = _unary("cosh", unary.cosh, "Returns the hyperbolic cosine of each element.", 0.0, 1.0)
tanh = _unary("tanh", unary.tanh, "Returns the hyperbolic tangent of each element.", 0.0, 0.0)
arcsin = _unary("arcsin", unary.asin, "Returns the angle in radians whose sine is each element.", 1.0, 1.5708)
arccos = _unary("arccos", unary.acos, "Returns the angle in radians whose cosine is each element.", 1.0, 0.0)
arctan = _unary("arctan", unary.atan, "Returns the angle in radians whose tangent is each element.", 1.0, 0.7854)
arcsinh = _unary("arcsinh", unary.asinh, "Returns the number whose hyperbolic sine is each element.", 0.0, 0.0)
arccosh = _unary("arccosh", unary.acosh, "Returns the number whose hyperbolic cosine is each element.", 1.0, 0.0)
arctanh = _unary("arctanh", unary.atanh, "Returns the number whose hyperbolic tangent is each element.", 0.0, 0.0)
exp = _unary("exp", unary.exp, "Returns e to the power of each element.", 1, 2.7183)
expm1 = _unary("expm1", unary.expm1, "Returns the exponential of each element, less 1; exact near 0.", 0.0, 0.0)
exp2 = _unary("exp2", lambda x: m.pow(m.cast(2, x.dtype), x), "Returns 2 to the power of each element.", 3, 8.0)
log = _unary("log", unary.log, "Returns the natural logarithm of each element.", 1, 0.0)
log1p = _unary("log1p", unary.log1p, "Returns the natural logarithm of 1 plus each element; exact near 0.", 0.0, 0.0)
log2 = _unary(
    "log2", lambda x: unary.log(x) / constant(math.log(2), x.dtype), "Returns the logarithm to the base 2.", 8.0, 3.0
)
log10 = _unary(
    "log10", lambda x: unary.log(x) / constant(math.log(10), x.dtype), "Returns the logarithm to the base 10.", 100.0,
    2.0,
)
sqrt = _unary("sqrt", unary.sqrt, "Returns the square root of each element.", 9, 3.0)
ceil = _unary("ceil", unary.ceil, "Rounds each element up to an integer.", 1.5, 2.0)
floor = _unary("floor", unary.floor, "Rounds each element down to an integer.", 1.5, 1.0)
deg2rad = _unary("deg2rad", lambda x: x * (np.pi / 180.0), "Converts degrees to radians.", 180.0, 3.1416)
rad2deg = _unary("rad2deg", lambda x: x * (180.0 / np.pi), "Converts radians to degrees.", np.pi, 180.0)
isnan = _unary("isnan", unary.is_nan, "Says of each element whether it is NaN.", 1.0, False)
isfinite = _unary("isfinite", unary.is_finite, "Says of each element whether it is a finite number.", 1, True)
abs = _unary("abs", unary.abs, "Returns the absolute value of each element.", -2, 2, asarray)
absolute = _unary("absolute", unary.abs, "Returns the absolute value of each element.", -2, 2, asarray)
fabs = _unary("fabs", unary.abs, "Returns the absolute value of each element.", -2.5, 2.5, asarray)
negative = _unary("negative", unary.negative, "Reverses the sign of each element.", 2, -2, asarray)
positive = _unary("positive", lambda x: x, "Returns the elements unchanged.", 2, 2, asarray)
reciprocal = _unary("reciprocal", unary.reciprocal, "Divides 1 by each element.", 2.0, 0.5, asarray)
square = _unary("square", unary.square, "Squares each element.", 3, 9, asarray)
conj = _unary("conj", unary.conj, "Returns the complex conjugate of each element.", 1 + 2j, 1 - 2j, asarray)
conjugate = _unary("conjugate", unary.conj, "Returns the complex conjugate of each element.", 1 + 2j, 1 - 2j, asarray)


def _cube_root(x):
    root = m.pow(unary.abs(x), constant(1.0 / 3, x.dtype))
    return m.where(x < 0, -root, root)


def _towards_zero(x):
    return m.where(x < 0, unary.ceil(x), unary.floor(x))


def _sinc(x):
    scaled = x * np.pi
    is_zero = m.equal(x, m.cast(0, x.dtype))
    return m.where(is_zero, tensors.ones_like(x), unary.sin(scaled) / m.where(is_zero, tensors.ones_like(x), scaled))


def _negative_sign(x):
    return tensors.fill(arrange.shape(x), False) if x.dtype is dtypes.bool_ else x < 0


def _inverted(x):
    return unary.logical_not(x) if x.dtype is dtypes.bool_ else unary.invert(x)


cbrt = _unary("cbrt", _cube_root, "Returns the cube root of each element.", 8, 2.0)
fix = _unary("fix", _towards_zero, "Rounds each element to an integer, towards 0.", -1.5, -1.0)
sinc = _unary("sinc", _sinc, "Returns `sin(pi * x) / (pi * x)` of each element, and 1 at 0.", 0.0, 1.0)
signbit = _unary(
    "signbit", _negative_sign, "Says of each element whether it is less than 0, which -0.0 is not.", -1, True, asarray
)
bitwise_not = _unary("bitwise_not", _inverted, "Inverts each bit; booleans are negated.", 5, -6, asarray)


@export(_SPACE + "real")
def real(val):
    """Returns the real part of each element.

    Args:
      val: A tensor or an array-like value.

    Returns:
      A tensor of the shape of `val`, and of its dtype if that is real.

    >>> tf.experimental.numpy.real(1 + 2j).numpy().item()
    1.0
    """
    return unary.real(asarray(val))


@export(_SPACE + "imag")
def imag(val):
    """Returns the imaginary part of each element.

    Args:
      val: A tensor or an array-like value.

    Returns:
      A tensor of the shape of `val`; zeros of its dtype if that is real.

    >>> tf.experimental.numpy.imag(1 + 2j).numpy().item()
    2.0
    """
    return unary.imag(asarray(val))


@export(_SPACE + "sign")
def sign(x, out=None, where=None, **kwargs):
    """Returns the sign of each element: -1, 0 or 1.

    Args:
      x: A tensor or an array-like value.
      out: Must be None.
      where: Must be None.
      **kwargs: Must be empty.

    Returns:
      A tensor of the shape and dtype of `x`.

    Raises:
      ValueError: An argument other than `x` is given.

    >>> tf.experimental.numpy.sign([-2.0, 0.0]).numpy().tolist()
    [-1.0, 0.0]
    """
    given = [name for name, value in (("out", out), ("where", where)) if value] or list(kwargs)
    if given:
        raise ValueError(f"tf.numpy doesnt support setting {', '.join(given)}.")
    return unary.sign(asarray(x))


@export(_SPACE + "angle")
def angle(z, deg=False):
    """Returns the angle of complex numbers in their plane.

    Args:
      z: A tensor or an array-like value; the angle of a real number is 0, or pi if it is negative.
      deg: Whether the angle is in degrees; otherwise it is in radians.

    Returns:
      A tensor of the shape of `z`, of the real dtype of its complex numbers; float32 for real numbers.

    >>> tf.experimental.numpy.angle(1j, deg=True).numpy().item()
    90.0
    """
    x = floating(z)
    found = unary.angle(x) if x.dtype.is_complex else m.where(x < 0, np.pi, 0.0)
    return rad2deg(found) if deg else found


_TO_DECIMALS = """\
Args:
  a: A tensor or an array-like value.
  decimals: The number of decimals; a negative one rounds to tens, hundreds and so on.

Returns:
  A tensor of the shape and dtype of `a`.
"""


@export(_SPACE + "around")
@with_sections(_TO_DECIMALS)
def around(a, decimals=0):
    """Rounds each element to a number of decimals; halves are rounded to even.

    >>> tf.experimental.numpy.around([1.25, 2.5], 1).numpy().tolist()
    [1.2, 2.5]
    """
    a = asarray(a)
    x = floating(a)
    factor = constant(math.pow(10, decimals), x.dtype)
    return m.cast(unary.round(x * factor) / factor, a.dtype)


@export(_SPACE + "round")
@with_sections(_TO_DECIMALS)
def round(a, decimals=0):
    """The same as `around`.

    >>> tf.experimental.numpy.round([1.5, 2.5]).numpy().tolist()
    [2.0, 2.0]
    """
    return around(a, decimals=decimals)


# --- two arguments ----------------------------------------------------------------------------------------------------


def _or(of_booleans, function, numbers=None):
    """A function of numbers that for booleans is another one, or works on them as on `numbers`."""

    def chosen(x1, x2):
        if x1.dtype is not dtypes.bool_:
            return function(x1, x2)
        if of_booleans is not None:
            return of_booleans(x1, x2)
        return function(m.cast(x1, numbers), m.cast(x2, numbers))

    return chosen


def _true_divide(x1, x2):
    if x1.dtype is dtypes.bool_:
        x1, x2 = (m.cast(x, result_type(float)) for x in (x1, x2))
    return m.truediv(x1, x2)


def _bits(function):
    """A function of bits; booleans are one bit."""
    return lambda x1, x2: (
        m.cast(function(m.cast(x1, dtypes.int8), m.cast(x2, dtypes.int8)), dtypes.bool_)
        if x1.dtype is dtypes.bool_
        else function(x1, x2)
    )


add = _binary(
    "add", _or(m.logical_or, m.add), "Adds elements; of booleans the result says whether one of both is true.",
    (1, 2.5), 3.5,
)
subtract = _binary("subtract", m.subtract, "Subtracts the second element from the first.", (1, 2), -1)
multiply = _binary(
    "multiply", _or(m.logical_and, m.multiply),
    "Multiplies elements; of booleans the result says whether both are true.", (2, 3), 6,
)
true_divide = _binary("true_divide", _true_divide, "Divides the first element by the second.", (1, 2), 0.5, _FLOATING)
divide = _binary("divide", _true_divide, "Divides the first element by the second.", (1, 2), 0.5, _FLOATING)
floor_divide = _binary(
    "floor_divide", _or(None, m.floordiv, dtypes.int8), "Divides elements and rounds down; booleans count as int8.",
    (7, 2), 3,
)
mod = _binary(
    "mod", _or(None, m.floormod, dtypes.int8),
    "Returns the remainder, with the sign of the divisor; booleans count as int8.", (-7, 3), 2,
)
remainder = _binary(
    "remainder", _or(None, m.floormod, dtypes.int8),
    "Returns the remainder, with the sign of the divisor; booleans count as int8.", (-7, 3), 2,
)
maximum = _binary("maximum", _or(m.logical_or, m.maximum), "Returns the greater of two elements.", (1, 2), 2)
minimum = _binary("minimum", _or(m.logical_and, m.minimum), "Returns the smaller of two elements.", (1, 2), 1)
power = _binary("power", m.pow, "Raises the first element to the power of the second.", (2, 3), 8)
float_power = _binary(
    "float_power", m.pow, "Raises the first element to the power of the second, in their common dtype.", (2.0, 3), 8.0
)
arctan2 = _binary(
    "arctan2", special.atan2, "Returns the angle in radians of the point with these coordinates, y first.", (1.0, 1.0),
    0.7854,
)
nextafter = _binary(
    "nextafter", special.nextafter, "Returns the number next to the first in the direction of the second.", (1.0, 2.0),
    1.0,
)
bitwise_and = _binary("bitwise_and", _bits(m.bitwise_and), "Returns the bits that both elements have.", (6, 3), 2)
bitwise_or = _binary("bitwise_or", _bits(m.bitwise_or), "Returns the bits that at least one element has.", (6, 3), 7)
bitwise_xor = _binary("bitwise_xor", _bits(m.bitwise_xor), "Returns the bits that exactly one element has.", (6, 3), 5)


def _heaviside(x1, x2):
    one, zero = (m.cast(number, x2.dtype) for number in (1, 0))
    return floating(m.where(x1 < 0, zero, m.where(x1 > 0, one, x2)))


def _gcd(x1, x2):
    """Euclid's algorithm on all elements at once."""
    if not (x1.dtype.is_integer and x2.dtype.is_integer):
        raise ValueError("Arguments to gcd must be integers.")
    x1, x2 = (unary.abs(x) for x in broadcast(x1, x2))
    zero, one = (constant(number, x1.dtype) for number in (0, 1))

    def step(a, b):
        done = m.equal(b, zero)
        return m.where(done, a, b), m.where(done, zero, m.floormod(a, m.where(done, one, b)))

    return while_loop(lambda a, b: reduce_any(m.not_equal(b, zero)), step, (x1, x2))[0]


def _lcm(x1, x2):
    divisor = _gcd(x1, x2)
    zero, one = (constant(number, divisor.dtype) for number in (0, 1))
    none = m.equal(divisor, zero)
    return m.where(none, zero, unary.abs(x1) * (unary.abs(x2) // m.where(none, one, divisor)))


def _log_add(base: float):
    """The logarithm of the sum of two powers of `base`, without making the powers."""

    def function(x1, x2):
        x1, x2 = floating(x1), floating(x2)
        log_base = constant(math.log(base), x1.dtype)
        distance = x1 - x2
        found = m.maximum(x1, x2) + unary.log1p(unary.exp(-unary.abs(distance) * log_base)) / log_base
        return m.where(unary.is_nan(distance), x1 + x2, found)

    return function


def _hypot(x1, x2):
    x1, x2 = floating(x1), floating(x2)
    return unary.sqrt(unary.square(x1) + unary.square(x2))


heaviside = _binary(
    "heaviside", _heaviside, "Returns 0 where the first is negative, 1 where it is positive, else the second.", (0, 5),
    5.0, _FLOATING,
)
gcd = _binary("gcd", _gcd, "Returns the greatest common divisor of integers.", (12, 8), 4)
lcm = _binary("lcm", _lcm, "Returns the least common multiple of integers.", (4, 6), 12)
hypot = _binary(
    "hypot", _hypot, "Returns the length of the hypotenuse of a right triangle, from the other two sides.", (3, 4), 5.0,
    _FLOATING,
)
logaddexp = _binary(
    "logaddexp", _log_add(math.e), "Returns the logarithm of the sum of the exponentials of two elements.", (0.0, 0.0),
    0.6931, _FLOATING,
)
logaddexp2 = _binary(
    "logaddexp2", _log_add(2), "Returns the logarithm to the base 2 of the sum of two powers of 2.", (1.0, 1.0), 2.0,
    _FLOATING,
)


@export(_SPACE + "divmod")
def divmod(x1, x2):
    """Returns the quotient rounded down, and the remainder.

    Args:
      x1: The dividend.
      x2: The divisor.

    Returns:
      A pair of tensors: what `floor_divide` and `mod` return.

    Raises:
      InvalidArgumentError: The shapes cannot be broadcast together, or an integer is divided by 0.

    >>> [x.numpy().item() for x in tf.experimental.numpy.divmod(7, 2)]
    [3, 1]
    """
    return floor_divide(x1, x2), mod(x1, x2)


@export(_SPACE + "clip")
def clip(a, a_min, a_max):
    """Limits each element to the range from `a_min` to `a_max`.

    Args:
      a: A tensor or an array-like value.
      a_min: The lower bound, or a tensor of them; None for no bound.
      a_max: The upper bound, or a tensor of them; None for no bound. Where `a_min` is greater, the result is `a_min`.

    Returns:
      A tensor of the common dtype, of the shape to which all are broadcast.

    Raises:
      ValueError: Both bounds are None.
      InvalidArgumentError: The shapes cannot be broadcast together.

    >>> tf.experimental.numpy.clip([1, 5, 9], 2, 7).numpy().tolist()
    [2, 5, 7]
    """
    if a_min is None and a_max is None:
        raise ValueError("Not more than one of `a_min` and `a_max` may be `None`.")
    bounds = [bound for bound in (a_min, a_max) if bound is not None]
    x, *bounds = broadcast(*promoted(a, *bounds))
    if a_max is not None:
        x = m.minimum(x, bounds[-1])
    return x if a_min is None else m.maximum(x, bounds[0])
