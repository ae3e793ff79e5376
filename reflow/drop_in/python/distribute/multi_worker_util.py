"""`tensorflow.python.distribute.multi_worker_util`: which tasks a cluster has, and what a task is among them."""

from __future__ import annotations

from typing import Any

from reflow.distribute.cluster_spec import ClusterDef, ClusterSpec

_JOBS = ("chief", "worker", "evaluator", "ps", None)


def normalize_cluster_spec(cluster_spec: Any) -> ClusterSpec:
    """A dictionary, a `ClusterDef` or a `ClusterSpec` as a `ClusterSpec`; ValueError for anything else."""
    if isinstance(cluster_spec, ClusterSpec):
        return cluster_spec
    if not isinstance(cluster_spec, (dict, ClusterDef)):
        raise ValueError("`cluster_spec' should be dict or a `tf.train.ClusterSpec` or a `tf.train.ClusterDef` object")
    return ClusterSpec(cluster_spec)


def task_count(cluster_spec: ClusterSpec, task_type: str) -> int:
    """How many tasks a job has; none if there is no such job."""
    return cluster_spec.num_tasks(task_type) if task_type in cluster_spec.jobs else 0


def _checked(cluster_spec: Any, task_type: str | None, task_id: int | None) -> ClusterSpec:
    """The cluster; ValueError if it cannot train, or has no such task. An evaluator may stand outside of it."""
    cluster = normalize_cluster_spec(cluster_spec)
    if any(job not in _JOBS for job in cluster.jobs):
        raise ValueError(
            f"Disallowed task type found in cluster spec. Allowed types are {_JOBS} and the cluster spec is {cluster}."
        )
    if task_type not in _JOBS:
        raise ValueError(f"Unrecognized task_type: {task_type}, valid task types are: {_JOBS}")
    if task_type and task_type not in (*cluster.jobs, "evaluator"):
        raise ValueError(f"`task_type` {task_type!r} not found in cluster_spec.")
    for job in ("chief", "evaluator"):
        if task_count(cluster, job) > 1:
            raise ValueError(f"There must be at most one {job!r} job.")
    if task_type is not None and task_type in cluster.jobs and (task_id or 0) >= task_count(cluster, task_type):
        raise ValueError(f"The `task_id` {task_id} exceeds the maximum id of {task_type}.")
    return cluster


def is_chief(cluster_spec: Any = None, task_type: str | None = None, task_id: int | None = None) -> bool:
    """Whether a task does the work of which there is only one, such as saving: the chief, else the first worker.

    An evaluator is its own chief.
    """
    cluster = _checked(cluster_spec, task_type, task_id)
    first_worker = task_type == "worker" and task_id == 0 and "chief" not in cluster.jobs
    return task_type in ("chief", "evaluator") or first_worker


def _leader(cluster: ClusterSpec, jobs: tuple[str, ...]) -> str:
    return f"/job:{next(job for job in jobs if job in cluster.jobs)}/replica:0/task:0"


def collective_leader(cluster_spec: Any, task_type: str | None, task_id: int | None) -> str:
    """The task that leads exchanges; empty without a cluster, and for an evaluator."""
    cluster = normalize_cluster_spec(cluster_spec)
    if not cluster.jobs or _checked(cluster, task_type, task_id) and task_type == "evaluator":
        return ""
    return _leader(cluster, ("chief", "worker"))


def coordination_leader(cluster_spec: Any) -> str:
    """The task that watches the others: the first parameter server, the chief, or the first worker."""
    cluster = normalize_cluster_spec(cluster_spec)
    return _leader(cluster, ("ps", "chief", "worker")) if cluster.jobs else ""


def worker_count(cluster_spec: Any, task_type: str) -> int:
    """How many tasks train with a task of this job, the chief among them; an evaluator is alone with its like."""
    cluster = _checked(cluster_spec, task_type, 0)
    if task_type not in ("chief", "worker", "evaluator"):
        raise ValueError(f"Unexpected `task_type` {task_type!r}")
    return sum(
        task_count(cluster, job) for job in (("evaluator",) if task_type == "evaluator" else ("chief", "worker"))
    )


def id_in_cluster(cluster_spec: Any, task_type: str, task_id: int) -> int:
    """The number of a task among those that `worker_count` counts: the chief comes first."""
    cluster = _checked(cluster_spec, task_type, task_id)
    if task_type not in ("chief", "worker", "evaluator"):
        raise ValueError(f"There is no id for task_type {task_type!r}")
    return {"chief": 0, "worker": task_count(cluster, "chief") + task_id, "evaluator": task_id}[task_type]
