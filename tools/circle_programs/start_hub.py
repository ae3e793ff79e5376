"""TensorFlow Hub: a folder is loaded, as an object and as a layer of Keras 2 that is trained."""

import tempfile

import numpy as np
import tensorflow as tf
import tensorflow_hub as hub
import tf_keras as keras


class Doubler(tf.Module):
    def __init__(self):
        self.scale = tf.Variable(2.0)

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def __call__(self, x):
        return x * self.scale


folder = tempfile.mkdtemp()
tf.saved_model.save(Doubler(), folder)
assert hub.load(folder)(tf.ones([1, 2])).numpy().tolist() == [[2.0, 2.0]]
model = keras.Sequential([hub.KerasLayer(folder, trainable=True, input_shape=(2,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(np.ones([8, 2], "float32"), np.ones([8, 1], "float32"), verbose=0)
assert model.predict(np.ones([1, 2], "float32"), verbose=0).shape == (1, 1)
