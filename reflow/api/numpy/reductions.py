"""`tf.experimental.numpy`: sums, means, extremes and other reductions.

As in NumPy, integers are summed in 64 bits, and averaged as floating point numbers.
"""

from __future__ import annotations

import numpy as np

from reflow.api.array import arrange
from reflow.api.control.printing import assert_ as assertion
from reflow.api.export import export, export_function, with_sections
from reflow.api.linalg.products import tensordot
from reflow.api.math import arithmetic as m
from reflow.api.math import reduce, unary
from reflow.api.numpy.arrays import array, asarray, floating
from reflow.api.numpy.choosing import where
from reflow.api.numpy.types import result_type, settings
from reflow.core import dtypes
from reflow.core.tensor import Tensor

_SPACE = "experimental.numpy."
_ARRAY = "A tensor or an array-like value"
_SAME_DTYPE = "A tensor of the dtype of `a`"
_UNSIGNED = {dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64}


def _summable(a):
    """Booleans and narrow integers as integers of the default width."""
    if a.dtype.kind not in "iub":
        return a
    bits = 8 if a.dtype is dtypes.bool_ else a.dtype.size * 8
    width = 32 if settings.lattice else 64
    if bits >= width:
        return a
    return m.cast(a, f"{'uint' if a.dtype in _UNSIGNED else 'int'}{width}")


def _axis(axis):
    is_odd = isinstance(axis, Tensor) and axis.dtype not in (dtypes.int32, dtypes.int64)
    return m.cast(axis, dtypes.int64) if is_odd else axis


def _no_out(out):
    if out is not None:
        raise ValueError("Setting out is not supported.")


def _total(a, axis, dtype, keepdims, function, of_booleans):
    a = asarray(a, dtype)
    if dtype is not None and a.dtype is dtypes.bool_:
        return of_booleans(a, _axis(axis), bool(keepdims))
    return function(a if dtype is not None else _summable(a), _axis(axis), bool(keepdims))


_IN_64_BITS = "A tensor; without a `dtype`, booleans and integers are {} in 64 bits, and others keep their dtype"
_TOTAL = """\
Args:
  a: A tensor or an array-like value.
  axis: The axis or axes that are reduced; all by default.
  dtype: The dtype to which `a` is converted first.
  keepdims: Whether reduced axes stay, with size 1.

Returns:
  {result}.

Raises:
  InvalidArgumentError: An axis is out of range.
"""


@export(_SPACE + "sum")
@with_sections(_TOTAL, result=_IN_64_BITS.format("summed"))
def sum(a, axis=None, dtype=None, keepdims=None):
    """Sums the elements along axes.

    >>> tf.experimental.numpy.sum([[1, 2], [3, 4]], axis=0).numpy().tolist()
    [4, 6]
    """
    return _total(a, axis, dtype, keepdims, reduce.reduce_sum, reduce.reduce_any)


@export(_SPACE + "prod")
@with_sections(_TOTAL, result=_IN_64_BITS.format("multiplied"))
def prod(a, axis=None, dtype=None, keepdims=None):
    """Multiplies the elements along axes.

    >>> tf.experimental.numpy.prod([1, 2, 3]).numpy().item()
    6
    """
    return _total(a, axis, dtype, keepdims, reduce.reduce_prod, reduce.reduce_all)


@export(_SPACE + "mean")
def mean(a, axis=None, dtype=None, out=None, keepdims=None):
    """Computes the mean of the elements along axes.

    Args:
      a: A tensor or an array-like value.
      axis: The axis or axes that are reduced; all by default.
      dtype: The dtype to which `a` is converted first.
      out: Must be None.
      keepdims: Whether reduced axes stay, with size 1.

    Returns:
      A tensor of `dtype`; by default of the dtype of `a`, or float64 if that is an integer.

    Raises:
      ValueError: `out` is given.
      InvalidArgumentError: An axis is out of range.

    >>> tf.experimental.numpy.mean([1, 2]).numpy().item()
    1.5
    """
    _no_out(out)
    a = floating(a) if dtype is None else asarray(a, dtype)
    return reduce.reduce_mean(a, _axis(axis), bool(keepdims))


@export(_SPACE + "var")
def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=None):
    """Computes the variance along axes: squared deviations from the mean, summed, divided by their number less `ddof`.

    Args:
      a: A tensor or an array-like value.
      axis: The axis or axes that are reduced; all by default.
      dtype: The dtype of the result, which takes part in the computation.
      out: Must be None.
      ddof: What is subtracted from the number of elements.
      keepdims: Whether reduced axes stay, with size 1.

    Returns:
      A tensor of `dtype`; by default of the real dtype of `a`, or float64 if that is an integer.

    Raises:
      ValueError: `out` is given.
      InvalidArgumentError: An axis is out of range.

    >>> tf.experimental.numpy.var([1, 2, 3], ddof=1).numpy().item()
    1.0
    """
    _no_out(out)
    a = floating(asarray(a, result_type(a, dtype) if dtype else None))
    if ddof:
        deviations = a - reduce.reduce_mean(a, axis, keepdims=True)
        squares = unary.real(deviations * unary.conj(deviations))
        count = m.cast(arrange.size(a), squares.dtype) / m.cast(arrange.size(reduce.reduce_sum(a, axis)), squares.dtype)
        found = reduce.reduce_sum(squares, axis, bool(keepdims)) / (count - ddof)
    else:
        found = reduce.reduce_variance(a, _axis(axis), bool(keepdims))
    return m.cast(found, dtype) if dtype else found


@export(_SPACE + "std")
def std(a, axis=None, keepdims=None):
    """Computes the standard deviation along axes.

    Args:
      a: A tensor or an array-like value.
      axis: The axis or axes that are reduced; all by default.
      keepdims: Whether reduced axes stay, with size 1.

    Returns:
      A tensor of the real dtype of `a`, or float64 if that is an integer.

    Raises:
      InvalidArgumentError: An axis is out of range.

    >>> tf.experimental.numpy.std([1, 3]).numpy().item()
    1.0
    """
    return reduce.reduce_std(floating(a), _axis(axis), bool(keepdims))


def _extreme(a, axis, keepdims, function, of_booleans):
    a = asarray(a)
    return (of_booleans if a.dtype is dtypes.bool_ else function)(a, _axis(axis), bool(keepdims))


_EXTREME = """\
Args:
  a: A tensor or an array-like value.
  axis: The axis or axes that are reduced; all by default.
  out: Must be None.
  keepdims: Whether reduced axes stay, with size 1.

Returns:
  A tensor of the dtype of `a`.

Raises:
  ValueError: `out` is given.
  InvalidArgumentError: An axis is out of range.
"""


@export(_SPACE + "amax")
@with_sections(_EXTREME)
def amax(a, axis=None, out=None, keepdims=None):
    """Finds the greatest element along axes.

    >>> tf.experimental.numpy.amax([[1, 2], [3, 0]], axis=1).numpy().tolist()
    [2, 3]
    """
    _no_out(out)
    return _extreme(a, axis, keepdims, reduce.reduce_max, reduce.reduce_any)


@export(_SPACE + "amin")
@with_sections(_EXTREME)
def amin(a, axis=None, out=None, keepdims=None):
    """Finds the least element along axes.

    >>> tf.experimental.numpy.amin([[True, False], [True, True]], axis=0, keepdims=True).numpy().tolist()
    [[True, False]]
    """
    _no_out(out)
    return _extreme(a, axis, keepdims, reduce.reduce_min, reduce.reduce_all)


def _along_axes(name: str, what: str, function, argument: list, result, kind=_ARRAY, returns=_SAME_DTYPE):
    """A public function of `a`, `axis` and `keepdims`."""

    def reduction(a, axis=None, keepdims=None):
        return function(a, axis=axis, keepdims=keepdims)

    doc = f"""{what}

    Args:
      a: {kind}.
      axis: The axis or axes that are reduced; all by default.
      keepdims: Whether reduced axes stay, with size 1.

    Returns:
      {returns}.

    Raises:
      InvalidArgumentError: An axis is out of range.

    >>> tf.experimental.numpy.{name}({argument}).numpy().item()
    {result}
    """
    return export_function(reduction, _SPACE + name, doc=doc)


def _spread(a, axis, keepdims):
    return amax(a, axis=axis, keepdims=keepdims) - amin(a, axis=axis, keepdims=keepdims)


max = _along_axes("max", "Finds the greatest element along axes.", amax, [1, 3, 2], 3)
min = _along_axes("min", "Finds the least element along axes.", amin, [2, 1, 3], 1)
ptp = _along_axes(
    "ptp", "Subtracts the least element along axes from the greatest.", _spread, [1, 5, 3], 4,
    kind=f"{_ARRAY} of numbers",
)


def _of_booleans(name: str, what: str, function, result: bool):
    def truth(a, axis, keepdims):
        return function(asarray(a, np.bool_), axis, bool(keepdims))

    kind = f"{_ARRAY}; a number is true if it is not 0"
    return _along_axes(name, what, truth, [1, 0], result, kind=kind, returns="A boolean tensor")


all = _of_booleans("all", "Says whether all elements along axes are true.", reduce.reduce_all, False)
any = _of_booleans("any", "Says whether any element along axes is true.", reduce.reduce_any, True)


@export(_SPACE + "count_nonzero")
def count_nonzero(a, axis=None):
    """Counts the elements along axes that are not zero.

    Args:
      a: A tensor or an array-like value.
      axis: The axis or axes that are reduced; all by default.

    Returns:
      An int64 tensor.

    Raises:
      InvalidArgumentError: An axis is out of range.

    >>> tf.experimental.numpy.count_nonzero([1, 0, 2]).numpy().item()
    2
    """
    return reduce.count_nonzero(array(a), axis)


@export(_SPACE + "average")
def average(a, axis=None, weights=None, returned=False):
    """Computes the mean of the elements, each counted by its weight.

    Args:
      a: A tensor or an array-like value.
      axis: The axis that is reduced, one integer; all by default.
      weights: The weights, in the shape of `a`, or a vector along `axis`; all equal by default.
      returned: Whether the sum of the weights is returned too.

    Returns:
      A tensor of floating-point or complex numbers, or with `returned` a pair of it and the sums of the weights.

    Raises:
      ValueError: `axis` is not an integer.
      InvalidArgumentError: The weights have another shape.

    >>> tf.experimental.numpy.average([1.0, 2.0], weights=[3, 1]).numpy().item()
    1.25
    """
    if axis is not None and not isinstance(axis, int):
        raise ValueError(f"Argument `axis` must be an integer. Received axis={axis} (of type {type(axis)})")
    a = array(a)
    if weights is None:
        a = floating(a)
        found = reduce.reduce_mean(a, axis)
        total = m.cast(arrange.size(a) if axis is None else arrange.shape(a)[axis], a.dtype)
    else:
        kinds = [a.dtype, weights] if a.dtype.kind in "fc" else [a.dtype, weights, result_type(float)]
        dtype = result_type(*kinds)
        a, weights = array(a, dtype), array(weights, dtype)
        if axis is None or a.shape.rank == weights.shape.rank:
            same = a.shape.is_compatible_with(weights.shape)
            assertion(same, [arrange.shape(a), arrange.shape(weights)])
            total = reduce.reduce_sum(weights, axis)
            found = reduce.reduce_sum(a * weights, axis) / total
        else:
            assertion(weights.shape.rank in (None, 1), [arrange.rank(weights)])
            total = reduce.reduce_sum(weights)
            found = tensordot(a, weights, [[axis], [0]]) / total
    return (found, arrange.broadcast_to(total, arrange.shape(found))) if returned else found


# --- numbers that are none --------------------------------------------------------------------------------------------


def _without_nan(name: str, reduction, neutral: int):
    def function(a, axis=None, dtype=None, keepdims=False):
        a = array(a)
        if a.dtype.kind in "fc":
            a = where(
                unary.is_nan(unary.real(a) + (unary.imag(a) if a.dtype.is_complex else 0)), m.cast(neutral, a.dtype), a
            )
        return reduction(a, axis=axis, dtype=dtype, keepdims=keepdims)

    same = reduction.__name__
    sections = _TOTAL.format(result=f"A tensor of the dtype that `{same}` gives")
    example = f'>>> tf.experimental.numpy.{name}([2.0, float("nan")]).numpy().item()\n2.0'
    doc = f"The same as `{same}`, with {neutral} in place of each NaN.\n\n{sections}"
    return export_function(function, _SPACE + name, doc=doc, example=example)


nansum = _without_nan("nansum", sum, 0)
nanprod = _without_nan("nanprod", prod, 1)


@export(_SPACE + "nanmean")
def nanmean(a, axis=None, dtype=None, keepdims=None):
    """Computes the mean of those elements along axes that are not NaN.

    Args:
      a: A tensor or an array-like value, not complex.
      axis: The axis or axes that are reduced; all by default.
      dtype: The dtype of the result.
      keepdims: Whether reduced axes stay, with size 1.

    Returns:
      A tensor, by default of the dtype of `a`, or float64 if that is an integer; NaN where all elements are NaN.

    Raises:
      InvalidArgumentError: An axis is out of range.

    >>> tf.experimental.numpy.nanmean([2.0, float("nan")]).numpy().item()
    2.0
    """
    a = array(a)
    if a.dtype.kind not in "fc":
        return mean(a, axis=axis, dtype=dtype, keepdims=keepdims)
    dtype = dtype or a.dtype
    count = sum(m.cast(unary.logical_not(unary.is_nan(a)), dtype), axis=axis, keepdims=keepdims)
    return nansum(a, axis=axis, dtype=dtype, keepdims=keepdims) / count
