"""`tf.control_dependencies` around asserts and prints: what waits for a check does not run, write or complain before it."""

import pathlib
import re
import tempfile

import tensorflow as tf


def said(error):
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    before = [a for a, b in zip(lines, lines[1:]) if "[[{{node" in b]
    return type(error).__name__ + ": " + re.sub(r"^{{function_node \S+}} ", "", (before or lines)[-1])


def show(f, *args):
    for _ in range(3):  # interpreted, compiled, again
        try:
            print(f(*args).numpy())
        except tf.errors.OpError as error:
            print(said(error))


total = tf.Variable(0)


@tf.function
def guarded_write(x):
    with tf.control_dependencies([tf.debugging.assert_positive(x)]):
        total.assign(x)
    return total.read_value()


@tf.function
def guarded_by_identity(x):
    with tf.control_dependencies([tf.debugging.assert_positive(x)]):
        x = tf.identity(x)
    total.assign(x)
    return total.read_value()


@tf.function
def unguarded_write(x):
    tf.debugging.assert_positive(x)
    total.assign(x)
    return total.read_value()


for write in (guarded_write, guarded_by_identity, unguarded_write):
    for value in (5, -1):
        total.assign(0)
        show(write, tf.constant(value))
        print("total", total.numpy())


@tf.function
def guarded_gather(i):
    with tf.control_dependencies([tf.debugging.assert_non_negative(i, message="an index")]):
        return tf.gather(tf.range(10), i)


show(guarded_gather, tf.constant(4))
show(guarded_gather, tf.constant(-1))


@tf.function
def guarded_reshape(x, n):
    with tf.control_dependencies([tf.debugging.assert_equal(tf.size(x), n, message="length")]):
        x = tf.identity(x)
    return tf.reshape(x, [n])


show(guarded_reshape, tf.constant([1, 2]), tf.constant(2))
show(guarded_reshape, tf.constant([1, 2]), tf.constant(3))


@tf.function
def helper(x):
    return tf.gather(tf.range(3), x)


@tf.function
def guarded_call(x):
    with tf.control_dependencies([tf.debugging.Assert(x < 3, ["too large:", x])]):
        return helper(x)


show(guarded_call, tf.constant(2))
show(guarded_call, tf.constant(7))


@tf.function
def after_a_call(x):
    checked = check(x)
    with tf.control_dependencies([checked]):
        return tf.gather(tf.range(3), x)


@tf.function
def check(x):
    with tf.control_dependencies([tf.debugging.assert_less(x, 3, message="in a call")]):
        return tf.identity(x)


show(after_a_call, tf.constant(1))
show(after_a_call, tf.constant(9))


@tf.function
def with_gradient(x):
    with tf.control_dependencies([tf.debugging.assert_positive(x, message="log of")]):
        return tf.math.log(x)


for value in (1.0, -1.0):
    x = tf.constant(value)
    with tf.GradientTape() as tape:
        tape.watch(x)
        try:
            print(tape.gradient(with_gradient(x), x).numpy())
        except tf.errors.InvalidArgumentError as error:
            print(said(error))


@tf.function
def printed_first(x, path):
    with tf.control_dependencies([tf.print("looking up", x, output_stream=path)]):
        return tf.gather(tf.range(3), x)


with tempfile.TemporaryDirectory() as folder:
    for value in (1, 7):
        show(lambda v: printed_first(v, f"file://{folder}/out"), tf.constant(value))
    print(pathlib.Path(folder, "out").read_text())


@tf.function(input_signature=[tf.TensorSpec(None, tf.int32)] * 2)
def any_shapes(a, b):
    tf.debugging.assert_shapes([(a, ("N",)), (b, ("N", 2))], message="these")
    return tf.constant(1)


for a, b in ((7, [[1, 2]]), ([1, 2], [[1, 2], [3, 4]]), ([1, 2], [[1, 2]]), ([1], [1]), ([1], [[1, 2, 3]])):
    show(any_shapes, tf.constant(a), tf.constant(b))
