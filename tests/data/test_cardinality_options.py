"""How much work a cardinality may cost. Bytes and numbers are TensorFlow's."""

import pytest

import reflow as tf
from reflow.data.cardinality_options import CardinalityOptions, ComputeLevel

D = tf.data.Dataset
MODERATE = CardinalityOptions(compute_level="CARDINALITY_COMPUTE_MODERATE")


def test_the_message():
    assert MODERATE.SerializeToString() == b"\x08\x02" and CardinalityOptions().SerializeToString() == b""
    assert CardinalityOptions.FromString(b"\x08\x01").compute_level is ComputeLevel.CARDINALITY_COMPUTE_LOW


@pytest.mark.parametrize("dataset, expected", [
    (lambda: D.range(4).flat_map(D.range), 6), (lambda: D.range(0).flat_map(D.range), 0),
    (lambda: D.range(4).flat_map(D.range).batch(4), 2),
    (lambda: D.range(3).flat_map(lambda x: D.range(1).repeat()), -1),
    (lambda: D.range(3).flat_map(lambda x: D.range(4).filter(lambda y: y > 1)), -2),
])  # fmt: skip
def test_flat_map(dataset, expected):
    variant = dataset()._variant_tensor
    for options, found in ((MODERATE, expected), (CardinalityOptions(1), -2), (CardinalityOptions(), -2)):
        text = options.SerializeToString()
        assert int(tf.raw_ops.DatasetCardinality(input_dataset=variant, cardinality_options=text)) == found
    assert int(dataset().cardinality()) == -2


# recorded from TensorFlow
INFINITE = {
    "interleave": (lambda d: d.interleave(D.range), -2),
    "parallel interleave": (lambda d: d.interleave(D.range, num_parallel_calls=2), -1),
    "older interleave": (lambda d: d.apply(tf.data.experimental.parallel_interleave(D.range, 2)), -2),
    "enumerate": (lambda d: d.enumerate(), -1),
    "rebatch": (lambda d: d.batch(3).rebatch(2), -2),
    "choose": (lambda d: D.choose_from_datasets([d, D.range(3)], D.range(2)), -1),
}


@pytest.mark.parametrize("name", INFINITE)
def test_of_an_infinite_dataset(name):
    make, expected = INFINITE[name]
    assert int(make(D.range(5).repeat()).cardinality()) == expected


def test_a_range_up_to_the_last_number_is_infinite():
    numbers = D.range(2**63 - 1)
    assert int(numbers.cardinality()) == -1
    assert [int(x) for x in numbers.skip(3).take(2)] == [3, 4]
    assert sorted(int(x) for x in numbers.shuffle(3, seed=1).take(2)) <= [4, 5]
