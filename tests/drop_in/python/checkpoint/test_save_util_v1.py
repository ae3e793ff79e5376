"""What a save writes, as saveable objects."""

import reflow as tf
from reflow.drop_in.python.checkpoint.save_util_v1 import serialize_gathered_objects
from reflow.tracking.trackable import ObjectGraphView


def test_saveables():
    root = tf.Module()
    root.v = tf.Variable(1.0)
    (saveable,), *_ = serialize_gathered_objects(ObjectGraphView(root))
    assert saveable.op is root.v and saveable.name == "v/.ATTRIBUTES/VARIABLE_VALUE"
