"""Varints: numbers in groups of seven bits, lowest group first, in protos and tables; the high bit is set on all bytes
except the last.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

#: bytes of a field by its kind; those of kind 2 say how many they are
_SIZES = {1: 8, 2: 0, 5: 4}


def encode(number: int) -> bytes:
    """
    >>> encode(300)
    b'\\xac\\x02'
    """
    number &= 0xFFFFFFFFFFFFFFFF
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def decode(data: bytes | bytearray | memoryview, at: int, end: int | None = None) -> tuple[int, int]:
    """The number at a place, and where the next one begins. ValueError if it is longer than 64 bits, or the data end
    before it does.

    >>> decode(b"\\xac\\x02", 0)
    (300, 2)
    """
    number = shift = 0
    for byte in data[at : min(at + 10, len(data) if end is None else end)]:
        at += 1
        number |= (byte & 127) << shift
        if byte < 128:
            if number >> 64:
                break
            return number, at
        shift += 7
    raise ValueError("varint longer than 64 bits" if shift >= 63 else "varint runs past its end")


def fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """The fields of a serialized proto: its number, and an int or bytes. ValueError if it is none.

    >>> list(fields(b"\\x08\\xac\\x02\\x12\\x02hi"))
    [(1, 300), (2, b'hi')]
    """
    at = 0
    while at < len(data):
        key, at = decode(data, at)
        if key & 7 == 0:
            value, at = decode(data, at)
            yield key >> 3, value
            continue
        if key & 7 not in _SIZES:
            raise ValueError(f"a field is of kind {key & 7}")
        size, at = decode(data, at) if key & 7 == 2 else (_SIZES[key & 7], at)
        if size > len(data) - at:
            raise ValueError(f"a field of {size} bytes ends behind the data")
        yield key >> 3, data[at : at + size]
        at += size
