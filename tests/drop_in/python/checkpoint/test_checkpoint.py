"""Variables as children, savers of objects, object graphs."""

import pytest

import reflow as tf
from reflow.drop_in.python.checkpoint import checkpoint
from reflow.tracking.trackable import AutoTrackable


def test_variables_are_made_and_tracked(tmp_path):
    root = AutoTrackable()
    v = checkpoint.add_variable(root, "v", shape=[2], initializer=tf.compat.v1.ones_initializer())
    assert v.numpy().tolist() == [1.0, 1.0] and checkpoint.list_objects(root) == [root, v]
    with pytest.raises(ValueError, match="do not specify shape"):
        checkpoint.add_variable(root, "w", shape=[], initializer=1)
    saver = checkpoint.frozen_saver(root)
    saver.save(tf.constant(str(tmp_path / "x")))
    v.assign([3.0, 4.0])
    saver.restore(tf.constant(str(tmp_path / "x")))
    assert v.numpy().tolist() == [1.0, 1.0]
    assert checkpoint.object_metadata(str(tmp_path / "x")).nodes[0].children[0].local_name == "v"
