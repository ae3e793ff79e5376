"""`reflow/api/control/tensor_array.py`: what TensorFlow prints for the expressions of `tensor_array.txt`."""

import pytest

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


def test_negative_indices():
    array = tf.TensorArray(tf.float32, 3).unstack([1.0, 2.0, 3.0])
    with pytest.raises(tf.errors.OutOfRangeError, match=r"Reading from negative indices \(index -1\) is not allowed."):
        array.read(-1)

    @tf.function
    def scatter(indices):  # TensorFlow 2.21 crashes
        return tf.TensorArray(tf.float32, 3).unstack([1.0, 2.0, 3.0]).scatter(indices, [7.0]).stack()

    assert scatter(tf.constant([1])).numpy().tolist() == [1.0, 7.0, 3.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="must all be non-negative"):
        scatter(tf.constant([-1]))
