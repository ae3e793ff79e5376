"""The bytes of a TFRecord file."""

import gzip
import struct
import zlib

import pytest

import reflow as tf
from reflow.io import records


def written(path, *contents, pack=lambda data: data):
    path.write_bytes(pack(b"".join(map(records.frame, contents))))
    return str(path)


def test_a_frame_is_length_checksum_data_checksum():
    frame = records.frame(b"abc")
    assert struct.unpack("<Q", frame[:8]) == (3,) and frame[12:15] == b"abc" and len(frame) == 19
    assert struct.unpack("<I", frame[8:12]) == (records.masked_crc(frame[:8]),)


def test_a_known_checksum():
    """CRC32C of 32 zero bytes is 0x8a9136aa (RFC 3720); masked: rotated right by 15 bits, plus a constant."""
    crc = 0x8A9136AA
    assert records.masked_crc(bytes(32)) == (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


@pytest.mark.parametrize(("compression", "pack"), [("", bytes), ("GZIP", gzip.compress), ("ZLIB", zlib.compress)])
def test_records_are_read_as_they_were_written(tmp_path, compression, pack):
    path = written(tmp_path / "x", b"one", b"", b"three" * 1000, pack=pack)
    assert list(records.read(path, compression)) == [b"one", b"", b"three" * 1000]
    assert list(records.read(path, compression, offset=19)) == [b"", b"three" * 1000]


@pytest.mark.parametrize("place", [0, 9, 13, 16])
def test_a_flipped_bit_is_found(tmp_path, place):
    data = bytearray(records.frame(b"abc"))
    data[place] ^= 1
    (tmp_path / "x").write_bytes(data)
    with pytest.raises(tf.errors.DataLossError):
        list(records.read(str(tmp_path / "x")))


@pytest.mark.parametrize("length", [12, 15, 18])
def test_a_cut_file(tmp_path, length):
    (tmp_path / "x").write_bytes(records.frame(b"abc")[:length])
    with pytest.raises(tf.errors.DataLossError, match="truncated record at 0"):
        list(records.read(str(tmp_path / "x")))


def test_bad_names(tmp_path):
    with pytest.raises(tf.errors.NotFoundError):
        list(records.read(str(tmp_path / "nowhere")))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unsupported compression_type: RAR"):
        list(records.read(written(tmp_path / "x", b"a"), "RAR"))
