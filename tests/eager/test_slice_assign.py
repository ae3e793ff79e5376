"""`variable[...].assign(x)` writes into a part of a variable, at once and in a function."""

import numpy as np
import pytest

import reflow as tf


@pytest.mark.parametrize("key", [1, slice(1, 3), (slice(None), 0), (slice(None, None, -1), 1), (Ellipsis, slice(0, 1)),
                                 (slice(0, 0),), (0, 1), (tf.newaxis, slice(0, 2)), (2, Ellipsis)], ids=str)
def test_assigns_what_numpy_would(key):
    expected = np.arange(6, dtype=np.float32).reshape(3, 2)
    variable = tf.Variable(expected)
    new = -np.arange(1, expected[key].size + 1, dtype=np.float32).reshape(expected[key].shape)
    result = variable[key].assign(new)
    expected[key] = new
    np.testing.assert_array_equal(variable.numpy(), expected)
    np.testing.assert_array_equal(result.numpy(), expected)


def test_a_value_is_broadcast():
    variable = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    variable[:, 1].assign(7)
    assert variable.numpy().tolist() == [[1.0, 7.0], [3.0, 7.0]]


def test_a_value_that_does_not_fit():
    variable = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"Cannot broadcast input shape \[3\] into final shape \[2\]"
    ):
        variable[0].assign([1.0, 2.0, 3.0])
    assert variable.numpy().tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_in_a_function_in_program_order():
    variable = tf.Variable([1.0, 2.0, 3.0])

    @tf.function
    def step(i, x):
        before = variable[i] + 0.0
        variable[i].assign(x)
        variable[1:].assign(variable[:2])
        return before, variable[i]

    expected = np.array([1.0, 2.0, 3.0], np.float32)
    for i in (0, 2, 1, 0):
        before, after = step(tf.constant(i), tf.constant(10.0 + i))
        assert before == expected[i]
        expected[i] = 10.0 + i
        expected[1:] = expected[:2].copy()
        assert after == expected[i]
        np.testing.assert_array_equal(variable.numpy(), expected)


def test_with_known_bounds_a_function_stays_one_program():
    variable = tf.Variable(tf.zeros([4, 2]))

    @tf.function(jit_compile=True)
    def step(x):
        variable[1:3, 0].assign(x)
        return tf.reduce_sum(variable)

    assert [float(step(tf.constant([k, 1.0]))) for k in (1.0, 2.0, 3.0)] == [2.0, 3.0, 4.0]


def test_the_slice_is_a_tensor_with_a_gradient():
    variable = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(variable[1:] ** 2)
    assert tape.gradient(loss, variable).numpy().tolist() == [0.0, 4.0, 6.0]


def test_a_host_op_without_a_gradient_says_so():
    values = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(values)
        parts = tf.sparse.split(sp_input=tf.sparse.SparseTensor([[0, 0], [0, 1]], values, [1, 2]), num_split=2, axis=1)
        dense = tf.sparse.to_dense(parts[0])
    with pytest.raises(LookupError, match="SparseSplit"):
        tape.gradient(dense, values)
