"""`tf.experimental.numpy`: elements along an axis in their order.

Running totals, differences, positions of extremes, sorting.
"""

from __future__ import annotations

import numpy as np

from reflow.api.array import sorting
from reflow.api.export import export, export_function
from reflow.api.math import arithmetic as m
from reflow.api.math import reduce
from reflow.api.numpy.arrays import array, asarray, atleast_1d, whole_axis
from reflow.api.numpy.shaping import ravel
from reflow.api.numpy.types import settings
from reflow.core import dtypes
from reflow.ops.convert import constant

_SPACE = "experimental.numpy."


def _running(function, a, axis, dtype):
    a = asarray(a, dtype)
    if dtype is None and a.dtype.is_integer:
        a = asarray(a, np.promote_types(a.dtype.np_dtype, np.int32 if settings.lattice else int))
    return function(ravel(a), 0) if axis is None else function(a, whole_axis(axis, a))


_CUMULATIVE = """\
Args:
  a: A tensor or an array-like value of numbers.
  axis: The axis along which they run; by default `a` is treated as a vector.
  dtype: The dtype to which `a` is converted first; by default integers become int64.

Returns:
  A tensor of the shape of `a`, or without an axis a vector.

Raises:
  InvalidArgumentError: The axis is out of range, or `a` contains booleans and no `dtype` is given.
"""


def _cumulative(name: str, what: str, function, result: list):
    def running(a, axis=None, dtype=None):
        return _running(function, a, axis, dtype)

    doc = f"Computes running {what} along an axis.\n\n{_CUMULATIVE}"
    example = f">>> tf.experimental.numpy.{name}([1, 2, 3]).numpy().tolist()\n{result}"
    return export_function(running, _SPACE + name, doc=doc, example=example)


cumsum = _cumulative("cumsum", "sums", reduce.cumsum, [1, 3, 6])
cumprod = _cumulative("cumprod", "products", reduce.cumprod, [1, 2, 6])


_POSITION = """\
Args:
  a: A tensor or an array-like value.
  axis: The axis that is reduced; by default `a` is treated as a vector.

Returns:
  An int64 tensor in the shape of `a` without the axis.

Raises:
  InvalidArgumentError: The axis is out of range or empty.
"""


def _position(name: str, what: str, function, argument: list):
    def position(a, axis=None):
        return function(ravel(a) if axis is None else atleast_1d(a), axis or 0)

    doc = f"Finds the index of the {what} element along an axis; of equal ones, the first.\n\n{_POSITION}"
    example = f">>> tf.experimental.numpy.{name}({argument}).numpy().item()\n1"
    return export_function(position, _SPACE + name, doc=doc, example=example)


argmax = _position("argmax", "greatest", reduce.argmax, [1, 3, 2])
argmin = _position("argmin", "least", reduce.argmin, [2, 1, 3])


def _no_order(order):
    if order is not None:
        raise ValueError("The `order` argument is not supported. Pass order=None")


@export(_SPACE + "sort")
def sort(a, axis=-1, kind="quicksort", order=None):
    """Sorts the elements along an axis in ascending order.

    Args:
      a: A tensor or an array-like value.
      axis: The axis; None treats `a` as a vector.
      kind: Must be "quicksort".
      order: Must be None.

    Returns:
      A tensor of the shape and dtype of `a`, or with the axis None a vector.

    Raises:
      ValueError: `kind` or `order` has another value.
      InvalidArgumentError: The axis is out of range.

    >>> tf.experimental.numpy.sort([3, 1, 2]).numpy().tolist()
    [1, 2, 3]
    """
    if kind != "quicksort":
        raise ValueError(
            f'Invalid value for argument `kind`. Only kind="quicksort" is supported. Received: kind={kind}'
        )
    _no_order(order)
    return sorting.sort(ravel(a), 0) if axis is None else sorting.sort(array(a), axis)


@export(_SPACE + "argsort")
def argsort(a, axis=-1, kind="quicksort", order=None):
    """Returns the indices that put the elements along an axis into ascending order.

    Args:
      a: A tensor or an array-like value.
      axis: The axis; None treats `a` as a vector.
      kind: "quicksort", or "stable" to keep the order of equal elements.
      order: Must be None.

    Returns:
      An int64 tensor in the shape of `a`, or with the axis None a vector.

    Raises:
      ValueError: `kind` or `order` has another value.
      TypeError: `a` is complex.

    >>> tf.experimental.numpy.argsort([3, 1, 2]).numpy().tolist()
    [1, 2, 0]
    """
    if kind not in ("quicksort", "stable"):
        raise ValueError(
            'Invalid value for argument `kind`. Only kind="quicksort" and kind="stable" are '
            f'supported. Received: kind={kind}'
        )
    _no_order(order)
    a = array(a)
    if a.dtype.is_complex:
        raise TypeError(f"argsort does not support complex64/complex128 dtypes. Received dtype: {a.dtype}")
    if a.shape.rank == 0:
        found = constant([0])
    else:
        found = sorting.argsort(ravel(a) if axis is None else a, 0 if axis is None else axis, stable=kind == "stable")
    return m.cast(found, dtypes.int32 if settings.lattice else dtypes.int64)


@export(_SPACE + "diff")
def diff(a, n=1, axis=-1):
    """Computes the differences of neighbours along an axis, `n` times.

    Args:
      a: A tensor or an array-like value of known rank; of booleans the result says whether neighbours differ.
      n: How many times.
      axis: The axis along which neighbours lie.

    Returns:
      A tensor of the dtype of `a`; the axis is shorter by `n`.

    Raises:
      ValueError: The axis is out of range, `n` is negative, or the rank is unknown.

    >>> tf.experimental.numpy.diff([1, 3, 6]).numpy().tolist()
    [2, 3]
    """
    a = asarray(a)
    rank = a.shape.rank
    if rank is None:
        raise ValueError(
            f"Function `diff` currently requires a known rank for input `a`. Received: a={a} (unknown rank)"
        )
    if not -rank <= axis < rank:
        raise ValueError(f"Argument `axis` (received axis={axis}) is out of bounds for input {a} of rank {rank}.")
    if n < 0:
        raise ValueError(f"Argument `order` must be a non-negative integer. Received: axis={n}")
    subtract = m.not_equal if a.dtype is dtypes.bool_ else m.subtract
    before = (slice(None),) * (axis % rank)
    for _ in range(n):
        a = subtract(a[(*before, slice(1, None))], a[(*before, slice(None, -1))])
    return a
