# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""`tf.distribute`: training on several devices."""

from reflow.distribute.extended import ReplicaContext as ReplicaContext
from reflow.distribute.extended import StrategyExtended as StrategyExtended
from reflow.distribute.input import DistributedDataset as DistributedDataset
from reflow.distribute.input import DistributedIterator as DistributedIterator
from reflow.distribute.mirrored import MirroredStrategy as MirroredStrategy
from reflow.distribute.multi_worker import MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from reflow.distribute.parameter_server import ParameterServerStrategyV2 as ParameterServerStrategy
from reflow.distribute.reduction import CrossDeviceOps as CrossDeviceOps
from reflow.distribute.reduction import HierarchicalCopyAllReduce as HierarchicalCopyAllReduce
from reflow.distribute.reduction import NcclAllReduce as NcclAllReduce
from reflow.distribute.reduction import ReductionToOneDevice as ReductionToOneDevice
from reflow.distribute.server import Server as Server
from reflow.distribute.strategy import OneDeviceStrategy as OneDeviceStrategy
from reflow.distribute.strategy import Strategy as Strategy
from reflow.distribute.strategy import experimental_set_strategy as experimental_set_strategy
from reflow.distribute.strategy import get_replica_context as get_replica_context
from reflow.distribute.strategy import get_strategy as get_strategy
from reflow.distribute.strategy import has_strategy as has_strategy
from reflow.distribute.strategy import in_cross_replica_context as in_cross_replica_context
from reflow.distribute.tpu.strategy import TPUStrategyV2 as TPUStrategy
from reflow.distribute.values import DistributedValues as DistributedValues
from reflow.distribute.values import InputContext as InputContext
from reflow.distribute.values import InputOptions as InputOptions
from reflow.distribute.values import InputReplicationMode as InputReplicationMode
from reflow.distribute.values import ReduceOp as ReduceOp
from reflow.distribute.values import RunOptions as RunOptions
from reflow.public.distribute import cluster_resolver as cluster_resolver
from reflow.public.distribute import coordinator as coordinator
from reflow.public.distribute import experimental as experimental

__all__ = [
    "CrossDeviceOps", "DistributedDataset", "DistributedIterator", "DistributedValues", "HierarchicalCopyAllReduce",
    "InputContext", "InputOptions", "InputReplicationMode", "MirroredStrategy", "MultiWorkerMirroredStrategy",
    "NcclAllReduce", "OneDeviceStrategy", "ParameterServerStrategy", "ReduceOp", "ReductionToOneDevice",
    "ReplicaContext", "RunOptions", "Server", "Strategy", "StrategyExtended", "TPUStrategy", "cluster_resolver",
    "coordinator", "experimental", "experimental_set_strategy", "get_replica_context", "get_strategy", "has_strategy",
    "in_cross_replica_context",
]
