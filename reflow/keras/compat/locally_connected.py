"""`LocallyConnected1D` and `LocallyConnected2D`: convolutions with a different kernel at each position.

The kernel is [positions, window · channels, filters], as in Keras 2 with `implementation=1`. All of Keras 2's
implementations compute the same; they differ in the kernel's shape and in speed, and this is the only one here.
"""

from __future__ import annotations

import itertools
import math

import keras

#: arguments that are objects of Keras, and where they are looked up
_OBJECTS = {
    "activation": keras.activations,
    "kernel_initializer": keras.initializers,
    "bias_initializer": keras.initializers,
    "kernel_regularizer": keras.regularizers,
    "bias_regularizer": keras.regularizers,
    "kernel_constraint": keras.constraints,
    "bias_constraint": keras.constraints,
}


class _LocallyConnected(keras.layers.Layer):
    rank = 0

    def __init__(
        self, filters: int, kernel_size, strides=1, padding: str = "valid", data_format: str | None = None,
        activation=None, use_bias: bool = True, kernel_initializer="glorot_uniform", bias_initializer="zeros",
        kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
        bias_constraint=None, implementation: int = 1, **kwargs,
    ):
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        given = locals()
        self._check(padding, data_format, implementation)
        self.filters, self.use_bias = filters, use_bias
        self.kernel_size, self.strides = self._per_axis(kernel_size), self._per_axis(strides)
        self.channels_first = (data_format or keras.config.image_data_format()) == "channels_first"
        for name, kind in _OBJECTS.items():
            setattr(self, name, kind.get(given[name]))

    def _check(self, padding, data_format, implementation):
        name = type(self).__name__
        if padding.lower() != "valid":
            raise ValueError(f"Invalid padding for {name} (only 'valid' is supported). Received: {padding=}")
        if data_format not in (None, "channels_last", "channels_first"):
            raise ValueError(f"{name} has data formats 'channels_last' and 'channels_first'. Received: {data_format=}")
        if implementation not in (1, 2, 3):
            raise ValueError(
                f"Unrecognized implementation mode of {name}: it is 1, 2 or 3. Received: {implementation=}"
            )

    def _per_axis(self, value):
        return tuple(value) if isinstance(value, (list, tuple)) else (value,) * self.rank

    def _places(self, spatial):
        """How many windows fit along each axis."""
        return tuple((n - k) // s + 1 for n, k, s in zip(spatial, self.kernel_size, self.strides, strict=True))

    def _sizes(self, shape):
        """The spatial sizes and the channels of an input shape."""
        return (shape[2:], shape[1]) if self.channels_first else (shape[1:-1], shape[-1])

    def build(self, input_shape):
        spatial, channels = self._sizes(input_shape)
        if None in (*spatial, channels):
            raise ValueError(f"The spatial sizes and channels of {self.name} must be known. Received: {input_shape=}")
        places = self._places(spatial)
        self.kernel = self.add_weight(
            name="kernel", shape=(math.prod(places), math.prod(self.kernel_size) * channels, self.filters),
            initializer=self.kernel_initializer, regularizer=self.kernel_regularizer, constraint=self.kernel_constraint,
        )
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                name="bias", shape=(*places, self.filters), initializer=self.bias_initializer,
                regularizer=self.bias_regularizer, constraint=self.bias_constraint,
            )
        self.built = True

    def call(self, inputs):
        if self.channels_first:
            inputs = keras.ops.moveaxis(inputs, 1, -1)
        places = self._places(inputs.shape[1:-1])
        out = keras.ops.einsum("bpw,pwf->bpf", self._windows(inputs, places), self.kernel)
        out = keras.ops.reshape(out, (-1, *places, self.filters))
        out = self.activation(out if self.bias is None else out + self.bias)
        return keras.ops.moveaxis(out, -1, 1) if self.channels_first else out

    def _windows(self, inputs, places):
        """The elements of each window, [batch, places, window · channels]: a strided slice for each of its places."""
        taps = []
        for offsets in itertools.product(*map(range, self.kernel_size)):
            where = zip(offsets, places, self.strides, strict=True)
            taps.append(inputs[(slice(None), *(slice(k, k + (n - 1) * s + 1, s) for k, n, s in where))])
        seen = keras.ops.stack(taps, axis=-2)
        return keras.ops.reshape(seen, (-1, math.prod(places), len(taps) * inputs.shape[-1]))

    def compute_output_shape(self, input_shape):
        places = self._places(self._sizes(input_shape)[0])
        inner = (self.filters, *places) if self.channels_first else (*places, self.filters)
        return (input_shape[0], *inner)

    def get_config(self):
        stored = {name: keras.saving.serialize_keras_object(getattr(self, name)) for name in _OBJECTS}
        own = {name: getattr(self, name) for name in ("filters", "kernel_size", "strides", "use_bias")}
        data_format = "channels_first" if self.channels_first else "channels_last"
        return super().get_config() | stored | own | {"data_format": data_format}


@keras.saving.register_keras_serializable("Reflow")
class LocallyConnected1D(_LocallyConnected):
    """A convolution over one axis with its own kernel at each place."""

    rank = 1


@keras.saving.register_keras_serializable("Reflow")
class LocallyConnected2D(_LocallyConnected):
    """A convolution over two axes with its own kernel at each place."""

    rank = 2
