"""`reflow/drop_in/python/distribute/input_util.py`: values and errors recorded from TensorFlow 2.21."""

import pytest

import reflow as tf
from reflow.compat.distribute.iterators import InputWorkers
from reflow.drop_in.python.distribute import input_util

D = tf.data.Dataset
ONE, TWO = (InputWorkers([("/device:CPU:0", ["/device:CPU:0"] * count)]) for count in (1, 2))
STRATEGY = tf.distribute.OneDeviceStrategy("/cpu:0")


def steps(dataset):
    """Each step: a list for one replica, or a list with one list for each."""
    return [[v.numpy().tolist() for v in s.values] if hasattr(s, "values") else s.numpy().tolist() for s in dataset]


def test_elements_are_dealt_and_batches_divided_before():
    numbers = D.range(10).batch(4)
    dealt = input_util.get_distributed_dataset(numbers, ONE, STRATEGY)
    assert steps(dealt) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]] and int(dealt.cardinality) == 3
    halves = input_util.get_distributed_dataset(numbers, ONE, STRATEGY, num_replicas_in_sync=2)
    assert steps(halves) == [[0, 1], [2, 3], [4, 5], [6, 7], [8], [9]]
    thirds = input_util.get_distributed_dataset(numbers, ONE, STRATEGY, num_replicas_in_sync=3)
    assert steps(thirds) == [[0, 1], [2, 3], [], [4, 5], [6, 7], [], [8], [9], []]
    both = input_util.get_distributed_dataset(numbers, TWO, STRATEGY, num_replicas_in_sync=2)
    assert steps(both) == [[[0, 1], [2, 3]], [[4, 5], [6, 7]], [[8], [9]]]
    turned = input_util.get_distributed_dataset(numbers, TWO, STRATEGY, replica_order=[1, 0])
    assert steps(turned) == [[[4, 5, 6, 7], [0, 1, 2, 3]], [[], [8, 9]]]


def test_the_part_of_a_worker():
    numbers = D.range(10).batch(2)
    for index, whole, divided in (
        (0, [[0, 1], [4, 5], [8, 9]], [[0], [2], [4], [6], [8]]),
        (1, [[2, 3], [6, 7]], [[1], [3], [5], [7], [9]]),
    ):  # fmt: skip
        context = tf.distribute.InputContext(2, index, 2)
        part = input_util.get_distributed_dataset(numbers, ONE, STRATEGY, input_context=context)
        assert steps(part) == whole
        part = input_util.get_distributed_dataset(numbers, ONE, STRATEGY, 2, context)
        assert steps(part) == divided


def test_a_function_makes_the_dataset():
    def make(context):
        return D.range(5).batch(2)

    contexts = [tf.distribute.InputContext()]
    dataset = input_util.get_distributed_datasets_from_function(make, TWO, contexts, STRATEGY)
    assert steps(dataset) == [[[0, 1], [2, 3]], [[4], []]] and int(dataset.cardinality) == 3
    with pytest.raises(ValueError, match=r"input workers \(1\) is not same as number of input_contexts \(2\)"):
        input_util.get_distributed_datasets_from_function(make, ONE, contexts * 2, STRATEGY)
    mode = tf.distribute.InputReplicationMode.PER_REPLICA
    for options, words in (
        (tf.distribute.InputOptions(experimental_place_dataset_on_device=True), "you must also specify `PER_REPLICA`"),
        (
            tf.distribute.InputOptions(
                experimental_place_dataset_on_device=True, experimental_fetch_to_device=True,
                experimental_replication_mode=mode,
            ),
            "can not be set to True when experimental_fetch_to_device is True",
        ),
    ):
        with pytest.raises(ValueError, match=words):
            input_util.get_distributed_datasets_from_function(make, ONE, contexts, STRATEGY, options)
