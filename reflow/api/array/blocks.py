"""Functions that move blocks: space to batch and depth, reversed sequences, partitions and stitching."""

from __future__ import annotations

import numpy as np

from reflow.api.array import arrange, creation
from reflow.api.array.arrange import get_static_value, shape_operand
from reflow.api.call import call, same_dtype
from reflow.api.export import export, export_function, with_sections
from reflow.api.math import arithmetic
from reflow.core import dtypes
from reflow.ops import convert
from reflow.ops.convert import convert_to_tensor


def _pairs(value):
    return convert_to_tensor(value, dtype_hint=dtypes.int32)


_TO_BATCH = """\
Args:
  input: A tensor of shape `[batch, *spatial, *rest]`.
  block_shape: The size of a block along each spatial axis.
  paddings: A row `[before, after]` of zeros to add for each spatial axis.
  name: A name for the operation.

Raises:
  InvalidArgumentError: A padded axis is not divisible by the size of the block.
"""


@export("space_to_batch", "nn.space_to_batch")
@with_sections(_TO_BATCH)
def space_to_batch(input, block_shape, paddings, name=None):
    """Moves blocks of the spatial axes, after padding, to the batch axis.

    Returns:
      A tensor of the dtype of `input`; the batch is larger by the number of elements of a block, the padded spatial
      axes smaller by its sizes.

    >>> tf.space_to_batch(tf.reshape(tf.range(4), [1, 2, 2, 1]), [2, 2], [[0, 0], [0, 0]]).shape
    TensorShape([4, 1, 1, 1])
    """
    return call("SpaceToBatchND", (convert_to_tensor(input), shape_operand(block_shape), _pairs(paddings)), label=name)


@export("space_to_batch_nd")
@with_sections(_TO_BATCH)
def space_to_batch_nd(input, block_shape, paddings, name=None):
    """The same as `space_to_batch`.

    Returns:
      A tensor of the dtype of `input`, with blocks along the batch axis.

    >>> tf.space_to_batch_nd(tf.reshape(tf.range(4), [1, 4, 1]), [2], [[0, 0]]).numpy()[..., 0].tolist()
    [[0, 2], [1, 3]]
    """
    return space_to_batch(input, block_shape, paddings, name)


@export("batch_to_space")
def batch_to_space(input, block_shape, crops, name=None):
    """Moves blocks from the batch axis into space, which is then cropped: the inverse of `space_to_batch`.

    Args:
      input: A tensor of shape `[batch, *spatial, *rest]`.
      block_shape: The size of a block along each spatial axis; an int stands for two equal sizes.
      crops: A row `[before, after]` of elements to remove for each spatial axis.
      name: A name for the operation.

    Returns:
      A tensor of the dtype of `input`.

    Raises:
      InvalidArgumentError: The batch is not divisible by the number of elements of a block.

    >>> tf.batch_to_space(tf.reshape(tf.range(4), [4, 1, 1, 1]), [2, 2], [[0, 0], [0, 0]]).numpy()[0, ..., 0].tolist()
    [[0, 1], [2, 3]]
    """
    if isinstance(block_shape, int):
        block_shape = np.array([block_shape, block_shape], np.int64)
    return call("BatchToSpaceND", (convert_to_tensor(input), shape_operand(block_shape), _pairs(crops)), label=name)


_BLOCKS = """\
Args:
  input: A tensor of images of rank 4.
  block_size: The height and width of a block.
  data_format: "NHWC" or "NCHW".
  name: A name for the operation.

Returns:
  A tensor of the dtype of `input`: {sizes}.

Raises:
  InvalidArgumentError: {indivisible}.
"""


def _between_depth_and_space(public, op, doc, sizes, indivisible, example):
    def move(input, block_size, data_format="NHWC", name=None):
        attrs = {"block_size": int(block_size), "data_format": data_format}
        return call(op, (convert_to_tensor(input),), attrs, name)

    doc = f"{doc}\n\n{_BLOCKS.format(sizes=sizes, indivisible=indivisible)}"
    return export_function(move, f"nn.{public}", doc=doc, example=example)


space_to_depth = _between_depth_and_space(
    "space_to_depth", "SpaceToDepth",
    "Moves blocks of `block_size` by `block_size` pixels to the channel axis.",
    sizes="height and width divided by `block_size`, channels multiplied by its square",
    indivisible="Height or width is not divisible by `block_size`",
    example="""
    >>> tf.nn.space_to_depth(tf.reshape(tf.range(4), [1, 2, 2, 1]), 2).numpy().ravel().tolist()
    [0, 1, 2, 3]
    """,
)
depth_to_space = _between_depth_and_space(
    "depth_to_space", "DepthToSpace",
    "Moves channels into blocks of `block_size` by `block_size` pixels: the inverse of `space_to_depth`.",
    sizes="height and width multiplied by `block_size`, channels divided by its square",
    indivisible="The channels are not divisible by the square of `block_size`",
    example="""
    >>> tf.nn.depth_to_space(tf.reshape(tf.range(4), [1, 1, 1, 4]), 2).numpy()[0, ..., 0].tolist()
    [[0, 1], [2, 3]]
    """,
)


@export("required_space_to_batch_paddings")
def required_space_to_batch_paddings(input_shape, block_shape, base_paddings=None, name=None):
    """Computes paddings that make sizes divisible by those of blocks, for `space_to_batch` and `batch_to_space`.

    Args:
      input_shape: The sizes of the spatial axes.
      block_shape: The size of a block along each of them.
      base_paddings: A row `[before, after]` for each axis, the least padding; by default none.
      name: Ignored.

    Returns:
      Two int32 matrices: the paddings for `space_to_batch`, and the crops that undo what was added to `base_paddings`.

    >>> [t.numpy().tolist() for t in tf.required_space_to_batch_paddings([5], [2])]
    [[[0, 1]], [[0, 1]]]
    """
    sizes, blocks = [get_static_value(shape_operand(s)) for s in (input_shape, block_shape)]
    if sizes is None or blocks is None:
        return _dynamic_paddings(shape_operand(input_shape), shape_operand(block_shape), base_paddings)
    base = np.zeros((len(blocks), 2), np.int32) if base_paddings is None else get_static_value(_pairs(base_paddings))
    extra = -(sizes + base[:, 0] + base[:, 1]) % blocks
    paddings = np.stack([base[:, 0], base[:, 1] + extra], 1).astype(np.int32)
    crops = np.stack([np.zeros_like(extra), extra], 1).astype(np.int32)
    return convert.constant(paddings), convert.constant(crops)


def _dynamic_paddings(sizes, blocks, base_paddings):
    """The paddings and crops for sizes that are known only when a function runs."""
    zero = creation.zeros_like(blocks)
    base = _pairs(base_paddings) if base_paddings is not None else arrange.stack([zero, zero], axis=1)
    start, end = base[:, 0], base[:, 1]
    extra = arithmetic.floormod(-(sizes + start + end), blocks)
    return arrange.stack([start, end + extra], axis=1), arrange.stack([zero, extra], axis=1)


@export("reverse_sequence")
def reverse_sequence(input, seq_lengths, seq_axis=None, batch_axis=None, name=None):
    """Reverses the first `seq_lengths[i]` elements along `seq_axis`, for each i along `batch_axis`.

    Args:
      input: A tensor.
      seq_lengths: A vector of the lengths of the sequences, int32 or int64.
      seq_axis: The axis along which sequences are reversed.
      batch_axis: The axis of the sequences; by default 0.
      name: A name for the operation.

    Returns:
      A tensor of the shape and dtype of `input`.

    Raises:
      ValueError: `seq_axis` is missing.
      InvalidArgumentError: A length exceeds the axis, or there are not as many as sequences.

    >>> tf.reverse_sequence([[1, 2, 3]], [2], seq_axis=1).numpy().tolist()
    [[2, 1, 3]]
    """
    if seq_axis is None:
        raise ValueError("reverse_sequence needs `seq_axis`.")
    return call(
        "ReverseSequence", (convert_to_tensor(input), convert_to_tensor(seq_lengths)),
        {"seq_dim": int(seq_axis), "batch_dim": int(batch_axis or 0)}, name,
    )


@export("dynamic_partition")
def dynamic_partition(data, partitions, num_partitions, name=None):
    """Splits a tensor into `num_partitions` tensors: element i goes to partition `partitions[i]`.

    Args:
      data: A tensor whose shape starts with that of `partitions`.
      partitions: Integers in `[0, num_partitions)`.
      num_partitions: The number of partitions, at least 1.
      name: A name for the operation.

    Returns:
      A list of tensors of the dtype of `data`, whose elements are in the order that they had.

    Raises:
      InvalidArgumentError: A partition is out of range, or the shapes do not match.

    >>> [t.numpy().tolist() for t in tf.dynamic_partition([1, 2, 3], [0, 1, 0], 2)]
    [[1, 3], [2]]
    """
    return call(
        "DynamicPartition", (convert_to_tensor(data), convert_to_tensor(partitions, dtypes.int32)),
        {"num_partitions": int(num_partitions)}, name,
    )


@export("dynamic_stitch")
def dynamic_stitch(indices, data, name=None):
    """Merges tensors: element `indices[m][i]` of the result is `data[m][i]`; of equal indices the last wins.

    Args:
      indices: A list of tensors of integers.
      data: As many tensors of one dtype, whose shapes start with those of the indices.
      name: A name for the operation.

    Returns:
      A tensor of the dtype of the data, of one more row than the greatest index; zeros where no index points.

    Raises:
      ValueError: The lists are of unequal length.

    >>> tf.dynamic_stitch([[0, 2], [1]], [[10, 30], [20]]).numpy().tolist()
    [10, 20, 30]
    """
    if len(indices) != len(data):
        raise ValueError(
            f"List argument 'data' to 'dynamic_stitch' Op with length {len(data)} must match length "
            f"{len(indices)} of argument 'indices'."
        )
    places = [convert_to_tensor(i, dtypes.int32) for i in indices]
    return call("DynamicStitch", (*places, *same_dtype(*data)), {"N": len(places)}, name)


@export("unravel_index")
def unravel_index(indices, dims, name=None):
    """Converts flat indices to coordinates in an array of shape `dims`.

    Args:
      indices: A scalar or a vector of integers, int32 or int64.
      dims: The shape of the array.
      name: A name for the operation.

    Returns:
      A tensor of the dtype of `indices`: a row for each axis, a column for each index.

    Raises:
      InvalidArgumentError: An index is outside of the array.

    >>> tf.unravel_index([5], [2, 3]).numpy().tolist()
    [[1], [2]]
    """
    indices = convert_to_tensor(indices)
    return call("UnravelIndex", (indices, convert_to_tensor(dims, indices.dtype)), label=name)


@export("edit_distance")
def edit_distance(hypothesis, truth, normalize=True, name="edit_distance"):
    """Computes the Levenshtein distance between sequences in two sparse tensors.

    Args:
      hypothesis: A `tf.SparseTensor` whose last axis is that of the sequences.
      truth: Another one of the same rank.
      normalize: Whether to divide by the length of the true sequence.
      name: A name for the operation.

    Returns:
      A float32 tensor with a distance for each sequence, of the shape of both without the last axis.

    Raises:
      TypeError: An argument is not a `tf.SparseTensor`.

    >>> a, b = (tf.sparse.from_dense([word]) for word in (["c", "a", "t"], ["c", "u", "t"]))
    >>> tf.edit_distance(a, b, normalize=False).numpy().tolist()
    [1.0]
    """
    for what, value in (("hypothesis", hypothesis), ("truth", truth)):
        if not hasattr(value, "dense_shape") or not hasattr(value, "indices"):
            raise TypeError(f"{what.capitalize()} must be a SparseTensor.")
    parts = [p for s in (hypothesis, truth) for p in (s.indices, s.values, s.dense_shape)]
    return call("EditDistance", parts, {"normalize": normalize}, name)
