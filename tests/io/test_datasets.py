"""`tf.data.TFRecordDataset`, `TextLineDataset`: TensorFlow's files both ways, damaged and missing ones."""

from pathlib import Path

import pytest

import reflow as tf
from tests.io.recorded_files import path, records


@pytest.mark.parametrize("kind", ["", "GZIP", "ZLIB"])
def test_records_both_ways(tmp_path, kind):
    found = records(path(kind), kind)
    assert len(found) == 2 and found == records(path())
    with tf.io.TFRecordWriter(str(tmp_path / "own"), options=kind) as writer:
        for record in found:
            writer.write(record)
    assert records(tmp_path / "own", kind) == found
    if not kind:
        assert (tmp_path / "own").read_bytes() == Path(path()).read_bytes()


@pytest.mark.parametrize(("place", "message"), [(3, "corrupted record at 0"), (20, "corrupted record at 12"),
                                                (None, "truncated record")])
def test_damaged_records(tmp_path, place, message):
    data = bytearray(Path(path()).read_bytes())
    if place is None:
        data = data[:-5]
    else:
        data[place] ^= 1
    (tmp_path / "bad").write_bytes(data)
    with pytest.raises(tf.errors.DataLossError, match=message):
        records(tmp_path / "bad")


def test_missing_file():
    with pytest.raises(tf.errors.NotFoundError, match="nowhere; No such file or directory"):
        records("nowhere")
    with pytest.raises(tf.errors.NotFoundError, match="nowhere; No such file or directory"):
        tf.io.read_file("nowhere")


def test_parallel_reads_and_datasets_of_names():
    names = tf.data.Dataset.from_tensor_slices([path(), path()])
    assert len(list(tf.data.TFRecordDataset(names))) == 4
    assert len(list(tf.data.TFRecordDataset([path(), path()], num_parallel_reads=2))) == 4


def test_text_lines(tmp_path):
    tf.io.write_file(str(tmp_path / "folder" / "a.txt"), "one\ntwo\r\n\nfour")
    dataset = tf.data.TextLineDataset(str(tmp_path / "folder" / "a.txt"))
    assert list(dataset.as_numpy_iterator()) == [b"one", b"two", b"", b"four"]
    assert tf.io.matching_files(str(tmp_path / "fol*" / "*.txt")).numpy().tolist() == [
        bytes(tmp_path / "folder" / "a.txt")
    ]
    assert tf.io.read_file(str(tmp_path / "folder" / "a.txt")).numpy() == b"one\ntwo\r\n\nfour"


def test_batches_of_mapped_strings():
    (batch,) = tf.data.Dataset.from_tensor_slices(["a", "b"]).map(lambda s: s).batch(2)
    assert batch.numpy().tolist() == [b"a", b"b"]


def test_paths_of_pathlib(tmp_path):
    file = tmp_path / "lines"
    file.write_text("a\nb\n")
    with tf.io.TFRecordWriter(str(tmp_path / "one")) as writer:
        writer.write(b"record")
    assert list(tf.data.TFRecordDataset(tmp_path / "one").as_numpy_iterator()) == [b"record"]
    assert list(tf.data.TextLineDataset([file, file]).as_numpy_iterator()) == [b"a", b"b", b"a", b"b"]
    assert list(tf.data.FixedLengthRecordDataset(file, 2).as_numpy_iterator()) == [b"a\n", b"b\n"]


@pytest.mark.parametrize(("names", "message"), [
    ([1, 2], "`tf.int32` elements"),
    (tf.data.Dataset.range(2), "dataset of `tf.int64` elements"),
    (tf.data.Dataset.from_tensors(["a", "b"]), r"element shape TensorShape\(\[2\]\)"),
])  # fmt: skip
def test_names_must_be_strings(names, message):
    with pytest.raises(TypeError, match=message):
        tf.data.TFRecordDataset(names)
