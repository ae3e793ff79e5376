"""KerasTuner: a search and the best model of it."""

import tempfile

import keras_tuner
import numpy as np
import tensorflow as tf


def build(hp):
    model = tf.keras.Sequential([tf.keras.layers.Dense(hp.Int("units", 1, 4)), tf.keras.layers.Dense(1)])
    model.compile(tf.keras.optimizers.Adam(hp.Choice("rate", [0.1, 0.01])), "mse")
    return model


x = np.linspace(0, 1, 16, dtype="float32")[:, None]
for kind in (keras_tuner.RandomSearch, keras_tuner.BayesianOptimization):
    tuner = kind(build, objective="val_loss", max_trials=2, directory=tempfile.mkdtemp(), seed=1)
    tuner.search(x, 2 * x, validation_data=(x, 2 * x), epochs=1, verbose=0)
    assert tuner.get_best_models(1)[0].predict(x, verbose=0).shape == (16, 1)
