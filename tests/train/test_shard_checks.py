"""What sharding callbacks may not do: errors recorded from TensorFlow 2.21."""

import re
from types import SimpleNamespace

import pytest

import reflow as tf
from reflow.train.shard_checks import validate_shards

FIRST, SECOND = (f"/job:worker/replica:0/task:{task}/device:CPU:0" for task in (0, 1))


def tensor(size, task=FIRST, dtype=tf.float32):
    return SimpleNamespace(shape=tf.TensorShape([size]), dtype=dtype, device=task)


def given(**tensors):
    Shardable = tf.train.experimental.ShardableTensor
    return [Shardable(None, t, t.dtype, t.device, key, t.shape, "", key, None) for key, t in tensors.items()]


BOTH = given(a=tensor(2), b=tensor(1))


def test_what_is_allowed():
    a, b = tensor(2), tensor(1)
    for shards in ([{"a": {"": a}}, {"b": {"": b}}], [{"a": {" ": a}, "b": {"": b}}]):
        validate_shards(shards, BOTH, "")
    halves = [{"a": {"2 0,1": tensor(1)}}, {"a": {"2 1,1": tensor(1)}, "b": {"": b}}]
    validate_shards(halves, BOTH, "")
    validate_shards([{"a": {"": tensor(1, "/device:CPU:0")}, "b": {"": tensor(1, SECOND)}}],
                    given(a=tensor(1, "/device:CPU:0"), b=tensor(1, SECOND)), "")  # fmt: skip


@pytest.mark.parametrize(
    ("tensors", "shards", "what", "details"),
    [
        (BOTH, [{"a": {"": tensor(2)}}, {"a": {"": tensor(2)}}],
         "multiple tensors with the same checkpoint key and slice spec were found",
         "checkpoint_key: a\n  slice_spec: \n"),
        (BOTH, [{"c": {"": tensor(2)}}],
         "a tensor not originally in the object graph was found in the checkpoint shards",
         "checkpoint_key: c\n  slice_spec: \n"),
        (BOTH, [{"a": {"": tensor(3)}}], "a tensor was found with an altered shape",
         "checkpoint_key: a\n  slice_spec: \n  original tensor_shape: (2,)\n  new tensor_shape: (3,)\n"),
        (BOTH, [{"a": {"": tensor(2, dtype=tf.int32)}}], "a tensor was found with an altered dtype",
         "checkpoint_key: a\n  slice_spec: \n  original tensor_dtype: <dtype: 'float32'>\n"
         "  new tensor_dtype: <dtype: 'int32'>\n"),
        (BOTH, [{"a": {"": tensor(2, SECOND)}}], "a tensor was found with an altered task",
         "checkpoint_key: a\n  slice_spec: \n  original tensor_task: 0\n  new tensor_task: 1\n"),
        (given(a=tensor(1, SECOND), b=tensor(1)), [{"a": {"": tensor(1, SECOND)}, "b": {"": tensor(1)}}],
         "tensors with different tasks were found in the same shard",
         "tensor #1:    checkpoint_key: a\n    slice_spec: \n    task: 1\n"
         "  tensor #2:    checkpoint_key: b\n    slice_spec: \n    task: 0\n"),
        (BOTH, [{"a": {"": tensor(2)}}],
         "tensors in the object graph were not found in the checkpoint shards",
         "tensor:\n    checkpoint_key: b\n    slice_spec: {'': namespace("),
    ],
)  # fmt: skip
def test_what_is_refused(tensors, shards, what, details):
    text = f"After executing the checkpoint sharding callback, {what}:\n  callback_description: mine\n  {details}"
    with pytest.raises(RuntimeError, match=re.escape(text)):
        validate_shards(shards, tensors, "mine")
