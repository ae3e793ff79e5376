"""`tf.config`: settings of the runtime: where ops may run, how functions run, threads, precision and determinism.

Devices: `config.py`.
"""

from __future__ import annotations

from reflow.api.export import export, export_function
from reflow.core.context import State, Variant, state
from reflow.devices import placement as devices
from reflow.devices.settings import refuse_if_started


def _getter(public, name, doc, example):
    """The function that says whether a setting is on."""

    def get() -> bool:
        return getattr(devices.settings, name)

    return export_function(get, public, doc=f"{doc}\n\nReturns:\n  A bool.", example=example)


def _setter(change, doc, whether, example, *names):
    """The function that turns a setting on or off."""

    def set_(enabled):
        change(bool(enabled))

    doc = f"{doc}\n\nArgs:\n  enabled: {whether}.\n\nReturns:\n  None."
    return export_function(set_, *names, doc=doc, example=example)


get_soft_device_placement = _getter(
    "config.get_soft_device_placement", "soft_placement",
    "Says whether a device that does not exist is replaced by one that does.",
    """
    >>> tf.config.get_soft_device_placement()
    True
    """,
)


set_soft_device_placement = _setter(
    devices.set_soft_placement,
    "Replaces devices that do not exist with ones that do, or lets `tf.device` fail.",
    "Whether to replace them",
    """
    >>> tf.config.set_soft_device_placement(True)
    >>> tf.config.get_soft_device_placement()
    True
    """,
    "config.set_soft_device_placement", "__internal__.eager_context.set_soft_device_placement",
)


get_log_device_placement = _getter(
    "debugging.get_log_device_placement", "log_placement",
    "Says whether each op that runs is printed with its device.",
    """
    >>> tf.debugging.get_log_device_placement()
    False
    """,
)


def _log_placement(enabled: bool) -> None:
    devices.settings.log_placement = enabled
    devices.refresh()


set_log_device_placement = _setter(
    _log_placement,
    "Prints each op that runs, with its device, to standard error.",
    "Whether to do so",
    """
    >>> tf.debugging.set_log_device_placement(False)
    >>> tf.debugging.get_log_device_placement()
    False
    """,
    "debugging.set_log_device_placement",
)


# --- functions ------------------------------------------------------------------------------------------------------


@export("config.run_functions_eagerly", "config.experimental_run_functions_eagerly")
def run_functions_eagerly(run_eagerly):
    """Runs the Python code of every `tf.function` at each call, instead of its graph: for debugging.

    Args:
      run_eagerly: Whether to do so.

    Returns:
      None.

    >>> tf.config.run_functions_eagerly(True)
    >>> tf.function(lambda: tf.executing_eagerly())()
    True
    >>> tf.config.run_functions_eagerly(False)
    """
    State.variant = Variant.EAGERLY if run_eagerly else None
    state.__dict__.pop("variant", None)


@export("config.functions_run_eagerly", "config.experimental_functions_run_eagerly")
def functions_run_eagerly() -> bool:
    """Says whether functions run as plain Python.

    Returns:
      A bool.

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
    get.__doc__ = f"""Returns the number of threads for {work}, as it was set.

    Returns:
      An integer; 0 lets the system choose.

    >>> tf.config.threading.get_{name}()
    0
    """
    set_.__doc__ = f"""Sets the number of threads for {work}. Only recorded: XLA has its own threads.

    Args:
      num_threads: The number; 0 lets the system choose.

    Returns:
      None.

    Raises:
      ValueError: The number is negative.
      RuntimeError: The runtime has started.

    >>> tf.config.threading.set_{name}(4)  # doctest: +SKIP
    """
    return export(f"config.threading.get_{name}")(get), export(f"config.threading.set_{name}")(set_)


get_intra_op_parallelism_threads, set_intra_op_parallelism_threads = _thread_count("intra", "one op")
get_inter_op_parallelism_threads, set_inter_op_parallelism_threads = _thread_count(
    "inter", "ops that do not depend on each other"
)


@export("config.optimizer.get_jit")
def get_jit() -> str:
    """Returns how functions without `jit_compile` are compiled, as `set_jit` recorded it.

    Returns:
      "" or "autoclustering".

    >>> tf.config.optimizer.get_jit()
    ''
    """
    return devices.settings.jit


@export("config.optimizer.set_jit")
def set_jit(enabled):
    """Chooses whether XLA compiles functions without `jit_compile`. Only recorded: Reflow decides this itself.

    Args:
      enabled: True or "autoclustering"; anything else turns it off.

    Returns:
      None.

    >>> tf.config.optimizer.set_jit("")
    >>> tf.config.optimizer.get_jit()
    ''
    """
    devices.settings.jit = "autoclustering" if enabled is True or enabled == "autoclustering" else ""


#: in the order in which TensorFlow lists them
_SWITCHES = (
    "layout_optimizer", "constant_folding", "shape_optimization", "remapping", "arithmetic_optimization",
    "dependency_optimization", "loop_optimization", "function_optimization", "debug_stripper",
    "disable_model_pruning", "scoped_allocator_optimization", "pin_to_host_optimization", "implementation_selector",
    "auto_mixed_precision", "auto_mixed_precision_onednn_bfloat16", "auto_mixed_precision_mkl",
    "disable_meta_optimizer", "min_graph_nodes", "auto_parallel", "use_plugin_optimizers",
)


@export("config.optimizer.get_experimental_options")
def get_experimental_options() -> dict:
    """Returns the settings of the graph optimizer.

    Returns:
      A dictionary of options.

    >>> tf.config.optimizer.get_experimental_options()
    {'disable_model_pruning': False, 'disable_meta_optimizer': False}
    """
    chosen = {"disable_model_pruning": False, "disable_meta_optimizer": False} | devices.settings.optimizer_options
    return {k: chosen[k] for k in _SWITCHES if k in chosen}


@export("config.optimizer.set_experimental_options")
def set_experimental_options(options):
    """Sets options of TensorFlow's graph optimizer. Reflow uses XLA's instead: the values are only recorded.

    Args:
      options: A dictionary from names to values; unknown names are left out.

    Returns:
      None.

    >>> tf.config.optimizer.set_experimental_options({"constant_folding": True})  # doctest: +SKIP
    """
    devices.settings.optimizer_options.update({k: v for k, v in options.items() if k in _SWITCHES})


@export("config.experimental.get_device_policy")
def get_device_policy() -> str:
    """Returns what happens to an input on another device, see `set_device_policy`.

    Returns:
      "silent", "silent_for_int32", "warn" or "explicit".

    >>> tf.config.experimental.get_device_policy()
    'silent'
    """
    return devices.settings.device_policy


@export("config.experimental.set_device_policy")
def set_device_policy(device_policy):
    """Chooses what happens to an input that is on another device than the op.

    Args:
      device_policy: "silent" (or None) copies it, "warn" copies it and says so, "explicit" is an error of the op,
        "silent_for_int32" as well, except for int32.

    Returns:
      None.

    Raises:
      ValueError: There is no such policy.

    >>> tf.config.experimental.set_device_policy("warn")  # doctest: +SKIP
    """
    policy = device_policy or "silent"
    if policy not in ("silent", "silent_for_int32", "warn", "explicit"):
        raise ValueError(
            f"Invalid argument `device_policy`: {device_policy!r}. Please refer to "
            "https://www.tensorflow.org/api_docs/python/tf/config/experimental/set_device_policy for valid "
            "`device_policy` arguments."
        )
    devices.settings.device_policy = policy


get_synchronous_execution = _getter(
    "config.experimental.get_synchronous_execution", "synchronous",
    "Says whether eager ops have finished when they return, as `set_synchronous_execution` recorded it.",
    """
    >>> tf.config.experimental.get_synchronous_execution()
    True
    """,
)


@export("config.experimental.set_synchronous_execution")
def set_synchronous_execution(enable):
    """Chooses whether eager ops have finished when they return. Only recorded: on the host they always have.

    Args:
      enable: Whether they are to wait; None for True.

    Returns:
      None.

    >>> tf.config.experimental.set_synchronous_execution(True)  # doctest: +SKIP
    """
    devices.settings.synchronous = True if enable is None else bool(enable)


tensor_float_32_execution_enabled = _getter(
    "config.experimental.tensor_float_32_execution_enabled", "tensor_float_32",
    "Says whether a GPU may multiply float32 matrices with 10-bit mantissas.",
    """
    >>> tf.config.experimental.enable_tensor_float_32_execution(False)
    >>> tf.config.experimental.tensor_float_32_execution_enabled()
    False
    >>> tf.config.experimental.enable_tensor_float_32_execution(True)
    """,
)


@export("config.experimental.enable_tensor_float_32_execution")
def enable_tensor_float_32_execution(enabled):
    """Lets a GPU multiply float32 matrices with 10-bit mantissas, or not.

    Args:
      enabled: Whether it may.

    Returns:
      None.

    >>> tf.config.experimental.enable_tensor_float_32_execution(True)
    >>> tf.config.experimental.tensor_float_32_execution_enabled()
    True
    """
    devices.settings.tensor_float_32 = bool(enabled)


@export("config.experimental.enable_op_determinism")
def enable_op_determinism():
    """Makes results bitwise reproducible. Random ops then need a seed (`tf.random.set_seed`).

    Returns:
      None.

    >>> tf.random.set_seed(1)
    >>> tf.config.experimental.enable_op_determinism()  # doctest: +SKIP
    """
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
    """Notes in the configuration that the bridge is wanted. It is a part of TensorFlow's own compiler, so nothing else
    changes.

    Returns:
      None.

    >>> tf.config.experimental.enable_mlir_bridge()
    """
    devices.settings.mlir_bridge = True


@export("config.experimental.disable_mlir_bridge")
def disable_mlir_bridge():
    """Notes in the configuration that the bridge is not wanted, see `enable_mlir_bridge`.

    Returns:
      None.

    >>> tf.config.experimental.disable_mlir_bridge()
    """
    devices.settings.mlir_bridge = False
