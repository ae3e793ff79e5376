"""`tf.distribute.Server`: a process that holds variables, or runs functions, for a coordinator."""

from __future__ import annotations

from typing import Any

import numpy as np

from reflow.api.export import export
from reflow.distribute.cluster_spec import ClusterSpec, ServerDef
from reflow.distribute.remote import DEFINITION, RESET, Answering, call, reach, serve, shared_key


@export("distribute.Server")
class Server:
    """Serves one task of a cluster, on the address that the cluster assigns to it.

    Args:
      server_or_cluster_def: a `tf.train.ServerDef`, a `tf.train.ClusterSpec`, a `tf.train.ClusterDef` or a dictionary
        of jobs.
      job_name: the task's job; may be left out if there is one only.
      task_index: the task's number; may be left out if the job has one only.
      protocol: "grpc".
      config: a `ConfigProto` for the server's definition.
      start: whether to start at once.

    Raises:
      ValueError: if the task is not clear, or is not in the cluster.
      UnknownError: if the address is in use.

    >>> tf.distribute.Server.create_local_server().server_def.job_name
    'local'
    """

    def __init__(self, server_or_cluster_def, job_name=None, task_index=None, protocol=None, config=None, start=True):
        self._server_def = _definition(server_or_cluster_def, job_name, task_index, protocol, config)
        cluster = ClusterSpec(self._server_def.cluster)
        self._address = cluster.task_address(self._server_def.job_name, self._server_def.task_index)
        self._answering = Answering(self._address, self._server_def.SerializeToString())
        self._server, self.variables = serve(self._answering), self._answering.variables
        _running[self.target] = self
        self._started = False
        if start:
            self.start()

    def start(self):
        """Begin to answer; does nothing the second time."""
        if not self._started:
            self._started = True
            self._server.start()

    def join(self):
        """Wait until the server ends, which it does not do by itself."""
        self._server.wait_for_termination()

    @property
    def server_def(self):
        return self._server_def

    @property
    def target(self) -> str:
        return f"grpc://{self._address}"

    def reset(self, containers: list[str]) -> None:
        """Forget the variables and queues of sessions: those in some containers, or all."""
        self._answering.reset(containers)

    def keep(self, container: str, name: str, resource: Any) -> Any:
        """Keep a queue or table that sessions share until `reset`; returns it."""
        self._answering.objects[shared_key(container, name)] = resource
        return resource

    @staticmethod
    def create_local_server(config=None, start=True):
        """A server on a free port of this machine, reachable from this machine only."""
        return Server({"local": free_addresses(1)}, config=config, start=start)


def free_addresses(count: int) -> list[str]:
    """Free addresses on this machine; all ports are held until the last is found."""
    import contextlib
    import socket

    with contextlib.ExitStack() as held:
        probes = [held.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [f"127.0.0.1:{probe.getsockname()[1]}" for probe in probes]


@export("test.create_local_cluster")
def create_local_cluster(
    num_workers: int, num_ps: int, protocol: str = "grpc", worker_config: Any = None, ps_config: Any = None
) -> tuple[list[Server], list[Server]]:
    """Servers of this process for a cluster with the jobs "worker" and "ps", started.

    Args:
      num_workers: how many workers.
      num_ps: how many parameter servers.
      protocol: "grpc".
      worker_config: a `ConfigProto` for the workers.
      ps_config: a `ConfigProto` for the parameter servers.

    Returns:
      A list of the workers and a list of the parameter servers.

    >>> workers, servers = tf.test.create_local_cluster(num_workers=2, num_ps=1)
    >>> [w.server_def.task_index for w in workers], servers[0].server_def.job_name
    ([0, 1], 'ps')
    """
    addresses = free_addresses(num_workers + num_ps)
    jobs = {"worker": addresses[:num_workers], "ps": addresses[num_workers:]}
    spec = ClusterSpec(jobs)

    def servers(job: str, config: Any) -> list[Server]:
        return [Server(spec, job, index, protocol, config) for index in range(len(jobs[job]))]

    return servers("worker", worker_config), servers("ps", ps_config)


#: the servers of this process, by target. As in TensorFlow, one that was made answers until the process ends, whether
#: or not anybody holds it.
_running: dict[str, Server] = {}


class ServerElsewhere:
    """A server in another process, as a session sees it: the session runs here, and its variables are there."""

    def __init__(self, address: str):
        reach(address)
        self.address = address
        (definition,) = call(address, about=DEFINITION)
        self.server_def = ServerDef.FromString(definition.item())
        self.variables: dict[tuple[str, str], Any] = {}

    def reset(self, containers: list[str]) -> None:
        """Forget the variables of sessions: those in some containers, or all."""
        call(self.address, about=RESET, arguments=[np.array([c.encode() for c in containers], object)])


def server_at(target: str) -> Server | ServerElsewhere:
    """The server that a session's target names. A session on it runs here; all of them share the server's variables.

    Raises:
      UnavailableError: if there is no reply within a minute.
    """
    address = target.removeprefix("grpc://")
    return _running.get(f"grpc://{address}") or ServerElsewhere(address)


def task_of(server: Server | ServerElsewhere, job: str, task: int, cluster: Any = None) -> Server | str | None:
    """Who is a task of a cluster, by default of the server's own: a server of this process, else the address of another
    one; None if there is no such task."""
    known = ClusterSpec(server.server_def.cluster if cluster is None else cluster)
    if job not in known.jobs or task not in known.task_indices(job):
        return None
    address = known.task_address(job, task)
    return _running.get(f"grpc://{address}") or address


def _definition(given, job_name, task_index, protocol, config):
    if isinstance(given, ServerDef):
        definition = ServerDef()
        definition.CopyFrom(given)
    else:
        definition = ServerDef(cluster=ClusterSpec(given).as_cluster_def())
    if job_name is not None:
        definition.job_name = job_name
    if task_index is not None:
        definition.task_index = task_index
    if not definition.job_name:
        if len(definition.cluster.job) != 1:
            raise ValueError("Must specify an explicit `job_name`.")
        definition.job_name = definition.cluster.job[0].name
    tasks = ClusterSpec(definition.cluster).task_indices(definition.job_name)
    if task_index is None and definition.task_index not in tasks and len(tasks) == 1:
        definition.task_index = tasks[0]
    definition.protocol = protocol or definition.protocol or "grpc"
    if definition.protocol != "grpc":
        raise ValueError(f"The protocol of a server must be 'grpc'. Received: {definition.protocol!r}")
    if config is not None:
        definition.default_session_config.MergeFrom(config)
    return definition
