"""`tf.distribute.MultiWorkerMirroredStrategy`: synchronous replicas in several processes, usually on several machines.

Each process runs the same program. Its replicas first combine their values, then the processes combine theirs
(`collectives.py`), so all variables stay equal everywhere. Each process prints and saves on its own; only the chief
should write shared files (`extended.should_checkpoint`).
"""

from __future__ import annotations

from reflow.api.export import export
from reflow.api.math.arithmetic import cast, truediv
from reflow.api.math.reduce import reduce_sum
from reflow.core.context import init_scope
from reflow.core.indexed_slices import IndexedSlices
from reflow.core.logging import logger
from reflow.devices import placement
from reflow.distribute import processes, sharding
from reflow.distribute.collectives import gather_over_processes, sum_over_processes
from reflow.distribute.communication import CommunicationImplementation, CommunicationOptions
from reflow.distribute.mirrored import MirroredExtended, device_names
from reflow.distribute.reduction import gather_values, reduce_values
from reflow.distribute.resolvers import TFConfigClusterResolver
from reflow.distribute.strategy import Strategy
from reflow.distribute.values import (
    DistributedValues,
    InputContext,
    Mirrored,
    ReduceOp,
)
from reflow.ops.convert import convert_to_tensor

_SERVICE_JOBS = ("chief", "worker")


def tasks_of(cluster_spec) -> list[tuple[str, int]]:
    """The tasks that train, in order: the chief, then the workers."""
    return [(job, i) for job in _SERVICE_JOBS if job in cluster_spec.jobs for i in cluster_spec.task_indices(job)]


@export("__internal__.distribute.MultiWorkerExtended")
class MultiWorkerExtended(MirroredExtended):
    """The extended part of a strategy whose replicas are in several processes."""

    def __init__(self, container_strategy, resolver, options):
        cluster, task = resolver.cluster_spec(), (resolver.task_type, resolver.task_id)
        self._options = options
        self._task_type, self._task_id = task
        self._tasks = tasks_of(cluster) if cluster else []
        if self._tasks and task not in self._tasks and task[0] != "evaluator":
            raise ValueError(
                f"The task {task[0]!r} with index {task[1]!r} is not among those of the cluster that train: "
                f"{self._tasks}. TF_CONFIG must name this process' own task."
            )
        self._number = self._tasks.index(task) if task in self._tasks else 0
        self._group = None
        if len(self._tasks) > 1 and task in self._tasks:
            named = [(f"/job:{job}/task:{i}", cluster.task_address(job, i)) for job, i in self._tasks]
            self._group = processes.join(named, self._number, options.timeout_seconds)
        super().__init__(container_strategy, device_names(None))
        self._first_replica = self._number * len(self._devices)

    # --- what is where

    @property
    def worker_devices(self):
        if not self._tasks:
            return self._devices
        prefix = f"/job:{self._task_type}/replica:0/task:{self._task_id}"
        return tuple(prefix + device.removeprefix(placement.LOCAL) for device in self._devices)

    parameter_devices = worker_devices
    _num_workers = property(lambda self: 1 if self._group is None else self._group.count)
    _num_replicas_in_sync = property(lambda self: len(self._devices) * self._num_workers)
    should_checkpoint = property(lambda self: self._number == 0)
    should_save_summary = property(lambda self: self._number == 0)
    experimental_between_graph = property(lambda self: True)
    experimental_should_init = property(lambda self: True)

    @property
    def _local_replicas(self) -> range:
        return range(self._first_replica, self._first_replica + len(self._devices))

    def _in_multi_worker_mode(self) -> bool:
        return bool(self._tasks)

    def _input_context(self):
        return InputContext(self._num_workers, self._number, self._num_replicas_in_sync)

    # --- variables: all start with the first process' value

    def _new_variable(self, next_creator, kwargs):
        variable = super()._new_variable(next_creator, kwargs)
        if self._group is not None:
            with init_scope():
                value = variable.values[0].read_value()
                mine = value if self._number == 0 else value - value
                first = sum_over_processes([mine], self._options)[0] if value.dtype.is_numpy_compatible else value
                for copy in variable.values:
                    copy.assign(first)
        return variable

    # --- exchanges

    def _reduce_columns(self, operation, columns, options=None) -> list:
        if self._group is None:
            return super()._reduce_columns(operation, columns, options)
        options = self._options.merge(options)
        local = [reduce_values(ReduceOp.SUM, values) for values in columns]
        dense = [i for i, v in enumerate(local) if not isinstance(v, IndexedSlices)]
        for i, total in zip(dense, sum_over_processes([local[i] for i in dense], options), strict=True):
            local[i] = total
        for i, total in enumerate(local):
            if isinstance(total, IndexedSlices):
                values, indices = gather_over_processes(total.values, 0), gather_over_processes(total.indices, 0)
                local[i] = IndexedSlices(values, indices, total.dense_shape)
        if operation is ReduceOp.SUM:
            return local
        counts = [len(values) * self._num_workers for values in columns]
        return [_divided(total, count) for total, count in zip(local, counts, strict=True)]

    def _gather_values(self, values, axis):
        mine = gather_values(values, axis)
        return mine if self._group is None else gather_over_processes(mine, axis)

    def _gather(self, value, axis):
        return self._gather_values(self._values_of(value), axis)

    def _values_of(self, value):
        if isinstance(value, DistributedValues):
            return value.values
        return [convert_to_tensor(value)] * len(self._devices)

    def _reduce(self, operation, value, axis):
        if axis is None:
            return self._reduce_to(operation, value, value, None)
        values = self._values_of(value)
        if values[0].shape.rank == 0:  # Keras requests the mean over axis 0 of a loss
            return self._reduce_to(operation, value, value, None)
        total = reduce_values(ReduceOp.SUM, [reduce_sum(v, axis=axis) for v in values])
        if operation is ReduceOp.SUM:
            return self._reduce_columns(operation, [[total]])[0]
        count = reduce_values(ReduceOp.SUM, [reduce_sum(v * 0 + 1, axis=axis) for v in values])
        total, count = self._reduce_columns(ReduceOp.SUM, [[total], [count]])
        return truediv(total, cast(count, total.dtype))

    def _reduce_to(self, operation, value, destinations, options):
        if isinstance(value, Mirrored) and operation is ReduceOp.MEAN:
            return value._primary
        if not isinstance(value, DistributedValues) and len(self._devices) > 1:
            return self._of_equal_values(operation, value)
        values = value.values if isinstance(value, DistributedValues) else [convert_to_tensor(value)]
        return self._reduce_columns(operation, [values], options)[0]

    def _batch_reduce_to(self, operation, value_destination_pairs, options) -> list:
        columns = [
            value.values if isinstance(value, DistributedValues) else [value] for value, _ in value_destination_pairs
        ]
        return self._reduce_columns(operation, columns, options)

    # --- input

    def _divide_dataset(self, dataset):
        if self._group is None:
            return super()._divide_dataset(dataset)
        return sharding.distributed(dataset, self._group, len(self._devices))

    def _dealt_dataset(self, dataset):
        return sharding.dealt(dataset, len(self._devices))


def _divided(total, count: int):
    if isinstance(total, IndexedSlices):
        return IndexedSlices(_divided(total.values, count), total.indices, total.dense_shape)
    return truediv(total, cast(count, total.dtype))


@export("distribute.MultiWorkerMirroredStrategy")
class MultiWorkerMirroredStrategy(Strategy):
    """Replicas in several processes, with equal variables in all of them.

    Every process of the cluster runs the same program with its own `TF_CONFIG` and makes the strategy before it
    computes anything.

    Args:
      cluster_resolver: says which tasks there are and which one this is; a `TFConfigClusterResolver` if None.
      communication_options: a `tf.distribute.experimental.CommunicationOptions`.

    Raises:
      ValueError: if `TF_CONFIG` is not JSON, or does not name a task of its cluster.
      UnavailableError: if a task of the cluster does not start within `timeout_seconds` (60 by default); it is named.
      UnknownError: if the address of this task is in use.

    >>> tf.distribute.MultiWorkerMirroredStrategy().num_replicas_in_sync  # without TF_CONFIG: one process
    1
    """

    _collective_key_base = 0

    _extended_type = MultiWorkerExtended

    def __init__(self, cluster_resolver=None, communication_options=None):
        options = CommunicationOptions() if communication_options is None else communication_options
        if not isinstance(options, CommunicationOptions):
            raise ValueError(f"`communication_options` must be a CommunicationOptions. Received: {options!r}")
        if options.implementation is CommunicationImplementation.NCCL and not placement.logical_devices("GPU"):
            raise ValueError("NCCL exchanges values between GPUs, and this machine has none.")
        self._cluster_resolver = TFConfigClusterResolver() if cluster_resolver is None else cluster_resolver
        super().__init__(self._extended_type(self, self._cluster_resolver, options))
        logger.info(
            "MultiWorkerMirroredStrategy with %s workers and %s replicas",
            self.extended._num_workers,
            self.num_replicas_in_sync,
        )

    cluster_resolver = property(lambda self: self._cluster_resolver)


@export("distribute.experimental.MultiWorkerMirroredStrategy")
class ExperimentalMultiWorkerMirroredStrategy(MultiWorkerMirroredStrategy):
    """The older form of `tf.distribute.MultiWorkerMirroredStrategy`, which takes the implementation alone.

    Args:
      communication: A `tf.distribute.experimental.CommunicationImplementation`.
      cluster_resolver: What knows the cluster; by default the environment variable `TF_CONFIG`.

    >>> tf.distribute.experimental.MultiWorkerMirroredStrategy().num_replicas_in_sync
    1
    """

    def __init__(self, communication=CommunicationImplementation.AUTO, cluster_resolver=None):
        super().__init__(cluster_resolver, CommunicationOptions(implementation=communication))
