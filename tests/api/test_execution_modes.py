"""Scopes that say how eager code runs."""

import pytest

import reflow as tf


def test_a_scope_of_asynchronous_ops_ends_when_they_have():
    with tf.experimental.async_scope():
        x = tf.constant([1.0, 2.0]) * 2.0
    assert x.numpy().tolist() == [2.0, 4.0]
    with pytest.raises(tf.errors.InvalidArgumentError), tf.experimental.async_scope():
        tf.debugging.assert_equal(1, 2)
    tf.experimental.async_clear_error()


def test_devices_are_waited_for(machine):
    machine(2)
    with tf.device("GPU:1"):
        x = tf.ones([3]) + 1.0
    tf.test.experimental.sync_devices()
    assert x.numpy().tolist() == [2.0] * 3


def test_executors_by_name():
    with tf.experimental.function_executor_type("SINGLE_THREADED_EXECUTOR"):
        assert tf.function(lambda x: x + 1)(1).numpy() == 2
    with (
        pytest.raises(tf.errors.NotFoundError, match="No executor factory registered"),
        tf.experimental.function_executor_type("mine"),
    ):
        pass
