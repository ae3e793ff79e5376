"""A perceptron with two hidden layers of tf.layers, dropout, and an L2 penalty in a collection."""

import numpy as np
import tensorflow.compat.v1 as tf

rng = np.random.RandomState(2)
features, labels = rng.rand(32, 8).astype(np.float32), rng.randint(0, 3, 32)
x, y = tf.placeholder(tf.float32, [None, 8]), tf.placeholder(tf.int64, [None])
training = tf.placeholder_with_default(False, [])


def start(shape, dtype=None, partition_info=None):
    return tf.reshape(tf.cos(tf.range(int(np.prod(shape)), dtype=tf.float32)), shape) * 0.3


def dense(x, units, activation=None, kernel_initializer=None, name=None):
    """`tf.layers.dense`; written out for a TensorFlow that no longer has it."""
    if hasattr(tf.layers, "dense"):
        return tf.layers.dense(x, units, activation, kernel_initializer=kernel_initializer, name=name)
    with tf.variable_scope(name, "dense"):
        w = tf.get_variable("kernel", [x.shape[-1], units], initializer=kernel_initializer)
        y = tf.matmul(x, w) + tf.get_variable("bias", [units], initializer=tf.zeros_initializer())
    return y if activation is None else activation(y)


with tf.variable_scope("net", regularizer=lambda weights: 0.01 * tf.reduce_sum(weights * weights)):
    hidden = dense(x, 16, tf.nn.relu, start, name="first")
    hidden = tf.nn.dropout(hidden, keep_prob=tf.where(training, 1.0, 1.0))
    hidden = dense(hidden, 8, tf.nn.tanh, start, name="second")
    logits = dense(hidden, 3, kernel_initializer=start, name="logits")
tf.losses.sparse_softmax_cross_entropy(y, logits)
loss = tf.losses.get_total_loss()
train = tf.train.AdamOptimizer(0.01).minimize(loss)
print([v.name for v in tf.trainable_variables()], len(tf.losses.get_regularization_losses()))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for step in range(6):
        now, _ = session.run([loss, train], {x: features, y: labels, training: True})
        if step % 5 == 0:
            print(step, now)
    print(session.run(tf.argmax(logits, 1), {x: features})[:10])
