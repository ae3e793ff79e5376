"""`tensorflow.python.framework.extension_type`: values of one extension type seen as another."""

from __future__ import annotations

from reflow.api.framework.anonymous_type import AnonymousExtensionType
from reflow.api.framework.anonymous_type import AnonymousExtensionTypeSpec as AnonymousExtensionTypeSpec
from reflow.api.framework.batchable_type import BatchableExtensionTypeSpec as BatchableExtensionTypeSpec
from reflow.api.framework.extension_type import ExtensionType as ExtensionType


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
