"""The base of specs whose values act as tensors."""

import pytest

import reflow as tf
from reflow.drop_in.python.framework import tensor_spec


def test_a_spec_of_a_tensor_is_dense():
    assert issubclass(tf.TensorSpec, tensor_spec.DenseSpec)
    assert repr(tensor_spec.DenseSpec([2], name="x")) == "DenseSpec(shape=(2,), dtype=tf.float32, name='x')"


def test_bounds_are_arrays_that_fit_the_shape():
    spec = tensor_spec.BoundedTensorSpec([2], "int32", 0, [1, 2], "x")
    assert repr(spec) == (
        "BoundedTensorSpec(shape=(2,), dtype=tf.int32, name='x', minimum=array(0, dtype=int32), maximum=array([1, 2], dtype=int32))"
    )
    assert spec == tensor_spec.BoundedTensorSpec.from_spec(spec) and spec != tensor_spec.BoundedTensorSpec([2], "int32", 0, 2, "x")
    assert tensor_spec.BoundedTensorSpec.from_spec(tf.TensorSpec([], "int8")).maximum == 127
    for bad, words in (([0, 1, 2], "not compatible with shape"), (None, "can not be None")):
        with pytest.raises(ValueError, match=words):
            tensor_spec.BoundedTensorSpec([2], "int32", bad, 3)
