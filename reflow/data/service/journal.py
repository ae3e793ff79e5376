"""What a dispatcher keeps in its working directory, for one that starts after it.

    WORK_DIR/tf_data_dispatcher_journal/journal_0   the *journal*: every change of its state (`state.py`), in order
    WORK_DIR/datasets/NAME                          a registered dataset: a message with pipeline and element spec

The journal is a TFRecord file (`reflow/io/records.py`: each record has its length and checksums) of messages
(`messages.py`). A record is written before the change is told to anybody; one that a crash cut short is dropped.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from typing import IO

from reflow.core import errors
from reflow.data.service import messages
from reflow.io import records


class Journal:
    """An append-only file of changes. It is read before it is written: `read` drops a last record that is torn."""

    def __init__(self, work_dir: str):
        folder = os.path.join(work_dir, "tf_data_dispatcher_journal")
        os.makedirs(folder, exist_ok=True)
        self.path = os.path.join(folder, "journal_0")
        self._file: IO[bytes] | None = None
        self._closed = False

    def read(self) -> Iterator[dict]:
        """The changes that were written. DataLossError if one other than the last is damaged."""
        if not os.path.exists(self.path):
            return
        end = 0
        try:
            for record in records.read(self.path):
                end += len(record) + records.FRAME
                yield messages.unpack(record)[0]
        except errors.DataLossError as error:
            if not error.message.startswith("truncated"):
                raise
            os.truncate(self.path, end)

    def write(self, change: dict) -> None:
        if self._closed:
            raise errors.UnavailableError(None, None, "The dispatcher has been stopped.")
        if self._file is None:
            # unbuffered: what is written survives this process
            self._file = open(self.path, "ab", buffering=0)  # noqa: SIM115
        self._file.write(records.frame(messages.pack(change)))

    def close(self) -> None:
        self._closed = True
        if self._file is not None:
            self._file.close()


class DatasetFiles:
    """Registered datasets by their ids, as files.

    Used like the dictionary that a dispatcher without a working directory has.
    """

    def __init__(self, work_dir: str):
        self.folder = os.path.join(work_dir, "datasets")
        os.makedirs(self.folder, exist_ok=True)

    def _path(self, name: str) -> str:
        return os.path.join(self.folder, hashlib.sha256(name.encode()).hexdigest())  # an id may hold any characters

    def __getitem__(self, name: str) -> list[bytes]:
        with open(self._path(name), "rb") as file:
            return messages.unpack(file.read())[1]

    def __setitem__(self, name: str, blobs: list[bytes]) -> None:
        path = self._path(name)
        with open(path + ".new", "wb") as file:
            file.write(messages.pack({"id": name}, blobs))
        os.replace(path + ".new", path)  # readers never see a partial file
