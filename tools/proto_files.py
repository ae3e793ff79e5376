"""Record TensorFlow's protobuf files: `reflow/drop_in/proto_files.json.gz`, {file: FileDescriptorProto as JSON}.

    python tools/proto_files.py          # with a python that has TensorFlow 2.21, from the repository root

These are the files behind `tensorflow.core.….x_pb2`, with what they import, except those that XLA's services have a
part in. `reflow/drop_in/protos.py` makes modules from those that TensorBoard has no copy of.
"""

import gzip
import importlib
import json
from pathlib import Path

import tensorflow as tf
from google.protobuf import descriptor_pb2, json_format

ROOT = Path(__file__).resolve().parents[1]
FOREIGN = ("google/", "xla/service/")
OF_COMPILER = "tensorflow.compiler.xla.xla_data_pb2"  # the types of arrays and how they are sharded


def add(descriptor, files: dict) -> None:
    """Note a file and those that it imports."""
    if descriptor.name in files or descriptor.name.startswith(FOREIGN):
        return
    proto = descriptor_pb2.FileDescriptorProto()
    descriptor.CopyToProto(proto)
    for part in ("options", "service", "source_code_info"):
        proto.ClearField(part)
    files[descriptor.name] = json_format.MessageToDict(proto, preserving_proto_field_name=True)
    for other in descriptor.dependencies:
        add(other, files)


def needs_compiler(descriptor) -> bool:
    """Whether a file imports one of the compiler's, or one that does."""
    return any(other.name.startswith(FOREIGN[1:]) or needs_compiler(other) for other in descriptor.dependencies)


def proto_files() -> dict[str, dict]:
    """The files of all modules below `tensorflow.core` that need none of the compiler's, and one of these."""
    package = Path(tf.__file__).parent
    files: dict[str, dict] = {}
    add(importlib.import_module(OF_COMPILER).DESCRIPTOR, files)
    for path in sorted((package / "core").rglob("*_pb2.py")):
        name = ".".join(path.relative_to(package.parent).with_suffix("").parts)
        descriptor = importlib.import_module(name).DESCRIPTOR
        if not needs_compiler(descriptor):
            add(descriptor, files)
    return dict(sorted(files.items()))


if __name__ == "__main__":
    target = ROOT / "reflow" / "drop_in" / "proto_files.json.gz"
    target.write_bytes(gzip.compress(json.dumps(proto_files(), separators=(",", ":")).encode(), mtime=0))
    print(target, target.stat().st_size, "bytes")
