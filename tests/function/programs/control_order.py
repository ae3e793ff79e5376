"""Order of effects: assigns and reads in program order, control dependencies, prints to a file, side effects kept, pruning of pure code."""
import os
import tempfile

import tensorflow as tf

v = tf.Variable(1.0)


@tf.function
def sequence():
    a = v.read_value()
    v.assign(10.0)
    b = v.read_value()
    v.assign_add(a)
    return a, b, v.read_value()


print([float(t) for t in sequence()], [float(t) for t in sequence()])
path = os.path.join(tempfile.mkdtemp(), "log")


@tf.function
def logged(n):
    for i in tf.range(n):
        tf.print("i =", i, "square", i * i, output_stream=f"file://{path}")
    tf.print("done", {"a": n, "b": [n, 1.5]}, output_stream=f"file://{path}", summarize=-1)
    return n


logged(3)
with open(path) as file:
    print(file.read())


@tf.function
def with_deps(x):
    update = v.assign(x)
    with tf.control_dependencies([update]):
        return tf.identity(v)


print(float(with_deps(tf.constant(4.0))))


@tf.function
def branch_effects(flag):
    if flag:
        v.assign_add(1.0)
    else:
        v.assign_sub(1.0)
    return v.read_value()


print(float(branch_effects(tf.constant(True))), float(branch_effects(tf.constant(False))))
calls = []


@tf.function
def stateful_python(x):
    def note(a):
        calls.append(float(a))
        return a

    y = tf.py_function(note, [x], tf.float32)
    z = tf.py_function(note, [x + 1], tf.float32)
    return x


stateful_python(tf.constant(1.0))
print(calls)
buffer = tf.Variable(tf.zeros([4, 2]))
position = tf.Variable(0)


@tf.function
def push(row):
    buffer.scatter_nd_update([[position % 4]], [row])
    position.assign_add(1)
    return buffer[(position - 1) % 4]


for k in range(5):
    out = push(tf.constant([float(k), 1.0]))
print(buffer.numpy().tolist(), int(position))


@tf.function
def swap(a, b):
    x, y = a.read_value(), b.read_value()
    a.assign(y)
    b.assign(x)


p, q = tf.Variable(1), tf.Variable(2)
swap(p, q)
print(int(p), int(q))
try:
    swap(p, p)
    print(int(p))
except Exception as e:
    print(type(e).__name__)
