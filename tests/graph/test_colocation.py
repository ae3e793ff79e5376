"""`colocate_with`: nodes beside others."""

import pytest

import reflow as tf

v1 = tf.compat.v1


def test_nodes_beside_others():
    with tf.Graph().as_default() as graph:
        with tf.device("/job:a/device:CPU:1"):
            a = tf.constant(1.0, name="a")
        with tf.device("/device:CPU:0"), v1.colocate_with(a):
            b = tf.constant(2.0, name="b")
            with v1.colocate_with(b, ignore_existing=True):
                c = tf.constant(3.0)
            with graph.colocate_with(None, ignore_existing=True):
                d = tf.constant(4.0, name="d")
        e = tf.constant(5.0, name="e")
    assert [t.op.colocation_groups() for t in (b, c, d, e)] == [[b"loc:@a"], [b"loc:@a"], [b"loc:@d"], [b"loc:@e"]]
    assert b.op.device == a.op.device == "/job:a/device:CPU:1" and e.op.device == ""
    assert b.op.node_def.attr["_class"].list.s == [b"loc:@a"]
    with pytest.raises(ValueError, match="Trying to reset colocation"):
        graph.colocate_with(None)


def test_eager_values_lend_their_device():
    with v1.colocate_with(tf.Variable(1.0)), v1.colocate_with(None, ignore_existing=True):
        assert tf.constant(1.0).device.endswith("CPU:0")


def test_switches_of_version_1_are_remembered():
    v1.disable_control_flow_v2(), v1.disable_resource_variables()
    assert not v1.control_flow_v2_enabled() and not v1.resource_variables_enabled()
    v1.enable_control_flow_v2(), v1.enable_resource_variables()
    assert v1.control_flow_v2_enabled() and v1.resource_variables_enabled()
