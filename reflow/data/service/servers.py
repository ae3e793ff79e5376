"""The dispatcher and the workers of the data service.

The *dispatcher* knows datasets, workers and jobs. A *job* is one pass over a dataset, shared by all clients that name
it. Every worker has a *task* for each job: its own iterator of the pipeline, of which `GetElement` gives the next
element to whichever client asks. Which elements a worker makes, its sharding says: all of them (OFF), those whose
source index the dispatcher hands out (DYNAMIC: each is handed out once), every n-th (FILE, DATA, FILE_OR_DATA), or what
the pipeline's own `shard` says (HINT). The last four are *static*: they need a fixed list of workers
(`worker_list.py`).
"""

from __future__ import annotations

import os
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from typing import Any

from reflow.core import errors
from reflow.data.engine.rewrites import resolve_shard_hints
from reflow.data.engine.values import INFINITE
from reflow.data.service import messages, pipelines
from reflow.data.service.journal import DatasetFiles, Journal
from reflow.data.service.state import Job, State
from reflow.data.service.tasks import Task, make_task
from reflow.data.service.worker_list import WorkerList

_METHODS = (
    "RegisterWorker", "RegisterDataset", "GetDataset", "GetOrCreateJob", "KeepJob", "ReleaseJob", "GetTasks",
    "GetSplit", "GetRound", "SaveElements",
)
_AGREED = {  # what clients of one job must agree on, and its name in errors
    "policy": "processing mode", "consumers": "number of consumers", "target": "target workers",
    "cached": "cross-trainer cache",
}
_STATIC = ("FILE", "DATA", "FILE_OR_DATA", "HINT")
_CLIENT_TIMEOUT = 120.0  # seconds after which a silent client counts as gone
LOCAL: set[str] = set()  # addresses of the workers in this process


class Dispatcher:
    """A dispatcher, and the methods that clients and workers call.

    Each may be asked again with the same words: who hears no answer does so.
    """

    def __init__(
        self, port: int, worker_timeout: float, save: Callable[[int, dict], None], work_dir: str | None = None,
        fault_tolerant: bool = False, gc_interval: float = 600.0, gc_timeout: float = 300.0,
        workers: Sequence[str] | None = None,
    ):
        """`save(port, request)` writes the elements of a dataset to files, by asking this dispatcher for them.

        Every `gc_interval` seconds, jobs that have had no client for `gc_timeout` are removed. `workers` are the
        addresses of all workers that there will be, if they are fixed.
        """
        self.save, self.timeout, self.lock = save, worker_timeout, threading.Lock()
        self.gc_interval, self.gc_timeout, self.collected = gc_interval, gc_timeout, time.monotonic()
        self.state, self.places = State(), WorkerList(workers)
        self.datasets: Any = DatasetFiles(work_dir) if work_dir else {}  # id -> pipeline, element spec
        self.journal = Journal(work_dir) if work_dir and fault_tolerant else None
        for change in self.journal.read() if self.journal else ():
            self.state.apply(change)
        for address in sorted(self.state.workers):
            self.places.admit(address)
        self.seen = dict.fromkeys(self.state.workers, time.monotonic())  # when a worker was last heard of
        self.server, self.port = messages.serve(port, {n: getattr(self, _method(n)) for n in _METHODS})

    def stop(self) -> None:
        self.server.stop(None).wait()
        with self.lock:  # a method that still runs writes nothing any more
            if self.journal:
                self.journal.close()

    def _change(self, kind: str, **values) -> None:
        change = {"kind": kind, **values}
        if self.journal:
            self.journal.write(change)
        self.state.apply(change)

    def _job(self, content: dict) -> Job:
        job = self.state.jobs.get(content["job"])
        if job is None:
            raise errors.NotFoundError(
                None, None, f"Unknown job {content['job']}: it has ended, or its dispatcher began anew."
            )
        if "client" in content:
            job.clients[content["client"]] = job.used = time.monotonic()
        return job

    def _alive(self) -> list[str]:
        now = time.monotonic()
        return [address for address, seen in self.seen.items() if now - seen < self.timeout]

    def _collect(self) -> None:
        """Remove jobs without clients, when it is time."""
        now = time.monotonic()
        if now - self.collected < self.gc_interval:
            return
        self.collected = now
        for job in list(self.state.jobs.values()):
            job.clients = {client: seen for client, seen in job.clients.items() if now - seen < _CLIENT_TIMEOUT}
            if not job.clients and now - job.used >= self.gc_timeout:
                self._change("job_gone", key=job.key)

    def register_worker(self, content, blobs):
        """Hear that a worker lives; the answer says which of its jobs are gone."""
        with self.lock:
            self._collect()
            address = content["address"]
            self.places.admit(address)
            if address not in self.state.workers:
                self._change("worker", address=address)
            self.seen[address] = time.monotonic()
            return {"gone": [job for job in content["jobs"] if job not in self.state.jobs]}

    def register_dataset(self, content, blobs):
        with self.lock:
            wanted, fingerprint = content.get("id"), content.get("fingerprint")
            if wanted is None:
                wanted = self.state.known.get(fingerprint) or self.state.new_id()
            elif wanted in self.state.ids and self.datasets[wanted][1] != blobs[1]:
                raise errors.InvalidArgumentError(
                    None, None,
                    f"Failed to register dataset: dataset ID {wanted} was registered with another element spec.",
                )
            if wanted not in self.state.ids:
                self.datasets[wanted] = blobs
                facts = {"cardinality": content["cardinality"], "compression": content.get("compression")}
                self._change("dataset", id=wanted, fingerprint=fingerprint, **facts)
            return {"id": wanted}

    def _known(self, name: str) -> str:
        if name not in self.state.ids:
            raise errors.NotFoundError(None, None, f"Dataset id {name} not found.")
        return name

    def get_dataset(self, content, blobs):
        with self.lock:
            known = self._known(content["id"])
            return {"compression": self.state.compressions[known]}, list(self.datasets[known])

    def get_or_create_job(self, content, blobs):
        with self.lock:
            name, parameters = content["name"], content["parameters"]
            self._known(parameters["id"])
            self._collect()
            _require_infinite(parameters, self.state.ids[parameters["id"]])
            if name not in self.state.names:
                self._change("job", key=uuid.uuid4().hex, name=name, parameters=parameters)
            job = self.state.jobs[self.state.names[name]]
            for key, words in _AGREED.items():
                if job.parameters[key] != parameters[key]:
                    raise errors.InvalidArgumentError(
                        None, None,
                        f"Failed to get or create job for dataset with id {parameters['id']}: Tried to create job with "
                        f"name {name}, but found an existing job with different parameters: Existing {words}: "
                        f"<{job.parameters[key]}>; got <{parameters[key]}>."
                    )
            job.clients[content["client"]] = job.used = time.monotonic()
            return {"job": job.key, "id": job.parameters["id"]}

    def keep_job(self, content, blobs):
        """Hear that a client lives."""
        with self.lock:
            self._job(content)

    def release_job(self, content, blobs):
        with self.lock:
            self._job(content).clients.pop(content["client"], None)

    def get_tasks(self, content, blobs):
        """The workers that are alive, each with its number in this job, and how many there are."""
        with self.lock:
            job, alive = self._job(content), self._alive()
            static = job.parameters["policy"] in _STATIC
            for address in alive:
                if address not in job.workers:
                    index = self.places.place_of(address) if static else len(job.workers)
                    self._change("task", job=job.key, address=address, index=index)
            return {
                "tasks": [[a, job.workers[a]] for a in alive], "count": len(self.places) if static else len(job.workers)
            }

    def get_split(self, content, blobs):
        with self.lock:
            job, task, turn = self._job(content), content["task"], content["turn"]
            if job.given.get(task, (None, None))[0] != turn:
                self._change("split", job=job.key, task=task, turn=turn)
            return {"index": job.given[task][1]}

    def get_round(self, content, blobs):
        """The worker of a round; None if there is none. Once requested, it stays the same, unless it is gone."""
        with self.lock:
            job, number, alive = self._job(content), content["round"], self._alive()
            stays = job.worker_of(number) in alive
            if alive and (number > job.round or not stays):
                same = stays and job.rounds[-1][1] == alive
                self._change("round", job=job.key, number=number, workers=None if same else alive)
            return {"address": job.worker_of(number)}

    def save_elements(self, content, blobs):
        """Begin to write the elements of a dataset to a folder; who asks does not wait for the end."""
        path, request = content["path"], content["request"]
        with self.lock:
            if self.state.saves.get(path) == request:
                return  # asked again, since the answer was lost
            if path in self.state.saves or os.path.exists(path):
                words = f"tf.data snapshot at {path} is already started or completed."
                raise errors.AlreadyExistsError(None, None, words)
            self._change("save", path=path, request=request)
        threading.Thread(target=self.save, args=(self.port, content), name="reflow-save", daemon=True).start()


def _require_infinite(parameters: dict, cardinality: int) -> None:
    if parameters["cached"] and cardinality != INFINITE:
        raise errors.InvalidArgumentError(
            None, None,
            f"Cross-trainer caching requires the input dataset to be infinite. Got input with cardinality {cardinality}"
        )
    if parameters["consumers"] is not None and cardinality >= 0:
        raise errors.FailedPreconditionError(
            None, None,
            "Round robin reads require that the input dataset has infinite cardinality, but the dataset has "
            f"cardinality {cardinality}. Consider adding a `.repeat()` transformation to the dataset."
        )


def _method(name: str) -> str:
    return "".join("_" + c.lower() if c.isupper() else c for c in name).lstrip("_")


class Worker:
    """A worker: it tells the dispatcher that it lives, and makes elements."""

    def __init__(
        self, dispatcher: str, port: int, heartbeat: float, address: str | None = None,
        dispatcher_timeout: float = 3600.0,
    ):
        self.dispatcher = messages.Peer(dispatcher, dispatcher_timeout)
        self.tasks: dict[str, Task] = {}  # by the key of the job
        self.lock, self.stopped = threading.Lock(), threading.Event()
        self.server, self.port = messages.serve(port, {"GetElement": self.get_element})
        self.address = (address or "localhost:%port%").replace("%port%", str(self.port))
        if ":" not in self.address:
            self.address += f":{self.port}"
        try:
            self._register()
        except errors.NotFoundError as error:
            self.server.stop(None)
            self.dispatcher.close()
            # TensorFlow's class for it
            raise RuntimeError(f"Failed to perform worker heartbeat: {error.message}") from error
        LOCAL.add(self.address)
        self.thread = threading.Thread(target=self._live, args=(heartbeat,), name="reflow-heartbeat", daemon=True)
        self.thread.start()

    def _live(self, heartbeat: float):
        while not self.stopped.wait(heartbeat):
            try:
                self._register()
            except (errors.UnavailableError, errors.NotFoundError):
                continue  # a dispatcher that comes back hears of this worker again

    def _register(self) -> None:
        with self.lock:
            jobs = list(self.tasks)
        found, _ = self.dispatcher.ask("RegisterWorker", {"address": self.address, "jobs": jobs})
        with self.lock:
            for job in found["gone"]:
                self.tasks.pop(job, None)

    def stop(self):
        LOCAL.discard(self.address)
        self.stopped.set()
        self.dispatcher.close()  # ends the waiting for a dispatcher that is away
        self.server.stop(None).wait()
        self.thread.join()

    def _task(self, content) -> Task:
        key = content["job"]
        with self.lock:
            if key not in self.tasks:
                found, (data, _spec) = self.dispatcher.ask("GetDataset", {"id": content["id"]})
                self.tasks[key] = make_task(
                    self._shared(pipelines.decode(data), content).iterate(), {**content, **found}
                )
            return self.tasks[key]

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
            request = {"job": content["job"], "task": uuid.uuid4().hex, "turn": 0}

            def next_index():
                index = self.dispatcher.ask("GetSplit", request)[0]["index"]
                request["turn"] += 1
                return index if index < size else None

        else:
            mine = iter(range(content["index"], size, content["count"]))

            def next_index():
                return next(mine, None)

        return pipelines.with_source(dataset, source, pipelines.Split(source, next_index))

    def get_element(self, content, blobs):
        return self._task(content).answer(content)
