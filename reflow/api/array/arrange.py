"""`tf.*` functions that rearrange tensors. What creates and measures them is in `basics.py`, indexing in `indexing.py`,
sorting in `sorting.py`.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from reflow.api.array.basics import (
    broadcast_dynamic_shape,
    broadcast_static_shape,
    constant,
    ensure_shape,
    get_static_value,
    guarantee_const,
    identity,
    identity_n,
    is_symbolic_tensor,
    is_tensor,
    public_convert_to_tensor,
    rank,
    shape,
    shape_n,
    shape_operand,
    size,
    static_shape,
    stop_gradient,
)
from reflow.api.call import call, one_dtype, same_dtype
from reflow.api.export import export
from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.errors import InvalidArgumentError
from reflow.core.tensor import TensorBase
from reflow.ops import convert
from reflow.ops.convert import convert_to_tensor

# --- shape ------------------------------------------------------------------------------------------------------------


@export("reshape")
def reshape(tensor, shape, name=None):
    """Arranges the elements of a tensor in another shape.

    Args:
      tensor: A tensor.
      shape: The shape of the result; one size may be -1, and is then computed.
      name: A name for the operation.

    Returns:
      A tensor of the dtype of `tensor`, with its elements in the same (row-major) order.

    Raises:
      InvalidArgumentError: The shape has another number of elements.

    >>> tf.reshape([1, 2, 3, 4], [2, -1]).numpy().tolist()
    [[1, 2], [3, 4]]
    """
    return call("Reshape", (convert_to_tensor(tensor), shape_operand(shape)), label=name)


@export("transpose")
def transpose(a, perm=None, conjugate=False, name="transpose"):
    """Permutes the axes of a tensor: axis i of the result is axis `perm[i]` of `a`.

    Args:
      a: A tensor.
      perm: The order of the axes; by default it is reversed.
      conjugate: Whether complex numbers are conjugated too.
      name: A name for the operation.

    Returns:
      A tensor of the dtype of `a`.

    Raises:
      InvalidArgumentError: `perm` is not a permutation of the axes.

    >>> tf.transpose([[1, 2, 3]]).shape
    TensorShape([3, 1])
    """
    a = convert_to_tensor(a)
    op = "ConjugateTranspose" if conjugate and a._dtype.kind == "c" else "Transpose"
    if perm is None:
        ndim = a.shape.rank
        if ndim is not None:
            perm = convert.from_array(np.arange(ndim - 1, -1, -1, dtype=np.int32))
        else:
            zero, one = convert.constant(0), convert.constant(1)
            count = call("Rank", (a,))
            perm = call("Sub", (call("Sub", (count, one)), call("Range", (zero, count, one))))
    return call(op, (a, shape_operand(perm, "Transpose")), label=name)


@export("expand_dims")
def expand_dims(input, axis, name=None):
    """Inserts an axis of size 1.

    Args:
      input: A tensor.
      axis: Where the new axis is in the result; a negative one counts from the end.
      name: A name for the operation.

    Returns:
      A tensor of the dtype of `input`, of one more dimension.

    Raises:
      InvalidArgumentError: `axis` is out of range.

    >>> tf.expand_dims([1, 2], 0).shape
    TensorShape([1, 2])
    """
    return call("ExpandDims", (convert_to_tensor(input), convert_to_tensor(axis, dtype_hint=dtypes.int32)), label=name)


@export("squeeze")
def squeeze(input, axis=None, name=None):
    """Removes the axes of size 1, or those given.

    Args:
      input: A tensor.
      axis: The axis, or a list of axes, to remove; by default all of size 1.
      name: A name for the operation.

    Returns:
      A tensor of the dtype of `input`.

    Raises:
      InvalidArgumentError: An axis given is of another size.

    >>> tf.squeeze(tf.zeros([1, 2, 1])).shape
    TensorShape([2])
    """
    if axis is None:
        axes: list = []
    elif isinstance(axis, (list, tuple, np.ndarray)):
        axes = [_whole_axis(a) for a in axis]
    else:
        axes = [_whole_axis(axis)]
    return call("Squeeze", (convert_to_tensor(input),), {"squeeze_dims": axes}, name)


def _whole_axis(axis) -> int:
    try:
        return int(axis)
    except (TypeError, ValueError):
        raise TypeError(f"Expected int for argument 'axis' not {axis!r}.") from None


@export("broadcast_to")
def broadcast_to(input, shape, name=None):
    """Repeats a tensor along axes of size 1, and along new leading axes, to the given shape.

    Args:
      input: A tensor.
      shape: The shape of the result.
      name: A name for the operation.

    Returns:
      A tensor of the dtype of `input`.

    Raises:
      InvalidArgumentError: `input` does not broadcast to the shape.

    >>> tf.broadcast_to([1, 2], [2, 2]).numpy().tolist()
    [[1, 2], [1, 2]]
    """
    return call("BroadcastTo", (convert_to_tensor(input), shape_operand(shape, "BroadcastTo")), label=name)


@export("tile")
def tile(input, multiples, name=None):
    """Repeats a tensor `multiples[i]` times along each axis i.

    Args:
      input: A tensor.
      multiples: A vector of as many integers as `input` has axes.
      name: A name for the operation.

    Returns:
      A tensor of the dtype of `input`; axis i has size `input.shape[i] * multiples[i]`.

    Raises:
      InvalidArgumentError: `multiples` has another length, or a negative number.

    >>> tf.tile([1, 2], [2]).numpy().tolist()
    [1, 2, 1, 2]
    """
    return call("Tile", (convert_to_tensor(input), shape_operand(multiples, "Tile")), label=name)


@export("pad")
def pad(tensor, paddings, mode="CONSTANT", constant_values: Any = 0, name=None):
    """Adds `paddings[i] = [before, after]` elements along each axis i.

    Args:
      tensor: A tensor.
      paddings: A matrix of integers that are not negative, with a row for each axis.
      mode: "CONSTANT", "REFLECT" (mirrored without the edge) or "SYMMETRIC" (mirrored with it), in any case.
      constant_values: What is added in mode "CONSTANT".
      name: A name for the operation.

    Returns:
      A tensor of the dtype of `tensor`.

    Raises:
      ValueError: `mode` is another word.
      InvalidArgumentError: A padding is negative, or more than can be mirrored.

    >>> tf.pad([1, 2], [[1, 0]]).numpy().tolist()
    [0, 1, 2]
    """
    tensor, mode = convert_to_tensor(tensor), mode.upper()
    paddings = convert_to_tensor(paddings, dtype_hint=dtypes.int32)
    if mode in ("REFLECT", "SYMMETRIC"):
        return call("MirrorPad", (tensor, paddings), {"mode": mode}, name)
    if mode != "CONSTANT":
        raise ValueError(
            'Value of argument `mode` expected to be one of "CONSTANT", "REFLECT", or "SYMMETRIC". '
            f"Received `mode` = {mode}"
        )
    if not isinstance(constant_values, TensorBase) and np.ndim(constant_values) == 0 and not np.any(constant_values):
        return call("Pad", (tensor, paddings), label=name)
    return call("PadV2", (tensor, paddings, convert_to_tensor(constant_values, tensor._dtype)), label=name)


@export("reverse")
def reverse(tensor, axis, name=None):
    """Reverses a tensor along the given axes.

    Args:
      tensor: A tensor.
      axis: A list of axes.
      name: A name for the operation.

    Returns:
      A tensor of the shape and dtype of `tensor`.

    Raises:
      InvalidArgumentError: There is no such axis, or `axis` is not a list.

    >>> tf.reverse([1, 2, 3], [0]).numpy().tolist()
    [3, 2, 1]
    """
    return call("ReverseV2", (convert_to_tensor(tensor), shape_operand(axis, "ReverseV2")), label=name)


@export("roll")
def roll(input, shift, axis, name=None):
    """Rotates a tensor by `shift` positions along `axis`; what leaves it at the end comes in at the start.

    Args:
      input: A tensor.
      shift: The number of positions, or a list with one for each of several axes; negative ones rotate backwards.
      axis: The axis, or a list of axes.
      name: A name for the operation.

    Returns:
      A tensor of the shape and dtype of `input`.

    Raises:
      InvalidArgumentError: There is no such axis.

    >>> tf.roll([1, 2, 3], 1, 0).numpy().tolist()
    [3, 1, 2]
    """
    shift, axis = shape_operand(shift, "Roll"), shape_operand(axis, "Roll", 2)
    return call("Roll", (convert_to_tensor(input), shift, axis), label=name)


# --- joining and parting ----------------------------------------------------------------------------------------------


@export("stack")
def stack(values, axis=0, name="stack"):
    """Joins tensors of equal shape along a new axis.

    Args:
      values: A list of tensors of equal shape and dtype.
      axis: Where the new axis is in the result; a negative one counts from the end.
      name: A name for the operation.

    Returns:
      A tensor of the dtype of the inputs, of one more dimension.

    Raises:
      ValueError: `axis` is out of range.
      InvalidArgumentError: Shapes or dtypes differ.

    >>> tf.stack([[1, 2], [3, 4]], axis=1).numpy().tolist()
    [[1, 3], [2, 4]]
    """
    if axis == 0 and not (isinstance(values, (list, tuple)) and any(isinstance(v, TensorBase) for v in values)):
        with suppress(TypeError, ValueError):  # they may still be tensors of one shape
            return convert_to_tensor(values, name=name)
    if values is None:
        raise TypeError("`values` must be a list of tensors. Received: None")
    tensors = same_dtype(*values)
    if not tensors:
        return convert_to_tensor([])
    one_dtype("Pack", tensors)
    ndim = tensors[0].shape.rank
    if ndim is not None and not -ndim - 1 <= axis <= ndim:
        raise ValueError(f"Argument `axis` = {axis} not in range [{-ndim - 1}, {ndim + 1})")
    return call("Pack", tensors, {"axis": int(axis)}, name)


@export("parallel_stack")
def parallel_stack(values, name="parallel_stack"):
    """Joins tensors along a new axis 0, like `tf.stack`; TensorFlow's variant that needs no input before the others.

    Args:
      values: A list of tensors of equal shape and dtype.
      name: A name for the operation.

    Returns:
      A tensor of the dtype of the inputs, of one more dimension.

    Raises:
      InvalidArgumentError: Shapes or dtypes differ.

    >>> tf.parallel_stack([[1, 2], [3, 4]]).numpy().tolist()
    [[1, 2], [3, 4]]
    """
    return stack(values, 0, name)


@export("unstack")
def unstack(value, num=None, axis=0, name="unstack"):
    """Returns the slices of a tensor along an axis.

    Args:
      value: A tensor.
      num: The size of the axis, where it is not statically known.
      axis: The axis.
      name: A name for the operation.

    Returns:
      A list of tensors of the dtype of `value`, each of one dimension less.

    Raises:
      ValueError: `axis` is out of range, or its size is neither known nor given.
      InvalidArgumentError: `num` is not the size of the axis.

    >>> [t.numpy().tolist() for t in tf.unstack([[1, 2], [3, 4]], axis=1)]
    [[1, 3], [2, 4]]
    """
    value = convert_to_tensor(value)
    if num is None:
        dims = value.shape._dims
        if dims is not None and not -len(dims) <= axis < len(dims):
            raise ValueError(f"Argument `axis` = {axis} not in range [{-len(dims)}, {len(dims)})")
        num = None if dims is None else dims[axis]
        if num is None:
            raise ValueError(f"Cannot infer argument `num` from shape {value.shape}")
    return call("Unpack", (value,), {"num": int(num), "axis": int(axis)}, name)


@export("concat")
def concat(values, axis, name="concat"):
    """Joins tensors along an existing axis.

    Args:
      values: A list of tensors of one dtype, whose shapes differ along `axis` only.
      axis: The axis; a negative one counts from the end.
      name: A name for the operation.

    Returns:
      A tensor of the dtype of the inputs.

    Raises:
      InvalidArgumentError: The list is empty, or shapes or dtypes do not match.

    >>> tf.concat([[1, 2], [3]], 0).numpy().tolist()
    [1, 2, 3]
    """
    if not isinstance(values, (list, tuple)):
        values = [values]
    if not values:
        raise InvalidArgumentError(
            None, None, "ConcatOp : Argument `values` must hold at least one tensor. Received: []"
        )
    tensors = same_dtype(*values)
    if len(tensors) == 1:
        return identity(tensors[0], name)
    one_dtype("ConcatV2", tensors)
    return call("ConcatV2", (*tensors, convert_to_tensor(axis, dtype_hint=dtypes.int32)), {"N": len(tensors)}, name)


@export("split")
def split(value, num_or_size_splits, axis=0, num=None, name="split"):
    """Splits a tensor along an axis into equal parts, or parts of given sizes.

    Args:
      value: A tensor.
      num_or_size_splits: The number of equal parts, or a list of sizes, of which one may be -1 for what remains.
      axis: The axis.
      num: The number of sizes, where it is not statically known.
      name: A name for the operation.

    Returns:
      A list of tensors of the dtype of `value`.

    Raises:
      InvalidArgumentError: The axis does not divide evenly, or the sizes do not add up to its own.
      ValueError: The sizes are a scalar tensor, or their number is neither known nor given.

    >>> [t.numpy().tolist() for t in tf.split([1, 2, 3], [2, 1])]
    [[1, 2], [3]]
    """
    value = convert_to_tensor(value)
    if isinstance(num_or_size_splits, (int, np.integer)):
        if num_or_size_splits < 1 and state.graph is None:
            raise InvalidArgumentError(
                None, None, f"Value for attr 'num_split' of {num_or_size_splits} must be at least minimum 1 [Op:Split]"
            )
        return call(
            "Split", (convert_to_tensor(axis, dtypes.int32), value), {"num_split": int(num_or_size_splits)}, name
        )
    number = isinstance(num_or_size_splits, (float, np.floating))
    sizes = convert_to_tensor(num_or_size_splits) if number else shape_operand(num_or_size_splits, "SplitV")
    if sizes.shape.rank == 0:
        raise ValueError(
            "Rank-0 tensors are not supported as the num_or_size_splits argument to split. Argument provided: "
            f"{num_or_size_splits}"
        )
    if num is None:
        num = None if sizes.shape.rank is None else sizes.shape[0]
        if num is None:
            raise ValueError(f"Cannot infer argument `num` from shape {num_or_size_splits}")
    return call("SplitV", (value, sizes, convert_to_tensor(axis, dtypes.int32)), {"num_split": int(num)}, name)


# --- the rest ---------------------------------------------------------------------------------------------------------


@export("bitcast")
def bitcast(input, type, name=None):
    """Reads the bits of a tensor as another dtype.

    Args:
      input: A tensor of numbers.
      type: The dtype of the result. If its elements are shorter, there is a new last axis; if longer, the last axis
        goes into one element.
      name: A name for the operation.

    Returns:
      A tensor of dtype `type`, of as many bytes.

    Raises:
      InvalidArgumentError: The last axis does not fill an element.

    >>> tf.bitcast(tf.constant(1.0), tf.int32).numpy().item()
    1065353216
    """
    return call("Bitcast", (convert_to_tensor(input),), {"type": dtypes.as_dtype(type)}, name)


@export("math.invert_permutation")
def invert_permutation(x, name=None):
    """Returns the inverse of a permutation: y with `y[x[i]] = i`.

    Args:
      x: A vector with each of 0, 1, …, n - 1 once.
      name: A name for the operation.

    Returns:
      A vector of the dtype of `x`.

    Raises:
      InvalidArgumentError: A number is missing or there twice.

    >>> tf.math.invert_permutation([2, 0, 1]).numpy().tolist()
    [1, 2, 0]
    """
    return call("InvertPermutation", (convert_to_tensor(x),), label=name)


# functions of `basics.py` that many use as `arrange.shape`
__all__ = [
    "broadcast_dynamic_shape", "broadcast_static_shape", "constant", "ensure_shape", "get_static_value",
    "guarantee_const", "identity", "identity_n", "is_symbolic_tensor", "is_tensor", "public_convert_to_tensor",
    "rank", "shape", "shape_n", "shape_operand", "size", "static_shape", "stop_gradient",
]  # fmt: skip
