"""Parts of `tf.contrib` that are more than another name: layers, the loss of sequences, the digits of `contrib.learn.datasets`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from reflow.api.array import arrange, creation
from reflow.api.math import arithmetic, clip, reduce
from reflow.api.nn import activations, embeddings
from reflow.api.nn import losses as nn_losses
from reflow.compat.behavior import GraphKeys, get_default_graph
from reflow.compat.initializers import GlorotUniform
from reflow.compat.layers import core, windows
from reflow.compat.train import optimizers
from reflow.compat.train.global_step import get_global_step
from reflow.compat.variable_scopes import get_variable, variable_scope
from reflow.datasets import mnist_small

# --- layers


def _renamed(getter, name, *args, **kwargs):
    """A layer's variable under the name that contrib gave it."""
    scope, slash, last = name.rpartition("/")
    return getter(scope + slash + {"kernel": "weights", "bias": "biases"}.get(last, last), *args, **kwargs)


def _applied(layer, inputs, scope, default_scope, reuse, normalizer_fn, normalizer_params, activation_fn, **arguments):
    """A layer, what takes the place of its bias if there is such a thing, and its activation, in one scope."""
    with variable_scope(scope, default_scope, [inputs], reuse=reuse, custom_getter=_renamed) as opened:
        outputs = layer(**arguments, _scope=opened, _reuse=reuse)(inputs)
        if normalizer_fn is not None:
            outputs = normalizer_fn(outputs, **(normalizer_params or {}))
        return outputs if activation_fn is None else activation_fn(outputs)


def fully_connected(
    inputs, num_outputs, activation_fn=activations.relu, normalizer_fn=None, normalizer_params=None,
    weights_initializer=None, weights_regularizer=None, biases_initializer=core.Zeros, biases_regularizer=None, reuse=None,
    variables_collections=None, outputs_collections=None, trainable=True, scope=None,
):
    """A dense layer; a normalizer takes the place of the bias."""
    if variables_collections is not None or outputs_collections is not None:
        raise ValueError("fully_connected: collections are not supported; use tf.layers.dense.")
    return _applied(
        core.Dense, inputs, scope, "fully_connected", reuse, normalizer_fn, normalizer_params, activation_fn,
        units=num_outputs, use_bias=normalizer_fn is None and biases_initializer is not None,
        kernel_initializer=weights_initializer or GlorotUniform(), bias_initializer=biases_initializer,
        kernel_regularizer=weights_regularizer, bias_regularizer=biases_regularizer, trainable=trainable,
    )


def conv2d(
    inputs, num_outputs, kernel_size, stride=1, padding="SAME", data_format=None, rate=1, activation_fn=activations.relu,
    normalizer_fn=None, normalizer_params=None, weights_initializer=None, weights_regularizer=None, biases_initializer=core.Zeros,
    biases_regularizer=None, reuse=None, trainable=True, scope=None,
):
    """A convolution over images; a normalizer takes the place of the bias."""
    return _applied(
        windows.Conv2D, inputs, scope, "Conv", reuse, normalizer_fn, normalizer_params, activation_fn,
        filters=num_outputs, kernel_size=kernel_size, strides=stride, padding=padding.lower(), data_format=_layout(data_format),
        dilation_rate=rate, use_bias=normalizer_fn is None and biases_initializer is not None,
        kernel_initializer=weights_initializer or GlorotUniform(), bias_initializer=biases_initializer,
        kernel_regularizer=weights_regularizer, bias_regularizer=biases_regularizer, trainable=trainable,
    )


def conv2d_transpose(
    inputs, num_outputs, kernel_size, stride=1, padding="SAME", data_format=None, activation_fn=activations.relu, normalizer_fn=None,
    normalizer_params=None, weights_initializer=None, weights_regularizer=None, biases_initializer=core.Zeros, biases_regularizer=None,
    reuse=None, trainable=True, scope=None,
):
    """The transpose of a convolution over images; a normalizer takes the place of the bias."""
    return _applied(
        windows.Conv2DTranspose, inputs, scope, "Conv2d_transpose", reuse, normalizer_fn, normalizer_params, activation_fn,
        filters=num_outputs, kernel_size=kernel_size, strides=stride, padding=padding.lower(), data_format=_layout(data_format),
        use_bias=normalizer_fn is None and biases_initializer is not None, kernel_initializer=weights_initializer or GlorotUniform(),
        bias_initializer=biases_initializer, kernel_regularizer=weights_regularizer, bias_regularizer=biases_regularizer,
        trainable=trainable,
    )


def _layout(data_format):
    return "channels_first" if data_format == "NCHW" else "channels_last"


def batch_norm(
    inputs, decay=0.999, center=True, scale=False, epsilon=0.001, activation_fn=None, param_initializers=None, param_regularizers=None,
    updates_collections=GraphKeys.UPDATE_OPS, is_training=True, reuse=None, trainable=True, fused=None, data_format=None, scope=None,
):
    """Batch normalization. The moving averages are updated by operations in a collection; with None for it by every computation of the
    result."""
    own = {f"{name}_initializer": made for name, made in (param_initializers or {}).items()}
    own |= {f"{name}_regularizer": made for name, made in (param_regularizers or {}).items()}
    collected = get_default_graph().get_collection_ref(GraphKeys.UPDATE_OPS)
    before = len(collected)
    with variable_scope(scope, "BatchNorm", [inputs], reuse=reuse) as opened:
        layer = core.BatchNormalization(
            axis=1 if data_format == "NCHW" else -1, momentum=decay, center=center, scale=scale, epsilon=epsilon, trainable=trainable,
            fused=fused, _scope=opened, _reuse=reuse, **own,
        )
        outputs = layer(inputs, training=is_training)
        updates = collected[before:]
        if updates_collections != GraphKeys.UPDATE_OPS:
            del collected[before:]
        if updates_collections is None:
            with get_default_graph().control_dependencies(updates):
                outputs = arrange.identity(outputs)
        elif updates_collections != GraphKeys.UPDATE_OPS:
            for update in updates:
                get_default_graph().add_to_collection(updates_collections, update)
        return outputs if activation_fn is None else activation_fn(outputs)


def avg_pool2d(inputs, kernel_size, stride=2, padding="VALID", scope=None):
    """The means of windows of images."""
    return windows.average_pooling2d(inputs, kernel_size, stride, padding.lower(), name=scope)


def one_hot_encoding(labels, num_classes, on_value=1.0, off_value=0.0, scope=None):
    """A one for each label in a row of zeros."""
    return creation.one_hot(labels, num_classes, on_value, off_value, name=scope)


def embed_sequence(
    ids, vocab_size=None, embed_dim=None, unique=False, initializer=None, regularizer=None, trainable=True, scope=None, reuse=None,
):
    """The rows of a new table that sequences of ids name. (`unique` only saves lookups.)"""
    if not vocab_size or not embed_dim:
        raise ValueError(
            f"Must specify vocab size and embedding dimension when not reusing. Got vocab_size={vocab_size} and embed_dim={embed_dim}"
        )
    with variable_scope(scope, "EmbedSequence", [ids], reuse=reuse):
        table = get_variable("embeddings", [vocab_size, embed_dim], None, initializer, regularizer, trainable)
    return embeddings.embedding_lookup(table, ids)


def apply_regularization(regularizer, weights_list=None):
    """The sum of the penalties of weights, by default of all in the collection WEIGHTS; it is added to the penalties of the graph."""
    weights = get_default_graph().get_collection(GraphKeys.WEIGHTS) if weights_list is None else weights_list
    if not weights:
        raise ValueError("No weights to regularize.")
    penalty = arithmetic.add_n([regularizer(w) for w in weights])
    get_default_graph().add_to_collection(GraphKeys.REGULARIZATION_LOSSES, penalty)
    return penalty


_OPTIMIZERS: dict[str, Any] = {
    "Adagrad": optimizers.AdagradOptimizer,
    "Adam": optimizers.AdamOptimizer,
    "Ftrl": optimizers.FtrlOptimizer,
    "Momentum": lambda learning_rate: optimizers.MomentumOptimizer(learning_rate, momentum=0.9),
    "RMSProp": optimizers.RMSPropOptimizer,
    "SGD": optimizers.GradientDescentOptimizer,
}


def optimize_loss(
    loss, global_step, learning_rate, optimizer, clip_gradients=None, learning_rate_decay_fn=None, variables=None, name=None,
):
    """The loss as a tensor whose computation takes a step: gradients of `variables`, clipped by their global norm, by an optimizer."""
    step = get_global_step() if global_step is None else global_step
    if learning_rate_decay_fn is not None:
        learning_rate = learning_rate_decay_fn(learning_rate, step)
    if isinstance(optimizer, str):
        if optimizer not in _OPTIMIZERS:
            raise ValueError(f"Optimizer name should be one of [{', '.join(_OPTIMIZERS)}], you provided {optimizer}.")
        optimizer = _OPTIMIZERS[optimizer](learning_rate=learning_rate)
    elif not isinstance(optimizer, optimizers.Optimizer):
        optimizer = optimizer(learning_rate)
    graph = get_default_graph()
    with graph.control_dependencies(graph.get_collection(GraphKeys.UPDATE_OPS)):
        pairs = [(g, v) for g, v in optimizer.compute_gradients(loss, variables) if g is not None]
    if clip_gradients is not None:
        clipped, _ = clip.clip_by_global_norm([g for g, _ in pairs], clip_gradients)
        pairs = list(zip(clipped, [v for _, v in pairs], strict=True))
    with graph.control_dependencies([optimizer.apply_gradients(pairs, step, name)]):
        return arrange.identity(loss)


# --- sequences


def sequence_loss(
    logits, targets, weights, average_across_timesteps=True, average_across_batch=True, softmax_loss_function=None, name=None,
):
    """The weighted cross entropy of sequences: [batch, time, classes] logits, [batch, time] targets and weights."""
    if len(logits.shape) != 3:
        raise ValueError("Logits must be a [batch_size x sequence_length x logits] tensor")
    entropy = nn_losses.sparse_softmax_cross_entropy_with_logits if softmax_loss_function is None else softmax_loss_function
    losses = entropy(labels=targets, logits=logits) * weights
    axes = [axis for axis, averaged in ((0, average_across_batch), (1, average_across_timesteps)) if averaged]
    if not axes:
        return losses
    total = reduce.reduce_sum(weights, axis=axes) + 1e-12
    return arithmetic.divide(reduce.reduce_sum(losses, axis=axes), total, name=name)


# --- digits


class Digits:
    """Pictures and labels that are given out in batches."""

    def __init__(self, images: np.ndarray, labels: np.ndarray, one_hot: bool, reshape: bool) -> None:
        self.images = (images.reshape(len(images), -1) if reshape else images[..., None]).astype(np.float32) / 255.0
        self.labels = np.eye(10)[labels] if one_hot else labels.astype(np.uint8)
        self.num_examples, self.epochs_completed, self._at = len(images), 0, 0
        self._order = np.arange(len(images))

    def next_batch(self, batch_size: int, fake_data: bool = False, shuffle: bool = True) -> tuple[np.ndarray, np.ndarray]:
        """The next pictures and labels; they are mixed when a round begins."""
        if fake_data:
            raise ValueError("next_batch: there are only real digits.")
        if self._at + batch_size > self.num_examples:
            self.epochs_completed, self._at = self.epochs_completed + 1, 0
        if shuffle and self._at == 0:
            np.random.shuffle(self._order)
        chosen = self._order[self._at : self._at + batch_size]
        self._at += batch_size
        return self.images[chosen], self.labels[chosen]


class Datasets(NamedTuple):
    """Digits to train with, to choose by, and to test with."""

    train: Digits
    validation: Digits
    test: Digits


def read_data_sets(
    train_dir: Any = None, fake_data: bool = False, one_hot: bool = False, reshape: bool = True, validation_size: int = 500
) -> Datasets:
    """The 7,000 digits of MNIST that come with Reflow; nothing is downloaded to `train_dir`."""
    if fake_data:
        raise ValueError("read_data_sets: there are only real digits.")
    (images, labels), (test_images, test_labels) = mnist_small()
    images, labels = np.asarray(images), np.asarray(labels)
    first, rest = slice(validation_size), slice(validation_size, None)
    parts = [(images[rest], labels[rest]), (images[first], labels[first]), (np.asarray(test_images), np.asarray(test_labels))]
    return Datasets(*[Digits(x, y, one_hot, reshape) for x, y in parts])
