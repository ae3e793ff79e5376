"""`tensorflow.python.ops.metrics_impl`: what streaming metrics are made of."""

import pytest

import reflow as tf
from reflow.drop_in.python.ops import metrics_impl


def test_one_rank():
    predictions, labels, weights = metrics_impl._remove_squeezable_dimensions(
        tf.ones([3, 1]), tf.ones([3]), tf.ones([3, 1])
    )
    assert predictions.shape == labels.shape == weights.shape == [3]
    assert metrics_impl._remove_squeezable_dimensions(tf.ones([3]), None, tf.ones([3, 1]))[2].shape == [3]


def test_counts_at_thresholds():
    with tf.Graph().as_default():
        values, updates = metrics_impl._confusion_matrix_at_thresholds([True, False, True], [0.9, 0.6, 0.2], [0.1, 0.5])
        with tf.compat.v1.Session() as session:
            session.run(tf.compat.v1.local_variables_initializer())
            session.run(updates)
            found = {kind: value.tolist() for kind, value in session.run(values).items()}
        assert found == {"tp": [2.0, 1.0], "fn": [0.0, 1.0], "tn": [0.0, 0.0], "fp": [1.0, 1.0]}
        with pytest.raises(ValueError, match="Invalid key: xx."):
            metrics_impl._confusion_matrix_at_thresholds([True], [0.9], [0.1], includes=("xx",))
