"""Whatever a kernel raises has one of TensorFlow's classes and names the op: eagerly, and in functions."""

import errno
import struct
import zlib

import pytest

import reflow as tf
from reflow.core import errors
from reflow.ops import registry

RAISED = [
    (ZeroDivisionError("division by zero"), errors.InvalidArgumentError),
    (IndexError("index 5 is out of bounds"), errors.InvalidArgumentError),
    (KeyError("x"), errors.InvalidArgumentError),
    (OverflowError("too large"), errors.InvalidArgumentError),
    (struct.error("unpack requires 4 bytes"), errors.InvalidArgumentError),
    (zlib.error("incorrect header check"), errors.DataLossError),
    (RecursionError("too deep"), errors.ResourceExhaustedError),
    (MemoryError("no memory"), errors.ResourceExhaustedError),
    (OSError(errno.ENOSPC, "No space left on device"), errors.ResourceExhaustedError),
    (OSError(errno.EACCES, "Permission denied"), errors.PermissionDeniedError),
]


@pytest.mark.parametrize(
    "raised, kind", RAISED, ids=[type(r).__name__ + str(getattr(r, "errno", "") or "") for r, _ in RAISED]
)
def test_every_class_is_tensorflows(raised, kind, monkeypatch):
    def kernel(xp, input):
        raise raised

    monkeypatch.setattr(registry.REGISTRY["DecodeBase64"], "kernel", kernel)
    for call in (lambda: tf.io.decode_base64("YQ"), tf.function(lambda: tf.io.decode_base64("YQ"))):
        with pytest.raises(kind) as caught:
            call()
        assert "DecodeBase64" in str(caught.value) and (str(raised) in str(caught.value) or not str(raised))


def test_an_error_without_words_is_named(monkeypatch):
    def kernel(xp, input):
        raise IndexError

    monkeypatch.setattr(registry.REGISTRY["DecodeBase64"], "kernel", kernel)
    with pytest.raises(errors.InvalidArgumentError, match="IndexError"):
        tf.io.decode_base64("YQ")


def test_a_full_disk():
    full = "/dev/full; No space left on device"
    with pytest.raises(errors.ResourceExhaustedError, match=full):
        tf.io.write_file("/dev/full", "abc" * 100_000)
    with pytest.raises(errors.ResourceExhaustedError, match=full), tf.io.gfile.GFile("/dev/full", "w") as file:
        file.write("abc")
    for kind in ("", "GZIP", "ZLIB"):
        with (
            pytest.raises(errors.ResourceExhaustedError, match=full), tf.io.TFRecordWriter("/dev/full", kind) as writer
        ):
            writer.write(b"x" * 10_000)


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(errors.OpError, match="file"):
        tf.summary.create_file_writer(str(tmp_path / "file" / "logs"))


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.zeros([2**44]), lambda: tf.ones([2**31, 2**31]), lambda: tf.fill([2**44], 1.0),
        lambda: tf.fill([2**31, 2**31], 1.0), lambda: tf.eye(2**24), lambda: tf.constant("", shape=[2**44]),
        lambda: tf.function(lambda: tf.zeros([2**44]))(),
    ],
)
def test_what_does_not_fit_into_memory_is_refused_in_tensorflows_words(call):
    with pytest.raises(errors.ResourceExhaustedError, match="OOM when allocating"):
        call()


def test_more_elements_than_can_be_counted():
    with pytest.raises(errors.InvalidArgumentError, match=r"would have more than 2\*\*63 - 1 elements"):
        tf.zeros([2**40, 2**40])
