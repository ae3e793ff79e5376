"""Event files for TensorBoard: TFRecords of `Event` messages.

The first event holds the version of the format. A name is `events.out.tfevents.<seconds>.<host>.<pid>.<counter>.v2`.
"""

from __future__ import annotations

import atexit
import itertools
import os
import platform
import sys
import threading
import time
import weakref

import numpy as np

from reflow.core import dtypes, errors
from reflow.core.logging import logger
from reflow.core.os_errors import os_errors
from reflow.core.tensor import HostObject
from reflow.io import records

_counter = itertools.count()
#: the files of programs that end without closing them
_open_files: weakref.WeakSet[EventFile] = weakref.WeakSet()


class EventFile(HostObject):
    """The value of a summary writer's resource tensor: a file that events are appended to.

    It is made at the first event, its folder by `make_folder` at the latest then.
    """

    tensor_dtype = dtypes.resource

    def __init__(
        self, folder: str, max_queue: int = 10, flush_millis: int = 120_000, suffix: str = ".v2", prefix: str = "events"
    ):
        self.folder, self.suffix, self.prefix = folder, suffix, prefix
        self.max_queue, self.flush_millis = max_queue, flush_millis
        self.lock = threading.RLock()
        self.queue: list[bytes] = []
        self.flushed = time.monotonic()
        self.path: str | None = None
        self.closed = False
        _open_files.add(self)

    def add(self, **fields):
        """Append an event with these fields of the proto."""
        from tensorboard.compat.proto.event_pb2 import Event

        with self.lock:
            if self.closed:
                raise errors.FailedPreconditionError(None, None, "The summary writer is closed.")
            self.queue.append(records.frame(Event(**({"wall_time": time.time()} | fields)).SerializeToString()))
            due = (time.monotonic() - self.flushed) * 1000 > self.flush_millis
            if len(self.queue) > self.max_queue or due:
                self.flush()

    def make_folder(self):
        with os_errors(self.folder):
            os.makedirs(self.folder, exist_ok=True)

    def open(self):
        """Make the file, with its first event."""
        from tensorboard.compat.proto.event_pb2 import Event

        with self.lock:
            if self.path is None:
                self.make_folder()
                unique = f"{int(time.time())}.{platform.node()}.{os.getpid()}.{next(_counter)}"
                self.path = os.path.join(self.folder, f"{self.prefix}.out.tfevents.{unique}{self.suffix}")
                first = Event(wall_time=time.time(), file_version="brain.Event:2")
                first.source_metadata.writer = "tensorflow.core.util.events_writer"
                self.queue.insert(0, records.frame(first.SerializeToString()))
                self.flush()

    def flush(self):
        """Write what waits."""
        with self.lock:
            self.open()
            if self.queue:
                with os_errors(self.path or self.folder), open(self.path or "", "ab") as file:
                    file.write(b"".join(self.queue))
                self.queue.clear()
            self.flushed = time.monotonic()

    def close(self):
        if not self.closed:
            self.flush()
            self.closed = True

    def __del__(self):
        if self.queue and not self.closed and not sys.is_finalizing():
            self.flush()


def _write_all() -> None:
    """Write what waits in files that a program did not close."""
    for file in list(_open_files):
        if file.queue and not file.closed:
            try:
                file.flush()
            # such as a temporary folder that is gone: the other files are written all the same
            except errors.OpError as error:
                logger.warning("An event file was not written: %s", error.message)


atexit.register(_write_all)


def tensor_proto(value: np.ndarray):
    """An array as TensorBoard's TensorProto."""
    from tensorboard.util.tensor_util import make_tensor_proto

    return make_tensor_proto(value.tolist() if value.dtype == object else value)
