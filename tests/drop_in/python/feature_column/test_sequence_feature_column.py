"""Numbers of sequences."""

import pytest

import reflow as tf
from reflow.drop_in.python.feature_column import sequence_feature_column as private


def test_context_joins_each_step():
    joined = private.concatenate_context_input(tf.ones([2, 1]), tf.zeros([2, 3, 1]))
    assert joined[1].numpy().tolist() == [[0.0, 1.0]] * 3
    with pytest.raises(ValueError, match="sequence_input must have rank 3"):
        private.concatenate_context_input(tf.ones([2, 1]), tf.zeros([2, 3]))
    with pytest.raises(TypeError, match="context_input must have dtype float32"):
        private.concatenate_context_input(tf.ones([2, 1], tf.int32), tf.zeros([2, 3, 1]))
