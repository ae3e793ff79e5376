"""Functions of `tf.compat.v1` that have other names or other arguments than in TensorFlow 2."""

from __future__ import annotations

import sys

from reflow.api import gradients as gradient_functions
from reflow.api.array import arrange
from reflow.api.call import call
from reflow.api.control import printing
from reflow.api.export import export
from reflow.api.framework import graph_names
from reflow.api.math import arithmetic
from reflow.api.math import reduce as reductions
from reflow.api.nn import conv, embeddings, losses
from reflow.api.nn import dropout as dropouts
from reflow.api.nn import pool as pooling
from reflow.api.random import sampling
from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.shapes import dims_of
from reflow.function import control_flow
from reflow.ops import convert
from reflow.ops.convert import convert_to_tensor


def either(new, old, new_name: str, old_name: str):
    """One of two arguments that mean the same."""
    if new is not None and old is not None:
        raise ValueError(f"Cannot specify both '{new_name}' and '{old_name}'.")
    return old if new is None else new


def _reduction(function):
    name = function.__name__

    @export(f"compat.v1.{name}", f"compat.v1.math.{name}")
    def reduce(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None):
        axis = either(axis, reduction_indices, "axis", "reduction_indices")
        keep = either(keepdims, keep_dims, "keepdims", "keep_dims")
        return function(input_tensor, axis, bool(keep), name)

    reduce.__name__, reduce.__doc__ = name, f"`tf.{name}`, which also knows the old names of its arguments."
    return reduce


reduce_sum = _reduction(reductions.reduce_sum)
reduce_mean = _reduction(reductions.reduce_mean)
reduce_max = _reduction(reductions.reduce_max)
reduce_min = _reduction(reductions.reduce_min)
reduce_prod = _reduction(reductions.reduce_prod)
reduce_all = _reduction(reductions.reduce_all)
reduce_any = _reduction(reductions.reduce_any)
reduce_logsumexp = _reduction(reductions.reduce_logsumexp)


def _arg(function):
    name = function.__name__

    @export(f"compat.v1.{name}", f"compat.v1.math.{name}")
    def arg(input, axis=None, name=None, dimension=None, output_type=dtypes.int64):
        axis = either(axis, dimension, "axis", "dimension")
        return function(input, 0 if axis is None else axis, output_type, name)

    arg.__name__, arg.__doc__ = name, f"`tf.{name}`, which also knows `dimension`."
    return arg


argmax = _arg(reductions.argmax)
argmin = _arg(reductions.argmin)


def _cast_to(public: str, dtype):
    @export(f"compat.v1.{public}")
    def cast(x, name=None):
        return arithmetic.cast(x, dtype, name)

    cast.__name__, cast.__doc__ = public, f"A tensor as {dtype.name}."
    return cast


to_float = _cast_to("to_float", dtypes.float32)
to_double = _cast_to("to_double", dtypes.float64)
to_int32 = _cast_to("to_int32", dtypes.int32)
to_int64 = _cast_to("to_int64", dtypes.int64)
to_bfloat16 = _cast_to("to_bfloat16", dtypes.bfloat16)
to_complex64 = _cast_to("to_complex64", dtypes.complex64)
to_complex128 = _cast_to("to_complex128", dtypes.complex128)


@export("compat.v1.div")
def div(x, y, name=None):
    """Division as Python 2 did it: rounded down for integers.

    >>> div(7, 2).numpy().item()
    3
    """
    x = convert_to_tensor(x)
    return arithmetic.floordiv(x, y, name) if x.dtype.is_integer else arithmetic.divide(x, y, name)


@export("compat.v1.Print")
def Print(input_, data, message=None, first_n=None, summarize=None, name=None):
    """The input, unchanged; when it is computed, `data` is printed to standard error."""
    if first_n is not None and first_n >= 0:
        raise ValueError("Print: `first_n` is not supported; use tf.print.")
    tensors = [convert_to_tensor(t) for t in data]
    printed = printing.print_(message or "", *tensors, summarize=summarize or 3, sep="", output_stream=sys.stderr)
    if state.graph is None:
        return convert_to_tensor(input_)
    with state.graph.control_dependencies([printed]):
        return arrange.identity(input_)


@export("compat.v1.constant")
def constant(value, dtype=None, shape=None, name="Const", verify_shape=False):
    """A constant tensor. In a graph the last of too few values stands for those that are missing, unless `verify_shape` is set.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     session.run(tf.compat.v1.constant([1, 2], shape=[4])).tolist()
    [1, 2, 2, 2]
    """
    if shape is None or state.graph is None and not verify_shape:
        return convert.constant(value, dtype, shape, name)
    array = graph_names.make_ndarray(graph_names.make_tensor_proto(value, dtype, shape, verify_shape))
    return convert.constant(array, dtype, name=name)


@export("compat.v1.placeholder_with_default")
def placeholder_with_default(input, shape, name=None):
    """A tensor that a session may feed, with a value for when it does not."""
    return call("PlaceholderWithDefault", (convert_to_tensor(input),), {"shape": dims_of(shape)}, name)


@export("compat.v1.cond")
def cond(pred, true_fn=None, false_fn=None, strict=False, name=None, fn1=None, fn2=None):
    """`true_fn()` if `pred`, else `false_fn()`."""
    return control_flow.cond(
        pred, either(true_fn, fn1, "true_fn", "fn1"), either(false_fn, fn2, "false_fn", "fn2"), name
    )


@export("compat.v1.nn.softmax_cross_entropy_with_logits_v2")
def softmax_cross_entropy_with_logits_v2(labels, logits, axis=None, name=None, dim=None):
    """The cross entropy of softmax(logits) against `labels`."""
    axis = either(axis, dim, "axis", "dim")
    return losses.softmax_cross_entropy_with_logits(labels, logits, -1 if axis is None else axis, name)


def _need_names(name, sentinel, *given):
    if sentinel is not None or any(g is None for g in given):
        raise ValueError(f"Only call `{name}` with named arguments (labels=..., logits=..., ...)")


@export("compat.v1.nn.softmax_cross_entropy_with_logits")
def softmax_cross_entropy_with_logits(_sentinel=None, labels=None, logits=None, dim=-1, name=None, axis=None):
    """The cross entropy of softmax(logits) against `labels`, whose gradient does not reach the labels."""
    _need_names("softmax_cross_entropy_with_logits", _sentinel, labels, logits)
    labels = arrange.stop_gradient(labels)
    return losses.softmax_cross_entropy_with_logits(labels, logits, dim if axis is None else axis, name)


@export("compat.v1.nn.sparse_softmax_cross_entropy_with_logits")
def sparse_softmax_cross_entropy_with_logits(_sentinel=None, labels=None, logits=None, name=None):
    """The cross entropy of softmax(logits) against class numbers."""
    _need_names("sparse_softmax_cross_entropy_with_logits", _sentinel, labels, logits)
    return losses.sparse_softmax_cross_entropy_with_logits(labels, logits, name)


@export("compat.v1.nn.sigmoid_cross_entropy_with_logits")
def sigmoid_cross_entropy_with_logits(_sentinel=None, labels=None, logits=None, name=None):
    """The cross entropy of sigmoid(logits) against probabilities."""
    _need_names("sigmoid_cross_entropy_with_logits", _sentinel, labels, logits)
    return losses.sigmoid_cross_entropy_with_logits(labels, logits, name)


@export("compat.v1.nn.dropout")
def dropout(x, keep_prob=None, noise_shape=None, seed=None, name=None, rate=None):
    """Zero each element with probability `rate`, or 1 - `keep_prob`, and scale the others up."""
    rate = either(rate, None if keep_prob is None else 1 - keep_prob, "rate", "keep_prob")
    if rate is None:
        raise ValueError(f"`rate` must be provided. Received: rate={rate}")
    return dropouts.dropout(x, rate, noise_shape, seed, name)


@export("compat.v1.nn.conv2d")
def conv2d(
    input, filter=None, strides=None, padding=None, use_cudnn_on_gpu=True, data_format="NHWC", dilations=(1, 1, 1, 1),
    name=None, filters=None,
):
    """A convolution of images."""
    filters = either(filters, filter, "filters", "filter")
    return conv.conv2d(input, filters, strides, padding, data_format, list(dilations), name)


def _pool(function, public: str):
    @export(f"compat.v1.nn.{public}")
    def pool(value=None, ksize=None, strides=None, padding=None, data_format="NHWC", name=None, input=None):
        return function(either(value, input, "value", "input"), ksize, strides, padding, data_format, name)

    pool.__name__, pool.__doc__ = public, f"`tf.nn.{function.__name__}` with the arguments of TensorFlow 1."
    return pool


max_pool = _pool(pooling.max_pool2d, "max_pool")
avg_pool = _pool(pooling.avg_pool2d, "avg_pool")


@export("compat.v1.squeeze")
def squeeze(input, axis=None, name=None, squeeze_dims=None):
    """Remove dimensions of size 1."""
    return arrange.squeeze(input, either(axis, squeeze_dims, "axis", "squeeze_dims"), name)


@export("compat.v1.expand_dims")
def expand_dims(input, axis=None, name=None, dim=None):
    """Insert a dimension of size 1."""
    axis = either(axis, dim, "axis", "dim")
    if axis is None:
        raise ValueError("Must specify an axis argument to tf.expand_dims()")
    return arrange.expand_dims(input, axis, name)


@export("compat.v1.where")
def where(condition, x=None, y=None, name=None):
    """Places that are true, or elements of `x` and `y`; a condition of rank 1 chooses rows of larger tensors."""
    condition = convert_to_tensor(condition)
    if x is None and y is None:
        return arithmetic.where(condition, name=name)
    x = convert_to_tensor(x)
    if condition.shape.rank == 1 and (x.shape.rank or 0) > 1:
        condition = arrange.reshape(condition, [-1] + [1] * (x.shape.rank - 1))
    return arithmetic.where(condition, x, y, name)


@export("compat.v1.nn.embedding_lookup")
def embedding_lookup(params, ids, partition_strategy="mod", name=None, validate_indices=True, max_norm=None):
    """Rows of a table."""
    if isinstance(params, (list, tuple)) and len(params) > 1:
        raise ValueError("embedding_lookup: a table in several parts is not supported.")
    table = params[0] if isinstance(params, (list, tuple)) else params
    return embeddings.embedding_lookup(table, ids, max_norm, name)


@export("compat.v1.set_random_seed", "compat.v1.random.set_random_seed")
def set_random_seed(seed):
    """The seed of the default graph's random ops; in eager code the global seed."""
    if state.graph is None:
        sampling.set_seed(seed)
    else:
        state.graph.seed = seed


@export("compat.v1.gradients")
def gradients(
    ys, xs, grad_ys=None, name: str = "gradients", colocate_gradients_with_ops: bool = False, gate_gradients=False,
    aggregation_method=None, stop_gradients=None, unconnected_gradients: str = "none",
):
    """Symbolic derivatives of the sum of `ys`; where they are computed is left to the compiler."""
    return gradient_functions.gradients(
        ys, xs, grad_ys, name, gate_gradients, aggregation_method, stop_gradients, unconnected_gradients
    )
