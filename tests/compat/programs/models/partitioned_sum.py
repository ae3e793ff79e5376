"""Towers over the same variables, their gradients averaged by hand; a table in parts; a template."""

import numpy as np
import tensorflow.compat.v1 as tf

data = np.arange(8, dtype=np.float32).reshape(2, 4)
x = tf.placeholder(tf.float32, [2, 4])
optimizer = tf.train.GradientDescentOptimizer(0.1)
towers = []
for i, part in enumerate(tf.split(x, 2)):
    with tf.variable_scope("model", reuse=i > 0), tf.name_scope(f"tower_{i}"):
        w = tf.get_variable("w", [4, 1], initializer=tf.ones_initializer())
        loss = tf.reduce_mean(tf.square(tf.matmul(part, w) - 1.0), name="loss")
        towers.append(optimizer.compute_gradients(loss))
        print(loss.name, w.name)
mean = [(tf.reduce_mean(tf.stack([g for g, _ in pairs]), 0), pairs[0][1]) for pairs in zip(*towers)]
train = optimizer.apply_gradients(mean)
with tf.variable_scope("parts", partitioner=tf.fixed_size_partitioner(2)):
    table = tf.get_variable("table", [6, 2], initializer=tf.ones_initializer())
rows = tf.nn.embedding_lookup(table, [0, 3, 5], partition_strategy="div")
scale = tf.make_template("scale", lambda v: v * tf.get_variable("by", [], initializer=tf.constant_initializer(3.0)))
both = scale(tf.constant(1.0)) + scale(tf.constant(2.0))
print([v.name for v in tf.trainable_variables()])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(train, {x: data})
    print(session.run(w).ravel(), session.run(rows).ravel(), session.run(both))
