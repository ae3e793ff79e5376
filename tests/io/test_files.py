"""TFRecords, Examples, event files and pictures, against files that TensorFlow 2.21 wrote (tools/golden/files.py)."""

import pytest

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


def test_decode_raw():
    assert tf.io.decode_raw(["\x01\x00", "\x02\x01"], tf.int16).numpy().tolist() == [[1], [258]]
    assert tf.io.decode_raw("\x01\x00", tf.int16, little_endian=False).numpy().tolist() == [256]
    with pytest.raises(tf.errors.InvalidArgumentError, match="not a multiple of 4"):
        tf.io.decode_raw("abc", tf.float32)
