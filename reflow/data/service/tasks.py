"""The tasks of a worker: each makes the elements of one job, for all clients that ask."""

from __future__ import annotations

import threading
from typing import Any

from reflow.core import errors
from reflow.core.tensor import HostObject
from reflow.data.engine import snapshot_files as files
from reflow.data.engine.values import DatasetIterator

Answer = Any  # what a method of a server returns (`messages.serve`)


class Task:
    """Gives each element to the client that asks first. A client counts its *turns*: the same turn again gets the same answer."""

    def __init__(self, iterator: DatasetIterator):
        self.iterator, self.lock = iterator, threading.Lock()
        self.last: dict[str, tuple[int, Answer]] = {}  # client -> its last turn, and the answer

    def answer(self, client: str, turn: int) -> Answer:
        with self.lock:
            if self.last.get(client, (None, None))[0] != turn:
                self.last[client] = (turn, self.next_answer())
            return self.last[client][1]

    def next_answer(self) -> Answer:
        """The next element of the pipeline, as a message."""
        element = next(self.iterator, None)
        if element is None:
            return {"end": True}
        if any(isinstance(v, HostObject) for v in element):
            raise errors.UnimplementedError(None, None, "Datasets and optionals cannot be sent by the data service.")
        return {}, [files.encode_array(v) for v in element]
