"""A tf.Module with input signatures, saved and loaded: signatures, variables, functions of other shapes."""
import os
import tempfile

import tensorflow as tf


class Scaler(tf.Module):
    def __init__(self):
        super().__init__(name="scaler")
        self.mean = tf.Variable(tf.zeros([3]), trainable=False, name="mean")
        self.count = tf.Variable(0, name="count")
        self.vocab = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1)

    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32, name="x")])
    def update(self, x):
        n = tf.cast(self.count, tf.float32)
        m = tf.cast(tf.shape(x)[0], tf.float32)
        self.mean.assign((self.mean * n + tf.reduce_sum(x, 0)) / (n + m))
        self.count.assign_add(tf.shape(x)[0])
        return {"mean": self.mean.read_value()}

    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32), tf.TensorSpec([], tf.bool)])
    def __call__(self, x, center=True):
        if center:
            x = x - self.mean
        return x * 2.0

    @tf.function
    def look(self, words):
        return self.vocab.lookup(words)


m = Scaler()
m.update(tf.constant([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]))
m.look(tf.constant(["a", "zz"]))
path = os.path.join(tempfile.mkdtemp(), "m")
tf.saved_model.save(m, path, signatures={"update": m.update, "serving_default": m.update})
loaded = tf.saved_model.load(path)
print(sorted(loaded.signatures), loaded.mean.numpy(), int(loaded.count))
print(loaded(tf.ones([1, 3]), tf.constant(True)).numpy(), loaded(tf.ones([1, 3]), tf.constant(False)).numpy())
print(loaded.look(tf.constant(["b", "q"])).numpy())
print({k: v.numpy().tolist() for k, v in loaded.signatures["update"](x=tf.constant([[6.0, 6.0, 6.0]])).items()}, int(loaded.count))
print(loaded.update.input_signature if hasattr(loaded.update, "input_signature") else None)
try:
    loaded(tf.ones([1, 4]), tf.constant(True))
except (ValueError, TypeError) as e:
    print(type(e).__name__)
print(loaded.signatures["serving_default"].structured_outputs)
