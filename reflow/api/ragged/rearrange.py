"""Array functions of ragged tensors: masks, tiles, reversals, splits, axes, one-hot rows, dynamic partitions."""

from __future__ import annotations

import numpy as np

from reflow.api.array import arrange, creation, indexing, sorting
from reflow.api.debugging import asserts
from reflow.api.export import export
from reflow.api.math import arithmetic, reduce, segment
from reflow.api.ragged import broadcast
from reflow.api.ragged.build import as_values
from reflow.api.ragged.constants import RaggedTensorValue
from reflow.api.ragged.parts import positive_axis
from reflow.api.ragged.row_partition import guarded
from reflow.core import dtypes
from reflow.core.ragged import RaggedTensor
from reflow.ops.convert import constant, convert_to_tensor


@export("ragged.boolean_mask")
def boolean_mask(data, mask, name=None):
    """Keeps the elements for which `mask` is True, row by row.

    Args:
      data: A tensor, ragged or not.
      mask: A bool tensor, ragged or not, of a shape that `data.shape` begins with.
      name: Has no effect.

    Returns:
      A tensor of the dtype of `data`, ragged unless the mask has one axis and `data` is not.

    Raises:
      ValueError: The mask is a scalar, or its shape is not a prefix of that of `data`.

    >>> tf.ragged.boolean_mask([[1, 2], [3, 4]], [[True, False], [True, True]])
    <tf.RaggedTensor [[1], [3, 4]]>
    """
    data = as_values(data)
    if isinstance(mask, RaggedTensor) and mask.dtype is not dtypes.bool_:
        raise ValueError(
            f"Tensor conversion requested dtype bool for RaggedTensor with dtype {mask.dtype.name}: {mask!r}"
        )
    if not isinstance(mask, RaggedTensor):
        mask = as_values(mask) if isinstance(mask, RaggedTensorValue) else convert_to_tensor(mask, dtypes.bool_)
    kind = broadcast.same_splits_dtype([data, mask])
    if mask.shape.rank is None:
        raise ValueError("mask.shape.ndims must be known statically.")
    if mask.shape.rank == 0:
        raise ValueError("mask cannot be scalar.")
    if isinstance(mask, RaggedTensor) and not isinstance(data, RaggedTensor):
        data = RaggedTensor.from_tensor(data, ragged_rank=mask.ragged_rank, row_splits_dtype=kind)
    elif isinstance(data, RaggedTensor) and mask.shape.rank > 1 and not isinstance(mask, RaggedTensor):
        mask = RaggedTensor.from_tensor(
            mask, ragged_rank=min(data.ragged_rank, mask.shape.rank - 1), row_splits_dtype=kind
        )
    return _masked(data, mask, kind)


def _masked(data, mask, kind):
    if isinstance(mask, RaggedTensor):
        same = asserts.assert_equal(
            data.row_splits, mask.row_splits, message="Inputs must have identical ragged splits"
        )
        values = _masked(data.values, mask.with_values(guarded([same], mask.values)).values, kind)
        if isinstance(mask.values, RaggedTensor) or mask.values.shape.rank > 1:
            return mask.with_values(values)
        return _recount(values, mask)
    if isinstance(data, RaggedTensor):  # rows that are kept whole
        rows = indexing.boolean_mask(creation.range(data.nrows()), mask)
        return indexing.gather(data, rows)
    if mask.shape.rank == 1:
        return indexing.boolean_mask(data, mask)
    data.shape[: mask.shape.rank].assert_is_compatible_with(mask.shape)
    depth = mask.shape.rank - 1
    rows = RaggedTensor.from_tensor(mask, ragged_rank=depth, row_splits_dtype=kind)
    return _masked(RaggedTensor.from_tensor(data, ragged_rank=depth, row_splits_dtype=kind), rows, kind)


def _recount(values, mask):
    """Kept values in rows as long as the number of True in each row of a mask."""
    counts = segment.unsorted_segment_sum(
        arithmetic.cast(mask.values, mask.row_splits.dtype), mask.value_rowids(), mask.nrows()
    )
    return RaggedTensor.from_row_lengths(values, counts, validate=False)


def tile(input, multiples, name=None):
    """A ragged tensor repeated along each axis.

    >>> tf.tile(tf.ragged.constant([[1, 2], [3]]), [1, 2])
    <tf.RaggedTensor [[1, 2, 1, 2], [3, 3]]>
    """
    kind = input.row_splits.dtype
    times = arithmetic.cast(convert_to_tensor(multiples), kind)
    known = arrange.get_static_value(times)
    if known is not None and input.shape.rank is not None and len(known) != input.shape.rank:
        raise ValueError(f"Shape must be [{input.shape.rank}], is [{len(known)}]: one multiple for each axis.")
    if known is not None and (known == 1).all():
        return input
    inner = input.values
    if isinstance(inner, RaggedTensor):
        tiled = tile(inner, arrange.concat([[constant(1, kind)], times[2:]], 0))
    else:
        tiled = arrange.tile(inner, arrange.concat([[constant(1, kind)], times[2:]], 0))
    result = input.with_values(tiled)
    rows = creation.repeat(creation.range(input.nrows()), arrange.broadcast_to(times[1], [1]))
    widened = indexing.gather(result, rows)  # each row as often as it is to be repeated inside itself, then joined
    borders = creation.range(constant(0, kind), input.nrows() + 1) * times[1]
    length = None if input._uniform is None else input._uniform * times[1]
    result = RaggedTensor._of(widened.values, indexing.gather(widened.row_splits, borders), length)
    count = arrange.tile(creation.range(input.nrows()), arrange.reshape(times[0], [1]))
    return indexing.gather(result, count)


def reverse(tensor, axis, name=None):
    """A ragged tensor with some axes in reverse order.

    >>> tf.reverse(tf.ragged.constant([[1, 2], [3]]), [0, 1])
    <tf.RaggedTensor [[3], [2, 1]]>
    """
    message = "`axis` must be a list of int or a constant tensor when reversing axes in a ragged tensor"
    known = axis if isinstance(axis, (list, tuple)) else arrange.get_static_value(convert_to_tensor(axis))
    if known is None or any(not isinstance(a, (int, np.integer)) for a in known):
        raise TypeError(message)
    axes = [positive_axis(int(a), tensor.shape.rank, f"axis[{i}]") for i, a in enumerate(known)]
    key = [slice(None, None, -1) if i in axes else slice(None) for i in range(max(axes, default=-1) + 1)]
    return tensor[tuple(key)] if key else tensor


def split(value, num_or_size_splits, axis=0, num=None, name=None):
    """Parts of a ragged tensor along an axis that is not ragged.

    >>> tf.split(tf.ragged.constant([[1], [2, 3], [4]]), [1, 2])
    [<tf.RaggedTensor [[1]]>, <tf.RaggedTensor [[2, 3], [4]]>]
    """
    axis = positive_axis(axis, value.shape.rank)
    if 0 < axis <= value.ragged_rank and value._uniform_lengths()[axis - 1] is None:
        raise ValueError(f"ragged dimension {axis} cannot be split: its rows have different lengths")
    if axis:
        parts = split_columns(value, num_or_size_splits, axis, num)
        return parts
    sizes = _split_sizes(value.nrows(), num_or_size_splits, num, value.row_splits.dtype)
    limits = reduce.cumsum(sizes)
    count = num or sizes.shape[0]
    return [value[limits[i] - sizes[i] : limits[i]] for i in range(count)]


def split_columns(value, num_or_size_splits, axis: int, num):
    """Parts along an inner axis: those of the values, or slices of rows of one length."""
    if axis > 1:
        inner = value.values
        whole = split(inner, num_or_size_splits, axis - 1, num) if isinstance(inner, RaggedTensor) else arrange.split(
            inner, num_or_size_splits, axis - 1, num
        )
        return [value.with_values(part) for part in whole]
    sizes = _split_sizes(value.uniform_row_length, num_or_size_splits, num, value.row_splits.dtype)
    limits = reduce.cumsum(sizes)
    return [value[:, limits[i] - sizes[i] : limits[i]] for i in range(num or sizes.shape[0])]


def _split_sizes(total, num_or_size_splits, num, kind):
    """The sizes of the parts of an axis."""
    given = convert_to_tensor(num_or_size_splits)
    if given.shape.rank == 0:
        known = arrange.get_static_value(given)
        if known is None:
            raise TypeError("Expected a number of splits that is known.")
        count, static = int(known), arrange.get_static_value(total)
        if count <= 0:
            raise ValueError("num_splits must be a positive integer")
        if static is not None and int(static) % count:
            raise ValueError(f"Cannot exactly split {int(static)} rows into {count} parts.")
        return arrange.broadcast_to(arithmetic.cast(total, kind) // count, [count])
    if given.shape.rank is None or given.shape[0] is None and num is None:
        raise ValueError("`num` must be specified statically if the number of sizes is not known")
    return arithmetic.cast(given, kind)


def squeeze(input, axis=None, name=None):
    """A ragged tensor without axes of size 1: those given, which has to be said.

    >>> tf.squeeze(tf.ragged.constant([[[1, 2]], [[3]]]), axis=1)
    <tf.RaggedTensor [[1, 2], [3]]>
    """
    if axis is None:
        raise ValueError("Ragged.squeeze must have an axis argument.")
    axes = [axis] if isinstance(axis, int) else list(axis)
    rank = input.shape.rank
    for at in sorted((positive_axis(a, rank) for a in axes), reverse=True):
        input = _squeeze_one(input, at)
    return input


def _squeeze_one(value, axis: int):
    if not isinstance(value, RaggedTensor):
        return arrange.squeeze(value, axis)
    if axis > 1:
        return value.with_values(_squeeze_one(value.values, axis - 1))
    if axis == 0:
        check = asserts.assert_equal(value.nrows(), constant(1, value.row_splits.dtype), message="the axis has size 1")
        start = guarded([check], value.row_starts()[0])
        return value.values[start : value.row_limits()[0]]
    check = asserts.assert_equal(
        value.row_lengths(), creation.ones_like(value.row_lengths()),
        message="the given axis (axis = 1) is not squeezable!",
    )
    values = value.values
    if check is None:
        return values
    return (
        values.with_values(guarded([check], values.values)) if isinstance(values, RaggedTensor)
        else guarded([check], values)
    )


def bitcast(input, type, name=None):
    """The bits of a ragged tensor's values read as another type; one axis more or less where its size differs."""
    kind, rank = dtypes.as_dtype(type), input.flat_values.shape.rank
    if kind.size > input.dtype.size and (rank is None or rank < 2):
        raise ValueError(
            f"`input.flat_values` is required to have rank >= 2 when input.dtype.size < type.size. Actual rank: {rank}"
        )
    return input.with_flat_values(arrange.bitcast(input.flat_values, kind))


def one_hot(indices, depth, on_value=None, off_value=None, axis=None, dtype=None, name=None):
    """One-hot rows at ragged indices.

    >>> tf.one_hot(tf.ragged.constant([[1], []], dtype=tf.int32), 2).to_list()
    [[[0.0, 1.0]], []]
    """
    if isinstance(axis, int) and axis >= 0:
        if axis <= indices.ragged_rank:
            raise ValueError(f"axis ({axis}) must be greater than indices.ragged_rank ({indices.ragged_rank}).")
        axis -= indices.ragged_rank
    return indices.with_flat_values(creation.one_hot(indices.flat_values, depth, on_value, off_value, axis, dtype))


def expand_dims(input, axis, name=None):
    """A ragged tensor with an axis of size 1 inserted.

    >>> tf.expand_dims(tf.ragged.constant([[1, 2], [3]]), 0).shape
    TensorShape([1, 2, None])
    """
    rank = input.shape.rank
    at = positive_axis(int(axis), None if rank is None else rank + 1)
    if at == 0:
        return RaggedTensor.from_uniform_row_length(input, input.nrows(), nrows=1, validate=False)
    if at == 1:
        one = constant(1, input.row_splits.dtype)
        return RaggedTensor.from_uniform_row_length(input, one, nrows=input.nrows(), validate=False)
    return input.with_values(arrange.expand_dims(input.values, at - 1))


def size(input, out_type=dtypes.int32, name=None):
    """The number of values."""
    return arrange.size(input.flat_values, out_type, name)


def reshape(tensor, shape, name=None):
    """The innermost values in another shape, which may be ragged."""
    from reflow.api.ragged.shape import DynamicRaggedShape  # it is built on this module

    flat = tensor.flat_values if isinstance(tensor, RaggedTensor) else convert_to_tensor(tensor)
    if not isinstance(shape, DynamicRaggedShape):
        return arrange.reshape(flat, shape, name)
    return shape._add_row_partitions(arrange.reshape(flat, shape.inner_shape))


def dynamic_partition(data, partitions, num_partitions, name=None):
    """The rows, or the values, of ragged data sorted into partitions."""
    if not isinstance(num_partitions, int) or num_partitions < 0:
        raise TypeError("num_partitions must be a non-negative integer")
    result = stack_dynamic_partitions(data, partitions, num_partitions)
    return [result[i] for i in range(num_partitions)]


@export("ragged.stack_dynamic_partitions")
def stack_dynamic_partitions(data, partitions, num_partitions, name=None):
    """Sorts the elements of data into partitions, the rows of the result.

    Args:
      data: A tensor, ragged or not.
      partitions: The partition of each element, integers of a shape that `data.shape` begins with.
      num_partitions: The number of partitions.
      name: Has no effect.

    Returns:
      A `RaggedTensor` whose row i holds the elements of partition i, in their order.

    Raises:
      ValueError: `partitions` has an unknown rank, or other axes than `data`.
      InvalidArgumentError: A partition is not in `[0, num_partitions)`.

    >>> tf.ragged.stack_dynamic_partitions(["a", "b", "c", "d"], [1, 0, 1, 1], 2)
    <tf.RaggedTensor [[b'b'], [b'a', b'c', b'd']]>
    """
    data, partitions = as_values(data), as_values(partitions)
    kind = broadcast.same_splits_dtype([data, partitions])
    num_partitions = arithmetic.cast(num_partitions, partitions.dtype)
    if partitions.shape.rank is None:
        raise ValueError("partitions must have known rank.")
    num_partitions.shape.assert_has_rank(0)
    partitions.shape.assert_is_compatible_with(data.shape[: partitions.shape.rank])
    if partitions.shape.rank == 0:
        partitions, data = arrange.expand_dims(partitions, 0), arrange.expand_dims(data, 0)
    while isinstance(partitions, RaggedTensor):
        data = data if isinstance(data, RaggedTensor) else RaggedTensor.from_tensor(data, row_splits_dtype=kind)
        check = asserts.assert_equal(
            data.row_splits, partitions.row_splits, message="data and partitions have incompatible ragged shapes"
        )
        partitions, data = guarded([check], partitions.values) if not isinstance(
            partitions.values, RaggedTensor
        ) else partitions.values, data.values
    for _ in range(partitions.shape.rank - 1):
        data = data.values if isinstance(data, RaggedTensor) else arrange.reshape(
            data, arrange.concat([[-1], arrange.shape(data)[2:]], 0)
        )
    partitions = arrange.reshape(partitions, [-1])
    check = asserts.assert_non_negative(num_partitions, message="num_partitions must be non-negative")
    ok = asserts.assert_less(partitions, num_partitions, message="partitions must be less than num_partitions")
    lowest = asserts.assert_non_negative(partitions, message="partitions must be non-negative")
    partitions = guarded([check, ok, lowest], partitions)
    order = sorting.argsort(partitions, stable=True)
    lengths = segment.unsorted_segment_sum(
        creation.ones_like(partitions, dtype=kind), partitions, num_partitions
    )
    return RaggedTensor.from_row_lengths(indexing.gather(data, order), lengths, validate=False)
