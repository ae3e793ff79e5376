"""Which op seed the next random op gets after iterators, and where the counter of steps is created."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.set_random_seed(1)
drawn = [tf.random_uniform([])]
numbers = tf.data.Dataset.range(3)
tf.data.make_one_shot_iterator(numbers)
drawn.append(tf.random_uniform([]))
tf.data.make_initializable_iterator(numbers)
drawn.append(tf.random_uniform([]))
shuffled = tf.data.make_one_shot_iterator(tf.data.Dataset.range(6).shuffle(6).batch(6)).get_next()
drawn.append(tf.random_uniform([]))
with tf.variable_scope("model"), tf.name_scope("inner"):
    print(tf.train.get_or_create_global_step().name)
with tf.Session() as session:
    print(np.round(session.run(drawn), 4), session.run(shuffled))
