"""Numbers in groups of seven bits, lowest group first, as protos and tables hold them; the high bit is set on all bytes but the last."""

from __future__ import annotations


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


def decode(data: bytes | bytearray | memoryview, at: int) -> tuple[int, int]:
    """The number at a place, and where the next one begins. IndexError if the data end before it does.

    >>> decode(b"\\xac\\x02", 0)
    (300, 2)
    """
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, at
        shift += 7
