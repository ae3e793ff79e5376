"""`SnapshotDataset`, the older snapshot: one folder per pipeline, and in it one for each run that wrote its elements.

    PATH/FINGERPRINT/snapshot.metadata         which run is to be read, and whether it is complete
    PATH/FINGERPRINT/RUN/00000000.snapshot     elements, as in the files of `snapshot_files.py`

An iterator *reads* a complete run, *writes* one if there is none, and only *forwards* elements while another iterator
writes. A run that began longer ago than the expiry time counts as lost. TensorFlow's settings for threads and buffers
change no element.
"""

from __future__ import annotations

import os
import time
from typing import Any

from reflow.core import errors
from reflow.data.engine import snapshot_files as files
from reflow.data.engine.buffers import SeedGenerator, permutation
from reflow.data.engine.fingerprints import fingerprint
from reflow.data.engine.snapshots import DecidingIterator, Saving, ShardIterator, WritingIterator
from reflow.data.engine.values import DatasetValue, Generated

READ, WRITE, PASS = "read", "write", "passthrough"
MODES = ("auto", READ, WRITE, PASS)


class LegacyWritingIterator(WritingIterator):
    """Writes an element when the next one is requested, and starts a new file when a shard reaches its maximum size.

    Sizes are those of tensors. When they reach that of a shard for the first time, the file tells how large a tensor is
    on the disk: the `ratio` of both is used from then on.
    """

    def __init__(self, dataset):
        super().__init__(dataset)
        self.run = "custom" if dataset.custom else f"{int(self.run):x}"
        self.unwritten: list | None = None
        self.size, self.ratio = 0, 0.0

    def _write(self, element):
        waiting, self.unwritten = self.unwritten, element
        if waiting is None:
            return
        writer, limit = self.writers.get(0), self.dataset.shard_bytes
        if writer is not None and self.size > (self.ratio or 1) * limit:
            on_disk = writer.size()
            if self.ratio or on_disk >= limit:
                writer.next_file()
            self.ratio, self.size = self.ratio or self.size / on_disk, self.size if writer.file is not None else 0
        super()._write(waiting)
        self.size += sum(value.nbytes for value in waiting)

    def _finish(self):
        self._write(None)
        super()._finish()

    def state(self):
        self._write(None)
        return super().state()


class RunIterator(ShardIterator):
    """Reads the files of a run."""


class Run(Generated):
    """The elements of a run's files, in the order of the files or in a random one."""

    iterator = RunIterator

    def __init__(self, folder: str, compression: str, leaves: list, generator: SeedGenerator | None):
        paths = files.files_of(folder)
        if generator is not None:
            paths = [paths[at] for at in permutation(generator.words(*generator.seeds), len(paths))]
        super().__init__(lambda skip=0: files.read_files(paths, compression, leaves, skip))


class LegacySnapshotIterator(DecidingIterator):
    """Writes, reads, or passes elements on, as the mode and the folder say."""

    def _decide(self) -> str:
        return self.dataset.mode_now()

    def _iterator(self, decision: str) -> Any:
        if decision == WRITE:
            return LegacyWritingIterator(self.dataset)
        return (self.dataset.complete_run() if decision == READ else self.dataset.inputs[0]).iterate()


class LegacySnapshot(Saving):
    """The first whole pass is written, later ones are read, unless `mode` says what to do."""

    name = "Snapshot"
    iterator = LegacySnapshotIterator
    counts = False

    def __init__(
        self, source: DatasetValue, path: str, compression: str, leaves: list, types: list[int], mode: str, custom: str,
        shard_bytes: int, expiry: int, prefixes: tuple[str, str], generator: SeedGenerator | None,
    ):
        if mode not in MODES:
            raise errors.InvalidArgumentError(
                None, None, f"mode must be either '{' or '.join(MODES)}', received: {mode!r}."
            )
        super().__init__(source, "", compression, leaves, types, None)
        self.mode, self.custom, self.shard_bytes = mode, custom, shard_bytes
        self.graph = f"custom-{custom}" if custom else str(fingerprint(self))
        self.expiry, self.file_order = expiry, generator
        reader, writer = prefixes
        self.read_folder, self.folder = (os.path.join(prefix + path, self.graph) for prefix in (reader, writer))

    def shard_folder(self, run: str, shard: int) -> str:
        return os.path.join(self.folder, run)

    def shard_folders(self, run: str) -> list[str]:
        return [self.shard_folder(run, 0)]

    def mode_now(self) -> str:
        """What an iterator that begins now does."""
        found = files.read_metadata(self.read_folder)
        if self.mode == READ and found is None:
            raise errors.NotFoundError(None, None, f"{self.read_folder}/snapshot.metadata; No such file or directory")
        if self.mode != "auto":
            return self.mode
        if found is None:
            return WRITE
        if found["finalized"]:
            return READ
        return PASS if found["created"] + self.expiry > time.time() else WRITE

    def complete_run(self) -> Run:
        """The elements of the run that is to be read."""
        run = "custom" if self.custom else files.read_metadata(self.read_folder)["run"]  # type: ignore[index]
        return Run(os.path.join(self.read_folder, run), self.compression, self.leaves, self.file_order)
