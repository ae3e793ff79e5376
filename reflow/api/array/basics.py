"""`tf.*` functions that create, hand on and measure tensors. Those that rearrange them are in `arrange.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from reflow.api.call import call
from reflow.api.dispatching import copy_of
from reflow.api.export import export, export_value, with_sections
from reflow.core import dtypes, nest
from reflow.core.context import state
from reflow.core.errors import InvalidArgumentError
from reflow.core.ragged import RaggedTensor
from reflow.core.shapes import Dimension, TensorShape, dims_of, is_fully_known
from reflow.core.sparse import SparseTensor
from reflow.core.tensor import EagerTensor, Tensor, TensorBase
from reflow.core.tensor import is_tensor as _is_tensor
from reflow.ops import convert, registry
from reflow.ops.convert import convert_to_tensor
from reflow.ops.from_python import short_name
from reflow.ops.opdef import MISSING
from reflow.ops.shape_facts import known
from reflow.ops.shape_rules import broadcast_dims

# --- constants and conversion -----------------------------------------------------------------------------------------


@export("constant")
def constant(value, dtype=None, shape=None, name="Const"):
    """Creates a tensor from a Python or NumPy value.

    Args:
      value: A number, string or boolean, nested lists of them, a NumPy array or a tensor.
      dtype: The dtype of the tensor; by default that of the value, where Python's floats are float32 and its ints
        int32.
      shape: The shape of the tensor: the elements are laid out in it, and a single one fills it.
      name: A name for the tensor.

    Returns:
      A tensor.

    Raises:
      TypeError: The value does not fit the dtype or the shape.
      ValueError: The value has no form of a tensor, for example rows of unequal length.

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
    """Says whether x is a tensor, a variable, or another tensor-like object, such as a sparse or ragged tensor.

    Args:
      x: Any object.

    Returns:
      A Python bool; false for NumPy arrays and Python numbers.

    >>> is_tensor(3)
    False
    """
    return _is_tensor(x)


@export("is_symbolic_tensor")
def is_symbolic_tensor(tensor) -> bool:
    """Says whether a tensor belongs to a graph under construction and so has no value yet.

    Args:
      tensor: Any object.

    Returns:
      A Python bool.

    >>> tf.is_symbolic_tensor(tf.constant(1))
    False
    """
    return isinstance(tensor, Tensor) and not isinstance(tensor, EagerTensor)


@export("get_static_value")
def get_static_value(tensor, partial=False):
    """Returns the value of a tensor as a NumPy array if it is statically known, else None.

    Args:
      tensor: A tensor; other objects are returned as they are.
      partial: Whether a vector of which only a part is known is returned too, with None for the other entries.

    Returns:
      A NumPy array, or None.

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
    if node.type == "Cast":
        whole = get_static_value(node.inputs[0])
        return None if whole is None else whole.astype(tensor._dtype.np_dtype)
    if node.type == "Unpack" and not node.attrs.get("axis"):
        whole = get_static_value(node.inputs[0], partial)
        return None if whole is None else whole[tensor.value_index]
    if node.type == "Split" and get_static_value(node.inputs[0]) == 0:
        whole = get_static_value(node.inputs[1], partial)
        return None if whole is None else np.split(whole, len(node.outputs))[tensor.value_index]
    return None


def shape_operand(shape, op="Reshape", place=1):
    """A shape argument (TensorShape, ints, tensors, a mixture) as an int32 or int64 tensor.

    Python floats are refused, in the words of the op that takes the argument as its input `place`; where `op` is None,
    as TensorFlow does that converts the argument to int32 first.
    """
    if isinstance(shape, TensorBase) or hasattr(shape, "__tf_tensor__"):
        return convert_to_tensor(shape)
    given = shape
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
    if op is None and sizes._dtype.kind == "s" and not isinstance(given, np.ndarray) and state.graph is None:
        raise TypeError(f"Cannot convert {given!r} to EagerTensor of dtype int32")
    if sizes._dtype.kind == "f" and sizes.shape != (0,) and state.graph is None:
        raise _refused_floats(given, sizes._dtype, op, place)
    return sizes


def _refused_floats(given, dtype, op, place):
    """The error for floats as sizes. TensorFlow converts one number to the default of its attribute, if any."""
    definition = None if op is None else registry.get(op).definition
    name = "" if definition is None else definition.inputs[place].type_attr
    attr = None if definition is None else definition.attrs[name]
    if attr is None or attr.default is not MISSING and isinstance(given, (float, np.floating)):
        return TypeError(f"Cannot convert {given} to EagerTensor of dtype int32")
    allowed = ", ".join(short_name(dtypes.as_dtype(a)) for a in attr.allowed or ())
    return InvalidArgumentError(
        None, None, f"Value for attr '{name}' of {short_name(dtype)} is not in the list of allowed values: {allowed}"
    )


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
    if isinstance(shape, EagerTensor):
        shape = shape._host()
    if isinstance(shape, np.ndarray) and shape.dtype.kind in "iu":
        return tuple(shape.reshape(-1).tolist())
    return None


# --- handing on -------------------------------------------------------------------------------------------------------


_HANDED_ON = """\
Args:
  input: {given}.
  name: A name for the operation.

Returns:
  {result}.
"""


@export("identity")
@with_sections(
    _HANDED_ON, given="A tensor, or a composite such as a sparse or ragged tensor",
    result="A tensor, or composite, of the same dtype and shape",
)
def identity(input, name=None):
    """Returns a tensor with the same value as `input`.

    >>> tf.identity([1, 2]).numpy().tolist()
    [1, 2]
    """
    if getattr(input, "_is_composite", False) and not isinstance(input, TensorBase):
        parts = [identity(t) for t in nest.flatten(input, expand_composites=True)]
        return nest.pack_sequence_as(input, parts, expand_composites=True)
    return call("Identity", (convert_to_tensor(input),), label=name)


@export("identity_n")
@with_sections(_HANDED_ON, given="A list of tensors", result="A list of tensors of the same dtypes and shapes")
def identity_n(input, name=None):
    """Returns tensors with the same values as those of a list.

    >>> [t.numpy().item() for t in tf.identity_n([1, 2.5])]
    [1, 2.5]
    """
    return call("IdentityN", [convert_to_tensor(x) for x in input], label=name)


@export("stop_gradient")
@with_sections(_HANDED_ON, given="A tensor", result="A tensor of the same value")
def stop_gradient(input, name=None):
    """Returns `input` as a constant for gradients: none flow back through it.

    >>> x = tf.Variable(3.0)
    >>> with tf.GradientTape() as tape:
    ...     y = x * tf.stop_gradient(x)
    >>> tape.gradient(y, x).numpy().item()
    3.0
    """
    return call("StopGradient", (convert_to_tensor(input),), label=name)


@export("guarantee_const")
@with_sections(_HANDED_ON, given="A tensor", result="A tensor of the same value")
def guarantee_const(input, name=None):
    """Returns `input`, promised not to change. Deprecated in TensorFlow; it has no effect.

    >>> tf.guarantee_const(3).numpy().item()
    3
    """
    return call("GuaranteeConst", (convert_to_tensor(input),), label=name)


@export("ensure_shape")
def ensure_shape(x, shape, name=None):
    """Checks, at run time, that a tensor has the given (partial) shape.

    Args:
      x: A tensor.
      shape: The shape, a `tf.TensorShape` or a list in which None stands for any size.
      name: A name for the operation.

    Returns:
      A tensor of the value of `x`; in a graph its static shape is `shape` as far as known.

    Raises:
      InvalidArgumentError: `x` has another shape.

    >>> tf.ensure_shape(tf.zeros([2, 3]), [None, 3]).shape
    TensorShape([2, 3])
    """
    return call("EnsureShape", (convert_to_tensor(x),), {"shape": dims_of(shape)}, name)


# --- measuring --------------------------------------------------------------------------------------------------------


def _as_out_type(out_type):
    return dtypes.int32 if out_type is None else dtypes.as_dtype(out_type)


@export("shape")
def shape(input, out_type=None, name=None) -> Any:
    """Returns the shape of a tensor, as an integer tensor.

    Args:
      input: A tensor or sparse tensor; for a ragged one the result is a `tf.experimental.DynamicRaggedShape`.
      out_type: The dtype of the result, int32 (by default) or int64.
      name: A name for the operation.

    Returns:
      A vector with the size of each axis.

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
def shape_n(input, out_type: Any = dtypes.int32, name=None):
    """Returns the shapes of several tensors.

    Args:
      input: A list of tensors.
      out_type: The dtype of the results, int32 or int64.
      name: A name for the operation.

    Returns:
      A list of vectors, one for each tensor.

    >>> [t.numpy().tolist() for t in tf.shape_n([[1, 2], [[3]]])]
    [[2], [1, 1]]
    """
    return call("ShapeN", [convert_to_tensor(x) for x in input], {"out_type": _as_out_type(out_type)}, name)


@export("size")
def size(input, out_type=None, name=None):
    """Returns the number of elements of a tensor.

    Args:
      input: A tensor, sparse tensor (of which zeros count too) or ragged tensor.
      out_type: The dtype of the result; by default int32.
      name: A name for the operation.

    Returns:
      A scalar tensor.

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
    """Returns the number of dimensions of a tensor, as an int32 tensor.

    Args:
      input: A tensor, sparse tensor or ragged tensor.
      name: A name for the operation.

    Returns:
      A scalar tensor of dtype int32.

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
    """Computes the shape that two shapes broadcast to.

    Args:
      shape_x: A `tf.TensorShape`, which may be known in part only.
      shape_y: Another one.

    Returns:
      A `tf.TensorShape`.

    Raises:
      ValueError: The shapes do not broadcast.

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
    """Computes the shape that two shapes, given as integer tensors, broadcast to.

    Args:
      shape_x: A vector of sizes.
      shape_y: Another one.

    Returns:
      A vector of sizes.

    Raises:
      InvalidArgumentError: The shapes do not broadcast.

    >>> tf.broadcast_dynamic_shape([2, 1], [3]).numpy().tolist()
    [2, 3]
    """
    return call("BroadcastArgs", (shape_operand(shape_x), shape_operand(shape_y)))
