# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.distribute`."""

from typing import TYPE_CHECKING

from reflow.public.__internal__.distribute import combinations as combinations
from reflow.public.__internal__.distribute import interim as interim
from reflow.core.namespaces import later

if TYPE_CHECKING:
    from reflow.compat.distribute.iterators import DatasetIterator as DatasetIterator
    from reflow.compat.distribute.iterators import InputFunctionIterator as InputFunctionIterator
    from reflow.compat.distribute.iterators import InputWorkers as InputWorkers
    from reflow.compat.distribute.steps import MultiStepContext as MultiStepContext
    from reflow.distribute.central_storage import AggregatingVariable as AggregatingVariable
    from reflow.distribute.central_storage import CentralStorageExtended as CentralStorageExtended
    from reflow.distribute.managed_resolvers import expand_hostlist as expand_hostlist
    from reflow.distribute.managed_resolvers import expand_tasks_per_node as expand_tasks_per_node
    from reflow.distribute.multi_worker import MultiWorkerExtended as MultiWorkerExtended
    from reflow.distribute.parameter_server import ShardedVariable as ShardedVariable
    from reflow.distribute.strategy import _get_default_replica_context as _get_default_replica_context
    from reflow.distribute.strategy import _get_default_strategy as _get_default_strategy
    from reflow.distribute.strategy import get_cross_replica_context as get_cross_replica_context
    from reflow.distribute.strategy import get_replica_context as get_replica_context
    from reflow.distribute.strategy import strategy_supports_no_merge_call as strategy_supports_no_merge_call
    from reflow.distribute.strategy import variable_sync_on_read_context as variable_sync_on_read_context
    from reflow.distribute.tpu.strategy import TPUExtended as TPUExtended
    from reflow.distribute.values import DistributedValues as DistributedValues
    from reflow.distribute.values import Mirrored as Mirrored
    from reflow.distribute.values import PerReplica as PerReplica
    from reflow.distribute.values import PerReplicaSpec as PerReplicaSpec
    from reflow.distribute.values import regroup as regroup
    from reflow.distribute.values import select as select_replica
    from reflow.distribute.values import select_mirrored as select_replica_mirrored
    from reflow.distribute.variables import DistributedVariable as DistributedVariable
    from reflow.distribute.variables import MirroredVariable as MirroredVariable
    from reflow.distribute.variables import SyncOnReadVariable as SyncOnReadVariable
    from reflow.distribute.variables import is_distributed_variable as is_distributed_variable
    from reflow.distribute.variables import is_mirrored as is_mirrored
    from reflow.distribute.variables import is_sync_on_read as is_sync_on_read

__getattr__ = later(__name__)

__all__ = [
    "AggregatingVariable", "CentralStorageExtended", "DatasetIterator", "DistributedValues", "DistributedVariable",
    "InputFunctionIterator", "InputWorkers", "Mirrored", "MirroredVariable", "MultiStepContext", "MultiWorkerExtended",
    "PerReplica", "PerReplicaSpec", "ShardedVariable", "SyncOnReadVariable", "TPUExtended",
    "_get_default_replica_context", "_get_default_strategy", "combinations", "expand_hostlist", "expand_tasks_per_node",
    "get_cross_replica_context", "get_replica_context", "interim", "is_distributed_variable", "is_mirrored",
    "is_sync_on_read", "regroup", "select_replica", "select_replica_mirrored", "strategy_supports_no_merge_call",
    "variable_sync_on_read_context",
]
