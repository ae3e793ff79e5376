"""`tensorflow.python.lib.io.tf_record`: records read at any place of a file."""

import os
from typing import IO, Any

from reflow.core import errors
from reflow.io import records


class RandomRecordReader:
    """Reads the records of an uncompressed file, each at the byte at which it begins."""

    def __init__(self, path: str | os.PathLike) -> None:
        self._path = os.fspath(path)
        self._file: IO[bytes] | None = records.open_file(self._path)

    def read(self, offset: int) -> tuple[bytes, int]:
        """The record that begins at an offset, and the offset at which the next one begins; IndexError at the end."""
        if offset < 0:
            raise TypeError(f"read(): incompatible function arguments: the offset is negative. Received: {offset}")
        if self._file is None:
            raise errors.FailedPreconditionError(None, None, "Random TFRecord Reader is closed.")
        self._file.seek(offset)
        record = records.next_record(self._file, self._path, offset)
        if record is None:
            raise IndexError(f"Out of range at reading offset {offset}")
        return record, offset + len(record) + records.FRAME

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
        self._file = None

    def __del__(self) -> None:
        if getattr(self, "_file", None) is not None:
            self.close()


def tf_record_random_reader(path: Any) -> RandomRecordReader:
    """A reader of a file whose records are read in any order."""
    return RandomRecordReader(path)
