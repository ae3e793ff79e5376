"""Values of one extension type as another: values and errors recorded from TensorFlow 2.21."""

import pytest

import reflow as tf
from reflow.drop_in.python.framework.specs import extension_type
from reflow.drop_in.python.framework.specs.extension_type import AnonymousExtensionType
from reflow.drop_in.python.framework.specs.extension_type_field import ExtensionTypeField


class Masked(tf.experimental.ExtensionType):
    values: tf.Tensor
    mask: tf.Tensor


class Named(tf.experimental.ExtensionType):
    masked: Masked
    name: str = "x"


def test_a_value_as_another_type():
    masked = Masked([1, 2], [True, False])
    anonymous = extension_type.reinterpret(masked, AnonymousExtensionType)
    assert isinstance(anonymous, AnonymousExtensionType) and anonymous.values is masked.values
    assert isinstance(extension_type.reinterpret(anonymous, Masked), Masked)
    converted = extension_type.reinterpret(AnonymousExtensionType(values="s", mask=tf.constant(True)), Masked)
    assert converted.values.dtype == tf.string
    with pytest.raises(ValueError, match="Missing required fields: {'name'}"):
        extension_type.reinterpret(AnonymousExtensionType(masked=masked), Named)
    with pytest.raises(ValueError, match="Got unexpected fields: {'other'}"):
        extension_type.reinterpret(AnonymousExtensionType(values=1, mask=2, other=3), Masked)
    with pytest.raises(ValueError, match="expects `new_type` to be a subclass of tf.ExtensionType; got <class 'int'>"):
        extension_type.reinterpret(masked, int)
    with pytest.raises(ValueError, match="expects `value` to be a tf.ExtensionType instance; got 5"):
        extension_type.reinterpret(5, Masked)


def test_fields_are_found_when_the_base_has_tensorflows_name(monkeypatch):
    """The drop-in gives classes the modules that they have in TensorFlow, where the base's annotations mean nothing."""
    monkeypatch.setattr(tf.experimental.ExtensionType, "__module__", "tensorflow.python.framework.extension_type")

    class Point(tf.experimental.ExtensionType):
        x: tf.Tensor

    assert Point(1.0).x.numpy() == 1.0


class Packable(tf.experimental.ExtensionType):
    __name__ = "tests.Packable"
    values: tf.Tensor
    label: str = "x"


def test_fields_in_one_tensor():
    value = Packable([1, 2])
    packed = extension_type.pack(value)
    assert extension_type.is_packed(packed) and not extension_type.is_packed(value) and isinstance(packed, Packable)
    assert [x.dtype.name for x in tf.nest.flatten(packed, expand_composites=True)] == ["variant"]
    assert packed.values.numpy().tolist() == [1, 2] and packed.label == "x" and not hasattr(packed, "other")
    assert repr(packed) == repr(value) and extension_type.pack(packed) is packed
    assert extension_type.unpack(value) is value and extension_type.unpack(packed).values.numpy().tolist() == [1, 2]
    assert packed._type_spec != value._type_spec and packed._type_spec == extension_type.pack(value)._type_spec
    assert repr(packed._type_spec) == (
        "Packable.Spec(values=TensorSpec(shape=(2,), dtype=tf.int32, name=None), label='x', "
        "_tf_extension_type_is_packed=True)"
    )
    assert packed._type_spec._tf_extension_type_with_packed(False) == value._type_spec
    with pytest.raises(AttributeError, match="Cannot mutate attribute `values`"):
        packed.values = 3


def test_packed_values_in_functions():
    packed = extension_type.pack(Packable([1, 2]))
    assert tf.function(lambda x: x.values + 1)(packed).numpy().tolist() == [2, 3]
    assert extension_type.is_packed(tf.function(lambda x: x)(packed))
    chosen = tf.function(lambda p: tf.cond(p, lambda: packed, lambda: extension_type.pack(Packable([3, 4]))))
    assert chosen(tf.constant(False)).values.numpy().tolist() == [3, 4]


def test_what_cannot_be_packed():
    with pytest.raises(ValueError, match="ExtensionTypes must have a __name__ field in order to be packed."):
        extension_type.pack(Masked([1], [True]))
    with pytest.raises(ValueError, match="Expected `value` to be an object of type ExtensionType"):
        extension_type.pack(3)


def test_fields_by_name():
    assert Named._tf_extension_type_fields() == (("masked", Masked, ExtensionTypeField.NO_DEFAULT), ("name", str, "x"))
    assert Named.Spec._tf_extension_type_fields() == Named._tf_extension_type_fields()
    assert Named._tf_extension_type_has_field("name") and not Named._tf_extension_type_has_field("nam")
    made = extension_type._create_object_from_type_and_dict(Named, {"masked": 1, "name": 2})
    assert isinstance(made, Named) and (made.masked, made.name) == (1, 2)

    class Ahead(tf.experimental.ExtensionType):
        later: "Later"  # noqa: F821

    assert Ahead._tf_extension_type_fields() == (("later", "Later", ExtensionTypeField.NO_DEFAULT),)
