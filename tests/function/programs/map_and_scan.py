"""map_fn with several outputs and signatures, scan as a filter, foldl, vectorized_map."""
import numpy as np
import tensorflow as tf


@tf.function
def stats(batch, lengths):
    def one(args):
        x, n = args
        kept = x[:n]
        return tf.reduce_sum(kept), {"max": tf.reduce_max(kept), "n": tf.cast(n, tf.int64)}

    return tf.map_fn(
        one,
        (batch, lengths),
        fn_output_signature=(tf.float32, {"max": tf.TensorSpec([], tf.float32), "n": tf.int64}),
    )


s, d = stats(tf.reshape(tf.range(12.0), [3, 4]), tf.constant([1, 2, 4]))
print(s.numpy(), {k: t.numpy().tolist() for k, t in d.items()}, d["n"].dtype.name)


@tf.function
def kalman(zs, q=0.01, r=0.5):
    def step(state, z):
        x, p = state
        p = p + q
        k = p / (p + r)
        return x + k * (z - x), (1 - k) * p

    return tf.scan(step, zs, initializer=(tf.constant(0.0), tf.constant(1.0)))


xs, ps = kalman(tf.constant([1.0, 1.2, 0.8, 1.1]))
print(np.round(xs.numpy(), 4), np.round(ps.numpy(), 4))


@tf.function
def ema(x, decay):
    return tf.scan(lambda a, v: decay * a + (1 - decay) * v, x, reverse=True)


print(np.round(ema(tf.constant([1.0, 2.0, 3.0]), 0.5).numpy(), 4))
print(int(tf.function(lambda t: tf.foldl(lambda a, v: a * 10 + v, t))(tf.constant([1, 2, 3]))))
print(int(tf.function(lambda t: tf.foldr(lambda a, v: a * 10 + v, t))(tf.constant([1, 2, 3]))))


@tf.function
def outer(a, b):
    return tf.vectorized_map(lambda p: tf.tensordot(p[0], p[1], axes=0), (a, b))


print(outer(tf.ones([2, 2]), tf.reshape(tf.range(6.0), [2, 3])).numpy().tolist())
x = tf.constant([1.0, 2.0, 3.0])
with tf.GradientTape() as t:
    t.watch(x)
    y = tf.reduce_sum(kalman(x)[0])
print(np.round(t.gradient(y, x).numpy(), 4))


@tf.function
def nested(m):
    return tf.map_fn(lambda row: tf.map_fn(lambda e: e * e + 1, row), m)


print(nested(tf.constant([[1, 2], [3, 4]])).numpy().tolist())
try:
    tf.function(lambda t: tf.map_fn(lambda e: (e, e), t))(x)
except (ValueError, TypeError) as e:
    print(type(e).__name__)
