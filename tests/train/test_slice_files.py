"""Checkpoints of version 1: TensorFlow's files are read and written, and clean errors for damaged ones."""

import random

import numpy as np
import pytest

import reflow as tf
from reflow.core import errors
from reflow.train import slice_files
from reflow.train.slices import Part
from tools.golden import slice_files as golden


def test_reads_tensorflows_files():
    assert golden.read(tf, golden.GOLDEN)


def test_writes_tensorflows_files(tmp_path):
    golden.write(tf, tmp_path / "x")
    for name in ("one", "two-00000-of-00002", "two-00001-of-00002"):
        assert (tmp_path / "x" / name).read_bytes() == (golden.GOLDEN / name).read_bytes()


def test_a_saver_of_version_one_restores_objects_too(tmp_path):
    v = tf.Variable([1.0, 2.0], name="v")
    saver = tf.compat.v1.train.Saver([v], write_version=1)
    path = saver.save(None, str(tmp_path / "model"), global_step=5)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["checkpoint", "model-5"]
    assert tf.train.latest_checkpoint(str(tmp_path)) == path and tf.train.list_variables(path) == [("v", [2])]
    for restore in (
        lambda: saver.restore(None, path),
        lambda: tf.train.Checkpoint(v=v).restore(path).assert_existing_objects_matched(),
    ):
        v.assign([0.0, 0.0])
        restore()
        assert v.numpy().tolist() == [1.0, 2.0]


def test_slices_that_leave_something_out_are_an_error(tmp_path):
    path = str(tmp_path / "x")
    slice_files.write(path, {Part("w", (4,), ((0, 2),)): np.ones(2)})
    with slice_files.open_checkpoint(path) as reader:
        assert reader.get_slice("w", ((0, 2),)).tolist() == [1.0, 1.0]
        with pytest.raises(errors.DataLossError, match="leave 2 elements out"):
            reader.get("w")
    with pytest.raises(ValueError, match="closed"):
        reader.get_slice("w", ((0, 2),))


def test_files_that_do_not_fit_each_other(tmp_path):
    for i, kind in enumerate((np.float32, np.float64)):
        slice_files.write(str(tmp_path / f"x-{i}"), {Part("w", (4,), ((2 * i, 2),)): np.ones(2, kind)})
    with pytest.raises(errors.DataLossError, match="differ in the type"):
        slice_files.open_checkpoint(tmp_path / "x-?")


def test_damaged_files_are_data_loss(tmp_path):
    draw = random.Random(0)
    content = (golden.GOLDEN / "one").read_bytes()
    path = tmp_path / "one"
    for _ in range(200):
        damaged = bytearray(content)
        damaged[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
        path.write_bytes(bytes(damaged[: draw.choice([len(content), draw.randrange(len(content))])]))
        try:
            slice_files.open_checkpoint(path).get_all()
        except (errors.DataLossError, errors.UnimplementedError) as error:
            assert str(path) in str(error)


def test_no_checkpoint_at_all(tmp_path):
    with pytest.raises(errors.NotFoundError, match="Failed to find any matching files"):
        slice_files.open_checkpoint(tmp_path / "nothing")
