"""Datasets under a strategy: each element is a share for every replica."""

import pytest

import reflow as tf
from reflow.distribute.input import deal_elements, share_batches

D = tf.data.Dataset


def shares(dataset):
    return [[v.numpy().tolist() for v in element.values] for element in dataset]


def test_batches_are_cut():
    assert shares(share_batches(D.range(7).batch(4), 2)) == [[[0, 1], [2, 3]], [[4, 5], [6]]]


def test_a_small_batch_leaves_replicas_without():
    assert shares(share_batches(D.range(2).batch(2), 3)) == [[[0], [1], []]]


def test_elements_are_dealt():
    assert shares(deal_elements(D.range(5).batch(1), 2)) == [[[0], [1]], [[2], [3]], [[4], []]]


def test_structures():
    dataset = share_batches(D.from_tensor_slices(([1, 2], {"a": [3.0, 4.0]})).batch(2), 2)
    (element,) = dataset
    x, rest = element
    assert [v.numpy().tolist() for v in x.values] == [[1], [2]]
    assert [v.numpy().tolist() for v in rest["a"].values] == [[3.0], [4.0]]


def test_scalars_cannot_be_divided():
    with pytest.raises(ValueError, match="Only datasets of batches can be distributed"):
        share_batches(D.range(3), 2)


@pytest.mark.parametrize(
    "element", [lambda x: (x,), lambda x: {"a": x}, lambda x: (x, {"b": x})],
    ids=["tuple of one", "dictionary", "nested"],
)
def test_elements_of_every_structure_are_dealt(element):
    dataset = deal_elements(D.range(5).batch(1).map(element), 2)
    assert int(dataset.cardinality()) == 3 == len(list(dataset))
    values = [[tf.nest.flatten(v)[0].numpy().tolist() for v in tf.nest.flatten(step)[0].values] for step in dataset]
    assert values == [[[0], [1]], [[2], [3]], [[4], []]]


def test_how_many_steps_there_are_may_be_unknown():
    assert (
        int(deal_elements(D.range(5).filter(lambda x: x > 2).batch(1), 2).cardinality()) == tf.data.UNKNOWN_CARDINALITY
    )
    assert int(deal_elements(D.range(5).repeat().batch(1), 2).cardinality()) == tf.data.INFINITE_CARDINALITY


@pytest.mark.parametrize("distribute", [share_batches, deal_elements])
def test_one_replica_gets_the_elements_as_they_are(distribute):
    dataset = distribute(D.range(4).batch(2), 1)
    assert (
        [x.numpy().tolist() for x in dataset] == [[0, 1], [2, 3]]
        and dataset.element_spec == tf.TensorSpec([None], tf.int64)
    )


def test_elements_of_one_shape_leave_no_empty_batches():
    """Recorded from TensorFlow 2.21: a last step without an element for every replica is left out."""
    numbers = deal_elements(D.range(3), 2)
    assert numbers.element_spec == tf.types.experimental.distributed.PerReplica([0, 1])._type_spec.__class__(
        tf.TensorSpec([], tf.int64), tf.TensorSpec([], tf.int64)
    )
    assert shares(numbers) == [[0, 1]]
    assert shares(deal_elements(D.range(6).batch(2, drop_remainder=True), 2)) == [[[0, 1], [2, 3]]]
    assert shares(deal_elements(D.range(4).batch(1), 2, [1, 0])) == [[[1], [0]], [[3], [2]]]


@pytest.fixture(params=["one", "mirrored"])
def strategy(request):
    if request.param == "one":
        return tf.distribute.OneDeviceStrategy("/cpu:0")
    return tf.distribute.MirroredStrategy(["CPU:0"])


def test_a_distributed_dataset_is_no_dataset(strategy):
    """It can be counted, reduced and iterated over; transformations come before."""
    given = strategy.experimental_distribute_dataset(D.range(10).batch(4))
    made = strategy.distribute_datasets_from_function(lambda context: D.range(10).batch(2))
    for dataset, count in ((given, 3), (made, 5)):
        iterator = iter(dataset)
        assert isinstance(dataset, tf.distribute.DistributedDataset) and not isinstance(dataset, tf.data.Dataset)
        assert isinstance(iterator, tf.distribute.DistributedIterator) and int(dataset.cardinality) == count
        assert iterator.next().shape == iterator.get_next().shape and len(list(dataset)) == count
        assert int(dataset.reduce(tf.constant(0), lambda so_far, step: so_far + 1)) == count
        assert not hasattr(dataset, "map") and not hasattr(dataset, "__len__")
        assert dataset.element_spec == iterator.element_spec == tf.TensorSpec([None], tf.int64)
    assert type(given._type_spec).__name__ == "DistributedDatasetSpec"
    assert type(made._type_spec).__name__ == "DistributedDatasetsFromFunctionSpec"


def test_functions_take_and_return_them(strategy):
    dataset = strategy.experimental_distribute_dataset(D.range(10).batch(4))
    same = tf.function(lambda value: value)
    for value in (dataset, iter(dataset)):
        back = same(value)
        assert type(back) is type(value) and [int(tf.reduce_sum(x)) for x in back] == [6, 22, 17]
    with tf.Graph().as_default():
        distributed = strategy.experimental_distribute_dataset(D.range(3).batch(1))
        with pytest.raises(RuntimeError, match=r"__iter__\(\) is only supported inside of tf.function"):
            iter(distributed)


def test_loops_in_functions(strategy):
    dataset = strategy.experimental_distribute_dataset(D.range(10).batch(4))

    @tf.function
    def count(data):
        steps = 0
        for _ in data:
            steps += 1
        return steps

    @tf.function
    def first(data):
        steps = 0
        for _ in data:
            steps += 1
            if steps > 1:
                break
        return steps

    @tf.function
    def numbered(data):
        total = 0
        for i, _ in enumerate(data):
            total += i
        return total

    assert int(count(dataset)) == int(count(iter(dataset))) == 3 and int(first(iter(dataset))) == 2
    with pytest.raises(NotImplementedError, match="break and return statements are not yet supported in for"):
        first(dataset)
    for data, name in ((dataset, "DistributedDataset"), (iter(dataset), "DistributedIterator")):
        with pytest.raises(NotImplementedError, match=f"enumerate not supported with {name} types within tf.functions"):
            numbered(data)
