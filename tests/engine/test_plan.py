"""Plans as bytes."""

import ml_dtypes
import numpy as np
import pytest

from reflow.engine import plan

SECTIONS = {"meta": b"{}", "weights": b"12345678", "empty": b""}
DATA = plan.write(SECTIONS)


def test_there_and_back():
    assert {name: bytes(content) for name, content in plan.read(DATA).items()} == SECTIONS


def test_a_mapped_file_reads_as_its_bytes(tmp_path):
    large = {**SECTIONS, "weights": np.random.default_rng(0).bytes(3 * plan.CHUNK + 5)}
    path = tmp_path / "plan"
    path.write_bytes(plan.write(large))
    assert {name: bytes(content) for name, content in plan.read(plan.mapped(path)).items()} == large
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(plan.PlanError, match="truncated"):
        plan.read(plan.mapped(path))
    path.write_bytes(b"")
    with pytest.raises(plan.PlanError, match="ends at offset 0"):
        plan.read(plan.mapped(path))


def test_sections_begin_with_a_line_of_the_cache():
    whole = np.frombuffer(DATA, np.uint8)
    assert all(
        (np.frombuffer(s, np.uint8).ctypes.data - whole.ctypes.data) % 64 == 0 for s in plan.read(DATA).values()
        if len(s)
    )


def test_every_truncation_is_an_error_that_names_an_offset():
    for length in range(len(DATA)):
        with pytest.raises(plan.PlanError, match=r"offset|ends at \d+"):
            plan.read(DATA[:length])


def test_every_altered_byte_is_found():
    for i in range(len(DATA)):
        with pytest.raises(plan.PlanError, match="offset"):
            plan.read(DATA[:i] + bytes([DATA[i] ^ 1]) + DATA[i + 1 :])
    with pytest.raises(plan.PlanError, match="3 more bytes follow"):
        plan.read(DATA + b"abc")


def test_arrays():
    arrays = [np.arange(6, dtype=np.int8).reshape(2, 3), np.ones((), ml_dtypes.bfloat16), np.zeros((0, 4), np.float32)]
    index, data = plan.pack_arrays(arrays)
    again = plan.unpack_arrays(index, memoryview(data))
    assert all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in zip(arrays, again))
    with pytest.raises(plan.PlanError, match="needs bytes"):
        plan.unpack_arrays(index, memoryview(data)[:-1])
    with pytest.raises(plan.PlanError, match="its arrays"):
        plan.unpack_arrays(index, memoryview(data + b"x"))


def test_files():
    files = {"a-cache": b"\0\1", "b": b""}
    assert plan.unpack_files(memoryview(plan.pack_files(files))) == files
