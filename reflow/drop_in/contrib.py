"""`tf.contrib`: the parts that have a plain successor; for the rest, an error that names the modern form."""

from __future__ import annotations

import types

from reflow.api.array import arrange
from reflow.api.math import reduce as reductions
from reflow.api.math import unary
from reflow.api.nn import activations
from reflow.api.nn import losses as nn_losses
from reflow.compat.initializers import GlorotNormal, GlorotUniform, VarianceScaling
from reflow.compat.layers import core, windows
from reflow.compat.rnn import cells, loops

#: parts of `tf.contrib` without a successor here -> what to use
MODERN = {
    "slim": "the package tf_slim",
    "learn": "tf.estimator or Keras",
    "seq2seq": "the package tensorflow_addons, or Keras",
    "data": "tf.data",
    "lookup": "tf.lookup",
    "distribute": "tf.distribute",
    "summary": "tf.summary",
    "training": "tf.train",
    "framework": "tf.train and tf.compat.v1",
    "crf": "the package tensorflow_addons",
    "image": "tf.image",
    "opt": "tf.keras.optimizers",
    "tpu": "tf.distribute.TPUStrategy",
    "lite": "tf.lite",
    "saved_model": "tf.saved_model",
    "metrics": "tf.compat.v1.metrics",
    "losses": "tf.compat.v1.losses",
}


def xavier_initializer(uniform=True, seed=None, dtype=None):
    """Glorot's initializer, uniform or normal."""
    return GlorotUniform(seed) if uniform else GlorotNormal(seed)


def variance_scaling_initializer(factor=2.0, mode="FAN_IN", uniform=False, seed=None, dtype=None):
    """Samples whose variance is `factor` over the number of inputs, of outputs, or their mean."""
    kind = "uniform" if uniform else "truncated_normal"
    return VarianceScaling(factor, mode.lower(), kind, seed)


def l2_regularizer(scale, scope=None):
    """A function that gives `scale` times half the sum of squares; None for a scale of 0."""
    return (lambda weights: scale * nn_losses.l2_loss(weights)) if scale else (lambda _: None)


def l1_regularizer(scale, scope=None):
    """A function that gives `scale` times the sum of absolute values."""
    return (lambda weights: scale * reductions.reduce_sum(unary.abs(weights))) if scale else (lambda _: None)


def fully_connected(
    inputs, num_outputs, activation_fn=activations.relu, normalizer_fn=None, normalizer_params=None,
    weights_initializer=None, weights_regularizer=None, biases_initializer=None, biases_regularizer=None, reuse=None,
    variables_collections=None, outputs_collections=None, trainable=True, scope=None,
):
    """A dense layer; a normalizer takes the place of the bias."""
    if variables_collections is not None or outputs_collections is not None:
        raise ValueError("fully_connected: collections are not supported; use tf.layers.dense.")
    layer = core.Dense(
        num_outputs, use_bias=normalizer_fn is None, kernel_initializer=weights_initializer or GlorotUniform(),
        bias_initializer=biases_initializer or core.Zeros, kernel_regularizer=weights_regularizer,
        bias_regularizer=biases_regularizer, trainable=trainable, name=scope or None, _scope=scope, _reuse=reuse,
    )
    outputs = layer(inputs)
    if normalizer_fn is not None:
        outputs = normalizer_fn(outputs, **(normalizer_params or {}))
    return outputs if activation_fn is None else activation_fn(outputs)


class Part(types.ModuleType):
    """A part of `tf.contrib`; what it lacks raises."""

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        part = self.__name__.removeprefix("tensorflow.")
        modern = MODERN.get(name) if part == "contrib" else None
        hint = f"; the modern form is {modern}" if modern else "; TensorFlow 2 has no contrib"
        raise AttributeError(f"Reflow has no tf.{part}.{name}{hint}")


def _part(name: str, things: dict) -> Part:
    part = Part(f"tensorflow.{name}")
    part.__path__ = []  # type: ignore[attr-defined]
    vars(part).update(things)
    return part


def _public(module, names: str) -> dict:
    return {name: getattr(module, name) for name in names.split()}


_CELLS = _public(
    cells,
    "RNNCell BasicRNNCell BasicLSTMCell LSTMCell GRUCell MultiRNNCell DropoutWrapper ResidualWrapper DeviceWrapper LSTMStateTuple",
)
rnn = _part("contrib.rnn", _CELLS | _public(loops, "static_rnn static_bidirectional_rnn"))
layers = _part(
    "contrib.layers",
    {
        "xavier_initializer": xavier_initializer,
        "xavier_initializer_conv2d": xavier_initializer,
        "variance_scaling_initializer": variance_scaling_initializer,
        "l1_regularizer": l1_regularizer,
        "l2_regularizer": l2_regularizer,
        "fully_connected": fully_connected,
        "linear": lambda *args, **kwargs: fully_connected(*args, **{"activation_fn": None, **kwargs}),
        "relu": fully_connected,
        "flatten": lambda inputs, outputs_collections=None, scope=None: core.flatten(inputs, scope),
        "dropout": lambda inputs, keep_prob=0.5, noise_shape=None, is_training=True, scope=None, seed=None: core.dropout(
            inputs, 1.0 - keep_prob, noise_shape, seed, is_training, scope
        ),
        "max_pool2d": lambda inputs, kernel_size, stride=2, padding="VALID", scope=None: windows.max_pooling2d(
            inputs, kernel_size, stride, padding.lower(), name=scope
        ),
        "identity": arrange.identity,
    },
)
contrib = _part("contrib", {"rnn": rnn, "layers": layers})
