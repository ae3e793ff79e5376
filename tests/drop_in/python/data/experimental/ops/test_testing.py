"""Transformations by which tests look at a pipeline."""

import pytest

import reflow as tf
from reflow.drop_in.python.data.experimental.ops import testing

numbers = tf.data.Dataset.range(3)


def test_the_stages_around():
    dataset = numbers.apply(testing.assert_next(["ParallelMap", "Root"])).map(lambda x: x + 1)
    assert [int(x) for x in dataset] == [1, 2, 3]
    before = [("SkipDataset", None), ("RangeDataset", {})]
    assert [int(x) for x in numbers.skip(1).apply(testing.assert_prev(before))] == [1, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="found no such attribute"):
        list(numbers.apply(testing.assert_prev([("RangeDataset", {"a": True, "b": 1, "c": "x"})])))
    with pytest.raises(ValueError, match="must be bool, int, or str"):
        testing.assert_prev([("RangeDataset", {"a": 1.5})])
    for check in (testing.assert_next, testing.assert_prev):
        with pytest.raises(ValueError, match="empty"):
            check(None)


def test_the_same_elements():
    assert [int(x) for x in numbers.apply(testing.non_serializable()).apply(testing.sleep(1))] == [0, 1, 2]
