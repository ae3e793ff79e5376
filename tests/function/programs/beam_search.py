"""Beam search: a while_loop with growing sequences and shape invariants."""
import numpy as np
import tensorflow as tf

V, BEAM, END = 5, 2, 0
table = tf.constant(np.log(np.random.RandomState(0).dirichlet(np.ones(V), size=V)).astype("float32"))


@tf.function
def search(start, max_len):
    seqs = tf.fill([BEAM, 1], start)
    scores = tf.constant([0.0] + [-1e9] * (BEAM - 1))
    finished = tf.zeros([BEAM], tf.bool)

    def cond(i, seqs, scores, finished):
        return tf.logical_and(i < max_len, tf.logical_not(tf.reduce_all(finished)))

    def body(i, seqs, scores, finished):
        logp = tf.gather(table, seqs[:, -1])
        stay = tf.one_hot([END] * BEAM, V, on_value=0.0, off_value=-1e9)
        logp = tf.where(finished[:, None], stay, logp)
        total = tf.reshape(scores[:, None] + logp, [-1])
        scores, idx = tf.math.top_k(total, k=BEAM)
        beam, token = idx // V, idx % V
        seqs = tf.concat([tf.gather(seqs, beam), token[:, None]], axis=1)
        finished = tf.gather(finished, beam) | tf.equal(token, END)
        return i + 1, seqs, scores, finished

    return tf.while_loop(
        cond,
        body,
        [tf.constant(0), seqs, scores, finished],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([BEAM, None]), tf.TensorShape([BEAM]), tf.TensorShape([BEAM])],
    )


for start in (1, 2, 4):
    n, seqs, scores, finished = search(tf.constant(start), tf.constant(6))
    print(int(n), seqs.numpy().tolist(), np.round(scores.numpy(), 3).tolist(), finished.numpy().tolist())
print(search.experimental_get_tracing_count())
