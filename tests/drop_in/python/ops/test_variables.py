"""`tensorflow.python.ops.variables`: variables in parts."""

import reflow as tf
from reflow.drop_in.python.ops.variables import PartitionedVariable


def test_a_partitioned_variable():
    with tf.Graph().as_default():
        v = tf.compat.v1.get_variable("v", [4, 2], partitioner=tf.compat.v1.fixed_size_partitioner(2))
        assert isinstance(v, PartitionedVariable) and len(list(v)) == 2
