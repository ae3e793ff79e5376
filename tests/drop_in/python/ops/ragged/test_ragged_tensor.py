"""Tests and conversions for ragged tensors."""

import pytest

import reflow as tf
from reflow.drop_in.python.ops.ragged import ragged_tensor


def test_conversion():
    ragged = tf.ragged.constant([[1], []])
    assert ragged_tensor.is_ragged(ragged) and not ragged_tensor.is_ragged([1])
    assert ragged_tensor.convert_to_tensor_or_ragged_tensor(ragged) is ragged
    assert ragged_tensor.convert_to_tensor_or_ragged_tensor([1, 2], tf.int64).dtype is tf.int64
    with pytest.raises(ValueError, match="requested dtype"):
        ragged_tensor.convert_to_tensor_or_ragged_tensor(ragged, tf.float32)
