"""The sorted table of LevelDB: what is written comes back, what is damaged is found."""

import os

import pytest

import reflow as tf
from reflow.train import sstable

ENTRIES = [(b"", b"header"), *((f"model/layer_{i:03}/kernel".encode(), bytes([i % 256]) * (i % 7)) for i in range(300))]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "x.index"
    path.write_bytes(sstable.encode(ENTRIES, block_size=512))
    return path


def read(path):
    fd = os.open(path, os.O_RDONLY)
    try:
        return list(sstable.Table(fd, str(path)).entries())
    finally:
        os.close(fd)


def test_many_blocks(table):
    assert read(table) == ENTRIES
    assert len(sstable.encode(ENTRIES)) < sum(len(k) + len(v) for k, v in ENTRIES)  # keys share their beginnings


def test_no_entries(tmp_path):
    (tmp_path / "x").write_bytes(sstable.encode([]))
    assert read(tmp_path / "x") == []


@pytest.mark.parametrize("number", [0, 1, 127, 128, 300, 2**32, 2**64 - 1])
def test_varints(number):
    data = sstable.put_varint(number)
    assert sstable.get_varint(data, 0, len(data)) == (number, len(data))


def test_separators_are_short_and_in_between():
    for last, following in ((b"abcdefgh", b"abz"), (b"abc", b"abd"), (b"a", b"ab"), (b"a\xff", b"b")):
        between = sstable._separator(last, following)
        assert last <= between < following and len(between) <= len(last)
    assert b"abc" <= sstable._successor(b"abc") and sstable._successor(b"\xff\xff") == b"\xff\xff"


@pytest.mark.parametrize("place", [3, 100, -60, -5])
def test_a_flipped_byte_is_found(table, place):
    data = bytearray(table.read_bytes())
    data[place] ^= 0x40
    table.write_bytes(data)
    with pytest.raises(tf.errors.OpError):
        read(table)


@pytest.mark.parametrize("length", [0, 10, 47, 1000])
def test_a_cut_file(table, length):
    table.write_bytes(table.read_bytes()[:length])
    with pytest.raises(tf.errors.OpError):
        read(table)
