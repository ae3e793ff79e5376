"""Checks of factors."""

import pytest

import reflow as tf
from reflow.drop_in.python.ops.linalg.linalg_impl import lu_reconstruct_assertions


def test_factors_and_permutations():
    assert lu_reconstruct_assertions(tf.ones([2, 2]), tf.constant([0, 1]), False) == []
    for shape, perm, message in (([2], [0, 1], "at least 2"), ([2, 2], 1, "must equal"), ([2, 3], [0, 1], "square")):
        with pytest.raises(ValueError, match=message):
            lu_reconstruct_assertions(tf.ones(shape), tf.constant(perm), True)
    check = tf.function(
        lambda x: lu_reconstruct_assertions(x, tf.constant([0, 1]), True) and x, input_signature=[tf.TensorSpec(None)]
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="square"):
        check(tf.ones([2, 3]))
