"""A checkpoint that writes in the background."""

import reflow as tf
from reflow.drop_in.python.checkpoint.async_checkpoint_helper import AsyncCheckpointHelper


def test_the_values_are_those_of_the_save(tmp_path):
    v = tf.Variable(1.0)
    checkpoint = AsyncCheckpointHelper(tf.train.Checkpoint, v=v)
    path = checkpoint.save(tmp_path / "x")
    v.assign(2.0)
    checkpoint.sync()
    checkpoint.restore(path)
    assert v.numpy() == 1.0
