"""Batch normalisation by hand: a training flag as Python value and as tensor, moving averages, dropout that is off."""
import numpy as np
import tensorflow as tf


class Norm(tf.Module):
    def __init__(self, n, momentum=0.9):
        super().__init__()
        self.gamma, self.beta = tf.Variable(tf.ones([n])), tf.Variable(tf.zeros([n]))
        self.mean, self.var = tf.Variable(tf.zeros([n]), trainable=False), tf.Variable(tf.ones([n]), trainable=False)
        self.momentum = momentum

    @tf.function
    def __call__(self, x, training):
        if training:
            mean, var = tf.nn.moments(x, axes=[0])
            self.mean.assign(self.mean * self.momentum + mean * (1 - self.momentum))
            self.var.assign(self.var * self.momentum + var * (1 - self.momentum))
        else:
            mean, var = self.mean.read_value(), self.var.read_value()
        return tf.nn.batch_normalization(x, mean, var, self.beta, self.gamma, 1e-3)


bn = Norm(2)
x = tf.constant([[1.0, 2.0], [3.0, 6.0], [5.0, 1.0]])
for flag in (True, False, tf.constant(True), tf.constant(False)):
    print(np.round(bn(x, flag).numpy()[0], 4), np.round(bn.mean.numpy(), 4))
print(bn.__call__.experimental_get_tracing_count(), len(bn.trainable_variables), len(bn.variables))
with tf.GradientTape() as tape:
    y = tf.reduce_sum(bn(x, tf.constant(True)) ** 2 * x)
print([np.round(g.numpy(), 3).tolist() for g in tape.gradient(y, bn.trainable_variables)])


@tf.function
def drop(x, rate):
    return tf.nn.dropout(x, rate=rate, seed=1)


print(drop(x, 0.0).numpy().tolist() == x.numpy().tolist(), drop(tf.ones([1000]), 0.5).shape)
