"""Extension types without declared fields: values and errors recorded from TensorFlow 2.21."""

import pytest

import reflow as tf
from reflow.api.framework.anonymous_type import AnonymousExtensionType, AnonymousExtensionTypeSpec


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
