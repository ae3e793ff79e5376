"""Branches on sizes: which one is taken is known before the function runs, and its gradient follows the same one."""

import tensorflow as tf

v = tf.Variable(2.0)


def on_size(x):
    return tf.cond(tf.shape(x)[0] > 1, lambda: tf.sin(x) * tf.exp(x), lambda: tf.cos(x) * tf.tanh(x))


def in_loop(x):
    for _ in tf.range(2):
        if tf.shape(x)[0] > 1:
            x = tf.sin(x) * tf.exp(x)
        else:
            x = tf.cos(x) * tf.tanh(x) * v
    return x


def by_counter(x):
    for i in tf.range(4):
        if i % 2 == 0:
            x = tf.sin(x) * tf.exp(x) * v
        else:
            x = tf.cos(x) * tf.tanh(x)
    return x


def in_while(x):
    while tf.reduce_sum(x) < 5.0:
        if tf.size(x) > 1:
            x = x + tf.sin(x) * tf.exp(x) + 1.0
        else:
            x = tf.cos(x) * tf.tanh(x) * v
    return x


def on_rank(x):
    branches = [lambda: x * x * v, lambda: tf.sin(x) * tf.exp(x), lambda: tf.tanh(x) * x]
    return tf.switch_case(tf.rank(x), branches)


def nested(x):
    def inner():
        return tf.cond(tf.size(x) > 7, lambda: tf.tanh(x) * x, lambda: tf.exp(x) * tf.sin(x) * v)

    known = tf.cond(tf.rank(x) > 0, inner, lambda: tf.cos(x) * x)
    return known * tf.cond(tf.reduce_sum(x) > 1.0, inner, lambda: tf.cos(x) * x)


def on_found_size(x):
    y = tf.cond(tf.reduce_sum(x) > 1.0, lambda: tf.tanh(x) * x, lambda: tf.exp(x) * tf.sin(x) * v)
    n = tf.shape(tf.boolean_mask(y, y > 0.0))[0]
    return tf.cond(n > 0, lambda: tf.sin(y) * tf.exp(y), lambda: tf.cos(y) * y)


def mapped(x):
    def row(r):
        return tf.cond(tf.size(x) > 1, lambda: tf.tanh(r) * r, lambda: tf.exp(r) * tf.sin(r))

    return tf.map_fn(row, x)


def first(f, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return [y, *tape.gradient(y, [x, v])]


def second(f, x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        once = tape.gradient(y, x)
    return [once, outer.gradient(once, x)]


def show(label, tensors):
    print(" ", label, [None if t is None else [f"{n:.4g}" for n in tf.reshape(t, [-1]).numpy()] for t in tensors])


x = tf.constant([0.5, 1.0])
for program in (on_size, in_loop, by_counter, in_while, on_rank, nested, on_found_size, mapped):
    print(program.__name__)
    for options in ({}, {"input_signature": [tf.TensorSpec([None])]}):
        f = tf.function(program, **options)
        for _ in range(3):
            show("first ", first(f, x))
        show("second", second(f, x))
        traced = tf.function(lambda x, f=f: first(f, x), **options)
        for _ in range(2):
            show("traced", traced(x))

# --- sizes from data inside the branch that is taken


def doubled_twice(x):
    shapes = (tf.TensorShape([]), tf.TensorShape([None]))
    return tf.while_loop(lambda i, t: i < 2, lambda i, t: (i + 1, tf.concat([t, t], 0)), (0, x), shape_invariants=shapes)[1]


sized = {
    "reshape": lambda x, n: tf.cond(tf.shape(x)[0] > 1, lambda: tf.reshape(x, [n, -1]), lambda: tf.zeros([1, 1])),
    "mask": lambda x, n: tf.cond(tf.shape(x)[0] > 1, lambda: tf.boolean_mask(x, x > 1.5) * 2.0, lambda: x),
    "loop": lambda x, n: tf.cond(tf.shape(x)[0] > 1, lambda: doubled_twice(x), lambda: x),
    "range": lambda x, n: tf.switch_case(tf.rank(x), [lambda: tf.range(n), lambda: tf.range(n * 2)]),
    "two": lambda x, n: tf.cond(
        tf.shape(x)[0] > 1,
        lambda: tf.cond(tf.rank(x) < 3, lambda: tf.range(n), lambda: tf.range(3)),
        lambda: tf.range(2),
    ),
}
for name, program in sized.items():
    f = tf.function(program)
    calls = [f(tf.constant([1.0, 2.0, 3.0, 4.0]), tf.constant(n)) for n in (2, 2, 2, 1, 1, 4, 2)]
    print(name, [call.numpy().tolist() for call in calls])
