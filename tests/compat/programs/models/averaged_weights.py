"""Polynomial regression whose weights are averaged over time; the averages are restored in place of the weights."""

import os

import numpy as np
import tensorflow.compat.v1 as tf

x = np.linspace(-1, 1, 9).astype(np.float32)
y = 1 + 2 * x - 3 * x**2
step = tf.train.get_or_create_global_step()
weights = tf.get_variable("weights", [3], initializer=tf.zeros_initializer())
loss = tf.reduce_mean(tf.square(tf.reduce_sum(tf.stack([x**0, x, x**2], 1) * weights, 1) - y))
rate = tf.train.exponential_decay(0.4, step, 5, 0.5, staircase=True)
train = tf.train.MomentumOptimizer(rate, 0.5).minimize(loss, step)
average = tf.train.ExponentialMovingAverage(0.8, step)
with tf.control_dependencies([train]):
    train = average.apply([weights])
saver = tf.train.Saver()
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(12):
        session.run(train)
    print(session.run([loss, rate, step]))
    print(np.round(session.run([weights, average.average(weights)]), 4).tolist(), average.average_name(weights))
    path = saver.save(session, os.path.join(os.getcwd(), "model"), step)
with tf.Session() as session:
    tf.train.Saver(average.variables_to_restore([weights])).restore(session, path)
    print(os.path.basename(path), np.round(session.run(weights), 4).tolist(), session.run(loss))
