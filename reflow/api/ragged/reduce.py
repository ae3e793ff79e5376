"""Reductions of ragged tensors: over everything, over one axis of rows, or over axes of the innermost values."""

from __future__ import annotations

from reflow.api.array import arrange, creation, indexing
from reflow.api.math import arithmetic, segment
from reflow.api.math import reduce as reductions
from reflow.core import dtypes
from reflow.core.ragged import RaggedTensor

_SEGMENTS = {
    "Sum": segment.unsorted_segment_sum,
    "Prod": segment.unsorted_segment_prod,
    "Max": segment.unsorted_segment_max,
    "Min": segment.unsorted_segment_min,
}


def ragged_reduce(op_name: str, reduce, ragged, axis, keepdims, name):
    """`reduce` is the same reduction of dense tensors, `reduce(x, axis, keepdims, name)`.

    >>> tf.reduce_sum(tf.ragged.constant([[1, 2], [], [3]]), axis=1).numpy().tolist()
    [3, 0, 3]
    """
    if axis is None:
        total = reduce(ragged.flat_values, None, False, name)
        return arrange.reshape(total, [1] * ragged.shape.rank) if keepdims else total
    if not isinstance(axis, int):
        raise NotImplementedError(
            f"Ragged tensors are reduced along one axis or all of them, as yet. Received: axis={axis!r}"
        )
    at = axis + ragged.shape.rank if axis < 0 else axis
    if at == 0:
        found = _segments(op_name, ragged.values, *_columns(ragged))
        return arrange.expand_dims(found, 0) if keepdims else found
    if at > 1:
        inner = ragged.values
        if isinstance(inner, RaggedTensor):
            return ragged.with_values(ragged_reduce(op_name, reduce, inner, at - 1, keepdims, name))
        return ragged.with_values(reduce(inner, at - 1, keepdims, name))
    rows = _segments(op_name, ragged.values, ragged.value_rowids(), ragged.nrows())
    return arrange.expand_dims(rows, 1) if keepdims else rows


def _columns(ragged):
    """The column of each value, and how many columns there are."""
    starts = indexing.gather(ragged.row_splits, ragged.value_rowids())
    places = creation.range(arrange.shape(ragged.values, out_type=starts.dtype)[0]) - starts
    widths = arrange.concat([ragged.row_lengths(), creation.zeros([1], starts.dtype)], 0)
    return places, reductions.reduce_max(widths)


def _segments(op_name, values, ids, count):
    """Values reduced by the number of the segment that each is in."""
    if isinstance(values, RaggedTensor):
        raise NotImplementedError("The inner of two ragged axes is reduced first, as yet.")
    if op_name in ("All", "Any"):
        numbers = _segments("Min" if op_name == "All" else "Max", arithmetic.cast(values, dtypes.int32), ids, count)
        return numbers > 0
    if op_name == "Mean":  # of an empty row: 0 / 0
        return _segments("Sum", values, ids, count) / _segments("Sum", creation.ones_like(values), ids, count)
    if op_name not in _SEGMENTS:
        raise NotImplementedError(f"{op_name} of a ragged tensor is not there yet.")
    return _SEGMENTS[op_name](values, ids, count)
