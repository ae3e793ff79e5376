"""Word vectors by noise-contrastive estimation over a tiny corpus; the nearest words by cosine."""

import collections

import numpy as np
import tensorflow.compat.v1 as tf

text = ("the quick fox and the quick dog run and the lazy dog and the lazy fox sleep " * 4).split()
words = [word for word, _ in collections.Counter(text).most_common()]
ids = [words.index(word) for word in text]
centres = np.array([ids[i] for i in range(1, len(ids) - 1) for _ in range(2)], np.int32)
contexts = np.array([ids[i + d] for i in range(1, len(ids) - 1) for d in (-1, 1)], np.int64)[:, None]
size = len(words)
x, y = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.int64, [None, 1])
table = tf.get_variable("table", initializer=np.cos(np.arange(size * 6, dtype=np.float32)).reshape(size, 6))
weights = tf.get_variable("weights", initializer=np.sin(np.arange(size * 6, dtype=np.float32)).reshape(size, 6) * 0.3)
biases = tf.get_variable("biases", [size], initializer=tf.zeros_initializer())
found = tf.nn.embedding_lookup(table, x)
sampled = (tf.range(size, dtype=tf.int64), tf.fill([tf.shape(y)[0], 1], 0.5), tf.fill([size], 0.5))
loss = tf.reduce_mean(tf.nn.nce_loss(weights, biases, y, found, size, size, sampled_values=sampled))
train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
unit = table / tf.sqrt(tf.reduce_sum(tf.square(table), 1, keepdims=True))
near = tf.matmul(tf.nn.embedding_lookup(unit, [0, 1]), unit, transpose_b=True)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for step in range(5):
        now, _ = session.run([loss, train], {x: centres, y: contexts})
        if step % 4 == 0:
            print(step, now)
    print(np.round(session.run(near), 3))
