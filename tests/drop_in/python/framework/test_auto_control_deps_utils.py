"""Which resources a node only looks at."""

import reflow as tf
from reflow.drop_in.python.framework import auto_control_deps_utils as utils


def test_reads_and_writes():
    v = tf.Variable(1.0)
    nodes = {n.type: n for n in tf.function(lambda: v.assign_add(v)).get_concrete_function().graph.nodes}
    reads, writes = utils.get_read_write_resource_inputs(nodes["ReadVariableOp"])
    assert len(reads) == 1 and writes == []
    reads, writes = utils.get_read_write_resource_inputs(nodes["AssignAddVariableOp"])
    assert reads == [] and len(writes) == 1
