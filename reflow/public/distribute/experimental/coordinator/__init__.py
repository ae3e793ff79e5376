# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.distribute.experimental.coordinator`."""

from reflow.distribute.cluster_coordinator import ClusterCoordinator as ClusterCoordinator
from reflow.distribute.cluster_coordinator import PerWorkerValues as PerWorkerValues
from reflow.distribute.cluster_coordinator import RemoteValue as RemoteValue
