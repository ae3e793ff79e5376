# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.config.experimental`."""

from reflow.api.config import get_device_details as get_device_details
from reflow.api.config import get_logical_device_configuration as get_virtual_device_configuration
from reflow.api.config import get_memory_growth as get_memory_growth
from reflow.api.config import get_memory_info as get_memory_info
from reflow.api.config import get_memory_usage as get_memory_usage
from reflow.api.config import get_visible_devices as get_visible_devices
from reflow.api.config import list_logical_devices as list_logical_devices
from reflow.api.config import list_physical_devices as list_physical_devices
from reflow.api.config import reset_memory_stats as reset_memory_stats
from reflow.api.config import set_logical_device_configuration as set_virtual_device_configuration
from reflow.api.config import set_memory_growth as set_memory_growth
from reflow.api.config import set_visible_devices as set_visible_devices
from reflow.api.runtime_settings import disable_mlir_bridge as disable_mlir_bridge
from reflow.api.runtime_settings import enable_mlir_bridge as enable_mlir_bridge
from reflow.api.runtime_settings import enable_op_determinism as enable_op_determinism
from reflow.api.runtime_settings import enable_tensor_float_32_execution as enable_tensor_float_32_execution
from reflow.api.runtime_settings import get_device_policy as get_device_policy
from reflow.api.runtime_settings import get_synchronous_execution as get_synchronous_execution
from reflow.api.runtime_settings import set_device_policy as set_device_policy
from reflow.api.runtime_settings import set_synchronous_execution as set_synchronous_execution
from reflow.api.runtime_settings import tensor_float_32_execution_enabled as tensor_float_32_execution_enabled
from reflow.devices.settings import LogicalDeviceConfiguration as VirtualDeviceConfiguration
from reflow.distribute.clusters import ClusterDeviceFilters as ClusterDeviceFilters

__all__ = [
    "ClusterDeviceFilters", "VirtualDeviceConfiguration", "disable_mlir_bridge", "enable_mlir_bridge",
    "enable_op_determinism", "enable_tensor_float_32_execution", "get_device_details", "get_device_policy",
    "get_memory_growth", "get_memory_info", "get_memory_usage", "get_synchronous_execution",
    "get_virtual_device_configuration", "get_visible_devices", "list_logical_devices", "list_physical_devices",
    "reset_memory_stats", "set_device_policy", "set_memory_growth", "set_synchronous_execution",
    "set_virtual_device_configuration", "set_visible_devices", "tensor_float_32_execution_enabled",
]
