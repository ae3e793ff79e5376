"""The objects of a checkpoint."""

import reflow as tf
from reflow.drop_in.python.checkpoint import util
from reflow.tracking.trackable import ObjectGraphView


def test_objects_in_the_order_of_a_search():
    root = tf.train.Checkpoint(v=tf.Variable(1.0), part=tf.Module())
    root.part.w = tf.Variable(2.0)
    found = util.list_objects(ObjectGraphView(root))
    places = [next(i for i, x in enumerate(found) if x is wanted) for wanted in (root, root.v, root.part, root.part.w)]
    assert places[0] == 0 and places[3] > places[2]
