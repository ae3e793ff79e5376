"""Extension types whose fields are not declared: values of types that a loaded file names and no program defines."""

from __future__ import annotations

import collections.abc
from typing import Any

from reflow.api.framework.extension_fields import Field, ImmutableDict
from reflow.api.framework.extension_type import ExtensionType, ExtensionTypeSpec, _filled
from reflow.core import dtypes
from reflow.core.shapes import TensorShape
from reflow.core.specs import TypeSpec
from reflow.core.tensor import Tensor

_PLAIN = (int, float, bool, str, bytes, type(None), dtypes.DType, TensorShape)


def _convert_anonymous_fields(value: Any, for_spec: bool = False) -> Any:
    """A field's value, in tuples and dictionaries that do not change; ValueError unless it is a tensor, a composite
    tensor, or a plain value. For a spec, specs stand for tensors."""
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, tuple):
        return tuple(_convert_anonymous_fields(child, for_spec) for child in value)
    if isinstance(value, collections.abc.Mapping):
        pairs = {
            _convert_anonymous_fields(k, for_spec): _convert_anonymous_fields(v, for_spec) for k, v in value.items()
        }
        return pairs if for_spec else ImmutableDict(pairs)
    if isinstance(value, TypeSpec) if for_spec else isinstance(value, Tensor) or getattr(value, "_is_composite", False):
        return value
    raise ValueError(f"Cannot convert anonymous fields from an unsupported `value` argument: {value!r}.")


class AnonymousExtensionTypeSpec(ExtensionTypeSpec):
    """The spec of an extension type without declared fields."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update({name: _convert_anonymous_fields(value, for_spec=True) for name, value in fields.items()})

    def _finish(self) -> None:
        self.__dict__.pop("_under_construction", None)

    def _serialize(self) -> tuple:
        return tuple(self.__dict__.items())

    @classmethod
    def _deserialize(cls, parts: tuple) -> AnonymousExtensionTypeSpec:
        return cls(**dict(parts))

    def _from_components(self, components: Any) -> AnonymousExtensionType:
        parts = iter(components)
        return AnonymousExtensionType(**{name: _filled(value, parts) for name, value in self._serialize()})

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"Cannot set attribute `{name}`. AnonymousExtensionTypeSpec instances are immutable.")

    def __repr__(self) -> str:
        return f"AnonymousExtensionTypeSpec({', '.join(f'{name}={value!r}' for name, value in self._serialize())})"


class AnonymousExtensionType(ExtensionType, checked=False):
    """An extension type whose fields are those that its constructor is given.

    >>> AnonymousExtensionType(values=1, mask=True)
    AnonymousExtensionType(values=1, mask=True)
    """

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update({name: _convert_anonymous_fields(value) for name, value in fields.items()})

    @property
    def _annotated(self) -> list[Field]:  # type: ignore[override]
        return [Field(name, None) for name in self.__dict__]

    def _finish(self) -> None:
        """Nothing is left to convert."""

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"Cannot set attribute `{name}`. AnonymousExtensionType instances are immutable.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"Cannot delete attribute `{name}`. AnonymousExtensionType instances are immutable.")


AnonymousExtensionType.Spec = AnonymousExtensionTypeSpec
AnonymousExtensionTypeSpec.value_type = AnonymousExtensionType
