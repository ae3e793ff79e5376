"""Sharding callbacks: which tensors go into which file.

Expected counts follow from the rule, and were not recorded from TensorFlow.
"""

import pytest

import reflow as tf
from tests.train.objects import keys_of


def write(tmp_path, callback, **variables):
    options = tf.train.CheckpointOptions(experimental_sharding_callback=callback)
    path = tf.train.Checkpoint(**{name: tf.Variable(v) for name, v in variables.items()}).write(tmp_path / "x", options)
    shards = len(list(tmp_path.glob("x.data-*")))
    restored = {name: tf.Variable(tf.zeros_like(v)) for name, v in variables.items()}
    tf.train.Checkpoint(**restored).read(path).assert_consumed()
    for name, v in variables.items():
        assert restored[name].numpy().tolist() == v.numpy().tolist()
    return path, shards


@pytest.mark.parametrize("size, shards", [(10, 6), (16, 4), (32, 2), (48, 2), (100, 1)])
def test_files_of_at_most_a_size(tmp_path, size, shards):
    """The numbers of files are those of TensorFlow, which never ends for 10 bytes."""
    matrix, text = tf.reshape(tf.range(12.0), [3, 4]), tf.constant(["a", "bc"])
    path, found = write(tmp_path, tf.train.experimental.MaxShardSizePolicy(size), m=matrix, s=text, x=tf.constant(1.0))
    assert found == shards
    assert tf.train.load_variable(path, "m/.ATTRIBUTES/VARIABLE_VALUE").tolist() == matrix.numpy().tolist()


def test_one_file_for_each_task(tmp_path):
    path, shards = write(tmp_path, tf.train.experimental.ShardByTaskPolicy(), a=tf.constant(1.0), b=tf.constant(2.0))
    assert shards == 1 and len(keys_of(path)) == 2


class Wrong(tf.train.experimental.ShardingCallback):
    """Returns what a function makes of the right shards."""

    description = "wrong"

    def __init__(self, change):
        self.change = change

    def __call__(self, shardable_tensors):
        shards = [{t.checkpoint_key: {t.slice_spec: t.tensor}} for t in shardable_tensors]
        self.change(shards)
        return shards


@pytest.mark.parametrize(
    "change, text",
    [
        (lambda shards: shards.pop(), "were not found in the checkpoint shards"),
        (lambda shards: shards.append(shards[0]), "multiple tensors with the same checkpoint key"),
        (lambda shards: shards.append({"new": {"": tf.constant(1.0)}}), "not originally in the object graph"),
        (lambda shards: shards.__setitem__(0, {next(iter(shards[0])): {"": tf.zeros([2])}}), "altered shape"),
        (lambda shards: shards.__setitem__(0, {next(iter(shards[0])): {"": tf.constant(1)}}), "altered dtype"),
    ],
)
def test_what_a_callback_returns_is_checked(tmp_path, change, text):
    with pytest.raises(RuntimeError, match=text):
        write(tmp_path, Wrong(change), a=tf.constant(1.0))


def test_a_callback_is_a_sharding_callback():
    with pytest.raises(ValueError, match="must be of type ShardingCallback"):
        tf.train.CheckpointOptions(experimental_sharding_callback=len)
