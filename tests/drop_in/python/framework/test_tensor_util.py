"""Static values as shapes."""

import pytest

import reflow as tf
from reflow.drop_in.python.framework import tensor_util


def test_values_as_shapes():
    assert tensor_util.constant_value_as_shape(tf.constant([-1, 3])).as_list() == [None, 3]
    assert tensor_util.constant_value_as_shape(tf.constant(-1)).rank is None
    assert tensor_util.constant_value_as_shape(tf.constant([], tf.int32)).as_list() == []
    with pytest.raises(ValueError, match="Received a scalar"):
        tensor_util.constant_value_as_shape(tf.constant(3))


def test_unknown_values():
    @tf.function(input_signature=[tf.TensorSpec([2], tf.int32)])
    def f(shape):
        assert tensor_util.constant_value_as_shape(shape).as_list() == [None, None]
        return tf.shape(shape)

    f(tf.constant([1, 2]))


def test_shapes_of_protos():
    proto = tf.make_tensor_proto([1, 2, 3], shape=[5])
    assert tensor_util.ShapeEquals(proto, [5]) and not tensor_util.ShapeEquals(proto, [3])
    assert tf.make_ndarray(proto).tolist() == [1, 2, 3, 3, 3]
    with pytest.raises(ValueError, match="Too many elements provided. Takes at most 1, but got 2"):
        tf.make_tensor_proto([1, 2], shape=[1])
    with pytest.raises(TypeError, match="Expected Tensor's shape"):
        tf.make_tensor_proto([1, 2], shape=[4], allow_broadcast=True)


def test_sizes_of_a_proto():
    assert tensor_util.TensorShapeProtoToList(tf.TensorShape([1, None]).as_proto()) == [1, -1]
