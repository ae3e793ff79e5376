"""The dataset of a client: elements produced by workers."""

from __future__ import annotations

import collections
import contextlib
import threading
import time
import uuid
import weakref
from typing import Any

from reflow.core import errors
from reflow.data.engine.values import DatasetIterator, Unsized
from reflow.data.service import messages, servers
from reflow.data.service.tasks import decode_element

_REFRESH = 0.5  # seconds between two looks for new workers
_PATIENCE = 60.0  # seconds to wait for a dispatcher, and for a first worker
_HEARTBEAT = 30.0  # seconds between two signs of life
_NOT_LOCAL = (
    "Local reads require local tf.data workers, but no local worker is found. You need to run local tf.data service "
    "workers in your training workers."
)
_AWAY = 3600.0  # seconds to wait for a dispatcher that was there and is away


class ServedIterator(DatasetIterator):
    """Polls the workers in turn until all have finished.

    A lost worker is polled again when the dispatcher knows it again.
    """

    children = ()

    def __init__(self, dataset):
        self.dataset = dataset
        self.name = dataset.job or f"anonymous_{uuid.uuid4()}"
        self.parameters = {
            "id": dataset.id, "policy": dataset.policy, "consumers": dataset.consumers,
            "cached": dataset.trainer is not None, "target": dataset.target,
        }
        if dataset.trainer is not None and dataset.job is None:
            words = "Cross-trainer caching requires named jobs. Got empty `job_name`."
            raise errors.InvalidArgumentError(None, None, words)
        if dataset.trainer is not None and dataset.consumers is not None:
            words = (
                "Cross-trainer caching does not support coordinated reads. Got number of coordinated "
                f"consumers: {dataset.consumers}"
            )
            raise errors.InvalidArgumentError(None, None, words)
        self.client = uuid.uuid4().hex
        self.turns: collections.Counter[str] = collections.Counter()  # answers so far, by worker
        self.dispatcher: messages.Peer | None = None
        self.peers: dict[str, messages.Peer] = {}
        self.tasks: list = []
        self.done: set[str] = set()  # workers at their end
        self.ended = threading.Event()
        self.count = self.turn = 0
        self.looked = 0.0

    def _begin(self) -> messages.Peer:
        """The dispatcher, which knows this client and its job.

        A thread tells it that the client lives, and when it has ended.
        """
        if self.dispatcher is None:
            dispatcher = messages.Peer(self.dataset.address, _PATIENCE)
            request = {"name": self.name, "parameters": self.parameters, "client": self.client}
            found, _ = dispatcher.ask("GetOrCreateJob", request)
            self.parameters["id"] = found["id"]  # of a job that has begun, the dataset stays
            self.request = {"job": found["job"], "client": self.client}
            self.dispatcher, dispatcher.patience = dispatcher, _AWAY
            weakref.finalize(self, self.ended.set)
            arguments = (self.dataset.address, self.request, self.ended)
            threading.Thread(target=_keep, args=arguments, name="reflow-client", daemon=True).start()
        return self.dispatcher

    def _look(self):
        """Find the workers."""
        found, _ = self._begin().ask("GetTasks", self.request)
        tasks = found["tasks"]
        if self.dataset.target == "LOCAL":
            tasks = [t for t in tasks if t[0] in servers.LOCAL]
            if not tasks and found["tasks"]:
                raise errors.InvalidArgumentError(None, None, _NOT_LOCAL)
        self.tasks, self.count, self.looked = tasks, found["count"], time.monotonic()

    def __next__(self):
        deadline = time.monotonic() + _PATIENCE
        while not self.ended.is_set():
            if time.monotonic() - self.looked > _REFRESH:
                self._look()
            waiting = [t for t in self.tasks if t[0] not in self.done]
            if not waiting and self.tasks:
                break
            if not waiting:
                self._wait(deadline)
                self.looked = 0.0
                continue
            self.turn += 1
            address, index = waiting[self.turn % len(waiting)]
            answer = self._ask(address, {"index": index, "count": self.count, "trainer": self.dataset.trainer})
            if answer is None:  # gone: check again, the others continue
                self.tasks = [t for t in self.tasks if t[0] != address]
                continue
            content, blobs = answer
            if content.get("end"):
                self.done.add(address)
                continue
            return decode_element(content, blobs)
        self.ended.set()
        raise StopIteration

    def _wait(self, deadline: float) -> None:
        """Sleep a moment; UnavailableError after the deadline."""
        if time.monotonic() > deadline:
            raise errors.UnavailableError(None, None, f"No worker of {self.dataset.address} was there in time.")
        time.sleep(0.05)

    def _ask(self, address: str, place: dict) -> Any:
        """The next reply of a worker; None if it is gone. If it comes back, the same turn is requested again."""
        if address not in self.peers:
            self.peers[address] = messages.Peer(address, patience=0)
        task = {**self.parameters, **self.request, **place, "turn": self.turns[address]}
        try:
            answer = self.peers[address].ask("GetElement", task)
        except errors.UnavailableError:
            return None
        self.turns[address] += 1
        return answer

    def state(self):
        raise errors.UnimplementedError(None, None, "The position of a dataset of the data service cannot be saved.")


class RoundIterator(ServedIterator):
    """Coordinated reads: in each round all consumers read from one worker, which the dispatcher names."""

    round = 0

    def __next__(self):
        deadline = time.monotonic() + _PATIENCE
        while True:
            found, _ = self._begin().ask("GetRound", {**self.request, "round": self.round})
            place = {"consumer": self.dataset.consumer, "round": self.round}
            answer = self._ask(found["address"], place) if found["address"] else None
            if answer is None:
                self._wait(deadline)
            elif answer[0].get("wait"):
                time.sleep(0.01)  # another consumer is behind
            else:
                self.round += 1
                return decode_element(*answer)


def _keep(address: str, request: dict, ended: threading.Event) -> None:
    """Tell a dispatcher that a client lives, until it has ended."""
    dispatcher = messages.Peer(address)
    while True:
        leaving = ended.wait(_HEARTBEAT)
        if leaving:
            dispatcher.patience = 1.0
        with contextlib.suppress(errors.OpError):  # the client itself hears of what is wrong
            dispatcher.ask("ReleaseJob" if leaving else "KeepJob", request)
        if leaving:
            return dispatcher.close()


class Served(Unsized):
    """The elements of a job: first come, first served.

    For one of the `consumers` of a round; or for a trainer that shares them.
    """

    iterator = ServedIterator

    def __init__(
        self, address: str, dataset_id: str, policy: str, job: str | None, consumer: int | None = None,
        consumers: int | None = None, trainer: str | None = None, target: str = "AUTO",
    ):
        self.address, self.id, self.policy, self.job = address, dataset_id, policy, job
        self.consumer, self.consumers, self.trainer, self.target = consumer, consumers, trainer, target
        if consumers is not None:
            self.iterator = RoundIterator
