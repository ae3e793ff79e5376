"""Waiting for what a function returned."""

import reflow as tf
from reflow.drop_in.python.autograph.utils.context_managers import control_dependency_on_returns


def test_a_node_waits_for_all_results():
    with tf.Graph().as_default():
        x, y = tf.constant(1), tf.constant(2)
        with control_dependency_on_returns([x, y]):
            z = tf.constant(3)
        with control_dependency_on_returns(None):
            w = tf.constant(4)
    assert z.op.control_inputs == [x.op, y.op] and w.op.control_inputs == []
