"""`tensorflow.python.saved_model.nested_structure_coder`: nested Python structures as protos."""

from collections.abc import Callable
from typing import Any

from reflow.core import nest
from reflow.core.specs import TypeSpec
from reflow.saved_model import structures
from reflow.saved_model.structures import NotEncodableError as NotEncodableError
from reflow.saved_model.structures import decode_present as decode_proto  # noqa: F401 - its name here


def encode_structure(nested_structure):
    """The `StructuredValue` proto of a structure; `NotEncodableError` if a part of it has none."""
    return structures.encode(nested_structure)


def can_encode(nested_structure) -> bool:
    """Whether a structure has a proto."""
    try:
        encode_structure(nested_structure)
    except NotEncodableError:
        return False
    return True


def register_codec(x: structures.Codec) -> None:
    """Let values that a codec knows be written and read by it."""
    structures.CODECS.append(x)


class BuiltInTypeSpecCodec:
    """A codec for a class of TypeSpecs that has a number of its own in the protos, from 1 to 10."""

    _BUILT_IN_TYPE_SPEC_PROTOS: list[int] = list(structures.SPEC_CLASSES)
    _BUILT_IN_TYPE_SPECS: list[type] = [structures.spec_class(number) for number in structures.SPEC_CLASSES]

    def __init__(self, type_spec_class: type, type_spec_proto_enum: int) -> None:
        if not issubclass(type_spec_class, TypeSpec):
            raise ValueError(f"The type '{type_spec_class}' does not subclass tf.TypeSpec.")
        if type_spec_class in self._BUILT_IN_TYPE_SPECS:
            raise ValueError(f"The type '{type_spec_class}' already has an instantiated codec.")
        if type_spec_proto_enum in self._BUILT_IN_TYPE_SPEC_PROTOS:
            raise ValueError(f"The proto value '{type_spec_proto_enum}' is already registered.")
        if not isinstance(type_spec_proto_enum, int) or not 1 <= type_spec_proto_enum <= 10:
            raise ValueError(f"The proto value '{type_spec_proto_enum}' is invalid.")
        self.type_spec_class, self.type_spec_proto_enum = type_spec_class, type_spec_proto_enum
        self._BUILT_IN_TYPE_SPECS.append(type_spec_class)
        self._BUILT_IN_TYPE_SPEC_PROTOS.append(type_spec_proto_enum)

    def can_encode(self, pyobj: Any) -> bool:
        """Whether a value is a spec of the class."""
        return isinstance(pyobj, self.type_spec_class)

    def do_encode(self, type_spec_value: Any, encode_fn: Callable[[Any], Any]) -> Any:
        """The proto of a spec."""
        proto = structures.StructuredValue()
        held = proto.type_spec_value
        held.type_spec_class, held.type_spec_class_name = self.type_spec_proto_enum, self.type_spec_class.__name__
        held.type_state.CopyFrom(encode_fn(type_spec_value._serialize()))
        held.num_flat_components = len(nest.flatten(type_spec_value._component_specs, expand_composites=True))
        return proto

    def can_decode(self, value: Any) -> bool:
        """Whether a proto is that of a spec of the class."""
        return value.HasField("type_spec_value") and value.type_spec_value.type_spec_class == self.type_spec_proto_enum

    def do_decode(self, value: Any, decode_fn: Callable[[Any], Any]) -> Any:
        """The spec of a proto."""
        return self.type_spec_class._deserialize(decode_fn(value.type_spec_value.type_state))  # type: ignore[attr-defined]
