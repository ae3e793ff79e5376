"""TensorFlow Addons: a layer, an optimizer and a metric of it in a model. Run with TF_USE_LEGACY_KERAS=1."""

import numpy as np
import tensorflow as tf
import tensorflow_addons as tfa

model = tf.keras.Sequential(
    [tf.keras.layers.Dense(4, input_shape=(3,)), tfa.layers.WeightNormalization(tf.keras.layers.Dense(1))]
)
model.compile(tfa.optimizers.LAMB(0.01), "mse", metrics=[tfa.metrics.RSquare()])
model.fit(np.ones([8, 3], "float32"), np.arange(8.0, dtype="float32")[:, None], verbose=0)
