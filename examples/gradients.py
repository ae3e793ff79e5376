"""Automatic differentiation: tapes, partial derivatives, second order, Jacobians, gradients of one's own.

    python -m reflow examples/gradients.py

A `tf.GradientTape` writes down what happens to the tensors it watches. `tape.gradient` then walks back through that
list.
"""

import tensorflow as tf


def one_variable():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x**2
    print(f"y = x²  at x = 3:  y = {y.numpy()}, dy/dx = {tape.gradient(y, x).numpy()}")


def partial_derivatives():
    """The gradient of a scalar with respect to a matrix and a number has their shapes."""
    features, target = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[1.0], [2.0]])
    weights, bias = tf.Variable([[1.0], [2.0]]), tf.Variable(1.0)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(features @ weights + bias - target))
    d_weights, d_bias = tape.gradient(loss, [weights, bias])
    print(f"loss = {loss.numpy()}, d/dw = {d_weights.numpy().ravel().tolist()}, d/db = {d_bias.numpy()}")


def second_order():
    """A tape inside a tape. The inner gradient is computed while the outer tape watches."""
    x = tf.Variable(2.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x**3
        slope = inner.gradient(y, x)
    curvature = outer.gradient(slope, x)
    print(f"y = x³  at x = 2:  slope {slope.numpy()} = 3x², curvature {curvature.numpy()} = 6x")


def jacobian():
    """A vector of results gives a matrix.

    A constant must be watched explicitly: only variables are watched by themselves.
    """
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.stack([tf.reduce_sum(x), tf.reduce_prod(x)])
    print(f"rows of the Jacobian of (sum, product):  {tape.jacobian(y, x).numpy().tolist()}")


@tf.custom_gradient
def clipped(x):
    """The identity, whose gradient is cut to [-1, 1]."""
    return tf.identity(x), lambda upstream: tf.clip_by_value(upstream, -1.0, 1.0)


def gradient_of_our_own():
    x = tf.Variable(5.0)
    with tf.GradientTape() as tape:
        y = tf.square(clipped(x))
    print(f"x² behind a clipped identity at x = 5:  gradient {tape.gradient(y, x).numpy()} and not 10")


def newton():
    """Newton's method for the square root of 2, with the derivative from a tape."""
    x = tf.Variable(1.0)
    for _ in range(5):
        with tf.GradientTape() as tape:
            error = x * x - 2.0
        x.assign_sub(error / tape.gradient(error, x))
    print(f"Newton's method finds the root of x² - 2:  {x.numpy():.6f}")


if __name__ == "__main__":
    one_variable()
    partial_derivatives()
    second_order()
    jacobian()
    gradient_of_our_own()
    newton()
