"""Optimizers with penalties that hold variables at zero."""

import numpy as np
import tensorflow.compat.v1 as tf

step = tf.train.get_or_create_global_step()
makers = {
    "sgd": lambda: tf.train.ProximalGradientDescentOptimizer(0.1, 0.05, 0.2),
    "adagrad": lambda: tf.train.ProximalAdagradOptimizer(0.3, 0.1, 0.02, 0.1),
    "dual": lambda: tf.train.AdagradDAOptimizer(0.5, step, 0.1, 0.01, 0.02),
}
for name, make in makers.items():
    v = tf.get_variable(name, initializer=[1.0, -0.02, 0.3])
    optimizer = make()
    train = optimizer.apply_gradients([(tf.constant([0.1, 0.02, -0.2]), v)], step)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            session.run(train)
        print(name, np.round(session.run(v), 5).tolist(), optimizer.get_slot_names(), session.run(step))
print(tf.moving_average_variables())
