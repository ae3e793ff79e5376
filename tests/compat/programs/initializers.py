"""Initializers of version 1: defaults and numbers for a seed."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.set_random_seed(5)
makers = [
    tf.random_normal_initializer(),
    tf.random_uniform_initializer(),
    tf.truncated_normal_initializer(stddev=0.1, seed=3),
    tf.glorot_uniform_initializer(),
    tf.glorot_normal_initializer(seed=1),
    tf.variance_scaling_initializer(2.0, "fan_out", "uniform", seed=2),
    tf.uniform_unit_scaling_initializer(seed=2),
    tf.initializers.he_normal(seed=4),
    tf.initializers.lecun_uniform(seed=4),
    tf.initializers.identity(2.0),
    tf.constant_initializer([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
]
variables = [tf.get_variable(f"v{i}", [2, 3], initializer=make) for i, make in enumerate(makers)]
square = tf.get_variable("square", [3, 3], initializer=tf.orthogonal_initializer(seed=1))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for value in session.run(variables):
        print(np.round(value, 5).tolist())
    q = session.run(square)
    print(np.round(q @ q.T, 4).tolist() == np.eye(3).tolist())
for wrong in (lambda: tf.variance_scaling_initializer(mode="fan"), lambda: tf.orthogonal_initializer()([3])):
    try:
        wrong()
    except ValueError as error:
        print(error)
