"""The ops that make variables. The expectations are TensorFlow's."""

import reflow as tf
from reflow.drop_in.python.ops.state import gen_state_ops


def test_variables_without_a_value():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        v = gen_state_ops.variable_v2([2], tf.float32, name="v")
        unknown = gen_state_ops.variable([], tf.float32)
        assert (v.op.name, v.shape.as_list(), unknown.shape.rank) == ("v", [2], None)
        assert session.run(tf.raw_ops.Assign(ref=v, value=[1.0, 2.0])).tolist() == [1.0, 2.0]
