"""Files by their old names."""

import pytest

import reflow as tf
from reflow.drop_in.python.lib.io import file_io


def test_reading_and_writing(tmp_path):
    name = tmp_path / "a"
    file_io.write_string_to_file(name, "äb\nc")
    assert file_io.read_file_to_string(name) == "äb\nc" and file_io.read_file_to_string(name, True) == "äb\nc".encode()
    with file_io.FileIO(name, "a+") as file:
        file.write("d")
        file.flush()
        assert file.read(3) == "äb" and file.tell() == 3 and file.readlines() == ["\n", "cd"]
        file.seek(-1, whence=2)
        assert file.read() == "d"
        with pytest.raises(tf.errors.OutOfRangeError):
            file.seek(99)
    with pytest.raises(tf.errors.PermissionDeniedError, match="isn't open for writing"):
        file_io.FileIO(name, "r").write("x")
    with pytest.raises(tf.errors.InvalidArgumentError, match="mode is not"):
        file_io.FileIO(name, "x")


def test_atomic_writes_and_comparisons(tmp_path):
    a, b = tmp_path / "a", tmp_path / "b"
    file_io.atomic_write_string_to_file(a, "text")
    file_io.atomic_write_string_to_file(b, "text")
    assert file_io.filecmp(a, b) and file_io.file_crc32(a) == hex(0x3B8BA7C7)
    with pytest.raises(tf.errors.AlreadyExistsError):
        file_io.atomic_write_string_to_file(a, "other", overwrite=False)
    assert sorted(file_io.list_directory(tmp_path)) == ["a", "b"] and file_io.has_atomic_move(a)
    file_io.delete_file(b)
    file_io.recursive_create_dir(tmp_path / "c" / "d")
    assert not file_io.file_exists(b) and file_io.is_directory(tmp_path / "c")
    assert [step[0] for step in file_io.walk(str(tmp_path))] == [
        str(tmp_path),
        str(tmp_path / "c"),
        str(tmp_path / "c" / "d"),
    ]
