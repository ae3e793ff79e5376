"""What a save writes, as tensors."""

import reflow as tf
from reflow.drop_in.python.checkpoint.save_util import serialize_graph_view
from reflow.tracking.trackable import ObjectGraphView


def test_tensors_by_object():
    root = tf.Module()
    root.v = tf.Variable(1.0)
    tensors, feeds, savers, proto = serialize_graph_view(ObjectGraphView(root))
    assert (
        list(tensors[root.v]) == ["v/.ATTRIBUTES/VARIABLE_VALUE"] and not feeds and not savers and len(proto.nodes) == 2
    )
