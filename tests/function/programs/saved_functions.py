"""Saving functions of every kind: control flow, gradients inside, nested modules, optional arguments, several traces; loading them."""
import os
import tempfile

import numpy as np
import tensorflow as tf


class Inner(tf.Module):
    def __init__(self, k):
        super().__init__()
        self.k = tf.Variable(k)

    @tf.function
    def __call__(self, x):
        return x * self.k


class Model(tf.Module):
    def __init__(self):
        super().__init__()
        self.inner = [Inner(2.0), Inner(3.0)]
        self.named = {"a": tf.Variable(1.0)}
        self.steps = tf.Variable(0, trainable=False)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.int32)])
    def loop(self, x, n):
        for i in tf.range(n):
            if i % 2 == 0:
                x = self.inner[0](x)
            else:
                x = self.inner[1](x) - self.named["a"]
        return x

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def train(self, x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(self.inner[0](x) ** 2)
        g = tape.gradient(loss, self.inner[0].k)
        self.inner[0].k.assign_sub(0.01 * g)
        self.steps.assign_add(1)
        return {"loss": loss, "grad": g}

    @tf.function
    def flexible(self, x, scale=2.0, *, flag=False):
        return x * scale if flag else x + scale

    @tf.function
    def strings(self, s):
        return tf.strings.upper(s), tf.strings.length(s)


m = Model()
m.flexible(tf.constant(1.0))
m.flexible(tf.constant([1, 2]), 3, flag=True)
m.strings(tf.constant(["ab"]))
path = os.path.join(tempfile.mkdtemp(), "model")
tf.saved_model.save(m, path)
n = tf.saved_model.load(path)
x = tf.constant([1.0, -1.0])
print(n.loop(x, tf.constant(3)).numpy(), m.loop(x, tf.constant(3)).numpy())
for _ in range(2):
    a, b = n.train(x), m.train(x)
    print({k: float(v) for k, v in a.items()} == {k: float(v) for k, v in b.items()}, int(n.steps), round(float(n.inner[0].k), 4))
print(float(n.flexible(tf.constant(5.0))), n.flexible(tf.constant([1, 2]), 3, flag=True).numpy())
try:
    n.flexible(tf.constant(5.0), flag=True)
except ValueError as e:
    print("ValueError", "Could not find matching concrete function" in str(e))
print([t.numpy().tolist() for t in n.strings(tf.constant(["ab"]))], sorted(n.signatures))
@tf.function
def around(x):
    return n.loop(x, 1) + n.inner[1](x)


print(np.round(around(x).numpy(), 4))
path2 = path + "2"
root = tf.Module()
root.f = tf.function(lambda t: n.loop(t, 2), input_signature=[tf.TensorSpec([None], tf.float32)])
root.n = n
tf.saved_model.save(root, path2, signatures=root.f.get_concrete_function())
again = tf.saved_model.load(path2)
print(again.f(x).numpy(), list(again.signatures["serving_default"](x).values())[0].numpy())
