"""Scaled dot-product attention with masks, positional encoding, a block with residuals; padding and look-ahead masks."""
import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)


def positional(n, d):
    pos, i = np.arange(n)[:, None], np.arange(d)[None]
    angle = pos / np.power(10000, (2 * (i // 2)) / np.float32(d))
    angle[:, 0::2], angle[:, 1::2] = np.sin(angle[:, 0::2]), np.cos(angle[:, 1::2])
    return tf.cast(angle[None], tf.float32)


class Attention(tf.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.h, self.d = heads, d
        self.wq, self.wk, self.wv, self.wo = (tf.Variable(rng.randn(d, d).astype("float32") * 0.3) for _ in range(4))

    def split(self, x, batch):
        return tf.transpose(tf.reshape(x, (batch, -1, self.h, self.d // self.h)), perm=[0, 2, 1, 3])

    def __call__(self, q, k, v, mask=None):
        b = tf.shape(q)[0]
        q, k, v = self.split(q @ self.wq, b), self.split(k @ self.wk, b), self.split(v @ self.wv, b)
        logits = tf.matmul(q, k, transpose_b=True) / tf.math.sqrt(tf.cast(tf.shape(k)[-1], tf.float32))
        if mask is not None:
            logits += mask * -1e9
        w = tf.nn.softmax(logits, axis=-1)
        out = tf.reshape(tf.transpose(w @ v, [0, 2, 1, 3]), (b, -1, self.d))
        return out @ self.wo, w


def layer_norm(x):
    mean, var = tf.nn.moments(x, [-1], keepdims=True)
    return (x - mean) * tf.math.rsqrt(var + 1e-6)


att = Attention(4, 2)
emb = tf.Variable(rng.randn(7, 4).astype("float32"))


@tf.function(input_signature=[tf.TensorSpec([None, None], tf.int32)])
def block(ids):
    n = tf.shape(ids)[1]
    pad = tf.cast(tf.equal(ids, 0), tf.float32)[:, None, None, :]
    ahead = 1 - tf.linalg.band_part(tf.ones((n, n)), -1, 0)
    x = tf.nn.embedding_lookup(emb, ids) * 2.0 + positional(10, 4)[:, :n]
    out, w = att(x, x, x, tf.maximum(pad, ahead))
    return layer_norm(x + out), w


for ids in ([[1, 2, 3, 0]], [[4, 5], [6, 0]]):
    y, w = block(tf.constant(ids))
    print(np.round(y.numpy()[0, -1], 4), np.round(w.numpy()[0, 0, -1], 4))
with tf.GradientTape() as t:
    y, _ = block(tf.constant([[1, 2, 3]]))
    loss = tf.reduce_sum(y[:, -1] * [1.0, 2.0, 3.0, 4.0])
g = t.gradient(loss, [att.wq, emb])
print(np.round(g[0].numpy()[0], 4), type(g[1]).__name__, block.experimental_get_tracing_count())


class Schedule(tf.keras.optimizers.schedules.LearningRateSchedule):
    def __init__(self, d, warmup=10):
        super().__init__()
        self.d, self.warmup = tf.cast(d, tf.float32), warmup

    def __call__(self, step):
        step = tf.cast(step, tf.float32)
        return tf.math.rsqrt(self.d) * tf.math.minimum(tf.math.rsqrt(step), step * self.warmup**-1.5)


print([round(float(Schedule(16)(tf.constant(s))), 5) for s in (1, 5, 10, 50)])
