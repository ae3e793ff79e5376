"""The dispatcher and the workers of the data service.

The *dispatcher* knows datasets, workers and jobs. A *job* is one pass over a dataset, shared by all clients that name
it. Every worker has a *task* for each job: its own iterator of the pipeline, of which `GetElement` gives the next
element to whichever client asks. Which elements a worker makes, its sharding says: all of them (OFF), those whose
source index the dispatcher hands out (DYNAMIC: each is handed out once), every n-th (the static policies), or what the pipeline's own
`shard` says (HINT).
"""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections.abc import Callable

from reflow.core import errors
from reflow.core.tensor import HostObject
from reflow.data.engine import snapshot_files as files
from reflow.data.engine.rewrites import resolve_shard_hints
from reflow.data.engine.values import DatasetIterator
from reflow.data.service import messages, pipelines


class Dispatcher:
    """The state of a dispatcher, and the methods that clients and workers call."""

    def __init__(self, port: int, worker_timeout: float, save: Callable[[int, dict], None]):
        """`save(port, request)` writes the elements of a dataset to files, by asking this dispatcher for them."""
        self.save = save
        self.saves: set[str] = set()
        self.datasets: dict[str, tuple[bytes, bytes]] = {}  # pipeline, element spec
        self.known: dict[str, str] = {}  # fingerprint of a pipeline -> its id
        self.jobs: dict[str, dict] = {}
        self.workers: dict[str, float] = {}  # address -> when it was last heard of
        self.timeout, self.lock = worker_timeout, threading.Lock()
        names = ("RegisterWorker", "RegisterDataset", "GetDataset", "GetOrCreateJob", "GetTasks", "GetSplit", "SaveElements")
        self.server, self.port = messages.serve(port, {n: getattr(self, _method(n)) for n in names})

    def register_worker(self, content, blobs):
        with self.lock:
            self.workers[content["address"]] = time.monotonic()

    def register_dataset(self, content, blobs):
        with self.lock:
            wanted = content.get("id")
            if wanted is not None:
                held = self.datasets.get(wanted)
                if held is not None and held[1] != blobs[1]:
                    raise errors.InvalidArgumentError(
                        None, None, f"Failed to register dataset: dataset ID {wanted} was registered with another element spec."
                    )
            else:
                new = str(next(i for i in itertools.count(1000) if str(i) not in self.datasets))
                wanted = self.known.setdefault(content["fingerprint"], new)
            self.datasets.setdefault(wanted, (blobs[0], blobs[1]))
            return {"id": wanted}

    def get_dataset(self, content, blobs):
        with self.lock:
            found = self.datasets.get(content["id"])
        if found is None:
            raise errors.NotFoundError(None, None, f"Dataset id {content['id']} not found.")
        return {}, list(found)

    def get_or_create_job(self, content, blobs):
        with self.lock:
            if content["id"] not in self.datasets:
                raise errors.NotFoundError(None, None, f"Dataset id {content['id']} not found.")
            name = content["name"]
            job = self.jobs.get(name)
            if job is None:
                job = {"id": content["id"], "policy": content["policy"], "next": 0, "index": {}}
                self.jobs[name] = job
            elif job["policy"] != content["policy"] or job["id"] != content["id"]:
                raise errors.InvalidArgumentError(
                    None,
                    None,
                    f"Tried to create job with name {name}, but found an existing job with different parameters.",
                )

    def get_tasks(self, content, blobs):
        """The workers that are alive, each with its number in this job, and how many there are."""
        with self.lock:
            job, now = self.jobs[content["name"]], time.monotonic()
            alive = [a for a, seen in self.workers.items() if now - seen < self.timeout]
            for address in alive:
                job["index"].setdefault(address, len(job["index"]))
            return {"tasks": [[a, job["index"][a]] for a in alive], "count": len(job["index"])}

    def get_split(self, content, blobs):
        with self.lock:
            job = self.jobs[content["name"]]
            job["next"] += 1
            return {"index": job["next"] - 1}

    def save_elements(self, content, blobs):
        """Begin to write the elements of a dataset to a folder; who asks does not wait for the end."""
        path = content["path"]
        with self.lock:
            if path in self.saves or os.path.exists(path):
                words = f"tf.data snapshot at {path} is already started or completed."
                raise errors.AlreadyExistsError(None, None, words)
            self.saves.add(path)
        threading.Thread(target=self.save, args=(self.port, content), name="reflow-save", daemon=True).start()


def _method(name: str) -> str:
    return "".join("_" + c.lower() if c.isupper() else c for c in name).lstrip("_")


class Worker:
    """A worker: it tells the dispatcher that it lives, and makes elements."""

    def __init__(self, dispatcher: str, port: int, heartbeat: float, address: str | None = None):
        self.dispatcher = messages.Peer(dispatcher)
        self.tasks: dict[str, tuple[DatasetIterator, threading.Lock]] = {}
        self.lock, self.stopped = threading.Lock(), threading.Event()
        self.server, self.port = messages.serve(port, {"GetElement": self.get_element})
        self.address = (address or "localhost:%port%").replace("%port%", str(self.port))
        if ":" not in self.address:
            self.address += f":{self.port}"
        self.dispatcher.ask("RegisterWorker", {"address": self.address})
        self.thread = threading.Thread(target=self._live, args=(heartbeat,), name="reflow-heartbeat", daemon=True)
        self.thread.start()

    def _live(self, heartbeat: float):
        while not self.stopped.wait(heartbeat):
            try:
                self.dispatcher.ask("RegisterWorker", {"address": self.address})
            except errors.UnavailableError:
                continue  # a dispatcher that comes back hears of this worker again

    def stop(self):
        self.stopped.set()
        self.server.stop(None).wait()
        self.thread.join()
        self.dispatcher.close()

    def _task(self, content) -> tuple[DatasetIterator, threading.Lock]:
        name = content["name"]
        with self.lock:
            if name not in self.tasks:
                _, (data, _spec) = self.dispatcher.ask("GetDataset", {"id": content["id"]})
                self.tasks[name] = (self._shared(pipelines.decode(data), content).iterate(), threading.Lock())
            return self.tasks[name]

    def _shared(self, dataset, content):
        """This worker's part of a pipeline."""
        policy = content["policy"]
        if policy == "OFF":
            return dataset
        if policy == "HINT":
            return resolve_shard_hints(dataset, content["count"], content["index"])
        source = pipelines.source_of(dataset)
        size = source.cardinality()
        if policy == "DYNAMIC":

            def next_index():
                index = self.dispatcher.ask("GetSplit", {"name": content["name"]})[0]["index"]
                return index if index < size else None

        else:
            mine = iter(range(content["index"], size, content["count"]))

            def next_index():
                return next(mine, None)

        return pipelines.with_source(dataset, source, pipelines.Split(source, next_index))

    def get_element(self, content, blobs):
        iterator, busy = self._task(content)
        with busy:
            element = next(iterator, None)
        if element is None:
            return {"end": True}
        if any(isinstance(v, HostObject) for v in element):
            raise errors.UnimplementedError(None, None, "Datasets and optionals cannot be sent by the data service.")
        return {}, [files.encode_array(v) for v in element]
