"""`tf.distribute`: values of several replicas, how they are reduced, and the options of inputs and runs."""

from __future__ import annotations

import collections
import enum

from reflow.api.export import export
from reflow.eager import variables


@export("distribute.ReduceOp")
class ReduceOp(enum.Enum):
    """How the values of several replicas become one.

    >>> tf.distribute.ReduceOp.MEAN.name
    'MEAN'
    """

    SUM = "SUM"
    MEAN = "MEAN"

    @staticmethod
    def from_variable_aggregation(aggregation):
        mapping = {variables.VariableAggregation.SUM: ReduceOp.SUM, variables.VariableAggregation.MEAN: ReduceOp.MEAN}
        reduce_op = mapping.get(aggregation)
        if not reduce_op:
            raise ValueError(
                f"Could not convert from `tf.VariableAggregation` {aggregation} to`tf.distribute.ReduceOp` type"
            )
        return reduce_op


def as_reduce_op(value) -> ReduceOp:
    return ReduceOp(value.upper()) if isinstance(value, str) else ReduceOp(value)


@export("distribute.InputReplicationMode")
class InputReplicationMode(enum.Enum):
    """How many input pipelines a function builds.

    >>> tf.distribute.InputReplicationMode.PER_WORKER.name
    'PER_WORKER'
    """

    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


InputOptions = export("distribute.InputOptions")(
    collections.namedtuple(
        "InputOptions",
        [
            "experimental_fetch_to_device",
            "experimental_replication_mode",
            "experimental_place_dataset_on_device",
            "experimental_per_replica_buffer_size",
        ],
        defaults=(None, InputReplicationMode.PER_WORKER, False, 1),
    )
)
RunOptions = export("distribute.RunOptions")(
    collections.namedtuple(
        "RunOptions",
        [
            "experimental_enable_dynamic_batch_size",
            "experimental_bucketizing_dynamic_shape",
            "experimental_xla_options",
        ],
        defaults=(True, False, None),
    )
)


@export("distribute.InputContext")
class InputContext:
    """What a function that builds a dataset knows about its place among the others.

    >>> tf.distribute.InputContext(num_replicas_in_sync=2).get_per_replica_batch_size(8)
    4
    """

    def __init__(self, num_input_pipelines=1, input_pipeline_id=0, num_replicas_in_sync=1):
        self.num_input_pipelines = num_input_pipelines
        self.input_pipeline_id = input_pipeline_id
        self.num_replicas_in_sync = num_replicas_in_sync

    def get_per_replica_batch_size(self, global_batch_size):
        """The part of a batch that one replica gets.

        >>> InputContext(num_replicas_in_sync=2).get_per_replica_batch_size(8)
        4
        """
        if global_batch_size % self.num_replicas_in_sync != 0:
            raise ValueError(
                f"The `global_batch_size` {global_batch_size!r} is not divisible by `num_replicas_in_sync` "
                f"{self.num_replicas_in_sync!r} "
            )
        return global_batch_size // self.num_replicas_in_sync

    def __str__(self):
        return (
            f"tf.distribute.InputContext(input pipeline id {self.input_pipeline_id}, total: {self.num_input_pipelines})"
        )


ValueContext = export("distribute.experimental.ValueContext")(
    collections.namedtuple("ValueContext", ["replica_id_in_sync_group", "num_replicas_in_sync"], defaults=(0, 1))
)


@export("distribute.DistributedValues")
class DistributedValues:
    """A value per replica.

    >>> isinstance(tf.constant(1), tf.distribute.DistributedValues)
    False
    """

    def __init__(self, values):
        self._values = tuple(values)

    values = property(lambda self: self._values)


@export("types.experimental.distributed.PerReplica")
class PerReplica(DistributedValues):
    """Values that may differ between replicas."""


@export("types.experimental.distributed.Mirrored")
class Mirrored(DistributedValues):
    """Values that are equal on all replicas."""


@export("distribute.DistributedDataset")
class DistributedDataset:
    """A dataset that gives each replica its share. With one replica, the dataset itself serves."""


@export("distribute.DistributedIterator")
class DistributedIterator:
    """An iterator of a `DistributedDataset`."""
