"""Sonnet: a network, a step of an optimizer, a checkpoint."""

import tempfile

import sonnet as snt
import tensorflow as tf

network = snt.nets.MLP([8, 1])
optimizer = snt.optimizers.Adam(0.1)
x, y = tf.random.normal([32, 3], seed=1), tf.ones([32, 1])


@tf.function
def step():
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((network(x) - y) ** 2)
    optimizer.apply(tape.gradient(loss, network.trainable_variables), network.trainable_variables)
    return loss


first = float(step())
for _ in range(30):
    last = float(step())
assert last < first / 5, (first, last)
checkpoint = tf.train.Checkpoint(network=network)
path = checkpoint.save(tempfile.mkdtemp() + "/model")
network.trainable_variables[0].assign_add(tf.ones_like(network.trainable_variables[0]))
checkpoint.restore(path)
assert abs(float(step()) - last) < 1
