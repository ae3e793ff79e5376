"""Errors of functions name the stage that called them, and the way to it."""

import pytest

import reflow as tf

D = tf.data.Dataset
ONE = D.from_tensors(42)

# recorded from TensorFlow, which puts a number behind the name of an op that was called eagerly
CONTEXTS = {
    "InterleaveDataset Iterator::Root::Prefetch::Interleave": lambda: ONE.interleave(lambda x: D.from_tensors(x // 0)),
    "ParallelInterleaveDatasetV4 Iterator::Root::ParallelInterleaveV4": lambda: ONE.interleave(
        lambda x: D.from_tensors(x // 0), num_parallel_calls=1
    ),
    "FlatMapDataset Iterator::Root::Prefetch::FlatMap": lambda: ONE.flat_map(lambda x: D.from_tensors(x // 0)),
    "MapDataset Iterator::Root::ParallelMapV2": lambda: ONE.map(lambda x: x // 0),
    "ParallelMapDatasetV2 Iterator::Root::ParallelMapV2": lambda: ONE.map(lambda x: x // 0, num_parallel_calls=2),
    "FilterDataset Iterator::Root::Prefetch::Filter": lambda: ONE.filter(lambda x: x // 0 == 0),
    "FilterDataset Iterator::Root::Prefetch::BatchV2::Filter": lambda: ONE.filter(lambda x: x // 0 == 0).batch(2),
    "FilterDataset Iterator::Root::Prefetch::FlatMap[0]::Filter": lambda: ONE.flat_map(
        lambda x: D.from_tensors(x).filter(lambda y: y // 0 == 0)
    ),
}


@pytest.mark.parametrize("expected", CONTEXTS)
def test_the_stage_is_named(expected):
    op, path = expected.split()
    dataset = CONTEXTS[expected]()
    for read in (next, lambda iterator: iterator.get_next_as_optional()):
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            read(iter(dataset))
        context = (
            f"Error in user-defined function passed to {op} transformation with iterator: {path}: "
            "Integer division by zero\n"
        )
        assert context in str(caught.value) and str(caught.value).count("Error in user-defined") == 1


def test_users_line_comes_first():
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"(?s)Detected at node .*test_error_context.*\n\nError in user-defined"
    ):
        list(ONE.map(lambda x: x // 0))


def test_other_errors_stay():
    dataset = D.range(3).apply(tf.data.experimental.assert_cardinality(5))
    with pytest.raises(tf.errors.FailedPreconditionError) as caught:
        list(dataset)
    assert "user-defined" not in str(caught.value)
