"""Places where rows begin."""

import pytest

import reflow as tf
from reflow.drop_in.python.ops.ragged import ragged_util


def test_splits():
    splits = tf.constant([0, 2, 2, 3])
    assert ragged_util.lengths_to_splits([2, 0, 1]).numpy().tolist() == [0, 2, 2, 3]
    assert ragged_util.assert_splits_match([[splits], [splits]]) == [None]
    with pytest.raises(ValueError, match="identical ragged splits"):
        ragged_util.assert_splits_match([[splits], [splits, splits]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="identical ragged splits"):
        ragged_util.assert_splits_match([[splits], [splits + 1]])
