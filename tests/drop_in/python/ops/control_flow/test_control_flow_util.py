"""What kind of graph is under construction."""

import reflow as tf
from reflow.drop_in.python.ops.control_flow import control_flow_util


def test_graphs_that_are_compiled_whole():
    found = []

    def look(x):
        graph = tf.compat.v1.get_default_graph()
        found.append((control_flow_util.GraphOrParentsInXlaContext(graph), control_flow_util.InXlaContext(graph)))
        assert control_flow_util.in_defun() and control_flow_util.IsInXLAContext(x.op) == found[-1][0]
        return x

    tf.function(look)(tf.zeros([]))
    tf.function(look, jit_compile=True)(tf.zeros([]))
    assert found == [(False, False), (True, True)] and not control_flow_util.in_defun()


def test_nodes_of_version_1():
    with tf.Graph().as_default():
        node = tf.constant(1).op
    assert not any(
        [
            control_flow_util.IsSwitch(node), control_flow_util.IsMerge(node), control_flow_util.IsLoopEnter(node),
            control_flow_util.IsLoopExit(node), control_flow_util.IsCondSwitch(node), control_flow_util.IsInCond(node),
        ]
    )  # fmt: skip
    assert (
        control_flow_util.EnableControlFlowV2(node.graph) and control_flow_util.GetContainingWhileContext(None) is None
    )


def test_contexts_of_version_1():
    with tf.Graph().as_default():
        node = tf.constant(1).op
    kinds = (
        control_flow_util.IsInWhileLoop, control_flow_util.IsCondMerge, control_flow_util.IsLoopSwitch,
        control_flow_util.IsLoopMerge,
    )
    assert not any(kind(node) for kind in kinds) and control_flow_util.GetOutputContext(node) is None
    assert control_flow_util.OpInContext(node, None) and control_flow_util.TensorInContext(node.outputs[0], None)
    assert not control_flow_util.IsContainingContext(None, object())
