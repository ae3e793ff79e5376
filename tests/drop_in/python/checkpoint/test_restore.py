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


class _Pair(tf.__internal__.tracking.Trackable):
    """Saves by tensors: one that any object may have to offer, and one that only some have."""

    def __init__(self, **values):
        self.values = {name: tf.Variable(value) for name, value in values.items()}

    def _serialize_to_tensors(self):
        return dict(self.values)

    def _restore_from_tensors(self, tensors):
        return [v.assign(tensors[name]) for name, v in self.values.items()]


def test_an_object_that_saves_by_tensors(tmp_path):
    path = tf.train.Checkpoint(root=_Pair(a=5.0)).write(tmp_path / "x")
    restored = _Pair(a=0.0)
    restore_nodes(path, {0: restored})
    assert restored.values["a"].numpy() == 5.0
    with pytest.raises(ValueError, match="Size for serialized_tensors for Trackable: 2 did not match"):
        restore_nodes(path, {0: _Pair(a=0.0, b=0.0)})
