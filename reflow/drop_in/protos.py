"""`tensorflow.core.….x_pb2` and `tensorflow.compiler.xla.xla_data_pb2`: modules of protobuf messages.

TensorBoard has copies of the files that it reads. The rest is made from recorded file descriptors
(`tools/proto_files.py`), in packages below `reflow`, so that real TensorFlow can be loaded in the same process.
Messages of TensorBoard's files inside them are TensorBoard's.
"""

from __future__ import annotations

import functools
import gzip
import importlib.util
import json
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, json_format
from google.protobuf.internal import builder

from reflow.drop_in.names import PROTO_PACKAGE


@functools.cache
def recorded() -> dict[str, dict[str, Any]]:
    """TensorFlow's protobuf files as JSON, by their paths."""
    return json.loads(gzip.decompress(Path(__file__).with_name("proto_files.json.gz").read_bytes()))


def tensorboards(path: str) -> str | None:
    """The name of TensorBoard's module for a file, or None if it has no copy."""
    name = f"{PROTO_PACKAGE}.{Path(path).stem}_pb2"
    return name if importlib.util.find_spec(name) else None


@functools.cache
def module(name: str) -> types.ModuleType | None:
    """The module of that name, made from its recorded file; None if there is no such file."""
    path = name.removesuffix("_pb2").replace(".", "/").removeprefix("tensorflow/compiler/") + ".proto"
    if path not in recorded():
        return None
    made = types.ModuleType(name)
    _fill(vars(made), path)
    return made


def _fill(names: dict[str, Any], path: str) -> None:
    """Put the messages and enumerations of a file among a module's names, and those of the files that it passes on."""
    file = recorded()[path]
    for index in file.get("public_dependency", ()):
        _fill(names, file["dependency"][index])
    descriptor = names["DESCRIPTOR"] = descriptor_pool.Default().FindFileByName(_added(path))
    builder.BuildMessageAndEnumDescriptors(descriptor, names)
    builder.BuildTopDescriptorsAndMessages(descriptor, names["__name__"], names)


@functools.cache
def _added(path: str) -> str:
    """The name under which a file is in protobuf's pool of descriptors, where it is added if need be."""
    if path not in recorded():
        return path  # one of Google's
    board = tensorboards(path)
    if board is not None:
        return importlib.import_module(board).DESCRIPTOR.name
    file = json_format.ParseDict(recorded()[path], descriptor_pb2.FileDescriptorProto())
    file.name, file.package = f"reflow/{path}", f"reflow.{file.package}".rstrip(".")
    file.dependency[:] = [_added(other) for other in file.dependency]
    for field in _fields(file.message_type):
        if field.type_name:
            field.type_name = _renamed().get(field.type_name, field.type_name)
    descriptor_pool.Default().AddSerializedFile(file.SerializeToString())
    return file.name


def _fields(messages: Any) -> Iterator[Any]:
    """The fields of messages, and of those inside them."""
    for message in messages:
        yield from message.field
        yield from _fields(message.nested_type)


@functools.cache
def _renamed() -> dict[str, str]:
    """TensorFlow's full name of each message and enumeration -> the name it has here."""
    found = {}
    for path, file in recorded().items():
        package = f".{file['package']}" if file.get("package") else ""
        board = tensorboards(path)
        here = f".{importlib.import_module(board).DESCRIPTOR.package}" if board else f".reflow{package}"
        found.update({package + name: here + name for name in _names(file, "")})
    return found


def _names(scope: dict, prefix: str) -> Iterator[str]:
    for kind in scope.get("enum_type", ()):
        yield f"{prefix}.{kind['name']}"
    for message in (*scope.get("message_type", ()), *scope.get("nested_type", ())):
        yield f"{prefix}.{message['name']}"
        yield from _names(message, f"{prefix}.{message['name']}")
