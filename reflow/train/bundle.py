"""TensorBundle V2: the files of a TensorFlow checkpoint.

A checkpoint with prefix P is `P.index` and data shards `P.data-SSSSS-of-NNNNN`, usually one: 00000-of-00001.

`P.index` is a table (see `sstable`) from tensor name to a BundleEntryProto. The empty name, which sorts
first, holds the BundleHeaderProto: the number of shards, the byte order, the format's version (1). Names that
begin with a zero byte hold the parts of partitioned tensors (see `slices`). An entry gives

    dtype, shape          of the tensor
    shard_id              the shard's S
    offset, size          its bytes there
    crc32c                their masked CRC32C (for strings see below)
    slices                not empty: the tensor is partitioned, with an entry for each part

A shard has no further structure: tensors are consecutive, without padding. A numeric tensor is its elements in C order,
little-endian (bool, 4-bit and 2-bit types: one byte each). A string tensor is

    varint length of each element
    4 bytes               masked CRC32C of the lengths, each as a 4-byte integer (8 bytes if it needs more)
    the elements' bytes, one after the other

and its entry's crc32c covers the lengths as integers, those 4 bytes and the elements' bytes.
"""

from __future__ import annotations

import contextlib
import os
import stat
import struct
import weakref
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import google_crc32c
import ml_dtypes
import numpy as np
from google.protobuf.message import DecodeError, Message

from reflow.core import errors
from reflow.core.os_errors import os_errors
from reflow.train import commit, protos, slices, sstable
from reflow.train.shard_file import PIECE, ShardFile, lengths_as_integers
from reflow.train.slices import Extents, Part

VERSION = 1
STRING = 7
MAX_RANK = 254
_RETRIES = 1000

# enum DataType -> NumPy type
_TYPES = {
    1: np.dtype(np.float32),
    2: np.dtype(np.float64),
    3: np.dtype(np.int32),
    4: np.dtype(np.uint8),
    5: np.dtype(np.int16),
    6: np.dtype(np.int8),
    STRING: np.dtype(object),
    8: np.dtype(np.complex64),
    9: np.dtype(np.int64),
    10: np.dtype(np.bool_),
    14: np.dtype(ml_dtypes.bfloat16),
    17: np.dtype(np.uint16),
    18: np.dtype(np.complex128),
    19: np.dtype(np.float16),
    22: np.dtype(np.uint32),
    23: np.dtype(np.uint64),
    24: np.dtype(ml_dtypes.float8_e5m2),
    25: np.dtype(ml_dtypes.float8_e4m3fn),
    26: np.dtype(ml_dtypes.float8_e4m3fnuz),
    27: np.dtype(ml_dtypes.float8_e4m3b11fnuz),
    28: np.dtype(ml_dtypes.float8_e5m2fnuz),
    29: np.dtype(ml_dtypes.int4),
    30: np.dtype(ml_dtypes.uint4),
    31: np.dtype(ml_dtypes.int2),
    32: np.dtype(ml_dtypes.uint2),
}
_ENUMS = {dtype: number for number, dtype in _TYPES.items()}
# Quantized tensors are read as plain integers, as in TensorFlow. To be written as such they come in
# TensorFlow's types for them, structures of one field.
for _number, _name, _code in [
    (11, "qint8", "i1"),
    (12, "quint8", "u1"),
    (13, "qint32", "<i4"),
    (15, "qint16", "<i2"),
    (16, "quint16", "<u2"),
]:
    _TYPES[_number] = np.dtype(_code)
    _ENUMS[np.dtype([(_name, _code)])] = _number
_REFUSED = {20: "resource", 21: "variant"}


# ---------------------------------------------------------------- writing


def write(prefix: str | os.PathLike, *shards: Mapping[Any, Any]) -> None:
    """Writes a checkpoint, replacing one of the same prefix in one step (see `commit`).

    Each mapping becomes a shard. The data follow the mapping's order, and values are fetched one at a time, so a
    mapping may make them on demand. Strings are object arrays of bytes. A key is a name, or a `Part` for a piece of a
    partitioned tensor.
    """
    prefix = os.fspath(prefix)
    folder = os.path.dirname(prefix) or "."
    kinds = [f".data{i}" if i else ".data" for i in range(len(shards))]
    new_data = [commit.temporary(prefix, kind) for kind in kinds]
    with os_errors(prefix):
        os.makedirs(folder, exist_ok=True)
        with commit.folder_lock(folder), ThreadPoolExecutor(1, "forget") as beside:
            beside.submit(commit.forget_pages, prefix)
            try:
                entries: dict[bytes, Any] = {}
                for i, (path, tensors) in enumerate(zip(new_data, shards, strict=True)):
                    add_entries(entries, _write_data(path, tensors, i))
                commit.publish(prefix, new_data, lambda num_shards: index_of(entries, num_shards))
            finally:
                for path in new_data:
                    commit.remove(path)


def add_entries(entries: dict[bytes, Any], more: Mapping[bytes, Any]) -> None:
    """Join the entries of two shards: a partitioned tensor has slices in both."""
    for key, entry in more.items():
        if key in entries and entry.slices:
            entries[key].slices.extend(entry.slices)
        else:
            entries[key] = entry


def index_of(entries: Mapping[bytes, Any], num_shards: int) -> bytes:
    """The content of an index file."""
    header = protos.BundleHeaderProto(num_shards=num_shards)
    header.version.producer = VERSION
    encoded = ((key, entries[key].SerializeToString()) for key in sorted(entries))
    return sstable.encode([(b"", header.SerializeToString()), *encoded])


def _write_data(path: str, tensors: Mapping[Any, Any], shard: int) -> dict[bytes, Any]:
    """Writes and syncs the shard; returns the index's entries."""
    entries: dict[bytes, Any] = {}
    offset = 0
    with ShardFile(path) as file:
        for key in tensors:
            name = key.name if isinstance(key, Part) else key
            array = as_array(name, tensors[key])
            entry = new_entry(array, array.shape)
            entry.shard_id, entry.offset = shard, offset
            entry.size, crc = file.put(array)
            entry.crc32c = sstable.mask_crc(crc)
            if isinstance(key, Part):
                whole = new_entry(array, key.full_shape)
                whole.slices.append(slices.to_proto(key.extents))
                add_entries(entries, {_encode_key(name): whole, slices.key(name, key.extents): entry})
            else:
                entries[_encode_key(name)] = entry
            offset += entry.size
        file.finish()
    return entries


def new_entry(array: np.ndarray, shape: Iterable[int]) -> Any:
    """A BundleEntryProto with the type of an array and a shape, which is that of the whole tensor if the array is a
    part of one."""
    entry = protos.BundleEntryProto(dtype=_ENUMS[array.dtype])
    entry.shape.SetInParent()
    for size in shape:
        entry.shape.dim.add(size=size)
    return entry


def _encode_key(key: str) -> bytes:
    encoded = key.encode("utf-8", "surrogateescape")
    if not encoded or encoded[0] == 0:
        raise ValueError(f"A checkpoint key must not be empty or begin with a zero byte. Received: {key!r}")
    return encoded


def as_array(key: str, value) -> np.ndarray:
    """`value` as an array of a type in `_TYPES`, little-endian; strings as objects."""
    array = np.asarray(value)
    if array.dtype.kind in "SU":
        # Python strings go straight to objects: NumPy's own string types drop trailing zero bytes.
        is_numpy = isinstance(value, (np.ndarray, np.generic))
        array = array.astype(object) if is_numpy else np.asarray(value, object)
    if array.dtype.kind == "O":
        return _as_bytes(key, array)
    if array.dtype.byteorder == ">":
        array = array.astype(array.dtype.newbyteorder("<"))
    if array.dtype not in _ENUMS:
        raise TypeError(f"The tensor for key {key!r} has a type that checkpoints cannot hold: {array.dtype}")
    return array


def _as_bytes(key: str, array: np.ndarray) -> np.ndarray:
    flat = [x.encode() if isinstance(x, str) else x for x in array.reshape(-1)]
    for x in flat:
        if not isinstance(x, bytes):
            raise TypeError(f"The string tensor for key {key!r} holds a {type(x).__name__}, not bytes.")
    return _object_array(flat, array.shape)


def _object_array(items: list, shape: tuple[int, ...]) -> np.ndarray:
    return np.fromiter(items, object, len(items)).reshape(shape)


# ---------------------------------------------------------------- reading


class Reader:
    """An open checkpoint.

    The index is read and checked at once, a tensor when it is asked for. The files are those of one save,
    also while another process replaces the checkpoint: they stay open.
    """

    def __init__(self, prefix: str | os.PathLike):
        self.prefix = os.fspath(prefix)
        self.index_path = f"{self.prefix}.index"
        self._shards: dict[int, int] = {}
        self._finalizer = weakref.finalize(self, close_all, self._shards)
        for _ in range(_RETRIES):
            index = self._open_index()
            try:
                self._read_index(index)
                self._open_shards()
                if self._is_current(index):
                    return
            finally:
                os.close(index)
            close_all(self._shards)
        raise errors.UnavailableError(None, None, f"{self.index_path} is replaced faster than it can be read")

    def close(self) -> None:
        self._finalizer()

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *exc_info) -> None:
        self.close()

    def keys(self) -> list[str]:
        """The tensors' names, sorted as bytes."""
        return list(self._entries)

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    def shape_and_dtype(self, key: str) -> tuple[tuple[int, ...], np.dtype]:
        entry = self._entry(key)
        return self._shape(key, entry), self._dtype(key, entry)

    def dtype_enum(self, key: str) -> int:
        """The element type's number in DataType, which tells quantized types from plain integers."""
        return self._entry(key).dtype

    def get(self, key: str) -> np.ndarray:
        """The tensor; its checksum has been verified."""
        entry = self._entry(key)
        if entry.slices:
            return self.get_slice(key, (None,) * len(entry.shape.dim))
        return self._get(key, entry)

    def get_slice(self, key: str, extents: Extents) -> np.ndarray:
        """A part of a tensor, whether it was written whole or in other parts."""
        entry = self._entry(key)
        shape = self._shape(key, entry)
        whole: Extents = (None,) * len(shape)
        stored = [slices.from_proto(part) for part in entry.slices] or [whole]
        out = np.zeros(slices.shape_of(extents, shape), self._dtype(key, entry))
        missing = np.ones(out.shape, bool) if entry.slices else None
        for part in stored:
            common = slices.overlap(extents, part, shape) if len(part) == len(shape) else None
            if common is None:
                continue
            found = self._get(key, self._part(key, part)) if entry.slices else self._get(key, entry)
            out[common[0]] = found[common[1]]
            if missing is not None:
                missing[common[0]] = False
        if missing is not None and missing.any():
            raise self._corrupt(f"the slices of {key} leave {int(missing.sum())} elements out")
        return out

    def _part(self, key: str, part: Extents):
        try:
            return self._parts[slices.key(key, part)]
        except KeyError:
            raise self._corrupt(f"the slice {part} of {key} is missing") from None

    def _get(self, key: str, entry) -> np.ndarray:
        shape, dtype = self._shape(key, entry), self._dtype(key, entry)
        path, fd = self._shard(key, entry)
        if entry.dtype == STRING:
            return self._get_strings(key, entry, shape, fd, path)
        return self._get_numbers(key, entry, shape, dtype, fd, path)

    def entries(self) -> dict[bytes, Any]:
        """All entries of the index, those of slices too, by their keys."""
        return {**{_encode_key(name): entry for name, entry in self._entries.items()}, **self._parts}

    @property
    def num_shards(self) -> int:
        """The number of data files that the index counts."""
        return self._num_shards

    def get_all(self) -> dict[str, np.ndarray]:
        return {key: self.get(key) for key in self._entries}

    # ------------------------------------------------ opening

    def _open_index(self) -> int:
        try:
            return open_file(self.index_path)
        except errors.NotFoundError:
            pass
        if os.path.isfile(self.prefix):
            message = (
                f"Unable to open table file {self.prefix}: not a V2 checkpoint: perhaps your file is in a "
                "different file format; a checkpoint is named by its prefix, without .index or .data-..."
            )
            raise errors.DataLossError(None, None, message)
        if os.path.isdir(self.prefix):
            message = (
                f"Unable to open table file {self.prefix}: FAILED_PRECONDITION: {self.prefix}; Is a directory: perhaps "
                "your file is in a different file format and you need to use a different restore operator?"
            )
            raise errors.DataLossError(None, None, message)
        message = "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for"
        raise errors.NotFoundError(None, None, f"{message} {self.prefix}")

    def _read_index(self, fd: int) -> None:
        header, self._entries, self._parts = None, {}, {}
        for key, value in sstable.Table(fd, self.index_path).entries():
            if header is None:
                header = self._read_header(key, value)
            elif key[0]:
                name = key.decode("utf-8", "surrogateescape")
                self._entries[name] = self._parse(protos.BundleEntryProto, value, f"the entry of {name}")
            else:
                self._parts[key] = self._parse(protos.BundleEntryProto, value, "the entry of a slice")
        if header is None:
            raise self._corrupt("the table is empty; the header is missing")
        self._num_shards = header.num_shards

    def _read_header(self, key: bytes, value: bytes):
        if key:
            raise self._corrupt("the header entry is missing")
        header = self._parse(protos.BundleHeaderProto, value, "the header")
        if header.endianness:
            raise self._unimplemented("the checkpoint is big-endian")
        if header.version.min_consumer > VERSION or VERSION in header.version.bad_consumers:
            raise self._unimplemented(f"it needs format version {header.version.min_consumer}, not {VERSION}")
        if header.num_shards < 1:
            raise self._corrupt(f"the header gives {header.num_shards} shards")
        return header

    def _parse(self, message_class: type[Message], data: bytes, what: str):
        try:
            return message_class.FromString(data)
        except DecodeError as e:
            raise self._corrupt(f"{what} cannot be parsed: {e}") from None

    def _open_shards(self) -> None:
        """Opens the shards that hold tensors. A missing one is an error only when a tensor of it is read."""
        for shard in sorted({entry.shard_id for entry in (*self._entries.values(), *self._parts.values())}):
            if 0 <= shard < self._num_shards:
                path = commit.shard_path(self.prefix, shard, self._num_shards)
                # perhaps a writer has just removed it: then there is another index
                with contextlib.suppress(errors.NotFoundError):
                    self._shards[shard] = open_file(path)

    def _is_current(self, index: int) -> bool:
        """Whether `.index` is still the file we read; if so, the shards opened since are its own."""
        try:
            return os.path.samestat(os.fstat(index), os.stat(self.index_path))
        except FileNotFoundError:
            return True

    # ------------------------------------------------ checks

    def _corrupt(self, what: str) -> errors.OpError:
        return errors.DataLossError(None, None, f"{self.index_path}: corrupt checkpoint index: {what}")

    def _unimplemented(self, what: str) -> errors.OpError:
        return errors.UnimplementedError(None, None, f"{self.index_path}: cannot be read: {what}")

    def _entry(self, key: str):
        if key not in self._entries:
            raise errors.NotFoundError(None, None, f"Key {key} not found in checkpoint {self.prefix}")
        return self._entries[key]

    def _dtype(self, key: str, entry) -> np.dtype:
        if entry.dtype in _REFUSED:
            raise self._unimplemented(f"{key} is a tensor of {_REFUSED[entry.dtype]}s")
        if entry.dtype not in _TYPES:
            raise self._corrupt(f"{key} has the unknown type {entry.dtype}")
        return _TYPES[entry.dtype]

    def _shape(self, key: str, entry) -> tuple[int, ...]:
        shape = tuple(dim.size for dim in entry.shape.dim)
        if entry.shape.unknown_rank or len(shape) > MAX_RANK or any(size < 0 for size in shape):
            raise self._corrupt(f"{key} has an impossible shape: {list(shape)[:8]}")
        if _volume(size or 1 for size in shape) >= 1 << 58:
            raise self._corrupt(f"{key} has too many elements: {list(shape)[:8]}")
        return shape

    def _shard(self, key: str, entry) -> tuple[str, int]:
        """Path and descriptor of the entry's shard, which is known to contain the entry's bytes."""
        if not 0 <= entry.shard_id < self._num_shards:
            raise self._corrupt(f"{key} is in shard {entry.shard_id} of {self._num_shards}")
        path = commit.shard_path(self.prefix, entry.shard_id, self._num_shards)
        if not self._finalizer.alive:
            raise ValueError(f"The reader of {self.prefix} is closed.")
        if entry.shard_id not in self._shards:
            raise errors.NotFoundError(None, None, f"{path}; No such file or directory")
        fd = self._shards[entry.shard_id]
        length = os.fstat(fd).st_size
        if entry.offset < 0 or entry.size < 0:
            raise self._corrupt(f"{key} has offset {entry.offset} and size {entry.size}")
        if entry.offset + entry.size > length:
            raise _lost(path, entry.offset, f"truncated: {key} has {entry.size} bytes, the file {length}")
        return path, fd

    def _check_crc(self, key: str, entry, crc: int, path: str) -> None:
        found = sstable.mask_crc(crc)
        if found != entry.crc32c:
            what = (
                f"TensorBundle at {self.prefix} shard {entry.shard_id} ({entry.size} bytes): Checksum does "
                f"not match: stored {entry.crc32c} vs. calculated on the restored bytes {found} ({key})"
            )
            raise _lost(path, entry.offset, what)

    # ------------------------------------------------ tensors

    def _get_numbers(self, key: str, entry, shape: tuple, dtype: np.dtype, fd: int, path: str) -> np.ndarray:
        if _volume(shape) * dtype.itemsize != entry.size:
            raise self._corrupt(f"{key} has {entry.size} bytes, but is {dtype} of shape {list(shape)[:8]}")
        try:
            out = np.empty(shape, dtype)  # every element is read below, or the file ends and that is an error
        except ValueError as e:  # more dimensions than NumPy has (64)
            raise self._unimplemented(f"{key} has {len(shape)} dimensions: {e}") from None
        data = out.reshape(-1).view(np.uint8)
        crc = 0
        for at in range(0, data.size, PIECE):
            part = data[at : at + PIECE]
            _read_into(fd, part, entry.offset + at, path)
            crc = google_crc32c.extend(crc, part)
        self._check_crc(key, entry, crc, path)
        return out

    def _get_strings(self, key: str, entry, shape: tuple, fd: int, path: str) -> np.ndarray:
        count = _volume(shape)
        if count + 4 > entry.size:
            raise self._corrupt(f"{key} has {entry.size} bytes, too few for {count} strings")
        buffer = np.empty(entry.size, np.uint8)  # every element is read, or the file ends and that is an error
        _read_into(fd, buffer, entry.offset, path)
        blob = buffer.tobytes()
        try:
            lengths, at = _parse_lengths(blob, count)
        except ValueError as e:
            raise _lost(path, entry.offset, f"corrupt string lengths of {key}: {e}") from None
        crc = google_crc32c.value(lengths_as_integers(lengths))
        stored, found = struct.unpack_from("<I", blob, at)[0], sstable.mask_crc(crc)
        if stored != found:
            what = f"The length checksum does not match: expected {found} but actual is {stored} ({key})"
            raise _lost(path, entry.offset + at, what)
        self._check_crc(key, entry, google_crc32c.extend(crc, blob[at:]), path)
        items, at = [], at + 4
        for length in lengths:
            items.append(blob[at : at + length])
            at += length
        return _object_array(items, shape)


def _parse_lengths(blob: bytes, count: int) -> tuple[list[int], int]:
    """The strings' lengths, known to fill the blob exactly, and the position after them."""
    lengths, at = [], 0
    for _ in range(count):
        length, at = sstable.get_varint(blob, at, len(blob) - 4)
        lengths.append(length)
    if at + 4 + sum(lengths) != len(blob):
        raise ValueError(f"they sum to {sum(lengths)}, {len(blob) - at - 4} bytes follow")
    return lengths, at


def _volume(sizes: Iterable[int]) -> int:
    volume = 1
    for size in sizes:
        volume *= size
    return volume


def _lost(path: str, offset: int, what: str) -> errors.OpError:
    return errors.DataLossError(None, None, f"{path}: at offset {offset}: {what}")


def open_file(path: str) -> int:
    """A descriptor of a plain file: a pipe or device would block or never end."""
    with os_errors(path):
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise errors.FailedPreconditionError(None, None, f"{path}; not a plain file")
    return fd


def close_all(shards: dict[int, int]) -> None:
    while shards:
        os.close(shards.popitem()[1])


def _read_into(fd: int, out: np.ndarray, offset: int, path: str) -> None:
    view, done = out.data, 0
    while done < len(view):
        with os_errors(path):
            count = os.preadv(fd, [view[done:]], offset + done)
        if not count:
            raise _lost(path, offset + done, f"truncated: {len(view) - done} more bytes expected")
        done += count
