"""Gradients of branches and loops under one tape, two, and three: zero for what a branch that was not taken depends on."""

import tensorflow as tf


@tf.function
def other_branch(x, y):
    return tf.cond(x > 0, lambda: x * x, lambda: y * y)


@tf.function
def constant_branch(x, y):
    if x > 0:
        z = x * x * y
    else:
        z = tf.constant(1.0)
    return z


@tf.function
def loop(x, y):
    z = tf.constant(1.0)
    i = 0.0
    while i < x:
        z = z * x * x + y
        i += 1.0
    return z


@tf.function
def cases(x, y):
    return tf.switch_case(tf.cast(x, tf.int32), [lambda: x * x, lambda: y**3, lambda: x * y])


weight = tf.Variable(3.0)


@tf.function
def variable_in_a_branch(x, y):
    return tf.cond(x > 0, lambda: weight * x * x, lambda: y * y)


def texts(gradients):
    return [None if g is None else round(float(g), 4) for g in gradients]


for f in (other_branch, constant_branch, loop, cases, variable_in_a_branch):
    for values in ((1.0, 2.0), (-1.0, 2.0), (2.0, 0.5)):
        xs = [tf.constant(v) for v in values] + [weight]
        with tf.GradientTape() as one:
            one.watch(xs[:2])
            target = f(*xs[:2])
        print(f.__name__, values, texts(one.gradient(target, xs)))
        with tf.GradientTape(persistent=True) as outer:
            outer.watch(xs[:2])
            with tf.GradientTape() as inner:
                inner.watch(xs[:2])
                target = f(*xs[:2])
            first = inner.gradient(target, xs)
            penalty = tf.add_n([tf.square(g) for g in first if g is not None])
        print("  two tapes", texts(first), texts(outer.gradient(penalty, xs)), texts(outer.gradient(target, xs)))
