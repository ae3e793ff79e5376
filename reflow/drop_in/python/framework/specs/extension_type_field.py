"""`tensorflow.python.framework.extension_type_field`: the fields of extension types, their annotations and values."""

import enum
import typing

from reflow.api.framework import extension_fields
from reflow.core.tensor import Tensor

RESERVED_FIELD_NAMES = extension_fields.RESERVED_FIELD_NAMES


class _ConversionContext(enum.Enum):
    """What values are converted for: an object, its spec, or a default."""

    VALUE = 1
    SPEC = 2
    DEFAULT = 3


class ExtensionTypeField(extension_fields.Field):
    """A field: its name, its annotation, and its default, converted to that."""

    NO_DEFAULT = extension_fields.NO_DEFAULT

    def __new__(cls, name, value_type, default=NO_DEFAULT):
        try:
            validate_field_value_type(value_type, allow_forward_references=True)
        except TypeError as error:
            raise TypeError(f"In field {name!r}: {error}") from error
        if default is not cls.NO_DEFAULT:
            default = _convert_value(default, value_type, (f"default value for {name}",), _ConversionContext.DEFAULT)
        return super().__new__(cls, name, value_type, default)

    @staticmethod
    def is_reserved_name(name):
        """Whether no field can have a name."""
        return extension_fields.is_reserved_name(name)


def validate_field_value_type(value_type, in_mapping_key=False, allow_forward_references=False):
    """TypeError unless fields may have an annotation."""
    for part in _parts(value_type):
        if isinstance(part, (str, typing.ForwardRef)):
            if not allow_forward_references:
                raise TypeError(f"Unresolved forward reference {part!r}")
            return
    extension_fields.check(value_type)


def _parts(annotation):
    """An annotation and those inside it."""
    yield annotation
    for part in typing.get_args(annotation):
        yield from _parts(part)


def _convert_value(value, expected_type, path, context=_ConversionContext.VALUE):
    """Converts a value to its annotation; `path` names the field in errors."""
    if context is _ConversionContext.DEFAULT and expected_type is Tensor:
        return value  # it becomes a tensor where an object is made: in the graph of that moment
    text = path[0] + "".join(f"[{part!r}]" for part in path[1:])
    return extension_fields.convert(value, expected_type, text, context is _ConversionContext.SPEC)


def _convert_fields(fields, field_values, context):
    names, given = {field.name for field in fields}, set(field_values)
    if names - given:
        raise ValueError(f"Missing required fields: {names - given}")
    if given - names:
        raise ValueError(f"Got unexpected fields: {given - names}")
    for field in fields:
        field_values[field.name] = _convert_value(field_values[field.name], field.value_type, (field.name,), context)


def convert_fields(fields, field_values):
    """Convert the values of a dictionary to the annotations of fields, in place."""
    _convert_fields(fields, field_values, _ConversionContext.VALUE)


def convert_fields_for_spec(fields, field_values):
    """Convert values to the annotations of fields, in place, where specs stand for tensors and composites."""
    _convert_fields(fields, field_values, _ConversionContext.SPEC)
