# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.distribute.coordinator`."""

from reflow.distribute.cluster_coordinator import ClusterCoordinator as ClusterCoordinator
from reflow.distribute.cluster_coordinator import PerWorkerValues as PerWorkerValue
from reflow.distribute.cluster_coordinator import RemoteValue as RemoteValue
from reflow.distribute.cluster_coordinator import (
    experimental_get_current_worker_index as experimental_get_current_worker_index,
)

__all__ = [
    "ClusterCoordinator", "PerWorkerValue", "RemoteValue", "experimental_get_current_worker_index",
]
