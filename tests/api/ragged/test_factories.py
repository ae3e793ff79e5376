"""`reflow/api/ragged/factories.py`: what TensorFlow prints for the expressions of `factories.txt`."""

import pytest

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


def test_ranges_of_several_dtypes():
    assert tf.ragged.range([1, 2], [3, 4], 0.5).to_list() == [[1, 1.5, 2, 2.5], [2, 2.5, 3, 3.5]]
    assert tf.ragged.range(0, 3.5).dtype == tf.float32 and tf.ragged.range(3.0, [1]).to_list() == [[]]
    assert tf.ragged.range(tf.constant([1], tf.int64), 5).dtype == tf.int64
    with pytest.raises(TypeError, match="is uint8"):
        tf.ragged.range(tf.constant(3, tf.uint8))
