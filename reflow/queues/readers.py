"""Readers: records of files whose names come from a queue.

A reader processes one file at a time; at its end, the next name is taken from the queue. A record has a key that says
where it came from.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np

from reflow.core import dtypes, errors
from reflow.core.os_errors import os_errors
from reflow.core.resources import new_resource_name
from reflow.core.tensor import HostObject
from reflow.io import records, varint

Record = tuple[bytes, bytes]


class Reader(HostObject):
    """Takes names from a queue and gives the records of what they name."""

    __slots__ = ("name", "produced", "finished", "_work", "_lock", "__weakref__")
    tensor_dtype = dtypes.resource

    def __init__(self, name: str = "") -> None:
        self.name = name or new_resource_name("reader")
        self._lock = threading.RLock()
        self.reset()

    def reset(self) -> None:
        """Begin again: forget the file that is being read."""
        self.produced = self.finished = 0
        self._work: Iterator[Record] | None = None

    def records(self, name: bytes) -> Iterator[Record]:
        """The records of one file."""
        raise NotImplementedError

    def read(self, queue) -> Record:
        """The next record; waits for a name if the queue is empty."""
        with self._lock:
            while True:
                if self._work is None:
                    self._work = self.records(_name(queue))
                record = next(self._work, None)
                if record is not None:
                    self.produced += 1
                    return record
                self._work = None
                self.finished += 1

    def read_up_to(self, queue, count: int) -> list[Record]:
        """At least one record, and as many of the same file as there are, up to `count`."""
        with self._lock:
            found = [self.read(queue)]
            while len(found) < count and self._work is not None:
                record = next(self._work, None)
                if record is None:
                    self._work = None
                    self.finished += 1
                else:
                    self.produced += 1
                    found.append(record)
            return found


    def state(self) -> bytes:
        """Where the reader is, as a serialized message of four fields.

        Files begun and finished, records given, the file being read.
        """
        raise errors.UnimplementedError(None, None, "Reader SerializeState")

    def restore(self, state: bytes) -> None:
        """Go back to where `state` was taken."""
        raise errors.UnimplementedError(None, None, "Reader RestoreState")


class NameReader(Reader):
    """A reader of one record a file: it is always between two files, so that its state is a few numbers."""

    __slots__ = ("_last",)

    def reset(self) -> None:
        super().reset()
        self._last = b""

    def read(self, queue) -> Record:
        record = super().read(queue)
        self._last = record[0]
        if self._work is not None:  # its one record has been given
            self._work, self.finished = None, self.finished + 1
        return record

    def state(self) -> bytes:
        with self._lock:
            numbers = [(1, self.finished), (2, self.finished), (3, self.produced)]
            parts = [varint.encode(field << 3) + varint.encode(number) for field, number in numbers if number]
            name = varint.encode(4 << 3 | 2) + varint.encode(len(self._last)) + self._last if self._last else b""
            return b"".join(parts) + name

    def restore(self, state: bytes) -> None:
        found: dict = {}
        try:
            found.update(varint.fields(state))
        except ValueError:
            found = {}
        if state and not found or any(not isinstance(found.get(i, 0), int) for i in (1, 2, 3)):
            raise errors.InvalidArgumentError(None, None, f"Could not parse state for {self.name}: {state!r}")
        with self._lock:
            self.reset()
            self.finished, self.produced, self._last = found.get(2, 0), found.get(3, 0), found.get(4, b"")


def _name(queue) -> bytes:
    element = queue.dequeue()
    return np.asarray(element[0], object).item()


class IdentityReader(NameReader):
    """The names themselves."""

    __slots__ = ()

    def records(self, name):
        yield name, name


class WholeFileReader(NameReader):
    """Each file is one record; its key is its name."""

    __slots__ = ()

    def records(self, name):
        with os_errors(name.decode()), open(name, "rb") as file:
            yield name, file.read()


class TextLineReader(Reader):
    """Lines, with `file:line` as their keys; the first `skip` of each file are left out."""

    __slots__ = ("skip",)

    def __init__(self, skip: int = 0, name: str = "") -> None:
        super().__init__(name)
        self.skip = skip

    def records(self, name):
        with os_errors(name.decode()), open(name, "rb") as file:
            for number, line in enumerate(file, 1):
                if number > self.skip:
                    yield b"%s:%d" % (name, number), line.removesuffix(b"\n").removesuffix(b"\r")


class FixedLengthReader(Reader):
    """Records of a fixed number of bytes, after a header and before a footer, perhaps apart from one another."""

    __slots__ = ("size", "header", "footer", "hop", "encoding")

    def __init__(self, size, header=0, footer=0, hop=0, encoding="", name="") -> None:
        super().__init__(name)
        self.size, self.header, self.footer, self.hop, self.encoding = size, header, footer, hop or size, encoding

    def records(self, name):
        with os_errors(name.decode()), records.open_file(name.decode(), self.encoding) as file:
            data = file.read()
        body = data[self.header : len(data) - self.footer]
        for number, start in enumerate(range(0, len(body) - self.size + 1, self.hop)):
            yield b"%s:%d" % (name, number), body[start : start + self.size]


class RecordReader(Reader):
    """TFRecord files; keys are `file:offset`."""

    __slots__ = ("compression",)

    def __init__(self, compression: str = "", name: str = "") -> None:
        super().__init__(name)
        self.compression = compression

    def records(self, name):
        offset = 0
        for record in records.read(name.decode(), self.compression):
            yield b"%s:%d" % (name, offset), record
            offset += len(record) + 16
