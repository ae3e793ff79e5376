"""TensorFlow Recommenders: a retrieval model is trained one step."""

import tensorflow as tf
import tensorflow_recommenders as tfrs

users, items = tf.keras.layers.Embedding(5, 4), tf.keras.layers.Embedding(7, 4)


class Model(tfrs.Model):
    def __init__(self):
        super().__init__()
        self.users, self.items, self.task = users, items, tfrs.tasks.Retrieval()

    def compute_loss(self, inputs, training=False):
        return self.task(self.users(inputs["user"]), self.items(inputs["item"]), compute_metrics=False)


model = Model()
model.compile("adam")
data = tf.data.Dataset.from_tensor_slices({"user": [0, 1, 2, 3], "item": [1, 2, 3, 4]}).batch(2)
model.fit(data, verbose=0)
