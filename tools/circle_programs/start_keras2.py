"""tf_keras, the real Keras 2: models of three kinds are trained, saved in three formats and loaded.

Run with TF_USE_LEGACY_KERAS=1.
"""

import tempfile

import numpy as np
import tensorflow as tf

keras = tf.keras
assert keras.Model.__module__.startswith("tf_keras"), keras.Model
keras.utils.set_random_seed(0)  # with some first weights the loss rises at first
x = np.random.RandomState(0).rand(64, 3).astype("float32")


class Subclassed(keras.Model):
    """A model with a `call` of its own."""

    def __init__(self):
        super().__init__()
        self.hidden, self.last = keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1)

    @tf.function
    def call(self, inputs, training=False):
        return self.last(self.hidden(inputs))


def functional() -> keras.Model:
    """A model in which functions of TensorFlow are layers."""
    inputs = keras.Input([3])
    hidden = keras.layers.BatchNormalization()(keras.layers.Dense(8, activation="relu")(inputs))
    outputs = keras.layers.Dense(1)(tf.concat([hidden, 1.0 - inputs], axis=1)[:, 1:])
    return keras.Model(inputs, tf.nn.relu(outputs) + 1.0)


def same(one: keras.Model, other: keras.Model) -> bool:
    return np.allclose(one.predict(x, verbose=0), other.predict(x, verbose=0), atol=1e-5)


sequential = keras.Sequential([keras.layers.Dense(8, activation="relu", input_shape=(3,)), keras.layers.Dense(1)])
for model, formats in (
    (functional(), (".keras", ".h5", "")), (sequential, (".keras", ".h5", "")), (Subclassed(), ("",))
):
    model.compile("adam", "mse", metrics=["mae"])
    history = model.fit(x, x.sum(1), epochs=3, verbose=0).history["loss"]
    assert history[-1] < history[0]
    for ending in formats:
        path = tempfile.mkdtemp() + "/model" + ending
        model.save(path)
        assert same(keras.models.load_model(path), model), ending
keras.mixed_precision.set_global_policy("mixed_float16")
half = keras.Sequential([keras.layers.Dense(4, input_shape=(3,)), keras.layers.Dense(1, dtype="float32")])
half.compile("adam", "mse")
assert np.isfinite(half.fit(x, x.sum(1), verbose=0).history["loss"][0])
