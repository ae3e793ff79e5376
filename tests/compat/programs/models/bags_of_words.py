"""Sentences as sparse counts of hashed words, and a linear model on them.

Strings, sparse products, precision and recall.
"""

import numpy as np
import tensorflow.compat.v1 as tf

sentences = [
    "good fun film", "bad slow film", "fun and good", "slow and bad and long", "good good music", "long bad music"
]
labels = np.array([[1], [0], [1], [0], [1], [0]], np.float32)
text, label = tf.placeholder(tf.string, [None]), tf.placeholder(tf.float32, [None, 1])
words = tf.string_split(text)
buckets = tf.string_to_hash_bucket_fast(words.values, 16)
rows = tf.stack([words.indices[:, 0], buckets], 1)
flat, where = tf.unique(rows[:, 0] * 16 + rows[:, 1])
counts = tf.segment_sum(tf.ones_like(tf.sort(where), tf.float32), tf.sort(where))
places = tf.stack([flat // 16, flat % 16], 1)
bag = tf.sparse_reorder(tf.SparseTensor(places, counts, tf.cast([tf.size(text), 16], tf.int64)))
weights, bias = (
    tf.get_variable("weights", [16, 1], initializer=tf.zeros_initializer()), tf.get_variable("bias", initializer=[0.0])
)
logits = tf.sparse_tensor_dense_matmul(bag, weights) + bias
loss = tf.losses.sigmoid_cross_entropy(label, logits)
train = tf.train.FtrlOptimizer(0.5, l1_regularization_strength=0.01).minimize(loss)
guess = tf.cast(logits > 0, tf.float32)
precision, recall = tf.metrics.precision(label, guess), tf.metrics.recall(label, guess)
with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    feed = {text: sentences, label: labels}
    print(session.run(tf.sparse_tensor_to_dense(bag), feed).sum(1).tolist())
    for _ in range(4):
        print(session.run([loss, train], feed)[0])
    session.run([precision[1], recall[1]], feed)
    print(session.run([precision[0], recall[0]]), np.count_nonzero(session.run(weights)))
