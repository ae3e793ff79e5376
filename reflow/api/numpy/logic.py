"""`tf.experimental.numpy`: comparisons, logic, and predicates on elements."""

from __future__ import annotations

import numpy as np

from reflow.api.export import export, export_function, with_sections
from reflow.api.math import arithmetic as m
from reflow.api.math import unary
from reflow.api.math.reduce import reduce_all
from reflow.api.numpy.arrays import array, asarray, promoted
from reflow.api.numpy.reductions import all as all_of
from reflow.core import dtypes
from reflow.core.tensor import Tensor
from reflow.ops.convert import constant, convert_to_tensor

_SPACE = "experimental.numpy."


_PAIRS = """\
Args:
  x1: A tensor or an array-like value.
  x2: A tensor or an array-like value.

Returns:
  A boolean tensor of the shape to which both are broadcast.

Raises:
  InvalidArgumentError: The shapes cannot be broadcast together.
"""


def _of_pairs(function, name: str, what: str, example: str, result: bool):
    """Exports a function that says something of each pair of elements."""
    doc = f"Says of each pair of elements whether {what}.\n\n{_PAIRS}"
    example = f">>> tf.experimental.numpy.{name}{example}.numpy().item()\n{result}"
    return export_function(function, _SPACE + name, doc=doc, example=example)


def _comparison(name: str, function, what: str, result: bool, ordered: bool = True):
    """A public comparison; booleans are ordered as 0 and 1."""

    def compare(x1, x2):
        x1, x2 = promoted(x1, x2)
        if ordered and x1.dtype is dtypes.bool_:
            x1, x2 = m.cast(x1, dtypes.int32), m.cast(x2, dtypes.int32)
        return function(x1, x2)

    return _of_pairs(compare, name, what, "(1, 2.5)", result)


equal = _comparison("equal", m.equal, "they are equal", False, ordered=False)
not_equal = _comparison("not_equal", m.not_equal, "they differ", True, ordered=False)
greater = _comparison("greater", m.greater, "the first is greater", False)
greater_equal = _comparison("greater_equal", m.greater_equal, "the first is greater or equal", False)
less = _comparison("less", m.less, "the first is smaller", True)
less_equal = _comparison("less_equal", m.less_equal, "the first is smaller or equal", True)


def _logical(name: str, function, what: str, result: bool):
    def logical(x1, x2):
        return function(array(x1, dtype=np.bool_), array(x2, dtype=np.bool_))

    return _of_pairs(logical, name, f"{what} true; a number is if it is not 0", "(True, 0)", result)


logical_and = _logical("logical_and", m.logical_and, "both are", False)
logical_or = _logical("logical_or", m.logical_or, "at least one is", True)
logical_xor = _logical("logical_xor", m.logical_xor, "exactly one is", True)


@export(_SPACE + "logical_not")
def logical_not(x):
    """Negates each element; a number is true if it is not 0.

    Args:
      x: A tensor or an array-like value.

    Returns:
      A boolean tensor of the shape of `x`.

    >>> tf.experimental.numpy.logical_not([0, 2]).numpy().tolist()
    [True, False]
    """
    return unary.logical_not(array(x, dtype=np.bool_))


@export(_SPACE + "array_equal")
def array_equal(a1, a2):
    """Says whether two tensors have the same shape and the same elements.

    Args:
      a1: A tensor or an array-like value.
      a2: A tensor or an array-like value.

    Returns:
      A scalar boolean tensor.

    >>> tf.experimental.numpy.array_equal([1, 2], [1, 2]).numpy().item()
    True
    """
    x, y = promoted(a1, a2)
    if not x.shape.is_compatible_with(y.shape):
        return constant(False)
    if x.shape.is_fully_defined() and y.shape.is_fully_defined():
        return reduce_all(m.equal(x, y))
    same = x == y  # of tensors whose shapes do not fit this is False
    return reduce_all(same) if isinstance(same, Tensor) else constant(bool(same))


_CLOSE = """\
Args:
  a: A tensor or an array-like value.
  b: A tensor or an array-like value.
  rtol: The tolerance relative to `b`.
  atol: The absolute tolerance. Integers are compared without either.
  equal_nan: Whether NaN is close to NaN.

Returns:
  {result}.

Raises:
  InvalidArgumentError: The shapes cannot be broadcast together.
"""


@export(_SPACE + "isclose")
@with_sections(_CLOSE, result="A boolean tensor of the shape to which both are broadcast")
def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Says of each pair of elements whether they differ by no more than `atol + rtol * |b|`.

    >>> tf.experimental.numpy.isclose([1.0, 2.0], [1.0, 2.1]).numpy().tolist()
    [True, False]
    """
    a, b = promoted(a, b)
    if a.dtype.kind not in "fc":
        return m.equal(a, b)
    real = a.dtype.real_dtype
    limit = convert_to_tensor(atol, real) + convert_to_tensor(rtol, real) * unary.abs(b)
    found = unary.abs(a - b) <= limit
    return m.logical_or(found, m.logical_and(unary.is_nan(a), unary.is_nan(b))) if equal_nan else found


@export(_SPACE + "allclose")
@with_sections(_CLOSE, result="A scalar boolean tensor")
def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Says whether all pairs of elements differ by no more than `atol + rtol * |b|`.

    >>> tf.experimental.numpy.allclose([1.0, 2.0], [1.0, 2.1]).numpy().item()
    False
    """
    return all_of(isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan))


# --- predicates -------------------------------------------------------------------------------------------------------

_OF_ELEMENTS = "A boolean tensor of the shape of `x`"


def _predicate(name: str, what: str, function, example: str, result, returns: str):
    """Exports a function that says something of `x`."""
    doc = f"""{what}.

    Args:
      x: A tensor or an array-like value.

    Returns:
      {returns}.

    >>> tf.experimental.numpy.{name}{example}
    {result}
    """
    return export_function(function, _SPACE + name, doc=doc)


def _imaginary(name: str, what: str, compared, result: list):
    def function(x):
        return compared(unary.imag(asarray(x)), 0)

    text = f"Says of each element whether it has {what} imaginary part"
    return _predicate(name, text, function, "([1j, 2]).numpy().tolist()", result, _OF_ELEMENTS)


iscomplex = _imaginary("iscomplex", "an", m.not_equal, [True, False])
isreal = _imaginary("isreal", "no", m.equal, [False, True])


def _complex_dtype(name: str, what: str, wanted: bool):
    def function(x):
        return array(x).dtype.is_complex is wanted

    return _predicate(name, f"Says whether the dtype of a value {what} complex", function, "([1j])", wanted, "A bool")


iscomplexobj = _complex_dtype("iscomplexobj", "is", True)
isrealobj = _complex_dtype("isrealobj", "is not", False)


def _infinite(name: str, what: str, value: float, found):
    def function(x):
        x = asarray(x)
        return found(x) if x.dtype.is_floating else False

    example = f'([1.0, float("{value}")]).numpy().tolist()'
    returns = f"{_OF_ELEMENTS}; the bool False if `x` does not contain floating-point numbers"
    return _predicate(name, f"Says of each element whether it is {what}", function, example, [False, True], returns)


def _equals(value: float):
    return lambda x: m.equal(x, m.cast(value, x.dtype))


isinf = _infinite("isinf", "infinite", np.inf, unary.is_inf)
isposinf = _infinite("isposinf", "positive infinity", np.inf, _equals(np.inf))
isneginf = _infinite("isneginf", "negative infinity", -np.inf, _equals(-np.inf))
