"""TFRecord files that TensorFlow wrote (`tools/golden/files.py`), and how to read one."""

import reflow as tf
import tests

GOLDEN = tests.GOLDEN / "files"


def path(kind=""):
    return str(GOLDEN / f"two{kind}.tfrecords")


def records(file, kind=""):
    return [r.numpy() for r in tf.data.TFRecordDataset(str(file), compression_type=kind)]
