"""Reductions of rows that share an id: segments, sorted or not, and counts.

Ids that are too large are errors; negative ones are dropped (sorted segments reject them). The last id determines the
number of rows of a sorted segment op's result, so ids are static there.
"""

from __future__ import annotations

import numpy as np

from reflow.ops import require
from reflow.ops import shape_rules as rules
from reflow.ops import trace_checks as traced
from reflow.ops.registry import NO_GRADIENT, op


def _unsorted_shape(f):
    data, ids, count = f.shapes[0], f.shapes[1], f.values[2]
    if data is None or ids is None:
        return [None]
    if any(a != b and None not in (a, b) for a, b in zip(data, ids)) or len(ids) > len(data):
        raise ValueError(_mismatch(data, ids))
    return [(count if isinstance(count, int) else None, *data[len(ids) :])]


def _ids_in_range(xp, attrs, data, segment_ids, num_segments):
    """Negative ids are dropped, too large ones are an error; of ids of a wrong shape the shape rule complains."""
    if data.shape[: segment_ids.ndim] != segment_ids.shape:
        return []
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


def _ids(xp, ids):
    """Static ids arrive as host arrays, even where everything else is a tensor."""
    return xp.asarray(ids, ids.dtype) if isinstance(ids, np.ndarray) else ids


def _take_kept(xp, g, ids):
    """Rows of g by id; zeros for the ids that were dropped."""
    rows = xp.take(g, xp.maximum(ids, xp.const(0, ids)), 0)
    return xp.select(xp.broadcast_prefix(xp.greater_equal(ids, xp.const(0, ids)), rows), rows, xp.const(0, g))


def _unsorted_sum_grad(xp, attrs, inputs, outputs, cts, wanted):
    return (_take_kept(xp, cts[0], inputs[1]), None, None)


def _segment_extremum_grad(xp, attrs, inputs, outputs, cts, wanted):
    """The cotangent of a segment is shared by the rows that reach its extremum."""
    data, ids = inputs[0], _ids(xp, inputs[1])
    chosen = xp.equal(data, _take_kept(xp, outputs[0], ids))
    ones = xp.cast(chosen, data.dtype)
    shares = xp.divide(cts[0], xp.segment_sum_like(ones, ids, outputs[0]))
    return (xp.select(chosen, _take_kept(xp, shares, ids), xp.const(0, data)),) + (None,) * (len(inputs) - 1)


def _unsorted_prod_grad(xp, attrs, inputs, outputs, cts, wanted):
    """TensorFlow's: by division, with the zeros of each segment counted apart."""
    data, ids = inputs[0], _ids(xp, inputs[1])
    (y,), (g,) = outputs, cts
    zero = xp.const(0, data)
    is_zero = xp.equal(data, zero)
    zeros = xp.segment_sum_like(xp.cast(is_zero, data.dtype), ids, y)
    g = xp.select(xp.greater(zeros, xp.const(1, zeros)), zero, g)
    safe = xp.select(is_zero, xp.const(1, data), data)
    rest = xp.segment_prod_like(safe, ids, y)
    others = xp.select(is_zero, _take_kept(xp, rest, ids), xp.divide(_take_kept(xp, y, ids), safe))
    return (xp.multiply(_take_kept(xp, g, ids), others),) + (None,) * (len(inputs) - 1)


def _mismatch(data, ids) -> str:
    return f"data.shape = {rules.text(data)} does not start with segment_ids.shape = {rules.text(ids)}"


def _checked_ids(data, segment_ids):
    """The ids; ValueError unless their shape is that of the first axes of `data`."""
    if data.shape[: segment_ids.ndim] != segment_ids.shape:
        raise ValueError(_mismatch(data.shape, segment_ids.shape))
    return segment_ids


def _count(num_segments) -> int:
    if num_segments.ndim:
        raise ValueError(f"num_segments should be a scalar, not shape {rules.text(num_segments.shape)}")
    return int(num_segments)


UNSORTED = {
    "shape": _unsorted_shape,
    "static": ("num_segments",),
    "checks": (_ids_in_range,),
    "trace_check": traced.unsorted_segments,
}


@op("UnsortedSegmentSum", grad=_unsorted_sum_grad, needs=("segment_ids",), **UNSORTED)
def unsorted_segment_sum(xp, data, segment_ids, num_segments):
    return xp.unsorted_segment("sum", data, _checked_ids(data, segment_ids), _count(num_segments))


@op("UnsortedSegmentProd", grad=_unsorted_prod_grad, needs=("data", "segment_ids", "output"), **UNSORTED)
def unsorted_segment_prod(xp, data, segment_ids, num_segments):
    return xp.unsorted_segment("prod", data, _checked_ids(data, segment_ids), _count(num_segments))


@op("UnsortedSegmentMax", grad=_segment_extremum_grad, needs=("data", "segment_ids", "output"), **UNSORTED)
def unsorted_segment_max(xp, data, segment_ids, num_segments):
    return xp.unsorted_segment("max", data, _checked_ids(data, segment_ids), _count(num_segments))


@op("UnsortedSegmentMin", grad=_segment_extremum_grad, needs=("data", "segment_ids", "output"), **UNSORTED)
def unsorted_segment_min(xp, data, segment_ids, num_segments):
    return xp.unsorted_segment("min", data, _checked_ids(data, segment_ids), _count(num_segments))


# --- sorted segments ------------------------------------------------------------------------------------------------


def _sorted_shape(f):
    return [None if f.shapes[0] is None else (None, *f.shapes[0][1:])]


def _sorted_ids(segment_ids, rows):
    """How many segments there are."""
    ids = np.asarray(segment_ids)
    if ids.ndim != 1 or ids.shape[0] != rows:
        raise ValueError("segment_ids should be the same size as dimension 0 of input.")
    if (ids < 0).any():
        raise ValueError("segment ids must be >= 0")
    if (np.diff(ids) < 0).any():
        raise ValueError("segment ids are not increasing")
    return int(ids[-1]) + 1 if ids.size else 0


def _in_place_of_empty(xp, out, ids, value):
    """`value` in the rows of segments that have none."""
    some = np.zeros(out.shape[0], bool)
    some[np.asarray(ids)] = True
    if some.all():
        return out
    return xp.select(xp.broadcast_prefix(xp.asarray(some, np.dtype(bool)), out), out, xp.const(value, out))


def _rows_per_id(xp, ids, out):
    counts = np.maximum(np.bincount(np.asarray(ids), minlength=out.shape[0]), 1)
    return xp.broadcast_prefix(xp.asarray(counts, out.dtype), out)


def _take_grad(xp, attrs, inputs, outputs, cts, wanted):
    return (xp.take(cts[0], _ids(xp, inputs[1]), 0),) + (None,) * (len(inputs) - 1)


def _segment_mean_grad(xp, attrs, inputs, outputs, cts, wanted):
    data, ids = inputs[0], _ids(xp, inputs[1])
    counts = xp.segment_sum_like(xp.ones_like(data), ids, outputs[0])
    shares = xp.divide(cts[0], xp.maximum(counts, xp.const(1, counts)))
    return (xp.take(shares, ids, 0), None)


SORTED = {"shape": _sorted_shape, "static": ("segment_ids",), "trace_check": traced.segment}


@op("SegmentSum", grad=_take_grad, needs=("segment_ids",), **SORTED)
def segment_sum(xp, data, segment_ids):
    return xp.unsorted_segment("sum", data, segment_ids, _sorted_ids(segment_ids, data.shape[0]))


@op("SegmentMean", grad=_segment_mean_grad, needs=("data", "segment_ids", "output"), **SORTED)
def segment_mean(xp, data, segment_ids):
    total = xp.unsorted_segment("sum", data, segment_ids, _sorted_ids(segment_ids, data.shape[0]))
    counts = _rows_per_id(xp, segment_ids, total)
    return xp.divide(total, counts) if total.dtype.kind in "fcV" else xp.truncate_div(total, counts)


@op("SegmentProd", grad=_unsorted_prod_grad, needs=("data", "segment_ids", "output"), **SORTED)
def segment_prod(xp, data, segment_ids):
    return xp.unsorted_segment("prod", data, segment_ids, _sorted_ids(segment_ids, data.shape[0]))


@op("SegmentMax", grad=_segment_extremum_grad, needs=("data", "segment_ids", "output"), **SORTED)
def segment_max(xp, data, segment_ids):
    out = xp.unsorted_segment("max", data, segment_ids, _sorted_ids(segment_ids, data.shape[0]))
    return _in_place_of_empty(xp, out, segment_ids, 0)


@op("SegmentMin", grad=_segment_extremum_grad, needs=("data", "segment_ids", "output"), **SORTED)
def segment_min(xp, data, segment_ids):
    out = xp.unsorted_segment("min", data, segment_ids, _sorted_ids(segment_ids, data.shape[0]))
    return _in_place_of_empty(xp, out, segment_ids, 0)


def _segment_v2(name, mode, grad, needs):
    @op(name, grad=grad, needs=needs, **UNSORTED)
    def kernel(xp, data, segment_ids, num_segments):
        return xp.unsorted_segment(mode, data, segment_ids, _count(num_segments))


_segment_v2("SegmentSumV2", "sum", _unsorted_sum_grad, ("segment_ids",))
_segment_v2("SegmentProdV2", "prod", _unsorted_prod_grad, ("data", "segment_ids", "output"))
_segment_v2("SegmentMaxV2", "max", _segment_extremum_grad, ("data", "segment_ids", "output"))
_segment_v2("SegmentMinV2", "min", _segment_extremum_grad, ("data", "segment_ids", "output"))


# --- segments of gathered rows ----------------------------------------------------------------------------------------


def _sparse_shape(f):
    count = f.values[3] if len(f.values) > 3 and isinstance(f.values[3], int) else None
    return [None if f.shapes[0] is None else (count, *f.shapes[0][1:])]


def _scaled(xp, total, ids, power):
    """Segment sums divided by a power of how many rows a segment has."""
    if not power:
        return total
    counts = np.maximum(np.bincount(np.asarray(ids), minlength=total.shape[0]), 1).astype(np.float64) ** power
    return xp.divide(total, xp.broadcast_prefix(xp.asarray(counts, total.dtype), total))


def _sparse_grad(power):
    def grad(xp, attrs, inputs, outputs, cts, wanted):
        data, indices, ids = inputs[0], inputs[1], _ids(xp, inputs[2])
        g = cts[0]
        if power:
            counts = xp.segment_sum_like(xp.ones_like(xp.take(data, indices, 0)), ids, g)
            counts = xp.maximum(counts, xp.const(1, counts))
            g = xp.divide(g, counts if power == 1 else xp.sqrt(counts))
        return (xp.segment_sum_like(xp.take(g, ids, 0), indices, data),) + (None,) * (len(inputs) - 1)

    return grad


def _indices_in_range(xp, attrs, data, indices, *rest):
    low = xp.all(xp.greater_equal(indices, xp.const(0, indices)), None)
    high = xp.all(xp.less(indices, xp.const(data.shape[0], indices)), None)

    def message(data, indices, *rest):
        flat = np.reshape(indices, -1)
        at = int(((flat < 0) | (flat >= data.shape[0])).argmax())
        return f"Bad: indices[{at}] == {flat[at]} out of range [0, {data.shape[0]})"

    return [(xp.logical_and(low, high), message)]


def _sparse_segment(name, power):
    facts = {"shape": _sparse_shape, "grad": _sparse_grad(power), "checks": (_indices_in_range,)}

    @op(
        name, static=("segment_ids",), needs=("data", "indices", "segment_ids"), trace_check=traced.sparse_segment,
        **facts,
    )
    def kernel(xp, data, indices, segment_ids, sparse_gradient=False):
        require.vector("indices", indices)
        count = _sorted_ids(segment_ids, indices.shape[0])
        total = xp.unsorted_segment("sum", xp.take(data, indices, 0), segment_ids, count)
        return _scaled(xp, total, segment_ids, power)

    @op(
        name + "WithNumSegments", fits="1+ [n] [n] 0", static=("segment_ids", "num_segments"),
        needs=("data", "indices", "segment_ids"), **facts,
    )
    def with_num_segments(xp, data, indices, segment_ids, num_segments, sparse_gradient=False):
        require.vector("indices", indices)
        if _sorted_ids(segment_ids, indices.shape[0]) > int(num_segments):
            raise ValueError("segment ids must be < num_segments")
        total = xp.unsorted_segment("sum", xp.take(data, indices, 0), segment_ids, _count(num_segments))
        return _scaled(xp, total, segment_ids, power)


_sparse_segment("SparseSegmentSum", 0)
_sparse_segment("SparseSegmentMean", 1)
_sparse_segment("SparseSegmentSqrtN", 0.5)


def _check_rows_of_gradient(indices, segment_ids, segments, rows) -> None:
    for name, ids in (("indices", indices), ("segment_ids", segment_ids)):
        if ids.ndim != 1:
            raise ValueError(f"{name} should be a vector.")
    if len(indices) != len(segment_ids):
        raise ValueError("segment_ids and indices should have same size.")
    if ((indices < 0) | (indices >= rows)).any():
        bad = int(indices[(indices < 0) | (indices >= rows)][0])
        raise ValueError(f"Index {bad} out of range [0, {rows}).")
    if ((segment_ids < 0) | (segment_ids >= segments)).any():
        bad = int(segment_ids[(segment_ids < 0) | (segment_ids >= segments)][0])
        raise ValueError(f"Segment id {bad} out of range [0, {segments}).")


def _rows_back(grad, indices, segment_ids, power):
    """For each of `indices`, the cotangent of its segment, divided by a power of how many rows the segment has."""
    counts = np.maximum(np.bincount(segment_ids, minlength=len(grad)), 1).astype(np.float64) ** power
    weights = (1 / counts[segment_ids]).reshape((-1,) + (1,) * (grad.ndim - 1))
    return (grad[segment_ids].astype(np.float64) * weights).astype(grad.dtype)


def _sparse_segment_grad(name, power):
    @op(
        name + "Grad", fits="1+ [n] [n] 0",
        shape=lambda f: [
            None if f.shapes[0] is None else (f.values[3] if isinstance(f.values[3], int) else None, *f.shapes[0][1:])
        ],
        grad=NO_GRADIENT, host=True,
    )
    def kernel(xp, grad, indices, segment_ids, output_dim0):
        _check_rows_of_gradient(indices, segment_ids, len(grad), int(output_dim0))
        rows = _rows_back(grad, indices, segment_ids, power)
        return xp.unsorted_segment("sum", rows, indices, int(output_dim0))

    @op(
        name + "GradV2", fits="1+ [n] [n] 0",
        shape=lambda f: [None if f.shapes[0] is None else (None, *f.shapes[0][1:]), (None,)], grad=NO_GRADIENT,
        host=True,
    )
    def of_rows(xp, grad, indices, segment_ids, dense_output_dim0):
        _check_rows_of_gradient(indices, segment_ids, len(grad), int(dense_output_dim0))
        unique, places = np.unique(indices, return_inverse=True)
        rows = _rows_back(grad, indices, segment_ids, power)
        return xp.unsorted_segment("sum", rows, places.astype(indices.dtype), len(unique)), unique


_sparse_segment_grad("SparseSegmentSum", 0)
_sparse_segment_grad("SparseSegmentMean", 1)
_sparse_segment_grad("SparseSegmentSqrtN", 0.5)


# --- counts ---------------------------------------------------------------------------------------------------------


def _not_negative(xp, attrs, values, size, weights):
    return [(xp.all(xp.greater_equal(values, xp.const(0, values)), None), "Input arr must be non-negative!")]


def _bins_shape(f):
    dims, size = f.shapes[0], f.values[1]
    size = size if isinstance(size, int) else None
    if f.op.name == "Bincount":
        return [(size,)]
    return [None if dims is None else (*dims[:-1], size) if dims else (size,)]


def count_bins(xp, flat, size, weights, binary):
    """How often each of range(size) occurs, or the sum of the weights where it does; others are left out."""
    ones = xp.full(flat.shape, 1, weights.dtype)
    if binary:
        return xp.minimum(xp.unsorted_segment("sum", ones, flat, size), xp.const(1, weights))
    return xp.unsorted_segment("sum", xp.reshape(weights, flat.shape) if weights.size else ones, flat, size)


@op("Bincount", fits="* 0", shape=_bins_shape, static=("size",), grad=NO_GRADIENT, checks=(_not_negative,))
def bincount(xp, arr, size, weights):
    return count_bins(xp, xp.reshape(arr, (-1,)), int(size), weights, False)


@op("DenseBincount", fits="2- 0", shape=_bins_shape, static=("size",), grad=NO_GRADIENT, checks=(_not_negative,))
def dense_bincount(xp, input, size, weights, binary_output=False):
    """A vector of counts, or a row of them for each row."""
    if input.ndim > 2:
        raise ValueError(f"Shape must be at most rank 2 but is rank {input.ndim}")
    if weights.size and tuple(weights.shape) != tuple(input.shape):
        raise ValueError(
            "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case it acts as all weights "
            f"equal to 1. Received {rules.text(weights.shape)}"
        )
    size = int(size)
    if size < 0:
        raise ValueError(f"size ({size}) must be non-negative")
    if input.ndim < 2:
        return count_bins(xp, xp.reshape(input, (-1,)), size, weights, binary_output)
    rows = input.shape[0]
    wide = xp.cast(input, np.dtype(np.int64))
    offsets = xp.asarray(np.arange(rows)[:, None] * size, np.dtype(np.int64))
    inside = xp.less(wide, xp.const(size, wide))
    flat = xp.reshape(xp.select(inside, xp.add(wide, offsets), xp.const(-1, wide)), (-1,))
    return xp.reshape(count_bins(xp, flat, rows * size, weights, binary_output), (rows, size))
