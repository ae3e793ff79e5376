"""Placeholders, which eager code has not."""

import reflow as tf
from reflow.drop_in.python.eager.graph_only_ops import graph_placeholder


def test_in_the_graph_under_construction():
    with tf.Graph().as_default():
        x = graph_placeholder(tf.float32, [2, None], name="x")
    assert (x.op.type, x.name, x.shape.as_list()) == ("Placeholder", "x:0", [2, None])
