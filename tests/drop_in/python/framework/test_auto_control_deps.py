"""Nodes of a plain graph in the order in which they were made."""

import reflow as tf
from reflow.drop_in.python.framework import auto_control_deps


def test_effects_come_before_results():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        v = tf.compat.v1.get_variable("v", initializer=1.0, use_resource=True)
        session.run(v.initializer)
        with auto_control_deps.AutomaticControlDependencies() as block:
            v.assign(v + 1.0)
            v.assign(2.0 * v)
            value = block.mark_as_return(v.read_value())
        assert session.run(value) == 4.0

        @auto_control_deps.automatic_control_dependencies
        def doubled():
            v.assign(2.0 * v)
            return v.read_value()

        assert session.run(doubled()) == 8.0


def test_eager_code_and_functions_need_nothing():
    v = tf.Variable(1.0)
    with auto_control_deps.AutomaticControlDependencies() as block:
        v.assign(3.0)
        assert block.mark_as_return(v.read_value()).numpy() == 3.0
    nodes = {n.type: n for n in tf.function(lambda: v.assign(1.0)).get_concrete_function().graph.nodes}
    assert (
        auto_control_deps.op_is_stateful(nodes["AssignVariableOp"])
        and not auto_control_deps.op_is_stateful(nodes["Const"])
    )


def test_reads_and_writes():
    v = tf.Variable(1.0)
    nodes = {n.type: n for n in tf.function(lambda: v.assign_add(v)).get_concrete_function().graph.nodes}
    reads, writes = auto_control_deps.get_read_write_resource_inputs(nodes["ReadVariableOp"])
    assert len(reads) == 1 and writes == []
    reads, writes = auto_control_deps.get_read_write_resource_inputs(nodes["AssignAddVariableOp"])
    assert reads == [] and len(writes) == 1


def test_which_nodes_must_run():
    with tf.Graph().as_default():
        v = tf.compat.v1.get_variable("v", initializer=1.0, use_resource=True)
        with auto_control_deps.AutomaticControlDependencies() as block:
            unused, read = v.read_value(), tf.raw_ops.ReadVariableOp(resource=v.handle, dtype=tf.float32)
            written = tf.raw_ops.AssignVariableOp(resource=v.handle, value=2.0)
            block.mark_as_return(read)
    assert {read.op, written} <= block.ops_which_must_run and unused.op not in block.ops_which_must_run
