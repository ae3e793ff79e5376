"""Reductions of ragged tensors and of their segments: sums, products, extrema, means, running sums, softmax."""

from __future__ import annotations

from reflow.api.array import arrange, creation, indexing
from reflow.api.debugging import asserts
from reflow.api.math import arithmetic, segment, unary
from reflow.api.math import reduce as reductions
from reflow.api.ragged.build import as_values
from reflow.api.ragged.parts import positive_axis
from reflow.api.ragged.row_partition import guarded
from reflow.core import dtypes
from reflow.core.ragged import RaggedTensor
from reflow.ops.convert import convert_to_tensor

_SEGMENTS = {
    "Sum": segment.unsorted_segment_sum,
    "Prod": segment.unsorted_segment_prod,
    "Max": segment.unsorted_segment_max,
    "Min": segment.unsorted_segment_min,
}


def ragged_reduce(op_name: str, reduce, ragged, axis, keepdims, name, segments=None):
    """`reduce` is the same reduction of dense tensors, `reduce(x, axis, keepdims, name)`; `segments` that of segments.

    >>> tf.reduce_sum(tf.ragged.constant([[1, 2], [], [3]]), axis=1).numpy().tolist()
    [3, 0, 3]
    >>> tf.reduce_max(tf.ragged.constant([[[1, 5], [2]], [[3]]]), axis=[1, 2]).numpy().tolist()
    [5, 3]
    """
    if axis is None:
        total = reduce(ragged.flat_values, None, False, name)
        return arrange.reshape(total, [1] * ragged.shape.rank) if keepdims else total
    axes = _axes(axis, ragged.shape.rank)
    if op_name == "Mean":
        return _mean(ragged, axes, keepdims, name)
    segments = segments or (lambda values, ids, count: _segments(op_name, values, ids, count))
    for at in reversed(axes):  # the innermost first: the others keep their numbers
        ragged = _along(reduce, segments, ragged, at, keepdims, name)
    return ragged


def _axes(axis, rank) -> list[int]:
    """The axes of a reduction, each once, in ascending order."""
    if not isinstance(axis, (int, list, tuple)):
        known = arrange.get_static_value(convert_to_tensor(axis))
        if known is None:
            raise ValueError("axis must be known at graph construction time.")
        axis = known.tolist()
    if isinstance(axis, int):
        return [positive_axis(axis, rank)]
    if rank is None and any(a < 0 for a in axis):
        raise ValueError(f"axis={axis} may only be negative if ndims is statically known.")
    return sorted({positive_axis(a, rank, f"axis[{i}]" if len(axis) > 1 else "axis") for i, a in enumerate(axis)})


def _along(reduce, segments, ragged, at: int, keepdims, name):
    """A reduction along one axis."""
    if not isinstance(ragged, RaggedTensor):
        return reduce(ragged, at, keepdims, name)
    if at == 0:
        found = segments(ragged.values, *_columns(ragged))
        return arrange.expand_dims(found, 0) if keepdims else found
    if at == 1:
        rows = segments(ragged.values, ragged.value_rowids(), ragged.nrows())
        return arrange.expand_dims(rows, 1) if keepdims else rows
    return ragged.with_values(_along(reduce, segments, ragged.values, at - 1, keepdims, name))


def _mean(ragged, axes, keepdims, name):
    """Sums divided by counts; of an empty row 0 / 0."""
    total = reductions.reduce_sum(ragged, axes, keepdims, name)
    count = reductions.reduce_sum(creation.ones_like(ragged), axes, keepdims)
    if isinstance(total, RaggedTensor) and isinstance(count, RaggedTensor):
        return total.with_flat_values(total.flat_values / count.flat_values)
    return total / count


def reduce_variance(input_tensor, axis=None, keepdims=False, name=None):
    """The mean of the squares less the square of the mean."""
    x = as_values(input_tensor)
    if x.dtype.is_integer:
        x = arithmetic.cast(x, dtypes.float32)
    if axis is None:
        return reductions.reduce_variance(x.flat_values, None, keepdims, name)
    squares = reductions.reduce_mean(unary.square(x), axis, keepdims)
    return squares - unary.square(reductions.reduce_mean(x, axis, keepdims))


def reduce_std(input_tensor, axis=None, keepdims=False, name=None):
    """The root of the variance."""
    return unary.sqrt(reduce_variance(input_tensor, axis, keepdims))


def reduce_logsumexp(input_tensor, axis=None, keepdims=False, name=None):
    """The logarithm of the sum of exponentials, less the greatest value so that none overflows."""
    x = as_values(input_tensor)
    greatest = reductions.reduce_max(x, axis, keepdims=True)
    shift = arrange.stop_gradient(arithmetic.where(unary.is_finite(greatest), greatest, creation.zeros_like(greatest)))
    result = unary.log(reductions.reduce_sum(unary.exp(arithmetic.subtract(x, shift)), axis, keepdims))
    if not keepdims:
        shift = arrange.reshape(shift, arrange.shape(result))
    return arithmetic.add(result, shift, name)


def moments(x, axes, shift=None, keepdims=False, name=None):
    """The mean, and the mean of the squared differences from it."""
    del shift  # has no effect, as in TensorFlow
    y = as_values(x)
    mean = reductions.reduce_mean(y, axes, keepdims=True)
    variance = reductions.reduce_mean(arithmetic.squared_difference(y, arrange.stop_gradient(mean)), axes, True, name)
    return (mean, variance) if keepdims else (arrange.squeeze(mean, axes), arrange.squeeze(variance, axes))


def _columns(ragged):
    """The column of each value, and how many columns there are."""
    rows = ragged._row_partition
    widths = arrange.concat([rows.row_lengths(), creation.zeros([1], rows.dtype)], 0)
    return rows.offsets_in_rows(), reductions.reduce_max(widths)


def _segments(op_name, values, ids, count):
    """Values reduced by the number of the segment that each is in."""
    if op_name in ("All", "Any"):
        numbers = _segments("Min" if op_name == "All" else "Max", arithmetic.cast(values, dtypes.int32), ids, count)
        return numbers > 0
    return segment_aggregate(_SEGMENTS[op_name], values, ids, count)


def segment_aggregate(function, data, ids, count):
    """Segments of ragged rows: each is reduced column by column, and is as long as the longest row in it.

    `function(data, ids, count)` is the reduction of dense segments.
    """
    if not isinstance(data, RaggedTensor):
        if isinstance(ids, RaggedTensor):
            raise ValueError(
                "segment_ids.shape must be a prefix of data.shape, but segment_ids is ragged and data is not."
            )
        return function(data, ids, count)
    if isinstance(ids, RaggedTensor):
        what = "segment_ids.shape must be a prefix of data.shape"
        check = asserts.assert_equal(data.row_splits, ids.row_splits, message=what)
        return segment_aggregate(function, data.values, ids.with_values(guarded([check], ids.values)).values, count)
    ids = arithmetic.cast(convert_to_tensor(ids), data.row_splits.dtype)
    lengths = arithmetic.maximum(segment.unsorted_segment_max(data.row_lengths(), ids, count), 0)
    borders = arrange.concat([creation.zeros([1], lengths.dtype), reductions.cumsum(lengths)], 0)
    rows = data._row_partition
    place = indexing.gather(indexing.gather(borders, ids), rows.value_rowids()) + rows.offsets_in_rows()
    return RaggedTensor._of(segment_aggregate(function, data.values, place, borders[-1]), borders)


def segments_of(function):
    """`tf.math.unsorted_segment_…` for ragged data."""

    def of_ragged(data, segment_ids, num_segments, name=None):
        return segment_aggregate(function, as_values(data), as_values(segment_ids), num_segments)

    return of_ragged


def cumsum(x, axis=0, exclusive=False, reverse=False, name=None):
    """Running sums along an axis of a ragged tensor.

    >>> tf.cumsum(tf.ragged.constant([[1, 2], [3, 4, 5]]), axis=1)
    <tf.RaggedTensor [[1, 3], [3, 7, 12]]>
    """
    axis = positive_axis(axis, x.shape.rank)
    if axis > x.ragged_rank:
        return x.with_flat_values(reductions.cumsum(x.flat_values, axis - x.ragged_rank, exclusive, reverse))
    sums = reductions.cumsum(x.to_tensor(), axis, exclusive, reverse)  # the padding is 0 and adds nothing
    lengths = x.nested_row_lengths()
    kept = RaggedTensor.from_tensor(
        sums, lengths if len(lengths) > 1 else lengths[0], row_splits_dtype=x.row_splits.dtype
    )
    return x.with_flat_values(kept.flat_values)


def softmax(logits, axis=None, name=None):
    """Softmax along an axis of a ragged tensor: the exponentials of each row divided by their sum.

    >>> tf.nn.softmax(tf.ragged.constant([[0.0], [1.0, 1.0]])).to_list()
    [[1.0], [0.5, 0.5]]
    """
    axis = -1 if axis is None else axis
    shifted = unary.exp(logits - reductions.reduce_max(logits, axis, keepdims=True))
    return shifted / reductions.reduce_sum(shifted, axis, keepdims=True)
