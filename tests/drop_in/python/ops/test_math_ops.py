"""`tensorflow.python.ops.math_ops`: functions without a public name."""

import pytest

import reflow as tf
from reflow.drop_in.python.ops import math_ops
from reflow.drop_in.python.ops.math_ops import _bucketize


def test_bucketize():
    assert _bucketize([-1.0, 0.0, 2.5, 9.0], [0.0, 2.0, 3.0]).numpy().tolist() == [0, 1, 2, 3]


def test_operators_of_booleans_and_of_bits():
    yes, bits = tf.constant([True, False]), tf.constant([1, 2])
    assert math_ops.and_(yes, [True, True]).numpy().tolist() == [True, False]
    assert (
        math_ops.or_(bits, [4, 5]).numpy().tolist() == [5, 7] and math_ops.xor_(bits, [4, 3]).numpy().tolist() == [5, 1]
    )
    assert (
        math_ops.invert_(bits).numpy().tolist() == [-2, -3] and math_ops.invert_(yes).numpy().tolist() == [False, True]
    )
    assert math_ops.matmul_wrapper(tf.ones([2, 3]), tf.ones([3, 1])).numpy().tolist() == [[3], [3]]
    seven = math_ops.DivideDelegateWithName(tf.constant(7), "seven")
    assert (seven / 2).numpy() == 3.5 and (seven // 2).numpy() == 3


def test_reduced_shapes():
    assert math_ops.reduced_shape([2, 3, 4], [0, -1]).tolist() == [1, 3, 1]
    unknown = tf.function(lambda x: math_ops.reduced_shape(tf.shape(x), [0, -1]), input_signature=[tf.TensorSpec(None)])
    assert unknown(tf.ones([2, 3, 4])).numpy().tolist() == [1, 3, 1]
    assert math_ops.reduce_sum_with_dims(tf.ones([2, 3]), dims=[0]).numpy().tolist() == [2, 2, 2]
    assert math_ops.reduce_max_with_dims(tf.ones([2, 3]), keepdims=True, dims=[0, 1]).shape == [1, 1]


def test_axes_of_a_reduction():
    x = tf.ones([2, 3])
    assert math_ops._ReductionDims(x, None).numpy().tolist() == [0, 1] and math_ops._ReductionDims(x, 1) == 1


def test_tensors_as_rows():
    rows = math_ops._as_indexed_slices(tf.constant([[1.0], [2.0]]))
    assert rows.indices.numpy().tolist() == [0, 1] and math_ops._as_indexed_slices(rows) is rows
    wide = tf.IndexedSlices(rows.values, tf.constant([0, 1], tf.int64), rows.dense_shape)
    assert [s.indices.dtype for s in math_ops._as_indexed_slices_list([rows, wide])] == [tf.int64] * 2
    with pytest.raises(TypeError, match="Not a Tensor or IndexedSlices"):
        math_ops._as_indexed_slices(3)
    with pytest.raises(TypeError, match="Expected a list or tuple"):
        math_ops._as_indexed_slices_list(rows)
