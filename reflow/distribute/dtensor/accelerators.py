"""Starts and shuts down DTensor's devices: `initialize_accelerator_system` fixes them before all else runs."""

from __future__ import annotations

import sys

from reflow.api.config import set_logical_device_configuration
from reflow.api.export import export, export_value
from reflow.core import errors
from reflow.devices import placement, settings
from reflow.distribute import processes
from reflow.distribute.dtensor import clients
from reflow.distribute.dtensor import mesh as meshes


@export("experimental.dtensor.initialize_accelerator_system")
def initialize_accelerator_system(
    device_type: str | None = None, enable_coordination_service: bool = True,
    num_logical_cpu_devices: int | None = None, experimental_reset_context: bool = False,
    experimental_enable_megcore: bool = False,
) -> str:
    """Start the devices that meshes consist of. Call it before anything else.

    Args:
      device_type: `CPU`, `GPU` or `TPU`; the best there is by default.
      enable_coordination_service: processes that `DTENSOR_JOBS` names watch each other in any case: JAX's service does
        it.
      num_logical_cpu_devices: how many logical CPUs to make.
      experimental_reset_context: forget that devices were in use already.
      experimental_enable_megcore: for TPUs.

    Returns:
      The type of the devices.

    Raises:
      ValueError: it was called before, or devices are in use already.
      UnavailableError: a process of `DTENSOR_JOBS` did not start; it is named.
      UnknownError: another program uses this process' address.
      NotFoundError: there is no TPU.

    >>> tf.experimental.dtensor.initialize_accelerator_system("CPU", experimental_reset_context=True)
    'CPU'
    >>> tf.experimental.dtensor.shutdown_accelerator_system()
    """
    if meshes.started is not None:
        raise ValueError(
            "Accelerator system has already been initialized. Call "
            "tf.experimental.dtensor.shutdown_accelerator_system() first."
        )
    if experimental_reset_context and settings.started():
        print("experimental_reset_context is True. Resetting TensorFlow context.", file=sys.stderr)
        placement.reset()
    if settings.started():
        raise ValueError(
            "TensorFlow has already been initialized. tf.experimental.dtensor.initialize_accelerator_system() must be "
            "called before TensorFlow is initialized."
        )
    kind = (device_type or clients.preferred_device_type()).upper()
    if kind not in clients.KINDS:
        raise ValueError(f"Unknown device_type {kind}. Allowed values are CPU, GPU, or TPU")
    if kind == "TPU":
        raise errors.NotFoundError(
            None, None, "No TPU devices found: experimental_enable_megcore and TPU meshes need one."
        )
    _make_cpus(kind, num_logical_cpu_devices)
    meshes.prepare_cpus()
    if clients.num_clients() > 1:
        tasks = [(clients.full_job_name(i), address) for i, address in enumerate(clients.jobs())]
        processes.join(tasks, clients.client_id(), stay_connected=True)
    meshes.set_started(kind)
    return kind


def _make_cpus(kind: str, count: int | None) -> None:
    """As many logical CPUs as requested; with GPUs at least one per GPU."""
    if kind == "GPU":
        gpus = clients.num_local_devices("GPU")
        if count is None:
            count = max(clients.num_local_devices("CPU"), gpus)
        elif count < gpus:
            raise ValueError(
                f"If set, `num_logical_cpu_devices` (={count}) must be greater than or equal to the number of "
                f"local GPU devices (={gpus})"
            )
    if count is not None:
        set_logical_device_configuration(
            settings.physical_devices("CPU")[0], [settings.LogicalDeviceConfiguration()] * count
        )


export_value(
    initialize_accelerator_system, "experimental.dtensor.initialize_tpu_system",
    "experimental.dtensor.initialize_multi_client",
)


@export("experimental.dtensor.shutdown_accelerator_system", "experimental.dtensor.shutdown_tpu_system")
def shutdown_accelerator_system() -> None:
    """Ends what `initialize_accelerator_system` started.

    Returns:
      None.

    Raises:
      ValueError: Nothing was started.

    >>> tf.experimental.dtensor.initialize_accelerator_system("CPU", experimental_reset_context=True)
    'CPU'
    >>> tf.experimental.dtensor.shutdown_accelerator_system()
    """
    if meshes.started is None:
        raise ValueError(
            "Accelerator system is not initialized. Call tf.experimental.dtensor.initialize_accelerator_system first."
        )
    meshes.set_started(None)
    placement.reset()
