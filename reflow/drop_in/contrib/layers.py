"""Layers of `tf.contrib.layers` and `slim`: functions that make variables called `weights` and `biases` in a scope, and
apply them.

Their variables are in the collection MODEL_VARIABLES; `variables_collections` (a list, or one for each kind of
variable) and `outputs_collections` name more. Arguments have defaults from `arg_scope` (`scopes.py`).
"""

from __future__ import annotations

from typing import Any

from reflow.api.array import arrange, creation
from reflow.api.math import arithmetic, reduce, unary
from reflow.api.nn import activations, embeddings, statistics
from reflow.api.nn.conv import depthwise_conv2d
from reflow.compat import summary
from reflow.compat.behavior import GraphKeys, get_default_graph
from reflow.compat.initializers import GlorotUniform
from reflow.compat.layers import core, windows
from reflow.compat.variable_scopes import get_variable, variable_scope
from reflow.core import dtypes
from reflow.drop_in.contrib.scopes import add_arg_scope
from reflow.ops.convert import convert_to_tensor


def _renamed(getter, name, *args, **kwargs):
    """A layer's variable under the name that contrib gave it."""
    scope, slash, last = name.rpartition("/")
    names = {
        "kernel": "weights", "bias": "biases", "depthwise_kernel": "depthwise_weights",
        "pointwise_kernel": "pointwise_weights",
    }
    return getter(scope + slash + names.get(last, last), *args, **kwargs)


def _collect(name: Any, thing: Any) -> None:
    """Adds a value to one or several collections that do not contain it yet."""
    for one in [name] if isinstance(name, str) else name or ():
        collected = get_default_graph().get_collection_ref(one)
        if not any(thing is other for other in collected):
            collected.append(thing)


def _known(variables: Any, collections: Any) -> None:
    """Put the variables of a layer in the collections of models and in those that the caller names."""
    for variable in variables:
        _collect(GraphKeys.MODEL_VARIABLES, variable)
        kind = variable.op.name.rpartition("/")[2]
        _collect(collections.get(kind) if isinstance(collections, dict) else collections, variable)


def _applied(layer, inputs, scope, default_scope, common: dict, **arguments):
    """A layer, what takes the place of its bias if there is such a thing, and its activation, in one scope."""
    normalizer, own_bias = common["normalizer_fn"], common["biases_initializer"]
    with variable_scope(scope, default_scope, [inputs], reuse=common["reuse"], custom_getter=_renamed) as opened:
        made = layer(
            **arguments, use_bias=normalizer is None and own_bias is not None, bias_initializer=own_bias,
            bias_regularizer=common["biases_regularizer"], trainable=common["trainable"], _scope=opened,
            _reuse=common["reuse"],
        )
        outputs = made(convert_to_tensor(inputs))
        _known(made.variables, common["variables_collections"])
        if normalizer is not None:
            outputs = normalizer(outputs, **(common["normalizer_params"] or {}))
        outputs = outputs if common["activation_fn"] is None else common["activation_fn"](outputs)
        _collect(common["outputs_collections"], outputs)
        return outputs


def _common(given: dict) -> dict:
    """The arguments of a layer that `_applied` looks after."""
    names = (
        "normalizer_fn normalizer_params activation_fn biases_initializer biases_regularizer reuse "
        "trainable variables_collections"
    )
    return {name: given[name] for name in [*names.split(), "outputs_collections"]}


@add_arg_scope
def fully_connected(
    inputs, num_outputs, activation_fn=activations.relu, normalizer_fn=None, normalizer_params=None,
    weights_initializer=None, weights_regularizer=None, biases_initializer=core.Zeros, biases_regularizer=None,
    reuse=None, variables_collections=None, outputs_collections=None, trainable=True, scope=None,
):
    """A dense layer; with a normalizer there is no bias."""
    return _applied(
        core.Dense, inputs, scope, "fully_connected", _common(locals()), units=num_outputs,
        kernel_initializer=weights_initializer or GlorotUniform(), kernel_regularizer=weights_regularizer,
    )


def _channels_first(data_format: Any) -> str:
    return "channels_first" if data_format is not None and data_format.startswith("NC") else "channels_last"


@add_arg_scope
def convolution(
    inputs, num_outputs, kernel_size, stride=1, padding="SAME", data_format=None, rate=1,
    activation_fn=activations.relu, normalizer_fn=None, normalizer_params=None, weights_initializer=None,
    weights_regularizer=None, biases_initializer=core.Zeros, biases_regularizer=None, reuse=None,
    variables_collections=None, outputs_collections=None, trainable=True, scope=None, conv_dims=None,
):
    """A convolution over sequences, images or volumes, by the rank of the inputs.

    A normalizer takes the place of the bias.
    """
    rank = convert_to_tensor(inputs).shape.rank
    if conv_dims is not None and conv_dims + 2 != rank:
        raise ValueError(f"Convolution expects input with rank {conv_dims + 2}, got {rank}")
    layers = {3: windows.Conv1D, 4: windows.Conv2D, 5: windows.Conv3D}
    if rank not in layers:
        raise ValueError(f"Convolution not supported for input with rank {rank}")
    return _applied(
        layers[rank], inputs, scope, "Conv", _common(locals()), filters=num_outputs, kernel_size=kernel_size,
        strides=stride, padding=padding.lower(), data_format=_channels_first(data_format), dilation_rate=rate,
        kernel_initializer=weights_initializer or GlorotUniform(), kernel_regularizer=weights_regularizer,
    )


@add_arg_scope
def conv1d(inputs, num_outputs, kernel_size, *args, **kwargs):
    """A convolution over sequences; arguments as of `convolution`."""
    return convolution(inputs, num_outputs, kernel_size, *args, conv_dims=1, **kwargs)


@add_arg_scope
def conv2d(
    inputs, num_outputs, kernel_size, stride=1, padding="SAME", data_format=None, rate=1,
    activation_fn=activations.relu, normalizer_fn=None, normalizer_params=None, weights_initializer=None,
    weights_regularizer=None, biases_initializer=core.Zeros, biases_regularizer=None, reuse=None,
    variables_collections=None, outputs_collections=None, trainable=True, scope=None,
):
    """A convolution over images; with a normalizer there is no bias."""
    return convolution(**locals(), conv_dims=2)


@add_arg_scope
def conv3d(inputs, num_outputs, kernel_size, *args, **kwargs):
    """A convolution over volumes; arguments as of `convolution`."""
    return convolution(inputs, num_outputs, kernel_size, *args, conv_dims=3, **kwargs)


@add_arg_scope
def conv2d_transpose(
    inputs, num_outputs, kernel_size, stride=1, padding="SAME", data_format=None, activation_fn=activations.relu,
    normalizer_fn=None, normalizer_params=None, weights_initializer=None, weights_regularizer=None,
    biases_initializer=core.Zeros, biases_regularizer=None, reuse=None, variables_collections=None,
    outputs_collections=None, trainable=True, scope=None,
):
    """A transposed convolution over images; with a normalizer there is no bias."""
    return _applied(
        windows.Conv2DTranspose, inputs, scope, "Conv2d_transpose", _common(locals()), filters=num_outputs,
        kernel_size=kernel_size, strides=stride, padding=padding.lower(), data_format=_channels_first(data_format),
        kernel_initializer=weights_initializer or GlorotUniform(), kernel_regularizer=weights_regularizer,
    )


@add_arg_scope
def separable_conv2d(
    inputs, num_outputs, kernel_size, depth_multiplier=1, stride=1, padding="SAME", data_format=None, rate=1,
    activation_fn=activations.relu, normalizer_fn=None, normalizer_params=None, weights_initializer=None,
    pointwise_initializer=None, weights_regularizer=None, biases_initializer=core.Zeros, biases_regularizer=None,
    reuse=None, variables_collections=None, outputs_collections=None, trainable=True, scope=None,
):
    """A convolution of each channel, and one of 1x1 over all; None for `num_outputs` leaves out the second."""
    if num_outputs is None:
        return _depthwise(
            inputs, kernel_size, depth_multiplier, (stride, rate), padding, data_format, weights_initializer,
            weights_regularizer, scope, _common(locals()),
        )
    return _applied(
        windows.SeparableConv2D, inputs, scope, "SeparableConv2d", _common(locals()), filters=num_outputs,
        kernel_size=kernel_size, strides=stride, padding=padding.lower(), data_format=_channels_first(data_format),
        dilation_rate=rate, depth_multiplier=depth_multiplier,
        depthwise_initializer=weights_initializer or GlorotUniform(),
        pointwise_initializer=pointwise_initializer or weights_initializer or GlorotUniform(),
        depthwise_regularizer=weights_regularizer, pointwise_regularizer=weights_regularizer,
    )


def _depthwise(inputs, kernel_size, multiplier, steps, padding, data_format, initializer, regularizer, scope, common):
    """A convolution of each channel alone."""
    if _channels_first(data_format) == "channels_first":
        raise ValueError("separable_conv2d without num_outputs takes images with channels last.")
    pair = lambda value: [value, value] if isinstance(value, int) else list(value)  # noqa: E731
    with variable_scope(scope, "SeparableConv2d", [inputs], reuse=common["reuse"]):
        channels = int(convert_to_tensor(inputs).shape[-1])
        weights = get_variable(
            "depthwise_weights", [*pair(kernel_size), channels, multiplier], None, initializer or GlorotUniform(),
            regularizer, common["trainable"],
        )
        stride, rate = steps
        outputs = depthwise_conv2d(inputs, weights, [1, *pair(stride), 1], padding, dilations=pair(rate))
        _known([weights], common["variables_collections"])
        if common["normalizer_fn"] is not None:
            outputs = common["normalizer_fn"](outputs, **(common["normalizer_params"] or {}))
        elif common["biases_initializer"] is not None:
            outputs = bias_add(outputs, None, common["biases_initializer"], common["biases_regularizer"])
        outputs = outputs if common["activation_fn"] is None else common["activation_fn"](outputs)
        _collect(common["outputs_collections"], outputs)
        return outputs


@add_arg_scope
def bias_add(
    inputs, activation_fn=None, initializer=core.Zeros, regularizer=None, reuse=None, variables_collections=None,
    outputs_collections=None, trainable=True, data_format=None, scope=None,
):
    """Adds a new variable `biases` to every channel."""
    inputs = convert_to_tensor(inputs)
    first = _channels_first(data_format) == "channels_first"
    with variable_scope(scope, "BiasAdd", [inputs], reuse=reuse):
        size = int(inputs.shape[1 if first else -1])
        start = initializer() if isinstance(initializer, type) else initializer
        biases = get_variable("biases", [size], inputs.dtype.base_dtype, start, regularizer, trainable)
        _known([biases], variables_collections)
        outputs = statistics.bias_add(inputs, biases, data_format="NCHW" if first else None)
        outputs = outputs if activation_fn is None else activation_fn(outputs)
        _collect(outputs_collections, outputs)
        return outputs


@add_arg_scope
def batch_norm(
    inputs, decay=0.999, center=True, scale=False, epsilon=0.001, activation_fn=None, param_initializers=None,
    param_regularizers=None, updates_collections=GraphKeys.UPDATE_OPS, is_training=True, reuse=None,
    variables_collections=None, outputs_collections=None, trainable=True, batch_weights=None, fused=None,
    data_format="NHWC", zero_debias_moving_mean=False, scope=None, renorm=False, renorm_clipping=None,
    renorm_decay=0.99,
):
    """Batch normalization. The moving averages are updated by operations in a collection; with None for it by every
    computation of the result."""
    if batch_weights is not None or zero_debias_moving_mean or renorm:
        raise ValueError(
            "batch_norm: batch_weights, zero_debias_moving_mean and renorm are not supported; use Keras' layers."
        )
    own = {f"{name}_initializer": made for name, made in (param_initializers or {}).items()}
    own |= {f"{name}_regularizer": made for name, made in (param_regularizers or {}).items()}
    graph = get_default_graph()
    collected = graph.get_collection_ref(GraphKeys.UPDATE_OPS)
    before = len(collected)
    with variable_scope(scope, "BatchNorm", [inputs], reuse=reuse) as opened:
        layer = core.BatchNormalization(
            axis=1 if data_format == "NCHW" else -1, momentum=decay, center=center, scale=scale, epsilon=epsilon,
            trainable=trainable, fused=fused, _scope=opened, _reuse=reuse, **own,
        )
        outputs = layer(inputs, training=is_training)
        _known(layer.variables, variables_collections)
        updates = collected[before:]
        if updates_collections != GraphKeys.UPDATE_OPS:
            del collected[before:]
            if updates_collections is None:
                with graph.control_dependencies(updates):
                    outputs = arrange.identity(outputs)
            else:
                for update in updates:
                    _collect(updates_collections, update)
        outputs = outputs if activation_fn is None else activation_fn(outputs)
        _collect(outputs_collections, outputs)
        return outputs


@add_arg_scope
def layer_norm(
    inputs, center=True, scale=True, activation_fn=None, reuse=None, variables_collections=None,
    outputs_collections=None, trainable=True, begin_norm_axis=1, begin_params_axis=-1, scope=None,
):
    """Each example less its mean, over its deviation: over all axes from `begin_norm_axis` on, with a factor `gamma`
    and a summand `beta` for each place from `begin_params_axis` on."""
    inputs = convert_to_tensor(inputs)
    rank = inputs.shape.rank
    if rank is None:
        raise ValueError(f"Inputs {inputs.name} has undefined rank.")
    first = begin_norm_axis + rank if begin_norm_axis < 0 else begin_norm_axis
    if begin_params_axis >= rank or first >= rank:
        raise ValueError(
            f"begin_params_axis ({begin_params_axis}) and begin_norm_axis ({first}) must be < rank(inputs) ({rank})"
        )
    axes = list(range(first, rank))
    return _normalized(inputs, axes, inputs.shape[begin_params_axis:], ("LayerNorm", scope, reuse), (center, scale),
                       (variables_collections, outputs_collections), trainable, activation_fn,
                       1e-12 if inputs.dtype.base_dtype != dtypes.float16 else 1e-3)  # fmt: skip


@add_arg_scope
def instance_norm(
    inputs, center=True, scale=True, epsilon=1e-6, activation_fn=None, param_initializers=None, reuse=None,
    variables_collections=None, outputs_collections=None, trainable=True, data_format="NHWC", scope=None,
):
    """Instance normalization: each channel of each example gets mean 0 and deviation 1."""
    if data_format != "NHWC":
        raise ValueError("instance_norm takes channels last.")
    inputs = convert_to_tensor(inputs)
    axes = list(range(1, inputs.shape.rank - 1))
    return _normalized(
        inputs, axes, inputs.shape[-1:], ("InstanceNorm", scope, reuse), (center, scale),
        (variables_collections, outputs_collections), trainable, activation_fn, epsilon, param_initializers,
    )


def _normalized(inputs, axes, shape, scope, parts, collections, trainable, activation_fn, epsilon, initializers=None):
    """Layer normalization: inputs get mean 0 and deviation 1 over some axes."""
    (default, name, reuse), (center, scale), starts = scope, parts, initializers or {}
    with variable_scope(name, default, [inputs], reuse=reuse):
        variables = {}
        for key, wanted, start in (("beta", center, core.Zeros()), ("gamma", scale, core.Ones())):
            if wanted:
                variables[key] = get_variable(
                    key, shape, inputs.dtype.base_dtype, starts.get(key, start), None, trainable
                )
        _known(variables.values(), collections[0])
        mean, variance = statistics.moments(inputs, axes, keepdims=True)
        outputs = statistics.batch_normalization(
            inputs, mean, variance, variables.get("beta"), variables.get("gamma"), epsilon
        )
        outputs.set_shape(inputs.shape)
        outputs = outputs if activation_fn is None else activation_fn(outputs)
        _collect(collections[1], outputs)
        return outputs


@add_arg_scope
def max_pool2d(
    inputs, kernel_size, stride=2, padding="VALID", data_format="NHWC", outputs_collections=None, scope=None
):
    """Max pooling over images."""
    return _pooled(windows.max_pooling2d, inputs, kernel_size, stride, padding, data_format, outputs_collections, scope)


@add_arg_scope
def avg_pool2d(
    inputs, kernel_size, stride=2, padding="VALID", data_format="NHWC", outputs_collections=None, scope=None
):
    """Average pooling over images."""
    pool = windows.average_pooling2d
    return _pooled(pool, inputs, kernel_size, stride, padding, data_format, outputs_collections, scope)


def _pooled(pool, inputs, kernel_size, stride, padding, data_format, collections, scope):
    outputs = pool(inputs, kernel_size, stride, padding.lower(), _channels_first(data_format), name=scope)
    _collect(collections, outputs)
    return outputs


@add_arg_scope
def flatten(inputs, outputs_collections=None, scope=None):
    """Each example as one row."""
    outputs = core.flatten(inputs, scope)
    _collect(outputs_collections, outputs)
    return outputs


@add_arg_scope
def dropout(inputs, keep_prob=0.5, noise_shape=None, is_training=True, outputs_collections=None, scope=None, seed=None):
    """Elements that are kept with some chance, and grow in turn."""
    outputs = core.dropout(inputs, 1.0 - keep_prob, noise_shape, seed, is_training, scope)
    _collect(outputs_collections, outputs)
    return outputs


@add_arg_scope
def one_hot_encoding(labels, num_classes, on_value=1.0, off_value=0.0, outputs_collections=None, scope=None):
    """A one for each label in a row of zeros."""
    outputs = creation.one_hot(labels, num_classes, on_value, off_value, name=scope)
    _collect(outputs_collections, outputs)
    return outputs


@add_arg_scope
def unit_norm(inputs, dim, epsilon=1e-7, scope=None):
    """Inputs divided by their norm over an axis."""
    inputs = convert_to_tensor(inputs)
    if dim < 0 or dim >= (inputs.shape.rank or dim + 1):
        raise ValueError("dim must be positive but smaller than the input rank.")
    return arithmetic.divide(
        inputs, unary.sqrt(epsilon + reduce.reduce_sum(inputs * inputs, dim, keepdims=True)), name=scope
    )


def repeat(inputs, repetitions, layer, *args, **kwargs):
    """The same layer several times, one after the other, in scopes `name/name_1`, `name/name_2`…"""
    scope = kwargs.pop("scope", None)
    name = getattr(layer, "__name__", "repeat")
    with variable_scope(scope, "Repeat", [inputs]) as opened:
        own = (
            scope if isinstance(scope, str) and scope else opened.name.rpartition("/")[2] if scope is not None else name
        )
        outputs = inputs
        for i in range(repetitions):
            outputs = layer(outputs, *args, **kwargs, scope=f"{own}_{i + 1}")
        return outputs


def stack(inputs, layer, stack_args, **kwargs):
    """A layer several times, one after the other, each time with the next of `stack_args` behind the inputs."""
    scope = kwargs.pop("scope", None)
    if not isinstance(stack_args, (list, tuple)):
        raise TypeError("stack_args need to be a list or tuple")
    with variable_scope(scope, "Stack", [inputs]):
        name = scope if isinstance(scope, str) and scope else getattr(layer, "__name__", "stack")
        outputs = inputs
        for i, given in enumerate(stack_args):
            given = given if isinstance(given, (list, tuple)) else [given]
            outputs = layer(outputs, *given, scope=f"{name}_{i + 1}", **kwargs)
        return outputs


def embed_sequence(
    ids, vocab_size=None, embed_dim=None, unique=False, initializer=None, regularizer=None, trainable=True, scope=None,
    reuse=None,
):
    """The rows of a table that sequences of ids name; with `reuse` the table exists. (`unique` only saves lookups.)"""
    if not (reuse or (vocab_size and embed_dim)):
        raise ValueError(
            f"Must specify vocab size and embedding dimension when not reusing. Got vocab_size={vocab_size} "
            f"and embed_dim={embed_dim}"
        )
    with variable_scope(scope, "EmbedSequence", [ids], reuse=reuse):
        shape = [vocab_size, embed_dim] if vocab_size else None
        table = get_variable("embeddings", shape, None, initializer, regularizer, trainable)
    return embeddings.embedding_lookup(table, ids)


def summarize_tensor(tensor, tag=None):
    """A summary of a tensor: its value if it is one number, a histogram otherwise."""
    tag = tag or f"{tensor.op.name}_summary"
    return summary.scalar(tag, tensor) if tensor.shape.rank == 0 else summary.histogram(tag, tensor)


def summarize_activation(op):
    """A histogram of an activation, and how much of it is zero."""
    summary.scalar(f"{op.op.name}/zeros", statistics.zero_fraction(op))
    return summary.histogram(f"{op.op.name}/activation", op)


def summarize_tensors(tensors, summarizer=summarize_tensor):
    """Summaries of tensors."""
    return [summarizer(tensor) for tensor in tensors]


def summarize_collection(collection, name_filter=None, summarizer=summarize_tensor):
    """Summaries of what is in a collection."""
    return summarize_tensors(get_default_graph().get_collection(collection, name_filter), summarizer)


def summarize_activations(name_filter=None, summarizer=summarize_activation):
    """Summaries of the collection ACTIVATIONS."""
    return summarize_collection(GraphKeys.ACTIVATIONS, name_filter, summarizer)
