"""SavedModels that Keras 2 wrote (`tests/golden/keras2_folders/`), with `keras_metadata.pb`: how each layer was made.

TensorFlow's environment needs the package `tf_keras` for it. `expected.npz` holds what each model gives for `INPUTS`.
"""

from __future__ import annotations

import os
import shutil

import numpy as np

from tools import golden
from tools.golden import run

GOLDEN = golden.GOLDEN / "keras2_folders"
INPUTS = np.linspace(-1.0, 1.0, 24, dtype=np.float32).reshape(3, 8)


def models(keras) -> dict:
    layers = keras.layers
    deep = [
        layers.Dense(4, activation="relu"), layers.BatchNormalization(), layers.Dropout(0.5),
        layers.Dense(2, name="last"),
    ]
    sequential = keras.Sequential([keras.Input((8,)), *deep])
    image = keras.Input((8,), name="image")
    inner = keras.Sequential([keras.Input((8,)), layers.Dense(3, use_bias=False)], name="inner")
    x = layers.Reshape((4, 2))(image)
    x = layers.Conv1D(3, 2, padding="same", activation="tanh")(x)
    x = layers.GlobalAveragePooling1D()(x)
    functional = keras.Model(
        image, [layers.Add(name="sum")([x, inner(image)]), layers.Softmax(name="soft")(x)], name="two_ends"
    )
    return {"sequential": sequential, "functional": functional}


def record() -> None:
    """Keras 2 trains two models for a step and saves them as folders."""
    os.environ["TF_USE_LEGACY_KERAS"] = "1"
    import tf_keras as keras

    shutil.rmtree(GOLDEN, ignore_errors=True)
    GOLDEN.mkdir()
    keras.utils.set_random_seed(1)
    expected = {}
    for name, model in models(keras).items():
        outputs = np.ones((3, 2), np.float32) if name == "sequential" else [np.ones((3, 3), np.float32)] * 2
        model.compile("adam", "mse", metrics=["mae"] if name == "sequential" else None)
        model.fit(INPUTS, outputs, verbose=0)
        model.save(GOLDEN / name, save_format="tf")
        results = model(INPUTS)
        for i, result in enumerate(results if isinstance(results, list) else [results]):
            expected[f"{name}/{i}"] = result.numpy()
    np.savez(GOLDEN / "expected.npz", **expected)


if __name__ == "__main__":
    run(record)
