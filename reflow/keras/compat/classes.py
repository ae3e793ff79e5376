"""Small classes that Keras 3 dropped: `AbstractRNNCell`, `RandomFourierFeatures`, `MeanTensor`, `MeanRelativeError`."""

from __future__ import annotations

import math
from typing import Any

import keras
from keras import ops


def install(layers, metrics) -> None:
    layers.AbstractRNNCell, layers.RandomFourierFeatures = AbstractRNNCell, RandomFourierFeatures
    # since TensorFlow 2 there is one layer for all devices
    layers.CuDNNLSTM, layers.CuDNNGRU = keras.layers.LSTM, keras.layers.GRU
    metrics.MeanTensor, metrics.MeanRelativeError = MeanTensor, MeanRelativeError


class AbstractRNNCell(keras.layers.Layer):
    """A custom cell for `RNN`: it defines `call(inputs, states)`, `state_size` and `output_size`."""

    def call(self, inputs, states):
        """The outputs of one step, and the new states."""
        raise NotImplementedError

    @property
    def state_size(self):
        """The size of the state, or a list of sizes."""
        raise NotImplementedError

    @property
    def output_size(self):
        """The size of the outputs."""
        raise NotImplementedError

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
        """States of zeros."""
        if inputs is not None:
            batch_size, dtype = ops.shape(inputs)[0], inputs.dtype

        def zeros(size):
            size = (size,) if isinstance(size, int) else tuple(size)
            return ops.zeros((batch_size, *size), dtype=dtype or self.compute_dtype)

        sizes = self.state_size
        return [zeros(size) for size in sizes] if isinstance(sizes, (list, tuple)) else zeros(sizes)


@keras.saving.register_keras_serializable("Reflow")
class RandomFourierFeatures(keras.layers.Layer):
    """Random cosines, whose products approximate a kernel (Rahimi and Recht, 2007): cos(x · kernel / scale + bias)."""

    def __init__(self, output_dim, kernel_initializer="gaussian", scale=None, trainable=False, name=None, **kwargs):
        if output_dim <= 0:
            raise ValueError(f"`output_dim` should be a positive integer. Received: {output_dim}")
        if scale is not None and scale <= 0.0:
            raise ValueError(f"When provided, `scale` should be a positive float. Received: {scale}")
        super().__init__(trainable=trainable, name=name, **kwargs)
        self.output_dim, self.kernel_initializer, self.scale = output_dim, kernel_initializer, scale

    def build(self, input_shape):
        """Draw the kernel."""
        size = input_shape[-1]
        if self.scale is None:
            self.scale = math.sqrt(size / 2.0) if self.kernel_initializer == "gaussian" else 1.0
        shape = (size, self.output_dim)
        drawn = {"gaussian": keras.initializers.RandomNormal(stddev=1.0), "laplacian": _cauchy}
        initializer = drawn.get(self.kernel_initializer, self.kernel_initializer)
        self.unscaled_kernel = self.add_weight(
            name="unscaled_kernel", shape=shape, initializer=initializer, trainable=False
        )
        turns = keras.initializers.RandomUniform(0.0, 2 * math.pi)
        self.bias = self.add_weight(name="bias", shape=(self.output_dim,), initializer=turns, trainable=False)
        self.kernel_scale = self.add_weight(
            name="kernel_scale", shape=(1,), initializer=keras.initializers.Constant(self.scale), trainable=True,
            constraint="NonNeg",
        )

    def call(self, inputs):
        """The features."""
        inputs = ops.cast(inputs, self.compute_dtype)
        return ops.cos(ops.matmul(inputs, self.unscaled_kernel / self.kernel_scale) + self.bias)

    def compute_output_shape(self, input_shape):
        """[…, output_dim]."""
        return (*input_shape[:-1], self.output_dim)

    def get_config(self):
        """The constructor's arguments."""
        initializer = self.kernel_initializer
        if not isinstance(initializer, str):
            initializer = keras.initializers.serialize(initializer)
        own = {"output_dim": self.output_dim, "kernel_initializer": initializer, "scale": self.scale}
        return {**super().get_config(), **own}


def _cauchy(shape, dtype=None):
    return ops.tan(math.pi * (keras.random.uniform(shape, dtype=dtype) - 0.5))


class MeanTensor(keras.metrics.Metric):
    """The mean of tensors of one shape, element by element."""

    def __init__(self, name="mean_tensor", dtype=None, shape=None):
        super().__init__(name=name, dtype=dtype)
        self.total: Any = None
        self.count: Any = None
        if shape is not None:
            self._build(shape)

    def _build(self, shape):
        self.total = self.add_weight(shape=tuple(shape), initializer="zeros", name="total")
        self.count = self.add_weight(shape=tuple(shape), initializer="zeros", name="count")

    def update_state(self, values, sample_weight=None):
        """Add values, with weights that broadcast to them."""
        values = ops.cast(values, self.dtype)
        if self.total is None:
            self._build(values.shape)
        if tuple(values.shape) != tuple(self.total.shape):
            raise ValueError(
                f"MeanTensor input values must always have the same shape. Expected shape (set during the first call): "
                f"{tuple(self.total.shape)}. Got: {tuple(values.shape)}."
            )
        weights = ops.ones_like(values) if sample_weight is None else ops.cast(sample_weight, self.dtype)
        weights = ops.broadcast_to(weights, values.shape)
        self.total.assign_add(values * weights)
        self.count.assign_add(weights)

    def result(self):
        """The mean."""
        if self.total is None:
            raise ValueError("MeanTensor does not have any value yet. Please call the MeanTensor instance first")
        return ops.divide_no_nan(self.total, self.count)


class MeanRelativeError(keras.metrics.Mean):
    """The mean of |y_true - y_pred| / normalizer."""

    def __init__(self, normalizer, name=None, dtype=None):
        super().__init__(name=name, dtype=dtype)
        self.normalizer = normalizer

    def update_state(self, y_true, y_pred, sample_weight=None):
        """Count a batch."""
        y_true, y_pred = ops.cast(y_true, self.dtype), ops.cast(y_pred, self.dtype)
        normalizer = ops.cast(self.normalizer, self.dtype)
        return super().update_state(ops.divide_no_nan(ops.abs(y_true - y_pred), normalizer), sample_weight)

    def get_config(self):
        """The constructor's arguments."""
        return {"name": self.name, "dtype": self.dtype, "normalizer": ops.convert_to_numpy(self.normalizer)}
