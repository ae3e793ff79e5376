"""Labels of the CTC loss."""

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.python.ops import ctc_ops


def test_labels_as_a_sparse_tensor():
    labels = ctc_ops.dense_labels_to_sparse([[1, 2, 0], [3, 0, 0]], [2, 1])
    assert tf.sparse.to_dense(labels).numpy().tolist() == [[1, 2], [3, 0]] and labels.dtype == tf.int32


def test_loss_of_dense_labels():
    logits = tf.reshape(tf.range(24.0), [3, 2, 4]) % 5
    found = ctc_ops.ctc_loss_dense(tf.constant([[1, 2], [1, 1]]), logits, [2, 1], [3, 3])
    np.testing.assert_allclose(found, [3.67888, 3.47791], rtol=1e-5)


def test_ends_of_paths():
    first, last = ctc_ops.ctc_state_log_probs(tf.constant([1, 2]), 2)
    assert (first.numpy()[:, 0] == 0).all() and (first.numpy()[:, 1:] < -700).all()
    assert np.argwhere(last.numpy() == 0).tolist() == [[0, 1], [0, 4], [1, 2], [1, 5]]


def test_states_of_a_scan():
    x = tf.constant([1.0, 2.0, 3.0])
    for options, expected in (
        ({}, [24.0, 26.0, 29.0]),
        ({"inclusive": True}, [23.0, 24.0, 26.0, 29.0]),
        ({"reverse": True}, [29.0, 28.0, 26.0]),
        ({"reverse": True, "inclusive": True}, [29.0, 28.0, 26.0, 23.0]),
        ({"final_only": True}, 29.0),
    ):
        assert ctc_ops._scan(lambda state, element: state + element, x, 23.0, **options).numpy().tolist() == expected
    sums, products = ctc_ops._scan(lambda s, e: (s[0] + e, s[1] * e), x, (23.0, tf.constant([1.0, 2.0])))
    assert (
        sums.numpy().tolist() == [24.0, 26.0, 29.0]
        and products.numpy().tolist() == [[1.0, 2.0], [2.0, 4.0], [6.0, 12.0]]
    )


def test_the_loss_and_its_gradient():
    """The numbers are TensorFlow's."""
    logits = tf.reshape(tf.range(48, dtype=tf.float32), [6, 2, 4]) % 5.0
    labels, lengths = tf.constant([[1, 2, 2], [3, 1, 0]]), (tf.constant([3, 2]), tf.constant([6, 5]))
    first = [[-0.17757, -0.70323, 0.23688, 0.64391], [-0.09953, 0.01522, 0.04137, 0.04294]]
    for unique in (None, tf.nn.ctc_unique_labels(labels)):
        loss, gradient = ctc_ops.ctc_loss_and_grad(logits, labels, *lengths, unique=unique)
        np.testing.assert_allclose(loss, [5.47671, 5.04806], rtol=1e-5)
        np.testing.assert_allclose(gradient[0], first, atol=1e-4)
    reference = tf.nn.ctc_loss(labels, logits, *lengths)
    np.testing.assert_allclose(loss, reference, rtol=1e-4)


def test_chances_of_labels():
    zeros = tf.zeros([1, 1, 6])
    chances = np.exp(ctc_ops._state_to_olabel(tf.constant([[1, 1]]), 3, zeros))
    np.testing.assert_allclose(chances, [[[3.0, 2.0, 0.0]]], rtol=1e-5)
    sums = np.exp(ctc_ops._sum_states(tf.constant([[0, 1, 0]]), tf.zeros([1, 1, 3])))
    np.testing.assert_allclose(sums, [[[2.0, 1.0, 0.0]]], rtol=1e-5)


def test_ways_between_states():
    ways = ctc_ops._ctc_state_trans(tf.constant([[1, 1]]))[0].numpy()
    assert ways.tolist() == [
        [1, 0, 0, 0, 0, 0], [1, 1, 0, 1, 0, 0], [0, 0, 1, 0, 1, 0],
        [1, 0, 0, 1, 0, 0], [0, 1, 0, 0, 1, 0], [0, 0, 1, 0, 0, 1],
    ]
    with pytest.raises(ValueError, match="must be known and equal to 2 or 3"):
        ctc_ops._forward_backward_log(tf.zeros([1]), None, None, None, None)
