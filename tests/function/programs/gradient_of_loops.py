"""Gradients through while loops, conds in loops, dynamic trip counts, TensorArrays, unrolled and not; from outside and inside."""
import numpy as np
import tensorflow as tf


@tf.function
def power(x, n):
    y = tf.ones_like(x)
    i = 0
    while i < n:
        y = y * x
        i += 1
    return y


@tf.function
def newton_sqrt(a):
    x = a
    while tf.abs(x * x - a) > 1e-6:
        x = 0.5 * (x + a / x)
    return x


@tf.function
def zigzag(x):
    total = 0.0
    for i in tf.range(5):
        if i % 2 == 0:
            total += x * tf.cast(i, tf.float32)
        else:
            total -= tf.sin(x) * total
    return total


@tf.function
def rnn(xs, w):
    h = tf.zeros([2])
    states = tf.TensorArray(tf.float32, size=tf.shape(xs)[0])
    for t in tf.range(tf.shape(xs)[0]):
        h = tf.tanh(tf.linalg.matvec(w, h) + xs[t])
        states = states.write(t, h)
    return states.stack()


def outside(f, *args):
    x = args[0]
    with tf.GradientTape() as t:
        t.watch(x)
        y = f(*args)
    return t.gradient(y, x)


def second(f, x):
    with tf.GradientTape() as t2:
        t2.watch(x)
        with tf.GradientTape() as t1:
            t1.watch(x)
            y = f(x)
        g = t1.gradient(y, x)
    return t2.gradient(g, x)


x = tf.constant(1.5)
for f, args in ((power, (x, tf.constant(4))), (newton_sqrt, (x,)), (zigzag, (x,))):
    print(f"{float(f(*args)):.5f} {float(outside(f, *args)):.5f} {float(tf.function(outside)(f, *args)):.5f}")
print(f"{float(second(lambda v: power(v, tf.constant(4)), x)):.4f} {float(second(zigzag, x)):.4f}")
xs = tf.constant(np.linspace(-1, 1, 8).reshape(4, 2).astype("float32"))
w = tf.Variable([[0.5, -0.2], [0.1, 0.3]])
with tf.GradientTape() as t:
    t.watch(xs)
    loss = tf.reduce_sum(rnn(xs, w) ** 2)
gx, gw = t.gradient(loss, [xs, w])
print(np.round(gx.numpy(), 4).tolist(), np.round(gw.numpy(), 4).tolist())


@tf.function
def loop_loss(n):
    with tf.GradientTape() as tape:
        loss = 0.0
        for i in tf.range(n):
            loss += tf.reduce_sum(w * tf.cast(i, tf.float32)) ** 2
    return tape.gradient(loss, w)


print(np.round(loop_loss(3).numpy(), 3).tolist(), np.round(loop_loss(tf.constant(2)).numpy(), 3).tolist())
