"""Errors in functions: asserts, bad shapes while tracing and while running, division, missing keys, user exceptions."""
import tensorflow as tf


def show(f, *args):
    try:
        print("ok", f(*args).numpy())
    except Exception as e:
        words = ("positive", "incompatible", "Incompatible", "out of", "nan", "NaN", "boom", "zero", "size", "equal")
        print(type(e).__name__, "|", [k for k in words if k in str(e)])


@tf.function
def positive(x):
    tf.debugging.assert_positive(x, message="must be positive")
    return tf.sqrt(x)


show(positive, tf.constant(4.0))
show(positive, tf.constant(-4.0))


@tf.function
def add(a, b):
    return a + b


show(add, tf.ones([2]), tf.ones([3]))


@tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([None])])
def add_late(a, b):
    return a + b


show(add_late, tf.ones([2]), tf.ones([3]))
show(add_late, tf.ones([2]), tf.ones([1]))


@tf.function
def divide(a, b):
    return a // b


show(divide, tf.constant(7), tf.constant(2))
show(divide, tf.constant(7), tf.constant(0))


@tf.function
def pick(x, i):
    return tf.gather(x, i)


show(pick, tf.range(3), tf.constant(1))
show(pick, tf.range(3), tf.constant(5))


@tf.function
def numerics(x):
    return tf.debugging.check_numerics(tf.math.log(x), "nan found")


show(numerics, tf.constant(1.0))
show(numerics, tf.constant(-1.0))


@tf.function
def raising(x):
    if x.shape.rank == 0:
        raise ValueError("boom")
    return x


show(raising, tf.ones([1]))
show(raising, tf.ones([]))


@tf.function
def reshape(x, n):
    return tf.reshape(x, [n, 2])


show(reshape, tf.range(4), tf.constant(2))
show(reshape, tf.range(4), tf.constant(3))
v = tf.Variable(1.0)


@tf.function
def half(x):
    v.assign(5.0)
    tf.debugging.assert_equal(x, 1.0)
    v.assign(9.0)
    return v.read_value()


show(half, tf.constant(1.0))
v.assign(0.0)
show(half, tf.constant(2.0))
print(float(v))


@tf.function
def shapes(x):
    tf.debugging.assert_shapes([(x, ("N", 2))])
    tf.debugging.assert_rank(x, 2)
    return tf.shape(x)


show(shapes, tf.ones([3, 2]))
show(shapes, tf.ones([3, 3]))
