"""Nodes that TensorFlow keeps off a GPU: the answers are TensorFlow 2.21's."""

import pytest

import reflow as tf

must_run_on_cpu = tf.compat.v1.graph_util.must_run_on_cpu


@pytest.mark.parametrize("make, hosted", [
    (lambda: tf.constant("text"), True), (lambda: tf.constant(1), True), (lambda: tf.constant(1.0), False),
    (lambda: tf.constant(1, tf.int64), False), (lambda: tf.cast(tf.constant(1), tf.float32), True),
    (lambda: tf.cast(tf.constant(1.0), tf.int32), False), (lambda: tf.constant(1.0) + 1.0, False),
    (lambda: tf.dynamic_stitch([[0]], [tf.constant([1])]), True),
    (lambda: tf.dynamic_stitch([[0]], [tf.constant([1.0])]), False),
])
def test_nodes(make, hosted):
    with tf.Graph().as_default():
        node = make().op
    assert must_run_on_cpu(node) is hosted is must_run_on_cpu(node.node_def)


def test_variables():
    """Those that are references are pinned, resources are not."""
    proto = tf.compat.v1.NodeDef(name="v", op="VariableV2")
    assert (must_run_on_cpu(proto), must_run_on_cpu(proto, pin_variables_on_cpu=True)) == (False, True)
    with tf.Graph().as_default():
        node = tf.compat.v1.get_variable("v", [2], use_resource=True).handle.op
    assert (must_run_on_cpu(node), must_run_on_cpu(node, pin_variables_on_cpu=True)) == (False, False)
