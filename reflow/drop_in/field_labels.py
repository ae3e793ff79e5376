"""`FieldDescriptor.label` for libraries written for TensorFlow 2.21: protobuf 7 has dropped it for `is_repeated` and `is_required`.

TensorFlow's own comparison of protos reads it, and so does any library that walks the fields of a message as TensorFlow 2.21's protobuf let
it. The drop-in puts it back when the first proto module of TensorFlow is imported; protobufs that have it stay as they are.
"""

from __future__ import annotations

from google.protobuf import descriptor
from google.protobuf.message import Message


def _label(field: descriptor.FieldDescriptor) -> int:
    """Optional, required or repeated, as numbers of `FieldDescriptorProto.Label`."""
    if field.is_repeated:
        return descriptor.FieldDescriptor.LABEL_REPEATED
    return descriptor.FieldDescriptor.LABEL_REQUIRED if field.is_required else descriptor.FieldDescriptor.LABEL_OPTIONAL


def add_to(message: type[Message]) -> None:
    """Let the field descriptors of this protobuf, of which `message` is a class, have their labels."""
    fields = message.DESCRIPTOR.fields
    kind = type(fields[0])
    if not hasattr(fields[0], "label"):
        kind.label = property(_label)
