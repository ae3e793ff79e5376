"""Saving as an op: in functions, and as a dataset whose position is saved."""

import pytest

import reflow as tf

D = tf.data.Dataset


def test_saving_in_a_function_and_with_checkpoints(tmp_path):
    @tf.function
    def save():
        D.range(3).save(str(tmp_path / "in"))

    save()
    assert [int(x) for x in D.load(str(tmp_path / "in"))] == [0, 1, 2]
    arguments = {"directory": str(tmp_path / "points"), "max_to_keep": 1, "checkpoint_interval": 1}
    D.range(3).save(str(tmp_path / "out"), checkpoint_args={**arguments, "step_counter": tf.Variable(0)})
    assert [int(x) for x in D.load(str(tmp_path / "out"))] == [0, 1, 2]
    with pytest.raises(ValueError, match="not allowed to include 'checkpoint'"):
        D.range(3).save(str(tmp_path / "no"), checkpoint_args={"checkpoint": None})
