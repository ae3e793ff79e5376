"""Compiled parts of graphs of version 1."""

import pytest

import reflow as tf


def test_only_in_graphs():
    for use in (lambda: tf.xla.experimental.compile(lambda: 1.0), tf.xla.experimental.jit_scope):
        with pytest.raises(RuntimeError, match="eager execution is enabled"):
            use()
    with tf.Graph().as_default():
        found = tf.xla.experimental.compile(lambda x, y: [x + y, x * y], [tf.constant(2.0), tf.constant(3.0)])
        assert tf.compat.v1.Session().run(found) == [5.0, 6.0]
