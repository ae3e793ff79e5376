"""tf_slim: layers in scopes, in a graph of version 1."""

import numpy as np
import tensorflow.compat.v1 as tf
import tf_slim as slim

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [None, 8, 8, 3])
with slim.arg_scope([slim.conv2d], weights_regularizer=slim.l2_regularizer(0.01)):
    net = slim.conv2d(x, 4, [3, 3], scope="conv")
net = slim.fully_connected(slim.flatten(net), 2, activation_fn=None, scope="out")
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    assert session.run(net, {x: np.ones([2, 8, 8, 3])}).shape == (2, 2)
assert len(slim.losses.get_regularization_losses()) == 1
