"""The fields of an extension type: which annotations they may have, and how values are converted to them."""

from __future__ import annotations

import collections.abc
import inspect
import sys
import types
import typing

from reflow.core import dtypes
from reflow.core.containers import ContainerView
from reflow.core.shapes import TensorShape
from reflow.core.specs import TypeSpec
from reflow.core.tensor import Tensor
from reflow.eager.variables import Variable
from reflow.ops.convert import convert_to_tensor

#: names of the methods and attributes of values and specs, which no field can have
RESERVED_FIELD_NAMES = [
    "self", "Spec", "_type_spec", "_shape_invariant_to_type_spec", "_consumers", "value_type", "is_compatible_with",
    "most_specific_compatible_type", "_with_tensor_ranks_only", "_to_components", "_from_components",
    "_component_specs", "_to_tensor_list", "_from_tensor_list", "_from_compatible_tensor_list", "_flat_tensor_specs",
    "_serialize", "_deserialize", "_to_legacy_output_types", "_to_legacy_output_shapes", "_to_legacy_output_classes",
    "_keras_mask",
]

PLAIN = (int, float, str, bytes, bool, type(None))


class ImmutableDict(ContainerView, collections.abc.Mapping):
    """A dictionary that does not change: the value of a field annotated as a mapping."""

    __module__ = "tensorflow.python.framework.immutable_dict"

    def __init__(self, *args, **kwargs):
        self._storage = dict(*args, **kwargs)

    def __repr__(self):
        return f"ImmutableDict({self._storage})"


class _NoDefault:
    def __repr__(self):
        return "ExtensionTypeField.NO_DEFAULT"


NO_DEFAULT = _NoDefault()


class Field(typing.NamedTuple):
    """A name, an annotation that has been checked, and a default."""

    name: str
    value_type: typing.Any
    default: typing.Any = NO_DEFAULT

    def parameter(self) -> inspect.Parameter:
        default = inspect.Parameter.empty if self.default is NO_DEFAULT else self.default
        return inspect.Parameter(self.name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default)


def annotated(cls: type) -> collections.abc.Iterable[str]:
    """The names that a class itself annotates.

    Python 3.14 evaluates annotations lazily: they may refer to later definitions.
    """
    if sys.version_info >= (3, 14):
        import annotationlib

        return annotationlib.get_annotations(cls, format=annotationlib.Format.FORWARDREF)
    return cls.__dict__.get("__annotations__", ())


def fields_of(cls, base) -> list[Field]:
    """The annotated fields of a class, those of its bases first.

    NameError if an annotation names what is not defined yet.
    """
    found: dict[str, Field] = {}
    # named by annotations of `base`, whose module has another name in the drop-in
    known = {base._spec_base.__name__: base._spec_base}
    for part in reversed(cls.__mro__):
        if part is base or not issubclass(part, base):
            continue
        hints = typing.get_type_hints(part, localns=known | {cls.__name__: cls, part.__name__: part})
        for name in annotated(part):
            default = part.__dict__.get(name, NO_DEFAULT)
            try:
                check(hints[name])
            except (TypeError, ValueError) as error:
                raise TypeError(f"In field {name!r}: {error}") from error
            if default is not NO_DEFAULT:
                default = convert(default, hints[name], f"default value for {name}")
            found[name] = Field(name, hints[name], default)
    return list(found.values())


def is_reserved_name(name: str) -> bool:
    """Whether no field can have a name."""
    return name in RESERVED_FIELD_NAMES or name.lower().startswith("_tf_extension_type")


def check_names(cls: type, spec: type) -> None:
    """ValueError unless what a class defines can be fields and methods of an extension type.

    Its class `Spec`, if it has one, has no other base than `spec`.
    """
    invalid = f"The field annotations for {cls.__name__} are invalid."
    fields = annotated(cls)
    for name in (*cls.__dict__, *fields):
        if name != "Spec" and is_reserved_name(name):
            raise ValueError(f"{invalid} Field '{name}' is reserved.")
    own = cls.__dict__.get("Spec", object)
    if not isinstance(own, type):
        raise ValueError(f"{cls.__qualname__}.Spec must be a nested class; got {own}.")
    if own is not object and own.__bases__ not in ((spec,), (object,)):
        raise ValueError(f"{cls.__qualname__}.Spec must be directly subclassed from tf.TypeSpec.")
    for name, value in cls.__dict__.items():
        known = name in fields or name.startswith("_abc_") or name.startswith("__") and name.endswith("__")
        if not known and not callable(value) and not isinstance(value, (property, classmethod, staticmethod)):
            raise ValueError(f"{invalid} Field {name} is missing a type annotation.")


def check(kind) -> None:
    """TypeError unless fields may be annotated like this."""
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin is tuple:
        for arg in args:
            if arg is not Ellipsis:
                check(arg)
    elif origin is collections.abc.Mapping:
        if args[0] not in PLAIN:
            raise TypeError(
                f"Mapping had a key {getattr(args[0], '__name__', args[0])!r} with type {type(args[0]).__name__!r}"
            )
        check(args[1])
    elif origin in (typing.Union, types.UnionType):
        for arg in args:
            check(arg)
    elif kind not in (None, *PLAIN, dtypes.DType, TensorShape, Tensor) and not _is_composite(kind):
        raise TypeError(f"Unsupported type annotation {repr(kind.__name__) if isinstance(kind, type) else kind}")


def _is_composite(kind) -> bool:
    if not isinstance(kind, type):
        return False
    return issubclass(kind, (TypeSpec, Variable)) or getattr(kind, "_is_composite", False) is True


def convert(value, kind, path: str, as_spec: bool = False):
    """A value converted to its annotation; with `as_spec`, specs replace tensors and other composites."""
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin is tuple:
        return _convert_tuple(value, args, path, as_spec)
    if origin is collections.abc.Mapping:
        if not isinstance(value, collections.abc.Mapping):
            raise TypeError(f"{path}: expected mapping, got {type(value).__name__!r}")
        pairs = {
            convert(k, args[0], f"{path}[<key>]"): convert(v, args[1], f"{path}[{k!r}]", as_spec)
            for k, v in value.items()
        }
        return pairs if as_spec else ImmutableDict(pairs)
    if origin in (typing.Union, types.UnionType):
        return _convert_union(value, kind, path, as_spec)
    if kind in (None, *PLAIN):
        expected = type(None) if kind is None else kind
        if not isinstance(value, expected):
            raise TypeError(f"{path}: expected {expected.__name__!r}, got {type(value).__name__!r}")
        return value
    if kind is TensorShape or kind is dtypes.DType:
        try:
            return TensorShape(value) if kind is TensorShape else dtypes.as_dtype(value)
        except (TypeError, ValueError):
            raise TypeError(f"{path}: expected 'tf.{kind.__name__}', got {type(value).__name__!r}") from None
    if kind is Tensor:
        return _convert_tensor(value, path, as_spec)
    return _convert_composite(value, kind, path, as_spec)


def _convert_tuple(value, args, path, as_spec):
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"{path}: expected tuple, got {type(value).__name__!r}")
    kinds = [args[0]] * len(value) if len(args) == 2 and args[1] is Ellipsis else args
    if len(kinds) != len(value):
        raise TypeError(f"{path}: expected tuple with length {len(kinds)}, got {type(value).__name__!r}")
    return tuple(convert(v, k, f"{path}[{i}]", as_spec) for i, (v, k) in enumerate(zip(value, kinds, strict=True)))


def _convert_union(value, union, path, as_spec):
    """Convert a value to the first kind of a union that takes it."""
    for kind in typing.get_args(union):
        try:
            return convert(value, kind, path, as_spec)
        except (TypeError, ValueError):
            continue
    raise TypeError(f"{path}: expected {union}, got {type(value).__name__!r}")


def _convert_tensor(value, path, as_spec):
    if as_spec:
        if not isinstance(value, TypeSpec) or value.value_type is not Tensor:  # also rows of a ragged spec
            raise TypeError(f"{path}: expected a TensorSpec, got {type(value).__name__!r}")
        return value
    if value is not None:
        try:
            return convert_to_tensor(value)
        except (TypeError, ValueError):
            pass
    raise TypeError(f"{path}: expected a Tensor, got {type(value).__name__!r}")


def _convert_composite(value, kind, path, as_spec):
    if as_spec and not issubclass(kind, TypeSpec):
        if isinstance(value, TypeSpec) and issubclass(value.value_type, kind):
            return value
        raise TypeError(f"{path}: expected a TypeSpec for {kind.__name__!r}, got {type(value).__name__!r}")
    if not isinstance(value, kind):
        # the drop-in names it as TensorFlow's class of variables
        name = "Variable" if kind is Variable else kind.__name__
        raise TypeError(f"{path}: expected {name!r}, got {type(value).__name__!r}")
    return value
