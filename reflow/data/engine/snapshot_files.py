"""The folders that `Dataset.save` and `snapshot` write, in TensorFlow's format.

    PATH/dataset_spec.pb                       the element spec, a StructuredValue (`save` only)
    PATH/snapshot.metadata                     a SnapshotMetadataRecord
    PATH/RUN/00000000.shard/00000000.snapshot  elements: for each of their tensors one record
                                               (`reflow/io/records.py`) with a TensorProto

A shard has more files after a checkpoint of the writing iterator: each checkpoint starts a new one. Files are
compressed with gzip, zlib or Snappy (`reflow/data/engine/snappy.py`). A composite tensor is a TensorProto of variants:
a sparse tensor is a vector of three, a ragged tensor a scalar that holds its splits and values. Strings and variants
are stored as all lengths, as varints, then the data of each.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError
from tensorboard.compat.proto import tensor_pb2

from reflow.core import dtypes, errors
from reflow.core.os_errors import os_errors
from reflow.data.engine.composites import Dense, Leaf, Ragged, Sparse
from reflow.data.engine.snappy import SnappyReader, SnappyWriter
from reflow.graph.proto_values import decode_shape, decode_tensor, encode_shape
from reflow.io import records, tf_record, varint

VERSION = 2
_TENSOR, _RAGGED = "tensorflow::Tensor", "RaggedTensorVariant"


# --- protos -----------------------------------------------------------------------------------------------------------


def _field(number: int, value: bytes | int) -> bytes:
    if isinstance(value, int):
        return varint.encode(number << 3) + varint.encode(value)
    return varint.encode(number << 3 | 2) + varint.encode(len(value)) + value


def _list(parts: list[bytes]) -> bytes:
    return b"".join([*(varint.encode(len(p)) for p in parts), *parts])


def _unlist(content: bytes, count: int) -> list[bytes]:
    sizes, at = [], 0
    for _ in range(count):
        size, at = varint.decode(content, at)
        sizes.append(size)
    if at + sum(sizes) > len(content):
        raise ValueError("strings end behind the data")
    ends = np.cumsum([at, *sizes]).tolist()
    return [content[a:b] for a, b in zip(ends, ends[1:])]


def encode_array(value: np.ndarray) -> bytes:
    """A tensor as a TensorProto."""
    strings = value.dtype == object
    kind = dtypes.string if strings else dtypes.as_dtype(value.dtype)
    content = _list(value.reshape(-1).tolist()) if strings else value.tobytes()
    proto = tensor_pb2.TensorProto(dtype=kind.as_datatype_enum, tensor_content=content)
    encode_shape(value.shape, proto.tensor_shape)
    proto.tensor_shape.SetInParent()
    return proto.SerializeToString()


def decode_array(data: bytes) -> np.ndarray:
    """The tensor of a TensorProto."""
    proto = tensor_pb2.TensorProto.FromString(data)
    if proto.dtype == dtypes.string.as_datatype_enum and proto.tensor_content:
        shape = [d or 0 for d in decode_shape(proto.tensor_shape) or ()]
        count = int(np.prod(shape, dtype=np.int64))
        return np.fromiter(_unlist(proto.tensor_content, count), object, count).reshape(shape)
    return np.asarray(decode_tensor(proto))


def _variants(shape: tuple, items: list[tuple[str, list]]) -> bytes:
    """A TensorProto of variants, each a type name and tensors."""
    parts = [
        _field(1, name.encode()) + b"".join(_field(3, encode_array(t)) for t in tensors) for name, tensors in items
    ]
    proto = tensor_pb2.TensorProto(dtype=dtypes.variant.as_datatype_enum, tensor_content=_list(parts))
    encode_shape(shape, proto.tensor_shape)
    proto.tensor_shape.SetInParent()
    return proto.SerializeToString()


def _variant_tensors(data: bytes, count: int) -> list[list[np.ndarray]]:
    content = tensor_pb2.TensorProto.FromString(data).tensor_content
    return [[decode_array(v) for n, v in varint.fields(part) if n == 3] for part in _unlist(content, count)]


def pack(element: list, leaves: list[Leaf]) -> list[bytes]:
    """The records of an element."""
    out, at = [], 0
    for leaf in leaves:
        parts = element[at : at + leaf.width]
        at += leaf.width
        if isinstance(leaf, Sparse):
            out.append(_variants((3,), [(_TENSOR, [p]) for p in parts]))
        elif isinstance(leaf, Ragged):
            out.append(_variants((), [(_RAGGED, [*parts[1:], parts[0]])]))
        elif not isinstance(parts[0], np.ndarray):
            raise errors.UnimplementedError(None, None, f"A {type(parts[0]).__name__} cannot be written to a file.")
        else:
            out.append(encode_array(parts[0]))
    return out


def unpack(texts: list[bytes], leaves: list[Leaf]) -> list:
    """The element that `pack` was given."""
    out: list = []
    for text, leaf in zip(texts, leaves, strict=True):
        if isinstance(leaf, Sparse):
            out += [tensors[0] for tensors in _variant_tensors(text, 3)]
        elif isinstance(leaf, Ragged):
            (tensors,) = _variant_tensors(text, 1)
            out += [tensors[-1], *tensors[:-1]]
        else:
            out.append(decode_array(text))
    return out


# --- metadata ---------------------------------------------------------------------------------------------------------


def write_metadata(folder: str, run: str, types: list[int], count: int | None, finalized: bool, graph: str = ""):
    """The record that says which run is to be read."""
    data = _field(1, graph.encode()) if graph else b""
    data += _field(2, run.encode()) + _field(3, time.time_ns() // 1000) + _field(4, VERSION)
    data += _field(5, b"".join(map(varint.encode, types)))
    data += b"" if count is None else _field(6, count)
    data += _field(1000, 1) if finalized else b""
    path = os.path.join(folder, "snapshot.metadata")
    with os_errors(path):
        os.makedirs(folder, exist_ok=True)
        with open(path + ".new", "wb") as file:
            file.write(data)
        os.replace(path + ".new", path)


def read_metadata(folder: str) -> dict | None:
    """What `write_metadata` wrote, or None if there is nothing."""
    path = os.path.join(folder, "snapshot.metadata")
    if not os.path.exists(path):
        return None
    with os_errors(path), open(path, "rb") as file:
        data = file.read()
    try:
        found = dict(varint.fields(data))
        return {
            "run": found[2].decode(), "created": found[3] / 1e6, "count": found.get(6),
            "finalized": bool(found.get(1000)),
        }
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise errors.DataLossError(None, None, f"Can't parse {path} as the metadata of a snapshot: {error}") from None


def shard_folder(folder: str, run: str, shard: int) -> str:
    return os.path.join(folder, run, f"{shard:08d}.shard")


def shards(folder: str, run: str) -> list[str]:
    """The folders of a run's shards, in order."""
    base = os.path.join(folder, run)
    with os_errors(base):
        return [os.path.join(base, name) for name in sorted(os.listdir(base)) if name.endswith(".shard")]


def files_of(shard: str) -> list[str]:
    with os_errors(shard):
        return [os.path.join(shard, name) for name in sorted(os.listdir(shard)) if name.endswith(".snapshot")]


# --- elements ---------------------------------------------------------------------------------------------------------


def compression_of(name: str) -> str:
    """ "AUTO" is Snappy."""
    return {"AUTO": "SNAPPY", "NONE": ""}.get(name, name or "")


class ShardWriter:
    """Writes elements to the files of one shard. A file is opened by the first element."""

    def __init__(self, folder: str, compression: str, chunk: int = 0):
        self.folder, self.compression, self.chunk = folder, compression, chunk
        self.file: Any = None
        self.path = ""

    def open(self):
        path = self.path = os.path.join(self.folder, f"{self.chunk:08d}.snapshot")
        with os_errors(path):
            os.makedirs(self.folder, exist_ok=True)
        if self.compression == "SNAPPY":
            self.file = SnappyWriter(path)
        else:
            self.file = tf_record.TFRecordWriter(path, self.compression)

    def write(self, texts: list[bytes]):
        if self.file is None:
            self.open()
        for text in texts:
            self.file.write(records.frame(text) if self.compression == "SNAPPY" else text)

    def size(self) -> int:
        """How many bytes of the file are on the disk; what is still to be compressed is not counted."""
        if self.file is None:
            return 0
        self.file.flush()
        return os.path.getsize(self.path)

    def next_file(self):
        """Close the file; later elements go to a new one."""
        if self.file is not None:
            self.file.close()
            self.file = None
            self.chunk += 1


def read_shard(folder: str, compression: str, leaves: list[Leaf], skip: int = 0) -> Iterator[list]:
    """The elements of a shard from the `skip`-th on."""
    return read_files(files_of(folder), compression, leaves, skip)


def read_files(paths: Iterable[str], compression: str, leaves: list[Leaf], skip: int = 0) -> Iterator[list]:
    """The elements of files from the `skip`-th on."""
    texts: list[bytes] = []
    passed = 0
    for path in paths:
        source = (
            records.read_from(SnappyReader(path), path) if compression == "SNAPPY" else records.read(path, compression)
        )
        for text in source:
            texts.append(text)
            if len(texts) == len(leaves):
                passed += 1
                if passed > skip:
                    yield _unpacked(texts, leaves, path)
                texts = []


def _unpacked(texts: list[bytes], leaves: list[Leaf], path: str) -> list:
    try:
        return unpack(texts, leaves)
    except (DecodeError, ValueError, LookupError, TypeError) as error:
        raise errors.DataLossError(None, None, f"Unable to parse tensor from {path}: {error}") from None


def dense_leaves(count: int) -> list[Leaf]:
    return [Dense()] * count
