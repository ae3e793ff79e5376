"""Clusters as eager code sees them: connecting to one, and which devices its tasks see."""

from __future__ import annotations

from reflow.api.export import export
from reflow.distribute.resolvers import ClusterResolver


@export("config.experimental.ClusterDeviceFilters")
class ClusterDeviceFilters:
    """Which devices the tasks of a cluster see; tasks without a filter see all.

    >>> filters = tf.config.experimental.ClusterDeviceFilters()
    >>> filters.set_device_filters("worker", 1, ["/job:worker/task:1"])
    """

    def __init__(self):
        self._device_filters: dict[str, dict[int, list[str]]] = {}

    def set_device_filters(self, job_name, task_index, device_filters):
        """Say which devices a task sees. AssertionError if a filter is not text."""
        if not all(isinstance(f, str) for f in device_filters):
            raise AssertionError(f"Device filters must be strings. Received: {device_filters}")
        self._device_filters.setdefault(job_name, {})[task_index] = [*device_filters]


@export("config.experimental_connect_to_cluster")
def experimental_connect_to_cluster(
    cluster_spec_or_resolver, job_name="localhost", task_index=0, protocol=None, make_master_device_default=True,
    cluster_device_filters=None,
):
    """Connect to the servers of a cluster; nothing is to be done for a cluster that is this process alone.

    Args:
      cluster_spec_or_resolver: a resolver whose master is local, such as `TPUClusterResolver("local")`.
      job_name: of this process.
      task_index: of this process.
      protocol: of the connection.
      make_master_device_default: whether ops go to the master.
      cluster_device_filters: which devices tasks see.

    Raises:
      NotImplementedError: the cluster has other processes. Eager ops run in this process only: `ParameterServerStrategy` and
        `MultiWorkerMirroredStrategy` connect to theirs by themselves.

    >>> spec = tf.train.ClusterSpec({})
    >>> tf.config.experimental_connect_to_cluster(tf.distribute.cluster_resolver.SimpleClusterResolver(spec))
    """
    resolver = cluster_spec_or_resolver
    if isinstance(resolver, ClusterResolver) and resolver.master() in ("", "local"):
        return
    raise NotImplementedError(
        "Eager ops run in this process only. Use tf.distribute.ParameterServerStrategy or MultiWorkerMirroredStrategy, which connect "
        f"to their servers themselves. Received: cluster_spec_or_resolver={resolver!r}"
    )
