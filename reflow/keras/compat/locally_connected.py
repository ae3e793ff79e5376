"""`LocallyConnected1D` and `LocallyConnected2D`: convolutions whose kernel differs from place to place.

The kernel is [places, window · channels, filters], as in Keras 2 with `implementation=1`.
"""

from __future__ import annotations

import math


def classes(keras) -> dict:
    """The two layers, made on Keras' `Layer`."""
    ops = keras.ops

    class LocallyConnected(keras.layers.Layer):
        rank = 0

        def __init__(
            self,
            filters,
            kernel_size,
            strides=1,
            padding="valid",
            data_format=None,
            activation=None,
            use_bias=True,
            kernel_initializer="glorot_uniform",
            bias_initializer="zeros",
            kernel_regularizer=None,
            bias_regularizer=None,
            activity_regularizer=None,
            kernel_constraint=None,
            bias_constraint=None,
            implementation=1,
            **kwargs,
        ):
            super().__init__(activity_regularizer=activity_regularizer, **kwargs)
            if padding.lower() != "valid":
                raise ValueError(
                    f"Invalid padding for {type(self).__name__} (only 'valid' is supported). Received: "
                    f"padding={padding!r}"
                )
            if data_format not in (None, "channels_last"):
                raise NotImplementedError(
                    f"{type(self).__name__} has data_format='channels_last' only. Received: data_format={data_format!r}"
                )
            self.filters, self.use_bias, self.implementation = filters, use_bias, implementation
            self.kernel_size, self.strides = self._per_axis(kernel_size), self._per_axis(strides)
            self.activation = keras.activations.get(activation)
            self.kernel_initializer = keras.initializers.get(kernel_initializer)
            self.bias_initializer = keras.initializers.get(bias_initializer)
            self.kernel_regularizer = keras.regularizers.get(kernel_regularizer)
            self.bias_regularizer = keras.regularizers.get(bias_regularizer)
            self.kernel_constraint = keras.constraints.get(kernel_constraint)
            self.bias_constraint = keras.constraints.get(bias_constraint)

        def _per_axis(self, value):
            return tuple(value) if isinstance(value, (list, tuple)) else (value,) * self.rank

        def _places(self, input_shape):
            return tuple((n - k) // s + 1 for n, k, s in zip(input_shape[1:-1], self.kernel_size, self.strides))

        def build(self, input_shape):
            places = self._places(input_shape)
            window = math.prod(self.kernel_size) * input_shape[-1]
            self.kernel = self.add_weight(
                name="kernel",
                shape=(math.prod(places), window, self.filters),
                initializer=self.kernel_initializer,
                regularizer=self.kernel_regularizer,
                constraint=self.kernel_constraint,
            )
            self.bias = (
                self.add_weight(
                    name="bias",
                    shape=(*places, self.filters),
                    initializer=self.bias_initializer,
                    regularizer=self.bias_regularizer,
                    constraint=self.bias_constraint,
                )
                if self.use_bias
                else None
            )
            self.built = True

        def call(self, inputs):
            places = self._places(inputs.shape)
            windows = self._windows(inputs, places)  # [batch, places, window · channels]
            out = ops.einsum("bpw,pwf->bpf", windows, self.kernel)
            out = ops.reshape(out, (-1, *places, self.filters))
            return self.activation(out if self.bias is None else out + self.bias)

        def compute_output_shape(self, input_shape):
            return (input_shape[0], *self._places(input_shape), self.filters)

        def get_config(self):
            store = {
                name: keras.saving.serialize_keras_object(getattr(self, name))
                for name in (
                    "activation",
                    "kernel_initializer",
                    "bias_initializer",
                    "kernel_regularizer",
                    "bias_regularizer",
                    "kernel_constraint",
                    "bias_constraint",
                )
            }
            return (
                super().get_config()
                | store
                | {
                    "filters": self.filters,
                    "kernel_size": self.kernel_size,
                    "strides": self.strides,
                    "use_bias": self.use_bias,
                    "implementation": self.implementation,
                }
            )

    @keras.saving.register_keras_serializable("Reflow")
    class LocallyConnected1D(LocallyConnected):
        """A convolution over one axis with its own kernel at each place."""

        rank = 1

        def _windows(self, inputs, places):
            (count,), (size,), (stride,) = places, self.kernel_size, self.strides
            parts = [inputs[:, k : k + (count - 1) * stride + 1 : stride] for k in range(size)]
            return ops.reshape(ops.stack(parts, axis=2), (-1, count, size * inputs.shape[-1]))

    @keras.saving.register_keras_serializable("Reflow")
    class LocallyConnected2D(LocallyConnected):
        """A convolution over two axes with its own kernel at each place."""

        rank = 2

        def _windows(self, inputs, places):
            (rows, columns), (height, width), (down, right) = places, self.kernel_size, self.strides
            parts = [
                inputs[:, i : i + (rows - 1) * down + 1 : down, j : j + (columns - 1) * right + 1 : right]
                for i in range(height)
                for j in range(width)
            ]
            return ops.reshape(ops.stack(parts, axis=3), (-1, rows * columns, height * width * inputs.shape[-1]))

    return {"LocallyConnected1D": LocallyConnected1D, "LocallyConnected2D": LocallyConnected2D}
