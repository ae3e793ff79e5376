"""A tensor behind other ops."""

import reflow as tf
from reflow.drop_in.python.ops.control_flow.control_flow_ops import with_dependencies


def test_with_dependencies():
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        return with_dependencies([v.assign_add(1.0)], x)

    assert f(tf.constant(5.0)).numpy() == 5.0 and v.numpy() == 2.0
