"""The available devices, and the settings that must be made before the runtime starts.

A *physical* device is hardware: the CPU, or a GPU. A *logical* device is a name for one (`/device:CPU:1`), assigned
when the runtime *starts*: with the first tensor, or when the logical devices are listed. Settings that affect logical
devices are rejected afterwards, with TensorFlow's message. Several logical devices may share one physical device.
Nothing here starts JAX: GPUs are counted through the system (`driver`, which tests replace to simulate GPUs).

The environment variable `REFLOW_SIMULATED_TPUS` sets the number of simulated TPU cores, so that TPU programs can be
tried anywhere (`reflow/distribute/tpu/`).
"""

from __future__ import annotations

import functools
import os
from typing import NamedTuple

from reflow.core.context import new_id, state
from reflow.devices import cuda


class PhysicalDevice(NamedTuple):
    """Names a piece of hardware.

    Args:
      name: Its name, such as `/physical_device:GPU:0`.
      device_type: "CPU", "GPU" or "TPU".

    >>> tf.config.list_physical_devices("CPU")
    [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
    """

    name: str
    device_type: str


class LogicalDevice(NamedTuple):
    """Names a device of the runtime.

    Args:
      name: Its name, such as `/device:GPU:0`.
      device_type: "CPU", "GPU" or "TPU".

    >>> tf.config.list_logical_devices("CPU")[0]
    LogicalDevice(name='/device:CPU:0', device_type='CPU')
    """

    name: str
    device_type: str


class LogicalDeviceConfiguration(NamedTuple):
    """Describes one logical device to make from a physical one.

    Args:
      memory_limit: How much memory it may use, in MiB; needed for GPUs, and not allowed for CPUs.
      experimental_priority: Recorded only; not allowed for CPUs.
      experimental_device_ordinal: Recorded only; not allowed for CPUs.

    >>> tf.config.LogicalDeviceConfiguration(memory_limit=1024).memory_limit
    1024
    """

    memory_limit: float | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


#: the accelerators of this machine, as JAX will have them
driver: cuda.Cuda = cuda.Cuda()


class Settings:
    """The settings of `tf.config`.

    `reset` clears them all: a process may have several runtimes, one after the other.
    """

    def __init__(self) -> None:
        self.running = False
        self.first_id = next_id()
        self.gpus: int | None = None  # how many there are, once the runtime has started
        self.tpus = simulated_tpus()
        self.tpu_systems: dict = {}  # those that were initialized: the address of the master -> its topology
        self.visible: list | None = None
        self.logical: dict = {}  # physical device -> its configurations
        self.memory_growth: dict = {}
        self.soft_placement = True
        self.log_placement = False
        self.scoped = False  # a `tf.device` scope named another device than the first CPU
        self.deterministic = False
        self.synchronous = True
        self.mlir_bridge: bool | None = None  # as a program asked for it; there is none
        self.device_policy = "silent"
        self.tensor_float_32 = True
        self.intra_op_threads = self.inter_op_threads = 0
        self.jit = ""
        self.optimizer_options: dict = {}


def simulated_tpus() -> int:
    """The number of simulated TPU cores that the environment requests. ValueError if it is not a number."""
    wanted = os.environ.get("REFLOW_SIMULATED_TPUS") or "0"
    if not wanted.isdecimal():
        raise ValueError(
            f"The environment variable REFLOW_SIMULATED_TPUS must be a number of cores. Received: {wanted!r}"
        )
    return int(wanted)


_ids: object = getattr(new_id, "__self__")  # noqa: B009 - the counter behind its bound method


def next_id() -> int:
    """The next tensor id. It moves with every tensor, which tells for free whether the runtime has been used."""
    return int(repr(_ids).removeprefix("count(").removesuffix(")"))


settings = Settings()


def forget_settings() -> None:
    """Start again with TensorFlow's defaults."""
    settings.__init__()  # type: ignore[misc] # the object stays: others hold it
    state.device = ""
    logical_and_physical.cache_clear()


def mark_unused() -> None:
    """Called when the package is loaded: ids given out until now are not the user's."""
    settings.first_id = next_id()


def started() -> bool:
    """Whether the runtime has started: logical devices were asked for, or a tensor was made."""
    return settings.running or next_id() != settings.first_id


def start() -> None:
    """Settle what exists. ValueError if the memory settings of the GPUs cannot be had together."""
    if settings.running:
        return
    settings.gpus = driver.count()
    growth = {settings.memory_growth.get(d, False) for d in visible_devices("GPU")}
    if len(growth) > 1:
        settings.gpus = None
        raise ValueError("Memory growth cannot differ between GPU devices")
    settings.running = True


def gpu_count() -> int:
    """How many GPUs JAX would find, without starting it. Settled when the runtime starts, as CUDA does it."""
    return driver.count() if settings.gpus is None else settings.gpus


def physical_devices(device_type: str | None = None) -> list:
    """The hardware, whether visible or not."""
    found = [PhysicalDevice("/physical_device:CPU:0", "CPU")]
    if device_type in (None, "GPU"):
        found += [PhysicalDevice(f"/physical_device:GPU:{i}", "GPU") for i in range(gpu_count())]
    found += [PhysicalDevice(f"/physical_device:TPU:{i}", "TPU") for i in range(settings.tpus)]
    return [d for d in found if device_type in (None, d.device_type)]


def ordinal(device: PhysicalDevice) -> int:
    """The number in a device's name."""
    return int(device.name.rsplit(":", 1)[1])


def visible_devices(device_type: str | None = None) -> list:
    """The hardware that logical devices are made from."""
    found = physical_devices() if settings.visible is None else settings.visible
    return [d for d in found if device_type in (None, d.device_type)]


def logical_devices(device_type: str | None = None) -> list:
    """The devices of the runtime; asking starts it."""
    start()
    return [d for d, _ in logical_and_physical() if device_type in (None, d.device_type)]


@functools.cache
def logical_and_physical() -> tuple:
    """Each logical device with the physical one that it stands on."""
    found = []
    for kind in ("CPU", "GPU", "TPU"):
        index = 0
        for device in visible_devices(kind):
            for _ in settings.logical.get(device) or (None,):
                found.append((LogicalDevice(f"/device:{kind}:{index}", kind), device))
                index += 1
    return tuple(found)


def forget_logical() -> None:
    """The settings have changed: logical devices must be created again."""
    logical_and_physical.cache_clear()


def driver_details(device: PhysicalDevice) -> dict:
    """What the system knows about a physical device."""
    return driver.details(ordinal(device)) if device.device_type == "GPU" else {}


def memory_limit() -> int | None:
    """The maximum number of bytes for all logical devices of one GPU, or None if there is no limit."""
    sums = [sum(c.memory_limit for c in limits) for d, limits in settings.logical.items() if d.device_type == "GPU"]
    return max(sums) << 20 if sums else None


def refuse_if_started(message: str) -> None:
    if started():
        raise RuntimeError(message)


def check_known(device: PhysicalDevice) -> None:
    if device not in physical_devices():
        raise ValueError(f"Unrecognized device: {device!r}")
