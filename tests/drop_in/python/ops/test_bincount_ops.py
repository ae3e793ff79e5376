"""Weights of values that are counted."""

import pytest

import reflow as tf
from reflow.drop_in.python.ops import bincount_ops


def test_weights_are_a_tensor_or_none():
    values, weights = tf.constant([1, 2]), tf.constant([1.0, 2.0])
    assert bincount_ops.validate_dense_weights(values, weights) is weights
    assert bincount_ops.validate_dense_weights(values, None).dtype == tf.int32
    assert bincount_ops.validate_dense_weights(values, None, tf.float32).dtype == tf.float32
    with pytest.raises(ValueError, match="must be a tf.Tensor"):
        bincount_ops.validate_dense_weights(values, [1.0, 2.0])
