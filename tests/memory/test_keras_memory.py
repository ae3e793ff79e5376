"""Memory stays flat over Keras' loops: `predict`, `fit`, `evaluate`, `train_on_batch`, calls.

A repeat must leave no Python object and no array behind: that shows in thirty repeats. With REFLOW_LONG_TESTS=1 each
runs 2,000 times and resident memory is measured too, which needs that many: the allocator's pools fill for some hundred
repeats.
"""

import gc
import os

import jax
import numpy as np
import pytest

import reflow
from tests.memory.test_memory import resident

reflow.install_as_tensorflow()

import tensorflow as tf  # noqa: E402
from tensorflow import keras  # noqa: E402

LONG = bool(os.environ.get("REFLOW_LONG_TESTS"))
x, y = np.random.RandomState(0).rand(64, 20).astype("float32"), np.random.RandomState(1).randint(0, 3, 64)


@pytest.fixture
def model():
    layers = keras.layers
    made = keras.Sequential([keras.Input((20,)), layers.Dense(64, "relu"), layers.Dropout(0.2), layers.Dense(3)])
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    made.compile("adam", loss, metrics=["accuracy"])
    return made


def held() -> np.ndarray:
    """Python objects, device arrays, and bytes of resident memory."""
    gc.collect()
    return np.array([len(gc.get_objects()), len(jax.live_arrays()), resident()])


@pytest.mark.filterwarnings("ignore:`shuffle=True` was passed")
@pytest.mark.parametrize(
    "body",
    [
        lambda model: model.predict(x[:1], verbose=0),
        lambda model: model.fit(x, y, verbose=0),
        lambda model: model.fit(x, y, verbose=0, validation_split=0.25),
        lambda model: model.evaluate(tf.data.Dataset.from_tensor_slices((x, y)).batch(32), verbose=0),
        lambda model: model.train_on_batch(x, y),
        lambda model: model(x, training=True),
    ],
    ids=["predict", "fit", "fit_validation", "evaluate", "train_on_batch", "call"],
)
def test_repeating_leaves_nothing_behind(model, body):
    """In the best of three windows, so that what happens once (a late compilation) is no leak."""
    warm_up, repeats = (200, 600) if LONG else (6, 10)
    for _ in range(warm_up):
        body(model)
    states = [held()]
    for _ in range(3):
        for _ in range(repeats):
            body(model)
        states.append(held())
    objects, arrays, _ = np.diff(states, axis=0).min(0) / repeats
    assert objects < 0.5 and arrays < 0.1, (objects, arrays)
    if LONG:
        memory = (states[-1] - states[0])[2] / (3 * repeats)
        print(f"{memory:.0f} bytes a repeat")
        assert memory < 2_000
