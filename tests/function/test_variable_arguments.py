"""A variable that is passed to a function is itself in there, and the trace serves other variables too.

As TensorFlow 2.21 does it.
"""

import numpy as np

import reflow as tf


def test_it_is_the_callers_variable_while_it_is_traced():
    v, w = tf.Variable(1.0, name="vv"), tf.Variable(2.0, name="ww")
    seen = []

    @tf.function
    def double(x, y=None):
        seen.append((x is v, x.name, y is v))
        x.assign_add(1.0)
        return x * 2.0

    assert [double(v).numpy(), double(w).numpy(), double.experimental_get_tracing_count()] == [4.0, 6.0, 1]
    assert [double(v, v).numpy(), double(w, w).numpy(), double(v, w).numpy()] == [6.0, 8.0, 8.0]
    assert double.experimental_get_tracing_count() == 3
    assert seen == [(True, "vv:0", False), (True, "vv:0", True), (True, "vv:0", False)]


def test_what_is_kept_by_reference_is_found_again():
    v, slots = tf.Variable(1.0), {}

    @tf.function
    def count(x):
        if x.ref() not in slots:
            slots[x.ref()] = tf.Variable(0.0)
        return slots[x.ref()].assign_add(1.0)

    assert [float(count(v)) for _ in range(3)] == [1.0, 2.0, 3.0]


def test_in_branches_loops_and_inner_functions():
    v, w = tf.Variable(1.0), tf.Variable(10.0)

    @tf.function
    def inner(x, amount):
        x.assign_add(amount)
        return x.read_value()

    @tf.function
    def outer(x, n):
        for _ in tf.range(n):
            if n > 1:
                x.assign_add(1.0)
            else:
                x.assign_sub(1.0)
        return inner(x, 100.0) + v  # here x too: v was passed when this was traced

    for _ in range(3):
        outer(v, tf.constant(2))
    np.testing.assert_allclose(v, 307.0)
    outer(w, tf.constant(1))
    np.testing.assert_allclose([v.numpy(), w.numpy()], [307.0, 109.0])


def test_gradients_inside_and_outside():
    v, w = tf.Variable(3.0), tf.Variable(4.0)

    @tf.function
    def inside(x):
        with tf.GradientTape() as tape:
            y = x * x
        return y, tape.gradient(y, x)

    for variable in (v, w):
        with tf.GradientTape() as tape:
            y, slope = inside(variable)
        assert slope.numpy() == tape.gradient(y, variable).numpy() == 2 * variable.numpy()
    assert not inside.get_concrete_function(v).graph.variables
