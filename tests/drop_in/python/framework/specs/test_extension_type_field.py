"""The fields of extension types."""

import typing

import pytest

import reflow as tf
from reflow.drop_in.python.framework.specs import extension_type_field as fields

LATER = typing.ForwardRef("A")


def test_defaults_are_converted():
    assert fields.ExtensionTypeField("s", tf.TensorShape, [1, 2]).default == tf.TensorShape([1, 2])
    assert repr(fields.ExtensionTypeField("i", int)).endswith("default=ExtensionTypeField.NO_DEFAULT)")
    with pytest.raises(TypeError, match="default value for i: expected 'int', got 'float'"):
        fields.ExtensionTypeField("i", int, 8.3)
    with pytest.raises(TypeError, match="In field 'x': Unsupported type annotation 'dict'"):
        fields.ExtensionTypeField("x", dict)
    assert fields.ExtensionTypeField.is_reserved_name("Spec") and not fields.ExtensionTypeField.is_reserved_name("x")


def test_annotations():
    fields.validate_field_value_type(tuple[int, LATER], allow_forward_references=True)
    with pytest.raises(TypeError, match="Unresolved forward reference"):
        fields.validate_field_value_type(tuple[int, LATER])
    with pytest.raises(TypeError, match="Mapping had a key 'Tensor' with type 'type'"):
        fields.validate_field_value_type(typing.Mapping[tf.Tensor, int])


def test_values():
    declared = [fields.ExtensionTypeField("x", int), fields.ExtensionTypeField("y", tuple[int, ...])]
    values = {"x": 1, "y": [2, 3]}
    fields.convert_fields(declared, values)
    assert values == {"x": 1, "y": (2, 3)}
    with pytest.raises(ValueError, match="Missing required fields: {'y'}"):
        fields.convert_fields_for_spec(declared, {"x": 1})
    with pytest.raises(TypeError, match="x: expected 'tf.TensorShape', got 'str'"):
        fields._convert_value("foo", tf.TensorShape, ("x",))
