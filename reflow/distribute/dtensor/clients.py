"""The processes (*clients*) of a DTensor program, and the devices of each.

As in TensorFlow, environment variables define them: `DTENSOR_JOBS` (comma-separated addresses; none: this process
only), `DTENSOR_CLIENT_ID` and `DTENSOR_JOB_NAME`.
"""

from __future__ import annotations

import os

from reflow.api.export import export, with_sections
from reflow.devices import settings
from reflow.devices.names import DeviceSpec

KINDS = ("CPU", "GPU", "TPU")


@export("experimental.dtensor.jobs")
def jobs() -> list[str]:
    """Returns the addresses of all clients, from `DTENSOR_JOBS`.

    Returns:
      A list of addresses, empty if there is only this process.

    Raises:
      ValueError: Addresses of Borg are not in order.

    >>> tf.experimental.dtensor.jobs()
    []
    """
    found = os.environ.get("DTENSOR_JOBS")
    if found is None:
        return []
    names = found.split(",")
    if any(name.startswith("/bns/") for name in names) and names != sorted(names, key=_task_of):
        raise ValueError(
            f"Unexpected DTENSOR_JOBS content {found}. Sort entries in DTENSOR_JOBS because cluster "
            "construction relies on the order."
        )
    return names


def _task_of(job: str) -> tuple[bool, int, str]:
    task = job.rsplit("/")[-1].rsplit(":")[0]
    return (False, int(task), "") if task.isdigit() else (True, 0, job)


@export("experimental.dtensor.num_clients")
def num_clients() -> int:
    """Returns how many processes take part.

    Returns:
      An integer, at least 1.

    >>> tf.experimental.dtensor.num_clients()
    1
    """
    return len(jobs()) or 1


@export("experimental.dtensor.client_id")
def client_id() -> int:
    """Returns the number of this process, from `DTENSOR_CLIENT_ID`.

    Returns:
      An integer, from 0.

    Raises:
      ValueError: It is not the number of one of the clients.

    >>> tf.experimental.dtensor.client_id()
    0
    """
    found = int(os.environ.get("DTENSOR_CLIENT_ID", "0"))
    if found < 0:
        raise ValueError(f"Environment variable DTENSOR_CLIENT_ID must be >= 0, got {found}. ")
    if found >= num_clients():
        raise ValueError(f"Environment variable DTENSOR_CLIENT_ID must be < {num_clients()}, got {found}")
    return found


@export("experimental.dtensor.job_name")
def job_name() -> str:
    """Returns the name of the job that all clients belong to.

    Returns:
      `DTENSOR_JOB_NAME`, or "localhost" for one client, or "worker".

    >>> tf.experimental.dtensor.job_name()
    'localhost'
    """
    return os.environ.get("DTENSOR_JOB_NAME", "localhost" if num_clients() == 1 else "worker")


@export("experimental.dtensor.full_job_name")
def full_job_name(task_id: int | None = None) -> str:
    """Returns the name of the job with the number of a client.

    Args:
      task_id: The number of the client; by default this one's.

    Returns:
      A string.

    Raises:
      ValueError: There is only one client, and `task_id` is not 0.

    >>> tf.experimental.dtensor.full_job_name()
    'localhost/replica:0/task:0'
    """
    if task_id is None:
        task_id = client_id()
    if num_clients() == 1 and task_id != 0:
        raise ValueError(f"Unexpected task ID {task_id} in local runs")
    return f"{job_name()}/replica:0/task:{task_id}"


@export("experimental.dtensor.heartbeat_enabled")
def heartbeat_enabled() -> bool:
    """Says whether clients are to watch each other; `DTENSOR_ENABLE_HEARTBEAT` turns it off.

    Returns:
      A bool.

    >>> tf.experimental.dtensor.heartbeat_enabled()
    True
    """
    return os.environ.get("DTENSOR_ENABLE_HEARTBEAT", "true").lower() in ("true", "1")


_OF_A_KIND = """\
Args:
  device_type: "CPU", "GPU" or "TPU".

Returns:
  {result}.
"""


@export("experimental.dtensor.num_local_devices")
@with_sections(_OF_A_KIND, result="An integer")
def num_local_devices(device_type: str) -> int:
    """Returns how many logical devices of a kind this process has.

    >>> tf.experimental.dtensor.num_local_devices("CPU")
    1
    """
    return len([d for d, _ in settings.logical_and_physical() if d.device_type == device_type.upper()])


@export("experimental.dtensor.num_global_devices")
@with_sections(_OF_A_KIND, result="An integer")
def num_global_devices(device_type: str) -> int:
    """Returns how many devices of a kind all clients have together.

    >>> tf.experimental.dtensor.num_global_devices("CPU")
    1
    """
    return num_local_devices(device_type) * num_clients()


@export("experimental.dtensor.local_devices")
@with_sections(_OF_A_KIND, result="A list of `tf.DeviceSpec`s")
def local_devices(device_type: str, for_client_id: int | None = None) -> list[DeviceSpec]:
    """Returns the devices of a kind that a client has.

    Args:
      for_client_id: The number of the client; by default this one's.

    Raises:
      ValueError: The kind is another.

    >>> [d.to_string() for d in tf.experimental.dtensor.local_devices("CPU")]
    ['/job:localhost/replica:0/task:0/device:CPU:0']
    """
    if device_type.upper() not in KINDS:
        raise ValueError(f"Device type {device_type} is not CPU, GPU, or TPU.")
    task = client_id() if for_client_id is None else for_client_id
    return [
        DeviceSpec(job=job_name(), replica=0, task=task, device_type=device_type, device_index=i)
        for i in range(num_local_devices(device_type))
    ]


@export("experimental.dtensor.preferred_device_type")
def preferred_device_type() -> str:
    """Returns the best kind of device that there is.

    Returns:
      "GPU", or "CPU" without one.

    >>> tf.experimental.dtensor.preferred_device_type() in ("CPU", "GPU", "TPU")
    True
    """
    return "GPU" if settings.gpu_count() else "CPU"
