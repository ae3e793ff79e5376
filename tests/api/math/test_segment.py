"""`reflow/api/math/segment.py`: what TensorFlow prints for the expressions of `segment.txt`."""

import pytest

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


def test_ids_of_another_shape_than_the_data():
    """Also where fewer segments are asked for than there are ids."""
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"data.shape = \[1,2\] does not start with"):
        tf.math.unsorted_segment_sum(tf.constant([[1.0, 2.0]]), [0, 1], 1)
