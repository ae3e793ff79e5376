"""`tf.experimental.ExtensionType`: tensor-like classes that functions, branches, loops and datasets can flatten and
rebuild.

A subclass declares its fields with annotations, like a dataclass. It gets a constructor that converts and checks them,
and a nested class `Spec`, whose fields are specs where the values are tensors.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable
from typing import Any

from reflow.api.array import arrange
from reflow.api.call import call
from reflow.api.export import export
from reflow.api.framework import internal
from reflow.api.framework.extension_fields import (
    NO_DEFAULT,
    Field,
    ImmutableDict,
    annotated,
    check_names,
    convert,
    fields_of,
)
from reflow.api.math import reduce
from reflow.core import dtypes, nest, specs
from reflow.core.specs import TensorSpec, TypeSpec

#: A *packed* value keeps all its fields in one variant tensor, under this name. Functions and loops pass it on as one.
PACKED = "_tf_extension_type_packed_variant"
#: what gives a packed value's fields back: a layer that can write types into files puts it here
unpackers: list[Callable[[ExtensionType], ExtensionType]] = []



@export("experimental.ExtensionTypeSpec")
class ExtensionTypeSpec(TypeSpec):
    """The spec of an extension type: one value per field, specs in the place of tensors.

    Args:
      *args: The values of the fields, in their order.
      **kwargs: Values of fields by name.

    Raises:
      TypeError: A field is missing, or there is no such field.

    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> Masked.Spec(tf.TensorSpec([2]), tf.TensorSpec([2], tf.bool)).values
    TensorSpec(shape=(2,), dtype=tf.float32, name=None)
    """

    __slots__ = ("__dict__",)
    value_type: type[ExtensionType]
    _tf_extension_type_is_packed = False

    def __init__(self, *args, **kwargs):
        fields = self.value_type._annotated
        signature = inspect.Signature([f.parameter().replace(default=inspect.Parameter.empty) for f in fields])
        self.__dict__.update(signature.bind(*args, **kwargs).arguments)
        self._finish()

    @classmethod
    def from_value(cls, value) -> ExtensionTypeSpec:
        """Returns the spec of a value of the extension type.

        Args:
          value: The value.

        Returns:
          A spec.

        Raises:
          TypeError: The value is of another class.

        >>> class Point(tf.experimental.ExtensionType):
        ...     x: tf.Tensor
        >>> Point.Spec.from_value(Point(1.0)).x
        TensorSpec(shape=(), dtype=tf.float32, name=None)
        """
        if not isinstance(value, cls.value_type):
            raise TypeError(f"Expected a value of {cls.value_type.__name__}. Received: {value!r}")
        return specs.type_spec_from_value(value)  # type: ignore[return-value]

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if cls.__init__ is not ExtensionTypeSpec.__init__ and not hasattr(cls.__init__, "_given"):
            cls.__init__ = _guarded(cls.__init__)  # type: ignore[method-assign]

    def _finish(self):
        """Convert the fields to the specs of their annotations."""
        _require_fields(self.value_type._annotated, self.__dict__)
        for field in self.value_type._annotated:
            self.__dict__[field.name] = convert(self.__dict__[field.name], field.value_type, field.name, as_spec=True)

    def __setattr__(self, name, value):
        if "_under_construction" not in self.__dict__ or all(f.name != name for f in self.value_type._annotated):
            raise AttributeError(
                f"Cannot mutate attribute `{name}` outside the custom constructor of ExtensionTypeSpec."
            )
        self.__dict__[name] = value

    def __delattr__(self, name):
        raise AttributeError(f"Cannot mutate attribute `{name}` outside the custom constructor of ExtensionTypeSpec.")

    def _serialize(self) -> tuple:
        fields = tuple((f.name, self.__dict__[f.name]) for f in self.value_type._annotated)
        return (*fields, ("_tf_extension_type_is_packed", True)) if self._tf_extension_type_is_packed else fields

    @classmethod
    def _deserialize(cls, parts):
        spec = object.__new__(cls)  # a user-defined constructor takes other arguments
        spec.__dict__.update(parts)
        spec._finish()
        return spec

    def _tf_extension_type_with_packed(self, packed: bool) -> ExtensionTypeSpec:
        """The same spec, for values that are packed, or that are not."""
        spec = object.__new__(type(self))
        spec.__dict__.update(self.__dict__, _tf_extension_type_is_packed=packed)
        return spec

    @classmethod
    def _tf_extension_type_fields(cls) -> tuple[Field, ...]:
        return cls.value_type._tf_extension_type_fields()

    @property
    def _component_specs(self):
        if self._tf_extension_type_is_packed:
            return TensorSpec((), dtypes.variant)
        return [leaf for _, value in self._serialize() for leaf in _leaves(value)]

    def _to_components(self, value):
        if self._tf_extension_type_is_packed:
            return value.__dict__[PACKED]
        found: list = []
        for name, structure in self._serialize():
            _pair(structure, value.__dict__[name], found)
        return found

    def _from_components(self, components):
        value = object.__new__(self.value_type)
        if self._tf_extension_type_is_packed:
            value.__dict__.update({PACKED: components, "_tf_extension_type_cached_type_spec": self})
            return value
        parts = iter(components)
        for field in self.value_type._annotated:
            value.__dict__[field.name] = _filled(self.__dict__[field.name], parts)
        if next(parts, None) is not None:
            raise ValueError(
                "Cannot build an ExtensionType instance from components because more components are provided than the "
                "number expected by the type spec."
            )
        return value

    def __repr__(self):
        inside = ", ".join(f"{name}={value!r}" for name, value in self._serialize())
        return f"{type(self).__qualname__}({inside})"


def _leaves(structure) -> list:
    """The specs in the fields of a spec."""
    if isinstance(structure, TypeSpec):
        return [structure]
    if isinstance(structure, dict):
        return [leaf for key in sorted(structure) for leaf in _leaves(structure[key])]
    return [leaf for child in structure for leaf in _leaves(child)] if isinstance(structure, tuple) else []


def _pair(structure, value, found: list):
    """The values that stand where `structure` has specs."""
    if isinstance(structure, TypeSpec):
        found.append(value)
    elif isinstance(structure, dict):
        for key in sorted(structure):
            _pair(structure[key], value[key], found)
    elif isinstance(structure, tuple):
        for part, child in zip(structure, value, strict=True):
            _pair(part, child, found)


def _filled(structure, parts):
    """A field's value: the structure with the next values in the place of specs."""
    if isinstance(structure, TypeSpec):
        return next(parts)
    if isinstance(structure, dict):
        filled = {key: _filled(structure[key], parts) for key in sorted(structure)}
        return ImmutableDict({key: filled[key] for key in structure})
    return tuple(_filled(child, parts) for child in structure) if isinstance(structure, tuple) else structure


def _specs_of(value):
    """A field's value with specs in the place of tensors and composites."""
    if isinstance(value, ImmutableDict):
        return {key: _specs_of(child) for key, child in value.items()}
    if isinstance(value, tuple):
        return tuple(_specs_of(child) for child in value)
    if hasattr(value, "_is_composite") or hasattr(value, "_dtype"):
        return specs.type_spec_from_value(value)
    return value


class _Fields:
    """The fields of a class, found when they are first asked for."""

    def __get__(self, instance, cls) -> list[Field]:
        if "_found_fields" not in cls.__dict__:
            cls._found_fields = fields_of(cls, ExtensionType) if cls is not ExtensionType else []
        return cls.__dict__["_found_fields"]


def _gradient_parts(self) -> Any:
    """The parts that gradients reach, as the class says."""
    return self.__composite_gradient__.get_gradient_components(self)


def _from_gradient_parts(self, gradient) -> Any:
    """The value with gradients in place of these parts; None if they have none."""
    missing = all(part is None for part in nest.flatten(gradient))
    return None if missing else self.__composite_gradient__.replace_gradient_components(self, gradient)


@export("experimental.ExtensionType")
class ExtensionType:
    """Base of types of tensors.

    >>> class Masked(ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> x = Masked([1.0, 2.0], [True, False])
    >>> tf.function(lambda x: Masked(x.values * 2.0, x.mask))(x).values.numpy().tolist()
    [2.0, 4.0]

    `__validate__`, if there is one, is called after the constructor. Values cannot be changed afterwards.
    """

    _is_composite = True
    _annotated = _Fields()
    _spec_base: type[ExtensionTypeSpec] = ExtensionTypeSpec
    Spec: type[ExtensionTypeSpec]
    __hash__ = None  # type: ignore[assignment]

    def __init__(self):
        raise AssertionError(
            "Cannot create an instance of ExtensionType because ExtensionType is an abstract base class."
        )

    def __init_subclass__(cls, checked: bool = True, **kwargs):
        super().__init_subclass__(**kwargs)
        if checked:  # a program's class
            check_names(cls, TypeSpec)
        if hasattr(cls, "__composite_gradient__"):
            cls._gradient_parts, cls._from_gradient_parts = _gradient_parts, _from_gradient_parts  # type: ignore[attr-defined]
        given = cls.__dict__.get("__init__")
        cls.__init__ = _constructor(cls) if given is None else _guarded(given)  # type: ignore[method-assign]
        # an annotation names a class that comes later: the fields are found when they are used
        with contextlib.suppress(NameError):
            if given is None:
                cls.__init__.__signature__ = _signature(cls._annotated)  # type: ignore[attr-defined]
            else:
                _ = cls._annotated
        own = {"value_type": cls, "__module__": cls.__module__, "__qualname__": f"{cls.__qualname__}.Spec"}
        base = cls.__dict__.get("Spec", cls._spec_base)  # a user-defined nested class adds methods to the spec
        bases = (base,) if issubclass(base, ExtensionTypeSpec) else (base, cls._spec_base)
        cls.Spec = type("Spec", bases, own)
        registered = cls.__dict__.get("__name__")
        if registered is not None:
            internal.register_type_spec(f"{registered}.Spec")(cls.Spec)

    def _finish(self):
        """Convert the fields to their annotations, then let the user's `__validate__` see them."""
        given = {f.name: f.default for f in self._annotated if f.default is not NO_DEFAULT} | self.__dict__
        _require_fields(self._annotated, given)
        for field in self._annotated:
            self.__dict__[field.name] = convert(given[field.name], field.value_type, field.name)
        validate = getattr(self, "__validate__", None)
        if validate is not None:
            validate()

    @classmethod
    def _tf_extension_type_fields(cls) -> tuple[Field, ...]:
        """The fields in their order. Annotations that name what comes later are left as they are."""
        try:
            return tuple(cls._annotated)
        except (NameError, AttributeError):
            parts = [part for part in reversed(cls.__mro__) if issubclass(part, ExtensionType)][1:]
            hints = {name: part.__annotations__[name] for part in parts for name in annotated(part)}
            return tuple(Field(name, kind, getattr(cls, name, NO_DEFAULT)) for name, kind in hints.items())

    @classmethod
    def _tf_extension_type_has_field(cls, name: str) -> bool:
        return any(name == field.name for field in cls._tf_extension_type_fields())

    @property
    def _type_spec(self) -> ExtensionTypeSpec:
        if PACKED in self.__dict__:
            return self.__dict__["_tf_extension_type_cached_type_spec"]
        spec = object.__new__(self.Spec)
        for field in self._annotated:
            spec.__dict__[field.name] = _specs_of(self.__dict__[field.name])
        return spec

    def __getattr__(self, name):
        # the fields are not kept: another branch or loop must not use the tensors of this one
        if PACKED in self.__dict__ and self._tf_extension_type_has_field(name):
            return getattr(unpackers[0](self), name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __setattr__(self, name, value):
        self._check_mutable(name)
        self.__dict__[name] = value

    def __delattr__(self, name):
        self._check_mutable(name)
        del self.__dict__[name]

    def _check_mutable(self, name):
        if "_under_construction" not in self.__dict__ or all(f.name != name for f in self._annotated):
            raise AttributeError(f"Cannot mutate attribute `{name}` outside the custom constructor of ExtensionType.")

    def __eq__(self, other):
        if type(self) is not type(other) or self._type_spec != other._type_spec:
            return False
        pairs = zip(self._type_spec.to_tensors(self), other._type_spec.to_tensors(other), strict=True)
        same = [reduce.reduce_all(call("Equal", pair)) for pair in pairs]
        return reduce.reduce_all(arrange.stack(same)) if same else True

    def __ne__(self, other):
        equal = self.__eq__(other)
        return not equal if isinstance(equal, bool) else call("LogicalNot", (equal,))

    def __repr__(self):
        inside = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in self._annotated)
        return f"{type(self).__qualname__}({inside})"


def _signature(fields: list[Field]) -> inspect.Signature:
    """The constructor's signature: fields in order.

    A field without a default after one with a default is keyword-only.
    """
    parameters, optional = [], False
    for field in fields:
        parameter = field.parameter()
        optional |= parameter.default is not parameter.empty
        if optional and parameter.default is parameter.empty:
            parameter = parameter.replace(kind=parameter.KEYWORD_ONLY)
        parameters.append(parameter)
    return inspect.Signature(sorted(parameters, key=lambda p: p.kind))


def _constructor(cls):
    """A constructor that takes the fields of a class."""
    found: list[inspect.Signature] = []

    def __init__(self, *args, **kwargs):
        if not found:
            found.append(_signature(cls._annotated))
        bound = found[0].bind(*args, **kwargs)
        bound.apply_defaults()
        self.__dict__.update(bound.arguments)
        self._finish()

    return __init__


def _guarded(given):
    """A user-defined constructor: while it runs, fields may be set; afterwards they are checked."""

    def __init__(self, *args, **kwargs):
        self.__dict__["_under_construction"] = True
        try:
            given(self, *args, **kwargs)
        finally:
            del self.__dict__["_under_construction"]
        self._finish()

    __init__.__signature__ = inspect.signature(given)  # type: ignore[attr-defined]
    __init__._given = given  # type: ignore[attr-defined]
    return __init__


def _require_fields(fields: list[Field], given: dict):
    missing = {f.name for f in fields} - given.keys()
    if missing:
        raise ValueError(f"Missing required fields: {missing}")


@export("experimental.extension_type.as_dict")
def as_dict(value: ExtensionType) -> dict:
    """Returns the fields of an extension type by name; one that is an extension type itself stays one.

    Args:
      value: An object of an extension type.

    Returns:
      A dictionary from names to values.

    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> sorted(tf.experimental.extension_type.as_dict(Masked([1], [True])))
    ['mask', 'values']
    """
    return {field.name: getattr(value, field.name) for field in type(value)._annotated}
