"""Functions of `tf.compat.v1` whose names or arguments differ from TensorFlow 2."""

from __future__ import annotations

from typing import NamedTuple

from reflow.api import gradients as gradient_functions
from reflow.api.array import arrange, blocks
from reflow.api.call import call
from reflow.api.export import export, export_function, export_value, with_sections
from reflow.api.framework import graph_names
from reflow.api.math import arithmetic, unary
from reflow.api.math import reduce as reductions
from reflow.api.random import sampling
from reflow.api.strings import elementwise as strings
from reflow.api.strings import formatting
from reflow.compat.behavior import control_flow_v2_enabled
from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.shapes import dims_of
from reflow.core.tensor import Tensor
from reflow.function import control_flow
from reflow.graph.proto_values import decode_tensor
from reflow.ops import convert
from reflow.ops.convert import convert_to_tensor


def either(new, old, new_name: str, old_name: str):
    """One of two arguments that mean the same."""
    if new is not None and old is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'.")
    return old if new is None else new


def _reduction(function, given: str, shown: str):
    def reduce(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None):
        axis = either(axis, reduction_indices, "axis", "reduction_indices")
        keep = either(keepdims, keep_dims, "keepdims", "keep_dims")
        return function(input_tensor, axis, bool(keep), name)

    public = function.__name__
    example = f">>> tf.compat.v1.{public}({given}, reduction_indices=1).numpy().tolist()\n{shown}"
    doc = f"""The same as `tf.{public}`, with older names for its arguments too.

Args:
  input_tensor: A tensor.
  axis: The axis or axes that are reduced; all by default.
  keepdims: Whether reduced axes stay, with size 1.
  name: A name for the operation.
  reduction_indices: The old name of `axis`.
  keep_dims: The old name of `keepdims`.

Returns:
  A tensor of the dtype of `input_tensor`.

Raises:
  ValueError: An argument is given by both names."""
    return export_function(reduce, f"compat.v1.{public}", f"compat.v1.math.{public}", doc=doc, example=example)


reduce_sum = _reduction(reductions.reduce_sum, "[[1, 2], [3, 4]]", "[3, 7]")
reduce_mean = _reduction(reductions.reduce_mean, "[[1.0, 2.0], [3.0, 6.0]]", "[1.5, 4.5]")
reduce_max = _reduction(reductions.reduce_max, "[[1, 5], [3, 4]]", "[5, 4]")
reduce_min = _reduction(reductions.reduce_min, "[[1, 5], [3, 4]]", "[1, 3]")
reduce_prod = _reduction(reductions.reduce_prod, "[[1, 5], [3, 4]]", "[5, 12]")
reduce_all = _reduction(reductions.reduce_all, "[[True, False], [True, True]]", "[False, True]")
reduce_any = _reduction(reductions.reduce_any, "[[True, False], [False, False]]", "[True, False]")
reduce_logsumexp = _reduction(reductions.reduce_logsumexp, "[[0.0], [1.0]]", "[0.0, 1.0]")


def _arg(function, shown: str):
    def arg(input, axis=None, name=None, dimension=None, output_type=dtypes.int64):
        axis = either(axis, dimension, "axis", "dimension")
        return function(input, 0 if axis is None else axis, output_type, name)

    public = function.__name__
    example = f">>> tf.compat.v1.{public}([[1, 5], [4, 3]], dimension=1).numpy().tolist()\n{shown}"
    doc = f"""The same as `tf.{public}`, with an older name for `axis` too.

Args:
  input: A tensor.
  axis: The axis that is reduced, the first by default.
  name: A name for the operation.
  dimension: The old name of `axis`.
  output_type: The dtype of the result.

Returns:
  A tensor of `output_type`, of the shape of `input` without the axis.

Raises:
  ValueError: The axis is given by both names."""
    return export_function(arg, f"compat.v1.{public}", f"compat.v1.math.{public}", doc=doc, example=example)


argmax = _arg(reductions.argmax, "[1, 0]")
argmin = _arg(reductions.argmin, "[0, 1]")


def _cast_to(public: str, dtype):
    def cast(x, name=None):
        return arithmetic.cast(x, dtype, name)

    example = f">>> tf.compat.v1.{public}([1, 2]).dtype\ntf.{dtype.name}"
    arguments = "  x: A tensor or a value that can become one.\n  name: A name for the operation."
    doc = (
        f"Converts a tensor to {dtype.name}, as `tf.cast` does today.\n\nArgs:\n{arguments}\n\nReturns:\n"
        "  A tensor of this dtype."
    )
    return export_function(cast, f"compat.v1.{public}", doc=doc, example=example)


to_float = _cast_to("to_float", dtypes.float32)
to_double = _cast_to("to_double", dtypes.float64)
to_int32 = _cast_to("to_int32", dtypes.int32)
to_int64 = _cast_to("to_int64", dtypes.int64)
to_bfloat16 = _cast_to("to_bfloat16", dtypes.bfloat16)
to_complex64 = _cast_to("to_complex64", dtypes.complex64)
to_complex128 = _cast_to("to_complex128", dtypes.complex128)


_QUOTIENT = """\
Args:
  x: A tensor of numbers.
  y: A tensor of the same dtype.
  name: A name for the operation.

Returns:
  A tensor of that dtype.
"""


@export("compat.v1.div")
@with_sections(_QUOTIENT)
def div(x, y, name=None):
    """Divides as Python 2 did: integers are rounded down.

    >>> div(7, 2).numpy().item()
    3
    """
    x = convert_to_tensor(x)
    return arithmetic.floordiv(x, y, name) if x.dtype.is_integer else arithmetic.divide(x, y, name)


@export("compat.v1.Print")
def Print(input_, data, message=None, first_n=None, summarize=None, name=None):
    """Returns its input unchanged; when that is computed, `data` is printed to standard error.

    Args:
      input_: A tensor.
      data: A list of tensors.
      message: What is printed before them.
      first_n: How often they are printed; always if it is None or negative.
      summarize: How many elements of each tensor are printed at each end, 3 by default.
      name: A name for the operation.

    Returns:
      The input.

    >>> x = tf.constant([1.0, 2.0])
    >>> # standard error says: sum: [3]
    >>> tf.compat.v1.Print(x, [tf.reduce_sum(x)], message="sum: ", summarize=5).numpy().tolist()
    [1.0, 2.0]
    """
    tensors = [convert_to_tensor(t) for t in data]
    text = formatting.format_tensors((message or "") + "[{}]" * len(tensors), "{}", tensors, summarize or 3)
    attrs = {"output_stream": "stderr", "end": "\n"} | (
        {"_left": [first_n]} if first_n is not None and first_n >= 0 else {}
    )
    call("PrintV2", (text,), attrs, name)
    if state.graph is None:
        return convert_to_tensor(input_)
    with state.graph.control_dependencies([state.graph.nodes[-1]]):
        return arrange.identity(input_)


@export("compat.v1.constant")
def constant(value, dtype=None, shape=None, name="Const", verify_shape=False):
    """Creates a constant tensor.

    Args:
      value: A value, or a nested list of them.
      dtype: The dtype; by default that of the value.
      shape: The shape; by default that of the value. In a graph the last of too few values stands for the missing ones.
      name: A name for the operation.
      verify_shape: Whether the values must have this shape.

    Returns:
      A tensor.

    Raises:
      TypeError: The values do not have the shape, and `verify_shape` is set.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     session.run(tf.compat.v1.constant([1, 2], shape=[4])).tolist()
    [1, 2, 2, 2]
    """
    if shape is None or state.graph is None and not verify_shape:
        return convert.constant(value, dtype, shape, name)
    proto = graph_names.make_tensor_proto(value, dtype, shape, verify_shape)
    if state.graph is None:
        return convert.constant(graph_names.make_ndarray(proto), dtype, name=name)
    with state.graph.name_scope_for(name):
        return convert.from_array(decode_tensor(proto), dtypes.as_dtype(proto.dtype))


@export("compat.v1.placeholder_with_default")
def placeholder_with_default(input, shape, name=None):
    """Creates a tensor that a session may feed, with a value for when it does not.

    Args:
      input: The default value.
      shape: The shape that is fed.
      name: A name for the operation.

    Returns:
      A tensor of the dtype of `input`.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     rate = tf.compat.v1.placeholder_with_default(0.1, shape=[])
    ...     twice = rate * 2.0
    ...     round(session.run(twice).item(), 3), session.run(twice, {rate: 3.0}).item()
    (0.2, 6.0)
    """
    return call("PlaceholderWithDefault", (convert_to_tensor(input),), {"shape": dims_of(shape)}, name)


@export("compat.v1.cond")
def cond(pred, true_fn=None, false_fn=None, strict=False, name=None, fn1=None, fn2=None):
    """Calls one of two functions, depending on a condition.

    Args:
      pred: A scalar boolean.
      true_fn: The function without arguments that is called if it is true.
      false_fn: The function without arguments that is called if it is not.
      strict: Whether a list or tuple of one element is returned as it is; otherwise the element is, unless control flow
        of version 2 is on.
      name: A name for the operation.
      fn1: The old name of `true_fn`.
      fn2: The old name of `false_fn`.

    Returns:
      What the function returns; in a graph an operation if both return None.

    Raises:
      ValueError: A function is given by both names.

    >>> tf.compat.v1.cond(tf.constant(True), lambda: [tf.constant(1)], lambda: [tf.constant(2)]).numpy().item()
    1
    """
    result = control_flow.cond(
        pred, either(true_fn, fn1, "true_fn", "fn1"), either(false_fn, fn2, "false_fn", "fn2"), name
    )
    graph = state.graph
    if result is None and graph is not None and not graph.building_function:
        return graph.nodes[-1]  # branches that only do something: the operation that runs one of them
    unpacks = not strict and (state.graph is None or not control_flow_v2_enabled())
    return result[0] if unpacks and isinstance(result, (list, tuple)) and len(result) == 1 else result


@export("compat.v1.squeeze")
def squeeze(input, axis=None, name=None, squeeze_dims=None):
    """Removes axes of size 1.

    Args:
      input: A tensor.
      axis: The axis or axes to remove; by default all of size 1.
      name: A name for the operation.
      squeeze_dims: The old name of `axis`.

    Returns:
      A tensor of the dtype of `input`.

    Raises:
      ValueError: `axis` is given by both names.
      InvalidArgumentError: An axis to remove has another size.

    >>> tf.compat.v1.squeeze([[[1], [2]]], squeeze_dims=[0]).numpy().tolist()
    [[1], [2]]
    """
    return arrange.squeeze(input, either(axis, squeeze_dims, "axis", "squeeze_dims"), name)


@export("compat.v1.expand_dims")
def expand_dims(input, axis=None, name=None, dim=None):
    """Adds an axis of size 1.

    Args:
      input: A tensor.
      axis: The position of the new axis.
      name: A name for the operation.
      dim: The old name of `axis`.

    Returns:
      A tensor of the dtype of `input`.

    Raises:
      ValueError: `axis` is missing, or given by both names.

    >>> tf.compat.v1.expand_dims([1, 2], dim=0).numpy().tolist()
    [[1, 2]]
    """
    axis = either(axis, dim, "axis", "dim")
    if axis is None:
        raise ValueError("Must specify an axis argument to tf.expand_dims()")
    return arrange.expand_dims(input, axis, name)


@export("compat.v1.where")
def where(condition, x=None, y=None, name=None):
    """Finds where a condition holds, or takes elements from two tensors by it.

    Args:
      condition: Booleans; a vector of them chooses rows of larger tensors.
      x: The values where the condition holds.
      y: The values where it does not; given if and only if `x` is.
      name: A name for the operation.

    Returns:
      A tensor of the dtype of `x`, or without `x` and `y` an int64 matrix with the places, one in each row.

    >>> tf.compat.v1.where([True, False], [[1, 2], [3, 4]], [[5, 6], [7, 8]]).numpy().tolist()
    [[1, 2], [7, 8]]
    >>> tf.compat.v1.where([[True, False], [False, True]]).numpy().tolist()
    [[0, 0], [1, 1]]
    """
    condition = convert_to_tensor(condition)
    if x is None and y is None:
        return arithmetic.where(condition, name=name)
    x = convert_to_tensor(x)
    if condition.shape.rank == 1 and (x.shape.rank or 0) > 1:
        condition = arrange.reshape(condition, [-1] + [1] * (x.shape.rank - 1))
    return arithmetic.where(condition, x, y, name)


@export("compat.v1.space_to_batch", "compat.v1.nn.space_to_batch")
def space_to_batch(input, paddings, block_size=None, name=None, block_shape=None):
    """Pads the two spatial axes of images, and moves blocks of them to the batch axis.

    Args:
      input: Images, of rank 4.
      paddings: A matrix: how many zeros come before and after each spatial axis.
      block_size: The size of the blocks along both axes.
      name: A name for the operation.
      block_shape: The size along each axis, in place of `block_size`.

    Returns:
      A tensor of rank 4.

    Raises:
      ValueError: The size is given by both names.

    >>> image = tf.reshape([1, 2, 3, 4], [1, 2, 2, 1])
    >>> tf.compat.v1.space_to_batch(image, [[0, 0], [0, 0]], block_size=2).numpy().ravel().tolist()
    [1, 2, 3, 4]
    >>> tf.compat.v1.space_to_batch(image, [[0, 0], [0, 0]], block_size=2).shape
    TensorShape([4, 1, 1, 1])
    """
    return _of_rank_4(blocks.space_to_batch(input, _block(block_size, block_shape), paddings, name))


@export("compat.v1.batch_to_space")
def batch_to_space(input, crops, block_size, name=None, block_shape=None):
    """Undoes `space_to_batch`: moves blocks from the batch axis to two spatial axes, and crops them.

    Args:
      input: Images, of rank 4.
      crops: A matrix: how many elements are cut from the beginning and the end of each spatial axis.
      block_size: The size of the blocks along both axes.
      name: A name for the operation.
      block_shape: The size along each axis, in place of `block_size`, which is None then.

    Returns:
      A tensor of rank 4.

    Raises:
      ValueError: The size is given by both names.

    >>> blocks = tf.reshape([1, 2, 3, 4], [4, 1, 1, 1])
    >>> tf.compat.v1.batch_to_space(blocks, [[0, 0], [0, 0]], block_size=2)[0, :, :, 0].numpy().tolist()
    [[1, 2], [3, 4]]
    """
    return _of_rank_4(blocks.batch_to_space(input, _block(block_size, block_shape), crops, name))


def _of_rank_4(images):
    images.set_shape([None] * 4)
    return images


export_value(blocks.batch_to_space, "compat.v1.batch_to_space_nd", "compat.v1.manip.batch_to_space_nd")


def _block(size, shape):
    return either(shape, None if size is None else [size, size], "block_shape", "block_size")


@export("compat.v1.string_to_number", "compat.v1.strings.to_number")
def string_to_number(string_tensor=None, out_type=dtypes.float32, name=None, input=None):
    """Reads numbers that are written as text.

    Args:
      string_tensor: A tensor of strings.
      out_type: `tf.float32`, `tf.float64`, `tf.int32` or `tf.int64`.
      name: A name for the operation.
      input: The new name of `string_tensor`.

    Returns:
      A tensor of `out_type`.

    Raises:
      InvalidArgumentError: A string is not a number.

    >>> tf.compat.v1.string_to_number(["1.5", "2"]).numpy().tolist()
    [1.5, 2.0]
    """
    return strings.to_number(either(string_tensor, input, "string_tensor", "input"), out_type, name)


@export("compat.v1.string_to_hash_bucket", "compat.v1.strings.to_hash_bucket")
def string_to_hash_bucket(string_tensor=None, num_buckets=None, name=None, input=None):
    """Maps each string to a number below `num_buckets`.

    Args:
      string_tensor: A tensor of strings.
      num_buckets: How many numbers there are.
      name: A name for the operation.
      input: The new name of `string_tensor`.

    Returns:
      An int64 tensor in the shape of the strings.

    >>> tf.compat.v1.string_to_hash_bucket(["apple", "pear", "apple"], num_buckets=10).numpy().tolist()
    [0, 3, 0]
    """
    text = convert_to_tensor(either(string_tensor, input, "string_tensor", "input"), dtypes.string)
    return call("StringToHashBucket", (text,), {"num_buckets": num_buckets}, name)


class ListDiff(NamedTuple):
    """What `setdiff1d` returns."""

    out: Tensor
    idx: Tensor


@export("compat.v1.setdiff1d")
def setdiff1d(x, y, index_dtype=dtypes.int32, name=None):
    """Returns the values of a vector that are not in another, and their places.

    Args:
      x: A vector.
      y: A vector of the same dtype.
      index_dtype: The dtype of the places, `tf.int32` or `tf.int64`.
      name: A name for the operation.

    Returns:
      A named tuple of vectors, `(out, idx)`: the values, in the order of `x`, and their places in `x`.

    >>> values, places = tf.compat.v1.setdiff1d([1, 2, 3, 4], [1, 3])
    >>> values.numpy().tolist(), places.numpy().tolist()
    ([2, 4], [1, 3])
    """
    x = convert_to_tensor(x)
    return ListDiff(
        *call("ListDiff", (x, convert_to_tensor(y, x.dtype)), {"out_idx": dtypes.as_dtype(index_dtype)}, name)
    )


def _along_dimension(find, public: str, what: str, example: str):
    def function(input, dimension, output_type=dtypes.int64, name=None):
        return find(input, dimension, output_type, name)

    doc = f"""Finds the place of the {what} value along an axis.

Args:
  input: A tensor.
  dimension: The axis.
  output_type: The dtype of the result.
  name: A name for the operation.

Returns:
  A tensor of `output_type`, of the shape of `input` without the axis."""
    return export_function(function, f"compat.v1.{public}", doc=doc, example=example)


arg_max = _along_dimension(reductions.argmax, "arg_max", "largest", example="""
    >>> tf.compat.v1.arg_max([[1, 5], [4, 3]], dimension=1).numpy().tolist()
    [1, 0]
""")
arg_min = _along_dimension(reductions.argmin, "arg_min", "smallest", example="""
    >>> tf.compat.v1.arg_min([[1, 5], [4, 3]], dimension=1).numpy().tolist()
    [0, 1]
""")


@export("compat.v1.floor_div")
@with_sections(_QUOTIENT)
def floor_div(x, y, name=None):
    """Divides and rounds down, element by element.

    >>> tf.compat.v1.floor_div([7, -7], 2).numpy().tolist()
    [3, -4]
    """
    return arithmetic.floordiv(x, y, name)


@export("compat.v1.clip_by_average_norm")
def clip_by_average_norm(t, clip_norm, name=None):
    """Scales a tensor down so that its norm, divided by its number of elements, is at most `clip_norm`.

    Args:
      t: A float32 tensor.
      clip_norm: A positive number.
      name: A name for the operation.

    Returns:
      A tensor of the shape of `t`.

    >>> tf.compat.v1.clip_by_average_norm([3.0, 4.0], 1.25).numpy().tolist()
    [1.5, 2.0]
    """
    t = convert_to_tensor(t, name="t")
    count = arithmetic.cast(arrange.size(t), dtypes.float32)
    inverse = unary.rsqrt(reductions.reduce_sum(t * t)) * count
    return arithmetic.multiply(t * clip_norm, arithmetic.minimum(inverse, 1.0 / clip_norm), name)


@export("compat.v1.set_random_seed", "compat.v1.random.set_random_seed")
def set_random_seed(seed):
    """Sets the seed of the default graph's random ops; in eager code the global seed.

    Args:
      seed: An integer.

    Returns:
      None.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     tf.compat.v1.set_random_seed(42)
    ...     first = session.run(tf.compat.v1.random_uniform([2]))
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     tf.compat.v1.set_random_seed(42)
    ...     second = session.run(tf.compat.v1.random_uniform([2]))
    >>> first.tolist() == second.tolist()
    True
    """
    if state.graph is None:
        sampling.set_seed(seed)
    else:
        state.graph.seed = seed


@export("compat.v1.gradients")
@with_sections(gradient_functions.DERIVATIVES)
def gradients(
    ys, xs, grad_ys=None, name: str = "gradients", colocate_gradients_with_ops: bool = False, gate_gradients=False,
    aggregation_method=None, stop_gradients=None, unconnected_gradients: str = "none",
):
    """Computes symbolic derivatives of the sum of `ys` with respect to each of `xs`, in a graph.

    Args:
      colocate_gradients_with_ops: Has no effect: the compiler decides where they are computed.

    Raises:
      RuntimeError: There is no graph.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     x = tf.constant([1.0, 2.0])
    ...     session.run(tf.compat.v1.gradients(x * x, x))[0].tolist()
    [2.0, 4.0]
    """
    return gradient_functions.gradients(
        ys, xs, grad_ys, name, gate_gradients, aggregation_method, stop_gradients, unconnected_gradients
    )
