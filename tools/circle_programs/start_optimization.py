"""TensorFlow Model Optimization: a model is pruned. Run with TF_USE_LEGACY_KERAS=1."""

import numpy as np
import tensorflow as tf
import tensorflow_model_optimization as tfmot

model = tfmot.sparsity.keras.prune_low_magnitude(tf.keras.Sequential([tf.keras.layers.Dense(4, input_shape=(3,))]))
model.compile("adam", "mse")
x = np.ones([8, 3], "float32")
model.fit(x, np.ones([8, 4]), verbose=0, callbacks=[tfmot.sparsity.keras.UpdatePruningStep()])
