"""What a dispatcher knows, and how it changes.

A *change* is a plain dictionary whose "kind" names a method here. Nothing else changes the state, so the changes of a
journal (`journal.py`), applied again, give the same state. Of a *job*, one pass over a dataset, the state has its
parameters, the workers' numbers in it, and for DYNAMIC sharding the next index and the last *turn* of every task: a
task that asks for the same turn again, because the answer was lost, gets the same index. For coordinated reads it has
the lists of workers, each from its first *round* on: in one round, all consumers read from one worker.
"""

from __future__ import annotations

import itertools
import time
from typing import Any


class Job:
    """One pass over a dataset. `parameters` are those that all its clients must agree on."""

    def __init__(self, key: str, name: str, parameters: dict[str, Any]):
        self.key, self.name, self.parameters = key, name, parameters
        self.workers: dict[str, int] = {}  # address -> its number in this job
        self.next = 0
        self.given: dict[str, tuple[int, int]] = {}  # task -> its last turn, and the index that it was given
        self.rounds: list[tuple[int, list[str]]] = []  # first round, workers
        self.round = -1  # the last that anybody asked for
        # client -> when it was last heard of; no part of a journal, clients tell it again
        self.clients: dict[str, float] = {}
        self.used = time.monotonic()  # when there last was a client

    def worker_of(self, number: int) -> str | None:
        """The worker of a round."""
        workers = next((w for first, w in reversed(self.rounds) if first <= number), None)
        return workers[number % len(workers)] if workers else None


class State:
    """Datasets, workers, jobs and saves."""

    def __init__(self) -> None:
        self.ids: dict[str, int] = {}  # id of a dataset -> its cardinality
        self.compressions: dict[str, str | None] = {}  # id of a dataset -> how its elements travel
        self.known: dict[str, str] = {}  # fingerprint of a pipeline -> its id
        self.workers: set[str] = set()
        self.jobs: dict[str, Job] = {}  # by key; a name may be given to a later job when its first is gone
        self.names: dict[str, str] = {}  # name of a job -> its key
        self.saves: dict[str, str] = {}  # folder -> which request began to write to it

    def apply(self, change: dict) -> None:
        getattr(self, "_" + change["kind"])(**{k: v for k, v in change.items() if k != "kind"})

    def new_id(self) -> str:
        return str(next(i for i in itertools.count(1000) if str(i) not in self.ids))

    def _dataset(self, id: str, fingerprint: str | None, cardinality: int, compression: str | None = None) -> None:
        self.ids[id], self.compressions[id] = cardinality, compression
        if fingerprint is not None:
            self.known[fingerprint] = id

    def _worker(self, address: str) -> None:
        self.workers.add(address)

    def _job(self, key: str, name: str, parameters: dict) -> None:
        self.jobs[key], self.names[name] = Job(key, name, parameters), key

    def _job_gone(self, key: str) -> None:
        job = self.jobs.pop(key)
        del self.names[job.name]

    def _task(self, job: str, address: str, index: int) -> None:
        self.jobs[job].workers[address] = index

    def _split(self, job: str, task: str, turn: int) -> None:
        held = self.jobs[job]
        held.given[task] = (turn, held.next)
        held.next += 1

    def _round(self, job: str, number: int, workers: list[str] | None) -> None:
        held = self.jobs[job]
        held.round = max(held.round, number)
        if workers is not None:
            held.rounds.append((number, workers))

    def _save(self, path: str, request: str) -> None:
        self.saves[path] = request
