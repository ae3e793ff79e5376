"""The messages `MeshProto` and `LayoutProto`, with the field numbers of TensorFlow's `layout.proto`."""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from reflow.api.export import export_value

_Field = descriptor_pb2.FieldDescriptorProto
_KINDS = {"string": _Field.TYPE_STRING, "int64": _Field.TYPE_INT64, "bool": _Field.TYPE_BOOL}

#: message -> its fields: (number, type, name); a type that is not a scalar is a message, or the enum of layouts' types
_MESSAGES: dict[str, list[tuple[int, str, str]]] = {
    "ShardingSpec": [(2, "string", "sharding_spec")],
    "MeshDimensionProto": [(1, "string", "name"), (2, "int64", "size")],
    "LayoutProto": [
        (1, "repeated ShardingSpec", "sharding_specs"), (2, "MeshProto", "mesh_config"), (3, "LayoutType", "type"),
    ],
    "MeshProto": [
        (1, "repeated MeshDimensionProto", "mesh_dimensions"), (2, "repeated int64", "global_device_ids"),
        (4, "repeated int64", "local_device_ids"), (5, "repeated string", "local_devices"),
        (6, "repeated string", "global_devices"), (3, "string", "name"), (7, "bool", "use_xla_spmd"),
        (8, "string", "single_device"),
    ],
}  # fmt: skip
_TYPES = ("UNKNOWN", "STATIC", "PARTED", "SINGLE_DEVICE")
_PACKAGE = "reflow.dtensor"  # not TensorFlow's: both may be loaded in one process


def _declare() -> Any:
    file = descriptor_pb2.FileDescriptorProto(name="reflow/dtensor/layout.proto", package=_PACKAGE, syntax="proto3")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for number, kind, field_name in fields:
            label = _Field.LABEL_REPEATED if kind.startswith("repeated ") else _Field.LABEL_OPTIONAL
            kind = kind.removeprefix("repeated ")
            field = message.field.add(name=field_name, number=number, label=label)
            if kind in _KINDS:
                field.type = _KINDS[kind]
            elif kind == "LayoutType":
                field.type, field.type_name = _Field.TYPE_ENUM, f".{_PACKAGE}.LayoutProto.LayoutType"
            else:
                field.type, field.type_name = _Field.TYPE_MESSAGE, f".{_PACKAGE}.{kind}"
    kinds = next(m for m in file.message_type if m.name == "LayoutProto").enum_type.add(name="LayoutType")
    for number, name in enumerate(_TYPES):
        kinds.value.add(name=name, number=number)
    return descriptor_pool.Default().AddSerializedFile(file.SerializeToString())


def _message(name: str) -> Any:
    return message_factory.GetMessageClass(DESCRIPTOR.message_types_by_name[name])


DESCRIPTOR = export_value(_declare(), "dtensor.proto.layout_pb2.DESCRIPTOR")
ShardingSpec = export_value(_message("ShardingSpec"), "dtensor.proto.layout_pb2.ShardingSpec")
MeshDimensionProto = export_value(_message("MeshDimensionProto"), "dtensor.proto.layout_pb2.MeshDimensionProto")
LayoutProto = export_value(_message("LayoutProto"), "dtensor.proto.layout_pb2.LayoutProto")
MeshProto = export_value(_message("MeshProto"), "dtensor.proto.layout_pb2.MeshProto")
