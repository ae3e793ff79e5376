"""Custom gradients: clipping, straight-through, gradient reversal, variables inside, and of second order."""
import numpy as np
import tensorflow as tf


@tf.custom_gradient
def log1pexp(x):
    e = tf.exp(x)

    def grad(upstream):
        return upstream * (1 - 1 / (1 + e))

    return tf.math.log(1 + e), grad


@tf.custom_gradient
def reverse(x, factor=2.0):
    return tf.identity(x), lambda dy: -factor * dy


@tf.custom_gradient
def binarize(x):
    def grad(dy):
        return tf.where(tf.abs(x) <= 1.0, dy, tf.zeros_like(dy))

    return tf.sign(x), grad


w = tf.Variable(3.0)


@tf.custom_gradient
def scaled(x):
    y = x * w

    def grad(dy, variables=None):
        return dy * w, [dy * tf.constant(10.0) for _ in variables]

    return y, grad


@tf.function
def run(x):
    with tf.GradientTape(persistent=True) as t:
        t.watch(x)
        a = tf.reduce_sum(log1pexp(x))
        b = tf.reduce_sum(reverse(x * x))
        c = tf.reduce_sum(binarize(x) * x)
        d = scaled(tf.reduce_sum(x))
    return [t.gradient(q, x) for q in (a, b, c)], t.gradient(d, [x, w])


x = tf.constant([-2.0, 0.5, 100.0])
first, second = run(x)
for g in first:
    print(np.round(g.numpy(), 4))
print(second[0].numpy(), float(second[1]))


@tf.function
def second_order(x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = log1pexp(x)
        g = inner.gradient(y, x)
    return outer.gradient(g, x)


print(np.round(second_order(tf.constant(0.3)).numpy(), 5))


@tf.function
def recomputed(x):
    block = tf.recompute_grad(lambda v: tf.nn.softplus(v * w) ** 2)
    with tf.GradientTape() as t:
        t.watch(x)
        y = tf.reduce_sum(block(x))
    return t.gradient(y, [x, w])


print([np.round(g.numpy(), 3) for g in recomputed(tf.constant([0.1, 0.2]))])


@tf.function
def clipped(x):
    y = tf.grad_pass_through(tf.round)(x) * 2.0
    return y, tf.gradients(y, x)[0]


print([t.numpy().tolist() for t in clipped(tf.constant([1.4, 2.6]))])
