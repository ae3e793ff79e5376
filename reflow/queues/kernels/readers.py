"""Ops on readers (`reflow/queues/readers.py`)."""

from __future__ import annotations

import numpy as np

from reflow.core import errors
from reflow.core.resources import shared
from reflow.ops import shape_rules as rules
from reflow.queues import readers
from reflow.queues.kernels.queues import queue_op


def _maker(name: str, make):
    """Register both forms of an op that makes a reader; `make(shared_name, **attributes)` makes it."""

    def kernel(_, container="", shared_name="", **attrs):
        return shared(container, shared_name, lambda: make(shared_name, **attrs))

    queue_op(f"{name}V2", rules.scalar, touches=("files",))(kernel)
    queue_op(name, lambda f: [(2,)], touches=("files",))(kernel)


_maker("IdentityReader", lambda name, **_: readers.IdentityReader(name))
_maker("WholeFileReader", lambda name, **_: readers.WholeFileReader(name))
_maker("TextLineReader", lambda name, skip_header_lines=0, **_: readers.TextLineReader(skip_header_lines, name))
_maker("TFRecordReader", lambda name, compression_type="", **_: readers.RecordReader(compression_type, name))


def _fixed(name, record_bytes, header_bytes=0, footer_bytes=0, hop_bytes=0, encoding="", **_):
    if record_bytes <= 0:
        raise errors.InvalidArgumentError(None, None, f"record_bytes must be > 0 got {record_bytes}")
    return readers.FixedLengthReader(record_bytes, header_bytes, footer_bytes, hop_bytes, encoding, name)


_maker("FixedLengthRecordReader", _fixed)


def _bytes(value: bytes) -> np.ndarray:
    out = np.empty((), object)  # every element is written next: there is one
    out[()] = value
    return out


def _column(values: list[bytes]) -> np.ndarray:
    out = np.empty(len(values), object)  # every element is written next
    out[:] = values
    return out


def _read(_, reader_handle, queue_handle):
    key, value = reader_handle.read(queue_handle)
    return _bytes(key), _bytes(value)


def _read_up_to(_, reader_handle, queue_handle, num_records):
    found = reader_handle.read_up_to(queue_handle, int(num_records))
    return _column([key for key, _ in found]), _column([value for _, value in found])


def _produced(_, reader_handle):
    return np.asarray(reader_handle.produced, np.int64)


def _finished(_, reader_handle):
    return np.asarray(reader_handle.finished, np.int64)


def _reset(_, reader_handle):
    reader_handle.reset()
    return ()


def _state(_, reader_handle):
    return _bytes(reader_handle.state())


def _restore(_, reader_handle, state):
    reader_handle.restore(state[()])
    return ()


for _suffix in ("", "V2"):
    queue_op(f"ReaderSerializeState{_suffix}", rules.scalar)(_state)
    queue_op(f"ReaderRestoreState{_suffix}")(_restore)
    queue_op(f"ReaderRead{_suffix}", lambda f: [(), ()], overlaps=True)(_read)
    queue_op(f"ReaderReadUpTo{_suffix}", lambda f: [(None,), (None,)], overlaps=True)(_read_up_to)
    queue_op(f"ReaderNumRecordsProduced{_suffix}", rules.scalar)(_produced)
    queue_op(f"ReaderNumWorkUnitsCompleted{_suffix}", rules.scalar)(_finished)
    queue_op(f"ReaderReset{_suffix}")(_reset)
