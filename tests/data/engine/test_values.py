"""Datasets as values: sources, laziness, positions, functions with what they capture."""

import numpy as np

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
    dataset = value_of(D.from_generator(lambda: calls.append(1) or iter([1, 2]), output_signature=tf.TensorSpec([], tf.int32)))
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
