"""Values of one extension type as another: values and errors recorded from TensorFlow 2.21."""

import pytest

import reflow as tf
from reflow.drop_in.python.framework.specs import extension_type
from reflow.drop_in.python.framework.specs.extension_type import AnonymousExtensionType


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
