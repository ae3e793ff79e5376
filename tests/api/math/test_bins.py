"""`reflow/api/math/bins.py`: what TensorFlow prints for the expressions of `bins.txt`."""

import pytest

import reflow as tf
from reflow.api.math import bins
from tests.expressions import session

test_expressions = session(__file__)


def test_weights_are_a_tensor_or_none():
    values, weights = tf.constant([1, 2]), tf.constant([1.0, 2.0])
    assert bins.validate_dense_weights(values, weights) is weights
    assert bins.validate_dense_weights(values, None).dtype == tf.int32
    assert bins.validate_dense_weights(values, None, tf.float32).dtype == tf.float32
    with pytest.raises(ValueError, match="must be a tf.Tensor"):
        bins.validate_dense_weights(values, [1.0, 2.0])
