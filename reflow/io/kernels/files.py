"""Files and raw bytes: `ReadFile`, `MatchingFiles`, `DecodeRaw`. Datasets over files: `readers.py`.

All run on the host.
"""

from __future__ import annotations

import fnmatch
import os

import numpy as np

from reflow.core import errors
from reflow.core.os_errors import os_errors
from reflow.io.file_system import anchored
from reflow.ops import shape_rules as rules
from reflow.ops.registry import NO_GRADIENT, op


def _path(name) -> str:
    return name[()].decode()


def _text(value) -> np.ndarray:
    """A scalar string as arrays hold it."""
    return np.array(value, object)


@op("ReadFile", shape=rules.scalar, grad=NO_GRADIENT, host=True, effect=True, overlaps=True, touches=("files",))
def read_file(_, filename):
    path = _path(filename)
    with os_errors(path):
        return _text(_contents(path))


def _contents(path: str) -> bytes:
    """Reads a whole file, with four system calls.

    A file object makes eight, and at each one another thread may take Python's lock.
    """
    file = os.open(path, os.O_RDONLY)
    try:
        size = os.fstat(file).st_size
        data = os.read(file, size + 1)
        if len(data) == size:
            return data
        parts = [data]  # it is longer than it says, as those of /proc are, or than one call reads
        while parts[-1]:
            parts.append(os.read(file, 1 << 24))
        return b"".join(parts)
    finally:
        os.close(file)


@op("WriteFile", shape=rules.no_outputs, grad=NO_GRADIENT, host=True, effect=True, touches=("files",))
def write_file(_, filename, contents):
    path = _path(filename)
    with os_errors(path):
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "wb") as file:
            file.write(contents[()])
    return ()


def _vector(f):
    return [(None,)]


@op("MatchingFiles", shape=_vector, grad=NO_GRADIENT, host=True, effect=True, touches=("files",))
def matching_files(_, pattern):
    found = sorted({name for p in pattern.reshape(-1) for name in _matches(anchored(p.decode()))})
    return np.fromiter([name.encode() for name in found], object, len(found))


def _matches(pattern: str) -> list[str]:
    """Paths that fit; as in TensorFlow, `*` and `?` do not cross folders."""
    folder, last = os.path.split(pattern)
    folders = [folder]
    if any(c in folder for c in "*?["):
        folders = [f for f in _matches(folder) if os.path.isdir(f)]
    found = []
    for one in folders:
        if os.path.isdir(one or "."):
            found += [os.path.join(one, name) for name in os.listdir(one or ".") if fnmatch.fnmatchcase(name, last)]
    return found


def _raw_shape(f):
    return [None if f.shapes[0] is None else (*f.shapes[0], None)]


@op("DecodeRaw", shape=_raw_shape, grad=NO_GRADIENT, host=True, overlaps=True)
def decode_raw(_, bytes, out_type, little_endian=True):
    flat = bytes.reshape(-1)
    lengths = {len(b) for b in flat}
    if len(lengths) > 1:
        odd = next(i for i, b in enumerate(flat) if len(b) != len(flat[0]))
        raise errors.InvalidArgumentError(
            None, None,
            f"DecodeRaw requires input strings to all be the same size, but element {odd} has size "
            f"{len(flat[0])} != {len(flat[odd])}",
        )
    length, size = lengths.pop() if lengths else 0, out_type.np_dtype.itemsize
    if length % size:
        raise errors.InvalidArgumentError(
            None, None,
            f"Input to DecodeRaw has length {length} that is not a multiple of {size}, the size of {out_type.name}",
        )
    out = np.frombuffer(b"".join(flat), out_type.np_dtype)
    return (out if little_endian else out.byteswap()).reshape(*bytes.shape, length // size)
