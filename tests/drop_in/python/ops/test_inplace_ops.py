"""A tensor with some of its rows changed."""

import reflow as tf
from reflow.drop_in.python.ops import inplace_ops


def test_rows():
    x = tf.constant([[1.0], [2.0], [3.0]])
    assert inplace_ops.inplace_update(x, 1, [9.0]).numpy().tolist() == [[1.0], [9.0], [3.0]]
    assert inplace_ops.inplace_add(x, [0, 2], [[1.0], [1.0]]).numpy().tolist() == [[2.0], [2.0], [4.0]]
    assert inplace_ops.inplace_sub(x, [0], [[1.0]]).numpy().tolist() == [[0.0], [2.0], [3.0]]
    assert x.numpy().tolist() == [[1.0], [2.0], [3.0]] and inplace_ops.empty_like(x).shape == (3, 1)
