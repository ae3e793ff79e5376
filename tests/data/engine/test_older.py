"""Datasets of older pipelines: positions are saved, and readers of an earlier round are told."""

import pytest

from reflow.core import errors
from reflow.data.engine import older
from reflow.data.engine.buffers import SeedGenerator
from reflow.data.engine.values import Listed, Range
from reflow.data.kernels.dataset import Words


def test_samples_and_windows_go_on_where_they_were():
    numbers = Range(0, 40, 1, "int64")
    for dataset in (
        older.Sampling(numbers, 0.5, SeedGenerator(Words, 1, 2, False)), older.Sliding(numbers, 3, 2, 1, True)
    ):
        every = [e[0].tolist() for e in dataset.iterate()]
        first = dataset.iterate()
        head = [next(first)[0].tolist() for _ in range(4)]
        again = dataset.iterate()
        again.restore(first.state())
        assert head + [e[0].tolist() for e in again] == every


def test_a_reader_of_an_earlier_round_is_told():
    iterator = older.MultiDeviceIterator(["a", "b"])
    first = iterator.start(Listed([[0], [1], [2]]))
    second = iterator.start(Listed([[0], [1], [2]]))
    with pytest.raises(errors.InvalidArgumentError, match="Invalid incarnation id. Provided: 1; Expected: 2"):
        iterator.get_next(0, first)
    assert [iterator.get_next(1, second), iterator.get_next(0, second), iterator.get_next(0, second)] == [[1], [0], [2]]
    with pytest.raises(errors.OutOfRangeError):
        iterator.get_next(1, second)
