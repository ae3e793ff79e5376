"""Whether weights fit values."""

import pytest

import reflow as tf
from reflow.drop_in.python.ops.weights_broadcast_ops import assert_broadcastable, broadcast_weights


def test_known_shapes():
    assert (
        assert_broadcastable(1.0, tf.ones([2, 3])) is None
        and assert_broadcastable([[1.0], [2.0]], tf.ones([2, 3])) is None
    )
    with pytest.raises(ValueError, match="values.rank=2. weights.rank=1"):
        assert_broadcastable([1.0], tf.ones([2, 3]))
    with pytest.raises(ValueError, match=r"Mismatch at dim 1. values.shape=\[2"):
        assert_broadcastable([[1.0, 2.0]], tf.ones([2, 3]))


def test_shapes_that_only_the_run_knows():
    @tf.function(input_signature=[tf.TensorSpec(None)] * 2)
    def guarded(weights, values):
        with tf.control_dependencies([assert_broadcastable(weights, values)]):
            return tf.identity(values)

    for fits in ([], [2, 1], [2, 3], [1, 3]):
        guarded(tf.ones(fits), tf.ones([2, 3]))
    for other in ([2], [2, 2], [1, 2, 3]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="can not be broadcast"):
            guarded(tf.ones(other), tf.ones([2, 3]))


def test_broadcasting():
    assert broadcast_weights([[1.0], [2.0]], tf.ones([2, 2])).numpy().tolist() == [[1.0, 1.0], [2.0, 2.0]]
    guarded = tf.function(broadcast_weights, input_signature=[tf.TensorSpec(None)] * 2)
    assert guarded(tf.constant(2.0), tf.ones([2])).numpy().tolist() == [2.0, 2.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="can not be broadcast"):
        guarded(tf.ones([3]), tf.ones([2, 3]))  # Python would broadcast it
