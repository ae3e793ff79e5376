"""Gradients that a program registers, overrides and stops; second derivatives; a Python function in the graph."""

import numpy as np
import tensorflow.compat.v1 as tf


@tf.RegisterGradient("ClippedOfOurs")
def _clipped(op, grad):
    return tf.clip_by_value(grad, -0.5, 0.5)


@tf.custom_gradient
def log1pexp(x):
    e = tf.exp(x)
    return tf.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))


graph = tf.get_default_graph()
x = tf.Variable([1.0, 2.0])
with graph.gradient_override_map({"Identity": "ClippedOfOurs"}):
    clipped = tf.identity(x)
y = tf.reduce_sum(clipped * clipped)
cubed = tf.reduce_sum(x**3)
first = tf.gradients(cubed, x)[0]
second = tf.gradients(first, x, grad_ys=[tf.ones_like(first)])[0]
stopped = tf.gradients(x * tf.stop_gradient(x), x)[0]
soft = log1pexp(tf.constant(100.0))
hessian = tf.hessians(cubed, x)[0]
counted = tf.py_func(lambda v: np.array([v.sum(), v.max()], np.float32), [x], tf.float32)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print(session.run([tf.gradients(y, x)[0], first, second, stopped]))
    print(session.run([soft, tf.gradients(soft, soft)[0], hessian, counted]))
    print(tf.gradients(y, tf.constant(1.0)))
