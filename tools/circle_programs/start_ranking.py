"""TensorFlow Ranking: losses and metrics of lists, and a model that is trained with one.

Run with TF_USE_LEGACY_KERAS=1.
"""

import numpy as np
import tensorflow as tf
import tensorflow_ranking as tfr

labels, scores = [[1.0, 0.0]], [[0.6, 0.8]]
assert np.isclose(float(tfr.keras.losses.SoftmaxLoss()(labels, scores)), 0.7981389, atol=1e-5)
assert np.isclose(float(tfr.keras.metrics.NDCGMetric()(labels, scores)), 1 / np.log2(3), atol=1e-5)
inputs = tf.keras.Input([5, 3])
model = tf.keras.Model(inputs, tf.squeeze(tf.keras.layers.Dense(1)(inputs), -1))
model.compile(tf.keras.optimizers.Adam(0.1), tfr.keras.losses.ApproxNDCGLoss(), metrics=[tfr.keras.metrics.MRRMetric()])
x = np.random.RandomState(0).rand(16, 5, 3).astype("float32")
history = model.fit(x, (x[:, :, 0] > 0.5).astype("float32"), epochs=5, verbose=0).history["loss"]
assert history[-1] < history[0], history
