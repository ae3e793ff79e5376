"""`assert` of converted code, called by its name."""

import pytest

import reflow as tf
from reflow.drop_in.python.autograph.operators.exceptions import assert_stmt


def test_a_tensor_is_checked_by_an_op():
    with pytest.raises(tf.errors.InvalidArgumentError, match="too small"):
        assert_stmt(tf.constant(False), lambda: "too small")
    with tf.Graph().as_default():
        assert assert_stmt(tf.constant(True), lambda: tf.constant("x")).type == "Assert"


def test_a_plain_value_is_checked_by_python():
    assert assert_stmt(True, lambda: 1 / 0) is None
    with pytest.raises(AssertionError, match="too small"):
        assert_stmt(False, lambda: "too small")


def test_the_message_is_a_function_without_arguments():
    with pytest.raises(ValueError, match="text must be a callable"):
        assert_stmt(True, "text")
    with pytest.raises(ValueError, match="may not have any arguments"):
        assert_stmt(True, lambda x: x)
