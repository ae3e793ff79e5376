"""Plans: an engine in one file.

    offset  size
    0       8      the magic text "RFPLAN\\r\\n"
    8       4      version of the format, little endian, as all numbers
    12      4      number of sections n
    16      n*32   for each section: name (12 bytes, filled with zeros), CRC-32C of its bytes (4), offset (8), length (8)
    …       4      CRC-32C of all before
    …              the sections, one after the other, to the end of the file

Sections: `meta` (JSON: bindings, profiles, report, versions), `graph` (a FunctionDefLibrary), `weights` (arrays, one after the
other; the index is in `meta`), `program:i` (StableHLO of profile i), `cache:i` (JAX's compiled code). Nothing is pickled, and
nothing is used before its length and checksum are right.
"""

from __future__ import annotations

import json
import struct
from typing import Any

import google_crc32c
import ml_dtypes
import numpy as np

MAGIC = b"RFPLAN\r\n"
VERSION = 1
MAX_SECTIONS = 1024
CHUNK = 1 << 20  # bytes
_HEAD = struct.Struct("<8sII")
_ENTRY = struct.Struct("<12sIQQ")


class PlanError(ValueError):
    """A file is no plan, or a damaged one; the text names the offset."""


def write(sections: dict[str, bytes]) -> bytes:
    """The bytes of a plan."""
    table, at = [], _HEAD.size + _ENTRY.size * len(sections) + 4
    for name, content in sections.items():
        table.append(_ENTRY.pack(name.encode(), google_crc32c.value(content), at, len(content)))
        at += len(content)
    head = _HEAD.pack(MAGIC, VERSION, len(sections)) + b"".join(table)
    return b"".join([head, struct.pack("<I", google_crc32c.value(head)), *sections.values()])


def read(data: bytes) -> dict[str, memoryview]:
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
        raise PlanError(f"The plan has version {version} of the format (offset 8); this Reflow reads version {VERSION}. Build it again.")
    end = _HEAD.size + _ENTRY.size * count
    if count > MAX_SECTIONS or len(view) < end + 4:
        raise PlanError(f"The plan ends at offset {len(view)}, within its table of {count} sections (offset {_HEAD.size} to {end + 4}).")
    if google_crc32c.value(bytes(view[:end])) != struct.unpack_from("<I", view, end)[0]:
        raise PlanError(f"The plan was altered: the checksum at offset {end} does not fit the table before it.")
    return _sections(view, count, end + 4)


def _sections(view: memoryview, count: int, expected: int) -> dict[str, memoryview]:
    found = {}
    for i in range(count):
        name, checksum, offset, length = _ENTRY.unpack_from(view, _HEAD.size + i * _ENTRY.size)
        label = name.rstrip(b"\0").decode("ascii", "replace")
        if offset != expected or offset + length > len(view):
            raise PlanError(
                f"The plan is truncated: the section {label!r} begins at offset {offset} and has {length} bytes, the file ends at "
                f"{len(view)}."
            )
        content = view[offset : offset + length]
        if _checksum(content) != checksum:
            raise PlanError(f"The plan was altered: the section {label!r} at offset {offset} does not fit its checksum.")
        found[label] = content
        expected = offset + length
    if expected != len(view):
        raise PlanError(f"The plan ends at offset {expected}, and {len(view) - expected} more bytes follow.")
    return found


def _checksum(content: memoryview) -> int:
    """The CRC-32C of a section, a part at a time: all at once would be a second copy of the weights."""
    found = 0
    for at in range(0, len(content), CHUNK):
        found = google_crc32c.extend(found, bytes(content[at : at + CHUNK]))
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
            raise PlanError(f"The section 'weights' ends at {len(data)}; an array of {shape} needs bytes {at} to {at + size}.")
        arrays.append(np.frombuffer(data[at : at + size], dtype).reshape(shape))
        at += size
    if at != len(data):
        raise PlanError(f"The section 'weights' has {len(data)} bytes, its arrays {at}.")
    return arrays


def pack_files(files: dict[str, bytes]) -> bytes:
    """Files as a JSON index, a zero byte, and their bytes."""
    index = json.dumps([[name, len(content)] for name, content in files.items()]).encode()
    return b"".join([index, b"\0", *files.values()])


def unpack_files(data: memoryview) -> dict[str, bytes]:
    """What `pack_files` packed."""
    whole = bytes(data)
    at = whole.index(b"\0")
    files, start = {}, at + 1
    for name, length in json.loads(whole[:at]):
        files[name] = whole[start : start + length]
        start += length
    return files
