"""`tensorflow.python.client._pywrap_events_writer`: files of events, written one by one."""

from __future__ import annotations

import os
from typing import Any

from tensorboard.compat.proto.event_pb2 import Event

from reflow.summary.event_files import EventFile


class EventsWriter:
    """Appends events to the file `PREFIX.out.tfevents.SECONDS.HOST…`, which is made when its name is asked for or at
    the first flush."""

    def __init__(self, file_prefix: str | bytes) -> None:
        folder, self._prefix = os.path.split(os.fsdecode(file_prefix))
        self._file = EventFile(folder or ".", max_queue=1 << 20, flush_millis=1 << 40, suffix="", prefix=self._prefix)

    def InitWithSuffix(self, suffix: str | bytes) -> None:
        """Make the file, with a suffix to its name."""
        self._file.suffix = os.fsdecode(suffix)
        self._file.open()

    def FileName(self) -> str:
        """The path of the file."""
        self._file.open()
        assert self._file.path is not None
        return self._file.path

    def WriteEvent(self, event: Any) -> None:
        """Append an Event."""
        if not hasattr(event, "SerializeToString"):
            raise TypeError(f"Expected an Event proto, got {event}")
        known = Event.FromString(event.SerializeToString())
        self._file.add(**{field.name: value for field, value in known.ListFields()})

    def Flush(self) -> None:
        """Write what waits."""
        self._file.flush()

    def Close(self) -> None:
        """Write what waits, and end."""
        self._file.close()
