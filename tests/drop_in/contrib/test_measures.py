"""Metrics and losses with predictions in front of labels."""

import numpy as np

import reflow as tf
from reflow.drop_in.contrib.index import contrib

v1 = tf.compat.v1


def test_metrics_take_predictions_first():
    with tf.Graph().as_default(), v1.Session() as session:
        metrics = contrib.metrics
        pairs = {
            "precision": metrics.streaming_precision([1, 1], [1, 0]),
            "recall": metrics.streaming_recall([1, 1], [1, 0]), "mean": metrics.streaming_mean([1.0, 2.0]),
            "error": metrics.streaming_mean_absolute_error([1.0], labels=[3.0]),
        }
        values, updates = metrics.aggregate_metric_map(pairs)
        session.run(v1.local_variables_initializer())
        session.run(list(updates.values()))
        assert session.run(values) == {"precision": 0.5, "recall": 1.0, "mean": 1.5, "error": 2.0}
        assert session.run(metrics.accuracy(tf.constant([1, 2, 3]), tf.constant([1, 2, 4]), [1, 1, 2])) == 0.5
    assert contrib.metrics.aggregate_metrics((1, 2), (3, 4)) == ([1, 3], [2, 4])


def test_losses_take_predictions_first():
    with tf.Graph().as_default(), v1.Session() as session:
        losses = contrib.losses
        logits, labels = tf.constant([[0.0, 10.0]]), tf.constant([[0.0, 1.0]])
        cross = losses.softmax_cross_entropy(logits, labels, weights=2.0)
        sparse = losses.sparse_softmax_cross_entropy(logits, tf.constant([0]))
        square = losses.mean_squared_error(tf.constant([1.0]), tf.constant([3.0]), weight=0.5)
        np.testing.assert_allclose(session.run([cross, sparse, square]), [2 * 4.54e-5, 10.0, 2.0], rtol=1e-3)
        assert len(losses.get_losses()) == 3 and losses.get_total_loss() is not None
