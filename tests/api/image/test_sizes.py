"""`reflow/api/image/sizes.py`: what TensorFlow prints for the expressions of `sizes.txt`."""

import pytest

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


def test_patches_of_more_channels_than_can_be_counted():
    with pytest.raises(tf.errors.InvalidArgumentError, match="would"):
        tf.image.extract_patches(tf.ones([1, 1, 1, 3]), [1, 2**31 - 1, 2**31 - 1, 1], [1] * 4, [1] * 4, "SAME")
    with pytest.raises(TypeError, match="Expected list for 'strides'"):
        tf.image.extract_patches(tf.ones([1, 1, 1, 3]), [1] * 4, 2, [1] * 4, "SAME")
