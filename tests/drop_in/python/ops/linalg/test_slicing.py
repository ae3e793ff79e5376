"""Slices of the arguments of an operator."""

import reflow as tf
from reflow.drop_in.python.ops.linalg import slicing


def test_one_argument():
    kept = slicing._slice_single_param(tf.zeros([7, 1, 5, 4]), 1, (slice(None), slice(2, None)), [7, 6, 5])
    assert kept.shape == [7, 1, 5, 4], "an axis along which it is broadcast stays whole"
    assert slicing._slice_single_param(tf.zeros([7, 6, 4]), 1, (..., 2), [7, 6]).shape == [7, 4]
    assert slicing._slice_single_param(tf.zeros([4]), 1, (slice(2),), [7]).shape == [1, 4]


def test_an_operator_with_another_argument():
    operator = tf.linalg.LinearOperatorDiag(tf.ones([3, 2]))
    found = slicing.batch_slice(operator, {"is_positive_definite": True}, slice(1, None))
    assert found.shape == [2, 2, 2]
    assert found.is_positive_definite
