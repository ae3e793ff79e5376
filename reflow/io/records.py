"""TFRecord files: a sequence of byte strings.

Each record is written as

    8 bytes   its length, little-endian
    4 bytes   the masked CRC32C of those 8 bytes
    n bytes   the data
    4 bytes   the masked CRC32C of the data

A *masked* CRC is rotated right by 15 bits, plus 0xa282ead8, so that a CRC over data that hold CRCs stays useful. A file may
be compressed as a whole, by gzip or zlib.
"""

from __future__ import annotations

import gzip
import io
import struct
import zlib
from collections.abc import Iterator

import google_crc32c

from reflow.core import errors
from reflow.core.os_errors import os_errors

COMPRESSIONS = ("", "ZLIB", "GZIP")


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
    with open_file(path, compression) as file:
        file.seek(offset)
        while True:
            head = file.read(12)
            if not head:
                return
            if len(head) < 12:
                raise errors.DataLossError(None, None, f"truncated record at {offset}: {path}")
            length, crc = struct.unpack("<QI", head)
            if masked_crc(head[:8]) != crc:
                raise errors.DataLossError(
                    None, None, f"corrupted record at {offset} (Is this even a TFRecord file?): {path}"
                )
            body = file.read(length + 4)
            if len(body) < length + 4:
                raise errors.DataLossError(None, None, f"truncated record at {offset}: {path}")
            if masked_crc(body[:-4]) != struct.unpack("<I", body[-4:])[0]:
                raise errors.DataLossError(None, None, f"corrupted record at {offset}: {path}")
            yield body[:-4]
            offset += length + 16


def open_file(path: str, compression: str = ""):
    """A file open for reading, decompressed; errors are TensorFlow's."""
    if compression not in COMPRESSIONS:
        raise errors.InvalidArgumentError(None, None, f"Unsupported compression_type: {compression}.")
    with os_errors(path):
        if compression == "GZIP":
            return gzip.open(path, "rb")
        if compression == "ZLIB":
            with open(path, "rb") as file:
                return io.BytesIO(zlib.decompress(file.read()))
        return open(path, "rb")
