"""Snappy streams in TensorFlow's format: blocks of a 4-byte big-endian length and that many bytes of compressed data.

A compressed block is the uncompressed length (a varint), then commands, each with a tag byte whose two lowest bits are
its kind:

    0   a literal: the length less one in the upper six bits, or from 60 on in the next 1 to 4 bytes; then the bytes
    1   a copy of 4 to 11 bytes from 11 bits of offset back
    2   a copy of 1 to 64 bytes from 16 bits back
    3   the same from 32 bits back

A C++ kernel reads and writes them (`native/snappy.h`). Without it, only literals are written: any reader accepts that,
and no time is spent searching for repetitions in Python.
"""

from __future__ import annotations

import io
import struct
from typing import Any

from reflow.core import errors
from reflow.core.os_errors import os_errors

_BLOCK = 1 << 18


def compress(data: bytes) -> bytes:
    """A block that holds these bytes.

    >>> decompress(compress(b"abc"))
    b'abc'
    """
    return _native().snappy_compress(data) or _literals(data)


def _native() -> Any:
    from reflow import native  # not at the top: it imports JAX, which programs that compile nothing do without

    return native


def _literals(data: bytes) -> bytes:
    size, head = len(data), bytearray()
    while size > 127:
        head.append(size & 127 | 128)
        size >>= 7
    head.append(size)
    if data:
        head += b"\xfc" + struct.pack("<I", len(data) - 1)  # tag 63: the length is in four bytes
    return bytes(head) + data


def decompress(block: bytes) -> bytes:
    """What a block holds; DataLossError where it is damaged."""
    try:
        return _decompress(block)
    except (IndexError, struct.error):
        raise errors.DataLossError(None, None, "Snappy_Uncompress failed: a block is damaged.") from None


def _decompress(block: bytes) -> bytes:
    size = shift = at = 0
    while True:
        byte = block[at]
        at += 1
        size |= (byte & 127) << shift
        if byte < 128:
            break
        shift += 7
    quick = _native().snappy_decompress(block[at:], size)
    if quick is not None:
        return quick
    out = bytearray()
    while at < len(block):
        tag = block[at]
        at += 1
        if tag & 3 == 0:
            length = tag >> 2
            if length >= 60:
                width = length - 59
                length = int.from_bytes(block[at : at + width], "little")
                at += width
            out += block[at : at + length + 1]
            at += length + 1
            continue
        if tag & 3 == 1:
            length, offset = (tag >> 2 & 7) + 4, (tag >> 5) << 8 | block[at]
            at += 1
        else:
            width = 2 if tag & 3 == 2 else 4
            length, offset = (tag >> 2) + 1, int.from_bytes(block[at : at + width], "little")
            at += width
        if not 0 < offset <= len(out):
            raise IndexError
        start = len(out) - offset
        if offset >= length:
            out += out[start : start + length]
        else:  # the copy runs into itself: a pattern, repeated
            pattern = bytes(out[start:])
            out += (pattern * (length // offset + 1))[:length]
    if len(out) != size:
        raise IndexError
    return bytes(out)


class SnappyReader(io.RawIOBase):
    """What a file of blocks holds."""

    def __init__(self, path: str):
        self._path = path
        with os_errors(path):
            self._file = open(path, "rb")
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        """Exactly `size` bytes, fewer at the end."""
        parts, missing = [], size
        while missing:
            if not self._rest:
                head = self._file.read(4)
                if len(head) < 4:
                    break
                (length,) = struct.unpack(">I", head)
                block = self._file.read(length)
                if len(block) < length:
                    raise errors.DataLossError(None, None, f"truncated Snappy block in {self._path}")
                self._rest = memoryview(decompress(block))
                continue
            part = self._rest[:missing] if missing > 0 else self._rest
            self._rest = self._rest[len(part) :]
            parts.append(bytes(part))
            missing -= len(part) if missing > 0 else 0
        return b"".join(parts)

    def close(self) -> None:
        self._file.close()
        super().close()


class SnappyWriter:
    """Writes a file of blocks."""

    def __init__(self, path: str):
        with os_errors(path):
            self._file: Any = open(path, "wb")
        self._path = path
        self._parts: list[bytes] = []
        self._size = 0

    def write(self, data: bytes):
        self._parts.append(data)
        self._size += len(data)
        if self._size >= _BLOCK:
            self._compress()

    def flush(self):
        self._compress()
        self._file.flush()

    def _compress(self):
        data = b"".join(self._parts)
        self._parts, self._size = [], 0
        with os_errors(self._path):
            for at in range(0, len(data), _BLOCK):
                block = compress(data[at : at + _BLOCK])
                self._file.write(struct.pack(">I", len(block)) + block)

    def close(self):
        self._compress()
        self._file.close()
