"""Functions that give and take the values of an object."""

import reflow as tf
from reflow.drop_in.python.saved_model.tracing_utils import trace_save_and_restore


def test_traces():
    v = tf.Variable(1.0)
    save, restore = trace_save_and_restore(v)
    restore({"VARIABLE_VALUE": tf.constant(2.0)})
    assert {name: float(value) for name, value in save().items()} == {"VARIABLE_VALUE": 2.0}
