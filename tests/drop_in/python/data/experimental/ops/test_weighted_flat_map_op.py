"""Several datasets in given shares."""

import pytest

import reflow as tf
from reflow.drop_in.python.data.experimental.ops.weighted_flat_map_op import _weighted_flat_map

tens = [tf.data.Dataset.range(start, start + 10) for start in (0, 10, 20)]


def test_shares():
    assert [int(x) for x in _weighted_flat_map(tens, [1, 1, 2])] == [*range(5), *range(10, 15), *range(20, 30)]
    assert [int(x) for x in _weighted_flat_map([tf.data.Dataset.range(2), tf.data.Dataset.range(1)])] == [0, 1, 0]
    assert int(_weighted_flat_map(tens, [1, 1, 2])[7]) == 12


@pytest.mark.parametrize(
    ("datasets", "weights", "message"),
    [
        ([tens[0].repeat(), tens[1]], None, "Cardinalities of the inputs must be known."),
        (tens, [0.0, 1.0, 1.0], "must be greater than 0.0"),
        (tens, [float("inf"), 1.0, 1.0], "must be finite"),
        (tens, [1, 1, 100], "needs to have at least"),
    ],
)
def test_errors(datasets, weights, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        list(_weighted_flat_map(datasets, weights))
    with pytest.raises(TypeError, match="Incompatible dataset elements"):
        _weighted_flat_map([tens[0], tf.data.Dataset.from_tensors("a")])
