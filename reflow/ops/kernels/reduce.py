"""Reductions along axes, running reductions, arg-extrema, and reductions by segment.

The axes of a reduction are an operand, always a value (`static`). Maxima share their gradient evenly among ties.
"""

from __future__ import annotations

from reflow.core import dtypes
from reflow.ops import shape_rules as rules
from reflow.ops.kernels.math_unary import conj
from reflow.ops.registry import NO_GRADIENT, op

STATIC_AXES = {"shape": rules.reduce, "static": ("reduction_indices",)}


def axes_of(axis) -> tuple:
    """A static operand of axes (0-d or a vector) as Python ints."""
    return tuple(axis.reshape(-1).tolist())


def _checked(x, axis) -> tuple:
    axes = rules.normal_axes(axes_of(axis), x.ndim)
    if len(set(axes)) < len(axes):
        duplicate = next(a for i, a in enumerate(axes) if a in axes[:i])
        raise ValueError(f"Invalid reduction arguments: Axes contains duplicate dimension: {duplicate}")
    return axes


# --- sums and products ----------------------------------------------------------------------------------------------


def _sum_grad(xp, attrs, inputs, outputs, cts, wanted):
    x, axis = inputs
    return (xp.unreduce(cts[0], x, axis, attrs.get("keep_dims", False)), None)


@op("Sum", grad=_sum_grad, needs=("input", "reduction_indices"), value=rules.value_reduce(sum), **STATIC_AXES)
def sum_(xp, input, reduction_indices, keep_dims=False):  # noqa: A002
    return xp.sum(input, _checked(input, reduction_indices), keep_dims)


def _mean_grad(xp, attrs, inputs, outputs, cts, wanted):
    (x, axis), (y,), (g,) = inputs, outputs, cts
    return (xp.unreduce(xp.divide(g, xp.size_ratio(x, y)), x, axis, attrs.get("keep_dims", False)), None)


@op("Mean", grad=_mean_grad, **STATIC_AXES)
def mean(xp, input, reduction_indices, keep_dims=False):  # noqa: A002
    return xp.mean(input, _checked(input, reduction_indices), keep_dims)


def _prod_grad(xp, attrs, inputs, outputs, cts, wanted):
    """Axis by axis, each element gets the product of the others: right also where there are zeros."""
    (x, axis), (g,) = inputs, cts
    axes = axes_of(axis)
    g = xp.keep_axes(g, x, axis, attrs.get("keep_dims", False))
    partial = [x]
    for a in axes[:-1]:
        partial.append(xp.prod(partial[-1], (a,), True))
    for a, p in zip(reversed(axes), reversed(partial), strict=False):
        others = xp.multiply(xp.cumprod(p, a, True, False), xp.cumprod(p, a, True, True))
        g = xp.multiply(g, conj(xp, others))
    return (g, None)


def _product(values):
    out = 1
    for v in values:
        out *= v
    return out


@op("Prod", grad=_prod_grad, needs=("input", "reduction_indices"), value=rules.value_reduce(_product), **STATIC_AXES)
def prod(xp, input, reduction_indices, keep_dims=False):  # noqa: A002
    return xp.prod(input, _checked(input, reduction_indices), keep_dims)


def _norm_grad(xp, attrs, inputs, outputs, cts, wanted):
    (x, axis), (y,), (g,) = inputs, outputs, cts
    return (xp.divide(x, xp.keep_axes(xp.divide(y, g), x, axis, attrs.get("keep_dims", False))), None)


@op("EuclideanNorm", grad=_norm_grad, **STATIC_AXES)
def euclidean_norm(xp, input, reduction_indices, keep_dims=False):  # noqa: A002
    axes = _checked(input, reduction_indices)
    wide = xp.cast(input, dtypes.float64.np_dtype) if input.dtype.kind in "iu" else input
    total = xp.sqrt(xp.sum(xp.multiply(wide, conj(xp, wide)), axes, keep_dims))
    return xp.cast(total, input.dtype)


# --- extrema --------------------------------------------------------------------------------------------------------


def _extremum_grad(xp, attrs, inputs, outputs, cts, wanted):
    (x, axis), (y,), (g,) = inputs, outputs, cts
    keep = attrs.get("keep_dims", False)
    chosen = xp.cast(xp.equal(xp.keep_axes(y, x, axis, keep), x), x.dtype)
    count = xp.sum(chosen, axes_of(axis), True)
    return (xp.multiply(xp.divide(chosen, count), xp.keep_axes(g, x, axis, keep)), None)


@op("Max", grad=_extremum_grad, value=rules.value_reduce(max), **STATIC_AXES)
def max_(xp, input, reduction_indices, keep_dims=False):  # noqa: A002
    return xp.max(input, _checked(input, reduction_indices), keep_dims)


@op("Min", grad=_extremum_grad, value=rules.value_reduce(min), **STATIC_AXES)
def min_(xp, input, reduction_indices, keep_dims=False):  # noqa: A002
    return xp.min(input, _checked(input, reduction_indices), keep_dims)


@op("All", grad=NO_GRADIENT, **STATIC_AXES)
def all_(xp, input, reduction_indices, keep_dims=False):  # noqa: A002
    return xp.all(input, _checked(input, reduction_indices), keep_dims)


@op("Any", grad=NO_GRADIENT, **STATIC_AXES)
def any_(xp, input, reduction_indices, keep_dims=False):  # noqa: A002
    return xp.any(input, _checked(input, reduction_indices), keep_dims)


def _arg_axis(x, dimension):
    axis = int(dimension.reshape(()))
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"Expected dimension in the range [{-x.ndim}, {x.ndim}), but got {axis}")
    axis %= x.ndim
    if not x.shape[axis]:
        raise ValueError(f"Reduction axis {axis} is empty in shape {rules.text(x.shape)}")
    return axis


@op("ArgMax", shape=rules.arg_reduce, static=("dimension",), grad=NO_GRADIENT)
def arg_max(xp, input, dimension, output_type=dtypes.int64):  # noqa: A002
    return xp.argmax(input, _arg_axis(input, dimension), output_type.np_dtype)


@op("ArgMin", shape=rules.arg_reduce, static=("dimension",), grad=NO_GRADIENT)
def arg_min(xp, input, dimension, output_type=dtypes.int64):  # noqa: A002
    return xp.argmin(input, _arg_axis(input, dimension), output_type.np_dtype)


# --- running reductions ---------------------------------------------------------------------------------------------


def _scan_axis(x, axis):
    axis = int(axis.reshape(()))
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"ScanOp: Expected scan axis in the range [{-x.ndim}, {x.ndim}), but got {axis}")
    return axis % x.ndim


def _cumsum_grad(xp, attrs, inputs, outputs, cts, wanted):
    axis = int(inputs[1].reshape(()))
    return (xp.cumsum(cts[0], axis, attrs.get("exclusive", False), not attrs.get("reverse", False)), None)


@op("Cumsum", shape=rules.same, static=("axis",), grad=_cumsum_grad, needs=("axis",))
def cumsum(xp, x, axis, exclusive=False, reverse=False):
    return xp.cumsum(x, _scan_axis(x, axis), exclusive, reverse)


def _cumprod_grad(xp, attrs, inputs, outputs, cts, wanted):
    (x, axis), (y,), (g,) = inputs, outputs, cts
    total = xp.cumsum(xp.multiply(conj(xp, y), g), int(axis.reshape(())), attrs.get("exclusive", False),
                      not attrs.get("reverse", False))
    zero = xp.const(0, x)
    none = xp.equal(x, zero)
    return (xp.select(none, zero, xp.divide(total, conj(xp, xp.select(none, xp.const(1, x), x)))), None)


@op("Cumprod", shape=rules.same, static=("axis",), grad=_cumprod_grad)
def cumprod(xp, x, axis, exclusive=False, reverse=False):
    return xp.cumprod(x, _scan_axis(x, axis), exclusive, reverse)


def _logcumsumexp_grad(xp, attrs, inputs, outputs, cts, wanted):
    """In logarithms, the positive and the negative part of the cotangent apart."""
    (x, axis), (y,), (g,) = inputs, outputs, cts
    axis, exclusive, reverse = int(axis.reshape(())), attrs.get("exclusive", False), not attrs.get("reverse", False)
    zero, one = xp.const(0, g), xp.const(1, g)

    def part(g):
        some = xp.greater(g, zero)
        log = xp.select(some, xp.log(xp.select(some, g, one)), xp.lowest_like(g))
        return xp.exp(xp.add(xp.logcumsumexp(xp.subtract(log, y), axis, exclusive, reverse), x))

    return (xp.subtract(part(g), part(xp.negative(g))), None)


@op("CumulativeLogsumexp", shape=rules.same, static=("axis",), grad=_logcumsumexp_grad)
def cumulative_logsumexp(xp, x, axis, exclusive=False, reverse=False):
    return xp.logcumsumexp(x, _scan_axis(x, axis), exclusive, reverse)


# --- segments -------------------------------------------------------------------------------------------------------


def _unsorted_shape(f):
    data, ids, count = f.shapes[0], f.shapes[1], f.values[2]
    if data is None or ids is None:
        return [None]
    if any(a != b and None not in (a, b) for a, b in zip(data, ids)) or len(ids) > len(data):  # noqa: B905
        raise ValueError(f"data.shape = {rules.text(data)} does not start with segment_ids.shape = {rules.text(ids)}")
    return [(count if isinstance(count, int) else None, *data[len(ids):])]


def _ids_in_range(xp, attrs, data, segment_ids, num_segments):
    """Negative ids are dropped, too large ones are an error."""
    limit = xp.asarray(num_segments, segment_ids.dtype)

    def message(data, segment_ids, num_segments):
        flat = segment_ids.reshape(-1)
        at = int((flat >= num_segments).argmax())
        where = "".join(f"[{i}]" for i in _place(segment_ids.shape, at))
        return f"segment_ids{where} = {flat[at]} is out of range [0, {int(num_segments)})"

    return [(xp.all(xp.less(segment_ids, limit), None), message)]


def _place(shape, at):
    out = []
    for n in reversed(shape):
        out.append(at % n)
        at //= n
    return reversed(out)


def _take_kept(xp, g, ids):
    """Rows of g by id; zeros for the ids that were dropped."""
    rows = xp.take(g, xp.maximum(ids, xp.const(0, ids)), 0)
    return xp.select(xp.broadcast_prefix(xp.greater_equal(ids, xp.const(0, ids)), rows), rows, xp.const(0, g))


def _unsorted_sum_grad(xp, attrs, inputs, outputs, cts, wanted):
    return (_take_kept(xp, cts[0], inputs[1]), None, None)


def _segment_extremum_grad(xp, attrs, inputs, outputs, cts, wanted):
    """The cotangent of a segment is shared by the rows that reach its extremum."""
    data, ids = inputs[0], inputs[1]
    chosen = xp.equal(data, _take_kept(xp, outputs[0], ids))
    ones = xp.cast(chosen, data.dtype)
    shares = xp.divide(cts[0], xp.segment_sum_like(ones, ids, outputs[0]))
    return (xp.select(chosen, _take_kept(xp, shares, ids), xp.const(0, data)),) + (None,) * (len(inputs) - 1)


def _unsorted_prod_grad(xp, attrs, inputs, outputs, cts, wanted):
    """TensorFlow's: by division, with the zeros of each segment counted apart."""
    data, ids = inputs[0], inputs[1]
    (y,), (g,) = outputs, cts
    zero = xp.const(0, data)
    is_zero = xp.equal(data, zero)
    zeros = xp.segment_sum_like(xp.cast(is_zero, data.dtype), ids, y)
    g = xp.select(xp.greater(zeros, xp.const(1, zeros)), zero, g)
    safe = xp.select(is_zero, xp.const(1, data), data)
    rest = xp.segment_prod_like(safe, ids, y)
    others = xp.select(is_zero, _take_kept(xp, rest, ids), xp.divide(_take_kept(xp, y, ids), safe))
    return (xp.multiply(_take_kept(xp, g, ids), others), None, None)


UNSORTED = {"shape": _unsorted_shape, "static": ("num_segments",), "checks": (_ids_in_range,)}


@op("UnsortedSegmentSum", grad=_unsorted_sum_grad, needs=("segment_ids",), **UNSORTED)
def unsorted_segment_sum(xp, data, segment_ids, num_segments):
    return xp.unsorted_segment("sum", data, segment_ids, int(num_segments))


@op("UnsortedSegmentProd", grad=_unsorted_prod_grad, needs=("data", "segment_ids", "output"), **UNSORTED)
def unsorted_segment_prod(xp, data, segment_ids, num_segments):
    return xp.unsorted_segment("prod", data, segment_ids, int(num_segments))


@op("UnsortedSegmentMax", grad=_segment_extremum_grad, needs=("data", "segment_ids", "output"), **UNSORTED)
def unsorted_segment_max(xp, data, segment_ids, num_segments):
    return xp.unsorted_segment("max", data, segment_ids, int(num_segments))


@op("UnsortedSegmentMin", grad=_segment_extremum_grad, needs=("data", "segment_ids", "output"), **UNSORTED)
def unsorted_segment_min(xp, data, segment_ids, num_segments):
    return xp.unsorted_segment("min", data, segment_ids, int(num_segments))
