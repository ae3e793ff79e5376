"""The likeliest states of a hidden chain: a forward loop that fills a TensorArray, and a backward one that reads it."""

import numpy as np
import tensorflow.compat.v1 as tf

moves = np.log([[0.7, 0.3, 0.0001], [0.2, 0.6, 0.2], [0.0001, 0.4, 0.6]]).astype(np.float32)
shown = np.log([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.2, 0.7]]).astype(np.float32)
seen = tf.placeholder(tf.int32, [None])
length = tf.size(seen)


def forward(t, score, from_where):
    options = tf.expand_dims(score, 1) + moves
    score = tf.reduce_max(options, 0) + tf.gather(shown, seen[t], axis=1)
    return t + 1, score, from_where.write(t, tf.argmax(options, 0, output_type=tf.int32))


first = tf.gather(shown, seen[0], axis=1)
_, score, from_where = tf.while_loop(
    lambda t, *_: t < length, forward,
    [1, first, tf.TensorArray(tf.int32, length, clear_after_read=False, element_shape=[3])],
)
_, states = tf.while_loop(
    lambda t, _: t > 0,
    lambda t, states: (t - 1, tf.concat([[from_where.read(t)[states[0]]], states], 0)),
    [length - 1, tf.expand_dims(tf.argmax(score, output_type=tf.int32), 0)],
    shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])],
)
slope = tf.gradients(tf.reduce_max(score), first)[0]
with tf.Session() as session:
    for word in ([0, 0, 1, 2, 2], [2, 1, 1], [0, 2]):
        print(*session.run([states, tf.reduce_max(score), slope], {seen: word}))
