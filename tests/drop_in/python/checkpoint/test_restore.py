"""Single objects get the values of nodes."""

import pytest

import reflow as tf
from reflow.drop_in.python.checkpoint.restore import restore_nodes


def test_nodes(tmp_path):
    path = tf.train.Checkpoint(v=tf.Variable(3.0)).write(tmp_path / "x")
    v = tf.Variable(0.0)
    restore_nodes(path, {1: v})
    assert v.numpy() == 3.0
    with pytest.raises(ValueError, match="does not contain serialized tensors for node_id: 0"):
        restore_nodes(path, {0: v})
    with pytest.raises(ValueError, match="does not exist in the checkpoint"):
        restore_nodes(path, {9: v})
