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


def test_repeated_elements():
    assert array_ops.repeat_with_axis([[1, 2], [3, 4]], [1, 2], 0).numpy().tolist() == [[1, 2], [3, 4], [3, 4]]
    with pytest.raises(TypeError, match="`axis` must be an int"):
        array_ops.repeat_with_axis([[1, 2]], 2, 1.0)
    assert array_ops.tile_one_dimension(tf.constant([[1, 2]]), 0, 2).numpy().tolist() == [[1, 2], [1, 2]]
    unknown = tf.function(lambda x: array_ops.tile_one_dimension(x, 0, 2), input_signature=[tf.TensorSpec(None)])
    assert unknown(tf.ones([2])).numpy().tolist() == [1, 1, 1, 1]


def test_whole_numbers():
    assert array_ops.convert_to_int_tensor([1, 2], "x").dtype == tf.int32
    assert array_ops.convert_to_int_tensor(tf.constant([1], tf.int64), "x", None).dtype == tf.int64
    with pytest.raises(TypeError, match="must be of type integer"):
        array_ops.convert_to_int_tensor([1.5], "x")


def test_zeros_and_ones():
    assert array_ops.zeros_like_impl(tf.constant([1, 2]), tf.float32, "z").numpy().tolist() == [0.0, 0.0]
    assert array_ops.ones_like_impl(tf.constant([1, 2]), None, "z", optimize=False).numpy().tolist() == [1, 1]
