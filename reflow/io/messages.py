"""Message classes for TensorFlow's protos that `tensorboard.compat.proto` lacks.

`define` creates classes from a table of fields, with the numbers and types of TensorFlow's `.proto` files; the encoding
itself is protobuf's. The classes are in the package `reflow`, so real TensorFlow can be loaded in the same process.
"""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError, Message

from reflow.core import errors

_Field = descriptor_pb2.FieldDescriptorProto
_SCALARS = {
    name: getattr(_Field, f"TYPE_{name.upper()}")
    for name in ("bool", "int32", "int64", "uint32", "uint64", "fixed32", "double", "string", "bytes")
}


def parse(kind: type[Message], data: bytes, words: str, error: type[errors.OpError] = errors.DataLossError) -> Any:
    """The message in bytes from outside; an error with this message if they are not one."""
    try:
        return kind.FromString(data)
    except DecodeError:
        raise error(None, None, words) from None


def define(file: str, imports: list, messages: dict[str, list[tuple[int, str, str]]]) -> dict[str, type[Message]]:
    """Classes for `messages`: name -> list of (number, type, field name).

    A type is a scalar's name, `repeated X`, `optional X` (a scalar that may be absent), `enum .package.Name`, or the
    full name of a message (`.package.Name`).
    """
    proto = descriptor_pb2.FileDescriptorProto(name=f"reflow/{file}", package="reflow", syntax="proto3")
    proto.dependency.extend(module.DESCRIPTOR.name for module in imports)
    for message_name, fields in messages.items():
        message = proto.message_type.add(name=message_name)
        for number, kind, name in fields:
            _add_field(message, number, kind, name)
    pool = descriptor_pool.Default()
    pool.AddSerializedFile(proto.SerializeToString())
    return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"reflow.{name}")) for name in messages}


def define_message(file: str, imports: list, name: str, fields: list[tuple[int, str, str]]) -> type[Message]:
    """The class of a message that stands alone in its file."""
    return define(file, imports, {name: fields})[name]


def _add_field(message: descriptor_pb2.DescriptorProto, number: int, kind: str, name: str) -> None:
    field = message.field.add(name=name, number=number)
    field.label = _Field.LABEL_REPEATED if kind.startswith("repeated ") else _Field.LABEL_OPTIONAL
    if kind.startswith("optional "):
        field.proto3_optional, field.oneof_index = True, len(message.oneof_decl)
        message.oneof_decl.add(name=f"_{name}")
    kind = kind.removeprefix("repeated ").removeprefix("optional ")
    if kind in _SCALARS:
        field.type = _SCALARS[kind]
    elif kind.startswith("enum "):
        field.type, field.type_name = _Field.TYPE_ENUM, kind.removeprefix("enum ")
    else:
        field.type, field.type_name = _Field.TYPE_MESSAGE, kind
