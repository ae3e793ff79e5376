"""`tf.debugging`: what holds is silent, what fails says so in TensorFlow's words, also in functions."""


import numpy as np
import pytest

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)
X = [1, 2, 3, 4, 5]
MESSAGES = [
    (lambda d: d.assert_equal(X, [1, 2, 3, 9, 9], message="hello", summarize=2),
     "hello\nCondition x == y did not hold.\nIndices of first 2 different values:\n[[3]\n [4]]\nCorresponding x "
     "values:\n[4 5]\n"
     "Corresponding y values:\n[9 9]\nFirst 2 elements of x:\n[1 2]\nFirst 2 elements of y:\n[1 2]"),
    (lambda d: d.assert_equal(1, 2), "Condition x == y did not hold.\nFirst 1 elements of x:\n[1]\nFirst 1 elements of "
     "y:\n[2]"),
    (lambda d: d.assert_less(X, [9, 2, 9, 9, 9]), "Condition x < y did not hold.\nIndices of first 1 different "
     "values:\n[[1]]"),
    (lambda d: d.assert_less_equal(X, 3), "Condition x <= y did not hold.\nFirst 3 elements of x:\n[1 2 3]"),
    (lambda d: d.assert_greater(X, 1), "Condition x > y did not hold."),
    (lambda d: d.assert_greater_equal(X, 2), "Condition x >= y did not hold."),
    (lambda d: d.assert_none_equal(X, 2), "Condition x != y did not hold."),
    (lambda d: d.assert_positive([1.0, -2.0]),
     "\nCondition x > 0 did not hold element-wise:\nx (shape=(2,) dtype=float32) = \n['1.0', '-2.0']"),
    (lambda d: d.assert_negative([1.0]), "\nCondition x < 0 did not hold element-wise:"),
    (lambda d: d.assert_non_negative([-1.0], message="msg"), "msg.  \nCondition x >= 0 did not hold element-wise:"),
    (lambda d: d.assert_non_positive([1.0]), "\nCondition x <= 0 did not hold element-wise:"),
    (lambda d: d.assert_near([1.0, 2.0], [1.0, 2.1]),
     "Expected 'tf.Tensor(False, shape=(), dtype=bool)' to be true. Summarized data: b''\nb'x and y not equal to "
     "tolerance rtol = tf.Tensor(1.1920929e-06, shape=(), dtype=float32)"),
    (lambda d: d.check_numerics([1.0, np.inf, np.nan], "msg"), "msg : Tensor had Inf and NaN values"),
    (lambda d: d.assert_all_finite([np.nan], "msg"), "msg : Tensor had NaN values"),
    (lambda d: d.Assert(False, [X, "foo"]), "Expected 'False' to be true. Summarized data: 1, 2, 3, ...\nb'foo'"),
]


@pytest.mark.parametrize("check, message", MESSAGES)
def test_failed_values(check, message):
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        check(tf.debugging)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("check, error, message", [
    (
        lambda d: d.assert_rank(X, 2, message="mm"), ValueError,
        "mm.  Tensor  must have rank 2.  Received rank 1, shape (5,)",
    ),
    (lambda d: d.assert_rank(X, [2]), ValueError, "Rank must be a scalar."),
    (
        lambda d: d.assert_rank_at_least(X, 2), ValueError,
        "Tensor  must have rank at least 2.  Received rank 1, shape (5,)",
    ),
    (
        lambda d: d.assert_rank_in(X, (2, 3)), ValueError,
        "Tensor  must have rank in (2, 3).  Received rank 1, shape (5,)",
    ),
    (lambda d: d.assert_scalar(X), ValueError, "Expected scalar shape, saw shape: (5,)."),
    (lambda d: d.assert_shapes([(X, ("N",)), (tf.zeros([4, 2]), ("N", "Q"))]), ValueError,
     "Specified by tensor shape=(5,) dtype=int32 dimension 0.  Tensor shape=(4, 2) dtype=float32 dimension 0 must have "
     "size 5.  "
     "Received size 4, shape (4, 2)"),
    (lambda d: d.assert_shapes([(tf.zeros([5, 2]), (..., 3))]), ValueError,
     "Specified explicitly.  Tensor shape=(5, 2) dtype=float32 dimension -1 must have size 3.  "
     "Received size 2, shape (5, 2)"),
])
def test_failed_shapes(check, error, message):
    with pytest.raises(error) as caught:
        check(tf.debugging)
    assert str(caught.value) == message


def test_what_holds_is_silent():
    d = tf.debugging
    d.assert_equal(X, X)
    d.assert_near([1.0], [1.0])
    d.assert_shapes(
        [(tf.zeros([5, 2]), "DN"), (tf.zeros([5]), "D"), (tf.zeros([]), ()), (tf.zeros([5, 2]), ("D", None))]
    )
    d.assert_rank_in(X, (0, 1))
    d.Assert(tf.constant(True), [X])


def test_an_assertion_in_a_function_is_a_node_that_fires():
    @tf.function
    def f(x):
        tf.debugging.assert_equal(x, [1, 2, 3, 9], message="hi")
        return x

    f(tf.constant([1, 2, 3, 9]))
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        f(tf.constant([1, 2, 3, 4]))
    assert "assertion failed: [hi] [Condition x == y did not hold element-wise:] [x (" in str(caught.value)
    assert ":0) = ] [1 2 3...] [y (" in str(caught.value)


def test_what_a_trace_knows_fails_in_the_trace():
    @tf.function
    def f():
        tf.debugging.assert_equal([1], [2])

    with pytest.raises(tf.errors.InvalidArgumentError, match="Condition x == y did not hold element-wise:"):
        f()


@pytest.mark.parametrize("check", [
    lambda d, x: d.assert_less(x, 0.5), lambda d, x: d.assert_positive(x - 1.0), lambda d, x: d.assert_rank(x, 2),
    lambda d, x: d.assert_shapes([(x, (4,))]), lambda d, x: d.Assert(tf.reduce_all(x > 5.0), [x]), lambda d,
    x: d.check_numerics(x / 0.0, "m"),
    lambda d, x: d.assert_near(x, 2.0)])
def test_every_check_fires_in_a_function_of_unknown_shape(check):
    @tf.function(input_signature=[tf.TensorSpec(None)])
    def f(x):
        check(tf.debugging, x)
        return x

    with pytest.raises(tf.errors.InvalidArgumentError):
        f(tf.ones([3]))
