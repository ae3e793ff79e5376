"""Compiled parts of graphs of version 1."""

import pytest

import reflow as tf


def test_compiled_parts():
    def sums(x, y):
        return x + y, x * y

    numbers = [tf.constant(2.0), tf.constant(3.0)]
    assert [float(x) for x in tf.xla.experimental.compile(sums, numbers)] == [5.0, 6.0]
    assert tf.xla.experimental.compile(lambda x: {"a": x}, numbers[:1])["a"].numpy() == 2.0
    (one,) = tf.function(lambda: tf.xla.experimental.compile(lambda x: x + 1.0, numbers[:1]))()
    assert one.numpy() == 3.0
    with tf.Graph().as_default():
        found = tf.xla.experimental.compile(sums, [tf.constant(2.0), tf.constant(3.0)])
        assert isinstance(found, list) and tf.compat.v1.Session().run(found) == [5.0, 6.0]


def test_scopes_are_only_in_graphs():
    with pytest.raises(RuntimeError, match="eager execution is enabled"):
        tf.xla.experimental.jit_scope()
