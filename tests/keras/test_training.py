"""Unmodified Keras 3.15 on Reflow: whole programs give TensorFlow's numbers, and train without tracing or compiling
twice."""


import jax
import numpy as np
import pytest

import reflow
from tests import recorded

reflow.install_as_tensorflow()

import keras  # noqa: E402
import tensorflow as tf  # noqa: E402

from tests.keras.keras_programs import PROGRAMS, data  # noqa: E402

GOLDEN = recorded("keras_programs")


@pytest.mark.parametrize("name", PROGRAMS)
def test_program_gives_tensorflows_numbers(name):
    keras.utils.set_random_seed(1)
    tolerance = 2e-3 if name == "loss_scaling" else 2e-4  # float16 activations
    np.testing.assert_allclose(PROGRAMS[name](keras, tf), GOLDEN[name], rtol=tolerance, atol=1e-5)


class Counter:
    """How often Keras' step is traced and XLA compiles."""

    def __init__(self):
        self.traces = self.compiles = 0
        jax.monitoring.register_event_duration_secs_listener(self._heard)

    def _heard(self, event, duration, **_):
        self.compiles += "backend_compile" in event


def _counted_model(counter):
    class Model(keras.Sequential):
        def train_step(self, data):
            counter.traces += 1
            return super().train_step(data)

    model = Model([keras.Input((6,)), keras.layers.Dense(8, activation="relu"), keras.layers.Dense(3)])
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    return model


def test_second_epoch_no_trace():
    d, counter = data(), Counter()
    model = _counted_model(counter)
    model.fit(d["x"], d["y"], batch_size=10, epochs=2, verbose=0)
    traces, compiles = counter.traces, counter.compiles
    assert traces == 2  # once to create the optimizer's variables, once for good
    model.fit(d["x"], d["y"], batch_size=10, epochs=3, verbose=0)
    assert (counter.traces, counter.compiles) == (traces, compiles)


def test_last_partial_batch_no_compile():
    d, counter = data(), Counter()
    model = _counted_model(counter)
    # the batch is of unknown size from the start
    model.fit(d["x"][:46], d["y"][:46], batch_size=8, epochs=1, verbose=0)
    before = counter.compiles
    model.fit(d["x"], d["y"], batch_size=8, epochs=4, verbose=0)
    assert counter.compiles - before <= 1
    assert counter.traces == 2


def test_rnn_unknown_batch_and_time():
    """One trace serves every batch size and length; interpreted and compiled calls agree."""
    layer = keras.layers.LSTM(4, return_sequences=True)
    layer.build((None, None, 3))
    traces = []

    @tf.function(input_signature=[tf.TensorSpec([None, None, 3], tf.float32)])
    def run(x):
        traces.append(1)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = layer(x)
        return y, tape.gradient(y, x)

    rng = np.random.default_rng(0)
    for shape in ((2, 5, 3), (2, 5, 3), (2, 5, 3), (4, 1, 3), (1, 7, 3), (4, 1, 3)):
        x = rng.normal(size=shape).astype("float32")
        y, g = run(x)
        tensor = tf.constant(x)
        with tf.GradientTape() as tape:
            tape.watch(tensor)
            expected = layer(tensor)
        np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(g, tape.gradient(expected, tensor), rtol=1e-4, atol=1e-6)
    assert len(traces) == 1
