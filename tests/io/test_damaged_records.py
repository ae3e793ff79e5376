"""Damaged TFRecord files, compressed ones among them (rows 1 and 2 of the bad inputs).

Which end how is TensorFlow 2.21's.
"""

import os
import random
import struct
import zlib

import pytest

import reflow as tf
from reflow.core import errors
from reflow.io import records
from tests.peaks import peak_below

RECORDS = [b"record%d" % i * 10 for i in range(5)]


def written(path, kind: str) -> bytes:
    with tf.io.TFRecordWriter(str(path), kind) as writer:
        for record in RECORDS:
            writer.write(record)
    return path.read_bytes()


def count(path, kind: str) -> int:
    return len(list(tf.data.TFRecordDataset(str(path), kind)))


@pytest.mark.parametrize("kind, name, change, expected", [
    ("GZIP", "cut", lambda d: d[: len(d) // 2], "truncated record at"),
    ("GZIP", "head", lambda d: b"xx" + d[2:], "inflate.. failed.*incorrect header check"),
    ("GZIP", "empty", lambda d: b"", 0),
    ("GZIP", "junk behind", lambda d: d + b"junk", "inflate.. failed.*incorrect header check"),
    ("GZIP", "last byte gone", lambda d: d[:-1], 5),
    ("GZIP", "two streams", lambda d: d + d, 10),
    ("GZIP", "checksum", lambda d: d[:-6] + b"\0\0" + d[-4:], "inflate.. failed.*incorrect data check"),
    ("ZLIB", "cut", lambda d: d[: len(d) // 2], "truncated record at"),
    ("ZLIB", "head", lambda d: b"xx" + d[2:], "inflate.. failed.*incorrect header check"),
    ("ZLIB", "empty", lambda d: b"", 0),
    ("ZLIB", "junk behind", lambda d: d + b"junk", 5),
    ("ZLIB", "last byte gone", lambda d: d[:-1], 5),
    ("ZLIB", "two streams", lambda d: d + d, 5),
])
def test_compressed_files(tmp_path, kind, name, change, expected):
    path = tmp_path / "x.tfrecord"
    path.write_bytes(change(written(path, kind)))
    if isinstance(expected, int):
        assert count(path, kind) == expected
        return
    with pytest.raises(errors.DataLossError, match=expected) as caught:
        count(path, kind)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("kind", ["", "GZIP", "ZLIB"])
def test_any_damage_is_data_loss_that_names_the_file(tmp_path, kind):
    path = tmp_path / "x.tfrecord"
    data, rng = written(path, kind), random.Random(0)
    for _ in range(400):
        bad = bytearray(data)
        at = rng.randrange(len(bad))
        if rng.random() < 0.5:
            bad[at] ^= 1 << rng.randrange(8)
        else:
            del bad[at : at + rng.randrange(1, 30)]
        path.write_bytes(bytes(bad))
        try:
            assert list(records.read(str(path), kind)) == RECORDS[: len(list(records.read(str(path), kind)))]
        except errors.DataLossError as error:
            assert str(path) in str(error)


def test_a_file_cut_at_any_byte(tmp_path):
    """Between two records nothing shows that there were more: as in TensorFlow the file ends there, and also before an
    incomplete length.

    Anywhere else it is data loss.
    """
    path = tmp_path / "x.tfrecord"
    data = written(path, "")
    ends = [0]
    for record in RECORDS:
        ends.append(ends[-1] + len(record) + records.FRAME)
    for length in range(len(data) + 1):
        path.write_bytes(data[:length])
        found = []
        begun = max(end for end in ends if end <= length)
        if length - begun < 12:
            found += records.read(str(path))
            assert found == RECORDS[: ends.index(begun)]
            continue
        with pytest.raises(errors.DataLossError, match=f"truncated record at {begun}: {path}"):
            for record in records.read(str(path)):
                found.append(record)
        assert found == RECORDS[: ends.index(begun)]


def shrink(path):
    os.truncate(path, path.stat().st_size // 2 + 100)


def spoil(path):
    with open(path, "r+b") as file:
        file.seek(path.stat().st_size // 2)
        file.write(b"\xff" * 5000)


def grow(path):
    with open(path, "ab") as file:
        file.write(path.read_bytes())


def replace(path):
    (path.parent / "new").write_bytes(b"something else")
    os.replace(path.parent / "new", path)


@pytest.mark.parametrize(
    "change, count, words",
    [
        (shrink, 500, "truncated record at"), (spoil, 500, "corrupted record at"), (grow, 2000, None),
        (replace, 1000, None),
    ],
)
def test_a_file_that_changes_while_it_is_read(tmp_path, change, count, words):
    """What was read is whole. A file that was replaced is read to its end; one that grew, to its new end."""
    path = tmp_path / "x.tfrecord"
    with tf.io.TFRecordWriter(str(path)) as writer:
        for i in range(1000):
            writer.write(b"%06d" % i * 200)
    found = []

    def read():
        for record in tf.data.TFRecordDataset(str(path)):
            found.append(record.numpy())
            if len(found) == 10:
                change(path)

    if words is None:
        read()
    else:
        with pytest.raises(errors.DataLossError, match=f"{words} .*{path}"):
            read()
    assert found == [b"%06d" % (i % 1000) * 200 for i in range(count)]


@pytest.mark.parametrize("kind", ["GZIP", "ZLIB"])
def test_a_compressed_file_is_read_piece_by_piece(tmp_path, kind):
    """200 MB of zeros in 200 KB."""
    path = tmp_path / "x.tfrecord"
    with tf.io.TFRecordWriter(str(path), kind) as writer:
        for _ in range(200):
            writer.write(bytes(2**20))

    def read():
        assert sum(len(record) for record in records.read(str(path), kind)) == 200 * 2**20

    assert peak_below(20 * 2**20, read)


def declared(length: int) -> bytes:
    head = struct.pack("<Q", length)
    return head + struct.pack("<I", records.masked_crc(head)) + b"data"


@pytest.mark.parametrize("length", [2**31, 2**40, 2**63, 2**64 - 1])
def test_a_record_that_declares_terabytes(tmp_path, length, monkeypatch):
    path = tmp_path / "x.tfrecord"
    path.write_bytes(declared(length))
    with pytest.raises(errors.DataLossError, match="the record at 0 of .* declares .*REFLOW_MAX_RECORD_BYTES"):
        list(records.read(str(path)))
    monkeypatch.setenv("REFLOW_MAX_RECORD_BYTES", str(2**64))
    with pytest.raises(errors.DataLossError, match="truncated record at 0"):
        list(records.read(str(path)))


@pytest.mark.parametrize("kind", ["", "GZIP", "ZLIB"])
def test_reading_from_an_offset(tmp_path, kind):
    path = tmp_path / "x.tfrecord"
    written(path, kind)
    assert list(records.read(str(path), kind, len(records.frame(RECORDS[0])))) == RECORDS[1:]


@pytest.mark.parametrize("kind", ["GZIP", "ZLIB"])
def test_lines_of_compressed_text(tmp_path, kind):
    path = tmp_path / "x.txt"
    pack = zlib.compressobj(wbits=31 if kind == "GZIP" else 15)
    path.write_bytes(pack.compress(b"one\ntwo\r\n\nlast") + pack.flush())
    lines = tf.data.TextLineDataset(str(path), kind)
    assert [line.numpy() for line in lines] == [b"one", b"two", b"", b"last"]


def test_ignore_errors_ends_on_a_damaged_file(tmp_path):
    path = tmp_path / "x.tfrecord"
    data = written(path, "")
    path.write_bytes(data[: len(data) // 2])
    assert len(list(tf.data.TFRecordDataset(str(path)).ignore_errors())) <= 5
