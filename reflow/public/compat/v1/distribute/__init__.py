# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.distribute`."""

from reflow.distribute.reduction import CrossDeviceOps as CrossDeviceOps
from reflow.distribute.reduction import HierarchicalCopyAllReduce as HierarchicalCopyAllReduce
from reflow.distribute.reduction import NcclAllReduce as NcclAllReduce
from reflow.distribute.reduction import ReductionToOneDevice as ReductionToOneDevice
from reflow.distribute.server import Server as Server
from reflow.distribute.strategy import experimental_set_strategy as experimental_set_strategy
from reflow.distribute.strategy import get_replica_context as get_replica_context
from reflow.distribute.strategy import get_strategy as get_strategy
from reflow.distribute.strategy import has_strategy as has_strategy
from reflow.distribute.strategy import in_cross_replica_context as in_cross_replica_context
from reflow.distribute.values import InputContext as InputContext
from reflow.distribute.values import InputReplicationMode as InputReplicationMode
from reflow.distribute.values import ReduceOp as ReduceOp
from reflow.distribute.values import RunOptions as RunOptions
from reflow.public.compat.v1.distribute import cluster_resolver as cluster_resolver
from reflow.public.compat.v1.distribute import experimental as experimental
