"""Clusters in eager code: connecting to one, and the devices of its tasks."""

from __future__ import annotations

from reflow.api.export import export
from reflow.devices.names import DeviceSpec
from reflow.devices.placement import DeviceScope, remotes
from reflow.distribute.cluster_spec import ClusterSpec
from reflow.distribute.remote_devices import connect
from reflow.distribute.resolvers import ClusterResolver
from reflow.distribute.server import Server


@export("config.experimental.ClusterDeviceFilters")
class ClusterDeviceFilters:
    """Which devices the tasks of a cluster see; tasks without a filter see all.

    >>> filters = tf.config.experimental.ClusterDeviceFilters()
    >>> filters.set_device_filters("worker", 1, ["/job:worker/task:1"])
    """

    def __init__(self):
        self._device_filters: dict[str, dict[int, list[str]]] = {}

    def set_device_filters(self, job_name, task_index, device_filters):
        """Says which devices a task sees.

        Args:
          job_name: The job of the task.
          task_index: The number of the task.
          device_filters: Beginnings of device names, such as "/job:ps".

        Raises:
          AssertionError: A filter is not text.
        """
        if not all(isinstance(f, str) for f in device_filters):
            raise AssertionError(f"Device filters must be strings. Received: {device_filters}")
        self._device_filters.setdefault(job_name, {})[task_index] = [*device_filters]


@export("config.experimental_connect_to_cluster")
def experimental_connect_to_cluster(
    cluster_spec_or_resolver, job_name="localhost", task_index=0, protocol=None, make_master_device_default=True,
    cluster_device_filters=None,
):
    """Connect to the servers of a cluster: their devices can then be named in `tf.device`.

    Args:
      cluster_spec_or_resolver: a `tf.train.ClusterSpec`, or a resolver.
      job_name: of this process. If the cluster has that job, this process answers at its address, too.
      task_index: of this process.
      protocol: "grpc".
      make_master_device_default: whether ops go to the resolver's master, if it is one of the servers.
      cluster_device_filters: which devices tasks see; those that this process does not see are not connected.

    Returns:
      None.

    Raises:
      ValueError: it is neither a cluster nor a resolver; the protocol is another one.
      UnavailableError: a server does not answer within a minute; it is named.

    >>> spec = tf.train.ClusterSpec({})
    >>> tf.config.experimental_connect_to_cluster(tf.distribute.cluster_resolver.SimpleClusterResolver(spec))
    """
    if protocol not in (None, "grpc"):
        raise ValueError(f"The protocol of a cluster must be 'grpc'. Received: {protocol!r}")
    given = cluster_spec_or_resolver
    if isinstance(given, ClusterResolver) and given.master() in ("", "local"):
        return
    if not isinstance(given, (ClusterSpec, ClusterResolver)):
        raise ValueError(
            f"`cluster_spec_or_resolver` must be a `ClusterSpec` or a `ClusterResolver`. Received: {given!r}"
        )
    cluster = given.cluster_spec() if isinstance(given, ClusterResolver) else given
    hidden = _hidden(cluster, job_name, task_index, cluster_device_filters)
    for job in cluster.jobs:
        for task in cluster.task_indices(job):
            if (job, task) == (job_name, task_index):
                _own_servers.append(Server(cluster, job, task))
            elif (job, task) not in hidden:
                connect(job, task, cluster.task_address(job, task))
    if make_master_device_default and isinstance(given, ClusterResolver):
        _go_to_master(cluster, given.master())


#: what lasts as long as the process: the servers that it is, and the scope of a master
_own_servers: list[Server] = []
_default_scopes: list[DeviceScope] = []


def _hidden(cluster: ClusterSpec, job: str, task: int, filters: ClusterDeviceFilters | None) -> set[tuple[str, int]]:
    """The tasks that a task is not to see."""
    seen = [] if filters is None else filters._device_filters.get(job, {}).get(task, [])
    specs = [DeviceSpec.from_string(one) for one in seen]
    everybody = {(j, i) for j in cluster.jobs for i in cluster.task_indices(j)}
    return {
        (j, i) for j, i in everybody if specs and not any(s.job in (None, j) and s.task in (None, i) for s in specs)
    }


def _go_to_master(cluster: ClusterSpec, master: str) -> None:
    """Have ops of this thread run on the master, if it is a task of the cluster."""
    for job in cluster.jobs:
        for task in cluster.task_indices(job):
            if (
                cluster.task_address(job, task) == master.removeprefix("grpc://")
                and f"/job:{job}/replica:0/task:{task}" in remotes
            ):
                _default_scopes.append(DeviceScope(f"/job:{job}/task:{task}"))
                _default_scopes[-1].__enter__()
                return


@export("config.experimental_connect_to_host")
def experimental_connect_to_host(remote_host: str | list[str] | None = None, job_name: str = "worker") -> None:
    """Connect to one server, or to several: their devices can then be named in `tf.device`.

    Args:
      remote_host: the address of a server, or a list of them.
      job_name: the job whose tasks they are.

    Returns:
      None.

    Raises:
      ValueError: there is no address.
      UnavailableError: a server does not answer within a minute; it is named.

    >>> server = tf.distribute.Server.create_local_server()
    >>> tf.config.experimental_connect_to_host(server.target)
    >>> with tf.device("/job:worker/task:0"):
    ...     tf.add(1, 2).device
    '/job:worker/replica:0/task:0/device:CPU:0'
    """
    if not remote_host:
        raise ValueError("Must provide at least one remote_host")
    hosts = [remote_host] if isinstance(remote_host, str) else remote_host
    experimental_connect_to_cluster(ClusterSpec({job_name: [h.removeprefix("grpc://") for h in hosts]}))
