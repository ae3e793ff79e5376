"""Checkpoint ops refuse what does not fit, with TensorFlow's words. What they write and read is in the op table."""

import os

import pytest

import reflow as tf


def save(prefix, names, parts, *tensors):
    tf.raw_ops.SaveV2(prefix=str(prefix), tensor_names=names, shape_and_slices=parts, tensors=list(tensors))


def restore(prefix, name, part, dtype):
    return tf.raw_ops.RestoreV2(prefix=str(prefix), tensor_names=[name], shape_and_slices=[part], dtypes=[dtype])


def test_what_does_not_fit_is_refused(tmp_path):
    prefix = tmp_path / "x"
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not match the shape of the tensor to save"):
        save(prefix, ["w"], ["4 0,2"], tf.zeros([3]))
    save(prefix, ["w"], ["4 0,2"], tf.zeros([2]))
    with pytest.raises(tf.errors.NotFoundError, match="Key v not found in checkpoint"):
        restore(prefix, "v", "", tf.float32)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="expected dtype int32 does not equal original dtype float"
    ):
        restore(prefix, "w", "", tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not match the shape stored in checkpoint"):
        restore(prefix, "w", "5 0,2", tf.float32)
    with pytest.raises(tf.errors.DataLossError, match="leave 2 elements out"):
        restore(prefix, "w", "", tf.float32)


def test_merging_leaves_one_checkpoint_and_no_folder(tmp_path):
    for i in range(2):
        save(tmp_path / "t" / str(i), [f"v{i}"], [""], tf.constant(i))
    parts = [f"{tmp_path}/t/{i}" for i in range(2)]
    tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes=parts, destination_prefix=f"{tmp_path}/m")
    assert sorted(os.listdir(tmp_path)) == ["m.data-00000-of-00002", "m.data-00001-of-00002", "m.index"]
    assert [tf.train.load_variable(f"{tmp_path}/m", f"v{i}") for i in range(2)] == [0, 1]
    save(tmp_path / "t" / "0", ["v0"], [""], tf.constant(0))
    with pytest.raises(tf.errors.InvalidArgumentError, match="the same tensor: v0"):
        tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes=[parts[0]] * 2, destination_prefix=f"{tmp_path}/m")
