"""Functions of `tf.compat.v1` whose names or arguments differ from TensorFlow 2."""

from __future__ import annotations

from typing import NamedTuple

from reflow.api import gradients as gradient_functions
from reflow.api.array import arrange, blocks
from reflow.api.call import call
from reflow.api.export import export, export_function, export_value
from reflow.api.framework import graph_names
from reflow.api.math import arithmetic, unary
from reflow.api.math import reduce as reductions
from reflow.api.nn import activations, conv, losses
from reflow.api.nn import dropout as dropouts
from reflow.api.nn import pool as pooling
from reflow.api.random import sampling
from reflow.api.strings import elementwise as strings
from reflow.api.strings import formatting
from reflow.compat.behavior import control_flow_v2_enabled
from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.shapes import dims_of
from reflow.core.tensor import Tensor
from reflow.function import control_flow
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
    doc = f"`tf.{public}`, which also knows `reduction_indices` for `axis` and `keep_dims` for `keepdims`."
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
    doc = f"`tf.{public}`, which also knows `dimension` for `axis`."
    return export_function(arg, f"compat.v1.{public}", f"compat.v1.math.{public}", doc=doc, example=example)


argmax = _arg(reductions.argmax, "[1, 0]")
argmin = _arg(reductions.argmin, "[0, 1]")


def _cast_to(public: str, dtype):
    def cast(x, name=None):
        return arithmetic.cast(x, dtype, name)

    example = f">>> tf.compat.v1.{public}([1, 2]).dtype\ntf.{dtype.name}"
    doc = f"A tensor as {dtype.name}. `tf.cast` says it today."
    return export_function(cast, f"compat.v1.{public}", doc=doc, example=example)


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
    """The input, unchanged; when it is computed, `data` is printed to standard error: only the first `first_n` times if that is given.

    >>> x = tf.constant([1.0, 2.0])
    >>> tf.compat.v1.Print(x, [tf.reduce_sum(x)], message="sum: ", summarize=5).numpy().tolist()  # standard error says: sum: [3]
    [1.0, 2.0]
    """
    tensors = [convert_to_tensor(t) for t in data]
    text = formatting.format_tensors((message or "") + "[{}]" * len(tensors), "{}", tensors, summarize or 3)
    attrs = {"output_stream": "stderr", "end": "\n"} | ({"_left": [first_n]} if first_n is not None and first_n >= 0 else {})
    call("PrintV2", (text,), attrs, name)
    if state.graph is None:
        return convert_to_tensor(input_)
    with state.graph.control_dependencies([state.graph.nodes[-1]]):
        return arrange.identity(input_)


@export("compat.v1.constant")
def constant(value, dtype=None, shape=None, name="Const", verify_shape=False):
    """A constant tensor. In a graph the last of too few values stands for the missing ones, unless `verify_shape` is set.

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
    """A tensor that a session may feed, with a value for when it does not.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     rate = tf.compat.v1.placeholder_with_default(0.1, shape=[])
    ...     twice = rate * 2.0
    ...     round(session.run(twice).item(), 3), session.run(twice, {rate: 3.0}).item()
    (0.2, 6.0)
    """
    return call("PlaceholderWithDefault", (convert_to_tensor(input),), {"shape": dims_of(shape)}, name)


@export("compat.v1.cond")
def cond(pred, true_fn=None, false_fn=None, strict=False, name=None, fn1=None, fn2=None):
    """`true_fn()` if `pred`, else `false_fn()`. Unless `strict`, a list or tuple of one is that one, where version 1 unpacks it.

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


@export("compat.v1.nn.softmax_cross_entropy_with_logits_v2")
def softmax_cross_entropy_with_logits_v2(labels, logits, axis=None, name=None, dim=None):
    """The cross entropy of softmax(logits) against `labels`.

    >>> print(tf.compat.v1.nn.softmax_cross_entropy_with_logits_v2(labels=[[0.0, 1.0]], logits=[[0.0, 0.0]]).numpy().round(3))
    [0.693]
    """
    axis = either(axis, dim, "axis", "dim")
    return losses.softmax_cross_entropy_with_logits(labels, logits, -1 if axis is None else axis, name)


def _need_both(name, labels, logits):
    if labels is None or logits is None:
        received = f"Received: labels={labels} and logits={logits}"
        raise ValueError(f"Both `labels` and `logits` must be provided for {name}{received}")


@export("compat.v1.nn.softmax_cross_entropy_with_logits")
def softmax_cross_entropy_with_logits(labels=None, logits=None, dim=-1, name=None, axis=None):
    """The cross entropy of softmax(logits) against `labels`, whose gradient does not reach the labels.

    >>> print(tf.compat.v1.nn.softmax_cross_entropy_with_logits(labels=[[0.0, 1.0]], logits=[[0.0, 0.0]]).numpy().round(3))
    [0.693]
    """
    _need_both("softmax_cross_entropy_with_logits", labels, logits)
    labels = arrange.stop_gradient(labels)
    return losses.softmax_cross_entropy_with_logits(labels, logits, dim if axis is None else axis, name)


@export("compat.v1.nn.sparse_softmax_cross_entropy_with_logits")
def sparse_softmax_cross_entropy_with_logits(labels=None, logits=None, name=None):
    """The cross entropy of softmax(logits) against class numbers.

    >>> print(tf.compat.v1.nn.sparse_softmax_cross_entropy_with_logits(labels=[1], logits=[[0.0, 0.0]]).numpy().round(3))
    [0.693]
    """
    _need_both("sparse_softmax_cross_entropy_with_logits", labels, logits)
    return losses.sparse_softmax_cross_entropy_with_logits(labels, logits, name)


@export("compat.v1.nn.sigmoid_cross_entropy_with_logits")
def sigmoid_cross_entropy_with_logits(labels=None, logits=None, name=None):
    """The cross entropy of sigmoid(logits) against probabilities.

    >>> print(tf.compat.v1.nn.sigmoid_cross_entropy_with_logits(labels=[1.0], logits=[0.0]).numpy().round(3))
    [0.693]
    """
    _need_both("sigmoid_cross_entropy_with_logits", labels, logits)
    return losses.sigmoid_cross_entropy_with_logits(labels, logits, name)


@export("compat.v1.nn.dropout")
def dropout(x, keep_prob=None, noise_shape=None, seed=None, name=None, rate=None):
    """Zero each element with probability `rate`, or 1 - `keep_prob`, and scale the others up.

    >>> tf.compat.v1.nn.dropout(tf.ones([6]), keep_prob=0.5, seed=1).numpy().tolist()
    [2.0, 2.0, 2.0, 0.0, 0.0, 2.0]
    """
    rate = either(rate, None if keep_prob is None else 1 - keep_prob, "rate", "keep_prob")
    if rate is None:
        raise ValueError(f"`rate` must be provided. Received: rate={rate}")
    return dropouts.dropout(x, rate, noise_shape, seed, name)


@export("compat.v1.nn.fused_batch_norm")
def fused_batch_norm(
    x, scale, offset, mean=None, variance=None, epsilon=0.001, data_format="NHWC", is_training=True, name=None,
    exponential_avg_factor=1.0,
):
    """Normalise each channel of images: in training by its mean and variance in the batch, else by those given.

    >>> y, mean, variance = tf.compat.v1.nn.fused_batch_norm(tf.reshape([1.0, 3.0], [1, 1, 2, 1]), [1.0], [0.0], epsilon=0.1)
    >>> mean.numpy().tolist(), variance.numpy().tolist(), round(float(y[0, 0, 1, 0]), 4)
    ([2.0], [2.0], 0.9535)

    Args:
      x: images, of rank 4 or 5.
      scale: what the normalised channels are multiplied by.
      offset: what is added to them.
      mean: of each channel; in training, the running mean.
      variance: of each channel; in training, the running variance.
      epsilon: added to the variance; at least 1.001e-5.
      data_format: "NHWC", "NCHW", "NDHWC" or "NCDHW".
      is_training: whether mean and variance are those of the batch.
      name: of the op.
      exponential_avg_factor: how much of the batch's statistics enters the running ones.

    Returns:
      The images, and the running mean and variance.

    Raises:
      ValueError: mean or variance is needed and missing.
    """
    if (not is_training or exponential_avg_factor != 1.0) and (mean is None or variance is None):
        raise ValueError("Both `mean` and `variance` must be a 1D tensor when `is_training` is False or `exponential_avg_factor` != 1.0.")
    given = [constant([], dtypes.float32) if value is None else convert_to_tensor(value) for value in (mean, variance)]
    attributes = {"epsilon": max(float(epsilon), 1.001e-5), "data_format": data_format, "is_training": is_training,
                  "exponential_avg_factor": float(exponential_avg_factor)}  # fmt: skip
    inputs = (convert_to_tensor(x), *(convert_to_tensor(value, dtypes.float32) for value in (scale, offset)), *given)
    y, running_mean, running_variance, *_ = call("FusedBatchNormV3", inputs, attributes, name)
    return y, running_mean, running_variance


@export("compat.v1.nn.conv2d")
def conv2d(
    input, filter=None, strides=None, padding=None, use_cudnn_on_gpu=True, data_format="NHWC", dilations=(1, 1, 1, 1),
    name=None, filters=None,
):
    """A convolution of images.

    >>> image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.compat.v1.nn.conv2d(image, tf.ones([2, 2, 1, 1]), strides=[1, 1, 1, 1], padding="VALID")[0, :, :, 0].numpy().tolist()
    [[8.0, 12.0], [20.0, 24.0]]
    """
    filters = either(filters, filter, "filters", "filter")
    return conv.conv2d(input, filters, strides, padding, data_format, list(dilations), name)


def _pool(function, public: str, example: str):
    def pool(value=None, ksize=None, strides=None, padding=None, data_format="NHWC", name=None, input=None):
        return function(either(value, input, "value", "input"), ksize, strides, padding, data_format, name)

    doc = f"`tf.nn.{function.__name__}` with the arguments of TensorFlow 1."
    return export_function(pool, f"compat.v1.nn.{public}", doc=doc, example=example)


max_pool = _pool(pooling.max_pool2d, "max_pool", example="""
    >>> image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    >>> tf.compat.v1.nn.max_pool(image, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")[0, :, :, 0].numpy().tolist()
    [[5.0, 7.0], [13.0, 15.0]]
""")
avg_pool = _pool(pooling.avg_pool2d, "avg_pool", example="""
    >>> image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    >>> tf.compat.v1.nn.avg_pool(image, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")[0, :, :, 0].numpy().tolist()
    [[2.5, 4.5], [10.5, 12.5]]
""")


@export("compat.v1.squeeze")
def squeeze(input, axis=None, name=None, squeeze_dims=None):
    """Remove dimensions of size 1.

    >>> tf.compat.v1.squeeze([[[1], [2]]], squeeze_dims=[0]).numpy().tolist()
    [[1], [2]]
    """
    return arrange.squeeze(input, either(axis, squeeze_dims, "axis", "squeeze_dims"), name)


@export("compat.v1.expand_dims")
def expand_dims(input, axis=None, name=None, dim=None):
    """Insert a dimension of size 1.

    >>> tf.compat.v1.expand_dims([1, 2], dim=0).numpy().tolist()
    [[1, 2]]
    """
    axis = either(axis, dim, "axis", "dim")
    if axis is None:
        raise ValueError("Must specify an axis argument to tf.expand_dims()")
    return arrange.expand_dims(input, axis, name)


@export("compat.v1.where")
def where(condition, x=None, y=None, name=None):
    """Places that are true, or elements of `x` and `y`; a condition of rank 1 chooses rows of larger tensors.

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
    """Blocks of the spatial axes, after padding, moved to the batch axis; `block_size` is the same for two axes.

    >>> image = tf.reshape([1, 2, 3, 4], [1, 2, 2, 1])
    >>> tf.compat.v1.space_to_batch(image, [[0, 0], [0, 0]], block_size=2).numpy().ravel().tolist()
    [1, 2, 3, 4]
    >>> tf.compat.v1.space_to_batch(image, [[0, 0], [0, 0]], block_size=2).shape
    TensorShape([4, 1, 1, 1])
    """
    return _of_rank_4(blocks.space_to_batch(input, _block(block_size, block_shape), paddings, name))


@export("compat.v1.batch_to_space")
def batch_to_space(input, crops, block_size, name=None, block_shape=None):
    """The inverse of `space_to_batch`.

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
    """Numbers that are written as text.

    >>> tf.compat.v1.string_to_number(["1.5", "2"]).numpy().tolist()
    [1.5, 2.0]
    """
    return strings.to_number(either(string_tensor, input, "string_tensor", "input"), out_type, name)


@export("compat.v1.string_to_hash_bucket", "compat.v1.strings.to_hash_bucket")
def string_to_hash_bucket(string_tensor=None, num_buckets=None, name=None, input=None):
    """A number below `num_buckets` for each string.

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
    """The values of `x` that are not in `y`, and their places.

    >>> values, places = tf.compat.v1.setdiff1d([1, 2, 3, 4], [1, 3])
    >>> values.numpy().tolist(), places.numpy().tolist()
    ([2, 4], [1, 3])
    """
    x = convert_to_tensor(x)
    return ListDiff(*call("ListDiff", (x, convert_to_tensor(y, x.dtype)), {"out_idx": dtypes.as_dtype(index_dtype)}, name))


def _along_dimension(find, public: str, what: str, example: str):
    def function(input, dimension, output_type=dtypes.int64, name=None):
        return find(input, dimension, output_type, name)

    doc = f"The place of the {what} value along a dimension."
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
def floor_div(x, y, name=None):
    """`x // y`, element by element.

    >>> tf.compat.v1.floor_div([7, -7], 2).numpy().tolist()
    [3, -4]
    """
    return arithmetic.floordiv(x, y, name)


@export("compat.v1.clip_by_average_norm")
def clip_by_average_norm(t, clip_norm, name=None):
    """A tensor scaled down so that its norm, divided by its number of elements, is at most `clip_norm`.

    >>> tf.compat.v1.clip_by_average_norm([3.0, 4.0], 1.25).numpy().tolist()
    [1.5, 2.0]
    """
    t = convert_to_tensor(t, name="t")
    count = arithmetic.cast(arrange.size(t), dtypes.float32)
    inverse = unary.rsqrt(reductions.reduce_sum(t * t)) * count
    return arithmetic.multiply(t * clip_norm, arithmetic.minimum(inverse, 1.0 / clip_norm), name)


def _softmax(function, example: str):
    public = function.__name__

    def softmax(logits, axis=None, name=None, dim=None):
        return function(logits, either(axis, dim, "axis", "dim"), name)

    doc = f"`tf.nn.{public}`, which also knows `dim` for `axis`."
    return export_function(softmax, f"compat.v1.nn.{public}", f"compat.v1.math.{public}", doc=doc, example=example)


softmax = _softmax(activations.softmax, example="""
    >>> print(tf.compat.v1.nn.softmax([[0.0, 0.0], [1.0, 1.0]], dim=0).numpy().round(3))
    [[0.269 0.269]
     [0.731 0.731]]
""")
log_softmax = _softmax(activations.log_softmax, example="""
    >>> print(tf.compat.v1.nn.log_softmax([[0.0, 0.0], [1.0, 1.0]], dim=0).numpy().round(3))
    [[-1.313 -1.313]
     [-0.313 -0.313]]
""")


@export("compat.v1.set_random_seed", "compat.v1.random.set_random_seed")
def set_random_seed(seed):
    """The seed of the default graph's random ops; in eager code the global seed.

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
def gradients(
    ys, xs, grad_ys=None, name: str = "gradients", colocate_gradients_with_ops: bool = False, gate_gradients=False,
    aggregation_method=None, stop_gradients=None, unconnected_gradients: str = "none",
):
    """Symbolic derivatives of the sum of `ys`; where they are computed is left to the compiler.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     x = tf.constant([1.0, 2.0])
    ...     session.run(tf.compat.v1.gradients(x * x, x))[0].tolist()
    [2.0, 4.0]
    """
    return gradient_functions.gradients(
        ys, xs, grad_ys, name, gate_gradients, aggregation_method, stop_gradients, unconnected_gradients
    )
