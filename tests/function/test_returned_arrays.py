"""TensorArrays that functions return or take.

Gradients flow through them from outside (TensorFlow hands out a bare variant).
"""

import pytest

import reflow as tf


@tf.function
def make(x):
    ta = tf.TensorArray(tf.float32, 3)
    for i in tf.range(3):
        ta = ta.write(i, x * tf.cast(i + 1, tf.float32))
    return ta


@tf.function
def use(ta):
    return tf.reduce_sum(ta.stack() ** 2)


READERS = {
    "stack": (lambda ta: tf.reduce_sum(ta.stack() ** 2), 56.0),
    "read": (lambda ta: ta.read(2), 3.0),
    "gather": (lambda ta: ta.gather([0, 2]), 4.0),
    "another function": (use, 56.0),
}


@pytest.mark.parametrize("name", READERS)
def test_gradient_of_what_is_read(name):
    read, expected = READERS[name]
    x = tf.constant(2.0)
    for _ in range(3):  # interpreted, compiled, again
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = read(make(x))
        assert float(tape.gradient(y, x)) == expected


def test_array_and_tensor_together():
    @tf.function
    def both(x):
        ta = tf.TensorArray(tf.float32, 0, dynamic_size=True, clear_after_read=False)
        return ta.write(0, x).write(1, x * x), tf.reduce_sum(x)

    x = tf.constant([2.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        ta, total = both(x)
        stacked, second = ta.stack(), ta.read(1)
        mixed = total * tf.reduce_sum(second)
    assert tape.gradient(stacked, x).numpy().tolist() == [5.0, 7.0]
    assert tape.gradient(second, x).numpy().tolist() == [4.0, 6.0]
    assert tape.gradient(mixed, x).numpy().tolist() == [33.0, 43.0]
    assert tape.gradient(total, x).numpy().tolist() == [1.0, 1.0]


def test_second_order():
    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = use(make(x))
        first = inner.gradient(y, x)
    assert (float(first), float(outer.gradient(first, x))) == (56.0, 28.0)


def test_array_as_argument_and_result():
    @tf.function
    def add(ta, x):
        return ta.write(1, x)

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        ta = add(tf.TensorArray(tf.float32, 2).write(0, x * 5.0), x * 7.0)
        y = ta.stack()
    assert float(tape.gradient(y, x)) == 12.0


def test_integers_carry_no_gradient():
    @tf.function
    def ids(x):
        return tf.TensorArray(tf.int32, 2).unstack([1, 2]), x * 2.0

    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        ta, y = ids(x)
        y = y * tf.cast(ta.read(1), tf.float32)
    assert float(tape.gradient(y, x)) == 4.0


def test_a_loop_returns_the_sequence_types_of_its_variables():
    @tf.function
    def f():
        return tf.while_loop(lambda i, d: i < 3, lambda i, d: (i + 1, (d[0],)), [0, [1]])

    counter, values = f()
    assert counter.numpy() == 3 and type(values) is list


def test_an_eager_loop_names_the_specs_of_its_variables():
    with pytest.raises(ValueError, match=r"First structure: type=list str=\[TensorSpec\(shape=\(\), dtype=tf.int32"):
        tf.while_loop(lambda i: i < 3, lambda i: (i, i), [tf.constant(0)])
