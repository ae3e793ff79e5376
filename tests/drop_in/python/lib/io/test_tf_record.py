"""`reflow/drop_in/python/lib/io/tf_record.py`: records read at any place of a file."""

import pytest

import reflow as tf
from reflow.drop_in.python.lib.io.tf_record import tf_record_random_reader


@pytest.fixture
def path(tmp_path):
    with tf.io.TFRecordWriter(str(tmp_path / "records")) as writer:
        for record in (b"one", b"", b"three"):
            writer.write(record)
    return tmp_path / "records"


def test_records_in_any_order(path):
    reader = tf_record_random_reader(path)
    assert reader.read(19) == (b"", 35) and reader.read(35) == (b"three", 56) and reader.read(0) == (b"one", 19)
    for beyond in (56, 1000):
        with pytest.raises(IndexError, match=f"Out of range at reading offset {beyond}"):
            reader.read(beyond)
    with pytest.raises(TypeError, match="incompatible function arguments"):
        reader.read(-1)
    reader.close()
    with pytest.raises(tf.errors.FailedPreconditionError, match=r"Random TFRecord Reader is closed\."):
        reader.read(0)


def test_damage_ends_only_the_read_of_the_record(path):
    content = path.read_bytes()
    path.write_bytes(content[:13] + b"X" + content[14:-3])
    reader = tf_record_random_reader(str(path))
    for offset, words in ((5, "corrupted record at 5"), (0, "corrupted record at 12"), (35, "truncated record at 35")):
        with pytest.raises(tf.errors.DataLossError, match=words):
            reader.read(offset)
    assert reader.read(19) == (b"", 35)
    with pytest.raises(tf.errors.NotFoundError, match="No such file"):
        tf_record_random_reader(path.with_name("none"))
