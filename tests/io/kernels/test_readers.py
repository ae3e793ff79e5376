"""Readers of files: positions, and files that do not fit."""

import pytest

import reflow as tf


def _restored_everywhere(make, count):
    expected = [x.numpy() for x in make()]
    assert len(expected) == count
    for passed in range(count + 1):
        iterator = iter(make())
        for _ in range(passed):
            next(iterator)
        again = iter(make())
        again._restore(iterator._save())
        assert [x.numpy() for x in again] == expected[passed:]


def test_lines_records_and_fixed_records_are_restored_at_every_element(tmp_path):
    names = [str(tmp_path / n) for n in "ab"]
    for name in names:
        with open(name, "wb") as file:
            file.write(b"one\r\ntwo\nxyz")
    _restored_everywhere(lambda: tf.data.TextLineDataset(names), 6)
    _restored_everywhere(lambda: tf.data.FixedLengthRecordDataset(names, 3, header_bytes=2, footer_bytes=1), 6)
    for kind in ("", "GZIP", "ZLIB"):
        with tf.io.TFRecordWriter(str(tmp_path / "r"), kind) as writer:
            for text in (b"a", b"", b"ccc"):
                writer.write(text)
        _restored_everywhere(lambda: tf.data.TFRecordDataset([str(tmp_path / "r")] * 2, kind), 6)  # noqa: B023


def test_a_file_that_is_no_multiple_of_its_records(tmp_path):
    (tmp_path / "x").write_bytes(b"12345")
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"body length 5 bytes, which is not an exact multiple"):
        list(tf.data.FixedLengthRecordDataset(str(tmp_path / "x"), 2))
    with pytest.raises(tf.errors.InvalidArgumentError, match="record_bytes must be > 0"):
        list(tf.data.FixedLengthRecordDataset(str(tmp_path / "x"), 0))
