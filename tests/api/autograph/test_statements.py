"""`if`, `for`, `while` on tensors: the errors name the variable."""


import numpy as np
import pytest

import reflow as tf
from tests.api.autograph import autograph_algorithms  # noqa: F401 - it registers programs


def test_variables():
    v = tf.Variable(1.0)

    @tf.function
    def step(n):
        for _ in tf.range(n):
            if v < 20.0:
                v.assign(v * 2.0)
        while v > 10.0:
            v.assign_sub(1.0)
        return v

    assert float(step(tf.constant(10))) == 10.0 and float(v) == 10.0


@pytest.mark.parametrize("n", [0, 1, 5])
def test_gradient_inside_and_outside(n):
    def power(x, n):
        y = tf.ones_like(x)
        for i in tf.range(n):
            if i % 2 == 0:
                y = y * x
            else:
                y = y * (x + 1.0)
        return y

    @tf.function
    def inside(x, n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = power(x, n)
        return tape.gradient(y, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)

    x = tf.constant(1.5)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = power(x, n)
    expected = tape.gradient(y, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(power)(x, tf.constant(n))
    outside = tape.gradient(y, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    np.testing.assert_allclose(expected, outside)
    np.testing.assert_allclose(expected, inside(x, tf.constant(n)))


def test_gradient_of_data_dependent_loop():
    @tf.function
    def f(x):
        while tf.reduce_sum(x) < 100.0:
            x = x * x
        return tf.reduce_sum(x)

    x = tf.constant([2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    np.testing.assert_allclose(
        tape.gradient(y, x), [4 * 2.0**3, 4 * 3.0**3] if float(y) == 97 else 8 * np.array([2.0, 3.0]) ** 7
    )


def undefined_in_else(x):
    if x > 0:
        y = 1
    return y


def missing_return(x):
    if x > 0:
        return x


def different_dtypes(x):
    if x > 0:
        y = 1
    else:
        y = 1.0
    return y


def different_structures(x):
    if x > 0:
        y = [x, x]
    else:
        y = x
    return y


def none_in_one_branch(x):
    y = x
    if x > 0:
        y = None
    return y


def loop_changes_dtype(x):
    y = 0
    for _ in tf.range(x):
        y = 1.5
    return y


def loop_changes_shape(x):
    y = tf.constant([1])
    for _ in tf.range(x):
        y = tf.concat([y, y], 0)
    return y


def undefined_in_loop(x):
    while x > 0:
        x = x - z  # noqa: F821
        z = 1  # noqa: F841
    return x


def number_as_condition(x):
    if x:
        return 1
    return 2


def break_out_of_python_loop(x):
    for i in range(3):
        if x > i:
            break
    return x


@pytest.mark.parametrize("function, error, message", [
    (undefined_in_else, ValueError, "'y' must also be initialized in the else branch"),
    (missing_return, ValueError, "the else branch must also have a return statement."),
    (different_dtypes, TypeError, "'y' has dtype int32 in the main branch, but dtype float32 in the else branch"),
    (different_structures, TypeError, "'y' must have the same nested structure in the main and else branches"),
    (none_in_one_branch, TypeError, "'y'|same number, type"),
    (loop_changes_dtype, TypeError, "'y' has dtype int32 before the loop, but dtype float32 after one iteration"),
    (loop_changes_shape, ValueError, r"'y' has shape \(1,\) before the loop, but shape \(2,\) after one iteration"),
    (undefined_in_loop, ValueError, "'z' must be defined before the loop"),
    (number_as_condition, ValueError, "condition of if statement expected to be `tf.bool` scalar"),
    (break_out_of_python_loop, NotImplementedError, "break and return statements which depend on a TF condition"),
])
def test_errors_name_the_variable(function, error, message):
    with pytest.raises((ValueError, TypeError, NotImplementedError), match=message) as caught:
        tf.function(function)(tf.constant(3))
    assert isinstance(caught.value, error) or function is none_in_one_branch
    assert str(caught.value).startswith("in user code:")


def test_none_is_no_outcome_of_a_conditional_on_a_tensor():
    @tf.function
    def both(c):
        if c:
            i, j = None, 1
        else:
            i, j = None, 2
        return i, j

    with pytest.raises(ValueError, match="'i' is None at the end of the main branch"):
        both(tf.constant(True))
