"""`tensorflow.python.distribute.mirrored_strategy`: lists of devices, of this process or of the tasks of a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reflow.devices.names import DeviceSpec
from reflow.devices.settings import logical_devices
from reflow.distribute.resolvers import TFConfigClusterResolver
from reflow.drop_in.python.distribute.multi_worker_util import normalize_cluster_spec


def all_local_devices(num_gpus: int | None = None) -> list:
    """The first GPUs of this process, or all; its CPUs if there are none."""
    return logical_devices("GPU")[:num_gpus] or logical_devices("CPU")


def all_devices() -> list:
    """The devices of the workers that `TF_CONFIG` names, or else those of this process."""
    cluster = TFConfigClusterResolver().cluster_spec()
    found = _cluster_spec_to_device_list(cluster, len(logical_devices("GPU"))) if cluster.as_dict() else []
    return found or all_local_devices()


def _cluster_spec_to_device_list(cluster_spec: Any, num_gpus_per_worker: int) -> list[str]:
    """The GPUs of every chief and worker of a cluster, or their CPUs."""
    jobs = normalize_cluster_spec(cluster_spec).as_dict()
    names = [f"GPU:{i}" for i in range(num_gpus_per_worker)] or ["CPU:0"]
    return [
        f"/job:{job}/task:{task}/device:{name}"
        for job in ("chief", "worker") for task in range(len(jobs.get(job, ()))) for name in names
    ]


def _is_device_list_single_worker(devices: Sequence[Any]) -> bool:
    """Whether devices belong to one process.

    Raises:
      ValueError: Devices of this process and of others are mixed, or a task is not said.
    """
    specs = [DeviceSpec.from_string(getattr(device, "name", device)) for device in devices]
    local = [spec.job in (None, "localhost") for spec in specs]
    if any(local) and not all(local):
        raise ValueError(
            "Local device should have only 'localhost' in the job field in device string. E.g. 'job:localhost' in "
            "/job:localhost/replica:0/task:0/device:CPU:0Devices cannot have mixed list of device strings containing "
            "both localhost and other job types such as worker, ps etc. "
        )
    workers = {(spec.job, spec.task, spec.replica) for spec in specs}
    if len(workers) == 1 and not all(local) and specs[0].task is None:
        raise ValueError(
            "Remote device string must have task specified.E.g. 'task:0' in "
            "/job:worker/replica:0/task:0/device:CPU:0"
        )
    return len(workers) == 1


def _group_device_list(devices: Sequence[str]) -> dict[str, list[list[str]]]:
    """The devices of each task of each job."""
    assert not _is_device_list_single_worker(devices)
    jobs: dict[Any, list[list[str]]] = {}
    for device in devices:
        spec = DeviceSpec.from_string(device)
        tasks = jobs.setdefault(spec.job, [])
        tasks.extend([] for _ in range(spec.task + 1 - len(tasks)))
        tasks[spec.task].append(device)
    return jobs


def _is_gpu_device(device: str) -> bool:
    return DeviceSpec.from_string(device).device_type == "GPU"


def _infer_num_gpus_per_worker(devices: Sequence[str]) -> int | None:
    """How many GPUs each worker has.

    Raises:
      ValueError: The numbers differ, or GPUs are not numbered from 0.
    """
    if _is_device_list_single_worker(devices):
        return sum(map(_is_gpu_device, devices))
    tasks = [task for tasks in _group_device_list(devices).values() for task in tasks]
    gpus = [[DeviceSpec.from_string(device) for device in task if _is_gpu_device(device)] for task in tasks]
    for found in gpus:
        if len(found) != len(gpus[0]):
            raise ValueError("All workers should have the same number of GPUs.")
        if any(spec.device_index >= len(found) for spec in found):
            raise ValueError("GPU `device_index` on a worker should be consecutive and start from 0.")
    return len(gpus[0]) if gpus else None
