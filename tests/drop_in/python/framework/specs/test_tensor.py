"""The base of specs whose values act as tensors."""

import pytest

import reflow as tf
from reflow.drop_in.python.framework.specs import tensor


def test_a_spec_of_a_tensor_is_dense():
    assert issubclass(tf.TensorSpec, tensor.DenseSpec)
    assert repr(tensor.DenseSpec([2], name="x")) == "DenseSpec(shape=(2,), dtype=tf.float32, name='x')"


def test_names():
    assert [tensor.sanitize_spec_name(n) for n in ("AdEf", "1-a", "_b", "")] == [
        "adef", "tensor_1_a", "tensor__b", "unknown"
    ]
    assert tensor.get_op_name("^x/y:1") == "x/y"
    with pytest.raises(ValueError, match="cannot be empty"):
        tensor.get_op_name("")


def test_bounds_are_arrays_that_fit_the_shape():
    spec = tensor.BoundedTensorSpec([2], "int32", 0, [1, 2], "x")
    assert repr(spec) == (
        "BoundedTensorSpec(shape=(2,), dtype=tf.int32, name='x', minimum=array(0, dtype=int32), "
        "maximum=array([1, 2], dtype=int32))"
    )
    assert (
        spec == tensor.BoundedTensorSpec.from_spec(spec) and spec != tensor.BoundedTensorSpec([2], "int32", 0, 2, "x")
    )
    assert tensor.BoundedTensorSpec.from_spec(tf.TensorSpec([], "int8")).maximum == 127
    for bad, words in (([0, 1, 2], "not compatible with shape"), (None, "can not be None")):
        with pytest.raises(ValueError, match=words):
            tensor.BoundedTensorSpec([2], "int32", bad, 3)


def test_bounds_are_compared_as_numbers():
    spec = tensor.BoundedTensorSpec([1, 2], tf.float32, 0, [5, 5])
    assert (
        spec == tensor.BoundedTensorSpec([1, 2], tf.float32, [[0, 0]], 5)
        and spec != tensor.BoundedTensorSpec([1, 2], tf.float32, 0, 6)
    )
