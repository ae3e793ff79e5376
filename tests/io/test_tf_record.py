"""`reflow/io/tf_record.py`: what TensorFlow prints for the expressions of `tf_record.txt`."""

import gzip
import os
import zlib

import pytest

import reflow as tf
from reflow.io import records
from tests.expressions import session

test_expressions = session(__file__)


def test_an_iterator_goes_on_when_the_file_has_grown(tmp_path):
    path = str(tmp_path / "records")
    with tf.io.TFRecordWriter(path) as writer:
        writer.write(b"one")
        writer.flush()
        iterator = tf.compat.v1.io.tf_record_iterator(path)
        assert iter(iterator) is iterator and next(iterator) == b"one"
        for _ in range(2):
            with pytest.raises(StopIteration):
                next(iterator)
        writer.write(b"two")
        writer.flush()
        assert list(iterator) == [b"two"]


@pytest.mark.parametrize("kind", ["", "ZLIB", "GZIP"])
def test_an_iterator_waits_for_the_rest_of_a_record(tmp_path, kind):
    """Recorded from TensorFlow 2.21: an incomplete record is data loss, an incomplete length the end."""
    path, compress = tmp_path / "records", {"": bytes, "ZLIB": zlib.compress, "GZIP": gzip.compress}[kind]
    whole = records.frame(b"foobar")
    path.write_bytes(compress(whole + whole[:18]))
    iterator = tf.compat.v1.io.tf_record_iterator(str(path), tf.io.TFRecordOptions(kind))
    assert next(iterator) == b"foobar"
    for _ in range(2):
        with pytest.raises(tf.errors.DataLossError, match="truncated record at 22"):
            next(iterator)
    path.write_bytes(compress(whole + whole + whole[:5]))
    assert list(iterator) == [b"foobar"] and list(iterator) == []
    path.write_bytes(compress(whole * 3))
    assert list(iterator) == [b"foobar"]
    with pytest.raises(tf.errors.NotFoundError, match="No such file or directory"):
        tf.compat.v1.io.tf_record_iterator(str(tmp_path / "none"))


def test_a_closed_writer(tmp_path):
    writer = tf.io.TFRecordWriter(str(tmp_path / "records"))
    with pytest.raises(TypeError, match=r"write\(\): incompatible function arguments"):
        writer.write(3)
    for _ in range(2):
        writer.close()
    for method in (lambda: writer.write(b"x"), writer.flush):
        with pytest.raises(tf.errors.FailedPreconditionError, match=r"Writer is closed\."):
            method()


def test_options_of_the_compression(tmp_path):
    """As in TensorFlow, each changes how large a file becomes; all are read back."""
    rows = [bytes((i * j * j) % 251 for j in range(300)) for i in range(100)]

    def size(**options):
        path = str(tmp_path / "records")
        with tf.io.TFRecordWriter(path, tf.io.TFRecordOptions("ZLIB", **options)) as writer:
            for row in rows:
                writer.write(row)
        if options.get("window_bits", 15) > 0:
            assert list(tf.compat.v1.io.tf_record_iterator(path, tf.io.TFRecordOptions("ZLIB"))) == rows
        return os.path.getsize(path)

    usual = size()
    assert size(compression_level=9) <= usual < size(compression_level=0) and size(compression_method=8) == usual
    assert size(mem_level=1) > usual and size(compression_strategy=zlib.Z_HUFFMAN_ONLY) > usual
    small = size(window_bits=9)
    assert size(window_bits=8) == small > usual and size(window_bits=-9) == small - 6  # without a header
