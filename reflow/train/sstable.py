"""The sorted table of LevelDB, which TensorFlow uses for a checkpoint's `.index`.

A table maps byte strings to byte strings, keys strictly increasing::

    file   := block* metaindex-block index-block footer
    block  := contents type crc
                type      1 byte: 0 plain, 1 snappy
                crc       4 bytes: masked CRC32C of contents and type
    contents := entry* restart* count
                entry     varint shared, varint unshared, varint value length,
                          `unshared` bytes of key, value; the first `shared` bytes are those of the key before
                restart   4 bytes: offset of an entry with shared = 0 (every 16th; in the index block, all)
                count     4 bytes: number of restarts
    footer := handle of the metaindex block, handle of the index block, zeros up to 40 bytes, magic (8 bytes)
    handle := varint offset, varint size (of the contents: type and crc follow them)

All integers are little-endian. The index block has one entry per data block: a key not below the block's last
one and below the next block's first one, and the block's handle. The metaindex block is empty. The mask on a
CRC (rotation by 15 bits and a constant) keeps the CRC of data that itself holds CRCs from being trivial.

The reader trusts nothing: blocks must be in order and disjoint, so the work is linear in the file's size, and the total
length of the keys is limited, so prefixes cannot expand into gigabytes.
"""

from __future__ import annotations

import bisect
import os
import struct
from collections.abc import Iterable, Iterator

import google_crc32c

from reflow.core import errors
from reflow.core.os_errors import os_errors
from reflow.io.varint import decode as get_varint
from reflow.io.varint import encode as put_varint

MAGIC = 0xDB4775248B80FB57
FOOTER_SIZE = 48
TRAILER_SIZE = 5
BLOCK_SIZE = 262144
RESTART_INTERVAL = 16
PLAIN, SNAPPY = 0, 1
# TensorFlow's blocks end at 256 KB. A larger one is legal where an entry is long, but nothing of this size is
# a block.
MAX_BLOCK = 1 << 28
# A key is stored whole at every 16th entry, so honest tables unfold at most 16-fold.
MAX_UNFOLDING = 64

_MASK_DELTA = 0xA282EAD8


def mask_crc(crc: int) -> int:
    """The stored form of a CRC32C."""
    return (((crc >> 15) | (crc << 17)) + _MASK_DELTA) & 0xFFFFFFFF


def masked_crc(data: bytes) -> int:
    return mask_crc(google_crc32c.value(data))


# ---------------------------------------------------------------- writing


class _BlockBuilder:
    """The contents of one block, entry by entry."""

    def __init__(self, restart_interval: int):
        self.interval = restart_interval
        self.clear()

    def clear(self) -> None:
        self.buffer = bytearray()
        self.restarts = [0]
        self.since_restart = 0
        self.last_key = b""

    def add(self, key: bytes, value: bytes) -> None:
        shared = 0
        if self.since_restart < self.interval:
            shared = _common_prefix(self.last_key, key)
        else:
            self.restarts.append(len(self.buffer))
            self.since_restart = 0
        self.buffer += put_varint(shared) + put_varint(len(key) - shared) + put_varint(len(value))
        self.buffer += key[shared:]
        self.buffer += value
        self.last_key = key
        self.since_restart += 1

    def size(self) -> int:
        return len(self.buffer) + 4 * len(self.restarts) + 4

    def contents(self) -> bytes:
        count = len(self.restarts)
        return bytes(self.buffer) + struct.pack(f"<{count + 1}I", *self.restarts, count)


def _common_prefix(a: bytes, b: bytes) -> int:
    return len(os.path.commonprefix((a, b)))


def _separator(last: bytes, following: bytes) -> bytes:
    """A short key k with last <= k < following: the first byte that differs, plus one, if there is room."""
    at = _common_prefix(last, following)
    if at < min(len(last), len(following)) and last[at] + 1 < following[at]:
        return last[:at] + bytes([last[at] + 1])
    return last


def _successor(last: bytes) -> bytes:
    """A short key that is not below `last`."""
    for at, byte in enumerate(last):
        if byte != 0xFF:
            return last[:at] + bytes([byte + 1])
    return last


def encode(entries: Iterable[tuple[bytes, bytes]], block_size: int = BLOCK_SIZE) -> bytes:
    """The table of `entries`, which must come with strictly increasing keys.

    >>> table = encode([(b"a", b"1"), (b"b", b"2")])
    >>> len(table), table[-8:].hex()
    (103, '57fb808b247547db')
    """
    out = bytearray()

    def put_block(contents: bytes) -> bytes:
        handle = put_varint(len(out)) + put_varint(len(contents))
        typed = contents + bytes([PLAIN])
        out.extend(typed + struct.pack("<I", masked_crc(typed)))
        return handle

    data, index = _BlockBuilder(RESTART_INTERVAL), _BlockBuilder(1)
    last_key, handle, first = b"", None, True
    for key, value in entries:
        if not first and key <= last_key:
            raise ValueError(f"A table's keys must increase, received {key!r} after {last_key!r}.")
        if handle is not None:
            index.add(_separator(last_key, key), handle)
            handle = None
        data.add(key, value)
        last_key, first = key, False
        if data.size() >= block_size:
            handle = put_block(data.contents())
            data.clear()
    if data.buffer:
        handle = put_block(data.contents())
    meta = put_block(_BlockBuilder(RESTART_INTERVAL).contents())
    if handle is not None:
        index.add(_successor(last_key), handle)
    footer = meta + put_block(index.contents())
    return bytes(out) + footer.ljust(FOOTER_SIZE - 8, b"\0") + struct.pack("<Q", MAGIC)


# ---------------------------------------------------------------- reading


class Table:
    """The table open at `fd`. `name` stands in error messages.

    Raises DataLossError, with the file's name and the offset, for whatever is not a sound table.
    """

    def __init__(self, fd: int, name: str, max_block: int = MAX_BLOCK) -> None:
        self._fd, self._name, self._max_block = fd, name, max_block
        self._size = os.fstat(fd).st_size
        offset, length = _read_footer(fd, name, self._size)
        #: of each block: a key not below its last one, its offset, its length
        self._blocks: list[tuple[bytes, int, int]] = []
        free_from = 0
        for key, handle in _block_entries(self._read(offset, length), name, offset):
            start, size = _parse_handle(handle, 0, name, offset)[:2]
            if start < free_from:
                raise _corrupt(name, start, "blocks overlap or are out of order")
            free_from = start + size + TRAILER_SIZE
            self._blocks.append((key, start, size))

    def _read(self, offset: int, length: int) -> bytes:
        return _read_block(self._fd, self._name, offset, length, self._size, self._max_block)

    def entries(self) -> Iterator[tuple[bytes, bytes]]:
        """All (key, value), in order."""
        last_key, unfolded = None, 0
        for _, offset, length in self._blocks:
            for key, value in _block_entries(self._read(offset, length), self._name, offset):
                if last_key is not None and key <= last_key:
                    raise _corrupt(self._name, offset, f"key {key[:80]!r} is out of order")
                unfolded += len(key)
                if unfolded > MAX_UNFOLDING * self._size:
                    raise _corrupt(self._name, offset, "keys unfold to an implausible length")
                last_key = key
                yield key, value

    def get(self, wanted: bytes) -> bytes | None:
        """The value of a key; None if it is not there. One block is read."""
        at = bisect.bisect_left(self._blocks, wanted, key=lambda block: block[0])
        if at == len(self._blocks):
            return None
        _, offset, length = self._blocks[at]
        return next(
            (value for key, value in _block_entries(self._read(offset, length), self._name, offset) if key == wanted),
            None,
        )


def _corrupt(name: str, offset: int, what: str) -> errors.OpError:
    return errors.DataLossError(None, None, f"{name}: corrupt table at offset {offset}: {what}")


def _read_footer(fd: int, name: str, size: int) -> tuple[int, int]:
    """Offset and size of the index block."""
    if size < FOOTER_SIZE:
        raise _corrupt(name, 0, f"file is too short to be an sstable ({size} bytes)")
    start = size - FOOTER_SIZE
    footer = _pread(fd, name, start, FOOTER_SIZE)
    if struct.unpack("<Q", footer[-8:])[0] != MAGIC:
        raise _corrupt(name, size - 8, "not an sstable (bad magic number)")
    at = _parse_handle(footer[:-8], 0, name, start)[2]
    return _parse_handle(footer[:-8], at, name, start)[:2]


def _parse_handle(data: bytes, at: int, name: str, offset: int) -> tuple[int, int, int]:
    """(block offset, block size, position behind the handle)."""
    try:
        start, at = get_varint(data, at, len(data))
        length, at = get_varint(data, at, len(data))
    except ValueError as e:
        raise _corrupt(name, offset, f"bad block handle: {e}") from None
    return start, length, at


def _pread(fd: int, name: str, offset: int, length: int) -> bytes:
    with os_errors(name):
        data = os.pread(fd, length, offset)
    if len(data) != length:
        raise _corrupt(name, offset, f"{length} bytes expected, {len(data)} read")
    return data


def _read_block(fd: int, name: str, offset: int, length: int, size: int, max_block: int = MAX_BLOCK) -> bytes:
    """The contents of a block, checksum verified."""
    if offset + length + TRAILER_SIZE > size - FOOTER_SIZE:
        raise _corrupt(name, offset, f"truncated block: {length} bytes expected, the file has {size}")
    if length > max_block:
        raise _corrupt(name, offset, f"block of implausible size {length}")
    block = _pread(fd, name, offset, length + TRAILER_SIZE)
    if masked_crc(block[:-4]) != struct.unpack("<I", block[-4:])[0]:
        raise _corrupt(name, offset, "block checksum mismatch")
    if block[length] == SNAPPY:
        message = f"{name}: cannot be read: the block at offset {offset} is compressed with snappy"
        raise errors.UnimplementedError(None, None, message)
    if block[length] != PLAIN:
        raise _corrupt(name, offset, f"unknown block type {block[length]}")
    return block[:length]


def _block_entries(block: bytes, name: str, offset: int) -> Iterator[tuple[bytes, bytes]]:
    """(key, value) of a block's contents. `offset` is the block's place in the file."""
    end = _restarts_start(block, name, offset)
    key, at = b"", 0
    while at < end:
        try:
            shared, body = get_varint(block, at, end)
            unshared, body = get_varint(block, body, end)
            length, body = get_varint(block, body, end)
        except ValueError as e:
            raise _corrupt(name, offset + at, f"bad entry in block: {e}") from None
        if shared > len(key) or unshared + length > end - body:
            raise _corrupt(name, offset + at, "bad entry in block: it reaches past its limits")
        key = key[:shared] + block[body : body + unshared]
        at = body + unshared + length
        yield key, block[body + unshared : at]


def _restarts_start(block: bytes, name: str, offset: int) -> int:
    """Where the entries end and the restart offsets begin."""
    if len(block) < 4:
        raise _corrupt(name, offset, "block too short for its restart count")
    count = struct.unpack("<I", block[-4:])[0]
    start = len(block) - 4 - 4 * count
    if start < 0:
        raise _corrupt(name, offset, f"block too short for {count} restarts")
    return start
