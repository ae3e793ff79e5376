"""Comparisons of graphs."""

import reflow as tf
from reflow.drop_in.python.client.pywrap_tf_session import EqualGraphDefWrapper


def test_differences_of_graphs():
    with tf.Graph().as_default() as graph:
        x = tf.constant(1.0, name="x")
        one = graph.as_graph_def(add_shapes=True).SerializeToString()
        same = graph.as_graph_def().SerializeToString()
        tf.negative(x, name="minus")
    assert EqualGraphDefWrapper(one, same) == ""
    assert "minus" in EqualGraphDefWrapper(graph.as_graph_def().SerializeToString(), same)
