"""`tensorflow.python.ops.handle_data_util`: what is known about the variable or the list behind a handle."""

import pytest

import reflow as tf
from reflow.drop_in.python.ops.handle_data_util import (
    copy_handle_data,
    create_handle_data,
    get_handle_data,
    get_resource_handle_data,
    set_handle_data,
)

LIST = 1001  # TFT_ARRAY


def shown(data):
    entries = data.shape_and_type
    return [(tf.TensorShape(entry.shape), tf.as_dtype(entry.dtype), entry.type.type_id) for entry in entries]


def test_a_handle_knows_what_another_knows():
    with tf.Graph().as_default():
        v = tf.Variable([1.0, 2.0])
        handle = tf.compat.v1.placeholder(tf.resource, [])
        copy_handle_data(v.handle, handle)
        assert tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32).shape == [2]
        c = tf.constant(1.0)
        both = tf.identity_n([c, v.handle])
        assert tf.gradients(both[0], [c, v.handle])[1].shape == [2]


def test_messages_about_handles():
    v = tf.Variable([1.0, 2.0])
    assert shown(get_handle_data(v.handle)) == [([2], tf.float32, 0)]

    @tf.function
    def made():
        found = tf.raw_ops.TensorListFromTensor(tensor=[1.0, 2.0], element_shape=tf.zeros([0], tf.int32))
        assert get_resource_handle_data(found).shape_and_type[0].type.type_id == LIST
        return found

    assert shown(get_handle_data(made())) == [([], tf.float32, LIST)]
    with pytest.raises(AssertionError):
        get_resource_handle_data(v.handle)


def test_handles_are_told_what_a_message_says():
    with tf.Graph().as_default():
        handle = tf.compat.v1.placeholder(tf.resource, [])
        assert not get_handle_data(handle).is_set
        set_handle_data(handle, get_handle_data(handle))
        assert not get_handle_data(handle).is_set
        set_handle_data(handle, create_handle_data(tf.TensorShape([2, None]), tf.float32))
        assert shown(get_handle_data(handle)) == [([2, None], tf.float32, 0)]
        assert tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32).shape.as_list() == [2, None]
