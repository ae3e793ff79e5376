"""The functions that take and return weak tensors."""

import pytest

import reflow as tf
from reflow.drop_in.python.ops import weak_tensor_ops


def test_every_name_is_a_function():
    assert tf.abs in weak_tensor_ops._TF_UNARY_APIS and tf.experimental.numpy.sum in weak_tensor_ops._TF_UNARY_APIS
    assert tf.add in weak_tensor_ops._TF_BINARY_APIS and all(map(callable, weak_tensor_ops._TF_BINARY_APIS))
    with pytest.raises(AttributeError, match="_TF_TERNARY_APIS"):
        weak_tensor_ops._TF_TERNARY_APIS  # noqa: B018
