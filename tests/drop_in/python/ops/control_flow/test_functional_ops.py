"""Control flow over traced functions."""

import reflow as tf
from reflow.drop_in.python.framework.function import Defun
from reflow.drop_in.python.ops.control_flow import functional_ops


def test_control_flow_over_functions():
    twice, more = Defun(tf.float32)(lambda x: x * 2.0), Defun(tf.float32)(lambda x: x * 3.0 + 1.0)
    inside = Defun(tf.float32, tf.float32)(lambda n, x: n > 0.0)
    step = Defun(tf.float32, tf.float32)(lambda n, x: (n - 1.0, x + n))
    add = Defun(tf.int32, tf.float32)(lambda i, x: x + tf.cast(i, tf.float32))
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.constant(9.0)
        assert session.run(functional_ops.If(x > 0.0, [x], twice, more)) == [18.0]
        assert session.run(functional_ops.While([20.0, 0.0], inside, step)) == [0.0, 210.0]
        assert session.run(functional_ops.For(100, 0, -1, [0.0], add)) == [5050.0]
        assert session.run(functional_ops.Gradient([x, 1.0], more)) == [3.0]
        assert session.run(functional_ops.remote_call([x], [tf.float32], twice, "/cpu:0")) == [18.0]
