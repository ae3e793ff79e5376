"""Ragged tensors joined along an axis: `tf.concat` of them."""

from __future__ import annotations

from reflow.api.array import arrange, indexing, sorting
from reflow.core.ragged import RaggedTensor
from reflow.ops.convert import convert_to_tensor


def concat_ragged(values, axis: int):
    """Ragged tensors, and dense ones among them, one after the other along `axis`.

    >>> tf.concat([tf.ragged.constant([[1, 2], [3]]), tf.ragged.constant([[4], []])], 1)
    <tf.RaggedTensor [[1, 2, 4], [3]]>
    """
    rank = len(next(v for v in values if isinstance(v, RaggedTensor)).shape)
    at = axis if axis >= 0 else axis + rank
    if not 0 <= at < rank:
        raise ValueError(f"axis={axis} out of bounds: expected {-rank}<=axis<{rank}")
    parts = [v if isinstance(v, RaggedTensor) else RaggedTensor.from_tensor(convert_to_tensor(v)) for v in values]
    if at == 0:
        lengths = arrange.concat([p.row_lengths() for p in parts], 0)
        return RaggedTensor.from_row_lengths(arrange.concat([p.values for p in parts], 0), lengths, validate=False)
    if at == 1:
        return _rows_joined(parts)
    inner = arrange.concat([p.values for p in parts], at - 1)
    return parts[0].with_values(inner)


def _rows_joined(parts):
    """Row i is the parts' rows i one after the other: all values, sorted by their row."""
    rows = arrange.concat([p.value_rowids() for p in parts], 0)
    order = sorting.argsort(rows, stable=True)
    values = indexing.gather(arrange.concat([p.values for p in parts], 0), order)
    lengths = parts[0].row_lengths()
    for part in parts[1:]:
        lengths = lengths + part.row_lengths()
    return RaggedTensor.from_row_lengths(values, lengths, validate=False)
