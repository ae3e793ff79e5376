"""Message classes for the few TensorFlow protos that `tensorboard.compat.proto` lacks.

`define` makes classes from a table of fields, with the numbers and types of TensorFlow's `.proto` files; the
encoding itself is protobuf's. The classes live in the package `reflow`, so real TensorFlow can be loaded in
the same process.
"""

from __future__ import annotations

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import Message
from tensorboard.compat.proto import tensor_shape_pb2, types_pb2, versions_pb2

_Field = descriptor_pb2.FieldDescriptorProto
_SCALARS = {name: getattr(_Field, f"TYPE_{name.upper()}") for name in ("int32", "int64", "uint64", "fixed32", "double", "string")}


def define(file: str, imports: list, messages: dict[str, list[tuple[int, str, str]]]) -> dict[str, type[Message]]:
    """Classes for `messages`: name -> list of (number, type, field name).

    A type is a scalar's name, `repeated X`, `optional X` (a scalar that may be absent), `enum .package.Name`, or the full
    name of a message (`.package.Name`).
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


def _add_field(message, number: int, kind: str, name: str) -> None:
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


_classes = define(
    "tensor_bundle.proto",
    [types_pb2, tensor_shape_pb2, versions_pb2],
    {
        "BundleHeaderProto": [
            (1, "int32", "num_shards"),
            (2, "int32", "endianness"),  # 0 little, 1 big
            (3, ".tensorboard.VersionDef", "version"),
        ],
        "TensorSliceExtent": [(1, "int64", "start"), (2, "optional int64", "length")],
        "TensorSliceProto": [(1, "repeated .reflow.TensorSliceExtent", "extent")],
        "BundleEntryProto": [
            (1, "enum .tensorboard.DataType", "dtype"), (2, ".tensorboard.TensorShapeProto", "shape"),
            (3, "int32", "shard_id"), (4, "int64", "offset"), (5, "int64", "size"), (6, "fixed32", "crc32c"),
            (7, "repeated .reflow.TensorSliceProto", "slices"),
        ],
        "CheckpointState": [
            (1, "string", "model_checkpoint_path"), (2, "repeated string", "all_model_checkpoint_paths"),
            (3, "repeated double", "all_model_checkpoint_timestamps"), (4, "double", "last_preserved_timestamp"),
        ],
    },
)
BundleHeaderProto = _classes["BundleHeaderProto"]
BundleEntryProto = _classes["BundleEntryProto"]
TensorSliceProto = _classes["TensorSliceProto"]
CheckpointState = _classes["CheckpointState"]
