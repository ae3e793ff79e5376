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
