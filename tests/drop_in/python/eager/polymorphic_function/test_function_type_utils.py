"""What a function takes, in words."""

import pytest

import reflow as tf
from reflow.drop_in.python.eager.polymorphic_function import function_type_utils


def test_a_spec_of_a_function():
    spec = function_type_utils.FunctionSpec.from_function_and_signature(lambda x, y=1: x, [tf.TensorSpec([])])
    assert spec.arg_names == ["x", "y"] and spec.input_signature == (tf.TensorSpec([]),)
    assert spec.signature_summary(True).endswith("Defaults:\n  y: 1")
    with pytest.raises(TypeError, match="extra type constraints"):
        function_type_utils.make_function_type(lambda: 0, [tf.TensorSpec([])])
    with pytest.raises(TypeError, match="must be either a tuple or a list"):
        function_type_utils.make_function_type(lambda x: 0, tf.TensorSpec([]))


def test_same_structure():
    assert (
        function_type_utils.is_same_structure([1, (2,)], [3, (4,)])
        and not function_type_utils.is_same_structure([1], (1,))
    )
    assert not function_type_utils.is_same_structure([1], [True], check_values=True)
