# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.config`."""

from reflow.api.config import get_logical_device_configuration as get_logical_device_configuration
from reflow.api.config import get_visible_devices as get_visible_devices
from reflow.api.config import list_logical_devices as list_logical_devices
from reflow.api.config import list_physical_devices as list_physical_devices
from reflow.api.config import set_logical_device_configuration as set_logical_device_configuration
from reflow.api.config import set_visible_devices as set_visible_devices
from reflow.api.runtime_settings import functions_run_eagerly as functions_run_eagerly
from reflow.api.runtime_settings import get_soft_device_placement as get_soft_device_placement
from reflow.api.runtime_settings import run_functions_eagerly as run_functions_eagerly
from reflow.api.runtime_settings import set_soft_device_placement as set_soft_device_placement
from reflow.devices.settings import LogicalDevice as LogicalDevice
from reflow.devices.settings import LogicalDeviceConfiguration as LogicalDeviceConfiguration
from reflow.devices.settings import PhysicalDevice as PhysicalDevice
from reflow.distribute.clusters import experimental_connect_to_cluster as experimental_connect_to_cluster
from reflow.distribute.clusters import experimental_connect_to_host as experimental_connect_to_host
from reflow.public.compat.v1.config import experimental as experimental
from reflow.public.compat.v1.config import optimizer as optimizer
from reflow.public.compat.v1.config import threading as threading

experimental_functions_run_eagerly = functions_run_eagerly
experimental_run_functions_eagerly = run_functions_eagerly
