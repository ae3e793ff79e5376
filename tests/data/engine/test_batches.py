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
