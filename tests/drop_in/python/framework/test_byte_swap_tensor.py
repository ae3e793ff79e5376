"""Constants of graphs in the order of bytes of another machine."""

import numpy as np

import reflow as tf
from reflow.drop_in.python.framework import byte_swap_tensor


def test_numbers_are_turned_around_and_back():
    proto = tf.make_tensor_proto(np.array([1, 2], np.int32))
    before = proto.tensor_content
    byte_swap_tensor.byte_swap_tensor_content(proto, "little", "big")
    assert proto.tensor_content == np.array([1, 2], ">i4").tobytes()
    byte_swap_tensor.byte_swap_tensor_content(proto, "big", "little")
    assert proto.tensor_content == before
    byte_swap_tensor.byte_swap_tensor_content(proto, "little", "little")
    assert proto.tensor_content == before


def test_constants_of_graphs_and_functions():
    graph_def = tf.function(
        lambda: tf.function(lambda: tf.constant([3, 4]))()
    ).get_concrete_function().graph.as_graph_def()
    inner = [node for function in graph_def.library.function for node in function.node_def if node.op == "Const"]
    byte_swap_tensor.swap_tensor_content_in_graph_function(graph_def, "little", "big")
    assert [node.attr["value"].tensor.tensor_content for node in inner] == [np.array([3, 4], ">i4").tobytes()]
    with tf.Graph().as_default() as graph:
        tf.constant([3, 4])
    outer = graph.as_graph_def()
    byte_swap_tensor.swap_tensor_content_in_graph_node(outer, "little", "big")
    assert outer.node[0].attr["value"].tensor.tensor_content == np.array([3, 4], ">i4").tobytes()
