"""`tf.keras.experimental.LinearModel` and `WideDeepModel`, which Keras 3 dropped."""

from __future__ import annotations

import keras


@keras.saving.register_keras_serializable("reflow")
class LinearModel(keras.Model):
    """A linear model of a tensor, or of several in a list or dictionary: each has its kernel, and there is one bias.

    >>> tf.keras.experimental.LinearModel()(tf.ones([2, 3])).numpy().tolist()
    [[0.0], [0.0]]
    """

    def __init__(
        self, units=1, activation=None, use_bias=True, kernel_initializer="zeros", bias_initializer="zeros",
        kernel_regularizer=None, bias_regularizer=None, **kwargs,
    ):
        super().__init__(**kwargs)
        self.units, self.use_bias, self.activation = units, use_bias, keras.activations.get(activation)
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.bias_initializer = keras.initializers.get(bias_initializer)
        self.kernel_regularizer = keras.regularizers.get(kernel_regularizer)
        self.bias_regularizer = keras.regularizers.get(bias_regularizer)
        self.bias = None

    def build(self, input_shape):
        names = _names(input_shape)
        options = {
            "use_bias": False,
            "kernel_initializer": self.kernel_initializer,
            "kernel_regularizer": self.kernel_regularizer,
        }
        self.dense_layers = [keras.layers.Dense(self.units, name=name, **options) for name in names]
        for layer, shape in zip(self.dense_layers, _parts(input_shape, names), strict=True):
            layer.build(shape)
        if self.use_bias:
            self.bias = self.add_weight(
                name="bias", shape=(self.units,), initializer=self.bias_initializer, regularizer=self.bias_regularizer
            )
        self.built = True

    def call(self, inputs):
        parts = _parts(inputs, [layer.name for layer in self.dense_layers])
        result = sum(layer(part) for layer, part in zip(self.dense_layers, parts, strict=True))
        return self.activation(result if self.bias is None else result + self.bias)

    def get_config(self):
        return {
            "units": self.units,
            "activation": keras.activations.serialize(self.activation),
            "use_bias": self.use_bias,
            "kernel_initializer": keras.initializers.serialize(self.kernel_initializer),
            "bias_initializer": keras.initializers.serialize(self.bias_initializer),
            "kernel_regularizer": keras.regularizers.serialize(self.kernel_regularizer),
            "bias_regularizer": keras.regularizers.serialize(self.bias_regularizer),
        }


def _is_one_shape(value) -> bool:
    return isinstance(value, (list, tuple)) and all(n is None or isinstance(n, int) for n in value)


def _names(shapes) -> list[str]:
    """The names of the layers of inputs: keys of a dictionary, or places."""
    if isinstance(shapes, dict):
        return sorted(shapes)
    return ["linear"] if _is_one_shape(shapes) else [f"linear_{i}" for i in range(len(shapes))]


def _parts(value, names: list[str]) -> list:
    """The parts of inputs, or of their shapes, in the order of the names."""
    if isinstance(value, dict):
        missing = [name for name in names if name not in value]
        if missing:
            raise ValueError(f"Missing keys in inputs: {missing}")
        return [value[name] for name in names]
    if isinstance(value, (list, tuple)) and not _is_one_shape(value):
        return list(value)
    return [value]


@keras.saving.register_keras_serializable("reflow")
class WideDeepModel(keras.Model):
    """The sum of a linear model and a deep one; each may have its own optimizer: `compile([for_linear, for_deep])`.

    >>> deep = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
    >>> tf.keras.experimental.WideDeepModel(tf.keras.experimental.LinearModel(), deep)(tf.ones([1, 3])).numpy().tolist()
    [[3.0]]
    """

    def __init__(self, linear_model, dnn_model, activation=None, **kwargs):
        super().__init__(**kwargs)
        self.linear_model, self.dnn_model = linear_model, dnn_model
        self.activation = keras.activations.get(activation)
        self._optimizers: list = []

    def compile(self, optimizer="rmsprop", **kwargs):
        given = list(optimizer) if isinstance(optimizer, (list, tuple)) else [optimizer]
        self._optimizers = [keras.optimizers.get(one) for one in given]
        super().compile(optimizer=self._optimizers[0], **kwargs)

    def call(self, inputs, training=None):
        wide, deep = inputs if isinstance(inputs, (list, tuple)) else (inputs, inputs)
        return self.activation(self.linear_model(wide) + self.dnn_model(deep, training=training))

    def train_step(self, data):
        if len(self._optimizers) < 2:
            return super().train_step(data)
        from reflow.eager.tape import GradientTape

        x, y, sample_weight = keras.utils.unpack_x_y_sample_weight(data)
        with GradientTape() as tape:
            predicted = self(x, training=True)
            loss = self.compute_loss(x=x, y=y, y_pred=predicted, sample_weight=sample_weight)
        parts = [self.linear_model.trainable_variables, self.dnn_model.trainable_variables]
        gradients = tape.gradient(loss, parts)
        for optimizer, grads, variables in zip(self._optimizers, gradients, parts, strict=True):
            optimizer.apply_gradients(zip(grads, variables, strict=True))
        self._loss_tracker.update_state(loss)
        return self.compute_metrics(x, y, predicted, sample_weight=sample_weight)

    def get_config(self):
        parts = {"linear_model": self.linear_model, "dnn_model": self.dnn_model}
        saved = {name: keras.saving.serialize_keras_object(part) for name, part in parts.items()}
        return saved | {"activation": keras.activations.serialize(self.activation)}

    @classmethod
    def from_config(cls, config, custom_objects=None):
        parts = {name: keras.saving.deserialize_keras_object(config[name]) for name in ("linear_model", "dnn_model")}
        return cls(**config | parts)
