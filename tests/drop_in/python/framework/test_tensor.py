"""The base of specs whose values act as tensors."""

import reflow as tf
from reflow.drop_in.python.framework import tensor


def test_a_spec_of_a_tensor_is_dense():
    assert issubclass(tf.TensorSpec, tensor.DenseSpec)
    assert repr(tensor.DenseSpec([2], name="x")) == "DenseSpec(shape=(2,), dtype=tf.float32, name='x')"
