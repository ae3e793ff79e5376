"""Version 1 checkpoint files, and opening a checkpoint of either version.

TensorFlow wrote version 1 until its release 1.0, and still does for
`tf.compat.v1.train.Saver(write_version=SaverDef.V1)`. Such a checkpoint is one table (`sstable`) in a file without a
suffix, `model.ckpt`, or several, named by a pattern: `model.ckpt-?????-of-00002`. A value of the table is a
SavedTensorSlices:

    under the empty key          `meta`: name, shape, type and slices of each tensor
    under the key of a slice     `data`: its elements, one by one in a field of a TensorProto without type and shape

Keys of slices are those of `slices`; a tensor that was written whole is one slice, of everything in each dimension.
"""

from __future__ import annotations

import glob
import math
import os
import weakref
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from reflow.core import dtypes
from reflow.core.os_errors import os_errors
from reflow.graph.proto_values import decode_tensor, encode_shape, put_values, value_field
from reflow.train import bundle, commit, protos, slices, sstable
from reflow.train.slices import Extents, Part

_MAX_BLOCK = 1 << 31  # a tensor is one entry of one block: the first layer behind VGG's convolutions has 411 MB


def open_checkpoint(prefix: str | os.PathLike) -> bundle.Reader:
    """The reader of a checkpoint: of version 2 if it has an index, else of version 1."""
    prefix = os.fspath(prefix)
    if not os.path.exists(f"{prefix}.index") and _files(prefix):
        return SliceReader(prefix)
    return bundle.Reader(prefix)  # or its error


def _files(pattern: str) -> list[str]:
    """The files that a name or pattern matches."""
    found = [pattern] if os.path.exists(pattern) else sorted(glob.glob(pattern))
    return [path for path in found if os.path.isfile(path)]


class _Place(NamedTuple):
    """Where a slice is, and which it is."""

    table: sstable.Table
    key: bytes
    extents: Extents


class SliceReader(bundle.Reader):
    """An open checkpoint of version 1."""

    def __init__(self, pattern: str) -> None:
        self.prefix = self.index_path = pattern
        self._shards: dict[int, int] = {}
        self._finalizer = weakref.finalize(self, bundle.close_all, self._shards)
        self._entries: dict[str, Any] = {}
        self._places: dict[bytes, _Place] = {}
        for number, path in enumerate(_files(pattern)):
            self._shards[number] = bundle.open_file(path)
            self._read_list(sstable.Table(self._shards[number], path, _MAX_BLOCK))

    def _read_list(self, table: sstable.Table) -> None:
        """Note the tensors of one file; several may have slices of one tensor."""
        content = table.get(b"")
        if content is None:
            raise self._corrupt("the list of tensors is missing")
        for tensor in self._parse(protos.SavedTensorSlices, content, "the list of tensors").meta.tensor:
            entry = self._entries.setdefault(
                tensor.name, protos.BundleEntryProto(dtype=tensor.type, shape=tensor.shape)
            )
            if (entry.dtype, entry.shape) != (tensor.type, tensor.shape):
                raise self._corrupt(f"its files differ in the type or shape of {tensor.name}")
            for part in tensor.slice:
                extents = slices.from_proto(part)
                place = _Place(table, slices.key(tensor.name, extents), extents)
                entry.slices.add().CopyFrom(part)
                self._places[place.key] = place

    def _part(self, key: str, part: Extents) -> _Place:
        return self._places[slices.key(key, part)]

    def _get(self, key: str, entry: Any) -> np.ndarray:
        place: _Place = entry
        if not self._finalizer.alive:
            raise ValueError(f"The reader of {self.prefix} is closed.")
        content = place.table.get(place.key)
        if content is None:
            raise self._corrupt(f"the slice {place.extents} of {key} is missing")
        proto = self._parse(protos.SavedTensorSlices, content, f"a slice of {key}").data.data
        whole = self._entry(key)
        shape, dtype = slices.shape_of(place.extents, self._shape(key, whole)), dtypes.as_dtype(whole.dtype)
        held = len(getattr(proto, value_field(dtype))) // (2 if dtype.kind == "c" else 1)
        if held != math.prod(shape):
            raise self._corrupt(f"the slice {place.extents} of {key} has {held} elements, not {math.prod(shape)}")
        proto.dtype = whole.dtype
        encode_shape(shape, proto.tensor_shape)
        return decode_tensor(proto).astype(self._dtype(key, whole), copy=False)

    def entries(self) -> dict[bytes, Any]:
        raise self._unimplemented("checkpoints of version 1 cannot be merged")


def write(path: str, tensors: Mapping[str | Part, Any]) -> None:
    """Write a checkpoint of one file, whole or not at all.

    Values are arrays; a key is a name, or a `Part` for a piece of a tensor.
    """
    listed = protos.SavedTensorSlices()
    listed.meta.versions.producer = 1
    metas: dict[str, Any] = {}
    entries: dict[bytes, bytes] = {}
    named = [(key.name if isinstance(key, Part) else key, key, value) for key, value in tensors.items()]
    for name, key, value in sorted(named, key=lambda each: each[0]):
        array = bundle.as_array(name, value)
        part = key if isinstance(key, Part) else Part(name, array.shape, (None,) * array.ndim)
        entry = bundle.new_entry(array, part.full_shape)
        if part.name not in metas:
            metas[part.name] = listed.meta.tensor.add(name=part.name, type=entry.dtype, shape=entry.shape)
        place = slices.to_proto(part.extents)
        metas[part.name].slice.add().CopyFrom(place)
        own = protos.SavedTensorSlices()
        own.data.name = part.name
        own.data.slice.CopyFrom(place)
        own.data.data.SetInParent()
        put_values(own.data.data, np.ascontiguousarray(array).reshape(-1), dtypes.as_dtype(entry.dtype))
        entries[slices.key(part.name, part.extents)] = own.SerializeToString()
    entries[b""] = listed.SerializeToString()
    with os_errors(path):
        folder = os.path.dirname(path) or "."
        os.makedirs(folder, exist_ok=True)
        with commit.folder_lock(folder):
            commit.replace_file(path, sstable.encode(sorted(entries.items())))


