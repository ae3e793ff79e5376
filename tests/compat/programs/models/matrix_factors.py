"""Ratings by factors of users and films: embeddings, whose gradients are rows, with Adam and Adagrad.

The best films by top_k.
"""

import numpy as np
import tensorflow.compat.v1 as tf

rng = np.random.RandomState(5)
pairs = np.array([(u, f) for u in range(6) for f in range(5) if (u + f) % 3])
ratings = np.array([1.0 + ((u * 2 + f) % 5) for u, f in pairs], np.float32)
user, film, rating = (
    tf.placeholder(tf.int32, [None]), tf.placeholder(tf.int32, [None]), tf.placeholder(tf.float32, [None])
)
with tf.variable_scope("factors"):
    users = tf.get_variable("users", initializer=rng.randn(6, 3).astype(np.float32) * 0.3)
    films = tf.get_variable("films", initializer=rng.randn(5, 3).astype(np.float32) * 0.3)
    bias = tf.get_variable("bias", [5], initializer=tf.zeros_initializer())
predicted = tf.reduce_sum(tf.nn.embedding_lookup(users, user) * tf.gather(films, film), 1) + tf.gather(bias, film) + 3.0
loss = tf.losses.mean_squared_error(rating, predicted) + 0.01 * tf.add_n(
    [tf.nn.l2_loss(v) for v in tf.trainable_variables()]
)
steps = [optimizer(0.05).minimize(loss) for optimizer in (tf.train.AdamOptimizer, tf.train.AdagradOptimizer)]
best = tf.nn.top_k(tf.matmul(users, films, transpose_b=True) + bias, 2).indices
print([type(g).__name__ for g in tf.gradients(predicted, [users, films, bias])])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for epoch in range(4):
        chosen = rng.permutation(len(pairs))[:8]
        feed = {user: pairs[chosen, 0], film: pairs[chosen, 1], rating: ratings[chosen]}
        print(session.run([loss, steps[epoch % 2]], feed)[0])
    print(session.run(best).tolist())
