"""Datasets as values: sources, laziness, positions, functions with what they capture."""

import numpy as np
import pytest

import reflow as tf
from reflow.data.engine.values import INFINITE, Range, shape_text
from tests.data.engine.datasets import elements, numbers, restored_everywhere, value_of

D = tf.data.Dataset


def test_a_range():
    assert [e[0] for e in restored_everywhere(numbers(3))] == [0, 1, 2]
    assert numbers(3).cardinality() == 3 and repr(numbers(3)) == "<Range>" and isinstance(numbers(3), Range)


def test_slices_of_tensors():
    dataset = value_of(D.from_tensor_slices((np.arange(3), ["a", "b", "c"])))
    assert restored_everywhere(dataset) == [[0, b"a"], [1, b"b"], [2, b"c"]]


def test_making_an_iterator_does_no_work():
    calls = []
    dataset = value_of(
        D.from_generator(lambda: calls.append(1) or iter([1, 2]), output_signature=tf.TensorSpec([], tf.int32))
    )
    iterator = dataset.iterate()
    assert calls == []
    next(iterator)
    assert calls == [1]


def test_iterators_of_one_dataset_are_independent():
    dataset = numbers(3)
    a, b = dataset.iterate(), dataset.iterate()
    next(a), next(a)
    assert next(b)[0] == 0 and next(a)[0] == 2


def test_the_tree_in_words():
    dataset = value_of(D.range(3).map(lambda x: x).batch(2))
    assert repr(dataset) == "<Batch of <Map of <Range>>>"
    assert shape_text((None, 2)) == "[?,2]"


def test_a_function_sees_a_variable_as_it_is_when_it_runs():
    v = tf.Variable(1, dtype=tf.int64)
    dataset = value_of(D.range(2).map(lambda x: x + v))
    assert elements(dataset) == [[1], [2]]
    v.assign(10)
    assert elements(dataset) == [[10], [11]]


def test_without_end():
    assert value_of(D.random(seed=1)).cardinality() == INFINITE


def test_elements_by_their_index():
    ds = tf.data.Dataset.range(10).map(lambda x: x * x).batch(4).repeat(2)
    assert ds[-1].numpy().tolist() == [64, 81] and ds[3].numpy().tolist() == [0, 1, 4, 9]
    with pytest.raises(IndexError, match="out of range for a dataset of 6 elements"):
        ds[6]
    with pytest.raises(tf.errors.UnimplementedError, match="Random access is not implemented for dataset Filter"):
        tf.data.Dataset.range(3).filter(lambda x: x > 0)[1]
    with pytest.raises(tf.errors.FailedPreconditionError, match="infinite cardinality"):
        tf.data.experimental.at(ds.repeat(), 0)


def test_shuffled_elements_by_their_index_are_in_the_order_of_tensorflow():
    ds = tf.data.Dataset.range(10).shuffle(10, seed=1)
    tf.random.set_seed(87654321)
    with_global_seed = tf.data.Dataset.range(10).shuffle(10, seed=1)
    assert sorted(int(ds[i]) for i in range(10)) == list(range(10))
    assert [int(with_global_seed[i]) for i in range(10)] == [7, 9, 3, 6, 5, 1, 8, 4, 0, 2]


def test_a_great_skip_computes_nothing():
    size = 10**15
    assert [int(x) for x in tf.data.Dataset.range(size).skip(size - 1)] == [size - 1]
    assert [int(x) for x in tf.data.Dataset.range(size).take(size - 1).skip(size - 2)] == [size - 2]
    assert [x.numpy().tolist() for x in tf.data.Dataset.range(size).batch(10).skip(size // 10 - 1)] == [
        list(range(size - 10, size))
    ]
