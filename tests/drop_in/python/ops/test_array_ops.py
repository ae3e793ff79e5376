"""Shapes of tensors, as constants where they are known."""

import pytest

import reflow as tf
from reflow.drop_in.python.ops import array_ops


def test_known_shapes_are_constants():
    with tf.Graph().as_default():
        known, open_ = tf.zeros([2, 3]), tf.compat.v1.placeholder(tf.float32, [None, 3])
        for function in (array_ops.shape_internal, array_ops.size_internal):
            assert function(known).op.type == "Const" and function(known, optimize=False).op.type != "Const"
            assert function(open_).op.type != "Const"
        assert array_ops.rank_internal(open_).op.type == "Const"
        assert array_ops.rank_internal(known, optimize=False).op.type == "Rank"


def test_differences_of_lists():
    found = array_ops.listdiff(tf.constant([1, 2, 3, 4]), tf.constant([1, 3]))
    assert found.out.numpy().tolist() == [2, 4] and found.idx.numpy().tolist() == [1, 3]


def test_axes():
    assert array_ops.get_positive_axis(-1, 3) == 2
    with pytest.raises(ValueError, match="out of bounds: expected -3<=axis<3"):
        array_ops.get_positive_axis(3, 3)
