"""One reverse pass: the same numbers with the tape inside and outside a function, in every mode."""

import numpy as np
import pytest

import reflow as tf


def test_gradient_after_assign():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x**3
        x.assign(10.0)
    assert tape.gradient(y, x).numpy() == 27.0

    @tf.function
    def inside():
        x.assign(3.0)
        with tf.GradientTape() as tape:
            y = x**3
            x.assign(10.0)
        return tape.gradient(y, x)

    for _ in range(3):
        assert inside().numpy() == 27.0


@pytest.mark.parametrize("size", [1, 1000])
def test_gradient_to_capture(size):
    c = tf.fill([size], 2.0)
    f = tf.function(lambda x: tf.reduce_sum(x * c * 3.0))
    x = tf.ones([size])
    for _ in range(3):
        with tf.GradientTape() as tape:
            tape.watch(c)
            y = f(x)
        np.testing.assert_array_equal(tape.gradient(y, c).numpy(), np.full(size, 3.0))


@tf.custom_gradient
def _clipped(x):
    return x * 1.0, lambda g: tf.clip_by_value(g, -0.5, 0.5)


_TABLE = np.arange(12, dtype=np.float32).reshape(4, 3)
_CASES = {
    "maximum ties": (lambda x: tf.reduce_sum(tf.maximum(x, tf.stop_gradient(x))), [1.0, 2.0]),
    "reduce_max ties": (lambda x: tf.reduce_max(x), [2.0, 2.0, 1.0]),
    "relu kink": (lambda x: tf.reduce_sum(tf.nn.relu(x)), [-1.0, 0.0, 1.0]),
    "custom_gradient": (lambda x: tf.reduce_sum(_clipped(x) * 10.0), [1.0, -1.0]),
    "complex": (lambda z: tf.math.real(tf.reduce_sum(z * z)), [1 + 2j]),
    "dropout": (lambda x: tf.reduce_sum(x * tf.floor(tf.random.stateless_uniform([2], [3, 4]) + 0.5)), [1.0, 2.0]),
    "cond": (lambda x: tf.cond(x[0] > 0.0, lambda: x[0] * x[1], lambda: x[1]), [3.0, 4.0]),
    "while": (lambda x: tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s * x), (0, x))[1], [2.0, 3.0]),
    "nested function": (lambda x: tf.function(lambda y: tf.sin(y) * y)(x), [1.0, 2.0]),
}


@pytest.mark.parametrize("name", _CASES)
def test_tape_inside_equals_outside(name):
    function, start = _CASES[name]
    x = tf.constant(start)

    def gradient(f):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    expected = gradient(function).numpy()
    inside = tf.function(lambda: gradient(function))
    outside = tf.function(function)
    for _ in range(3):
        np.testing.assert_allclose(inside().numpy(), expected, rtol=1e-6)
        np.testing.assert_allclose(gradient(outside).numpy(), expected, rtol=1e-6)


def test_embedding_gradient_is_sparse_inside_and_outside():
    table = tf.Variable(_TABLE)
    ids = tf.constant([1, 1, 3])
    look = tf.function(lambda: tf.reduce_sum(tf.gather(table, ids) * 2.0))

    def gradient(f):
        with tf.GradientTape() as tape:
            y = f()
        return tape.gradient(y, table)

    expected = np.zeros((4, 3), np.float32)
    expected[1], expected[3] = 4.0, 2.0
    eager = gradient(lambda: tf.reduce_sum(tf.gather(table, ids) * 2.0))
    assert isinstance(eager, tf.IndexedSlices)
    np.testing.assert_array_equal(tf.convert_to_tensor(eager).numpy(), expected)
    inside = tf.function(lambda: tf.convert_to_tensor(gradient(lambda: tf.reduce_sum(tf.gather(table, ids) * 2.0))))
    for _ in range(3):
        outside = gradient(look)
        assert isinstance(outside, tf.IndexedSlices)
        np.testing.assert_array_equal(tf.convert_to_tensor(outside).numpy(), expected)
        np.testing.assert_array_equal(inside().numpy(), expected)


def test_long_chain_needs_no_recursion():
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x.value()
        for _ in range(30_000):
            y = y + 1.0
    assert tape.gradient(y, x).numpy() == 1.0


def test_second_order():
    x = tf.Variable(2.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.sin(x) * x**3
        first = inner.gradient(y, x)
    second = outer.gradient(first, x)
    expected = 6 * 2 * np.sin(2) + 2 * 12 * np.cos(2) - 8 * np.sin(2)
    np.testing.assert_allclose(second.numpy(), expected, rtol=1e-5)


def test_second_order_through_functions():
    x = tf.Variable(2.0)
    f = tf.function(lambda: tf.sin(x) * x**3)
    expected = 6 * 2 * np.sin(2) + 2 * 12 * np.cos(2) - 8 * np.sin(2)

    def second():
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = f()
            first = inner.gradient(y, x)
        return outer.gradient(first, x)

    inside = tf.function(second)
    for _ in range(3):
        np.testing.assert_allclose(second().numpy(), expected, rtol=1e-5)
        np.testing.assert_allclose(inside().numpy(), expected, rtol=1e-5)


def test_persistent_tape_differentiates_its_own_gradient():
    x = tf.constant(3.0)
    f = tf.function(lambda v: v * v * v)
    for _ in range(3):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = f(x)
            first = tape.gradient(y, x)
        assert tape.gradient(first, x).numpy() == 18.0


def test_tape_misuse_raises():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    tape.gradient(y, x)
    with pytest.raises(RuntimeError, match="non-persistent"):
        tape.gradient(y, x)
    with pytest.raises(ValueError, match="Passed in object"), tf.GradientTape() as tape:
        tape.watch("text")


def test_gradient_of_a_loop_with_data_dependent_length():
    @tf.function
    def f(x, n):
        _, y = tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, tf.sin(s) * x), (0, x))
        return y

    x = tf.constant(1.3)
    for n in (0, 1, 4, 4, 4, 2):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x, tf.constant(n))
        with tf.GradientTape() as plain:
            plain.watch(x)
            z = x
            for _ in range(n):
                z = tf.sin(z) * x
        np.testing.assert_allclose(tape.gradient(y, x).numpy(), plain.gradient(z, x).numpy(), rtol=1e-5)


def _power(x):
    h = tf.ones([])
    for _ in tf.range(3):
        h = h * x[0]
    return h


def _written(x):
    kept, h = tf.TensorArray(tf.float32, size=3), tf.ones([])
    for t in tf.range(3):
        h = h * x[0]
        kept = kept.write(t, h)
    return tf.reduce_sum(kept.stack())


def _read(x):
    items, h = tf.TensorArray(tf.float32, size=3, element_shape=[]).unstack(tf.stack([x[0]] * 3)), tf.ones([])
    for t in tf.range(3):
        h = h * items.read(t)
    return h


@pytest.mark.parametrize("program, expected", [(_power, 12.0), (_written, 14.0), (_read, 12.0)])
def test_second_order_through_a_loop_inside_one_function(program, expected):
    """The outer tape must see what the inner gradient added to the loop, though the loop's first output is its counter;
    and the slice of `x`, which is the same in every iteration and is moved out of the loop."""

    @tf.function
    def f(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = program(x)
            first = inner.gradient(y, x)
        return outer.gradient(first, x)

    for _ in range(3):
        np.testing.assert_allclose(f(tf.constant([2.0])).numpy(), [expected], rtol=1e-6)


def test_a_loop_that_writes_a_boolean_variable():
    """Only variables of floats have cotangents."""
    flag, count = tf.Variable([True, False]), tf.Variable([1, 2])

    @tf.function
    def f(x):
        for _ in tf.range(3):
            flag.assign(~flag)
            count.assign_add(count)
            x = x * x
        return x

    for _ in range(3):
        x = tf.constant(1.5)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = f(x)
            once = tape.gradient(y, x)
        np.testing.assert_allclose([once, outer.gradient(once, x)], [8 * 1.5**7, 56 * 1.5**6], rtol=1e-5)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        np.testing.assert_allclose(tape.gradient(y, x), 8 * 1.5**7, rtol=1e-5)


def test_a_variable_that_is_an_argument_has_a_gradient_through_a_loop():
    @tf.function
    def summed(x, v):
        return x + tf.reduce_sum(v.sparse_read([1, 3]))

    @tf.function
    def gradient(v):
        total = tf.while_loop(lambda i, _: i < 2, lambda i, x: (i + 1, summed(x, v)), [0, 0.0])[1]
        return tf.convert_to_tensor(tf.gradients(total, v)[0])

    assert gradient(tf.Variable([1.0, 2.0, 3.0, 4.0])).numpy().tolist() == [0.0, 2.0, 0.0, 2.0]
