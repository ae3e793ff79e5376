"""`tensorflow.python.ops.handle_data_util`: what is known about the variable behind a handle."""

import reflow as tf
from reflow.drop_in.python.ops.handle_data_util import copy_handle_data


def test_a_handle_knows_what_another_knows():
    with tf.Graph().as_default():
        v = tf.Variable([1.0, 2.0])
        handle = tf.compat.v1.placeholder(tf.resource, [])
        copy_handle_data(v.handle, handle)
        assert tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32).shape == [2]
        c = tf.constant(1.0)
        both = tf.identity_n([c, v.handle])
        assert tf.gradients(both[0], [c, v.handle])[1].shape == [2]
