"""Functions that move blocks: space to batch and depth, reversed sequences, partitions and stitching."""

from __future__ import annotations

import numpy as np

from reflow.api.array import arrange, creation
from reflow.api.array.arrange import get_static_value, shape_operand
from reflow.api.call import call, same_dtype
from reflow.api.export import export
from reflow.api.math import arithmetic
from reflow.core import dtypes
from reflow.ops import convert
from reflow.ops.convert import convert_to_tensor


def _pairs(value):
    return convert_to_tensor(value, dtype_hint=dtypes.int32)


@export("space_to_batch", "nn.space_to_batch")
def space_to_batch(input, block_shape, paddings, name=None):
    """Blocks of the spatial axes, after padding, moved to the batch axis.

    >>> tf.space_to_batch(tf.reshape(tf.range(4), [1, 2, 2, 1]), [2, 2], [[0, 0], [0, 0]]).shape
    TensorShape([4, 1, 1, 1])
    """
    return call("SpaceToBatchND", (convert_to_tensor(input), shape_operand(block_shape), _pairs(paddings)), label=name)


@export("space_to_batch_nd")
def space_to_batch_nd(input, block_shape, paddings, name=None):
    """The same as `space_to_batch`.

    >>> tf.space_to_batch_nd(tf.reshape(tf.range(4), [1, 4, 1]), [2], [[0, 0]]).numpy()[..., 0].tolist()
    [[0, 2], [1, 3]]
    """
    return space_to_batch(input, block_shape, paddings, name)


@export("batch_to_space")
def batch_to_space(input, block_shape, crops, name=None):
    """The inverse of `space_to_batch`: blocks move from the batch axis into space, which is then cropped.

    >>> tf.batch_to_space(tf.reshape(tf.range(4), [4, 1, 1, 1]), [2, 2], [[0, 0], [0, 0]]).numpy()[0, ..., 0].tolist()
    [[0, 1], [2, 3]]
    """
    if isinstance(block_shape, int):
        block_shape = np.array([block_shape, block_shape], np.int64)
    return call("BatchToSpaceND", (convert_to_tensor(input), shape_operand(block_shape), _pairs(crops)), label=name)


@export("nn.space_to_depth")
def space_to_depth(input, block_size, data_format="NHWC", name=None):
    """Blocks of `block_size` by `block_size` moved to the channel axis.

    >>> tf.nn.space_to_depth(tf.reshape(tf.range(4), [1, 2, 2, 1]), 2).numpy().ravel().tolist()
    [0, 1, 2, 3]
    """
    attrs = {"block_size": int(block_size), "data_format": data_format}
    return call("SpaceToDepth", (convert_to_tensor(input),), attrs, name)


@export("nn.depth_to_space")
def depth_to_space(input, block_size, data_format="NHWC", name=None):
    """Channels moved into blocks of `block_size` by `block_size`: the inverse of `space_to_depth`.

    >>> tf.nn.depth_to_space(tf.reshape(tf.range(4), [1, 1, 1, 4]), 2).numpy()[0, ..., 0].tolist()
    [[0, 1], [2, 3]]
    """
    attrs = {"block_size": int(block_size), "data_format": data_format}
    return call("DepthToSpace", (convert_to_tensor(input),), attrs, name)


@export("required_space_to_batch_paddings")
def required_space_to_batch_paddings(input_shape, block_shape, base_paddings=None, name=None):
    """(paddings, crops) that make `input_shape` divisible by `block_shape` for `space_to_batch` and `batch_to_space`.

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
    """The same where the sizes are known only when the function runs."""
    zero = creation.zeros_like(blocks)
    base = _pairs(base_paddings) if base_paddings is not None else arrange.stack([zero, zero], axis=1)
    start, end = base[:, 0], base[:, 1]
    extra = arithmetic.floormod(-(sizes + start + end), blocks)
    return arrange.stack([start, end + extra], axis=1), arrange.stack([zero, extra], axis=1)


@export("reverse_sequence")
def reverse_sequence(input, seq_lengths, seq_axis=None, batch_axis=None, name=None):
    """The first `seq_lengths[i]` elements along `seq_axis` backwards, for each i along `batch_axis`.

    >>> tf.reverse_sequence([[1, 2, 3]], [2], seq_axis=1).numpy().tolist()
    [[2, 1, 3]]
    """
    if seq_axis is None:
        raise ValueError("reverse_sequence needs `seq_axis`.")
    return call(
        "ReverseSequence",
        (convert_to_tensor(input), convert_to_tensor(seq_lengths)),
        {"seq_dim": int(seq_axis), "batch_dim": int(batch_axis or 0)},
        name,
    )


@export("dynamic_partition")
def dynamic_partition(data, partitions, num_partitions, name=None):
    """`data` split into `num_partitions` tensors: element i goes to partition `partitions[i]`.

    >>> [t.numpy().tolist() for t in tf.dynamic_partition([1, 2, 3], [0, 1, 0], 2)]
    [[1, 3], [2]]
    """
    return call(
        "DynamicPartition",
        (convert_to_tensor(data), convert_to_tensor(partitions, dtypes.int32)),
        {"num_partitions": int(num_partitions)},
        name,
    )


@export("dynamic_stitch")
def dynamic_stitch(indices, data, name=None):
    """One tensor whose rows `indices[m][i]` are `data[m][i]`; later ones win.

    >>> tf.dynamic_stitch([[0, 2], [1]], [[10, 30], [20]]).numpy().tolist()
    [10, 20, 30]
    """
    if len(indices) != len(data):
        raise ValueError(
            f"List argument 'data' to 'dynamic_stitch' Op with length {len(data)} must match length {len(indices)} of argument 'indices'."
        )
    places = [convert_to_tensor(i, dtypes.int32) for i in indices]
    return call("DynamicStitch", (*places, *same_dtype(*data)), {"N": len(places)}, name)


@export("unravel_index")
def unravel_index(indices, dims, name=None):
    """Flat indices as coordinates in an array of shape `dims`, one row per axis.

    >>> tf.unravel_index([5], [2, 3]).numpy().tolist()
    [[1], [2]]
    """
    indices = convert_to_tensor(indices)
    return call("UnravelIndex", (indices, convert_to_tensor(dims, indices.dtype)), label=name)


@export("edit_distance")
def edit_distance(hypothesis, truth, normalize=True, name="edit_distance"):
    """The Levenshtein distance between sequences in two SparseTensors.

    >>> a, b = (tf.sparse.from_dense([word]) for word in (["c", "a", "t"], ["c", "u", "t"]))
    >>> tf.edit_distance(a, b, normalize=False).numpy().tolist()
    [1.0]
    """
    for what, value in (("hypothesis", hypothesis), ("truth", truth)):
        if not hasattr(value, "dense_shape") or not hasattr(value, "indices"):
            raise TypeError(f"{what.capitalize()} must be a SparseTensor.")
    parts = [p for s in (hypothesis, truth) for p in (s.indices, s.values, s.dense_shape)]
    return call("EditDistance", parts, {"normalize": normalize}, name)
