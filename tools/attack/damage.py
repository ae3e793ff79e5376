"""Damage to the bytes of a file, at random: what disks, networks and attackers do to it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Draw = np.random.Generator
#: numbers that lengths and offsets should not be
NUMBERS = (0, 1, 2**31 - 1, 2**31, 2**32 - 1, 2**62, 2**63 - 1, 2**63, 2**64 - 1)


def damaged(data: bytes, draw: Draw) -> bytes:
    """The bytes with one to three kinds of damage."""
    for _ in range(int(draw.choice([1, 1, 1, 2, 3]))):
        data = KINDS[int(draw.integers(len(KINDS)))](data, draw)
    return data


def _place(data: bytes, draw: Draw) -> int:
    """A place in the bytes; headers and footers twice as often as they are long."""
    if draw.random() < 0.3:
        edge = min(64, len(data))
        return int(draw.integers(edge + 1)) if draw.random() < 0.6 else len(data) - int(draw.integers(edge + 1))
    return int(draw.integers(len(data) + 1))


def _flip(data: bytes, draw: Draw) -> bytes:
    at = _place(data, draw)
    return data[:at] + bytes(b ^ (1 << int(draw.integers(8))) for b in data[at : at + 1]) + data[at + 1 :]


def _overwrite(data: bytes, draw: Draw) -> bytes:
    at, new = _place(data, draw), draw.bytes(int(draw.integers(1, 9)))
    return data[:at] + new + data[at + len(new) :]


def _number(data: bytes, draw: Draw) -> bytes:
    """A number of 4 or 8 bytes that is too large, in either order."""
    width = int(draw.choice([4, 8]))
    number = int(NUMBERS[int(draw.integers(len(NUMBERS)))]) % 2 ** (8 * width)
    at, order = _place(data, draw), "little" if draw.random() < 0.7 else "big"
    return data[:at] + number.to_bytes(width, order) + data[at + width :]


def _cut(data: bytes, draw: Draw) -> bytes:
    return data[: _place(data, draw)]


def _remove(data: bytes, draw: Draw) -> bytes:
    at = _place(data, draw)
    return data[:at] + data[at + int(draw.integers(1, 33)) :]


def _insert(data: bytes, draw: Draw) -> bytes:
    at = _place(data, draw)
    return data[:at] + draw.bytes(int(draw.integers(1, 33))) + data[at:]


def _repeat(data: bytes, draw: Draw) -> bytes:
    at, length = _place(data, draw), int(draw.integers(1, 200))
    return data[: at + length] + data[at : at + length] + data[at + length :]


def _zeros(data: bytes, draw: Draw) -> bytes:
    at, length = _place(data, draw), int(draw.integers(1, 100))
    return data[:at] + bytes(len(data[at : at + length])) + data[at + length :]


KINDS: tuple[Callable[[bytes, Draw], bytes], ...] = (
    _flip, _overwrite, _number, _cut, _remove, _insert, _repeat, _zeros
)
