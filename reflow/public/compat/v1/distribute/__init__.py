# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.distribute`."""

from reflow.compat.distribute.strategies import MirroredStrategyV1 as MirroredStrategy
from reflow.compat.distribute.strategies import OneDeviceStrategyV1 as OneDeviceStrategy
from reflow.compat.distribute.strategies import StrategyExtendedV1 as StrategyExtended
from reflow.compat.distribute.strategies import StrategyV1 as Strategy
from reflow.compat.distribute.strategies import get_loss_reduction as get_loss_reduction
from reflow.distribute.extended import ReplicaContext as ReplicaContext
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

__all__ = [
    "CrossDeviceOps", "HierarchicalCopyAllReduce", "InputContext", "InputReplicationMode", "MirroredStrategy",
    "NcclAllReduce", "OneDeviceStrategy", "ReduceOp", "ReductionToOneDevice", "ReplicaContext", "RunOptions", "Server",
    "Strategy", "StrategyExtended", "cluster_resolver", "experimental", "experimental_set_strategy",
    "get_loss_reduction", "get_replica_context", "get_strategy", "has_strategy", "in_cross_replica_context",
]
