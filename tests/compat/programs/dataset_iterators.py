"""Iterators of version 1 over datasets: one-shot, initializable, reinitializable, feedable."""

import numpy as np
import tensorflow.compat.v1 as tf


def rows(session, tensor, feed=None):
    found = []
    try:
        while True:
            found.append(np.asarray(session.run(tensor, feed)).tolist())
    except tf.errors.OutOfRangeError as error:
        return found, "End of sequence" in str(error)


data = tf.data.Dataset.range(5).map(lambda x: x * x).batch(2)
print(data.output_types, data.output_shapes.as_list(), data.output_classes.__name__)
element = data.make_one_shot_iterator().get_next()
print(element.name, rows(tf.Session(), element), rows(tf.Session(), element))

limit = tf.placeholder(tf.int64, [])
iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(limit))
element = iterator.get_next()
with tf.Session() as session:
    try:
        session.run(element)
    except tf.errors.FailedPreconditionError as error:
        print("has not been initialized" in str(error))
    for n in (2, 4):
        session.run(iterator.initializer, {limit: n})
        print(rows(session, element))
try:
    tf.data.make_one_shot_iterator(tf.data.Dataset.range(limit))
except ValueError:
    print("refused")

iterator = tf.data.Iterator.from_structure((tf.int64, tf.string), ([], [None]))
print(iterator.output_types, [s.as_list() for s in iterator.output_shapes])
train, test = (
    tf.data.Dataset.range(n).map(lambda i, word=word: (i, tf.fill([2], word)))
    for n, word in ((2, "train"), (1, "test"))
)
starts, (number, words) = [iterator.make_initializer(d) for d in (train, test)], iterator.get_next()
with tf.Session() as session:
    for start in (*starts, starts[0]):
        session.run(start)
        print(rows(session, number))
    session.run(starts[1])
    print(session.run([number, words]))
try:
    iterator.make_initializer(tf.data.Dataset.zip((tf.data.Dataset.range(1), tf.data.Dataset.range(1))))
except TypeError as error:
    print(error)

handle = tf.placeholder(tf.string, [])
shared = tf.data.Iterator.from_string_handle(handle, tf.int64, [])
element = shared.get_next() * 10
first = tf.data.make_one_shot_iterator(tf.data.Dataset.range(2))
second = tf.data.make_initializable_iterator(tf.data.Dataset.range(5, 7))
with tf.Session() as session:
    one, two = session.run([first.string_handle(), second.string_handle()])
    session.run(second.initializer)
    print([session.run(element, {handle: h}) for h in (one, two, one, two)])
    print(rows(session, element, {handle: one}))
try:
    print(first.initializer)
except ValueError as error:
    print(str(error).splitlines()[0][:60])

w = tf.get_variable("w", [], initializer=tf.ones_initializer())
x, y = tf.data.Dataset.from_tensor_slices(
    ([1.0, 2.0, 3.0], [2.0, 4.0, 6.0])
).repeat().make_one_shot_iterator().get_next()
step = tf.train.GradientDescentOptimizer(0.05).minimize(tf.square(w * x - y))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(6):
        session.run(step)
    print(round(float(session.run(w)), 4))

table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([1, 2], tf.int64)), -1)
iterator = tf.data.make_initializable_iterator(tf.data.Dataset.from_tensor_slices(["b", "a", "c"]).map(table.lookup))
element = iterator.get_next()
with tf.Session() as session:
    session.run(tf.tables_initializer())
    session.run(iterator.initializer)
    print(rows(session, element))
