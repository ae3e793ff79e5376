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


def _comparison(name: str, function, what: str, result: bool, ordered: bool = True):
    """A public comparison; booleans are ordered as 0 and 1."""

    def compare(x1, x2):
        x1, x2 = promoted(x1, x2)
        if ordered and x1.dtype is dtypes.bool_:
            x1, x2 = m.cast(x1, dtypes.int32), m.cast(x2, dtypes.int32)
        return function(x1, x2)

    doc = f"""Says of each pair of elements whether {what}.

    Args:
      x1: A tensor or an array-like value.
      x2: A tensor or an array-like value.

    Returns:
      A boolean tensor of the shape to which both are broadcast.

    Raises:
      InvalidArgumentError: The shapes cannot be broadcast together.

    >>> tf.experimental.numpy.{name}(1, 2.5).numpy().item()
    {result}
    """
    return export_function(compare, _SPACE + name, doc=doc)


equal = _comparison("equal", m.equal, "they are equal", False, ordered=False)
not_equal = _comparison("not_equal", m.not_equal, "they differ", True, ordered=False)
greater = _comparison("greater", m.greater, "the first is greater", False)
greater_equal = _comparison("greater_equal", m.greater_equal, "the first is greater or equal", False)
less = _comparison("less", m.less, "the first is smaller", True)
less_equal = _comparison("less_equal", m.less_equal, "the first is smaller or equal", True)


def _logical(name: str, function, what: str, result: bool):
    def logical(x1, x2):
        return function(array(x1, dtype=np.bool_), array(x2, dtype=np.bool_))

    doc = f"""Says of each pair of elements whether {what} true; a number is if it is not 0.

    Args:
      x1: A tensor or an array-like value.
      x2: A tensor or an array-like value.

    Returns:
      A boolean tensor of the shape to which both are broadcast.

    Raises:
      InvalidArgumentError: The shapes cannot be broadcast together.

    >>> tf.experimental.numpy.{name}(True, 0).numpy().item()
    {result}
    """
    return export_function(logical, _SPACE + name, doc=doc)


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


@export(_SPACE + "isclose")
def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Says of each pair of elements whether they differ by no more than `atol + rtol * |b|`.

    Args:
      a: A tensor or an array-like value.
      b: A tensor or an array-like value.
      rtol: The tolerance relative to `b`.
      atol: The absolute tolerance. Integers are compared without either.
      equal_nan: Whether NaN is close to NaN.

    Returns:
      A boolean tensor of the shape to which both are broadcast.

    Raises:
      InvalidArgumentError: The shapes cannot be broadcast together.

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
def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Says whether all pairs of elements differ by no more than `atol + rtol * |b|`.

    Args:
      a: A tensor or an array-like value.
      b: A tensor or an array-like value.
      rtol: The tolerance relative to `b`.
      atol: The absolute tolerance. Integers are compared without either.
      equal_nan: Whether NaN is close to NaN.

    Returns:
      A scalar boolean tensor.

    Raises:
      InvalidArgumentError: The shapes cannot be broadcast together.

    >>> tf.experimental.numpy.allclose([1.0, 2.0], [1.0, 2.1]).numpy().item()
    False
    """
    return all_of(isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan))


_OF_VALUE = """\
Args:
  x: A tensor or an array-like value.

Returns:
  {result}.
"""


@export(_SPACE + "iscomplex")
@with_sections(_OF_VALUE, result="A boolean tensor of the shape of `x`")
def iscomplex(x):
    """Says of each element whether it has an imaginary part.

    >>> tf.experimental.numpy.iscomplex([1j, 2]).numpy().tolist()
    [True, False]
    """
    return m.not_equal(unary.imag(asarray(x)), 0)


@export(_SPACE + "isreal")
@with_sections(_OF_VALUE, result="A boolean tensor of the shape of `x`")
def isreal(x):
    """Says of each element whether it has no imaginary part.

    >>> tf.experimental.numpy.isreal([1j, 2]).numpy().tolist()
    [False, True]
    """
    return m.equal(unary.imag(asarray(x)), 0)


@export(_SPACE + "iscomplexobj")
@with_sections(_OF_VALUE, result="A bool")
def iscomplexobj(x):
    """Says whether the dtype of a value is complex.

    >>> tf.experimental.numpy.iscomplexobj([1j])
    True
    """
    return array(x).dtype.is_complex


@export(_SPACE + "isrealobj")
@with_sections(_OF_VALUE, result="A bool")
def isrealobj(x):
    """Says whether the dtype of a value is not complex.

    >>> tf.experimental.numpy.isrealobj([1j])
    False
    """
    return not iscomplexobj(x)


@export(_SPACE + "isinf")
def isinf(x):
    """Says of each element whether it is infinite.

    Args:
      x: A tensor or an array-like value.

    Returns:
      A boolean tensor of the shape of `x`; the bool False if `x` does not contain floating-point numbers.

    >>> tf.experimental.numpy.isinf([1.0, float("inf")]).numpy().tolist()
    [False, True]
    """
    x = asarray(x)
    return unary.is_inf(x) if x.dtype.is_floating else False


def _infinite(name: str, what: str, value: float):
    def function(x):
        x = asarray(x)
        return m.equal(x, m.cast(value, x.dtype)) if x.dtype.is_floating else False

    doc = f"""Says of each element whether it is {what} infinity.

    Args:
      x: A tensor or an array-like value.

    Returns:
      A boolean tensor of the shape of `x`; the bool False if `x` does not contain floating-point numbers.

    >>> tf.experimental.numpy.{name}([1.0, float("{value}")]).numpy().tolist()
    [False, True]
    """
    return export_function(function, _SPACE + name, doc=doc)


isposinf = _infinite("isposinf", "positive", np.inf)
isneginf = _infinite("isneginf", "negative", -np.inf)
