"""`tf.distribute.ParameterServerStrategy`: variables on servers, which workers read and write asynchronously.

The program is the *coordinator*: it creates the variables, each on a server in turn, and schedules functions on the
workers (`cluster_coordinator.py`). Workers and parameter servers are processes that run a `tf.distribute.Server`.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from reflow.api.array.arrange import concat
from reflow.api.export import export
from reflow.core.context import init_scope, new_id
from reflow.core.logging import logger
from reflow.distribute.cluster_spec import ClusterSpec
from reflow.distribute.extended import StrategyExtended
from reflow.distribute.partitioners import Partitioner
from reflow.distribute.remote import PATIENCE, RemoteHandle, call
from reflow.distribute.resolvers import ClusterResolver
from reflow.distribute.strategy import Strategy
from reflow.eager.variables import Variable
from reflow.ops.convert import convert_to_tensor


@export("__internal__.distribute.ShardedVariable")
class ShardedVariable:
    """A variable split along its first axis, each shard on a different server.

    It is read as one tensor; `variables` are the pieces.
    """

    def __init__(self, variables, name: str):
        self.variables, self.name = list(variables), name
        self.dtype, self.trainable = variables[0].dtype, variables[0].trainable
        rows = sum(v.shape[0] for v in variables)
        self.shape = variables[0].shape.__class__([rows, *variables[0].shape[1:]])

    def __iter__(self):
        return iter(self.variables)

    def value(self):
        return concat([v.value() for v in self.variables], 0)

    read_value = value

    def numpy(self):
        return self.value().numpy()

    def __tf_tensor__(self, dtype=None, name=None):
        return convert_to_tensor(self.value(), dtype)

    def _write(self, method: str, value):
        value, start = convert_to_tensor(value, self.dtype), 0
        for piece in self.variables:
            stop = start + piece.shape[0]
            getattr(piece, method)(value[start:stop])
            start = stop
        return self

    def assign(self, value):
        return self._write("assign", value)

    def assign_add(self, delta):
        return self._write("assign_add", delta)

    def assign_sub(self, delta):
        return self._write("assign_sub", delta)


class ParameterServerExtended(StrategyExtended):
    """The extended part of a strategy with variables on servers: one replica, since each worker runs by itself."""

    def __init__(self, container_strategy, cluster, partitioner):
        super().__init__(container_strategy)
        self._servers = [cluster.task_address("ps", i) for i in cluster.task_indices("ps")]
        self._workers = {i: cluster.task_address("worker", i) for i in cluster.task_indices("worker")}
        self._partitioner = partitioner
        self._turn = itertools.cycle(range(len(self._servers)))

    worker_devices = property(lambda self: tuple(f"/job:worker/replica:0/task:{i}" for i in self._workers))
    parameter_devices = property(lambda self: tuple(f"/job:ps/replica:0/task:{i}" for i in range(len(self._servers))))
    _num_workers = property(lambda self: len(self._workers))
    _num_ps = property(lambda self: len(self._servers))

    def _create_variable(self, next_creator, **kwargs):
        variable = super()._create_variable(next_creator, **kwargs)
        pieces = 1
        if self._partitioner is not None and variable.shape.rank:
            cut = self._partitioner(variable.shape, variable.dtype)
            if any(n > 1 for n in cut[1:]):
                raise ValueError(f"Only the first axis of a variable can be cut. Received: {cut} from the partitioner")
            pieces = cut[0]
        if pieces == 1:
            return self._moved(variable)
        with init_scope():
            parts = np.array_split(variable.numpy(), pieces)
            name = variable.name.removesuffix(":0")
            made = [
                super(ParameterServerExtended, self)._create_variable(
                    next_creator, **(kwargs | {"initial_value": part, "name": f"{name}/part_{i}", "shape": None})
                )
                for i, part in enumerate(parts)
            ]
        return ShardedVariable([self._moved(part) for part in made], name)

    def _moved(self, variable: Variable) -> Variable:
        """Give a variable's value to the server whose turn it is."""
        number = next(self._turn)
        address, handle = self._servers[number], variable._handle._value
        key = f"{handle.name}/{new_id()}"
        with init_scope():
            call(address, keep=key, arguments=[variable.numpy()], timeout=PATIENCE, patient=True)
        variable._handle._value = RemoteHandle(handle.dtype, handle.dims, handle.name, address, key)
        return variable


_JOBS = ("chief", "worker", "evaluator", "ps")


def check_cluster(cluster: ClusterSpec, task_type: str | None) -> None:
    """ValueError if a cluster cannot train with parameter servers, or has no place for a task of that type."""
    for job in cluster.jobs:
        if job not in _JOBS:
            raise ValueError(
                f"Disallowed task type found in cluster spec: {job!r}. Allowed types are {_JOBS}. Received: {cluster}"
            )
    if task_type not in (*_JOBS, None):
        raise ValueError(f"Unrecognized task_type: {task_type}, valid task types are: {_JOBS}")
    for job in ("chief", "evaluator"):
        if job in cluster.jobs and cluster.num_tasks(job) > 1:
            raise ValueError(f"There must be at most one {job!r} job. Received: {cluster}")
    for job in ("ps", "worker"):
        if job not in cluster.jobs or not cluster.num_tasks(job):
            raise ValueError(f"There must be at least one {job}. Received: {cluster}")


@export("distribute.ParameterServerStrategy", "distribute.experimental.ParameterServerStrategy")
class ParameterServerStrategyV2(Strategy):
    """Variables on parameter servers, for `tf.distribute.coordinator.ClusterCoordinator`.

    Args:
      cluster_resolver: a resolver whose cluster has the jobs "ps" and "worker".
      variable_partitioner: a `tf.distribute.experimental.partitioners.Partitioner`; without one no variable is cut.

    Raises:
      ValueError: if a job is missing, or is none that trains.
      UnavailableError: if a server does not answer; it is named.

    >>> spec = tf.train.ClusterSpec({"ps": ["127.0.0.1:2222"], "worker": ["127.0.0.1:2223"]})
    >>> resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(spec)
    >>> tf.distribute.ParameterServerStrategy(resolver).extended.worker_devices
    ('/job:worker/replica:0/task:0',)
    """

    _coordinator: Any = None  # the one `ClusterCoordinator` of the strategy

    _should_use_with_coordinator = True

    def __init__(self, cluster_resolver, variable_partitioner=None):
        if not isinstance(cluster_resolver, ClusterResolver):
            raise ValueError(f"`cluster_resolver` must be a ClusterResolver. Received: {cluster_resolver!r}")
        if variable_partitioner is not None and not isinstance(variable_partitioner, Partitioner):
            raise ValueError(f"`variable_partitioner` must be a Partitioner. Received: {variable_partitioner!r}")
        cluster = cluster_resolver.cluster_spec()
        check_cluster(cluster, cluster_resolver.task_type)
        self._cluster_resolver = cluster_resolver
        super().__init__(ParameterServerExtended(self, cluster, variable_partitioner))
        logger.info("ParameterServerStrategy with %s", cluster)

    cluster_resolver = property(lambda self: self._cluster_resolver)
