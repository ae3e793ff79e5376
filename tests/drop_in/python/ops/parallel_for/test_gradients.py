"""Jacobians of tensors of a graph."""

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.python.ops.parallel_for import gradients


def run(make):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        return session.run(make(tf.constant([[1.0, 2.0], [3.0, 4.0]])))


@pytest.mark.parametrize("at_once", [True, False])
def test_jacobians(at_once):
    whole = run(lambda x: gradients.jacobian(x * x, x, use_pfor=at_once))
    assert whole.shape == (2, 2, 2, 2) and whole.reshape(4, 4).tolist() == np.diag([2.0, 4.0, 6.0, 8.0]).tolist()
    rows = run(lambda x: gradients.batch_jacobian(tf.reduce_sum(x, 1, keepdims=True) * x, x, use_pfor=at_once))
    assert rows.tolist() == [[[4, 1], [2, 5]], [[10, 3], [4, 11]]]


def test_rows_must_belong_together():
    with pytest.raises(ValueError, match="Need first dimension"):
        run(lambda x: gradients.batch_jacobian(tf.ones([3, 2]), x))
