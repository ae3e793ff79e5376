"""Stages that check which stages stand around them."""

import pytest

import reflow as tf
from reflow.data.engine.assertions import AssertNext, AssertPrev
from tests.data.engine.datasets import numbers, value_of

InvalidArgument = tf.errors.InvalidArgumentError


def test_following_stages_are_compared_without_versions():
    AssertNext(numbers(1), ["Batch", "MapV2"]).check(("BatchV2", "Map", "Root"))
    with pytest.raises(InvalidArgument, match="matching Map at offset 1 but encountered Root transformation"):
        AssertNext(numbers(1), ["Batch", "Map"]).check(("Batch", "Root"))
    with pytest.raises(InvalidArgument, match="Asserted next 2 transformations but encountered only 1"):
        AssertNext(numbers(1), ["Root", "Map"]).check(("Root",))


def test_stages_before_are_compared_with_their_attributes():
    source = value_of(
        tf.data.Dataset.from_tensors(0).map(lambda x: x, num_parallel_calls=2, deterministic=True).batch(1)
    )
    AssertPrev(
        source, [("BatchDataset", {}), ("ParallelMapDatasetV2", {"deterministic": "true"}), ("TensorDataset", {})]
    ).check()
    for expected, message in (
        ([("MapDataset", {})], "matching 'MapDataset' at offset 0 but encountered 'BatchDataset'"),
        ([("BatchDataset", {"size": 1})], "found no such attribute"),
        ([("BatchDataset", {}), ("ParallelMapDataset", {"deterministic": "false"})], "'false' but found 'true'"),
        ([("BatchDataset", {}), ("ParallelMapDataset", {}), ("TensorDataset", {}), ("More", {})], "encountered only 3"),
    ):
        with pytest.raises(InvalidArgument, match=message):
            AssertPrev(source, expected).check()
