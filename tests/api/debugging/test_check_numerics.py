"""`tf.debugging.enable_check_numerics`: the first op that makes an infinity or a NaN is named."""

import pytest

import reflow as tf


@pytest.fixture
def checking():
    tf.debugging.enable_check_numerics()
    yield
    tf.debugging.disable_check_numerics()


def test_eager_code(checking):
    with pytest.raises(tf.errors.InvalidArgumentError, match="(?s)Inf|NaN") as caught:
        tf.math.log(tf.constant([0.0, 1.0]))
    assert "Log" in str(caught.value)
    assert tf.math.log(tf.constant([1.0])).numpy().tolist() == [0.0]


def test_functions(checking):
    f = tf.function(lambda x: tf.constant(1.0) / x + 1.0)
    assert float(f(tf.constant(2.0))) == 1.5
    for _ in range(3):
        with pytest.raises(tf.errors.InvalidArgumentError):
            f(tf.constant(0.0))


def test_it_can_be_switched_off():
    tf.debugging.enable_check_numerics()
    tf.debugging.disable_check_numerics()
    assert tf.math.log(tf.constant(0.0)).numpy() == float("-inf")


def test_integers_are_not_looked_at(checking):
    assert (tf.constant([1, 2]) + 1).numpy().tolist() == [2, 3]
