"""A linear-chain CRF: log partition by tf.scan, Viterbi with back pointers, gradient of the likelihood."""
import numpy as np
import tensorflow as tf

K = 3
trans = tf.Variable(np.random.RandomState(5).randn(K, K).astype("float32"))


@tf.function
def log_likelihood(unary, tags, length):
    def forward(alpha, inputs):
        u, keep = inputs
        new = tf.reduce_logsumexp(alpha[:, :, None] + trans[None], axis=1) + u
        return tf.where(keep[:, None], new, alpha)

    steps = tf.transpose(unary, [1, 0, 2])
    mask = tf.transpose(tf.sequence_mask(length, tf.shape(unary)[1]))
    alphas = tf.scan(forward, (steps[1:], mask[1:]), initializer=steps[0])
    logz = tf.reduce_logsumexp(alphas[-1], axis=-1)
    m = tf.cast(tf.transpose(mask), tf.float32)
    u = tf.reduce_sum(tf.gather(unary, tags, batch_dims=2) * m, 1)
    pairs = tf.gather_nd(trans, tf.stack([tags[:, :-1], tags[:, 1:]], -1))
    return u + tf.reduce_sum(pairs * m[:, 1:], 1) - logz


@tf.function
def viterbi(unary):
    n = tf.shape(unary)[0]
    back = tf.TensorArray(tf.int32, size=n - 1, element_shape=[K])
    score = unary[0]
    for t in tf.range(1, n):
        all_scores = score[:, None] + trans
        back = back.write(t - 1, tf.argmax(all_scores, axis=0, output_type=tf.int32))
        score = tf.reduce_max(all_scores, axis=0) + unary[t]
    pointers = back.stack()
    tag = tf.argmax(score, output_type=tf.int32)
    path = tf.TensorArray(tf.int32, size=n)
    path = path.write(n - 1, tag)
    for t in tf.range(n - 2, -1, -1):
        tag = pointers[t][tag]
        path = path.write(t, tag)
    return path.stack(), tf.reduce_max(score)


rng = np.random.RandomState(1)
unary = tf.constant(rng.randn(2, 5, K).astype("float32"))
tags = tf.constant(rng.randint(0, K, (2, 5)))
with tf.GradientTape() as tape:
    ll = log_likelihood(unary, tags, tf.constant([5, 3]))
print(np.round(ll.numpy(), 4))
print(np.round(tape.gradient(ll, trans).numpy(), 3))
path, best = viterbi(unary[0])
print(path.numpy(), f"{float(best):.4f}")
