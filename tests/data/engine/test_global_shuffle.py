"""`global_shuffle`: a permutation of all elements, and pipelines without random access."""

import pytest

import reflow as tf
from reflow.data.experimental_names import global_shuffle

D = tf.data.Dataset


@pytest.mark.parametrize("make", [
    lambda: D.range(20), lambda: D.range(20).map(lambda x: x).prefetch(1),
    lambda: D.range(10).concatenate(D.range(10, 20)), lambda: D.range(40).take(20), lambda: D.range(20).cache(),
])  # fmt: skip
def test_all_elements_once(make):
    found = [int(x) for x in global_shuffle(make(), seed=1)]
    assert sorted(found) == list(range(20)) != found


# recorded from TensorFlow
REFUSED = {
    "FilterDataset does not support random access": lambda: D.range(4).filter(lambda x: True),
    "ShuffleDatasetV3 does not support random access": lambda: D.range(4).shuffle(2),
    "ScanDataset does not support random access": lambda: D.range(4).scan(0, lambda s, x: (s, x)).take(2),
    "PaddedBatchDatasetV2 does not support random access": lambda: D.range(4).padded_batch(2),
    "BatchDatasetV2 does not support global shuffling with `drop_remainder=False`": lambda: D.range(4).batch(2),
    r"`repeat\(-1\)` does not support random access": lambda: D.range(4).repeat(),
}


@pytest.mark.parametrize("message", REFUSED)
def test_stages_without_random_access(message):
    expected = (
        f"requires all upstream transformations be compatible with random access. Got: FAILED_PRECONDITION: {message}"
    )
    with pytest.raises(tf.errors.FailedPreconditionError, match=expected):
        global_shuffle(REFUSED[message]())


def test_no_elements():
    with pytest.raises(tf.errors.InvalidArgumentError, match="non-empty finite cardinality. Got cardinality 0"):
        global_shuffle(D.range(0))
