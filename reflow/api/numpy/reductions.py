"""`tf.experimental.numpy`: sums and other reductions, running sums, extremes, sorting.

As in NumPy, integers are summed in 64 bits, and averaged as floating point numbers.
"""

from __future__ import annotations

import numpy as np

from reflow.api.array import arrange, sorting
from reflow.api.control.printing import assert_ as assertion
from reflow.api.export import export, export_function
from reflow.api.linalg.products import tensordot
from reflow.api.math import arithmetic as m
from reflow.api.math import reduce, unary
from reflow.api.numpy.arrays import array, asarray, atleast_1d, floating, promoted, whole_axis
from reflow.api.numpy.choosing import where
from reflow.api.numpy.shaping import broadcast, ravel
from reflow.api.numpy.types import result_type, settings
from reflow.core import dtypes
from reflow.core.tensor import Tensor
from reflow.ops.convert import constant

_SPACE = "experimental.numpy."
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


@export(_SPACE + "sum")
def sum(a, axis=None, dtype=None, keepdims=None):
    """The sum of the elements along axes.

    >>> tf.experimental.numpy.sum([[1, 2], [3, 4]], axis=0).numpy().tolist()
    [4, 6]
    """
    return _total(a, axis, dtype, keepdims, reduce.reduce_sum, reduce.reduce_any)


@export(_SPACE + "prod")
def prod(a, axis=None, dtype=None, keepdims=None):
    """The product of the elements along axes.

    >>> tf.experimental.numpy.prod([1, 2, 3]).numpy().item()
    6
    """
    return _total(a, axis, dtype, keepdims, reduce.reduce_prod, reduce.reduce_all)


@export(_SPACE + "mean")
def mean(a, axis=None, dtype=None, out=None, keepdims=None):
    """The mean of the elements along axes; of integers a floating point number.

    >>> tf.experimental.numpy.mean([1, 2]).numpy().item()
    1.5
    """
    _no_out(out)
    a = floating(a) if dtype is None else asarray(a, dtype)
    return reduce.reduce_mean(a, _axis(axis), bool(keepdims))


@export(_SPACE + "var")
def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=None):
    """The variance along axes: the squared deviations from the mean, divided by their number less `ddof`.

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
    """The standard deviation along axes.

    >>> tf.experimental.numpy.std([1, 3]).numpy().item()
    1.0
    """
    return reduce.reduce_std(floating(a), _axis(axis), bool(keepdims))


def _extreme(a, axis, keepdims, function, of_booleans):
    a = asarray(a)
    return (of_booleans if a.dtype is dtypes.bool_ else function)(a, _axis(axis), bool(keepdims))


@export(_SPACE + "amax")
def amax(a, axis=None, out=None, keepdims=None):
    """The greatest element along axes.

    >>> tf.experimental.numpy.amax([[1, 2], [3, 0]], axis=1).numpy().tolist()
    [2, 3]
    """
    _no_out(out)
    return _extreme(a, axis, keepdims, reduce.reduce_max, reduce.reduce_any)


@export(_SPACE + "amin")
def amin(a, axis=None, out=None, keepdims=None):
    """The least element along axes.

    >>> tf.experimental.numpy.amin([[True, False], [True, True]], axis=0, keepdims=True).numpy().tolist()
    [[True, False]]
    """
    _no_out(out)
    return _extreme(a, axis, keepdims, reduce.reduce_min, reduce.reduce_all)


@export(_SPACE + "max")
def max(a, axis=None, keepdims=None):
    """The greatest element along axes.

    >>> tf.experimental.numpy.max([1, 3, 2]).numpy().item()
    3
    """
    return amax(a, axis=axis, keepdims=keepdims)


@export(_SPACE + "min")
def min(a, axis=None, keepdims=None):
    """The least element along axes.

    >>> tf.experimental.numpy.min([2, 1, 3]).numpy().item()
    1
    """
    return amin(a, axis=axis, keepdims=keepdims)


@export(_SPACE + "ptp")
def ptp(a, axis=None, keepdims=None):
    """The distance between the greatest and the least element.

    >>> tf.experimental.numpy.ptp([1, 5, 3]).numpy().item()
    4
    """
    return amax(a, axis=axis, keepdims=keepdims) - amin(a, axis=axis, keepdims=keepdims)


@export(_SPACE + "all")
def all(a, axis=None, keepdims=None):
    """Whether all elements along axes are true.

    >>> tf.experimental.numpy.all([1, 0]).numpy().item()
    False
    """
    return reduce.reduce_all(asarray(a, np.bool_), axis, bool(keepdims))


@export(_SPACE + "any")
def any(a, axis=None, keepdims=None):
    """Whether any element along axes is true.

    >>> tf.experimental.numpy.any([1, 0]).numpy().item()
    True
    """
    return reduce.reduce_any(asarray(a, np.bool_), axis, bool(keepdims))


@export(_SPACE + "count_nonzero")
def count_nonzero(a, axis=None):
    """How many elements along an axis are not zero.

    >>> tf.experimental.numpy.count_nonzero([1, 0, 2]).numpy().item()
    2
    """
    return reduce.count_nonzero(array(a), axis)


@export(_SPACE + "average")
def average(a, axis=None, weights=None, returned=False):
    """The mean of the elements, each counted by its weight; with `returned` also the sum of the weights.

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


# --- numbers that are none ---------------------------------------------------------------------------------------------


def _without_nan(name: str, reduction, neutral: int, result: str):
    def function(a, axis=None, dtype=None, keepdims=False):
        a = array(a)
        if a.dtype.kind in "fc":
            a = where(
                unary.is_nan(unary.real(a) + (unary.imag(a) if a.dtype.is_complex else 0)), m.cast(neutral, a.dtype), a
            )
        return reduction(a, axis=axis, dtype=dtype, keepdims=keepdims)

    doc = f"""`{reduction.__name__}` in which what is not a number counts as {neutral}.

    >>> tf.experimental.numpy.{name}([2.0, float("nan")]).numpy().item()
    {result}
    """
    return export_function(function, _SPACE + name, doc=doc)


nansum = _without_nan("nansum", sum, 0, "2.0")
nanprod = _without_nan("nanprod", prod, 1, "2.0")


@export(_SPACE + "nanmean")
def nanmean(a, axis=None, dtype=None, keepdims=None):
    """The mean of those elements that are numbers.

    >>> tf.experimental.numpy.nanmean([2.0, float("nan")]).numpy().item()
    2.0
    """
    a = array(a)
    if a.dtype.kind not in "fc":
        return mean(a, axis=axis, dtype=dtype, keepdims=keepdims)
    dtype = dtype or a.dtype
    count = sum(m.cast(unary.logical_not(unary.is_nan(a)), dtype), axis=axis, keepdims=keepdims)
    return nansum(a, axis=axis, dtype=dtype, keepdims=keepdims) / count


# --- running totals, order ---------------------------------------------------------------------------------------------


def _running(function, a, axis, dtype):
    a = asarray(a, dtype)
    if dtype is None and a.dtype.is_integer:
        a = asarray(a, np.promote_types(a.dtype.np_dtype, np.int32 if settings.lattice else int))
    return function(ravel(a), 0) if axis is None else function(a, whole_axis(axis, a))


@export(_SPACE + "cumsum")
def cumsum(a, axis=None, dtype=None):
    """Running sums along an axis, or of all elements as a vector.

    >>> tf.experimental.numpy.cumsum([1, 2, 3]).numpy().tolist()
    [1, 3, 6]
    """
    return _running(reduce.cumsum, a, axis, dtype)


@export(_SPACE + "cumprod")
def cumprod(a, axis=None, dtype=None):
    """Running products along an axis, or of all elements as a vector.

    >>> tf.experimental.numpy.cumprod([1, 2, 3]).numpy().tolist()
    [1, 2, 6]
    """
    return _running(reduce.cumprod, a, axis, dtype)


@export(_SPACE + "argmax")
def argmax(a, axis=None):
    """The index of the greatest element along an axis, or among all.

    >>> tf.experimental.numpy.argmax([1, 3, 2]).numpy().item()
    1
    """
    return reduce.argmax(ravel(a) if axis is None else atleast_1d(a), axis or 0)


@export(_SPACE + "argmin")
def argmin(a, axis=None):
    """The index of the least element along an axis, or among all.

    >>> tf.experimental.numpy.argmin([2, 1, 3]).numpy().item()
    1
    """
    return reduce.argmin(ravel(a) if axis is None else atleast_1d(a), axis or 0)


def _no_order(order):
    if order is not None:
        raise ValueError("The `order` argument is not supported. Pass order=None")


@export(_SPACE + "sort")
def sort(a, axis=-1, kind="quicksort", order=None):
    """The elements along an axis in ascending order.

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
    """The indices that put the elements along an axis into ascending order.

    >>> tf.experimental.numpy.argsort([3, 1, 2]).numpy().tolist()
    [1, 2, 0]
    """
    if kind not in ("quicksort", "stable"):
        raise ValueError(
            f'Invalid value for argument `kind`. Only kind="quicksort" and kind="stable" are supported. Received: kind={kind}'
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


@export(_SPACE + "clip")
def clip(a, a_min, a_max):
    """Elements brought into the range from `a_min` to `a_max`; one of them may be None.

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


@export(_SPACE + "diff")
def diff(a, n=1, axis=-1):
    """The differences of neighbours along an axis, `n` times.

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
