"""tf_keras, the real Keras 2: a model is trained, saved and loaded. Run with TF_USE_LEGACY_KERAS=1."""

import tempfile

import numpy as np
import tensorflow as tf

assert tf.keras.Model.__module__.startswith("tf_keras"), tf.keras.Model
inputs = tf.keras.Input([3])
outputs = tf.keras.layers.Dense(1)(tf.keras.layers.Dense(8, activation="relu")(inputs))
model = tf.keras.Model(inputs, tf.nn.relu(outputs) + 1.0)
model.compile("adam", "mse", metrics=["mae"])
x = np.random.RandomState(0).rand(64, 3).astype("float32")
history = model.fit(x, x.sum(1), epochs=3, verbose=0).history["loss"]
assert history[-1] < history[0]
path = tempfile.mkdtemp() + "/model.keras"
model.save(path)
assert np.allclose(tf.keras.models.load_model(path).predict(x, verbose=0), model.predict(x, verbose=0), atol=1e-5)
