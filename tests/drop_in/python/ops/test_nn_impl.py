"""Logits of drawn classes."""

import numpy as np

import reflow as tf
from reflow.drop_in.python.ops.nn_impl import _compute_sampled_logits


def test_logits_of_true_and_of_drawn_classes():
    weights, biases = np.float32([[1, 0], [0, 2], [3, 3], [4, 5]]), np.float32([0.5, 0, 1, 2])
    inputs, drawn = np.float32([[1, 2]]), ([0, 1], [[0.5]], [0.5, 0.25])
    parts = [weights[::2], weights[1::2]], [biases[::2], biases[1::2]]  # dealt out
    for w, b in ((weights, biases), parts):
        logits, labels = _compute_sampled_logits(
            w, b, tf.constant([[2]]), inputs, 2, 4, sampled_values=drawn, subtract_log_q=False
        )
        np.testing.assert_allclose(logits, [[10.0, 1.5, 4.0]])
        np.testing.assert_allclose(labels, [[1.0, 0.0, 0.0]])
    logits, _ = _compute_sampled_logits(weights, biases, tf.constant([[2]]), inputs, 2, 4, sampled_values=drawn)
    np.testing.assert_allclose(logits, [[10.0 - np.log(0.5), 1.5 - np.log(0.5), 4.0 - np.log(0.25)]], rtol=1e-6)
