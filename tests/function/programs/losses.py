"""Losses as people write them: focal, dice, triplet with mining, NT-Xent, distillation, Huber, masked, label smoothing, Gram matrices."""
import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)


@tf.function
def focal(y, logits, gamma=2.0, alpha=0.25):
    p = tf.sigmoid(logits)
    ce = tf.nn.sigmoid_cross_entropy_with_logits(y, logits)
    pt = y * p + (1 - y) * (1 - p)
    return tf.reduce_mean((y * alpha + (1 - y) * (1 - alpha)) * (1 - pt) ** gamma * ce)


@tf.function
def dice(y, p, eps=1.0):
    axes = list(range(1, len(y.shape)))
    inter = tf.reduce_sum(y * p, axis=axes)
    return 1 - tf.reduce_mean((2 * inter + eps) / (tf.reduce_sum(y + p, axis=axes) + eps))


@tf.function
def triplet_hard(labels, emb, margin=1.0):
    dot = emb @ tf.transpose(emb)
    sq = tf.linalg.diag_part(dot)
    d = tf.sqrt(tf.maximum(sq[:, None] - 2 * dot + sq[None], 0.0) + 1e-12)
    same = tf.equal(labels[:, None], labels[None])
    pos = tf.logical_and(same, tf.logical_not(tf.eye(tf.shape(labels)[0], dtype=tf.bool)))
    hardest_pos = tf.reduce_max(tf.where(pos, d, tf.zeros_like(d)), axis=1)
    hardest_neg = tf.reduce_min(tf.where(same, tf.fill(tf.shape(d), 1e9), d), axis=1)
    return tf.reduce_mean(tf.maximum(hardest_pos - hardest_neg + margin, 0.0))


@tf.function
def nt_xent(za, zb, t=0.5):
    z = tf.math.l2_normalize(tf.concat([za, zb], 0), axis=1)
    n = tf.shape(za)[0]
    sim = tf.matmul(z, z, transpose_b=True) / t - 1e9 * tf.eye(2 * n)
    labels = tf.concat([tf.range(n, 2 * n), tf.range(n)], 0)
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, sim))


@tf.function
def distill(student, teacher, y, t=3.0):
    soft = tf.nn.softmax_cross_entropy_with_logits(tf.nn.softmax(teacher / t), student / t) * t**2
    hard = tf.nn.softmax_cross_entropy_with_logits(tf.one_hot(y, 3) * 0.9 + 0.1 / 3, student)
    return tf.reduce_mean(0.5 * soft + 0.5 * hard)


@tf.function
def masked(y, logits):
    mask = tf.cast(tf.not_equal(y, 0), tf.float32)
    ce = tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits)
    return tf.math.divide_no_nan(tf.reduce_sum(ce * mask), tf.reduce_sum(mask))


@tf.function
def style(a, b):
    def gram(x):
        shape = tf.cast(tf.shape(x), tf.float32)
        return tf.einsum("bijc,bijd->bcd", x, x) / (shape[1] * shape[2])

    return tf.add_n([tf.reduce_mean((gram(x) - gram(y)) ** 2) for x, y in zip(a, b)]) + 1e-2 * tf.reduce_sum(
        tf.abs(a[0][:, 1:] - a[0][:, :-1])
    )


def f32(*shape):
    return tf.constant(rng.randn(*shape).astype("float32"))


cases = [
    (focal, tf.constant([[1.0, 0.0]]), f32(1, 2)),
    (dice, tf.constant([[1.0, 0.0, 1.0]]), tf.sigmoid(f32(1, 3))),
    (triplet_hard, tf.constant([0, 0, 1, 1]), f32(4, 3)),
    (nt_xent, f32(3, 4), f32(3, 4)),
    (distill, f32(2, 3), f32(2, 3), tf.constant([1, 2])),
    (masked, tf.constant([[1, 2, 0]]), f32(1, 3, 4)),
    (style, [f32(1, 4, 4, 2)], [f32(1, 4, 4, 2)]),
]
for f, *args in cases:
    floats = [a for a in tf.nest.flatten(args) if a.dtype == tf.float32]
    with tf.GradientTape() as tape:
        tape.watch(floats)
        loss = f(*args)
    g = tape.gradient(loss, floats[-1])
    print(f.__name__, f"{float(loss):.4f}", f"{float(tf.reduce_sum(tf.abs(g))):.4f}")
