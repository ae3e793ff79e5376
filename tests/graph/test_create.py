"""Nodes from names and protos."""

import reflow as tf
from reflow.graph.proto_values import AttrValue


def test_a_node_by_its_ops_name():
    with tf.Graph().as_default() as graph:
        x = tf.constant([[1.0, 2.0]])
        node = graph.create_op(
            "MatMul", [x, x], [tf.float32], name="product",
            attrs={"transpose_b": AttrValue(b=True), "T": AttrValue(type=1)},
        )
        assert (node.name, node.type, node.outputs[0].shape) == ("product", "MatMul", (1, 1))
        assert node.get_attr("transpose_b") is True and node.get_attr("transpose_a") is False
        again = tf.Operation.from_node_def(node.node_def, graph, [x, x], [tf.float32], control_inputs=[x.op])
        assert again.name == "product_1" and again.control_inputs == [] and again.get_attr("transpose_b") is True
        with tf.compat.v1.Session() as session:
            assert session.run([node.outputs[0], again.outputs[0]]) == [[[5.0]], [[5.0]]]
