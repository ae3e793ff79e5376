"""The arrays of slices."""

import pytest

import reflow as tf
from reflow.drop_in.python.framework import indexed_slices
from reflow.drop_in.python.framework.indexed_slices import IndexedSlicesValue


def test_fields():
    assert IndexedSlicesValue([1.0], [0], None)._fields == ("values", "indices", "dense_shape")


def test_conversions_that_keep_slices():
    slices = tf.IndexedSlices(tf.ones([1, 2]), [0])
    one, none, same = indexed_slices.convert_n_to_tensor_or_indexed_slices([1, None, slices])
    assert one.numpy() == 1 and none is None and same is slices
    with pytest.raises(ValueError, match="Incompatible tensor conversion requested to `dtype` float32"):
        indexed_slices.internal_convert_to_tensor_or_indexed_slices(tf.constant(1), tf.float32)
    with pytest.raises(TypeError, match="must be iterable"):
        indexed_slices.convert_n_to_tensor_or_indexed_slices(3)
