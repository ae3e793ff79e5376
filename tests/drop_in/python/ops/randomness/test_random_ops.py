"""Draws of classes."""

import pytest

import reflow as tf
from reflow.drop_in.python.ops.randomness.random_ops import multinomial_categorical_impl


def test_draws():
    drawn = multinomial_categorical_impl([[0.0, 100.0]], 3, None, 1)
    assert drawn.dtype == tf.int64 and drawn.numpy().tolist() == [[1, 1, 1]]
    with pytest.raises(ValueError, match="Accepted dtypes"):
        multinomial_categorical_impl([[0.0, 100.0]], 3, tf.float32, 1)
