"""`tensorflow.python.framework.extension_type`: values of one extension type seen as another, fields packed in
one variant tensor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reflow.api.framework import extension_type
from reflow.api.framework.anonymous_type import AnonymousExtensionType
from reflow.api.framework.anonymous_type import AnonymousExtensionTypeSpec as AnonymousExtensionTypeSpec
from reflow.api.framework.batchable_type import BatchableExtensionTypeSpec as BatchableExtensionTypeSpec
from reflow.api.framework.extension_type import PACKED
from reflow.api.framework.extension_type import ExtensionType as ExtensionType
from reflow.drop_in.python.ops.structured.composite_tensor_ops import (
    composite_tensor_from_variant,
    composite_tensor_to_variants,
)
from reflow.saved_model.structures import NotEncodableError


def reinterpret(value: ExtensionType, new_type: type[ExtensionType]) -> ExtensionType:
    """The fields of an extension type as those of another one, converted to its annotations.

    Raises:
        ValueError: `value` is no extension type, `new_type` is none, or the names of the fields differ.
    """
    if not isinstance(value, ExtensionType):
        raise ValueError(f"reinterpret expects `value` to be a tf.ExtensionType instance; got {value!r}")
    if not (isinstance(new_type, type) and issubclass(new_type, ExtensionType)):
        raise ValueError(f"reinterpret expects `new_type` to be a subclass of tf.ExtensionType; got {new_type!r}")
    fields = {field.name: value.__dict__[field.name] for field in value._annotated}
    if issubclass(new_type, AnonymousExtensionType):
        return new_type(**fields)
    names = {field.name for field in new_type._annotated}
    for problem, those in (
        ("Missing required fields", names - fields.keys()), ("Got unexpected fields", fields.keys() - names)
    ):
        if those:
            raise ValueError(f"{problem}: {those}")
    result = object.__new__(new_type)
    result.__dict__.update(fields)
    result._finish()
    return result


def _create_object_from_type_and_dict(cls: type, obj_dict: Mapping[str, Any]) -> Any:
    """An object of a class with these attributes, without a call of its constructor."""
    value: Any = object.__new__(cls)
    value.__dict__.update(obj_dict)
    return value


def is_packed(value: ExtensionType) -> bool:
    """Whether the fields of a value are in one variant tensor."""
    if not isinstance(value, ExtensionType):
        raise ValueError(f"Expected `value` to be an object of type ExtensionType,got an instance of {type(value)}.")
    return PACKED in value.__dict__


def pack(value: ExtensionType) -> ExtensionType:
    """The value with its fields in one variant tensor: one component, where a program passes it on.

    Raises:
        ValueError: its class has no `__name__`, under which it could be found when it is unpacked.
    """
    if is_packed(value):
        return value
    spec = value._type_spec._tf_extension_type_with_packed(True)
    try:
        return spec._from_components(composite_tensor_to_variants(value))
    except NotEncodableError:
        raise ValueError("ExtensionTypes must have a __name__ field in order to be packed.") from None


def unpack(value: ExtensionType) -> ExtensionType:
    """The value with its fields as attributes again."""
    if not is_packed(value):
        return value
    spec = value._type_spec._tf_extension_type_with_packed(False)
    return composite_tensor_from_variant(value.__dict__[PACKED], spec)


extension_type.unpackers.append(unpack)
