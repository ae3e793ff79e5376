"""K-means in a graph: segments, and variables that a loop of runs assigns."""

import numpy as np
import tensorflow.compat.v1 as tf

rng = np.random.RandomState(6)
points = np.concatenate([rng.randn(20, 2) * 0.3 + place for place in ([0, 0], [3, 3], [0, 4])]).astype(np.float32)
x = tf.constant(points)
centres = tf.Variable(points[[0, 1, 2]], trainable=False)
apart = tf.reduce_sum(tf.squared_difference(tf.expand_dims(x, 1), tf.expand_dims(centres, 0)), 2)
nearest = tf.argmin(apart, 1)
sizes = tf.cast(tf.bincount(tf.cast(nearest, tf.int32), minlength=3), tf.float32)
means = tf.unsorted_segment_sum(x, nearest, 3) / tf.maximum(sizes, 1.0)[:, None]
moved = tf.reduce_any(tf.not_equal(tf.unsorted_segment_max(x, nearest, 3)[:, 0], centres[:, 0]))
update = tf.assign(centres, means)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(8):
        session.run(update)
    print(np.round(session.run(centres), 3), np.bincount(session.run(nearest), minlength=3), session.run(moved))
