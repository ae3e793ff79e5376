"""Joins ragged tensors along an axis: `tf.concat` and `tf.stack` of them, and `tf.ragged.stack`."""

from __future__ import annotations

from reflow.api.array import arrange, creation, indexing
from reflow.api.debugging import asserts
from reflow.api.export import export
from reflow.api.ragged import broadcast
from reflow.api.ragged.build import as_values
from reflow.api.ragged.parts import positive_axis
from reflow.api.ragged.row_partition import guarded
from reflow.core.ragged import RaggedTensor


def concat_ragged(values, axis, name=None):
    """Concatenate ragged, and possibly dense, tensors along `axis`.

    >>> tf.concat([tf.ragged.constant([[1, 2], [3]]), tf.ragged.constant([[4], []])], 1)
    <tf.RaggedTensor [[1, 2, 4], [3]]>
    """
    return _join(values if isinstance(values, (list, tuple)) else [values], axis, stacked=False)


@export("ragged.stack")
def stack(values, axis=0, name=None):
    """Stacks tensors of one rank along a new axis; they need not have one shape.

    Args:
      values: A list of tensors, ragged or not.
      axis: The place of the new axis in the result, negative to count from the end.
      name: Has no effect.

    Returns:
      A `RaggedTensor`, or a vector for scalars.

    Raises:
      ValueError: There are no tensors, their ranks differ, or `axis` is out of bounds.

    >>> tf.ragged.stack([[1, 2], [3]])
    <tf.RaggedTensor [[1, 2], [3]]>
    >>> tf.ragged.stack([tf.ragged.constant([[1, 2], [3]]), [[4], [5]]], axis=1).to_list()
    [[[1, 2], [4]], [[3], [5]]]
    """
    return _join(values if isinstance(values, (list, tuple)) else [values], axis, stacked=True)


def _join(values, axis, stacked: bool):
    if not len(values):
        raise ValueError("rt_inputs may not be empty.")
    parts = _of_one_dtype(values)
    rank = _common_rank(parts)
    if len(parts) == 1 and not stacked:
        return parts[0]
    axis = positive_axis(axis, None if rank is None else rank + stacked)
    ragged = any(isinstance(p, RaggedTensor) for p in parts)
    if stacked and rank == 0:
        return arrange.stack(parts)
    if stacked and rank == 1 and axis == 0:
        lengths = arrange.concat([arrange.shape(p) for p in parts], 0)
        return RaggedTensor.from_row_lengths(arrange.concat(parts, 0), lengths, validate=False)
    if not ragged and rank is not None and axis == rank + stacked - 1:
        return arrange.stack(parts, axis) if stacked else arrange.concat(parts, axis)
    kind = broadcast.same_splits_dtype(parts)
    depth = max(max(p.ragged_rank if isinstance(p, RaggedTensor) else 0 for p in parts), 1)
    parts = [_with_depth(p, depth, kind) for p in parts]
    if axis == 0:
        return _along_rows(parts, stacked)
    if axis == 1:
        return _inside_rows(parts, stacked)
    inner = _join([p.values for p in parts], axis - 1, stacked)
    same = [
        asserts.assert_equal(parts[0].row_splits, p.row_splits, message="Inputs must have identical ragged splits")
        for p in parts[1:]
        if p.row_splits is not parts[0].row_splits
    ]
    return RaggedTensor._of(inner, guarded(same, parts[0].row_splits), parts[0]._uniform)


def _of_one_dtype(values) -> list:
    """Values as tensors, dense or ragged; Python values take the dtype of the first tensor."""
    parts = [as_values(v) for v in values]
    if len({p.dtype for p in parts}) == 1:
        return parts
    typed = [hasattr(v, "dtype") for v in values]
    kind = next((p.dtype for p, is_typed in zip(parts, typed, strict=True) if is_typed), parts[0].dtype)
    return [
        p if is_typed else as_values(arrange.convert_to_tensor(v, kind))
        for p, v, is_typed in zip(parts, values, typed, strict=True)
    ]


def _common_rank(parts) -> int | None:
    """The rank that all parts have, which is also set where it was unknown. ValueError if they differ."""
    rank = next((p.shape.rank for p in parts if p.shape.rank is not None), None)
    if rank is not None:
        for part in parts:
            if not isinstance(part, RaggedTensor) and part.shape.rank is None:
                part.set_shape([None] * rank)
            part.shape.assert_has_rank(rank)
    return rank


def _with_depth(part, depth: int, kind):
    """A tensor with at least `depth` ragged axes."""
    if not isinstance(part, RaggedTensor):
        return RaggedTensor.from_tensor(part, ragged_rank=depth, row_splits_dtype=kind)
    if part.ragged_rank < depth:
        return part.with_values(_with_depth(part.values, depth - 1, kind))
    return part


def _along_rows(parts, stacked: bool):
    joined = _rows_appended(parts)
    if not stacked:
        return joined
    return RaggedTensor.from_row_lengths(joined, arrange.stack([p.nrows() for p in parts]), validate=False)


def _rows_appended(parts):
    """The rows of all parts, one part after the other."""
    if not isinstance(parts[0], RaggedTensor):
        return arrange.concat(parts, 0)
    values = _rows_appended([p.values for p in parts])
    lengths = arrange.concat([p.row_lengths() for p in parts], 0)
    statics = [p.shape[1] if p._uniform is not None else None for p in parts]
    if statics[0] is not None and len(set(statics)) == 1:
        return RaggedTensor.from_uniform_row_length(
            values, parts[0]._uniform, nrows=arrange.size(lengths, lengths.dtype)
        )
    return RaggedTensor.from_row_lengths(values, lengths, validate=False)


def _inside_rows(parts, stacked: bool):
    """Row i consists of the parts' rows i: of their elements, or of the rows themselves."""
    count, rows = len(parts), parts[0].nrows()
    same = [
        asserts.assert_equal(
            rows, p.nrows(), message=f"Input tensors at index 0 (=x) and {i} (=y) have incompatible shapes."
        )
        for i, p in enumerate(parts[1:], 1)
    ]
    order = arrange.reshape(arrange.transpose(arrange.reshape(creation.range(rows * count), [count, -1])), [-1])
    mixed = indexing.gather(_rows_appended(parts), guarded(same, order))
    borders = creation.range(0, rows * count + 1, count)
    if stacked:
        return RaggedTensor._of(mixed, borders)
    return RaggedTensor._of(mixed.values, indexing.gather(mixed.row_splits, borders))
