"""The message `DeviceAttributes`, the result of `device_lib.list_local_devices`, with TensorFlow's field numbers."""

from __future__ import annotations

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_Field = descriptor_pb2.FieldDescriptorProto


def _declare() -> dict:
    file = descriptor_pb2.FileDescriptorProto(name="reflow/device_attributes.proto", package="reflow", syntax="proto3")
    locality = file.message_type.add(name="DeviceLocality")
    for number, name in ((1, "bus_id"), (2, "numa_node")):
        locality.field.add(name=name, number=number, type=_Field.TYPE_INT32, label=_Field.LABEL_OPTIONAL)
    device = file.message_type.add(name="DeviceAttributes")
    for number, name, kind in (
        (1, "name", _Field.TYPE_STRING),
        (2, "device_type", _Field.TYPE_STRING),
        (4, "memory_limit", _Field.TYPE_INT64),
        (5, "locality", _Field.TYPE_MESSAGE),
        (6, "incarnation", _Field.TYPE_FIXED64),
        (7, "physical_device_desc", _Field.TYPE_STRING),
        (8, "xla_global_id", _Field.TYPE_INT64),
    ):
        field = device.field.add(name=name, number=number, type=kind, label=_Field.LABEL_OPTIONAL)
        if kind == _Field.TYPE_MESSAGE:
            field.type_name = ".reflow.DeviceLocality"
    pool = descriptor_pool.Default()
    pool.AddSerializedFile(file.SerializeToString())
    return {
        m.name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"reflow.{m.name}"))
        for m in file.message_type
    }


DeviceAttributes = _declare()["DeviceAttributes"]
