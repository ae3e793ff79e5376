"""Which part of a dataset a process reads. `programs/multi_worker.py` compares the policies with TensorFlow's."""

from types import SimpleNamespace

import pytest

import reflow as tf
from reflow.distribute.sharding import batch_sizes, distributed


def test_batch_sizes_as_tensorflow_divides_them():
    assert [batch_sizes(7, 2, 2, i) for i in range(2)] == [[2, 2, 2, 1], [2, 1, 2, 2]]
    assert [batch_sizes(10, 3, 1, i) for i in range(3)] == [[4, 3, 3], [3, 3, 4], [3, 4, 3]]


def test_files_are_dealt(tmp_path):
    paths = [str(tmp_path / name) for name in "abc"]
    for path in paths:
        with tf.io.TFRecordWriter(path) as writer:
            for i in range(3):
                writer.write(f"{path[-1]}{i}".encode())
    mine = SimpleNamespace(index=1, count=2)
    records = tf.data.TFRecordDataset(paths).repeat(2).batch(4)
    steps = [step.numpy().tolist() for step in distributed(records, mine, 1)]
    assert steps == [[b"b0", b"b1"], [b"b2", b"b0"], [b"b1", b"b2"]]
    one = tf.data.TextLineDataset(paths[:1]).batch(4)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"the dataset only has 1 file\(s\), .* required 2 shards"):
        list(distributed(one, SimpleNamespace(index=0, count=2), 1))
    assert list(distributed(one, mine, 1)) == []


def test_a_hint_says_where_a_pipeline_is_sharded():
    hint = tf.data.experimental.SHARD_HINT
    numbers = tf.data.Dataset.range(10).shard(hint, hint)
    with pytest.raises(tf.errors.FailedPreconditionError, match="SHARD_HINT"):
        list(numbers)
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.HINT
    mine = SimpleNamespace(index=1, count=3)
    steps = distributed(numbers.map(lambda x: x * 2).batch(6).with_options(options), mine, 1)
    assert [step.numpy().tolist() for step in steps] == [[2, 8], [14]]
    assert (
        [x.numpy().tolist() for x in distributed(tf.data.Dataset.range(3).batch(3).with_options(options), mine, 1)]
        == [[0], [1], [2]]
    )
