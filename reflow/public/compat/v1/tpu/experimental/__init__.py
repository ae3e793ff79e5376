# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.tpu.experimental`."""

from reflow.compat.distribute.tpu_columns import embedding_column as embedding_column
from reflow.compat.distribute.tpu_columns import shared_embedding_columns as shared_embedding_columns
from reflow.distribute.tpu.device_assignment import DeviceAssignment as DeviceAssignment
from reflow.distribute.tpu.device_assignment import DeviceOrderMode as DeviceOrderMode
from reflow.distribute.tpu.system import initialize_tpu_system as initialize_tpu_system
from reflow.distribute.tpu.system import shutdown_tpu_system as shutdown_tpu_system
from reflow.distribute.tpu.topology import HardwareFeature as HardwareFeature
from reflow.distribute.tpu.topology import TPUSystemMetadata as TPUSystemMetadata
from reflow.distribute.tpu.topology import Topology as Topology
from reflow.public.compat.v1.tpu.experimental import embedding as embedding
