"""Plans: an engine in one file.

    offset  size
    0       8      the magic text "RFPLAN\\r\\n"
    8       4      format version, little endian, like all numbers
    12      4      number of sections n
    16      n*32   for each section: name (12 bytes, zero-padded), CRC-32C of its bytes (4), offset (8), length (8)
    …       4      CRC-32C of everything before
    …              the sections to the end of the file, each at the next multiple of 64, zero-padded

Sections: `meta` (JSON: bindings, profiles, report, versions), `graph` (a FunctionDefLibrary), `weights` (consecutive
arrays; the index is in `meta`), `program:i` (StableHLO of profile i), `cache:i` (JAX's compiled code), `steps:i` and
`constants:i` (the network as C++ steps, `small.py`). Nothing is pickled, and nothing is used before its length and
checksum are verified.

A *mapped* plan (`mapped`) is not read into memory: pages read for the checksum are released, and constants are used in
place.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
from collections.abc import Callable
from typing import Any

import google_crc32c
import ml_dtypes
import numpy as np

MAGIC = b"RFPLAN\r\n"
VERSION = 2
MAX_SECTIONS = 1024
CHUNK = 1 << 20  # bytes
ALIGNMENT = 64  # bytes: a line of the cache
_HEAD = struct.Struct("<8sII")
_ENTRY = struct.Struct("<12sIQQ")


class PlanError(ValueError):
    """A file is not a plan, or is damaged; the message names the offset."""


def write(sections: dict[str, bytes]) -> bytes:
    """The bytes of a plan."""
    table, parts, at = [], [], _HEAD.size + _ENTRY.size * len(sections) + 4
    for name, content in sections.items():
        gap = -at % ALIGNMENT
        table.append(_ENTRY.pack(name.encode(), google_crc32c.value(content), at + gap, len(content)))
        parts += [bytes(gap), content]
        at += gap + len(content)
    head = _HEAD.pack(MAGIC, VERSION, len(sections)) + b"".join(table)
    return b"".join([head, struct.pack("<I", google_crc32c.value(head)), *parts])


def mapped(path: str | os.PathLike[str]) -> mmap.mmap | bytes:
    """A plan in a file, for `read`, without reading it into memory.

    The file may be replaced or removed, but not changed, while it is in use.
    """
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        return mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ) if size else b""


def read(data: bytes | mmap.mmap) -> dict[str, memoryview]:
    """The sections of a plan.

    Raises:
      PlanError: the bytes are not a plan, of another version, too short, too long, or altered.
    """
    view = memoryview(data).cast("B")
    if len(view) < _HEAD.size:
        raise PlanError(f"The plan ends at offset {len(view)}; the header alone has {_HEAD.size} bytes.")
    magic, version, count = _HEAD.unpack_from(view)
    if magic != MAGIC:
        raise PlanError(f"This is no plan: at offset 0 stands {bytes(magic)!r} instead of {MAGIC!r}.")
    if version != VERSION:
        raise PlanError(
            f"The plan has version {version} of the format (offset 8); this Reflow reads version "
            f"{VERSION}. Build it again."
        )
    end = _HEAD.size + _ENTRY.size * count
    if count > MAX_SECTIONS or len(view) < end + 4:
        raise PlanError(
            f"The plan ends at offset {len(view)}, within its table of {count} sections (offset "
            f"{_HEAD.size} to {end + 4})."
        )
    if google_crc32c.value(bytes(view[:end])) != struct.unpack_from("<I", view, end)[0]:
        raise PlanError(f"The plan was altered: the checksum at offset {end} does not fit the table before it.")
    return _sections(view, count, end + 4, lambda first, last: _let_go(data, first, last))


def _let_go(data: bytes | mmap.mmap, first: int, last: int) -> None:
    """Take the pages between two offsets of a mapped plan out of memory; they come back when they are used."""
    if isinstance(data, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        start = first // mmap.PAGESIZE * mmap.PAGESIZE
        data.madvise(mmap.MADV_DONTNEED, start, last - start)


def _sections(view: memoryview, count: int, end: int, let_go: Callable[[int, int], None]) -> dict[str, memoryview]:
    found = {}
    for i in range(count):
        name, checksum, offset, length = _ENTRY.unpack_from(view, _HEAD.size + i * _ENTRY.size)
        label = name.rstrip(b"\0").decode("ascii", "replace")
        if offset != end + -end % ALIGNMENT or offset + length > len(view):
            raise PlanError(
                f"The plan is truncated: the section {label!r} begins at offset {offset} and has {length} bytes, the "
                f"file ends at {len(view)}."
            )
        if any(view[end:offset]):
            raise PlanError(
                f"The plan was altered: between offset {end} and the section {label!r} at offset "
                f"{offset} are not only zeros."
            )
        if _checksum(view, offset, offset + length, let_go) != checksum:
            raise PlanError(
                f"The plan was altered: the section {label!r} at offset {offset} does not fit its checksum."
            )
        found[label] = view[offset : offset + length]
        end = offset + length
    if end != len(view):
        raise PlanError(f"The plan ends at offset {end}, and {len(view) - end} more bytes follow.")
    return found


def _checksum(view: memoryview, first: int, last: int, let_go: Callable[[int, int], None]) -> int:
    """The CRC-32C of a section, a part at a time: all at once would be a second copy of the weights."""
    found = 0
    for at in range(first, last, CHUNK):
        end = min(at + CHUNK, last)
        found = google_crc32c.extend(found, bytes(view[at:end]))
        let_go(at, end)
    return found


def pack_arrays(arrays: list[np.ndarray]) -> tuple[list[list[Any]], bytes]:
    """Arrays as an index [[dtype, shape], …] and their bytes."""
    index = [[array.dtype.name, list(array.shape)] for array in arrays]
    return index, b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)


def unpack_arrays(index: list[list[Any]], data: memoryview) -> list[np.ndarray]:
    """What `pack_arrays` packed; the lengths have to fit."""
    arrays, at = [], 0
    for name, shape in index:
        dtype = np.dtype(getattr(ml_dtypes, name, name))
        count = int(np.prod(shape, dtype=np.int64))
        size = count * dtype.itemsize
        if count < 0 or at + size > len(data):
            raise PlanError(
                f"The section 'weights' ends at {len(data)}; an array of {shape} needs bytes {at} to {at + size}."
            )
        arrays.append(np.frombuffer(data[at : at + size], dtype).reshape(shape))
        at += size
    if at != len(data):
        raise PlanError(f"The section 'weights' has {len(data)} bytes, its arrays {at}.")
    return arrays


def pack_files(files: dict[str, bytes]) -> bytes:
    """Files as a JSON index, a zero byte, and their bytes."""
    index = json.dumps([[name, len(content)] for name, content in files.items()]).encode()
    return b"".join([index, b"\0", *files.values()])


def unpack_files(data: memoryview) -> dict[str, memoryview]:
    """What `pack_files` packed, where it is."""
    head = bytes(data[: 1 << 16])
    at = head.find(b"\0")
    if at < 0:
        head = bytes(data)
        at = head.index(b"\0")
    files, start = {}, at + 1
    for name, length in json.loads(head[:at]):
        files[name] = data[start : start + length]
        start += length
    return files
