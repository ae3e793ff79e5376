"""The tangents of tensors: the numbers and places are TensorFlow's."""

import reflow as tf
from reflow.drop_in.python.eager.forwardprop_util import TangentInfo, pack_tangents


def test_tangents_and_their_places():
    c, d = tf.constant(1.0), tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator([c, d], [tf.constant(10.0), tf.constant(20.0)]):
        info = pack_tangents([c, tf.constant(5.0), d])
        assert info.indices == (((0, 3), (2, 4)),) and [t.numpy() for t in info.tangents] == [10.0, 20.0]
        with tf.autodiff.ForwardAccumulator(c, tf.constant(7.0)):
            both = pack_tangents([c, d])
    assert both.indices == (((0, 2),), ((0, 3), (1, 4))) and [t.numpy() for t in both.tangents] == [7.0, 10.0, 20.0]
    assert pack_tangents([c]) == TangentInfo((), [])
