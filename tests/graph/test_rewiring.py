"""Nodes of a graph that are changed after they were made."""

import pytest

import reflow as tf
from reflow.graph.proto_values import AttrValue


@pytest.fixture
def graph():
    graph = tf.Graph()
    with graph.as_default():
        yield graph


def run(graph, fetch):
    with tf.compat.v1.Session(graph=graph) as session:
        return session.run(fetch)


def test_a_node_reads_another_tensor_even_a_later_one(graph):
    x, y = tf.constant(1), tf.constant(2)
    z = x + y
    late = tf.constant(10)
    z.op._update_input(0, late)
    assert list(z.op.inputs) == [late, y] and x.consumers() == []
    assert run(graph, z) == 12 and late.op.name == "Const_2"
    z.op._update_input(1, late)
    assert late.consumers() == [z.op, z.op]


def test_a_node_waits_for_others(graph):
    x, y, z = (tf.constant(i).op for i in range(3))
    x._add_control_inputs([y, z, z])
    x._add_control_input(y)
    assert x.control_inputs == [y, z] and z._control_outputs == [x]
    assert graph.get_operations() == [y, z, x]
    x._remove_all_control_inputs()
    assert x.control_inputs == []


def test_attributes_and_devices(graph):
    x = tf.constant(1.0)
    x.op._set_attr("_mine", AttrValue(b=True))
    x.op._set_attr("_list", AttrValue(list=AttrValue.ListValue(i=[1, 2])))
    x.op._set_device("/device:CPU:0")
    assert x.op.get_attr("_mine") is True and x.op.get_attr("_list") == [1, 2] and x.op.device == "/device:CPU:0"
    product = tf.matmul(x[None, None], x[None, None])
    product.op._set_attr("transpose_a", AttrValue(b=True))
    assert product.op.get_attr("transpose_a") is True


def test_edges_that_cannot_be(graph):
    x, wide = tf.zeros([3, 1]), tf.zeros([2, 2])
    z = x + x
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"incompatible shapes: \[2,2\] and \[3,1\]"):
        z.op._update_input(0, wide)
    with pytest.raises(tf.errors.OutOfRangeError, match=r"Input index \[2\] is greater"):
        z.op._update_input(2, x)
    with tf.Graph().as_default(), pytest.raises(ValueError, match="must be from the same graph"):
        z.op._update_input(0, tf.zeros([3, 1]))
