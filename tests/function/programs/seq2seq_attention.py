"""A GRU cell by hand, an encoder, and a decoder with additive attention and teacher forcing; gradient through both loops."""
import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)


def var(*shape):
    return tf.Variable(rng.randn(*shape).astype("float32") * 0.4)


D, E, V = 4, 3, 6
emb = var(V, E)


class Cell(tf.Module):
    def __init__(self, n_in, n):
        super().__init__()
        self.wz, self.wh, self.n = var(n_in + n, 2 * n), var(n_in + n, n), n

    def __call__(self, x, h):
        z, r = tf.split(tf.sigmoid(tf.concat([x, h], -1) @ self.wz), 2, axis=-1)
        return (1 - z) * h + z * tf.tanh(tf.concat([x, r * h], -1) @ self.wh)


enc, dec = Cell(E, D), Cell(E + D, D)
wa, ua, va, out = var(D, D), var(D, D), var(D, 1), var(D, V)


@tf.function
def encode(ids):
    x = tf.nn.embedding_lookup(emb, ids)
    h = tf.zeros([tf.shape(ids)[0], D])
    states = tf.TensorArray(tf.float32, size=tf.shape(ids)[1])
    for t in tf.range(tf.shape(ids)[1]):
        h = enc(x[:, t], h)
        states = states.write(t, h)
    return tf.transpose(states.stack(), [1, 0, 2]), h


@tf.function(input_signature=[tf.TensorSpec([None, None], tf.int32), tf.TensorSpec([None, None], tf.int32)])
def loss_fn(source, target):
    memory, h = encode(source)
    mask = tf.cast(source > 0, tf.float32)
    total = 0.0
    for t in tf.range(tf.shape(target)[1] - 1):
        score = tf.squeeze(tf.tanh((memory @ ua) + (h @ wa)[:, None]) @ va, -1)
        score += (1.0 - mask) * -1e9
        context = tf.einsum("bt,btd->bd", tf.nn.softmax(score), memory)
        h = dec(tf.concat([tf.nn.embedding_lookup(emb, target[:, t]), context], -1), h)
        ce = tf.nn.sparse_softmax_cross_entropy_with_logits(target[:, t + 1], h @ out)
        total += tf.reduce_mean(ce)
    return total / tf.cast(tf.shape(target)[1] - 1, tf.float32)


src = tf.constant([[1, 2, 3, 0], [4, 5, 0, 0]])
tgt = tf.constant([[1, 3, 2], [1, 5, 4]])
params = [emb, out, va, *enc.trainable_variables, *dec.trainable_variables]
for i in range(3):
    with tf.GradientTape() as tape:
        loss = loss_fn(src, tgt)
    grads = tape.gradient(loss, params)
    for p, g in zip(params, grads):
        p.assign_sub(0.5 * tf.convert_to_tensor(g))
    print(i, f"{float(loss):.4f}", type(grads[0]).__name__, f"{float(tf.linalg.global_norm(grads)):.4f}")
print(f"{float(loss_fn(src[:, :2], tgt[:, :2])):.3f}")
