"""TFRecord files: a sequence of byte strings.

Each record is written as

    8 bytes   its length, little-endian
    4 bytes   the masked CRC32C of those 8 bytes
    n bytes   the data
    4 bytes   the masked CRC32C of the data

A *masked* CRC is rotated right by 15 bits, plus 0xa282ead8, so that a CRC over data that contain CRCs stays useful. A
file may be compressed as a whole, with gzip or zlib.
"""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator
from typing import IO, Any

import google_crc32c

from reflow.core import errors, limits
from reflow.core.os_errors import os_errors

COMPRESSIONS = ("", "ZLIB", "GZIP")
FRAME = 16  # bytes of a record around its data
_CHUNK = 1 << 18  # bytes read at a time


def masked_crc(data: bytes) -> int:
    """The CRC as it is stored."""
    crc = google_crc32c.value(data)
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def frame(record: bytes) -> bytes:
    """A record with its length and checksums.

    >>> len(frame(b"abc"))
    19
    """
    length = struct.pack("<Q", len(record))
    return b"".join([length, struct.pack("<I", masked_crc(length)), record, struct.pack("<I", masked_crc(record))])


def read(path: str, compression: str = "", offset: int = 0) -> Iterator[bytes]:
    """The records of a file; `offset` is where to begin, in uncompressed bytes."""
    with os_errors(path):
        yield from read_from(open_file(path, compression, offset), path, offset)


def read_from(file: Any, path: str, offset: int = 0) -> Iterator[bytes]:
    """The records of an open file, which is at `offset` and is closed at the end."""
    with file:
        while (record := next_record(file, path, offset)) is not None:
            yield record
            offset += len(record) + FRAME


def next_record(file: Any, path: str, offset: int) -> bytes | None:
    """The record that begins where an open file is, at `offset`; None at its end, where a length may be incomplete."""
    head = file.read(12)
    if len(head) < 12:
        return None
    length, crc = struct.unpack("<QI", head)
    if masked_crc(head[:8]) != crc:
        hint = "" if offset else " (Is this even a TFRecord file?)"
        raise errors.DataLossError(None, None, f"corrupted record at {offset}{hint}: {path}")
    excess = limits.excess("REFLOW_MAX_RECORD_BYTES", length)
    if excess:
        raise errors.DataLossError(None, None, f"the record at {offset} of {path} declares {excess}")
    body = _exactly(file, length + 4)
    if len(body) < length + 4:
        raise errors.DataLossError(None, None, f"truncated record at {offset}: {path}")
    if masked_crc(body[:-4]) != struct.unpack("<I", body[-4:])[0]:
        raise errors.DataLossError(None, None, f"corrupted record at {offset + len(head)}: {path}")
    return body[:-4]


def _exactly(file: Any, size: int) -> bytes:
    """The next bytes of a file, fewer at its end.

    Memory is allocated only for data that exists, not for what a header declares.
    """
    if size <= _CHUNK:
        return file.read(size)
    parts = []
    while size and (part := file.read(min(size, _CHUNK))):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _skip(file: IO[bytes], offset: int) -> None:
    if file.seekable():
        file.seek(offset)
    while not file.seekable() and offset and (part := file.read(min(offset, _CHUNK))):
        offset -= len(part)


def open_file(path: str, compression: str = "", offset: int = 0) -> IO[bytes]:
    """A file open for reading at an offset in uncompressed bytes, decompressed when read; errors are TensorFlow's."""
    if compression not in COMPRESSIONS:
        raise errors.InvalidArgumentError(None, None, f"Unsupported compression_type: {compression}.")
    with os_errors(path):
        file = open(path, "rb")
    whole = io.BufferedReader(_Inflated(file, path, compression == "GZIP"), _CHUNK) if compression else file
    _skip(whole, offset)
    return whole


class _Inflated(io.RawIOBase):
    """The contents of a compressed file. A zlib file ends with its stream; a gzip file may contain several streams."""

    def __init__(self, file: IO[bytes], path: str, gzip: bool) -> None:
        self._file, self._path, self._gzip = file, path, gzip
        self._waiting = b""  # compressed bytes that were read and not yet used
        self._stream = self._new_stream()

    def _new_stream(self) -> Any:
        return zlib.decompressobj(31 if self._gzip else 15)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a part of the buffer. 0 at the end, also of a truncated file: the reader knows what is missing."""
        while True:
            if self._stream.eof:
                self._waiting = self._stream.unused_data + self._waiting if self._gzip else b""
                if not self._gzip or not (self._waiting or self._more()):
                    return 0
                self._stream = self._new_stream()
            if not self._waiting and not self._more():
                return 0
            try:
                out = self._stream.decompress(self._waiting, len(buffer))
            except zlib.error as error:
                place = self._file.tell() - len(self._waiting)
                text = f"inflate() failed: {error} (near byte {place} of the compressed file {self._path})"
                raise errors.DataLossError(None, None, text) from None
            self._waiting = self._stream.unconsumed_tail
            if out:
                buffer[: len(out)] = out
                return len(out)

    def _more(self) -> bool:
        self._waiting = self._file.read(_CHUNK)
        return bool(self._waiting)

    def close(self) -> None:
        self._file.close()
        super().close()
