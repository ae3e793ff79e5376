"""Gradients through control flow, constraints, control edges on placeholders, devices, name scopes of threads."""

import os
import tempfile
import threading

import tensorflow.compat.v1 as tf


def first_line(function, *args):
    try:
        return function(*args)
    except Exception as error:
        return type(error).__name__


x = tf.constant(3.0)
branch = tf.cond(x > 1.0, lambda: x * x, lambda: x)
_, power = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, 1.0])
mapped = tf.map_fn(lambda e: e * x, tf.constant([1.0, 2.0]))
session = tf.Session()
print([session.run(tf.gradients(y, x))[0] for y in (branch, power, mapped)])

v = tf.get_variable("v", initializer=3.0, constraint=lambda value: tf.clip_by_value(value, 0.0, 1.0))
sgd, adam = tf.train.GradientDescentOptimizer(0.1).minimize(-v), tf.train.AdamOptimizer(0.1).minimize(-v)
session.run(tf.global_variables_initializer())
for step in (sgd, adam):
    session.run(step)
    print(session.run(v))

p = tf.placeholder(tf.float32)
with tf.control_dependencies([p]):
    after = tf.constant(1.0) + 1.0
print(session.run(after, {p: 1.0}), first_line(session.run, after))


def scaled(element):
    return element * tf.get_variable("w", initializer=2.0)


rows = tf.map_fn(scaled, tf.constant([1.0, 2.0]))
print([g.name for g in tf.global_variables() if g.name.startswith("w")])
session.run(tf.global_variables_initializer())
print(session.run(rows))

graph, names = tf.get_default_graph(), []


def build(name):
    with graph.as_default(), tf.name_scope(name):
        names.append(tf.constant(1.0, name="c").name)


with tf.name_scope("outer"):
    for i in range(2):
        thread = threading.Thread(target=build, args=(f"s{i}",))
        thread.start()
        thread.join()
    names.append(tf.constant(2.0, name="m").name)
print(names)

folder = tempfile.mkdtemp()
saver = tf.train.Saver([v])
print(saver.save(session, folder + "/new/m")[len(folder) :], sorted(os.listdir(folder + "/new")))
print(first_line(saver.save, session, folder + "/a/b/m"))

with tf.device(lambda op: "/cpu:0" if op.type == "Const" else "/gpu:0"):
    a = tf.constant(1.0)
    b = tf.identity(a)
with tf.device("/job:ps/task:1"):
    c = tf.constant(1.0)
    with tf.device("/cpu:0"):
        d = tf.constant(1.0)
    with tf.device(None):
        e = tf.constant(1.0)
print(a.device, b.device, c.device, d.device, repr(e.device))
print(first_line(tf.Session().run, c))
