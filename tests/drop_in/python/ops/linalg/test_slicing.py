"""Operators of a part of a batch."""

import numpy as np

import reflow as tf
from reflow.drop_in.python.ops.linalg.slicing import batch_slice


def test_parts_of_a_batch():
    operator = tf.linalg.LinearOperatorFullMatrix(np.ones([4, 3, 2, 2]))
    assert batch_slice(operator, {}, (slice(1, 3), 0)).batch_shape == [2]
    changed = batch_slice(operator, {"is_self_adjoint": True}, ...)
    assert changed.batch_shape == [4, 3] and changed.is_self_adjoint
