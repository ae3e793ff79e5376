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


@pytest.mark.parametrize(
    ("size", "workers", "replicas", "index", "expected"),
    [
        (7, 2, 2, 0, [2, 2, 2, 1]), (7, 2, 2, 1, [2, 1, 2, 2]), (8, 2, 2, 1, [2, 2, 2, 2]),
        (3, 3, 2, 2, [0, 0, 1, 1, 1, 0]),
    ],
)
def test_sizes_of_the_batches_of_a_worker(size, workers, replicas, index, expected):
    sizes = distribute.batch_sizes_for_worker(size, workers, replicas, index)
    assert sizes.dtype is tf.int64 and sizes.numpy().tolist() == expected
    traced = tf.function(lambda size: distribute.batch_sizes_for_worker(size, workers, replicas, index))
    assert traced(tf.constant(size, tf.int64)).numpy().tolist() == expected


def test_copies_on_devices():
    dataset = tf.data.Dataset.range(3).map(lambda x: x + 1)
    copies = distribute.replicate(dataset, ["/cpu:0", "/device:CPU:0"])
    assert {device: [int(x) for x in copy] for device, copy in copies.items()} == {
        "/cpu:0": [1, 2, 3], "/device:CPU:0": [1, 2, 3]
    }
    here = dataset._variant_tensor.device
    assert distribute.replicate(dataset, [here])[here] is dataset
    with pytest.raises(TypeError, match=r"Expected a `tf.data.Dataset` object but got <class 'int'>"):
        distribute.replicate(1, ["/cpu:0"])
