"""`tf.config`, `tf.device`, `tf.DeviceSpec`: available devices, their memory, and what runs on them."""

from __future__ import annotations

import os
import re

from reflow.api.export import export, export_value, with_sections
from reflow.core.context import state
from reflow.devices import placement as devices
from reflow.devices.settings import (
    LogicalDevice,
    LogicalDeviceConfiguration,
    PhysicalDevice,
    check_known,
    driver_details,
    forget_logical,
    refuse_if_started,
    settings,
    visible_devices,
)

export_value(PhysicalDevice, "config.PhysicalDevice")
export_value(LogicalDevice, "config.LogicalDevice")
export_value(
    LogicalDeviceConfiguration, "config.LogicalDeviceConfiguration", "config.experimental.VirtualDeviceConfiguration"
)
export_value(devices.DeviceSpec, "DeviceSpec")


# --- devices --------------------------------------------------------------------------------------------------------


_DEVICES = """\
Args:
  device_type: "CPU", "GPU" or "TPU"; by default all.

Returns:
  A list of `tf.config.{kind}`s.
"""


@export("config.list_physical_devices", "config.experimental.list_physical_devices")
@with_sections(_DEVICES, kind="PhysicalDevice")
def list_physical_devices(device_type=None) -> list:
    """Returns the hardware that this machine has.

    >>> list_physical_devices("CPU")
    [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
    """
    return devices.physical_devices(device_type)


@export("config.list_logical_devices", "config.experimental.list_logical_devices")
@with_sections(_DEVICES, kind="LogicalDevice")
def list_logical_devices(device_type=None) -> list:
    """Returns the logical devices. Calling this starts the runtime: device settings are rejected afterwards.

    >>> list_logical_devices("CPU")[0].name
    '/device:CPU:0'
    """
    found = devices.logical_devices(device_type)
    if device_type in (None, "CPU"):
        found += [LogicalDevice(f"{machine}/device:CPU:0", "CPU") for machine in devices.remotes]
    return found


@export("config.get_visible_devices", "config.experimental.get_visible_devices")
@with_sections(_DEVICES, kind="PhysicalDevice")
def get_visible_devices(device_type=None) -> list:
    """Returns the physical devices that the runtime may use.

    >>> tf.config.get_visible_devices("CPU")
    [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
    """
    return devices.visible_devices(device_type)


@export("config.set_visible_devices", "config.experimental.set_visible_devices")
def set_visible_devices(devices, device_type=None):
    """Lets the runtime use only some physical devices. Only before the runtime starts.

    Args:
      devices: A `tf.config.PhysicalDevice`, or a list of them.
      device_type: If given, only devices of this type are chosen; others stay as they are.

    Returns:
      None.

    Raises:
      ValueError: A device does not exist, or is of another type.
      RuntimeError: The runtime has started.

    >>> tf.config.set_visible_devices([], "GPU")  # only the CPU  # doctest: +SKIP
    """
    wanted = [devices] if isinstance(devices, PhysicalDevice) else list(devices)
    for device in wanted:
        check_known(device)
        if device_type is not None and device.device_type != device_type:
            raise ValueError(f"Unrecognized device: {device!r}")
    others = [] if device_type is None else [d for d in visible_devices() if d.device_type != device_type]
    new = wanted + others
    if visible_devices() == new:
        return
    refuse_if_started("Visible devices cannot be modified after being initialized")
    settings.visible = new
    forget_logical()


@export("config.get_logical_device_configuration", "config.experimental.get_virtual_device_configuration")
def get_logical_device_configuration(device):
    """Returns the logical devices that were configured on a physical one.

    Args:
      device: A `tf.config.PhysicalDevice`.

    Returns:
      A list of `tf.config.LogicalDeviceConfiguration`s, or None.

    Raises:
      ValueError: There is no such device.

    >>> tf.config.get_logical_device_configuration(tf.config.list_physical_devices("CPU")[0])
    """
    check_known(device)
    return devices.settings.logical.get(device)


@export("config.set_logical_device_configuration", "config.experimental.set_virtual_device_configuration")
def set_logical_device_configuration(device, logical_devices):
    """Makes several logical devices of one physical device, or limits a GPU's memory. Only before the runtime starts.

    Args:
      device: A `tf.config.PhysicalDevice`.
      logical_devices: A `tf.config.LogicalDeviceConfiguration` for each.

    Returns:
      None.

    Raises:
      ValueError: There is no such device, or a configuration does not suit it.
      RuntimeError: The runtime has started.

    >>> two = [tf.config.LogicalDeviceConfiguration()] * 2
    >>> cpu = tf.config.list_physical_devices("CPU")[0]
    >>> tf.config.set_logical_device_configuration(cpu, two)  # doctest: +SKIP
    """
    check_known(device)
    for configuration in logical_devices:
        if device.device_type == "CPU":
            if configuration.memory_limit is not None:
                raise ValueError("Setting memory limit on CPU virtual devices is currently not supported")
            if configuration.experimental_priority is not None:
                raise ValueError("Setting experimental_priority on CPU virtual devices is currently not supported")
            if configuration.experimental_device_ordinal is not None:
                raise ValueError(
                    "Setting experimental_device_ordinal on CPU virtual devices is currently not supported"
                )
        elif device.device_type == "GPU" and configuration.memory_limit is None:
            raise ValueError("Setting memory limit is required for GPU virtual devices")
    if devices.settings.memory_growth.get(device):
        raise ValueError("Cannot set virtual devices when memory growth enabled")
    new = list(logical_devices)
    if devices.settings.logical.get(device) == new:
        return
    refuse_if_started("Virtual devices cannot be modified after being initialized")
    devices.settings.logical[device] = new
    forget_logical()


@export("config.experimental.get_memory_growth")
def get_memory_growth(device):
    """Says whether a GPU's memory is allocated as needed.

    Args:
      device: A `tf.config.PhysicalDevice`, a GPU.

    Returns:
      A bool.

    Raises:
      ValueError: There is no such device.
      KeyError: It is no GPU.

    >>> gpu = tf.config.list_physical_devices("GPU")[0]  # doctest: +SKIP
    >>> tf.config.experimental.get_memory_growth(gpu)  # doctest: +SKIP
    False
    """
    check_known(device)
    if device.device_type != "GPU":
        raise KeyError(repr(device))
    return devices.settings.memory_growth.get(device, False)


@export("config.experimental.set_memory_growth")
def set_memory_growth(device, enable):
    """Allocates a GPU's memory as needed, instead of most of it at once. Only before the runtime starts.

    Args:
      device: A `tf.config.PhysicalDevice`, a GPU.
      enable: Whether to do so; it must be the same for all GPUs.

    Returns:
      None.

    Raises:
      ValueError: There is no such device, it is no GPU, or logical devices are configured on it.
      RuntimeError: The runtime has started.

    >>> for gpu in tf.config.list_physical_devices("GPU"):  # doctest: +SKIP
    ...     tf.config.experimental.set_memory_growth(gpu, True)
    """
    check_known(device)
    if device in devices.settings.logical:
        raise ValueError("Cannot set memory growth on device when virtual devices configured")
    if device.device_type != "GPU":
        raise ValueError("Cannot set memory growth on non-GPU and non-Pluggable devices")
    if devices.settings.memory_growth.get(device, False) == enable:
        return
    refuse_if_started("Physical devices cannot be modified after being initialized")
    devices.settings.memory_growth[device] = enable


def _logical(name: str):
    """The logical device called `name`, with TensorFlow's errors."""
    try:
        spec = devices.DeviceSpec.from_string(name)
    except ValueError:
        if re.fullmatch(r"[A-Za-z]\w*:\d+", name):  # of a type that there is not
            raise ValueError(f"No matching devices found for '{name}'") from None
        spec = None
    if spec is None or spec.device_type is None or spec.device_index is None:
        raise ValueError(
            f"Failed parsing device name: '{name}'. Note a valid device string should at least contain a "
            "device type "
            'and a device index, like "GPU:0".'
        )
    wanted = f"/device:{spec.device_type}:{spec.device_index}"
    found = next((d for d in devices.logical_devices() if d.name == wanted), None)
    if found is None:
        raise ValueError(f"No matching devices found for '{name}'")
    return found


def _memory_stats(device: str) -> dict:
    """What JAX's allocator says about a GPU's memory. Logical devices on one GPU share it."""
    place = devices.places().all[_logical(device).name]
    return {} if place.device is None else place.device.memory_stats() or {}


#: peak memory is measured from here: JAX cannot reset its own mark
_peak_floor: dict = {}


@export("config.experimental.get_memory_info")
def get_memory_info(device) -> dict:
    """Returns the number of bytes in use on a device.

    Args:
      device: The name of a logical device, such as "GPU:0".

    Returns:
      A dictionary: `current`, and `peak`, the most since the start or `reset_memory_stats`. Both are 0 on the CPU.

    Raises:
      ValueError: There is no such device.

    >>> tf.config.experimental.get_memory_info("CPU:0")
    {'current': 0, 'peak': 0}
    """
    stats = _memory_stats(device)
    current, peak = stats.get("bytes_in_use", 0), stats.get("peak_bytes_in_use", 0)
    return {"current": current, "peak": current if peak <= _peak_floor.get(device, -1) else peak}


@export("config.experimental.get_memory_usage")
def get_memory_usage(device) -> int:
    """Returns the number of bytes in use on a device.

    Args:
      device: The name of a logical device, such as "GPU:0".

    Returns:
      An integer; 0 on the CPU.

    Raises:
      ValueError: There is no such device.

    >>> tf.config.experimental.get_memory_usage("CPU:0")
    0
    """
    return get_memory_info(device)["current"]


@export("config.experimental.reset_memory_stats")
def reset_memory_stats(device):
    """Resets the peak of `get_memory_info` to the current use.

    Args:
      device: The name of a logical device, such as "GPU:0".

    Returns:
      None.

    Raises:
      ValueError: There is no such device.

    >>> tf.config.experimental.reset_memory_stats("GPU:0")  # doctest: +SKIP
    """
    _peak_floor[device] = _memory_stats(device).get("peak_bytes_in_use", -1)


@export("config.experimental.get_device_details")
def get_device_details(device) -> dict:
    """Returns details of a physical device.

    Args:
      device: A `tf.config.PhysicalDevice`.

    Returns:
      A dictionary; of a GPU with `device_name` and `compute_capability`, otherwise empty.

    Raises:
      ValueError: There is no such device.

    >>> tf.config.experimental.get_device_details(tf.config.list_physical_devices("CPU")[0])
    {}
    """
    if not isinstance(device, PhysicalDevice):
        raise ValueError(f"device must be a tf.config.PhysicalDevice, but got: {device}")
    if device not in list_physical_devices():
        raise ValueError(
            f"The PhysicalDevice must be one obtained from calling `tf.config.list_physical_devices`, but got: {device}"
        )
    return driver_details(device)


CPU_MEMORY = 1 << 28  # what TensorFlow says of every CPU


@export("__internal__.config.list_local_devices")
def list_local_devices(session_config=None) -> list:
    """The logical devices as `DeviceAttributes` messages. The memory limit of a CPU is TensorFlow's constant."""
    from reflow.devices.attributes import DeviceAttributes

    found = []
    for device in devices.logical_devices():
        limit = CPU_MEMORY if device.device_type == "CPU" else _memory_stats(device.name).get("bytes_limit", 0)
        message = DeviceAttributes(
            name=device.name, device_type=device.device_type, memory_limit=limit,
            incarnation=int.from_bytes(os.urandom(8), "little"), xla_global_id=-1,
        )
        message.locality.SetInParent()
        found.append(message)
    return found


# --- placement ------------------------------------------------------------------------------------------------------


@export("device")
def device(device_name):
    """Places tensors and nodes created in a `with` block on a device.

    Args:
      device_name: The name of a device, such as "/GPU:0", a device or `tf.DeviceSpec`; None for none. In a graph of
        version 1 also a function from a node to a name.

    Returns:
      A context manager.

    Raises:
      ValueError: It is no name of a device.
      RuntimeError: A function is given in eager code.

    >>> with device("/CPU:0"):
    ...     pass
    """
    if callable(device_name) and state.graph is None:
        raise RuntimeError("tf.device does not support functions.")
    if isinstance(device_name, (LogicalDevice, PhysicalDevice)):
        device_name = device_name.name
    elif isinstance(device_name, devices.DeviceSpec):
        device_name = device_name.to_string()
    elif not (device_name is None or isinstance(device_name, str) or callable(device_name)):
        raise ValueError(f"Expecting a string device name. Got {type(device_name)}({device_name})")
    if device_name and isinstance(device_name, str):
        devices.DeviceSpec.from_string(device_name)  # complains here about a name that is none
    if state.graph is not None and (callable(device_name) or not state.graph.building_function):
        return state.graph.device(device_name)
    return devices.DeviceScope(device_name)
