"""Checkpoint files: equal to TensorFlow's byte for byte, and clean errors for every damaged one (row 3 of the bad
inputs)."""

import lzma
import os
import pathlib
import random
import struct

import ml_dtypes
import numpy as np
import pytest

from reflow.core import errors
from reflow.train import bundle, protos, sstable
from tests.peaks import peak_below
from tools.golden import bundle as golden

ROOT = pathlib.Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden" / "bundle"
INDEX, DATA = ".index", ".data-00000-of-00001"


@pytest.fixture
def prefix(tmp_path):
    return tmp_path / "ckpt"


def files_of(prefix) -> tuple[bytes, bytes]:
    return pathlib.Path(f"{prefix}{INDEX}").read_bytes(), pathlib.Path(f"{prefix}{DATA}").read_bytes()


def put_files(prefix, index: bytes, data: bytes) -> None:
    pathlib.Path(f"{prefix}{INDEX}").write_bytes(index)
    pathlib.Path(f"{prefix}{DATA}").write_bytes(data)


def golden_files(name: str) -> tuple[bytes, bytes]:
    if name in golden.PACKED:
        return tuple(lzma.open(f"{GOLDEN / name}{suffix}.xz").read() for suffix in (INDEX, DATA))
    return files_of(GOLDEN / name)


def read_all(prefix) -> dict[str, np.ndarray]:
    with bundle.Reader(prefix) as reader:
        for key in reader:
            reader.shape_and_dtype(key)
        return reader.get_all()


def assert_same(found: dict, expected: dict) -> None:
    assert set(found) == set(expected)
    assert not [key for key in expected if not golden.same(found[key], expected[key])]


# ---------------------------------------------------------------- against TensorFlow


@pytest.mark.parametrize("name", golden.cases())
def test_reads_tensorflows_files(name, prefix):
    put_files(prefix, *golden_files(name))
    assert_same(read_all(prefix), golden.cases()[name])


@pytest.mark.parametrize("name", golden.cases())
def test_writes_tensorflows_bytes(name, prefix):
    bundle.write(prefix, golden.cases()[name])
    assert files_of(prefix) == golden_files(name)


def test_the_many_keys_make_several_blocks(prefix):
    put_files(prefix, *golden_files("many"))
    fd = os.open(f"{prefix}{INDEX}", os.O_RDONLY)
    offset, size = sstable._read_footer(fd, "", os.fstat(fd).st_size)
    block = sstable._read_block(fd, "", offset, size, os.fstat(fd).st_size)
    os.close(fd)
    assert len(list(sstable._block_entries(block, "", 0))) > 5


def test_quantized_types_keep_their_number():
    reader = bundle.Reader(GOLDEN / "types")
    assert reader.dtype_enum("qint8") == 11
    assert reader.shape_and_dtype("qint8") == ((3,), np.dtype(np.int8))


def test_two_shards_and_a_partitioned_tensor():
    reader = bundle.Reader(GOLDEN / "sharded")
    assert reader.keys() == ["a", "b", "cut"]
    assert reader.get("a").tolist() == [1.0, 2.0]
    assert reader.get("b").tolist() == [3, 4, 5]
    assert reader.shape_and_dtype("cut") == ((4, 2), np.dtype(np.float32))
    assert reader.get("cut").tolist() == [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 7.0]]


# ---------------------------------------------------------------- values in and out


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.arange(6).reshape(2, 3).T, np.arange(6).reshape(2, 3).T.copy()),
        (np.arange(4, dtype=">i4"), np.arange(4, dtype="<i4")),
        (np.float32(3), np.array(3, np.float32)),
        (b"a\0", np.array(b"a\0", object)),
        ("é", np.array("é".encode(), object)),
        ([b"a\0", b"b"], np.array([b"a\0", b"b"], object)),
        (np.array([b"ab", b"c"]), np.array([b"ab", b"c"], object)),
        (np.array(["ab", "é"]), np.array([b"ab", "é".encode()], object)),
        (np.zeros((2, 0, 3)), np.zeros((2, 0, 3))),
        (np.array([1, -2], ml_dtypes.int2), np.array([1, -2], ml_dtypes.int2)),
    ],
)
def test_round_trip(prefix, value, expected):
    bundle.write(prefix, {"x": value})
    assert_same(read_all(prefix), {"x": expected})


def test_a_tensor_larger_than_a_piece(prefix):
    big = np.arange((bundle.PIECE + 4096) // 8)
    bundle.write(prefix, {"a": big, "b": np.array([1])})
    assert_same(read_all(prefix), {"a": big, "b": np.array([1])})


def test_no_tensors(prefix):
    bundle.write(prefix, {})
    assert read_all(prefix) == {}


@pytest.mark.parametrize("value", [np.array([None]), np.array([1, b"x"], object), np.zeros(2, "M8[s]"), object()])
def test_types_that_cannot_be_written(prefix, value):
    with pytest.raises(TypeError, match="key 'x'"):
        bundle.write(prefix, {"x": value})
    assert os.listdir(prefix.parent) == []


@pytest.mark.parametrize("key", ["", "\0a"])
def test_keys_that_cannot_be_written(prefix, key):
    with pytest.raises(ValueError, match="checkpoint key"):
        bundle.write(prefix, {key: np.zeros(1)})


def test_a_failed_write_keeps_the_old_checkpoint(prefix):
    bundle.write(prefix, {"x": np.ones(3)})
    with pytest.raises(TypeError):
        bundle.write(prefix, {"x": np.zeros(3), "y": object()})
    assert_same(read_all(prefix), {"x": np.ones(3)})


# ---------------------------------------------------------------- what is not there


def test_missing_checkpoint(prefix):
    with pytest.raises(errors.NotFoundError) as e:
        bundle.Reader(prefix)
    wording = "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for"
    assert str(e.value) == f"{wording} {prefix}"


def test_missing_key_and_closed_reader(prefix):
    bundle.write(prefix, {"x": np.ones(3)})
    reader = bundle.Reader(prefix)
    assert "x" in reader
    assert "y" not in reader
    with pytest.raises(errors.NotFoundError, match="Key y not found in checkpoint"):
        reader.get("y")
    reader.close()
    with pytest.raises(ValueError, match="closed"):
        reader.get("x")


def test_missing_shard(prefix):
    bundle.write(prefix, {"x": np.ones(3)})
    os.remove(f"{prefix}{DATA}")
    reader = bundle.Reader(prefix)
    assert reader.keys() == ["x"]
    with pytest.raises(errors.NotFoundError, match="data-00000-of-00001; No such file"):
        reader.get("x")


def test_a_file_instead_of_a_prefix(prefix):
    bundle.write(prefix, {"x": np.ones(3)})
    for suffix in (INDEX, DATA):
        with pytest.raises(errors.DataLossError, match="named by its prefix"):
            bundle.Reader(f"{prefix}{suffix}")


def test_no_plain_file(prefix):
    os.mkfifo(f"{prefix}{INDEX}")
    with pytest.raises(errors.FailedPreconditionError, match="not a plain file"):
        bundle.Reader(prefix)


# ---------------------------------------------------------------- damage


SMALL = {
    "a": np.arange(6, dtype=np.float32).reshape(2, 3),
    "b/c": np.array([b"xy", b"", b"zzz"], object),
    "b/d": np.array(7, np.int64),
}


@pytest.fixture
def small(prefix):
    bundle.write(prefix, SMALL)
    return prefix


def test_every_bit_of_the_data_counts(small):
    index, data = files_of(small)
    for bit in range(8 * len(data)):
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        put_files(small, index, damaged)
        with pytest.raises(errors.DataLossError, match=r"at offset \d+: .*(Checksum|checksum|lengths)"):
            read_all(small)


def test_every_bit_of_the_index_counts_or_changes_nothing(small):
    """Only the empty metaindex block, which nobody reads, and the footer's padding are unprotected."""
    index, data = files_of(small)
    for bit in range(8 * len(index)):
        damaged = bytearray(index)
        damaged[bit // 8] ^= 1 << bit % 8
        put_files(small, damaged, data)
        try:
            assert_same(read_all(small), SMALL)
        except errors.DataLossError as e:
            assert f"{small}{INDEX}" in str(e)


def test_cut_anywhere(small):
    index, data = files_of(small)
    for length in range(len(index)):
        put_files(small, index[:length], data)
        with pytest.raises(errors.DataLossError, match=r"\.index: corrupt table at offset \d+"):
            read_all(small)
    for length in range(len(data)):
        put_files(small, index, data[:length])
        with pytest.raises(errors.DataLossError, match="truncated"):
            read_all(small)


def block(contents: bytes, kind: int = 0) -> bytes:
    typed = contents + bytes([kind])
    return typed + struct.pack("<I", sstable.masked_crc(typed))


def table_of(contents: bytes, kind: int = 0, handles: int = 1) -> bytes:
    """A table with one data block of any contents, checksums right."""
    index = sstable._BlockBuilder(1)
    for i in range(handles):
        index.add(b"z%d" % i, sstable.put_varint(0) + sstable.put_varint(len(contents)))
    first = block(contents, kind)
    footer = sstable.put_varint(0) * 2 + sstable.put_varint(len(first)) + sstable.put_varint(len(index.contents()))
    return first + block(index.contents()) + footer.ljust(40, b"\0") + struct.pack("<Q", sstable.MAGIC)


def contents_of(index: bytes) -> bytes:
    """The contents of a table's only data block."""
    metaindex_offset, _ = sstable.get_varint(index, len(index) - sstable.FOOTER_SIZE, len(index))
    return index[: metaindex_offset - sstable.TRAILER_SIZE]


ACCEPTABLE = (errors.DataLossError, errors.NotFoundError, errors.UnimplementedError)


def damaged(contents: bytes, rng: random.Random) -> bytes:
    edited = bytearray(contents)
    for _ in range(rng.choice([1, 1, 2, 5])):
        at = rng.randrange(len(edited))
        kind = rng.randrange(3)
        if kind == 0:
            edited[at] = rng.choice([0, 1, 127, 128, 255, rng.randrange(256)])
        elif kind == 1:
            edited[at:at] = bytes(rng.choices([0, 0x80, 0xFF, rng.randrange(256)], k=rng.randrange(1, 12)))
        else:
            del edited[at : at + rng.randrange(1, 8)]
        if not edited:
            edited = bytearray(b"\0")
    return bytes(edited)


def outcomes_of(prefix) -> set:
    """The classes of error that reading a checkpoint gives; None for a value."""
    try:
        reader = bundle.Reader(prefix)
    except ACCEPTABLE as e:
        return {type(e)}
    outcomes = set()
    for key in reader:
        try:
            reader.get(key)
            outcomes.add(None)
        except ACCEPTABLE as e:
            outcomes.add(type(e))
    return outcomes


def test_damage_behind_right_checksums(small):
    """The parsers themselves: random edits of the index, sealed again. Never another error, never much memory."""
    index, data = files_of(small)
    contents = contents_of(index)
    outcomes = set()

    def read_damaged():
        rng = random.Random(5)
        for _ in range(3000):
            put_files(small, table_of(damaged(contents, rng)), data)
            outcomes.update(outcomes_of(small))

    assert peak_below(4 << 20, read_damaged)
    assert outcomes >= {None, errors.DataLossError, errors.NotFoundError}


def put_entry(prefix, header=None, **changes) -> None:
    """A checkpoint whose only entry, a float32 vector of 4, has some fields replaced."""
    entry = protos.BundleEntryProto(dtype=1, size=16, crc32c=sstable.masked_crc(bytes(16)))
    for size in changes.pop("dims", [4]):
        entry.shape.dim.add(size=size)
    for name, value in changes.items():
        setattr(entry, name, value)
    if header is None:
        header = protos.BundleHeaderProto(num_shards=1)
    table = sstable.encode([(b"", header.SerializeToString()), (b"x", entry.SerializeToString())])
    put_files(prefix, table, bytes(16))


def test_the_entry_that_is_damaged_below(prefix):
    put_entry(prefix)
    assert_same(read_all(prefix), {"x": np.zeros(4, np.float32)})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dims": [-4]}, "impossible shape"),
        ({"dims": [1] * 255}, "impossible shape"),
        ({"dims": [1 << 62]}, "too many elements"),
        ({"dims": [0, 1 << 62]}, "too many elements"),
        ({"dims": [1 << 50], "size": 1 << 52}, "truncated"),
        ({"dims": [5]}, "16 bytes, but is float32"),
        ({"dtype": 2}, "16 bytes, but is float64"),
        ({"dtype": 0}, "unknown type 0"),
        ({"dtype": 77}, "unknown type 77"),
        ({"dtype": 7}, "corrupt string lengths"),
        ({"dtype": 7, "dims": [1 << 40]}, "too few for"),
        ({"offset": 1}, "truncated"),
        ({"offset": -1}, "offset -1"),
        ({"size": -1}, "size -1"),
        ({"offset": (1 << 63) - 1}, "truncated"),
        ({"shard_id": 1}, "shard 1 of 1"),
        ({"shard_id": -1}, "shard -1 of 1"),
        ({"crc32c": 1}, "Checksum does not match: stored 1"),
    ],
)
def test_impossible_entries(prefix, changes, message):
    put_entry(prefix, **changes)
    with pytest.raises(errors.DataLossError, match=message) as e:
        read_all(prefix)
    assert str(prefix) in str(e.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dtype": 21}, "tensor of variants"),
        ({"dtype": 20}, "tensor of resources"),
        ({"dims": [1] * 69 + [4]}, "70 dimensions"),
    ],
)
def test_entries_of_kinds_we_do_not_read(prefix, changes, message):
    put_entry(prefix, **changes)
    with pytest.raises(errors.UnimplementedError, match=message):
        read_all(prefix)


def test_headers(prefix):
    newer = protos.BundleHeaderProto(num_shards=1)
    newer.version.min_consumer = 2
    for header, error in [
        (protos.BundleHeaderProto(num_shards=0), errors.DataLossError),
        (protos.BundleHeaderProto(num_shards=-1), errors.DataLossError),
        (protos.BundleHeaderProto(num_shards=1, endianness=1), errors.UnimplementedError),
        (newer, errors.UnimplementedError),
    ]:
        put_entry(prefix, header)
        with pytest.raises(error):
            bundle.Reader(prefix)


@pytest.mark.parametrize(
    ("table", "error", "message"),
    [
        (sstable.encode([]), errors.DataLossError, "the table is empty"),
        (sstable.encode([(b"x", b"")]), errors.DataLossError, "header entry is missing"),
        (sstable.encode([(b"", b"\xff")]), errors.DataLossError, "header cannot be parsed"),
        (table_of(bytes(8), kind=1), errors.UnimplementedError, "snappy"),
        (table_of(bytes(8), kind=9), errors.DataLossError, "unknown block type 9"),
        (table_of(b"\0\0\0\0\xff\xff\xff\xff"), errors.DataLossError, "too short for 4294967295 restarts"),
        (table_of(b""), errors.DataLossError, "too short for its restart count"),
        (table_of(b"\x80" * 12 + bytes(4)), errors.DataLossError, "varint longer"),
        (table_of(b"\x01\x01\0a" + bytes(4)), errors.DataLossError, "past its limits"),
        (table_of(b"\0\x0fa\0" + bytes(4)), errors.DataLossError, "past its end|past its limits"),
        (table_of(b"\0\0\x02\x08\x01" * 2 + bytes(4)), errors.DataLossError, "out of order"),
        (table_of(b"\0\0\x02\x08\x01" + bytes(4), handles=2), errors.DataLossError, "overlap"),
    ],
)
def test_bad_tables(prefix, table, error, message):
    put_files(prefix, table, b"")
    with pytest.raises(error, match=message):
        bundle.Reader(prefix)


def test_keys_that_unfold_without_end(prefix):
    """Each entry costs 4 bytes and repeats all but a byte of a key of 100 KB: 6 GB of keys in a file of 350 KB."""
    header = protos.BundleHeaderProto(num_shards=1).SerializeToString()
    contents = bytearray(b"\0\0" + bytes([len(header)]) + header)
    contents += b"\0" + sstable.put_varint(100000) + b"\0" + b"k" * 100000
    for i in range(60000):
        contents += sstable.put_varint(100000 + i) + b"\1\0k"
    put_files(prefix, table_of(bytes(contents) + bytes(4)), b"")

    def read():
        with pytest.raises(errors.DataLossError, match="implausible length"):
            bundle.Reader(prefix)

    assert peak_below(100 << 20, read)


def test_a_huge_sparse_index(prefix):
    put_entry(prefix)
    with open(f"{prefix}{INDEX}", "r+b") as f:
        footer = sstable.put_varint(0) * 2 + sstable.put_varint(0) + sstable.put_varint(1 << 35)
        f.seek((1 << 36) - 48)
        f.write(footer.ljust(40, b"\0") + struct.pack("<Q", sstable.MAGIC))
    with pytest.raises(errors.DataLossError, match="implausible size"):
        bundle.Reader(prefix)


def test_a_folder_is_no_checkpoint(tmp_path):
    """Keras 2 then looks for a SavedModel in it."""
    with pytest.raises(errors.DataLossError, match="Is a directory: perhaps your file is in a different file format"):
        bundle.Reader(str(tmp_path))
