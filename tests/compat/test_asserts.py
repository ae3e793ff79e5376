"""The checks of version 1."""

import reflow as tf


def test_assert_scalar_gives_the_tensor_back():
    """Real TensorFlow 2.21: `tf.compat.v1.assert_scalar` returns the tensor, `tf.debugging.assert_scalar` None."""
    assert tf.compat.v1.assert_scalar(3).numpy() == 3
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [])
        assert tf.compat.v1.assert_scalar(x, "named") is x
    assert tf.debugging.assert_scalar(3) is None
