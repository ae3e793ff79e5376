"""`tf.ragged`: ranges, row splits and segment ids."""

from __future__ import annotations

from typing import Any

import numpy as np

from reflow.api.array import arrange, creation, indexing
from reflow.api.export import export
from reflow.api.math import arithmetic, reduce, unary
from reflow.core import dtypes
from reflow.core.errors import InvalidArgumentError
from reflow.core.ragged import RaggedTensor
from reflow.core.tensor import Tensor
from reflow.ops.convert import constant, convert_to_tensor


@export("ragged.range")
def range_(starts, limits=None, deltas: Any = 1, dtype=None, name=None, row_splits_dtype: Any = dtypes.int64):
    """Creates a row of numbers from each start to its limit.

    Args:
      starts: The first numbers, a vector or a scalar; the limits if there are no others, with starts of 0.
      limits: What the rows end before, a vector or a scalar.
      deltas: The steps, a vector or a scalar.
      dtype: The dtype of the numbers; by default that of the arguments, which may be int32, int64, float32 or float64.
      name: Has no effect.
      row_splits_dtype: The dtype of the row splits, `tf.int32` or `tf.int64`.

    Returns:
      A `RaggedTensor` with a row for each start.

    Raises:
      InvalidArgumentError: A step is 0, or the shapes do not fit.
      TypeError: An argument has another dtype.

    >>> tf.ragged.range([0, 2], [3, 4])
    <tf.RaggedTensor [[0, 1, 2], [2, 3]]>
    """
    if limits is None:
        starts, limits = 0, starts
    starts, limits, deltas = _of_one_dtype([convert_to_tensor(x, dtype) for x in (starts, limits, deltas)])
    kind = dtypes.as_dtype(row_splits_dtype)
    known = arrange.get_static_value(deltas)
    if known is not None and not np.all(known):
        raise InvalidArgumentError(None, None, "Requires delta != 0")
    steps = unary.ceil(arithmetic.cast(limits - starts, dtypes.float64) / arithmetic.cast(deltas, dtypes.float64))
    lengths = arrange.reshape(arithmetic.cast(arithmetic.maximum(steps, constant(0, dtypes.float64)), kind), [-1])
    shape = arrange.shape(lengths)
    starts, deltas = (arrange.broadcast_to(x, shape) for x in (starts, deltas))
    result = RaggedTensor.from_row_lengths(creation.range(reduce.reduce_sum(lengths)), lengths, validate=False)
    ids = result.value_rowids()
    offsets = result.values - indexing.gather(result.row_splits, ids)
    values = indexing.gather(starts, ids) + arithmetic.cast(offsets, starts.dtype) * indexing.gather(deltas, ids)
    return result.with_values(values)


_NUMBERS = [dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64]


def _of_one_dtype(tensors: list[Tensor]) -> list[Tensor]:
    """The tensors in the dtype among theirs that holds most."""
    for tensor in tensors:
        if tensor.dtype not in _NUMBERS:
            names = ", ".join(d.name for d in _NUMBERS)
            raise TypeError(f"The ends of a range must have one of the dtypes {names}, but one is {tensor.dtype.name}")
    dtype = max((t.dtype for t in tensors), key=_NUMBERS.index)
    return [arithmetic.cast(t, dtype) for t in tensors]


@export("ragged.row_splits_to_segment_ids")
def row_splits_to_segment_ids(splits, name=None, out_type=None):
    """Computes the row of each value from row splits.

    Args:
      splits: Row splits, a vector of int32 or int64 that begins with 0 and never falls.
      name: Has no effect.
      out_type: The dtype of the result; by default that of `splits`.

    Returns:
      A vector with the number of a row for each value.

    Raises:
      ValueError: `splits` is empty, not a vector, or of another dtype.

    >>> tf.ragged.row_splits_to_segment_ids([0, 2, 2, 3]).numpy().tolist()
    [0, 0, 2]
    """
    splits = convert_to_tensor(splits, dtype_hint=dtypes.int64)
    if splits.dtype not in (dtypes.int32, dtypes.int64):
        raise ValueError("splits must have dtype int32 or int64")
    splits.shape.assert_has_rank(1)
    if splits.shape[0] == 0:
        raise ValueError("Invalid row_splits: []")
    ids = creation.repeat(
        creation.range(arrange.shape(splits, out_type=splits.dtype)[0] - 1), splits[1:] - splits[:-1]
    )
    return ids if out_type is None else arithmetic.cast(ids, dtypes.as_dtype(out_type))


@export("ragged.segment_ids_to_row_splits")
def segment_ids_to_row_splits(segment_ids, num_segments=None, out_type=None, name=None):
    """Computes row splits from the row of each value.

    Args:
      segment_ids: The row of each value, a vector of integers that never falls.
      num_segments: The number of rows; by default up to the last that has a value.
      out_type: The dtype of the result; by default that of `segment_ids`.
      name: Has no effect.

    Returns:
      A vector of `num_segments + 1` numbers, that begins with 0.

    Raises:
      TypeError: `segment_ids` are not integers.

    >>> tf.ragged.segment_ids_to_row_splits([0, 0, 2]).numpy().tolist()
    [0, 2, 2, 3]
    """
    ids = convert_to_tensor(segment_ids, dtype_hint=dtypes.int64)
    if not ids.dtype.is_integer:
        raise TypeError(
            "Argument `tensor` (name: segment_ids) must be of type integer. Received `tensor` = "
            f"{ids} of dtype: {ids.dtype!r}."
        )
    splits = RaggedTensor.from_value_rowids(ids, ids, num_segments, validate=False).row_splits
    return splits if out_type is None else arithmetic.cast(splits, dtypes.as_dtype(out_type))
