"""Parts of tensors: how a checkpoint names the pieces of a partitioned variable.

A *slice* is a range in each dimension: (first index, number of elements), or None for all of it. In the op `SaveV2` and
in `VariableDef`s it is written together with the shape of the whole tensor, `10 4 0,5:-`: rows 0 to 4 of a 10 by 4
matrix.

A checkpoint has an entry for the whole tensor that lists its slices, and one for each slice, under a key that sorts
before all names: a zero byte, the name, the number of dimensions, start and length in each (-1 for all). Every part is
encoded so that bytes sort like the values (`_string`, `_unsigned`, `_signed`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from reflow.core import errors
from reflow.train import protos

Extents = tuple[tuple[int, int] | None, ...]


class Part(NamedTuple):
    """The key under which a piece of a tensor is written."""

    name: str
    full_shape: tuple[int, ...]
    extents: Extents


def parse(text: str) -> tuple[tuple[int, ...], Extents]:
    """The shape of the whole tensor and the slice of it that a text describes.

    >>> parse("10 4 0,5:-")
    ((10, 4), ((0, 5), None))
    """
    *sizes, last = text.split(" ")
    try:
        shape = tuple(int(size) for size in sizes)
        extents: Extents = tuple(None if part == "-" else _pair(part) for part in last.split(":") if part)
    except ValueError:
        raise errors.InvalidArgumentError(
            None, None, f"Need a shape and a slice in shape_and_slice specification: {text}"
        ) from None
    if len(shape) != len(extents):
        raise errors.InvalidArgumentError(
            None, None, f"The slice in {text!r} has {len(extents)} dimensions, the shape {len(shape)}"
        )
    return shape, extents


def _pair(text: str) -> tuple[int, int]:
    start, length = text.split(",")
    return int(start), int(length)


def spec(full_shape: Sequence[int], offset: Sequence[int], shape: Sequence[int]) -> str:
    """The text for a piece of a tensor.

    >>> spec([10, 4], [5, 0], [5, 4])
    '10 4 5,5:0,4'
    """
    ranges = ":".join(f"{start},{length}" for start, length in zip(offset, shape, strict=True))
    return " ".join([*map(str, full_shape), ranges])


def ranges(extents: Extents, shape: Sequence[int]) -> list[tuple[int, int]]:
    """(first index, end index) in each dimension. InvalidArgumentError if it is outside."""
    found = [(0, size) if e is None else (e[0], e[0] + e[1]) for e, size in zip(extents, shape, strict=True)]
    for (start, end), size in zip(found, shape, strict=True):
        if not 0 <= start <= end <= size:
            raise errors.InvalidArgumentError(
                None, None, f"Extent in dimension out of bounds: shape {list(shape)}, slice {extents}"
            )
    return found


def shape_of(extents: Extents, full_shape: Sequence[int]) -> tuple[int, ...]:
    """The shape of a slice.

    >>> shape_of(((0, 5), None), (10, 4))
    (5, 4)
    """
    return tuple(end - start for start, end in ranges(extents, full_shape))


def overlap(
    wanted: Extents, stored: Extents, shape: Sequence[int]
) -> tuple[tuple[slice, ...], tuple[slice, ...]] | None:
    """The positions of the common elements of two slices in each of them, or None if they have none."""
    into, source = [], []
    for (a, b), (c, d) in zip(ranges(wanted, shape), ranges(stored, shape), strict=True):
        start, end = max(a, c), min(b, d)
        if start >= end:
            return None
        into.append(slice(start - a, end - a))
        source.append(slice(start - c, end - c))
    return tuple(into), tuple(source)


def to_proto(extents: Extents):
    """A TensorSliceProto."""
    proto = protos.TensorSliceProto()
    for extent in extents:
        if extent is None:
            proto.extent.add()
        else:
            proto.extent.add(start=extent[0], length=extent[1])
    return proto


def from_proto(proto) -> Extents:
    """The slice of a TensorSliceProto; a dimension without a length is whole."""
    return tuple((e.start, e.length) if e.HasField("length") else None for e in proto.extent)


# --- keys that sort ---------------------------------------------------------------------------------------------------


def key(name: str, extents: Extents) -> bytes:
    """The checkpoint key of a slice.

    >>> key("w", ((0, 5), None))
    b'\\x00w\\x00\\x01\\x01\\x02\\x80\\x85\\x80\\x7f'
    """
    numbers = [n for e in extents for n in (e if e is not None else (0, -1))]
    return b"".join([_unsigned(0), _string(name.encode()), _unsigned(len(extents)), *map(_signed, numbers)])


def _string(value: bytes) -> bytes:
    escapes = {0: b"\x00\xff", 0xFF: b"\xff\x00"}
    return b"".join(escapes.get(byte, bytes([byte])) for byte in value) + b"\x00\x01"


def _unsigned(value: int) -> bytes:
    """The number of bytes, then the bytes."""
    digits = value.to_bytes((value.bit_length() + 7) // 8, "big")
    return bytes([len(digits)]) + digits


def _signed(value: int) -> bytes:
    """As many leading ones as bytes (zeros for a negative number), then the sign, then the number."""
    magnitude = ~value if value < 0 else value
    length = magnitude.bit_length() // 7 + 1
    header = ((1 << length) - 1) << (16 - length)  # in the first two bytes
    encoded = bytearray(value.to_bytes(10, "big", signed=True)[10 - max(length, 2) :])
    if length == 1:
        encoded = encoded[1:]
    encoded[0] ^= header >> 8
    if length > 1:
        encoded[1] ^= header & 0xFF
    return bytes(encoded)
