"""Jacobians, batch Jacobians, Hessians, Hessian-vector products, in functions."""
import numpy as np
import tensorflow as tf

a = tf.constant(np.arange(6).reshape(3, 2), tf.float32)


@tf.function
def jac(x):
    with tf.GradientTape() as t:
        t.watch(x)
        y = tf.sin(a @ x)
    return t.jacobian(y, x)


print(np.round(jac(tf.constant([[0.1], [0.2]])).numpy().reshape(3, 2), 4))


@tf.function
def per_example(x):
    with tf.GradientTape() as t:
        t.watch(x)
        y = tf.stack([x[:, 0] * x[:, 1], x[:, 0] ** 2], axis=1)
    return t.batch_jacobian(y, x)


print(per_example(tf.constant([[1.0, 2.0], [3.0, 4.0]])).numpy().tolist())


@tf.function
def hessian(x):
    with tf.GradientTape() as t2:
        t2.watch(x)
        with tf.GradientTape() as t1:
            t1.watch(x)
            y = tf.reduce_sum(x**3) + x[0] * x[1]
        g = t1.gradient(y, x)
    return t2.jacobian(g, x)


print(hessian(tf.constant([1.0, 2.0])).numpy().tolist())


@tf.function
def newton(x):
    for _ in tf.range(6):
        with tf.GradientTape() as t2:
            t2.watch(x)
            with tf.GradientTape() as t1:
                t1.watch(x)
                y = tf.reduce_sum((x - 1.0) ** 4 + x**2)
            g = t1.gradient(y, x)
        h = t2.jacobian(g, x)
        x = x - tf.linalg.solve(h, g[:, None])[:, 0]
    return x


print(np.round(newton(tf.constant([3.0, -2.0])).numpy(), 4))


@tf.function
def hvp(x, v):
    with tf.GradientTape() as t2:
        t2.watch(x)
        with tf.GradientTape() as t1:
            t1.watch(x)
            y = tf.reduce_prod(x)
        g = t1.gradient(y, x)
    return t2.gradient(g, x, output_gradients=v)


print(hvp(tf.constant([1.0, 2.0, 3.0]), tf.constant([1.0, 0.0, 1.0])).numpy())


@tf.function
def old_style(x):
    y = x[0] ** 2 * x[1]
    return tf.gradients(y, x), tf.hessians(y, x)


g, h = old_style(tf.constant([2.0, 3.0]))
print(g[0].numpy().tolist(), h[0].numpy().tolist())
