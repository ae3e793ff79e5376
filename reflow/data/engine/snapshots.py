"""Datasets that write their elements to files while read, and datasets that read such files (`snapshot_files.py`)."""

from __future__ import annotations

import os
import random
import shutil
import weakref
from typing import Any

from reflow.core import errors
from reflow.data.engine import snapshot_files as files
from reflow.data.engine.values import (
    UNKNOWN,
    DatasetIterator,
    DatasetValue,
    Function,
    Generated,
    GeneratedIterator,
    Listed,
)


class ShardIterator(GeneratedIterator):
    def restore(self, state):
        self.count = state["count"]
        self.source = self.dataset.start(self.count)


class Shard(Generated):
    """The elements of one shard's files."""

    symbolic = False
    name = "SnapshotNestedDatasetReader"
    iterator = ShardIterator

    def __init__(self, folder: str, compression: str, leaves: list):
        self.folder, self.compression, self.leaves = folder, compression, leaves
        super().__init__(lambda skip=0: files.read_shard(folder, compression, leaves, skip))


class Loaded(DatasetValue):
    """What a reader function makes of the dataset of a folder's shards."""

    def __init__(self, folder: str, compression: str, leaves: list, reader: Function):
        found = files.read_metadata(folder)
        if found is None:
            raise errors.NotFoundError(None, None, f"Could not find metadata file [{folder}/snapshot.metadata]")
        self.count = found["count"]
        shards = [[Shard(f, compression, leaves)] for f in files.shards(folder, found["run"])]
        self.inputs = (reader.dataset([Listed(shards)]),)

    def iterate(self):
        return self.inputs[0].iterate()

    def cardinality(self):
        return UNKNOWN if self.count is None else self.count


class WritingIterator(DatasetIterator):
    """Passes the input on and writes it. `chunk` numbers the files of each shard: a saved position begins new ones."""

    def __init__(self, dataset):
        super().__init__(dataset)
        self.run = str(random.SystemRandom().getrandbits(64))
        self.chunk = self.written = 0
        self.writers: dict[int, files.ShardWriter] = {}
        self.done = False
        weakref.finalize(self, _close, self.writers).atexit = False

    def __next__(self):
        if self.done:
            raise StopIteration
        dataset = self.dataset
        if not self.written and not self.writers:
            files.write_metadata(dataset.folder, self.run, dataset.types, None, False, dataset.graph)
        try:
            element = next(self.input)
        except StopIteration:
            self._finish()
            raise
        self._write(element)
        self.written += 1
        return element

    def _write(self, element):
        dataset = self.dataset
        shard = dataset.shard_of(element)
        if shard not in self.writers:
            folder = dataset.shard_folder(self.run, shard)
            self.writers[shard] = files.ShardWriter(folder, dataset.compression, self.chunk)
        self.writers[shard].write(files.pack(element, dataset.leaves))

    def _finish(self):
        dataset = self.dataset
        if not self.written:  # readers want a file
            self.writers[0] = files.ShardWriter(dataset.shard_folder(self.run, 0), dataset.compression)
            self.writers[0].open()
        _close(self.writers)
        count = self.written if dataset.counts else None
        files.write_metadata(dataset.folder, self.run, dataset.types, count, True, dataset.graph)
        self.done = True

    def state(self):
        _close(self.writers)
        self.writers.clear()
        self.chunk += 1
        position = {"run": self.run, "chunk": self.chunk, "written": self.written, "done": self.done}
        return {**position, "input": self.input.state()}

    def restore(self, state):
        self.input.restore(state["input"])
        self.run, self.chunk, self.written, self.done = (state[k] for k in ("run", "chunk", "written", "done"))
        base = os.path.join(self.dataset.folder, self.run)
        for folder in self.dataset.shard_folders(self.run) if os.path.isdir(base) and not self.done else ():
            for path in files.files_of(folder):  # what was written after the position
                if int(os.path.basename(path).split(".")[0]) >= self.chunk:
                    os.remove(path)


def _close(writers: dict):
    for writer in writers.values():
        writer.next_file()


class Saving(DatasetValue):
    """The input, written to a folder while it is read."""

    iterator: type = WritingIterator
    graph = ""
    counts = True  # whether the metadata say how many elements there are

    def __init__(self, source, folder: str, compression: str, leaves: list, types: list[int], shard: Function | None):
        self.inputs, self.folder, self.leaves, self.types, self.shard = (source,), folder, leaves, types, shard
        self.compression = files.compression_of(compression)

    def shard_folder(self, run: str, shard: int) -> str:
        """Where a run keeps the files of a shard."""
        return files.shard_folder(self.folder, run, shard)

    def shard_folders(self, run: str) -> list[str]:
        """The folders of the shards that a run has written."""
        return files.shards(self.folder, run)

    def shard_of(self, element: list) -> int:
        if self.shard is None:
            return 0
        return self.shard.number(element)

    def save(self):
        """Write all elements, in place of what was there before."""
        if os.path.isdir(self.folder):
            old = files.read_metadata(self.folder)
            if old is not None:
                shutil.rmtree(os.path.join(self.folder, old["run"]), ignore_errors=True)
        for _ in self.iterate():
            pass


class DecidingIterator(DatasetIterator):
    """Decides at the first element what it does: `_decide` finds that out, `_iterator` gives what does it."""

    children = ()

    def __init__(self, dataset):
        self.dataset = dataset
        self.inner: Any = None
        self.decision: Any = None

    def _decide(self) -> Any:
        raise NotImplementedError

    def _iterator(self, decision: Any) -> Any:
        raise NotImplementedError

    def _open(self, decision: Any) -> None:
        self.decision, self.inner = decision, self._iterator(decision)

    def __next__(self):
        if self.inner is None:
            self._open(self._decide())
        return next(self.inner)

    def state(self):
        return {"decision": self.decision, "inner": self.inner and self.inner.state()}

    def restore(self, state):
        self.inner = None
        if state["inner"] is not None:
            self._open(state["decision"])
            self.inner.restore(state["inner"])


class SnapshotIterator(DecidingIterator):
    """Reads a complete snapshot, or else writes one."""

    def _decide(self) -> bool:
        found = files.read_metadata(self.dataset.folder)
        return found is not None and found["finalized"]

    def _iterator(self, decision: bool) -> Any:
        return self.dataset.reader().iterate() if decision else WritingIterator(self.dataset)


class Snapshot(Saving):
    """`snapshot`: the first whole pass is written, later ones are read. `graph` names the pipeline in the folder."""

    symbolic = False
    iterator = SnapshotIterator
    counts = False

    def __init__(self, source, folder, compression, leaves, types, shard, read: Function, graph: str):
        super().__init__(source, os.path.join(folder, graph), compression, leaves, types, shard)
        self.read, self.graph = read, graph

    def reader(self) -> DatasetValue:
        return Loaded(self.folder, self.compression, self.leaves, self.read)


class FileCacheIterator(DatasetIterator):
    """Reads the cache if it is complete, else the input, and completes the cache at its end.

    `position` counts elements.
    """

    saved = ("position", "writing")
    children = ()
    position = 0
    writing: bool | None = None  # None before the first element

    def __init__(self, dataset):
        self.dataset = dataset
        self.source: Any = None
        self.writers: dict[int, Any] = {}
        weakref.finalize(self, _close, self.writers).atexit = False

    def _start(self):
        dataset = self.dataset
        if self.writing is None:
            self.writing = not os.path.exists(dataset.complete)
        if not self.writing:
            self.source = files.read_shard(dataset.complete, "", dataset.leaves, self.position)
            return
        self.source = dataset.inputs[0].iterate()
        if os.path.exists(dataset.partial):
            raise errors.AlreadyExistsError(
                None, None,
                "There appears to be a concurrent caching iterator running - cache lockfile already exists "
                f"('{dataset.partial}'). If you are sure no other running TF computations are using this cache "
                "prefix, delete the lockfile and re-initialize the iterator.",
            )
        self.writers[0] = files.ShardWriter(dataset.partial, "")
        self.writers[0].open()

    def __next__(self):
        if self.source is None:
            self._start()
        try:
            element = next(self.source)
        except StopIteration:
            if self.writing:
                _close(self.writers)
                self.writers.clear()
                os.replace(self.dataset.partial, self.dataset.complete)
                self.writing, self.source = False, iter(())
            raise
        self.position += 1
        if self.writing:
            self.writers[0].write(files.pack(element, self.dataset.leaves))
        return element

    def restore(self, state):
        """An incomplete cache starts over: the elements before the position are computed again."""
        super().restore(state)
        wanted, self.source = self.position, None
        if self.writing and not os.path.exists(self.dataset.complete):
            shutil.rmtree(self.dataset.partial, ignore_errors=True)
            self.position = 0
            for _ in range(wanted):
                next(self)
        else:
            self.writing = False if self.writing is not None else None


class FileCache(DatasetValue):
    """`cache(filename)`: the elements of the first complete pass, in a temporary folder that is renamed at its end."""

    symbolic = False
    passes_batches = True
    iterator = FileCacheIterator

    def label(self, of):
        return "FileCacheImpl"

    def __init__(self, source, name: str, width: int):
        self.inputs, self.leaves = (source,), files.dense_leaves(width)
        self.complete, self.partial = f"{name}.cache", f"{name}_0.lockfile"
