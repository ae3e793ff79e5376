"""Logistic regression on two clouds of points, with accuracy and a decaying rate."""

import numpy as np
import tensorflow.compat.v1 as tf

rng = np.random.RandomState(1)
features = np.concatenate([rng.randn(50, 2) + 2, rng.randn(50, 2) - 2]).astype(np.float32)
labels = np.array([1.0] * 50 + [0.0] * 50, np.float32)[:, None]

x, y = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.float32, [None, 1])
w, b = (
    tf.get_variable("w", [2, 1], initializer=tf.zeros_initializer()),
    tf.get_variable("b", [1], initializer=tf.zeros_initializer()),
)
logits = tf.matmul(x, w) + b
loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logits)) + 0.01 * tf.nn.l2_loss(w)
step = tf.Variable(0, trainable=False)
rate = tf.train.exponential_decay(0.5, step, 10, 0.8, staircase=True)
train = tf.train.MomentumOptimizer(rate, 0.9).minimize(loss, global_step=step)
right = tf.equal(tf.cast(tf.sigmoid(logits) > 0.5, tf.float32), y)
accuracy = tf.reduce_mean(tf.cast(right, tf.float32))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(25):
        session.run(train, {x: features, y: labels})
    print(session.run([loss, accuracy, rate, step], {x: features, y: labels}))
    print(session.run(w).ravel())
