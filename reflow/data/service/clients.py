"""The dataset of a client: elements that workers made."""

from __future__ import annotations

import collections
import time
import uuid
from typing import Any

from reflow.core import errors
from reflow.data.engine import snapshot_files as files
from reflow.data.engine.values import DatasetIterator, Unsized
from reflow.data.service import messages

_REFRESH = 0.5  # seconds between two looks for new workers
_PATIENCE = 60.0  # seconds to wait for a dispatcher, and for a first worker
_AWAY = 3600.0  # seconds to wait for a dispatcher that was there and is away


class ServedIterator(DatasetIterator):
    """Asks the workers in turn until all have come to their end. A worker that is gone is asked again when the dispatcher knows it again."""

    children = ()

    def __init__(self, dataset):
        self.dataset = dataset
        self.name = dataset.job or f"anonymous_{uuid.uuid4()}"
        self.parameters = {"id": dataset.id, "policy": dataset.policy}
        self.client = uuid.uuid4().hex
        self.turns: collections.Counter[str] = collections.Counter()  # answers so far, by worker
        self.dispatcher: messages.Peer | None = None
        self.peers: dict[str, messages.Peer] = {}
        self.tasks: list = []
        self.ended: set[str] = set()
        self.count = self.turn = 0
        self.looked = 0.0

    def _look(self):
        """Find the workers."""
        if self.dispatcher is None:
            dispatcher = messages.Peer(self.dataset.address, _PATIENCE)
            request = {"name": self.name, "parameters": self.parameters}
            self.job = dispatcher.ask("GetOrCreateJob", request)[0]["job"]
            self.dispatcher, dispatcher.patience = dispatcher, _AWAY
        found, _ = self.dispatcher.ask("GetTasks", {"job": self.job})
        self.tasks, self.count, self.looked = found["tasks"], found["count"], time.monotonic()

    def __next__(self):
        deadline = time.monotonic() + _PATIENCE
        while True:
            if time.monotonic() - self.looked > _REFRESH:
                self._look()
            waiting = [t for t in self.tasks if t[0] not in self.ended]
            if not waiting and self.tasks:
                raise StopIteration
            if not waiting:
                if time.monotonic() > deadline:
                    raise errors.UnavailableError(None, None, f"No worker of {self.dataset.address} was there in time.")
                time.sleep(0.05)
                self.looked = 0.0
                continue
            self.turn += 1
            address, index = waiting[self.turn % len(waiting)]
            answer = self._ask(address, index)
            if answer is None:  # gone: look again, the others go on
                self.tasks = [t for t in self.tasks if t[0] != address]
                continue
            content, blobs = answer
            if content.get("end"):
                self.ended.add(address)
                continue
            return [files.decode_array(b) for b in blobs]

    def _ask(self, address: str, index: int) -> Any:
        """The next answer of a worker; None if it is gone. If it comes back, it is asked for the same turn again."""
        if address not in self.peers:
            self.peers[address] = messages.Peer(address, patience=0)
        task = {**self.parameters, "job": self.job, "index": index, "count": self.count}
        try:
            answer = self.peers[address].ask("GetElement", {**task, "client": self.client, "turn": self.turns[address]})
        except errors.UnavailableError:
            return None
        self.turns[address] += 1
        return answer

    def state(self):
        raise errors.UnimplementedError(None, None, "The position of a dataset of the data service cannot be saved.")


class Served(Unsized):
    """The elements of a job."""

    iterator = ServedIterator

    def __init__(self, address: str, dataset_id: str, policy: str, job: str | None):
        self.address, self.id, self.policy, self.job = address, dataset_id, policy, job
