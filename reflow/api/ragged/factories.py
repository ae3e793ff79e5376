"""`tf.ragged`: ragged tensors from nested lists and ranges; row splits and segment ids; masks; stacking.

The methods of `tf.RaggedTensor` are in `ragged_build`, `ragged_parts`, `ragged_index` and `ragged_elementwise`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from reflow.api.array import arrange, creation, indexing
from reflow.api.export import export
from reflow.api.math import arithmetic, reduce, segment, unary
from reflow.api.ragged.build import partition_tensor, rows_of
from reflow.core import dtypes
from reflow.core.ragged import RaggedTensor
from reflow.core.tensor import Tensor
from reflow.ops.convert import constant, convert_to_tensor


@export("ragged.constant")
def constant_(pylist, dtype=None, ragged_rank=None, inner_shape=None, name=None, row_splits_dtype=dtypes.int64):
    """A ragged tensor from nested lists.

    >>> tf.ragged.constant([[1, 2], []])
    <tf.RaggedTensor [[1, 2], []]>
    """
    kind = dtypes.as_dtype(row_splits_dtype)
    if isinstance(pylist, np.ndarray):
        pylist = (
            pylist.tolist()
            if pylist.dtype != object
            else [x.tolist() if isinstance(x, np.ndarray) else x for x in pylist]
        )
    depth, empty = _depth(pylist), _has_empty(pylist)
    _check_depth(pylist, depth)
    if depth == 0:
        if ragged_rank:
            raise ValueError(f"Invalid pylist={pylist!r}: incompatible with ragged_rank={ragged_rank}")
        return constant(pylist, dtype)
    if ragged_rank is None:
        ragged_rank = max(depth - 1 - len(inner_shape or ()), 0)
    elif ragged_rank >= max(1, depth) and not empty:
        raise ValueError(f"Invalid pylist={pylist!r}: incompatible with ragged_rank={ragged_rank}")
    splits, rows = [], list(pylist)
    for _ in range(ragged_rank):
        lengths = [len(r) for r in rows]
        splits.append(np.concatenate([[0], np.cumsum(lengths)]).astype(kind.np_dtype))
        rows = [x for r in rows for x in r]
    values: Any
    if rows or inner_shape:
        values = constant(rows, dtype) if rows else constant(np.zeros((0, *inner_shape), np.float32), dtype)
    else:
        values = constant(np.zeros((0,), dtypes.as_dtype(dtype or dtypes.float32).np_dtype), dtype)
    for split in reversed(splits):
        values = RaggedTensor._of(values, constant(split))
    return values


def _depth(x) -> int:
    if not isinstance(x, (list, tuple, np.ndarray)):
        return 0
    return 1 + max((_depth(v) for v in x), default=0)


def _check_depth(x, depth):
    """All scalars must stand at one depth."""
    if not isinstance(x, (list, tuple, np.ndarray)):
        if depth:
            raise ValueError("all scalar values must have the same nesting depth")
        return
    for v in x:
        _check_depth(v, depth - 1)


def _has_empty(x) -> bool:
    return isinstance(x, (list, tuple)) and (not x or any(map(_has_empty, x)))


@export("ragged.range")
def range_(starts, limits=None, deltas=1, dtype=None, name=None, row_splits_dtype=dtypes.int64):
    """A row of numbers from each start to its limit.

    >>> tf.ragged.range([0, 2], [3, 4])
    <tf.RaggedTensor [[0, 1, 2], [2, 3]]>
    """
    if limits is None:
        starts, limits = 0, starts
    limits = convert_to_tensor(limits, dtype)
    starts = convert_to_tensor(starts, limits.dtype) if not isinstance(starts, Tensor) else starts
    deltas = convert_to_tensor(deltas, limits.dtype) if not isinstance(deltas, Tensor) else deltas
    kind = dtypes.as_dtype(row_splits_dtype)
    steps = unary.ceil(arithmetic.cast(limits - starts, dtypes.float64) / arithmetic.cast(deltas, dtypes.float64))
    lengths = arrange.reshape(arithmetic.cast(arithmetic.maximum(steps, constant(0, dtypes.float64)), kind), [-1])
    shape = arrange.shape(lengths)
    starts, deltas = (arrange.broadcast_to(x, shape) for x in (starts, deltas))
    result = RaggedTensor.from_row_lengths(creation.range(reduce.reduce_sum(lengths)), lengths, validate=False)
    ids = result.value_rowids()
    offsets = result.values - indexing.gather(result.row_splits, ids)
    values = indexing.gather(starts, ids) + arithmetic.cast(offsets, starts.dtype) * indexing.gather(deltas, ids)
    return result.with_values(values)


@export("ragged.row_splits_to_segment_ids")
def row_splits_to_segment_ids(splits, name=None, out_type=None):
    """The row of each value, from row splits.

    >>> tf.ragged.row_splits_to_segment_ids([0, 2, 2, 3]).numpy().tolist()
    [0, 0, 2]
    """
    splits = partition_tensor(splits)
    ids = creation.repeat(
        creation.range(arrange.shape(splits, out_type=splits.dtype)[0] - 1), splits[1:] - splits[:-1]
    )
    return ids if out_type is None else arithmetic.cast(ids, dtypes.as_dtype(out_type))


@export("ragged.segment_ids_to_row_splits")
def segment_ids_to_row_splits(segment_ids, num_segments=None, out_type=None, name=None):
    """Row splits, from the row of each value.

    >>> tf.ragged.segment_ids_to_row_splits([0, 0, 2]).numpy().tolist()
    [0, 2, 2, 3]
    """
    ids = partition_tensor(segment_ids)
    splits = RaggedTensor.from_value_rowids(ids, ids, num_segments, validate=False).row_splits
    return splits if out_type is None else arithmetic.cast(splits, dtypes.as_dtype(out_type))


@export("ragged.boolean_mask")
def boolean_mask(data, mask, name=None):
    """The elements for which `mask` is True, row by row.

    >>> tf.ragged.boolean_mask([[1, 2], [3, 4]], [[True, False], [True, True]])
    <tf.RaggedTensor [[1], [3, 4]]>
    """
    if not isinstance(mask, RaggedTensor):
        mask = RaggedTensor.from_tensor(convert_to_tensor(mask))
    if not isinstance(data, RaggedTensor):
        data = RaggedTensor.from_tensor(convert_to_tensor(data))
    flags = mask.flat_values
    counts = segment.unsorted_segment_sum(arithmetic.cast(flags, dtypes.int64), mask.value_rowids(), mask.nrows())
    return RaggedTensor.from_row_lengths(indexing.boolean_mask(data.flat_values, flags), counts, validate=False)


@export("ragged.stack")
def stack(values, axis=0, name=None):
    """Tensors of one rank as the rows of a ragged tensor (axis 0).

    >>> tf.ragged.stack([[1, 2], [3]])
    <tf.RaggedTensor [[1, 2], [3]]>
    """
    if axis != 0:
        raise NotImplementedError("tf.ragged.stack is there for axis=0 only so far.")
    parts: list = [v if isinstance(v, RaggedTensor) else convert_to_tensor(v) for v in values]
    flat = arrange.concat([p.flat_values if isinstance(p, RaggedTensor) else p for p in parts], 0)
    lengths = arrange.stack([rows_of(p) for p in parts])
    if any(isinstance(p, RaggedTensor) for p in parts):
        inner = RaggedTensor.from_row_lengths(
            flat, arrange.concat([p.row_lengths() for p in parts], 0), validate=False
        )
        return RaggedTensor.from_row_lengths(inner, lengths, validate=False)
    return RaggedTensor.from_row_lengths(flat, lengths, validate=False)
