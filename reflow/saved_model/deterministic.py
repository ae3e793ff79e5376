"""Serializes messages to the same bytes as TensorFlow's C++, whose hashes are fingerprints.

The entries of a map are unordered. Protobuf's `deterministic` sorts them by key, and each implementation in its own
way: C++ by increasing numbers and strings, Python by decreasing numbers, and by strings such that a longer one precedes
its own prefix (`Tidx` before `T`). Files are written in Python's order, by TensorFlow too, and C++ hashes what it has
read in its own order. Here the entries of serialized messages are put into that order. Everything else is the same in
both.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any, NamedTuple

from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message

from reflow.io import varint

_NUMBER, _EIGHT_BYTES, _BYTES, _FOUR_BYTES = 0, 1, 2, 5  # how the content of a field is written
_FIXED = {_EIGHT_BYTES: 8, _FOUR_BYTES: 4}


def serialize(message: Message) -> bytearray:
    """The bytes that C++ makes of a message."""
    return in_order(message.SerializeToString(deterministic=True), message.DESCRIPTOR)


def in_order(data: bytes, descriptor: Descriptor) -> bytearray:
    """The bytes that C++ makes of a kind of messages, from those that Python makes.

    They are as many, so entries of maps change places.
    """
    buffer = bytearray(data)
    _sort_maps(buffer, 0, len(buffer), descriptor)
    return buffer


class _Field(NamedTuple):
    """A field of messages that is a map, or in which there may be maps."""

    content: Descriptor
    is_map: bool


@functools.cache
def _fields_with_maps(descriptor: Descriptor) -> dict[int, _Field]:
    """By their numbers, the fields of a kind of messages whose content depends on the order of maps."""
    found = {}
    for field in descriptor.fields:
        content = field.message_type
        if content is not None and (content.GetOptions().map_entry or _holds_map(content)):
            found[field.number] = _Field(content, content.GetOptions().map_entry)
    return found


@functools.cache
def _holds_map(descriptor: Descriptor) -> bool:
    seen, left = {descriptor.full_name}, [descriptor]
    while left:
        for field in left.pop().fields:
            content = field.message_type
            if content is None or content.full_name in seen:
                continue
            if content.GetOptions().map_entry:
                return True
            seen.add(content.full_name)
            left.append(content)
    return False


def _sort_maps(buffer: bytearray, start: int, end: int, descriptor: Descriptor) -> None:
    """Sort the entries of all maps in the serialized message at a position."""
    fields = _fields_with_maps(descriptor)
    entries: list[tuple[int | bytes, int, int]] = []  # of the map that is being read: key, beginning, end
    current = 0
    for number, first, content, last in _records(buffer, start, end) if fields else ():
        if number != current:
            _sort_entries(buffer, entries)
            entries, current = [], number
        field = fields.get(number)
        if field is not None:
            _sort_maps(buffer, content, last, field.content)
            if field.is_map:
                entries.append((_key(buffer, content, last), first, last))
    _sort_entries(buffer, entries)


def _sort_entries(buffer: bytearray, entries: list[tuple[Any, int, int]]) -> None:
    """Consecutive entries."""
    ordered = sorted(entries)
    if ordered != entries:
        buffer[entries[0][1] : entries[-1][2]] = b"".join([buffer[first:last] for _, first, last in ordered])


def _key(buffer: bytearray, start: int, end: int) -> int | bytes:
    """The key of an entry of a map: its first field, a number or a text."""
    _, _, content, last = next(_records(buffer, start, end))
    return varint.decode(buffer, content)[0] if buffer[start] & 7 == _NUMBER else bytes(buffer[content:last])


def _records(data: bytearray, at: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """Of each field of a serialized message: its number, where it begins, where its content does, and where it ends."""
    while at < end:
        start = at
        tag = data[at]
        at += 1
        if tag > 127:
            tag, at = varint.decode(data, start)
        kind = tag & 7
        if kind == _BYTES:
            length = data[at]
            at += 1
            if length > 127:
                length, at = varint.decode(data, at - 1)
            content, at = at, at + length
        else:
            content, at = at, varint.decode(data, at)[1] if kind == _NUMBER else at + _FIXED[kind]
        yield tag >> 3, start, content, at
