"""What tests of the dataset engine share: its datasets, without `tf.data` above them."""

from __future__ import annotations

import numpy as np

import reflow as tf
from reflow.data.engine.values import Range


def numbers(stop: int) -> Range:
    """The numbers 0 … stop - 1."""
    return tf.data.Dataset.range(stop)._variant_tensor._value


def value_of(dataset):
    """The engine's dataset behind one of `tf.data`."""
    return dataset._variant_tensor._value


def elements(dataset) -> list:
    """All elements, as plain data."""
    return [plain(element) for element in dataset.iterate()]


def plain(element):
    return [np.asarray(v).tolist() for v in element]


def restored_everywhere(dataset):
    """An iterator that is put to any position gives what comes behind it."""
    expected = elements(dataset)
    iterator = dataset.iterate()
    states = [iterator.state()]
    for _ in expected:
        next(iterator)
        states.append(iterator.state())
    for at, state in enumerate(states):
        fresh = dataset.iterate()
        fresh.restore(state)
        assert [plain(element) for element in fresh] == expected[at:]
    return expected
