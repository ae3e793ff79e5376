"""The base of specs whose values act as tensors."""

import pytest

import reflow as tf
from reflow.drop_in.python.framework import tensor


def test_a_spec_of_a_tensor_is_dense():
    assert issubclass(tf.TensorSpec, tensor.DenseSpec)
    assert repr(tensor.DenseSpec([2], name="x")) == "DenseSpec(shape=(2,), dtype=tf.float32, name='x')"


def test_names():
    assert [tensor.sanitize_spec_name(n) for n in ("AdEf", "1-a", "_b", "")] == ["adef", "tensor_1_a", "tensor__b", "unknown"]
    assert tensor.get_op_name("^x/y:1") == "x/y"
    with pytest.raises(ValueError, match="cannot be empty"):
        tensor.get_op_name("")
