"""`tensorflow.python.ops.structured.structured_tensor`."""

import pytest

import reflow as tf
from reflow.drop_in.python.ops.structured.structured_tensor import StructuredTensorSpec


def test_the_spec_of_a_value():
    value = tf.experimental.StructuredTensor.from_pyval([{"x": 1}, {"x": 2}])
    spec = StructuredTensorSpec([2], {"x": tf.TensorSpec([2], tf.int32)})
    assert spec == tf.type_spec_from_value(value) and spec.is_compatible_with(value)


@pytest.mark.parametrize(("shape", "fields"), [([], ["x"]), ([], {1: tf.TensorSpec([])}), ([], {"x": 1}), (None, {})])
def test_refused(shape, fields):
    with pytest.raises(TypeError):
        StructuredTensorSpec(shape, fields)
