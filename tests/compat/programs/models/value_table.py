"""A table of values that is learned from steps in a corridor.

Updates of single entries, a branch for what to do next.
"""

import numpy as np
import tensorflow.compat.v1 as tf

tf.set_random_seed(7)
rng = np.random.RandomState(7)
table = tf.get_variable("table", [6, 2], initializer=tf.zeros_initializer(), trainable=False)
place, action = tf.placeholder(tf.int32, []), tf.placeholder(tf.int32, [])
after = tf.clip_by_value(place + 2 * action - 1, 0, 5)
reward = tf.cond(tf.equal(after, 5), lambda: tf.constant(1.0), lambda: tf.constant(-0.05))
goal = reward + tf.where(tf.equal(after, 5), 0.0, 0.9 * tf.reduce_max(tf.gather(table, after)))
old = table[place, action]
update = tf.scatter_nd_add(table, [[place, action]], [0.5 * (goal - old)])
greedy = tf.argmax(table, 1)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(20):
        now, walked = 2, 0
        while now != 5 and walked < 12:
            choice = rng.randint(2) if rng.rand() < 0.3 else int(session.run(greedy)[now])
            now, _ = session.run([after, update.op], {place: now, action: choice})
            walked += 1
    print(np.round(session.run(table), 3).tolist())
    print(session.run(greedy).tolist())
