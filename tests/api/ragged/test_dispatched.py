"""`reflow/api/ragged/dispatched.py`: what TensorFlow prints for the expressions of `dispatched.txt`."""

import pytest

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


def test_dropout_has_the_arguments_of_its_version():
    ragged = tf.ragged.constant([[1.0, 2.0], [], [3.0]])
    v1 = tf.compat.v1.nn.dropout
    for kept in (v1(ragged, 1.0), v1(ragged, keep_prob=1.0), v1(ragged, rate=0.0), tf.nn.dropout(ragged, 0.0)):
        assert kept.to_list() == ragged.to_list()
    with pytest.raises(ValueError, match="noise_shape is not supported yet"):
        v1(ragged, 1.0, [1])


def test_log_softmax_of_version_1_takes_ragged_tensors():
    """As in TensorFlow, element by element of the flat values; version 2 refuses them."""
    rows = tf.ragged.constant([[-2.0, 3.0], [-3.0]])
    flat = tf.nn.log_softmax(rows.flat_values).numpy().tolist()
    assert tf.compat.v1.nn.log_softmax(rows).flat_values.numpy().tolist() == flat
    with pytest.raises(ValueError, match="RaggedTensor"):
        tf.nn.log_softmax(rows)
