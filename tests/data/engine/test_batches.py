"""Datasets that join elements or take them apart."""

import numpy as np
import pytest

import reflow as tf
from reflow.data.engine.batches import Batch, Rebatch, Unbatch, Window, stack
from tests.data.engine.datasets import elements, numbers, restored_everywhere


@pytest.mark.parametrize(("drop", "expected"), [(False, [[0, 1], [2, 3], [4]]), (True, [[0, 1], [2, 3]])])
def test_batches(drop, expected):
    batches = Batch(numbers(5), 2, drop)
    assert [e[0] for e in restored_everywhere(batches)] == expected
    assert (batches.cardinality(), batches.batch_size()) == (len(expected), 2)


def test_unbatch_and_rebatch():
    batches = Batch(numbers(6), 3, False)
    assert [e[0] for e in restored_everywhere(Unbatch(batches, 3))] == list(range(6))
    rebatched = Rebatch(batches, [1, 2], False)
    assert [e[0] for e in restored_everywhere(rebatched)] == [[0], [1, 2], [3], [4, 5]]


def test_windows_are_datasets():
    windows = [[v for (v,) in elements(w)] for (w,) in Window(numbers(5), 2, 2, 1, False).iterate()]
    assert windows == [[0, 1], [2, 3], [4]]
    assert Window(numbers(5), 2, 1, 1, True).cardinality() == 4


def test_elements_of_different_shapes_do_not_stack():
    assert stack([[np.ones(2)], [np.zeros(2)]])[0].shape == (2, 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot batch tensors with different shapes"):
        stack([[np.ones(2)], [np.ones(3)]])


def test_a_batch_is_parsed_by_one_call_and_errors_are_of_an_element():
    def example(**values):
        features = {k: tf.train.Feature(int64_list=tf.train.Int64List(value=v)) for k, v in values.items()}
        return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()

    spec = {"a": tf.io.VarLenFeature(tf.int64), "b": tf.io.FixedLenFeature([2], tf.int64)}
    texts = [example(a=range(n), b=[n, n]) for n in range(3)] + [example(a=[1])]
    parsed = tf.data.Dataset.from_tensor_slices(texts).map(lambda text: tf.io.parse_single_example(text, spec))
    (first, *_) = parsed.take(3).batch(3)
    one_by_one = next(iter(parsed.take(3).filter(lambda _: True).batch(3)))
    for x, y in zip(tf.nest.flatten(first, True), tf.nest.flatten(one_by_one, True), strict=True):
        assert x.numpy().tolist() == y.numpy().tolist() and x.dtype is y.dtype
    iterator = iter(parsed.batch(2))
    next(iterator)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Feature: b .* is required but could not be found"):
        next(iterator)


def test_padded_batches_of_single_strings():
    assert (
        next(tf.data.Dataset.from_tensor_slices(["a", "bc"]).padded_batch(2).as_numpy_iterator()).tolist()
        == [b"a", b"bc"]
    )
