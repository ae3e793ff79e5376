"""`tf.config`, `tf.device`, `tf.DeviceSpec`: available devices, and runtime settings."""

from __future__ import annotations

import os
import re

from reflow.api.export import export, export_value
from reflow.core.context import State, Variant, state
from reflow.devices import placement as devices
from reflow.devices.settings import (
    LogicalDevice,
    LogicalDeviceConfiguration,
    PhysicalDevice,
    check_known,
    driver_details,
    forget_logical,
    refuse_if_started,
)

export_value(PhysicalDevice, "config.PhysicalDevice")
export_value(LogicalDevice, "config.LogicalDevice")
export_value(
    LogicalDeviceConfiguration, "config.LogicalDeviceConfiguration", "config.experimental.VirtualDeviceConfiguration"
)
export_value(devices.DeviceSpec, "DeviceSpec")


# --- devices --------------------------------------------------------------------------------------------------------


@export("config.list_physical_devices", "config.experimental.list_physical_devices")
def list_physical_devices(device_type=None) -> list:
    """The hardware that this machine has.

    >>> list_physical_devices("CPU")
    [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
    """
    return devices.physical_devices(device_type)


@export("config.list_logical_devices", "config.experimental.list_logical_devices")
def list_logical_devices(device_type=None) -> list:
    """The logical devices. Calling this starts the runtime: device settings are rejected afterwards.

    >>> list_logical_devices("CPU")[0].name
    '/device:CPU:0'
    """
    found = devices.logical_devices(device_type)
    if device_type in (None, "CPU"):
        found += [LogicalDevice(f"{machine}/device:CPU:0", "CPU") for machine in devices.remotes]
    return found


@export("config.get_visible_devices", "config.experimental.get_visible_devices")
def get_visible_devices(device_type=None) -> list:
    """The physical devices that the runtime may use.

    >>> tf.config.get_visible_devices("CPU")
    [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
    """
    return devices.visible_devices(device_type)


@export("config.set_visible_devices", "config.experimental.set_visible_devices")
def set_visible_devices(devices, device_type=None):
    """Let the runtime use only these physical devices (of one type, if given)."""
    from reflow.devices.settings import settings, visible_devices

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
    """The logical devices configured on a physical one, or None.

    >>> tf.config.get_logical_device_configuration(tf.config.list_physical_devices("CPU")[0])
    """
    check_known(device)
    return devices.settings.logical.get(device)


@export("config.set_logical_device_configuration", "config.experimental.set_virtual_device_configuration")
def set_logical_device_configuration(device, logical_devices):
    """Make several logical devices of one physical device, or limit a GPU's memory. Only before the runtime starts."""
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
    """Whether a GPU's memory is allocated as needed."""
    check_known(device)
    if device.device_type != "GPU":
        raise KeyError(repr(device))
    return devices.settings.memory_growth.get(device, False)


@export("config.experimental.set_memory_growth")
def set_memory_growth(device, enable):
    """Allocate a GPU's memory as needed, instead of most of it at once."""
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
    """Bytes in use on a device, current and peak. 0 on the CPU, where it is not tracked."""
    stats = _memory_stats(device)
    current, peak = stats.get("bytes_in_use", 0), stats.get("peak_bytes_in_use", 0)
    return {"current": current, "peak": current if peak <= _peak_floor.get(device, -1) else peak}


@export("config.experimental.get_memory_usage")
def get_memory_usage(device) -> int:
    """Bytes in use on a device."""
    return get_memory_info(device)["current"]


@export("config.experimental.reset_memory_stats")
def reset_memory_stats(device):
    """Reset the peak of `get_memory_info` to the current use."""
    _peak_floor[device] = _memory_stats(device).get("peak_bytes_in_use", -1)


@export("config.experimental.get_device_details")
def get_device_details(device) -> dict:
    """Details of a physical device: a GPU's name and compute capability.

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
    """Place tensors and nodes created in a `with` block on a device.

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





@export("config.get_soft_device_placement")
def get_soft_device_placement() -> bool:
    """Whether a device that does not exist is replaced by one that does.

    >>> tf.config.get_soft_device_placement()
    True
    """
    return devices.settings.soft_placement


@export("config.set_soft_device_placement", "__internal__.eager_context.set_soft_device_placement")
def set_soft_device_placement(enabled):
    """Replace devices that do not exist with ones that do, or let `tf.device` fail.

    >>> tf.config.set_soft_device_placement(True)
    >>> tf.config.get_soft_device_placement()
    True
    """
    devices.set_soft_placement(bool(enabled))


@export("debugging.get_log_device_placement")
def get_log_device_placement() -> bool:
    """Whether each op that runs is printed with its device.

    >>> tf.debugging.get_log_device_placement()
    False
    """
    return devices.settings.log_placement


@export("debugging.set_log_device_placement")
def set_log_device_placement(enabled):
    """Print each op that runs, with its device, to standard error.

    >>> tf.debugging.set_log_device_placement(False)
    >>> tf.debugging.get_log_device_placement()
    False
    """
    devices.settings.log_placement = bool(enabled)
    devices.refresh()


# --- functions ------------------------------------------------------------------------------------------------------


@export("config.run_functions_eagerly", "config.experimental_run_functions_eagerly")
def run_functions_eagerly(run_eagerly):
    """Run the Python code of every `tf.function` at each call, instead of its graph: for debugging.

    >>> tf.config.run_functions_eagerly(True)
    >>> tf.function(lambda: tf.executing_eagerly())()
    True
    >>> tf.config.run_functions_eagerly(False)
    """
    State.variant = Variant.EAGERLY if run_eagerly else None
    state.__dict__.pop("variant", None)


@export("config.functions_run_eagerly", "config.experimental_functions_run_eagerly")
def functions_run_eagerly() -> bool:
    """Whether functions run as plain Python.

    >>> functions_run_eagerly()
    False
    """
    return state.variant is Variant.EAGERLY


# --- switches -------------------------------------------------------------------------------------------------------


def _thread_count(which: str, work: str):
    """The two functions that read and set a number of threads."""
    setting, name = f"{which}_op_threads", f"{which}_op_parallelism_threads"

    def get() -> int:
        return getattr(devices.settings, setting)

    def set_(num_threads) -> None:
        if num_threads < 0:
            raise ValueError(f"The number of threads must be >= 0. Received: {num_threads}")
        if num_threads != get():
            refuse_if_started(f"{which.capitalize()} op parallelism cannot be modified after initialization.")
        setattr(devices.settings, setting, num_threads)

    get.__name__, set_.__name__ = f"get_{name}", f"set_{name}"
    get.__doc__ = f"""Threads for {work}; 0 lets the system choose.

    >>> tf.config.threading.get_{name}()
    0
    """
    set_.__doc__ = f"Set the number of threads for {work}, before the runtime starts."
    return export(f"config.threading.get_{name}")(get), export(f"config.threading.set_{name}")(set_)


get_intra_op_parallelism_threads, set_intra_op_parallelism_threads = _thread_count("intra", "one op")
get_inter_op_parallelism_threads, set_inter_op_parallelism_threads = _thread_count(
    "inter", "ops that do not depend on each other"
)


@export("config.optimizer.get_jit")
def get_jit() -> str:
    """How functions without `jit_compile` are compiled: "" or "autoclustering".

    >>> tf.config.optimizer.get_jit()
    ''
    """
    return devices.settings.jit


@export("config.optimizer.set_jit")
def set_jit(enabled):
    """Choose whether XLA compiles functions without `jit_compile`. Only recorded: Reflow decides this itself.

    >>> tf.config.optimizer.set_jit("")
    >>> tf.config.optimizer.get_jit()
    ''
    """
    devices.settings.jit = "autoclustering" if enabled is True or enabled == "autoclustering" else ""


_SWITCHES = frozenset(
    [
        "layout_optimizer",
        "constant_folding",
        "shape_optimization",
        "remapping",
        "arithmetic_optimization",
        "dependency_optimization",
        "loop_optimization",
        "function_optimization",
        "debug_stripper",
        "scoped_allocator_optimization",
        "pin_to_host_optimization",
        "implementation_selector",
        "auto_mixed_precision",
        "auto_mixed_precision_onednn_bfloat16",
        "auto_mixed_precision_mkl",
        "disable_meta_optimizer",
        "disable_model_pruning",
        "min_graph_nodes",
        "auto_parallel",
        "use_plugin_optimizers",
    ]
)


@export("config.optimizer.get_experimental_options")
def get_experimental_options() -> dict:
    """The settings of the graph optimizer.

    >>> tf.config.optimizer.get_experimental_options()
    {'disable_model_pruning': False, 'disable_meta_optimizer': False}
    """
    return {"disable_model_pruning": False, "disable_meta_optimizer": False} | devices.settings.optimizer_options


@export("config.optimizer.set_experimental_options")
def set_experimental_options(options):
    """Set options of TensorFlow's graph optimizer. Reflow uses XLA's instead: the values are only recorded."""
    devices.settings.optimizer_options.update({k: v for k, v in options.items() if k in _SWITCHES})


@export("config.experimental.get_device_policy")
def get_device_policy() -> str:
    """What happens to an input on another device: "silent" copies it.

    >>> tf.config.experimental.get_device_policy()
    'silent'
    """
    return devices.settings.device_policy


@export("config.experimental.set_device_policy")
def set_device_policy(device_policy):
    """Choose what happens to an input on another device."""
    policy = device_policy or "silent"
    if policy not in ("silent", "silent_for_int32", "warn", "explicit"):
        raise ValueError(
            f"Invalid argument `device_policy`: {device_policy!r}. Please refer to "
            "https://www.tensorflow.org/api_docs/python/tf/config/experimental/set_device_policy for valid "
            "`device_policy` "
            "arguments."
        )
    devices.settings.device_policy = policy


@export("config.experimental.get_synchronous_execution")
def get_synchronous_execution() -> bool:
    """Whether eager ops have finished when they return.

    >>> tf.config.experimental.get_synchronous_execution()
    True
    """
    return devices.settings.synchronous


@export("config.experimental.set_synchronous_execution")
def set_synchronous_execution(enable):
    """Choose whether eager ops have finished when they return. On the host they always have."""
    devices.settings.synchronous = True if enable is None else bool(enable)


@export("config.experimental.tensor_float_32_execution_enabled")
def tensor_float_32_execution_enabled() -> bool:
    """Whether a GPU may multiply float32 matrices with 10-bit mantissas.

    >>> tf.config.experimental.enable_tensor_float_32_execution(False)
    >>> tf.config.experimental.tensor_float_32_execution_enabled()
    False
    >>> tf.config.experimental.enable_tensor_float_32_execution(True)
    """
    return devices.settings.tensor_float_32


@export("config.experimental.enable_tensor_float_32_execution")
def enable_tensor_float_32_execution(enabled):
    """Let a GPU multiply float32 matrices with 10-bit mantissas, or not.

    >>> tf.config.experimental.enable_tensor_float_32_execution(True)
    >>> tf.config.experimental.tensor_float_32_execution_enabled()
    True
    """
    devices.settings.tensor_float_32 = bool(enabled)


@export("config.experimental.enable_op_determinism")
def enable_op_determinism():
    """Make results bitwise reproducible. Random ops then need a seed (`tf.random.set_seed`)."""
    devices.settings.deterministic = True


@export("__internal__.config.disable_op_determinism")
def disable_op_determinism():
    """The opposite of `enable_op_determinism`."""
    devices.settings.deterministic = False


@export("__internal__.config.is_op_determinism_enabled")
def is_op_determinism_enabled() -> bool:
    """Whether `enable_op_determinism` was called.

    >>> is_op_determinism_enabled()
    False
    """
    return devices.settings.deterministic


@export("config.experimental.enable_mlir_bridge")
def enable_mlir_bridge():
    """Note in the configuration that the bridge is wanted. It is a part of TensorFlow's own compiler, so nothing else changes.

    >>> tf.config.experimental.enable_mlir_bridge()
    """
    devices.settings.mlir_bridge = True


@export("config.experimental.disable_mlir_bridge")
def disable_mlir_bridge():
    """Note in the configuration that the bridge is not wanted, see `enable_mlir_bridge`.

    >>> tf.config.experimental.disable_mlir_bridge()
    """
    devices.settings.mlir_bridge = False
