"""`reflow/data/batches.py`: what TensorFlow prints for the expressions of `batches.txt`."""

import pytest

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


def test_elements_beyond_the_last_boundary():
    lengths = tf.data.Dataset.from_tensor_slices([2, 9]).map(lambda n: tf.ones([n]))
    buckets = lengths.bucket_by_sequence_length(lambda x: tf.size(x), [3, 6], [1, 1, 1], pad_to_bucket_boundary=True)
    iterator = iter(buckets)
    assert next(iterator).shape == [1, 2]
    with pytest.raises(tf.errors.OpError, match="bucket_boundaries"):
        next(iterator)
