"""Gradients as `tf.contrib.eager` gave them."""

import pytest

import reflow as tf
from reflow.drop_in.contrib import contrib


def test_gradients_of_contrib_eager():
    eager, v = contrib.eager, tf.Variable(3.0)
    ((gradient, of),) = eager.implicit_gradients(lambda x: v * v * x)(2.0)
    assert gradient.numpy() == 12.0 and of is v
    value, gradients = eager.value_and_gradients_function(lambda a, b: a * b, params=["b"])(2.0, 5.0)
    assert value.numpy() == 10.0 and [g.numpy() for g in gradients] == [2.0]
    assert eager.gradients_function(lambda x: x * x)(3.0)[0].numpy() == 6.0
    with pytest.raises(ValueError, match="No trainable variables"):
        eager.implicit_gradients(lambda x: x)(tf.constant(1.0))
