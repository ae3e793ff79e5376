"""The tasks of a worker: each makes the elements of one job, for all clients that ask.

Clients ask again when they hear no answer, so a question that is asked twice gets the same answer. How elements go to
clients, the job says: to whoever asks first (`Task`), in rounds (`RoundTask`), or to every trainer all of them
(`CachedTask`).
"""

from __future__ import annotations

import collections
import threading
from typing import Any

from reflow.core import errors
from reflow.core.tensor import HostObject
from reflow.data.engine import snappy
from reflow.data.engine import snapshot_files as files
from reflow.data.engine.values import DatasetIterator

Answer = Any  # what a method of a server returns (`messages.serve`)
_AHEAD = 16  # rounds of a worker that a consumer may be ahead of the slowest
_CACHE_BYTES = 1 << 30  # of the elements that trainers share, in one worker


class Task:
    """Gives each element to the client that asks first.

    A client counts its *turns*: the same turn again gets the same answer.
    """

    compression: str | None = None  # of elements on the way to clients: "SNAPPY", or none

    def __init__(self, iterator: DatasetIterator):
        self.iterator, self.lock = iterator, threading.Lock()
        self.last: dict[str, tuple[int, Answer]] = {}  # client -> its last turn, and the answer

    def answer(self, content: dict) -> Answer:
        """The answer to a client's question for an element."""
        client, turn = content["client"], content["turn"]
        with self.lock:
            if self.last.get(client, (None, None))[0] != turn:
                self.last[client] = (turn, self._choose(content))
            return self.last[client][1]

    def _choose(self, content: dict) -> Answer:
        return self._next()

    def _next(self) -> Answer:
        """The next element of the pipeline, as a message."""
        element = next(self.iterator, None)
        if element is None:
            return {"end": True}
        if any(isinstance(v, HostObject) for v in element):
            raise errors.UnimplementedError(None, None, "Datasets and optionals cannot be sent by the data service.")
        blobs = [files.encode_array(v) for v in element]
        return (
            ({"compression": self.compression}, list(map(snappy.compress, blobs))) if self.compression else ({}, blobs)
        )


class RoundTask(Task):
    """Coordinated reads: a *round* is one element for every consumer, which gets the one of its index.

    A round is kept until each consumer has asked for a later one. One that is far ahead of the slowest is told to wait.
    """

    def __init__(self, iterator: DatasetIterator, consumers: int):
        super().__init__(iterator)
        self.rounds: dict[int, list[Answer]] = {}
        self.asked = [-1] * consumers  # the last round of each consumer

    def answer(self, content: dict) -> Answer:
        consumer, wanted = content["consumer"], content["round"]
        if consumer >= len(self.asked):
            words = (
                f"Requesting data for consumer index {consumer}, but the task is configured for only "
                f"{len(self.asked)} consumers"
            )
            raise errors.FailedPreconditionError(None, None, words)
        with self.lock:
            if wanted < self.asked[consumer]:
                reached = f"round {wanted}, but the current round has already reached {self.asked[consumer]}."
                raise errors.FailedPreconditionError(None, None, f"Consumer {consumer} requested data for {reached}")
            self.asked[consumer] = wanted
            for old in [r for r in self.rounds if r < min(self.asked)]:
                del self.rounds[old]
            if wanted not in self.rounds:
                if len(self.rounds) >= _AHEAD:
                    return {"wait": True}
                made = [self._next() for _ in self.asked]
                if {"end": True} in made:
                    words = (
                        "Coordinated reads came to the end of the dataset, which must be "
                        "infinite: add `.repeat()` to it."
                    )
                    raise errors.FailedPreconditionError(None, None, words)
                self.rounds[wanted] = made
            return self.rounds[wanted][consumer]


class CachedTask(Task):
    """A window over the elements, which every trainer reads by itself.

    The window holds the newest elements, as many as its bytes allow. A trainer that is new, or so slow that the window
    has passed it, goes on at the window's oldest element; the fastest one has new elements made. Clients of one trainer
    share its position.
    """

    def __init__(self, iterator: DatasetIterator, limit: int = _CACHE_BYTES):
        super().__init__(iterator)
        self.window: collections.deque[Answer] = collections.deque()
        self.first = self.bytes = 0  # the number of the oldest element, and the size of all
        self.limit = limit
        self.positions: dict[str, int] = {}  # trainer -> the number of its next element

    def _choose(self, content: dict) -> Answer:
        trainer = content["trainer"]
        position = max(self.positions.get(trainer, 0), self.first)
        if position == self.first + len(self.window):
            self._add(self._next())
        self.positions[trainer] = position + 1
        return self.window[position - self.first]

    def _add(self, answer: Answer) -> None:
        self.window.append(answer)
        self.bytes += _size(answer)
        while self.bytes > self.limit and len(self.window) > 1:
            self.bytes -= _size(self.window.popleft())
            self.first += 1


def _size(answer: Answer) -> int:
    return sum(map(len, answer[1])) if isinstance(answer, tuple) else 0


def make_task(iterator: DatasetIterator, parameters: dict) -> Task:
    """The task for a job's parameters."""
    if parameters["consumers"] is not None:
        task: Task = RoundTask(iterator, parameters["consumers"])
    else:
        task = CachedTask(iterator) if parameters["cached"] else Task(iterator)
    task.compression = parameters.get("compression")
    return task


def decode_element(content: dict, blobs: list[bytes]) -> list:
    """The element in an answer."""
    if content.get("compression"):
        blobs = list(map(snappy.decompress, blobs))
    return [files.decode_array(b) for b in blobs]
