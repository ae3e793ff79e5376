# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.experimental.dtensor`."""

from typing import TYPE_CHECKING

from reflow.core.namespaces import later

if TYPE_CHECKING:
    from reflow.api.framework.small_namespaces import MATCH as MATCH
    from reflow.api.framework.small_namespaces import UNSHARDED as UNSHARDED
    from reflow.distribute.dtensor.accelerators import initialize_accelerator_system as initialize_accelerator_system
    from reflow.distribute.dtensor.accelerators import shutdown_accelerator_system as shutdown_accelerator_system
    from reflow.distribute.dtensor.checkpoint import DTensorCheckpoint as DTensorCheckpoint
    from reflow.distribute.dtensor.checkpoint import name_based_restore as name_based_restore
    from reflow.distribute.dtensor.checkpoint import name_based_save as name_based_save
    from reflow.distribute.dtensor.checkpoint import sharded_save as sharded_save
    from reflow.distribute.dtensor.clients import client_id as client_id
    from reflow.distribute.dtensor.clients import full_job_name as full_job_name
    from reflow.distribute.dtensor.clients import heartbeat_enabled as heartbeat_enabled
    from reflow.distribute.dtensor.clients import job_name as job_name
    from reflow.distribute.dtensor.clients import jobs as jobs
    from reflow.distribute.dtensor.clients import local_devices as local_devices
    from reflow.distribute.dtensor.clients import num_clients as num_clients
    from reflow.distribute.dtensor.clients import num_global_devices as num_global_devices
    from reflow.distribute.dtensor.clients import num_local_devices as num_local_devices
    from reflow.distribute.dtensor.clients import preferred_device_type as preferred_device_type
    from reflow.distribute.dtensor.dataset import DTensorDataset as DTensorDataset
    from reflow.distribute.dtensor.layout import Layout as Layout
    from reflow.distribute.dtensor.mesh import Mesh as Mesh
    from reflow.distribute.dtensor.mesh import create_distributed_mesh as create_distributed_mesh
    from reflow.distribute.dtensor.mesh import create_mesh as create_mesh
    from reflow.distribute.dtensor.mesh import create_tpu_mesh as create_tpu_mesh
    from reflow.distribute.dtensor.operations import barrier as barrier
    from reflow.distribute.dtensor.operations import call_with_layout as call_with_layout
    from reflow.distribute.dtensor.operations import check_layout as check_layout
    from reflow.distribute.dtensor.operations import copy_to_mesh as copy_to_mesh
    from reflow.distribute.dtensor.operations import default_mesh as default_mesh
    from reflow.distribute.dtensor.operations import device_name as device_name
    from reflow.distribute.dtensor.operations import fetch_layout as fetch_layout
    from reflow.distribute.dtensor.operations import get_default_mesh as get_default_mesh
    from reflow.distribute.dtensor.operations import is_dtensor as is_dtensor
    from reflow.distribute.dtensor.operations import pack as pack
    from reflow.distribute.dtensor.operations import relayout as relayout
    from reflow.distribute.dtensor.operations import relayout_like as relayout_like
    from reflow.distribute.dtensor.operations import run_on as run_on
    from reflow.distribute.dtensor.operations import unpack as unpack
    from reflow.distribute.dtensor.variable import DVariable as DVariable
    from reflow.distribute.dtensor.variable import enable_save_as_bf16 as enable_save_as_bf16
    from reflow.distribute.dtensor.accelerators import initialize_accelerator_system as initialize_multi_client
    from reflow.distribute.dtensor.accelerators import initialize_accelerator_system as initialize_tpu_system
    from reflow.distribute.dtensor.accelerators import shutdown_accelerator_system as shutdown_tpu_system

__getattr__ = later(__name__)

__all__ = [
    "DTensorCheckpoint", "DTensorDataset", "DVariable", "Layout", "MATCH", "Mesh", "UNSHARDED", "barrier",
    "call_with_layout", "check_layout", "client_id", "copy_to_mesh", "create_distributed_mesh", "create_mesh",
    "create_tpu_mesh", "default_mesh", "device_name", "enable_save_as_bf16", "fetch_layout", "full_job_name",
    "get_default_mesh", "heartbeat_enabled", "initialize_accelerator_system", "initialize_multi_client",
    "initialize_tpu_system", "is_dtensor", "job_name", "jobs", "local_devices", "name_based_restore", "name_based_save",
    "num_clients", "num_global_devices", "num_local_devices", "pack", "preferred_device_type", "relayout",
    "relayout_like", "run_on", "sharded_save", "shutdown_accelerator_system", "shutdown_tpu_system", "unpack",
]
