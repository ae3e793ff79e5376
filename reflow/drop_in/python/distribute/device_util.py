"""`tensorflow.python.distribute.device_util`: full names of devices."""

from __future__ import annotations

import types
from typing import Any

from reflow.api.framework.small_namespaces import executing_eagerly_outside_functions
from reflow.compat.behavior import get_default_graph
from reflow.core.context import state
from reflow.devices.names import DeviceSpec
from reflow.devices.settings import logical_devices
from reflow.graph.device_scopes import device_in_scopes


def canonicalize(d: Any, default: str | None = None) -> str:
    """A device's name with all parts. What it leaves out is taken from `default`, then from this process' first CPU;
    graphs of version 1 have no job by themselves."""
    spec = DeviceSpec.from_string(getattr(d, "name", d))
    assert spec.device_type is None or spec.device_type == spec.device_type.upper(), (
        f"Device type {spec.device_type!r} must be all-caps."
    )
    full = DeviceSpec(replica=0, task=0, device_type="CPU", device_index=0)
    if executing_eagerly_outside_functions():
        full = full.replace(job="localhost")
    for more in (DeviceSpec.from_string(default or ""), spec):
        full = full.make_merged_spec(more)
    return full.to_string()


def canonicalize_without_job_and_task(d: Any) -> str:
    """A device's name with all parts but those that say which process it belongs to."""
    return DeviceSpec.from_string(canonicalize(d)).replace(job=None, task=None, replica=0).to_string()


def current() -> str:
    """The device of the scopes around this line, as they name it."""
    if executing_eagerly_outside_functions():
        return state.device
    # stands for any node where a function of a scope chooses a device
    anything: Any = types.SimpleNamespace(device="", name="", type="")
    return device_in_scopes(get_default_graph(), anything)


def resolve(d: Any) -> str:
    """A device's name with all parts, in the scopes around this line."""
    return canonicalize(d, default=current())


def get_host_for_device(device: str, device_index: int = 0) -> str:
    """The CPU of the process that has a device."""
    spec = DeviceSpec.from_string(device)
    return DeviceSpec(
        job=spec.job, replica=spec.replica, task=spec.task, device_type="CPU", device_index=device_index
    ).to_string()


def local_devices_from_num_gpus(num_gpus: int) -> tuple[str, ...]:
    """The first GPUs, or the CPU if there are none."""
    return tuple(f"/device:GPU:{i}" for i in range(num_gpus)) or ("/device:CPU:0",)


def get_worker_devices(devices: list[str]) -> tuple[str, ...]:
    """Full names of devices, or of all GPUs, or of the first CPU."""
    found = devices or [d.name for d in logical_devices("GPU")] or ["/device:CPU:0"]
    return tuple(canonicalize(d) for d in found)
