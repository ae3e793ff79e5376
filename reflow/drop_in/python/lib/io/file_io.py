"""`tensorflow.python.lib.io.file_io`: the functions behind `tf.io.gfile`, and some that have no public name."""

import os
import uuid
import zlib

from reflow.io import file_system
from reflow.io.file_system import FileIO as FileIO
from reflow.io.file_system import rename


def _decoded(names) -> list[str]:
    return [os.fsdecode(name) for name in names]


def file_exists(filename) -> bool:
    return file_system.exists(filename)


def delete_file(filename) -> None:
    file_system.remove(filename)


def create_dir(dirname) -> None:
    file_system.mkdir(dirname)


def recursive_create_dir(dirname) -> None:
    file_system.makedirs(dirname)


def delete_recursively(dirname) -> None:
    file_system.rmtree(dirname)


def is_directory(dirname) -> bool:
    return file_system.isdir(dirname)


def list_directory(dirname) -> list[str]:
    return _decoded(file_system.listdir(dirname))


def get_matching_files(filename) -> list[str]:
    return _decoded(file_system.glob(filename))


def walk(top, in_order=True):
    return file_system.walk(top, in_order)


def read_file_to_string(filename, binary_mode=False):
    """The content of a file: a string, or bytes in binary mode."""
    with FileIO(filename, "rb" if binary_mode else "r") as file:
        return file.read()


def write_string_to_file(filename, file_content) -> None:
    """Write a file anew."""
    with FileIO(filename, "w") as file:
        file.write(file_content)


def atomic_write_string_to_file(filename, contents, overwrite=True) -> None:
    """Write a file beside its place, then move it there, so that nobody reads a part of it."""
    beside = f"{os.fspath(filename)}.tmp{uuid.uuid4().hex}" if has_atomic_move(filename) else filename
    write_string_to_file(beside, contents)
    if beside is not filename:
        try:
            rename(beside, filename, overwrite)
        except Exception:
            delete_file(beside)
            raise


def has_atomic_move(path) -> bool:
    """Whether a file appears at once when it is moved: so it is on file systems of this machine."""
    return True


def filecmp(filename_a, filename_b) -> bool:
    """Whether two files have the same content."""
    if FileIO(filename_a, "rb").size() != FileIO(filename_b, "rb").size():
        return False
    return file_crc32(filename_a) == file_crc32(filename_b)


def file_crc32(filename, block_size=1 << 24) -> str:
    """The checksum of a file's content as hexadecimal text."""
    checksum = 0
    with FileIO(filename, "rb") as file:
        while block := file.read(block_size):
            checksum = zlib.crc32(block, checksum)
    return hex(checksum & 0xFFFFFFFF)
