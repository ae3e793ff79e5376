"""Devices: their names, which of them exist, and the settings that hold before the runtime starts.

A *physical* device is hardware: the CPU, or a GPU. A *logical* device is a name above one (`/device:CPU:1`), given out when
the runtime *starts*: with the first tensor, or when somebody asks for the logical devices. Settings that shape logical
devices are refused afterwards, in TensorFlow's words. JAX's CPU client always has `CPU_DEVICES` devices, so logical CPUs are
only names above them and `reset` needs no restart. Nothing here starts JAX: GPUs are counted by asking the system.

A device name is `/job:localhost/replica:0/task:0/device:CPU:0`; any part may be missing, and `/cpu:0` is short for
`/device:CPU:0`.
"""

from __future__ import annotations

import collections
import functools
import glob
import importlib.util
import os
import re

from reflow.core import errors
from reflow.core.context import new_id, state
from reflow.core.tensor import EagerTensor

CPU_DEVICES = 8  # of JAX's CPU client; more than one costs 19 ms at its start and nothing later
LOCAL = "/job:localhost/replica:0/task:0"

PhysicalDevice = collections.namedtuple("PhysicalDevice", ["name", "device_type"])
LogicalDevice = collections.namedtuple("LogicalDevice", ["name", "device_type"])
LogicalDeviceConfiguration = collections.namedtuple(
    "LogicalDeviceConfiguration",
    ["memory_limit", "experimental_priority", "experimental_device_ordinal"],
    defaults=(None, None, None),
)
PhysicalDevice.__doc__ = "Hardware: a name such as `/physical_device:GPU:0`, and its type, `CPU` or `GPU`."
LogicalDevice.__doc__ = "A device of the runtime: a name such as `/device:GPU:0`, and its type."
LogicalDeviceConfiguration.__doc__ = (
    "One logical device to make from a physical one; `memory_limit` is in MiB (GPUs only)."
)


# --- names ----------------------------------------------------------------------------------------------------------


class DeviceSpec:
    """A device name, taken apart; every field may be None.

    >>> DeviceSpec.from_string("/job:worker/task:1/gpu:0").to_string()
    '/job:worker/task:1/device:GPU:0'
    """

    __slots__ = ("_job", "_replica", "_task", "_device_type", "_device_index")
    _FIELDS = ("job", "replica", "task", "device_type", "device_index")

    def __init__(self, job=None, replica=None, task=None, device_type=None, device_index=None):
        self._job = None if job is None else str(job)
        self._replica = None if replica is None else int(replica)
        self._task = None if task is None else int(task)
        kind = None if device_type is None else str(device_type)
        self._device_type = kind.upper() if kind in ("cpu", "gpu") else kind
        self._device_index = None if device_index is None else int(device_index)

    job = property(lambda self: self._job)
    replica = property(lambda self: self._replica)
    task = property(lambda self: self._task)
    device_type = property(lambda self: self._device_type)
    device_index = property(lambda self: self._device_index)

    @classmethod
    def from_string(cls, spec: str) -> DeviceSpec:
        """Parse a name."""
        return cls(**_fields(spec))

    def parse_from_string(self, spec: str) -> DeviceSpec:
        return self.from_string(spec)

    def to_string(self) -> str:
        """The name, in canonical form."""
        parts = [
            f"/{name}:{value}"
            for name, value in zip(("job", "replica", "task"), self._values()[:3], strict=True)
            if value is not None
        ]
        if self._device_type is not None:
            index = "*" if self._device_index is None else self._device_index
            parts.append(f"/device:{self._device_type}:{index}")
        return "".join(parts)

    def make_merged_spec(self, dev: DeviceSpec) -> DeviceSpec:
        """This spec with every field that `dev` gives taken from `dev`."""
        return DeviceSpec(
            *(mine if theirs is None else theirs for mine, theirs in zip(self._values(), dev._values(), strict=True))
        )

    def replace(self, **kwargs) -> DeviceSpec:
        return DeviceSpec(**(dict(zip(self._FIELDS, self._values(), strict=True)) | kwargs))

    def _values(self) -> tuple:
        return (self._job, self._replica, self._task, self._device_type, self._device_index)

    def __eq__(self, other):
        return isinstance(other, DeviceSpec) and self._values() == other._values()

    def __hash__(self):
        return hash(self._values())

    def __repr__(self):
        inside = ", ".join(f"{name}={value}" for name, value in zip(self._FIELDS, self._values(), strict=True))
        return f"<DeviceSpec({inside})>"


def _fields(spec: str) -> dict:
    """The fields of a device name.

    >>> _fields("/cpu:0")
    {'device_type': 'CPU', 'device_index': 0}
    """
    found: dict = {}
    for part in filter(None, spec.split("/")):
        words = part.split(":")
        key, values = words[0], words[1:]
        if key in ("job", "replica", "task") and len(values) == 1:
            if values[0] != "*":
                found[key] = values[0] if key == "job" else int(values[0])
            continue
        if key == "device" and values:
            key, values = values[0], values[1:]
        elif key.upper() not in ("CPU", "GPU", "TPU"):
            raise ValueError(f"Unknown attribute '{part}' is encountered while parsing the device spec: '{spec}'.")
        if "device_type" in found:
            raise ValueError(f"Multiple device types are not allowed while parsing the device spec: {spec}.")
        found["device_type"] = key.upper() if key in ("cpu", "gpu", "tpu") else key
        if values and values[0] != "*":
            found["device_index"] = int(values[0])
    return found


@functools.lru_cache(1024)
def merged(outer: str, inner: str) -> str:
    """The canonical name of a scope inside another.

    >>> merged("/device:CPU:1", "/job:localhost")
    '/job:localhost/device:CPU:1'
    """
    return DeviceSpec.from_string(outer).make_merged_spec(DeviceSpec.from_string(inner)).to_string()


# --- what exists ----------------------------------------------------------------------------------------------------


@functools.cache
def gpu_count() -> int:
    """How many GPUs JAX would find, without starting it: none unless a plugin for them is installed."""
    platforms = os.environ.get("JAX_PLATFORMS", "")
    if platforms and not {"cuda", "gpu", "rocm"} & set(platforms.split(",")):
        return 0
    if not any(map(_installed, ("jax_cuda13_plugin", "jax_cuda12_plugin", "jax_rocm7_plugin", "jax_rocm60_plugin"))):
        return 0
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    found = len([p for p in glob.glob("/dev/nvidia*") if re.fullmatch(r"/dev/nvidia\d+", p)])
    if not found:
        return 0
    if visible is None:
        return found
    wanted = [v for v in visible.split(",") if v.strip() and v.strip() != "-1"]
    return min(found, len(wanted))


def _installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


class Settings:
    """What `tf.config` sets. `reset` makes a new one: a process may have several runtimes, one after the other."""

    def __init__(self):
        self.running = False
        self.first_id = next_id()
        self.visible: list | None = None
        self.logical: dict = {}  # physical device -> its configurations
        self.memory_growth: dict = {}
        self.soft_placement = True
        self.log_placement = False
        self.deterministic = False
        self.synchronous = True
        self.device_policy = "silent"
        self.tensor_float_32 = True
        self.intra_op_threads = self.inter_op_threads = 0
        self.jit = ""
        self.optimizer_options: dict = {}


_ids: object = getattr(new_id, "__self__")  # noqa: B009 - the counter behind its bound method


def next_id() -> int:
    """The next tensor id. It moves with every tensor, which tells for free whether the runtime has been used."""
    return int(repr(_ids).removeprefix("count(").removesuffix(")"))


settings = Settings()


def reset():
    """`context._reset_context()`: forget all settings; the next tensor starts a new runtime."""
    global settings
    settings = Settings()
    state.device = ""
    logical_devices_running.cache_clear()


def mark_unused():
    """Called when the package is loaded: ids given out until now are not the user's."""
    settings.first_id = next_id()


def started() -> bool:
    """Whether the runtime has started: logical devices were asked for, or a tensor was made."""
    return settings.running or next_id() != settings.first_id


def start():
    settings.running = True


def physical_devices(device_type: str | None = None) -> list:
    """The hardware, whether visible or not."""
    found = [PhysicalDevice("/physical_device:CPU:0", "CPU")]
    if device_type in (None, "GPU"):
        found += [PhysicalDevice(f"/physical_device:GPU:{i}", "GPU") for i in range(gpu_count())]
    return [d for d in found if device_type in (None, d.device_type)]


def visible_devices(device_type: str | None = None) -> list:
    """The hardware that logical devices are made from."""
    found = physical_devices() if settings.visible is None else settings.visible
    return [d for d in found if device_type in (None, d.device_type)]


def logical_devices(device_type: str | None = None) -> list:
    """The devices of the runtime; asking starts it."""
    start()
    return [d for d in logical_devices_running() if device_type in (None, d.device_type)]


@functools.cache
def logical_devices_running() -> tuple:
    found = []
    for kind in ("CPU", "GPU"):
        index = 0
        for device in visible_devices(kind):
            for _ in settings.logical.get(device) or (None,):
                found.append(LogicalDevice(f"/device:{kind}:{index}", kind))
                index += 1
    return tuple(found)


def refuse_if_started(message: str):
    if started():
        raise RuntimeError(message)


def check_known(device):
    if device not in physical_devices():
        raise ValueError(f"Unrecognized device: {device!r}")


# --- placement ------------------------------------------------------------------------------------------------------


def full_name(partial: str) -> str:
    """The device that a scope means, with soft placement: the nearest one that exists."""
    return _placed(partial, logical_devices_running())


@functools.lru_cache(1024)
def _placed(partial: str, existing: tuple) -> str:
    spec = DeviceSpec.from_string(partial)
    kind, index = spec.device_type or "CPU", spec.device_index or 0
    name = f"/device:{kind}:{index}"
    return LOCAL + (name if any(d.name == name for d in existing) else "/device:CPU:0")


def check_placement(partial: str):
    """InvalidArgumentError if the scope names another machine, or a device that does not exist and soft placement is off."""
    spec = DeviceSpec.from_string(partial)
    if spec.job not in (None, "localhost") or spec.replica or spec.task:
        full = DeviceSpec(
            spec.job or "localhost",
            spec.replica or 0,
            spec.task or 0,
            spec.device_type or "CPU",
            spec.device_index or 0,
        )
        raise errors.InvalidArgumentError(None, None, f"{full.to_string()} unknown device.")
    if settings.soft_placement or spec.device_type is None:
        return
    wanted = f"/device:{spec.device_type}:{spec.device_index or 0}"
    if all(d.name != wanted for d in logical_devices()):
        kinds = sorted({d.device_type for d in logical_devices()}, reverse=True)
        names = ", ".join(LOCAL + d.name for d in logical_devices())
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Could not satisfy device specification '{LOCAL}{wanted}'. enable_soft_placement=0. Supported "
            "device types "
            f"[{', '.join(kinds)}]. All available devices [{names}].",
        )


class DeviceScope:
    """`tf.device(name)`: tensors made in a `with` block, and nodes added in it, belong to a device."""

    def __init__(self, name: str | None):
        self._name = name
        self._old: list = []

    def __enter__(self):
        new = "" if self._name is None else merged(state.device, self._name)
        if new:
            check_placement(new)
        self._old.append(state.device)
        state.device = new
        if new and full_name(new) != LOCAL + "/device:CPU:0":
            _tell_tensors()

    def __exit__(self, *exc):
        state.device = self._old.pop()


@functools.cache
def _tell_tensors():
    """From now on eager tensors remember their device. Until a scope names another device than the first CPU, they need not:
    every tensor is there, and the question costs 60 ns a tensor."""
    plain = EagerTensor.__init__

    def placed(self, value, dtype=None):
        plain(self, value, dtype)
        if state.device:
            self._device = full_name(state.device)

    EagerTensor.__init__ = placed
