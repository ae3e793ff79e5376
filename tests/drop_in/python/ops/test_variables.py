"""`tensorflow.python.ops.variables`: variables in parts."""

import pytest

import reflow as tf
from reflow.drop_in.python.ops import variables
from reflow.drop_in.python.ops.variables import PartitionedVariable


def test_a_partitioned_variable():
    with tf.Graph().as_default():
        v = tf.compat.v1.get_variable("v", [4, 2], partitioner=tf.compat.v1.fixed_size_partitioner(2))
        assert isinstance(v, PartitionedVariable) and len(list(v)) == 2


def test_modes_of_variables():
    validate = variables.validate_synchronization_aggregation_trainable
    auto, read, total = tf.VariableSynchronization.AUTO, tf.VariableSynchronization.ON_READ, tf.VariableAggregation.SUM
    assert validate(None, None, None, "n") == (auto, tf.VariableAggregation.NONE, True)
    assert validate(read, total, None, "n") == (read, total, False)
    with pytest.raises(ValueError, match="Invalid variable synchronization mode: x for variable: n"):
        validate("x", None, None, "n")
    with pytest.raises(ValueError, match="Invalid variable aggregation mode: x for variable: n"):
        validate(None, "x", None, "n")
