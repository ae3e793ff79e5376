"""Partitioned variables: parts, reuse, tables in parts, checkpoints; shapes with Dimensions; names of scopes."""

import numpy as np
import tensorflow.compat.v1 as tf


def told(function, *args, **kwargs):
    try:
        return function(*args, **kwargs)
    except Exception as error:
        return type(error).__name__, str(error).splitlines()[0]


x = tf.placeholder(tf.float32, [None, 3], name="x")
print(
    x.shape[0].value, x.shape[1].value, x.shape, repr(x.shape), [d for d in x.shape],
    tf.reshape(x, [-1, x.shape[1] * 1, 1]),
)
with tf.name_scope(None, "default", [x]) as scope:
    print(scope, tf.identity(x).name)

thirds = tf.fixed_size_partitioner(3)
w = tf.get_variable("w", [5, 2], partitioner=thirds, initializer=tf.ones_initializer())
print(w.name, w.shape, len(w), [(v.name, v.shape) for v in w], w.as_tensor().name, tf.add(w, 1.0).name)
with tf.variable_scope("cut", partitioner=tf.variable_axis_size_partitioner(16), initializer=tf.zeros_initializer()):
    print([v.name for v in tf.get_variable("q", [4, 2])], tf.get_variable("s", []).name)
print(told(tf.get_variable, "w", [5, 2]))
print(told(tf.get_variable, "w", [5, 2], partitioner=thirds))
with tf.variable_scope("", reuse=True):
    print(told(tf.get_variable, "w", [5, 2], partitioner=tf.fixed_size_partitioner(2)))
    print(told(tf.get_variable, "w", [5, 3], partitioner=thirds))
    print(told(tf.get_variable, "missing", [5, 3], partitioner=thirds))
    print(tf.get_variable("w", [5, 2], partitioner=thirds) is w)
for partitioner in (tf.fixed_size_partitioner(4, axis=1), tf.min_max_variable_partitioner(100, min_slice_size=17),
                    tf.variable_axis_size_partitioner(17, max_shards=3)):
    print(partitioner(shape=tf.TensorShape([20, 3]), dtype=tf.float32))
parts = tf.create_partitioned_variables([4, 5], [1, 2], tf.constant(np.arange(20.0).reshape(4, 5), tf.float32))
rows = tf.nn.embedding_lookup(w, [0, 4], partition_strategy="div")
train = tf.train.GradientDescentOptimizer(0.5).minimize(tf.reduce_sum(rows))
saver = tf.train.Saver()
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print(session.run(parts), session.run(w.assign(np.arange(10.0).reshape(5, 2).astype("f"))))
    session.run(train)
    path = saver.save(session, "./parts")
    print(sorted(tf.train.list_variables(path)))
with tf.Graph().as_default(), tf.Session() as session:  # restored with another number of parts
    halves = tf.get_variable("w", [5, 2], partitioner=tf.fixed_size_partitioner(2))
    tf.train.Saver().restore(session, path)
    print(session.run(list(halves)))

with tf.variable_scope("a/b") as first:
    print(first.name, first.original_name_scope, tf.get_variable("w", [1]).name, tf.constant(1.0, name="c").name)
with tf.variable_scope("a/b", reuse=True) as again:
    print(again.original_name_scope, tf.get_variable("w", [1]).name, tf.constant(1.0, name="c").name)
with tf.variable_scope("z"):
    with tf.variable_scope(again) as inner:
        print(inner.name, inner.original_name_scope, inner.reuse, tf.constant(1.0, name="c").name)
    for _ in range(2):
        with tf.variable_scope(None, "d") as default:
            print(default.name, default.original_name_scope)
for name in (None, "d", None):
    with tf.variable_scope(name, "d") as default:
        print(default.name, default.original_name_scope)
with tf.variable_scope("aux", auxiliary_name_scope=False) as aux:
    print(aux.original_name_scope, tf.get_variable("w", [1]).name, tf.constant(1.0, name="c").name)
print([v.name for v in first.global_variables()])
