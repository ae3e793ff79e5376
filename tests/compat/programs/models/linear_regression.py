"""Linear regression by gradient descent, fed batch by batch."""

import numpy as np
import tensorflow.compat.v1 as tf

rng = np.random.RandomState(0)
points = rng.rand(100).astype(np.float32)
answers = 0.1 * points + 0.3

x, y = tf.placeholder(tf.float32, [None], name="x"), tf.placeholder(tf.float32, [None], name="y")
w = tf.Variable(tf.constant([0.5]), name="weight")
b = tf.Variable(tf.zeros([1]), name="bias")
loss = tf.reduce_mean(tf.square(w * x + b - y))
train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for step in range(60):
        at = step * 20 % 100
        feeds = {x: points[at : at + 20], y: answers[at : at + 20]}
        if step % 20 == 0:
            print(step, session.run(loss, feeds))
        session.run(train, feeds)
    print(session.run(w), session.run(b))
