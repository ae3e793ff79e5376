"""`tf.compat.v1.distribute.experimental.ParameterServerStrategy`: a worker of a cluster with parameter servers.

Every worker is a process with its own graph (*between-graph replication*). Variables are on the servers, in turn;
everything else is on the worker. A session on the worker's server runs the graph here and requests the variables from
the servers (`reflow/compat/session.py`).
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from typing import Any

from reflow.api.export import export
from reflow.compat.distribute.strategies import CentralStorageStrategyV1, StrategyExtendedV1
from reflow.core.context import swapped
from reflow.devices.placement import DeviceScope
from reflow.distribute.central_storage import AggregatingVariable, CentralStorageExtended
from reflow.distribute.cluster_spec import ClusterSpec
from reflow.distribute.resolvers import ClusterResolver, TFConfigClusterResolver
from reflow.distribute.strategy import Strategy
from reflow.distribute.values import select
from reflow.eager.variable_enums import VariableAggregation


class ParameterServerExtendedV1(StrategyExtendedV1, CentralStorageExtended):
    """The extended part: the replicas of one worker, and whose turn it is to get a variable."""

    experimental_between_graph = property(lambda self: True)
    experimental_should_init = property(lambda self: self._is_chief)
    should_checkpoint = property(lambda self: self._is_chief)
    should_save_summary = property(lambda self: self._is_chief)
    parameter_devices = property(lambda self: tuple(self._servers))

    def __init__(self, container_strategy: Any, cluster: ClusterSpec, job: str, task: int, gpus: int) -> None:
        machine = f"/job:{job}/replica:0/task:{task}"
        devices = [f"{machine}/device:GPU:{i}" for i in range(gpus)] or [f"{machine}/device:CPU:0"]
        super().__init__(container_strategy, devices, "")
        self._cluster_spec, self._task_type, self._task_id = cluster, job, task
        self._is_chief = job == "chief" or job == "worker" and task == 0 and "chief" not in cluster.jobs
        self._servers = [f"/job:ps/task:{i}" for i in cluster.task_indices("ps")]
        self._turns = itertools.cycle(self._servers)
        self._beside: str | None = None  # the device of the variable with which new ones are colocated

    def _in_multi_worker_mode(self) -> bool:
        return True

    @contextlib.contextmanager
    def colocate_vars_with(self, colocate_with_variable: Any) -> Iterator[None]:
        outer, self._beside = self._beside, colocate_with_variable.device
        try:
            yield
        finally:
            self._beside = outer

    def _new_variable(self, next_creator: Any, kwargs: dict[str, Any]) -> Any:
        """A variable on the server whose turn it is, whatever device the code around names."""
        aggregation = VariableAggregation(kwargs.get("aggregation") or VariableAggregation.NONE)
        with DeviceScope(None), DeviceScope(self._beside or next(self._turns)):
            variable = next_creator(**kwargs)
        return AggregatingVariable(self._container_strategy(), [variable], aggregation)

    def _update_copies(self, var: Any, fn: Any, args: Any, kwargs: Any) -> list:
        with DeviceScope(None), DeviceScope(var.values[0].device), swapped(updating=0):
            return [fn(var.values[0], *select(0, args), **select(0, kwargs))]


@export("compat.v1.distribute.experimental.ParameterServerStrategy")
class ParameterServerStrategyV1(CentralStorageStrategyV1):
    """Replicas of one worker, with variables on the parameter servers of a cluster; without a cluster what
    `CentralStorageStrategy` is.

    Args:
      cluster_resolver: of a cluster; by default `TF_CONFIG`'s.

    Raises:
      ValueError: the cluster has no parameter servers, or does not say which task this process is.

    >>> spec = tf.train.ClusterSpec({"worker": ["127.0.0.1:1"], "ps": ["127.0.0.1:2", "127.0.0.1:3"]})
    >>> resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(spec, task_type="worker", task_id=0)
    >>> strategy = tf.compat.v1.distribute.experimental.ParameterServerStrategy(resolver)
    >>> with tf.Graph().as_default(), strategy.scope():
    ...     [tf.compat.v1.get_variable(name, []).device for name in "abc"]
    ['/job:ps/task:0', '/job:ps/task:1', '/job:ps/task:0']
    """

    def __init__(self, cluster_resolver: ClusterResolver | None = None) -> None:
        resolver = TFConfigClusterResolver() if cluster_resolver is None else cluster_resolver
        cluster = resolver.cluster_spec()
        if not cluster:
            super().__init__()
            self._extended._cluster_resolver = resolver
            return
        if not resolver.task_type or resolver.task_id is None:
            raise ValueError("When `cluster_spec` is given, you must also specify `task_type` and `task_id`")
        if "ps" not in cluster.jobs:
            raise ValueError("The cluster spec needs to have `ps` jobs.")
        gpus = resolver.num_accelerators().get("GPU", 0)
        Strategy.__init__(self, ParameterServerExtendedV1(self, cluster, resolver.task_type, resolver.task_id, gpus))
        self._extended._cluster_resolver = resolver

    def update_config_proto(self, config_proto: Any) -> Any:
        """The configuration of a session: it is to see this worker and the servers."""
        extended = self._extended
        if not isinstance(extended, ParameterServerExtendedV1):
            return super().update_config_proto(config_proto)
        updated = type(config_proto)()
        updated.CopyFrom(config_proto)
        del updated.device_filters[:]
        updated.device_filters.extend([f"/job:{extended._task_type}/task:{extended._task_id}", "/job:ps"])
        updated.isolate_session_state = False
        return updated
