"""Snappy streams."""

from unittest import mock

import numpy as np
import pytest

from reflow import native
from reflow.core import errors
from reflow.data.engine.snappy import SnappyReader, SnappyWriter, compress, decompress

#: a block that TensorFlow wrote, less its length: three records of one int64 each, with copies that run into themselves
WRITTEN = bytes.fromhex(
    "b401040e0009 0124c5e5693f08091200220809 "
    "10140000882b95eabe1e0000020d3d0c194f125f463c00761e0000040d3c0c63ed4aef463c002c04000000000000 "
    "0063ed4aef".replace(" ", "")
)


def test_what_tensorflow_wrote_is_read():
    data = decompress(WRITTEN)
    assert len(data) == 180 and data[:8] == (14).to_bytes(8, "little") and data[12:18] == bytes.fromhex("080912002208")


def test_what_is_written_is_read(tmp_path):
    data = bytes(range(256)) * 3000
    writer = SnappyWriter(str(tmp_path / "x"))
    for at in range(0, len(data), 100_000):
        writer.write(data[at : at + 100_000])
    writer.close()
    reader = SnappyReader(str(tmp_path / "x"))
    assert reader.read(5) == data[:5] and reader.read(-1) == data[5:] and reader.read(1) == b""
    reader.close()
    assert decompress(compress(b"")) == b""


@pytest.mark.parametrize("block", [b"\x05\x00a", b"\x04\x01\x09", b"\xff", b"\x01\xfc\x01"])
def test_damaged_blocks_are_refused(block):
    with pytest.raises(errors.DataLossError, match="damaged"):
        decompress(block)


def texts():
    draw = np.random.default_rng(0)
    yield from (b"", b"a", b"abcd" * 3, b"x" * 100_000, bytes(range(256)) * 600)
    for size in (5, 70, 5000, 200_000):
        few = draw.integers(0, 4, size).astype(np.uint8).tobytes()
        yield from (draw.bytes(size), few, few + few[: size // 2])


def test_repetitions_are_found_and_both_readers_agree(monkeypatch):
    if not native.available():
        pytest.skip("there is no compiler")
    blocks = {data: compress(data) for data in texts()}
    assert len(blocks[b"x" * 100_000]) < 6000
    for data, block in blocks.items():
        assert decompress(block) == data
    monkeypatch.setattr(native, "snappy_decompress", lambda *_: None)
    monkeypatch.setattr(native, "snappy_compress", lambda *_: None)
    for data, block in blocks.items():
        assert decompress(block) == decompress(compress(data)) == data


def test_damaged_blocks_are_refused_by_the_kernel_too():
    """Each byte of a block changed: what both readers say is the same."""
    if not native.available():
        pytest.skip("there is no compiler")
    block = compress(b"hello hello hello, hello world" * 9)
    for at in range(2, len(block)):
        for byte in (0, 1, 2, 3, 0xFC, 0xFF, block[at] ^ 64):
            damaged = block[:at] + bytes([byte]) + block[at + 1 :]
            quick = native.snappy_decompress(damaged[2:], 270)
            with mock.patch.object(native, "snappy_decompress", return_value=None):
                try:
                    expected = decompress(damaged)
                except errors.DataLossError:
                    expected = None
            assert quick == expected
