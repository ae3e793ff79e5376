"""`reflow/api/nn/losses.py`: what TensorFlow prints for the expressions of `losses.txt`."""

import pytest

import reflow as tf
from reflow.core import errors
from tests.expressions import session

test_expressions = session(__file__)


def test_labels_for_more_rows_than_there_are_logits():
    labels, logits = tf.ones([2, 3]), tf.ones([1, 3])
    unknown = tf.TensorSpec([None, 3])
    loss = tf.nn.softmax_cross_entropy_with_logits
    for call in (loss, tf.function(loss), tf.function(loss, input_signature=[unknown, unknown])):
        with pytest.raises((errors.InvalidArgumentError, ValueError), match="reshape"):
            call(labels, logits)
    assert loss(labels[:1], tf.ones([2, 3])).shape == [2]  # labels may be broadcast
