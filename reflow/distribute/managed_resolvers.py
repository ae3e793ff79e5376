"""Cluster resolvers of job managers: Slurm, SageMaker, Kubernetes, Google Compute Engine.

Slurm and SageMaker provide everything in environment variables. The other two are queried over the network through
their own Python clients, which are imported only if the program does not pass one.
"""

from __future__ import annotations

import enum
import json
import os
import re
import subprocess
from typing import Any

from reflow.api.export import export
from reflow.distribute.cluster_spec import ClusterSpec
from reflow.distribute.resolvers import ClusterResolver, ConfiguredResolver, format_master_url

_HOSTS = re.compile(r"([^,\[\]]*)\[([^\]]+)\]([^,\[\]]*)|([^,\[\]]+)")


@export("__internal__.distribute.expand_hostlist")
def expand_hostlist(hostlist: str) -> list[str]:
    """The hosts of Slurm's short form: `n[1-2],m5` is `n1`, `n2`, `m5`."""
    hosts: list[str] = []
    for before, numbers, after, plain in _HOSTS.findall(hostlist):
        if plain:
            hosts.append(plain)
            continue
        for part in numbers.split(","):
            first, _, last = part.partition("-")
            for i in range(int(first), int(last or first) + 1):
                hosts.append(f"{before}{i:0{len(first)}d}{after}")
    return hosts


@export("__internal__.distribute.expand_tasks_per_node")
def expand_tasks_per_node(tasks_per_node: str) -> list[int]:
    """The numbers of Slurm's short form: `3(x2),2` is 3, 3, 2."""
    counts: list[int] = []
    for part in tasks_per_node.split(","):
        found = re.fullmatch(r"(\d+)(?:\(x(\d+)\))?", part.strip())
        if found is None:
            raise ValueError(f"Slurm's number of tasks per node is not understood. Received: {tasks_per_node!r}")
        counts += [int(found[1])] * int(found[2] or 1)
    return counts


def _slurm(name: str) -> str:
    """A variable of Slurm: that of the step if there is one, else that of the job."""
    for variable in (f"SLURM_STEP_{name}", f"SLURM_{name}"):
        if variable in os.environ:
            return os.environ[variable]
    raise RuntimeError(f"SLURM_{name} is not in the environment: the program does not seem to run under Slurm.")


def _visible_gpus() -> int:
    """The number of GPUs of this node: those of CUDA_VISIBLE_DEVICES, else those that `nvidia-smi` lists."""
    listed = os.environ.get("CUDA_VISIBLE_DEVICES")
    if listed is not None:
        return len([gpu for gpu in listed.split(",") if gpu])
    try:
        found = subprocess.run(["nvidia-smi", "--list-gpus"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return 0
    return len(found.splitlines())


@export("distribute.cluster_resolver.SlurmClusterResolver")
class SlurmClusterResolver(ClusterResolver):
    """The cluster of a Slurm job step, in which every task is one process.

    Args:
      jobs: how many tasks each job has, in the order of the names; `{"worker": n}` if None.
      port_base: the port of the first task of a node; further ones get the next ports.
      gpus_per_node: how many GPUs a node has; asked for if None.
      gpus_per_task: how many of them a task gets; an equal share if None.
      tasks_per_node: how many tasks a node has, a number or a dictionary by host; Slurm's if None.
      auto_set_gpu: whether CUDA_VISIBLE_DEVICES is set to the GPUs of this task.
      rpc_layer: the protocol in front of addresses.

    Raises:
      RuntimeError: outside of Slurm, or if the jobs need more tasks than there are.

    >>> resolver = tf.distribute.cluster_resolver.SlurmClusterResolver()  # in a job of two tasks  # doctest: +SKIP
    >>> resolver.cluster_spec()  # doctest: +SKIP
    ClusterSpec({'worker': ['node1:8888', 'node2:8888']})
    """

    def __init__(
        self, jobs=None, port_base=8888, gpus_per_node=None, gpus_per_task=None, tasks_per_node=None, auto_set_gpu=True,
        rpc_layer="grpc",
    ):
        self._rank = int(_slurm("PROCID"))
        if tasks_per_node is None:
            counts = expand_tasks_per_node(_slurm("TASKS_PER_NODE"))
            self._tasks_on = dict(zip(self._hosts(), counts))
        elif isinstance(tasks_per_node, dict):
            self._tasks_on = tasks_per_node
        else:
            self._tasks_on = dict.fromkeys(self._hosts(), int(tasks_per_node))
        self._jobs = {"worker": int(_slurm("NUM_TASKS"))} if jobs is None else jobs
        available, wanted = sum(self._tasks_on.values()), sum(self._jobs.values())
        if wanted > available:
            raise RuntimeError(
                f"Requested {wanted} tasks, but only {available} are assigned by Slurm: {self._tasks_on}"
            )
        self._gpus_per_node = _visible_gpus() if gpus_per_node is None else gpus_per_node
        most = max(self._tasks_on.values())
        self._gpus_per_task = self._gpus_per_node // most if gpus_per_task is None else gpus_per_task
        if self._gpus_per_task * most > self._gpus_per_node:
            raise RuntimeError(
                f"{most} tasks with {self._gpus_per_task} GPUs each do not fit on a node with "
                f"{self._gpus_per_node} GPUs."
            )
        self._port_base, self._auto_set_gpu = port_base, auto_set_gpu
        self._task_type = self._task_id = None
        self.rpc_layer = rpc_layer

    @staticmethod
    def _hosts() -> list[str]:
        return expand_hostlist(_slurm("NODELIST"))

    def cluster_spec(self):
        tasks = [
            (f"{host}:{self._port_base + i}", range(i * self._gpus_per_task, (i + 1) * self._gpus_per_task))
            for host, count in sorted(self._tasks_on.items())
            for i in range(count)
        ]
        cluster, start = {}, 0
        for name, count in sorted(self._jobs.items()):
            cluster[name] = [address for address, _ in tasks[start : start + count]]
            if start <= self._rank < start + count:
                self._task_type, self._task_id = name, self._rank - start
            start += count
        if self._auto_set_gpu and self._gpus_per_task:
            os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, tasks[self._rank][1]))
        return ClusterSpec(cluster)

    def get_task_info(self):
        """The job and the number of this task. `cluster_spec` must have been asked for before."""
        return self.task_type, self.task_id

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        task_type = self.task_type if task_type is None else task_type
        task_id = self.task_id if task_id is None else task_id
        if task_type is None or task_id is None:
            return ""
        return format_master_url(self.cluster_spec().task_address(task_type, task_id), rpc_layer or self.rpc_layer)

    def num_accelerators(self, task_type=None, task_id=None, config_proto=None) -> dict:
        return {"GPU": self._gpus_per_task} if self._gpus_per_task else {}


class SageMakerClusterResolver(ConfiguredResolver):
    """The hosts of a training job of Amazon SageMaker, each of them a worker.

    Args:
      port: The port that every host serves on.
      task_type: The job of this process; "worker" if None.
      task_id: The number of this process; the place of this host among all in the order of their names if None.
      rpc_layer: The protocol in front of addresses.
      environment: A name of the environment.
    """

    def __init__(self, port=2223, task_type=None, task_id=None, rpc_layer=None, environment=None):
        super().__init__(task_type, task_id, rpc_layer, environment)
        self._port = port

    def _configuration(self) -> dict:
        if not {"SM_HOSTS", "SM_CURRENT_HOST"} <= os.environ.keys():
            raise AssertionError("Not a SageMaker Environment")
        hosts, here = sorted(json.loads(os.environ["SM_HOSTS"] or "[]")), os.environ["SM_CURRENT_HOST"]
        if here not in hosts:
            return {}
        cluster = {"worker": [f"{host}:{self._port}" for host in hosts]}
        return {"cluster": cluster, "task": {"type": "worker", "index": hosts.index(here)}}


@export("distribute.cluster_resolver.KubernetesExecutableLocation")
class ExecutableLocation(enum.Enum):
    """Says whether the program that asks Kubernetes runs in the cluster or outside.

    Attributes:
      WITHIN_CLUSTER: In the cluster.
      OFF_CLUSTER: Outside.

    >>> tf.distribute.cluster_resolver.KubernetesExecutableLocation.OFF_CLUSTER.value
    1
    """

    WITHIN_CLUSTER = 0
    OFF_CLUSTER = 1


def _address(resolver: Any, task_type, task_id, rpc_layer) -> str:
    """Where a task is reached; an empty string if it is not named."""
    if task_type is None or task_id is None:
        return ""
    return format_master_url(resolver.cluster_spec().task_address(task_type, task_id), rpc_layer or resolver.rpc_layer)


@export("distribute.cluster_resolver.KubernetesClusterResolver")
class KubernetesClusterResolver(ClusterResolver):
    """The running pods of a Kubernetes cluster that carry given labels.

    Args:
      job_to_label_mapping: label selectors by job; `{"worker": ["job-name=tensorflow"]}` if None.
      tf_server_port: the port that every pod serves on.
      rpc_layer: the protocol in front of addresses.
      override_client: a client to ask instead of that of the package `kubernetes`.
      executable_location: where this program runs, which says how the client finds its credentials.

    Raises:
      ImportError: if no client is given and the package `kubernetes` is not installed.

    >>> from tensorflow.distribute import cluster_resolver  # doctest: +SKIP
    >>> resolver = cluster_resolver.KubernetesClusterResolver({"worker": ["job-name=train"]})  # doctest: +SKIP
    >>> resolver.cluster_spec()  # doctest: +SKIP
    ClusterSpec({'worker': ['10.1.2.3:8470', '10.1.2.4:8470']})
    """

    def __init__(
        self, job_to_label_mapping=None, tf_server_port=8470, rpc_layer="grpc", override_client=None,
        executable_location=ExecutableLocation.WITHIN_CLUSTER,
    ):
        self._client = _kubernetes_client(executable_location) if override_client is None else override_client
        self._labels = job_to_label_mapping or {"worker": ["job-name=tensorflow"]}
        self._port = tf_server_port
        self.rpc_layer = rpc_layer

    def cluster_spec(self):
        cluster = {}
        for job, labels in self._labels.items():
            pods = [pod for label in labels for pod in self._pods(label)]
            cluster[job] = [
                f"{pod.status.host_ip}:{self._port}" for pod in sorted(pods, key=lambda pod: pod.metadata.name)
            ]
        return ClusterSpec(cluster)

    def _pods(self, label: str) -> list:
        pods = self._client.list_pod_for_all_namespaces(label_selector=label, watch=False).items
        for pod in pods:
            if pod.status.phase != "Running":
                raise RuntimeError(f'Pod "{pod.metadata.name}" is not running; phase: "{pod.status.phase}"')
        return pods

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        return _address(self, task_type, task_id, rpc_layer)


def _kubernetes_client(location):
    try:
        from kubernetes import client, config
    except ImportError:
        raise ImportError(
            "The Kubernetes Python client must be installed to use the Kubernetes Cluster Resolver."
        ) from None
    if location is ExecutableLocation.OFF_CLUSTER:
        config.load_kube_config()
    elif location is ExecutableLocation.WITHIN_CLUSTER:
        config.load_incluster_config()
    else:
        raise ValueError(f"The executable location provided is invalid. Received: {location!r}")
    return client.CoreV1Api()


@export("distribute.cluster_resolver.GCEClusterResolver")
class GCEClusterResolver(ClusterResolver):
    """The running machines of an instance group of Google Compute Engine.

    Args:
      project: the project that holds the group.
      zone: the zone of the group.
      instance_group: the group's name.
      port: the port that every machine serves on.
      task_type: the job that the machines form.
      task_id: which of them this is.
      rpc_layer: the protocol in front of addresses.
      credentials: credentials for the service, or "default".
      service: a client to ask instead of that of the package `googleapiclient`.

    Raises:
      ImportError: if no service is given and the package is not installed.

    >>> from tensorflow.distribute import cluster_resolver  # doctest: +SKIP
    >>> resolver = cluster_resolver.GCEClusterResolver("mine", "europe-west4-a", "group", 8470)  # doctest: +SKIP
    >>> resolver.cluster_spec()  # doctest: +SKIP
    ClusterSpec({'worker': ['10.164.0.2:8470', '10.164.0.3:8470']})
    """

    rpc_layer: str

    def __init__(
        self, project, zone, instance_group, port, task_type="worker", task_id=0, rpc_layer="grpc",
        credentials="default", service=None,
    ):
        self._service = _compute_service(credentials) if service is None else service
        self._where = {"project": project, "zone": zone}
        self._group, self._port, self._job = instance_group, port, task_type
        self._task_type, self._task_id = task_type, task_id
        self.rpc_layer = rpc_layer

    def cluster_spec(self):
        groups, instances = self._service.instanceGroups(), self._service.instances()
        request = groups.listInstances(
            **self._where, instanceGroup=self._group, body={"instanceState": "RUNNING"}, orderBy="name"
        )
        addresses = []
        while request is not None:
            response = request.execute()
            for item in response.get("items", ()):
                machine = instances.get(**self._where, instance=item["instance"].rsplit("/", 1)[-1]).execute()
                addresses.append(f"{machine['networkInterfaces'][0]['networkIP']}:{self._port}")
            request = groups.listInstances_next(previous_request=request, previous_response=response)
        return ClusterSpec({self._job: sorted(addresses)})

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        task_type = self.task_type if task_type is None else task_type
        return _address(self, task_type, self.task_id if task_id is None else task_id, rpc_layer)


def _compute_service(credentials):
    try:
        from googleapiclient import discovery
    except ImportError:
        raise ImportError("googleapiclient must be installed before using the GCE cluster resolver") from None
    if credentials == "default":
        from google.auth import default

        credentials, _ = default()
    return discovery.build("compute", "v1", credentials=credentials)
