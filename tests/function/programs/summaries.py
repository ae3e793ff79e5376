"""Summaries and traces in functions: writers, steps, record_if, trace_on and trace_export; what the event files hold."""
import glob
import os
import tempfile

import tensorflow as tf

folder = tempfile.mkdtemp()
writer = tf.summary.create_file_writer(folder)
step = tf.Variable(0, dtype=tf.int64)


def events(path):
    found = []
    for file in sorted(glob.glob(os.path.join(path, "*"))):
        for e in tf.compat.v1.train.summary_iterator(file):
            for v in e.summary.value:
                found.append((e.step, v.tag, float(tf.make_ndarray(v.tensor)) if v.tensor.dtype == 1 else "other"))
    return found


@tf.function
def train(x):
    step.assign_add(1)
    with tf.name_scope("loss"):
        tf.summary.write("value", x * 2, step=step)
    with tf.summary.record_if(tf.equal(step % 2, 0)):
        tf.summary.write("even", x, step=step)
    return x


with writer.as_default():
    for i in range(3):
        train(tf.constant(float(i)))
writer.flush()
print(events(folder))
tf.summary.experimental.set_step(step)


@tf.function
def default_step(x):
    return tf.summary.write("auto", x)


with writer.as_default():
    print(bool(default_step(1.0)))
print(bool(default_step(2.0)))
writer.close()
print([e for e in events(folder) if e[1] == "auto"])
other = tempfile.mkdtemp()
w2 = tf.summary.create_file_writer(other)


@tf.function
def graph_me(x):
    return tf.matmul(x, x, name="product")


tf.summary.trace_on(graph=True)
graph_me(tf.ones([2, 2]))
with w2.as_default():
    tf.summary.trace_export("my_graph", step=0)
w2.close()
print([(s, t) for s, t, _ in events(other)])


@tf.function
def lifted(x, n):
    if not made:
        made.append(tf.summary.create_file_writer(third))
    with made[0].as_default(step=n):
        tf.summary.write("inside", x)
    return x


made, third = [], tempfile.mkdtemp()
lifted(tf.constant(1.0), tf.constant(3, tf.int64))
lifted(tf.constant(2.0), tf.constant(4, tf.int64))
made[0].flush()
print(events(third))
try:
    tf.function(lambda d: tf.summary.create_file_writer(d))(tf.constant("x"))
except Exception as e:
    print(type(e).__name__, "Invalid graph Tensor argument" in str(e))
tf.summary.experimental.set_step(None)
