"""A worker's part of a dataset."""

import pytest

import reflow as tf
from reflow.drop_in.python.data.experimental.ops import distribute


def test_every_nth_element_unless_the_options_say_otherwise():
    numbers = tf.data.Dataset.range(7)
    assert [int(x) for x in distribute._AutoShardDataset(numbers, 3, 1)] == [1, 4]
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
    assert len(list(distribute._AutoShardDataset(numbers.with_options(options), 3, 1))) == 7


def test_batches_in_parts():
    parts = distribute._LegacyRebatchDataset(tf.data.Dataset.range(8).batch(4, drop_remainder=True), 2)
    assert parts.element_spec.shape == [2] and [x.numpy().tolist() for x in parts] == [[0, 1], [2, 3], [4, 5], [6, 7]]
    with pytest.raises(ValueError, match="rank >= 1"):
        distribute._LegacyRebatchDataset(tf.data.Dataset.range(8), 2)


def test_a_dataset_of_a_serialized_graph():
    dataset = tf.data.Dataset.range(5).map(lambda x: 2 * x)
    copied = distribute._RemoteDataset(dataset._as_serialized_graph(), "/device:CPU:0", dataset.element_spec)
    assert [int(x) for x in copied] == [0, 2, 4, 6, 8]
