"""Variables behind handles, and their specs."""

import reflow as tf
from reflow.drop_in.python.ops import resource_variable_ops


def test_a_tape_hears_of_a_variable():
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        resource_variable_ops.variable_accessed(v)
    assert [w is v for w in tape.watched_variables()] == [True]
    assert resource_variable_ops.variable_shape(v.handle).numpy().tolist() == [2]
    assert resource_variable_ops.VariableSpec([2], tf.float32).dtype is tf.float32
