"""TensorBoard's HParams: a run with its hyperparameters and metrics, and the callback for Keras."""

import tempfile
from pathlib import Path

import numpy as np
import tensorflow as tf
from tensorboard.plugins.hparams import api as hp

units = hp.HParam("units", hp.Discrete([2, 4]))
folder = tempfile.mkdtemp()
with tf.summary.create_file_writer(folder).as_default():
    hp.hparams_config(hparams=[units], metrics=[hp.Metric("loss")])
    hp.hparams({"units": 2})
    tf.summary.scalar("loss", 0.5, step=1)
model = tf.keras.Sequential([tf.keras.layers.Dense(2), tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
x = np.ones([8, 2], "float32")
model.fit(x, x[:, :1], verbose=0, callbacks=[hp.KerasCallback(folder + "/run", {units: 2})])
assert any(Path(folder, "run").iterdir())
