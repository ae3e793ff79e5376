# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.distribute.cluster_resolver`."""

from reflow.distribute.managed_resolvers import ExecutableLocation as KubernetesExecutableLocation
from reflow.distribute.managed_resolvers import GCEClusterResolver as GCEClusterResolver
from reflow.distribute.managed_resolvers import KubernetesClusterResolver as KubernetesClusterResolver
from reflow.distribute.managed_resolvers import SlurmClusterResolver as SlurmClusterResolver
from reflow.distribute.resolvers import ClusterResolver as ClusterResolver
from reflow.distribute.resolvers import SimpleClusterResolver as SimpleClusterResolver
from reflow.distribute.resolvers import TFConfigClusterResolver as TFConfigClusterResolver
from reflow.distribute.resolvers import UnionClusterResolver as UnionResolver
from reflow.distribute.tpu.system import TPUClusterResolver as TPUClusterResolver

__all__ = [
    "ClusterResolver", "GCEClusterResolver", "KubernetesClusterResolver", "KubernetesExecutableLocation",
    "SimpleClusterResolver", "SlurmClusterResolver", "TFConfigClusterResolver", "TPUClusterResolver", "UnionResolver",
]
