"""`tf.*` functions that create, measure and rearrange tensors. Indexing is in `indexing.py`, sorting in `sorting.py`."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from reflow.api.call import call, one_dtype, same_dtype
from reflow.api.dispatching import copy_of
from reflow.api.export import export, export_value
from reflow.core import dtypes, nest
from reflow.core.context import state
from reflow.core.errors import InvalidArgumentError
from reflow.core.ragged import RaggedTensor
from reflow.core.shapes import Dimension, TensorShape, dims_of, is_fully_known
from reflow.core.sparse import SparseTensor
from reflow.core.tensor import EagerTensor, Tensor, TensorBase
from reflow.core.tensor import is_tensor as _is_tensor
from reflow.ops import convert
from reflow.ops.convert import convert_to_tensor
from reflow.ops.from_python import short_name
from reflow.ops.shape_facts import known
from reflow.ops.shape_rules import broadcast_dims

# --- constants and conversion -----------------------------------------------------------------------------------------


@export("constant")
def constant(value, dtype=None, shape=None, name="Const"):
    """A tensor from a Python or NumPy value.

    >>> tf.constant([[1, 2], [3, 4]]).shape
    TensorShape([2, 2])
    """
    return convert.constant(value, dtype, shape, name)


#: a separate function: dispatchers may override it (`api/dispatchers.py`), but not the conversion of every op's
#: arguments
public_convert_to_tensor = copy_of(convert_to_tensor)
export_value(public_convert_to_tensor, "convert_to_tensor")
export_value(convert.register_tensor_conversion_function, "register_tensor_conversion_function")


@export("is_tensor")
def is_tensor(x):
    """Whether x is a tensor, a variable, or another tensor-like object.

    >>> is_tensor(3)
    False
    """
    return _is_tensor(x)


@export("is_symbolic_tensor")
def is_symbolic_tensor(tensor) -> bool:
    """Whether a tensor belongs to a graph under construction and so has no value yet.

    >>> tf.is_symbolic_tensor(tf.constant(1))
    False
    """
    return isinstance(tensor, Tensor) and not isinstance(tensor, EagerTensor)


@export("get_static_value")
def get_static_value(tensor, partial=False):
    """The value of a tensor as a NumPy array if it is statically known, else None. Other objects are returned as they are.

    With `partial=True` a known vector may contain None for entries that are not known.

    >>> tf.get_static_value(tf.constant([1, 2])).tolist()
    [1, 2]
    """
    if isinstance(tensor, EagerTensor):
        try:
            return tensor.numpy()
        except (ValueError, NotImplementedError):
            return None
    if not isinstance(tensor, Tensor):
        return tensor if not isinstance(tensor, TensorBase) else None
    if tensor.op.type == "Const":
        return np.array(tensor.op.attrs["value"])
    value = tensor._static
    if value is None:
        return _from_parts(tensor, partial)
    if known(value):
        return np.array(value, tensor._dtype.np_dtype)
    return np.array(value, object) if partial else None


def _from_parts(tensor, partial: bool):
    """The value of a tensor that is stacked from known ones, or is a part of such a tensor; None if it is not known."""
    node = tensor.op
    if node.type == "Pack" and not node.attrs.get("axis"):
        parts = [get_static_value(x, partial) for x in node.inputs]
        if all(part is None for part in parts) or not partial and any(part is None for part in parts):
            return None
        whole = np.empty(len(parts), object)  # every element is written below
        whole[:] = parts
        return whole if any(part is None for part in parts) else np.stack(parts)
    if node.type == "Unpack" and not node.attrs.get("axis"):
        whole = get_static_value(node.inputs[0], partial)
        return None if whole is None else whole[tensor.value_index]
    if node.type == "Split" and get_static_value(node.inputs[0]) == 0:
        whole = get_static_value(node.inputs[1], partial)
        return None if whole is None else np.split(whole, len(node.outputs))[tensor.value_index]
    return None


def shape_operand(shape):
    """A shape argument (TensorShape, ints, tensors, a mixture) as an int32 or int64 tensor."""
    if isinstance(shape, TensorBase) or hasattr(shape, "__tf_tensor__"):
        return convert_to_tensor(shape)
    if isinstance(shape, TensorShape):
        if not shape.is_fully_defined():
            raise ValueError(f"Cannot convert a partially known TensorShape {shape} to a Tensor.")
        shape = shape._dims
    if isinstance(shape, (int, np.integer)):
        return convert.constant(shape, dtypes.int32)
    if isinstance(shape, (list, tuple)):
        if all(type(n) is int for n in shape):
            big = any(not -(2**31) <= n < 2**31 for n in shape)
            return convert.from_array(np.array(shape, np.int64 if big else np.int32))
        if None in [n for n in shape if n is None]:
            raise ValueError(
                f"Tried to convert 'shape' to a tensor and failed. Error: None values not supported. Received: {shape}"
            )
        shape = [_size(n) for n in shape]
    sizes = convert_to_tensor(shape, dtype_hint=dtypes.int32)
    if sizes._dtype.kind == "f" and sizes.shape != (0,) and state.graph is None:
        raise InvalidArgumentError(
            None, None,
            f"Value for attr 'Tshape' of {short_name(sizes._dtype)} is not in the list of allowed values: int32, int64",
        )
    return sizes


def _size(n):
    """One size of a shape argument: an eager tensor may be a float, as in TensorFlow."""
    if isinstance(n, EagerTensor) and n._dtype.is_floating:
        return int(n)
    return n.value if isinstance(n, Dimension) else n


def static_shape(shape):
    """A shape argument as a tuple of ints if all of it is known, else None."""
    if isinstance(shape, TensorShape):
        return shape._dims if shape.is_fully_defined() else None
    if isinstance(shape, (int, np.integer)):
        return (int(shape),)
    if isinstance(shape, (list, tuple)) and all(isinstance(n, (int, np.integer)) for n in shape):
        return tuple(map(int, shape))
    if isinstance(shape, np.ndarray):
        return tuple(shape.reshape(-1).tolist())
    if isinstance(shape, EagerTensor):
        return tuple(shape._host().reshape(-1).tolist())
    return None


# --- handing on -------------------------------------------------------------------------------------------------------


@export("identity")
def identity(input, name=None):
    """A tensor with the same value as `input`.

    >>> tf.identity([1, 2]).numpy().tolist()
    [1, 2]
    """
    if getattr(input, "_is_composite", False) and not isinstance(input, TensorBase):
        parts = [identity(t) for t in nest.flatten(input, expand_composites=True)]
        return nest.pack_sequence_as(input, parts, expand_composites=True)
    return call("Identity", (convert_to_tensor(input),), label=name)


@export("identity_n")
def identity_n(input, name=None):
    """A list of tensors with the same values as the list `input`.

    >>> [t.numpy().item() for t in tf.identity_n([1, 2.5])]
    [1, 2.5]
    """
    return call("IdentityN", [convert_to_tensor(x) for x in input], label=name)


@export("stop_gradient")
def stop_gradient(input, name=None):
    """`input`, treated as a constant by gradients.

    >>> x = tf.Variable(3.0)
    >>> with tf.GradientTape() as tape:
    ...     y = x * tf.stop_gradient(x)
    >>> tape.gradient(y, x).numpy().item()
    3.0
    """
    return call("StopGradient", (convert_to_tensor(input),), label=name)


@export("guarantee_const")
def guarantee_const(input, name=None):
    """`input`, promised not to change. Deprecated in TensorFlow; it has no effect.

    >>> tf.guarantee_const(3).numpy().item()
    3
    """
    return call("GuaranteeConst", (convert_to_tensor(input),), label=name)


@export("ensure_shape")
def ensure_shape(x, shape, name=None):
    """`x`, checked at run time to have the given (partial) shape.

    >>> tf.ensure_shape(tf.zeros([2, 3]), [None, 3]).shape
    TensorShape([2, 3])
    """
    return call("EnsureShape", (convert_to_tensor(x),), {"shape": dims_of(shape)}, name)


# --- measuring --------------------------------------------------------------------------------------------------------


def _as_out_type(out_type):
    return dtypes.int32 if out_type is None else dtypes.as_dtype(out_type)


@export("shape")
def shape(input, out_type=None, name=None):
    """The shape of a tensor, as an integer tensor.

    >>> tf.shape(tf.zeros([2, 3])).numpy().tolist()
    [2, 3]
    """
    out_type = _as_out_type(out_type)
    if isinstance(input, RaggedTensor):
        from reflow.api.ragged.shape import DynamicRaggedShape

        return DynamicRaggedShape.from_tensor(input, out_type)
    dense_shape = getattr(input, "dense_shape", None)
    if dense_shape is not None and not isinstance(input, TensorBase):
        return call("Cast", (dense_shape,), {"DstT": out_type}, name)
    input = convert_to_tensor(input)
    dims = input.shape._dims
    if is_fully_known(dims) and (state.graph is not None or state.backend.direct):
        return convert.constant(np.array(dims, out_type.np_dtype), name=name)
    return call("Shape", (input,), {"out_type": out_type}, name)


@export("shape_n")
def shape_n(input, out_type=dtypes.int32, name=None):
    """The shapes of several tensors.

    >>> [t.numpy().tolist() for t in tf.shape_n([[1, 2], [[3]]])]
    [[2], [1, 1]]
    """
    return call("ShapeN", [convert_to_tensor(x) for x in input], {"out_type": _as_out_type(out_type)}, name)


@export("size")
def size(input, out_type=None, name=None):
    """The number of elements of a tensor.

    >>> int(tf.size(tf.zeros([2, 3])))
    6
    """
    out_type = _as_out_type(out_type)
    if getattr(input, "dense_shape", None) is not None and not isinstance(input, TensorBase):
        from reflow.ops.xp.tensor import reduce_all_axes

        return reduce_all_axes("Prod", shape(input, out_type))
    input = convert_to_tensor(input)
    count = input.shape.num_elements()
    if count is not None:
        return convert.constant(np.array(count, out_type.np_dtype), name=name)
    return call("Size", (input,), {"out_type": out_type}, name)


@export("rank")
def rank(input, name=None):
    """The number of dimensions of a tensor, as an int32 tensor.

    >>> tf.rank([[1, 2]]).numpy().item()
    2
    """
    if isinstance(input, SparseTensor):
        return size(input.dense_shape, name=name or "Rank")
    input = input if isinstance(input, RaggedTensor) else convert_to_tensor(input)
    known_rank = input.shape.rank
    if known_rank is not None:
        return convert.constant(np.array(known_rank, np.int32), name=name)
    return call("Rank", (input,), label=name)


@export("broadcast_static_shape")
def broadcast_static_shape(shape_x, shape_y):
    """The shape that two TensorShapes broadcast to.

    >>> tf.broadcast_static_shape(tf.TensorShape([2, 1]), tf.TensorShape([3]))
    TensorShape([2, 3])
    """
    try:
        return TensorShape._of(broadcast_dims(dims_of(shape_x), dims_of(shape_y)))
    except ValueError:
        raise ValueError(
            "Incompatible shapes for broadcasting. Two shapes are compatible if for each dimension pair they "
            f"are either equal or one of them is 1. Received: {shape_x} and {shape_y}."
        ) from None


@export("broadcast_dynamic_shape")
def broadcast_dynamic_shape(shape_x, shape_y):
    """The shape that two shapes, given as integer tensors, broadcast to.

    >>> tf.broadcast_dynamic_shape([2, 1], [3]).numpy().tolist()
    [2, 3]
    """
    return call("BroadcastArgs", (shape_operand(shape_x), shape_operand(shape_y)))


# --- shape ------------------------------------------------------------------------------------------------------------


@export("reshape")
def reshape(tensor, shape, name=None):
    """The same elements in another shape; one size may be -1.

    >>> tf.reshape([1, 2, 3, 4], [2, -1]).numpy().tolist()
    [[1, 2], [3, 4]]
    """
    return call("Reshape", (convert_to_tensor(tensor), shape_operand(shape)), label=name)


@export("transpose")
def transpose(a, perm=None, conjugate=False, name="transpose"):
    """Axis i of the result is axis `perm[i]` of `a`; without `perm` the order of the axes is reversed.

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
    return call(op, (a, shape_operand(perm)), label=name)


@export("expand_dims")
def expand_dims(input, axis, name=None):
    """`input` with an axis of size 1 inserted at `axis`.

    >>> tf.expand_dims([1, 2], 0).shape
    TensorShape([1, 2])
    """
    return call("ExpandDims", (convert_to_tensor(input), convert_to_tensor(axis, dtype_hint=dtypes.int32)), label=name)


@export("squeeze")
def squeeze(input, axis=None, name=None):
    """`input` without its axes of size 1, or without those given.

    >>> tf.squeeze(tf.zeros([1, 2, 1])).shape
    TensorShape([2])
    """
    if axis is None:
        axes: list = []
    elif isinstance(axis, (list, tuple, np.ndarray)):
        axes = [int(a) for a in axis]
    else:
        axes = [int(axis)]
    return call("Squeeze", (convert_to_tensor(input),), {"squeeze_dims": axes}, name)


@export("broadcast_to")
def broadcast_to(input, shape, name=None):
    """`input` repeated along axes of size 1, and along new leading axes, to the given shape.

    >>> tf.broadcast_to([1, 2], [2, 2]).numpy().tolist()
    [[1, 2], [1, 2]]
    """
    return call("BroadcastTo", (convert_to_tensor(input), shape_operand(shape)), label=name)


@export("tile")
def tile(input, multiples, name=None):
    """`input` repeated `multiples[i]` times along each axis i.

    >>> tf.tile([1, 2], [2]).numpy().tolist()
    [1, 2, 1, 2]
    """
    return call("Tile", (convert_to_tensor(input), shape_operand(multiples)), label=name)


@export("pad")
def pad(tensor, paddings, mode="CONSTANT", constant_values=0, name=None):
    """`tensor` with `paddings[i] = [before, after]` elements added along each axis i.

    `mode` is "CONSTANT", "REFLECT" (mirrored without the edge) or "SYMMETRIC" (mirrored with it).

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
    """`tensor` backwards along the given axes.

    >>> tf.reverse([1, 2, 3], [0]).numpy().tolist()
    [3, 2, 1]
    """
    return call("ReverseV2", (convert_to_tensor(tensor), shape_operand(axis)), label=name)


@export("roll")
def roll(input, shift, axis, name=None):
    """`input` rotated by `shift` positions along `axis`; both may be lists.

    >>> tf.roll([1, 2, 3], 1, 0).numpy().tolist()
    [3, 1, 2]
    """
    return call("Roll", (convert_to_tensor(input), shape_operand(shift), shape_operand(axis)), label=name)


# --- joining and parting ----------------------------------------------------------------------------------------------


@export("stack")
def stack(values, axis=0, name="stack"):
    """Tensors of equal shape, joined along a new axis.

    >>> tf.stack([[1, 2], [3, 4]], axis=1).numpy().tolist()
    [[1, 3], [2, 4]]
    """
    if axis == 0 and not (isinstance(values, (list, tuple)) and any(isinstance(v, TensorBase) for v in values)):
        with suppress(TypeError, ValueError):  # they may still be tensors of one shape
            return convert_to_tensor(values, name=name)
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
    """`stack` along axis 0; TensorFlow's variant that needs no input before the others.

    >>> tf.parallel_stack([[1, 2], [3, 4]]).numpy().tolist()
    [[1, 2], [3, 4]]
    """
    return stack(values, 0, name)


@export("unstack")
def unstack(value, num=None, axis=0, name="unstack"):
    """The slices of a tensor along an axis, as a list.

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
    """Tensors joined along an existing axis.

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
    """A tensor split along an axis into equal parts (an int), or parts of given sizes (a list).

    >>> [t.numpy().tolist() for t in tf.split([1, 2, 3], [2, 1])]
    [[1, 2], [3]]
    """
    value = convert_to_tensor(value)
    if isinstance(num_or_size_splits, (int, np.integer)):
        return call(
            "Split", (convert_to_tensor(axis, dtypes.int32), value), {"num_split": int(num_or_size_splits)}, name
        )
    sizes = shape_operand(num_or_size_splits)
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
    """The same bits read as another dtype.

    >>> tf.bitcast(tf.constant(1.0), tf.int32).numpy().item()
    1065353216
    """
    return call("Bitcast", (convert_to_tensor(input),), {"type": dtypes.as_dtype(type)}, name)


@export("math.invert_permutation")
def invert_permutation(x, name=None):
    """y with y[x[i]] = i.

    >>> tf.math.invert_permutation([2, 0, 1]).numpy().tolist()
    [1, 2, 0]
    """
    return call("InvertPermutation", (convert_to_tensor(x),), label=name)
