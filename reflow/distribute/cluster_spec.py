"""`tf.train.ClusterSpec`: the addresses of the tasks of a cluster, by job,
and the protos that describe a cluster and a server."""

from __future__ import annotations

from tensorboard.compat.proto import cluster_pb2, config_pb2

from reflow.api.export import export, export_value
from reflow.io.messages import define_message

ClusterDef = export_value(cluster_pb2.ClusterDef, "train.ClusterDef")
JobDef = export_value(cluster_pb2.JobDef, "train.JobDef")
_FIELDS = [
    (1, ".tensorboard.ClusterDef", "cluster"), (2, "string", "job_name"), (3, "int32", "task_index"),
    (4, ".tensorboard.ConfigProto", "default_session_config"), (5, "string", "protocol"), (7, "int32", "port"),
    (8, "int32", "replica"),
]
ServerDef = export_value(
    define_message("tensorflow_server.proto", [cluster_pb2, config_pb2], "ServerDef", _FIELDS), "train.ServerDef"
)


@export("train.ClusterSpec")
class ClusterSpec:
    """The tasks of a cluster: for each job, the address of every task.

    Args:
      cluster: a dictionary from job names to lists of addresses or to dictionaries from task numbers to addresses, a
        `ClusterDef`, or another `ClusterSpec`.

    Raises:
      TypeError: for anything else.

    >>> spec = tf.train.ClusterSpec({"worker": ["127.0.0.1:2222", "127.0.0.1:2223"], "ps": {1: "127.0.0.1:2224"}})
    >>> spec.jobs, spec.num_tasks("worker"), spec.task_address("ps", 1)
    (['worker', 'ps'], 2, '127.0.0.1:2224')
    """

    _tasks: dict[str, dict[int, str]]

    def __init__(self, cluster):
        if isinstance(cluster, dict):
            given = cluster
        elif isinstance(cluster, ClusterSpec):
            given = cluster._tasks
        elif hasattr(cluster, "DESCRIPTOR") and hasattr(cluster, "job"):
            given = {job.name: dict(job.tasks) for job in cluster.job}
        else:
            raise TypeError(
                "`cluster` must be a dictionary mapping one or more job names to lists of network addresses, or a "
                f"`ClusterDef` protocol buffer. Received: {cluster!r}"
            )
        self._tasks = {_text(name, "job name"): _numbered(name, tasks) for name, tasks in given.items()}

    def __bool__(self):
        return bool(self._tasks)

    def __eq__(self, other):
        return isinstance(other, ClusterSpec) and self._tasks == other._tasks

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self):
        jobs = ", ".join(f"{name!r}: {tasks!r}" for name, tasks in sorted(self.as_dict().items()))
        return f"ClusterSpec({{{jobs}}})"

    def as_dict(self) -> dict:
        """Addresses by job: a list if tasks are numbered from 0 without gaps, otherwise a dictionary by number."""
        return {name: self._shown(tasks) for name, tasks in self._tasks.items()}

    @staticmethod
    def _shown(tasks):
        return list(tasks.values()) if list(tasks) == list(range(len(tasks))) else dict(tasks)

    def as_cluster_def(self):
        """The cluster as a `tf.train.ClusterDef`."""
        cluster = ClusterDef()
        for name, tasks in sorted(self._tasks.items()):
            job = cluster.job.add(name=name)
            for index, address in tasks.items():
                job.tasks[index] = address
        return cluster

    @property
    def jobs(self) -> list:
        return list(self._tasks)

    def _job(self, job_name) -> dict:
        try:
            return self._tasks[job_name]
        except KeyError:
            raise ValueError(f"No such job in cluster: {job_name!r}") from None

    def num_tasks(self, job_name) -> int:
        """How many tasks a job has."""
        return len(self._job(job_name))

    def task_indices(self, job_name) -> list:
        """The numbers of a job's tasks."""
        return list(self._job(job_name))

    def task_address(self, job_name, task_index) -> str:
        """The address of one task."""
        job = self._job(job_name)
        try:
            return job[task_index]
        except KeyError:
            raise ValueError(f"No task with index {task_index!r} in job {job_name!r}") from None

    def job_tasks(self, job_name) -> list:
        """The addresses of a job by task number; None if there is no such task."""
        job = self._job(job_name)
        return [job.get(i) for i in range(max(job) + 1)] if job else []


def _numbered(name, tasks) -> dict[int, str]:
    if isinstance(tasks, (list, tuple)):
        tasks = dict(enumerate(tasks))
    if not isinstance(tasks, dict):
        raise TypeError(
            f"The tasks for job {name!r} must be a list or a dictionary from integers to strings. Received: {tasks!r}"
        )
    for index in tasks:
        if not str(index).lstrip("-").isdigit():
            raise TypeError(f"The task index of job {name!r} must be an integer. Received: {index!r}")
    return {int(index): _text(tasks[index], "task address") for index in sorted(tasks, key=int)}


def _text(value, what: str) -> str:
    if isinstance(value, bytes):
        return value.decode()
    if not isinstance(value, str):
        raise TypeError(f"A {what} of a cluster must be a string. Received: {value!r}")
    return value
