"""Extension types without declared fields: values and errors recorded from TensorFlow 2.21."""

import pytest

import reflow as tf
from reflow.drop_in.python.framework.specs import extension_type
from reflow.drop_in.python.framework.specs.extension_type import AnonymousExtensionType, AnonymousExtensionTypeSpec


class Masked(tf.experimental.ExtensionType):
    values: tf.Tensor
    mask: tf.Tensor


class Named(tf.experimental.ExtensionType):
    masked: Masked
    name: str = "x"


def test_fields_are_what_the_constructor_is_given():
    value = AnonymousExtensionType(values=tf.constant([1, 2]), mask=True, more={"k": (1, (2,))})
    assert value.mask is True and value.more["k"] == (1, (2,)) and type(value.more).__name__ == "ImmutableDict"
    assert repr(AnonymousExtensionType(a=1, b="c")) == "AnonymousExtensionType(a=1, b='c')"
    assert bool(value == AnonymousExtensionType(values=tf.constant([1, 2]), mask=True, more={"k": (1, (2,))}))
    assert value != AnonymousExtensionType(values=tf.constant([1, 2]), mask=False, more={"k": (1, (2,))})
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = value.nothing
    with pytest.raises(
        AttributeError, match="Cannot set attribute `values`. AnonymousExtensionType instances are immutable."
    ):
        value.values = 3
    with pytest.raises(AttributeError, match="Cannot delete attribute `values`"):
        del value.values
    with pytest.raises(
        ValueError, match=r"Cannot convert anonymous fields from an unsupported `value` argument: \[1, 2\]"
    ):
        AnonymousExtensionType(x=[1, 2])


def test_specs():
    value = AnonymousExtensionType(values=tf.constant([1, 2]), k=3)
    spec = AnonymousExtensionTypeSpec(values=tf.TensorSpec([2], tf.int32), k=3)
    assert value._type_spec == spec and spec.value_type is AnonymousExtensionType
    assert spec._serialize() == (("values", tf.TensorSpec([2], tf.int32)), ("k", 3))
    assert AnonymousExtensionTypeSpec._deserialize(spec._serialize()) == spec and spec.is_compatible_with(value)
    with pytest.raises(ValueError, match="unsupported `value` argument"):
        AnonymousExtensionTypeSpec(values=tf.constant(1))
    with pytest.raises(AttributeError, match="AnonymousExtensionTypeSpec instances are immutable"):
        spec.k = 4


def test_they_pass_through_functions_and_datasets():
    value = AnonymousExtensionType(values=tf.constant([1, 2]), pair=(tf.constant(3), 4))
    doubled = tf.function(lambda v: AnonymousExtensionType(values=v.values * 2, pair=v.pair))(value)
    assert doubled.values.numpy().tolist() == [2, 4] and doubled.pair[1] == 4
    [element] = tf.data.Dataset.from_tensors(value)
    assert isinstance(element, AnonymousExtensionType) and element.values.numpy().tolist() == [1, 2]


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
