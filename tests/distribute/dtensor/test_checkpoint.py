"""`reflow/distribute/dtensor/checkpoint.py`: saved by objects and by names, restored to a layout."""

import pytest

import reflow as tf
from tests.distribute.dtensor.meshes import dtensor, on_one, one


def test_by_objects(tmp_path):
    v = dtensor.DVariable(on_one([1.0, 2.0], "x"))
    checkpoint = dtensor.DTensorCheckpoint(one(), v=v)
    path = checkpoint.save(str(tmp_path / "c"))
    v.assign([0.0, 0.0])
    checkpoint.restore(path).assert_consumed()
    assert v.numpy().tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="experimental_io_device"):
        checkpoint.write(str(tmp_path / "d"), options=tf.train.CheckpointOptions(experimental_io_device="/cpu:0"))


def test_by_names(tmp_path):
    x, v = on_one([1.0, 2.0], "x"), dtensor.DVariable(on_one(3, ))
    path = str(tmp_path / "c")
    dtensor.name_based_save(one(), path, {"x": x, "v": v})
    restored = dtensor.name_based_restore(one(), path, {"v": v, "x": x})
    assert list(restored) == ["v", "x"] and restored["x"].numpy().tolist() == [1.0, 2.0] and int(restored["v"]) == 3
    assert dtensor.fetch_layout(restored["x"]).sharding_specs == ["x"]
    with pytest.raises(ValueError, match="must be a DTensor"):
        dtensor.name_based_restore(one(), path, {"x": tf.constant([1.0])})
