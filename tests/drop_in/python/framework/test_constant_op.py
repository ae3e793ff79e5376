"""What is a constant."""

import pytest

import reflow as tf
from reflow.drop_in.python.eager.context import context
from reflow.drop_in.python.framework import constant_op


def test_constants_of_graphs():
    with tf.Graph().as_default():
        assert (
            constant_op.is_constant(tf.constant(1))
            and not constant_op.is_constant(tf.compat.v1.placeholder(tf.float32).op)
        )


def test_tensors_with_a_value():
    with tf.Graph().as_default():
        assert constant_op.convert_to_eager_tensor([1, 2], context(), tf.float32).numpy().tolist() == [1.0, 2.0]
    with pytest.raises(TypeError, match="Expected tensor"):
        constant_op.convert_to_eager_tensor(tf.constant(1), context(), tf.float32)
