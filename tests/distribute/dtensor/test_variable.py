"""`reflow/distribute/dtensor/variable.py`: a variable has a layout and keeps it."""

import pytest

import reflow as tf
from tests.distribute.dtensor.meshes import dtensor, on_one, one


def test_what_is_assigned_gets_the_layout():
    v = dtensor.DVariable(on_one([1.0, 2.0], "x"), name="v")
    v.assign([3.0, 4.0])
    assert dtensor.fetch_layout(v) == v.layout == dtensor.fetch_layout(v + 1.0)
    written = v.assign_sub([1.0, 1.0])
    assert repr(written).startswith(
        "<tf.Variable 'UnreadVariable' shape=(2,) dtype=float32, value=[2 3], layout=\"sharding_specs:x,"
    )
    assert dtensor.is_dtensor(v) and not dtensor.is_dtensor(tf.Variable(on_one([1.0], "x")))


def test_refusals():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Neither layout nor DTensor"):
        dtensor.DVariable([1.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Conflicting layout"):
        dtensor.DVariable(on_one([1.0], "x"), layout=dtensor.Layout([dtensor.UNSHARDED], one()))


def test_saved_as_bfloat16(tmp_path):
    v = dtensor.DVariable(on_one([1.001, 2.0], "x"))
    dtensor.enable_save_as_bf16([v, tf.Variable(1.0)])
    path = tf.train.Checkpoint(v=v).save(str(tmp_path / "c"))
    v.assign([0.0, 0.0])
    tf.train.Checkpoint(v=v).restore(path)
    assert v.numpy().tolist() == [1.0, 2.0] and v.dtype == tf.float32
