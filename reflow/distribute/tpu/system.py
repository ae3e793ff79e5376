"""TPU systems: finding, starting and shutting down one.

A *simulated* system (`REFLOW_SIMULATED_TPUS=8 python train.py`) has cores `/device:TPU:0`, … that, like logical CPUs,
are names for the host, in the topology of a board: chips in a rectangle, two cores each. TPU programs run on it
unchanged. Without one, programs get TensorFlow's errors.
"""

from __future__ import annotations

import math
import os
from typing import Any

from reflow.api.export import export
from reflow.core import errors
from reflow.devices import placement
from reflow.distribute.cluster_spec import ClusterSpec
from reflow.distribute.clusters import experimental_connect_to_cluster
from reflow.distribute.resolvers import ClusterResolver
from reflow.distribute.tpu.topology import HardwareFeature, Topology, TPUSystemMetadata

_LOCAL = ("", "local")


def simulated_topology(cores: int) -> Topology:
    """A board with that many cores: chips with two cores each, or with one if the number is odd, in the squarest
    rectangle.

    >>> simulated_topology(8).mesh_shape.tolist()
    [2, 2, 1, 2]
    """
    each = 2 - cores % 2
    chips = cores // each
    columns = next(n for n in range(math.isqrt(chips), 0, -1) if chips % n == 0)
    rows = chips // columns
    places = [[x, y, 0, core] for y in range(columns) for x in range(rows) for core in range(each)]
    return Topology(mesh_shape=[rows, columns, 1, each], device_coordinates=[places])


@export("distribute.cluster_resolver.TPUClusterResolver")
class TPUClusterResolver(ClusterResolver):
    """Where a TPU is.

    Args:
      tpu: `"local"` for the one of this machine, or addresses `grpc://host:port`. By default the environment variable
        `TPU_NAME`, or the simulated system if there is one.
      zone: of a Cloud TPU.
      project: of a Cloud TPU.
      job_name: the job of the TPU's workers.
      coordinator_name: the job of the coordinator, if there is one.
      coordinator_address: the coordinator's address.
      credentials: for the Cloud API.
      service: a client of the Cloud API.
      discovery_url: where the Cloud API describes itself.

    Raises:
      ValueError: no TPU was named.
      UnavailableError: a name that only the Cloud API knows, which is not asked.

    >>> resolver = tf.distribute.cluster_resolver.TPUClusterResolver("grpc://10.0.0.2:8470")
    >>> resolver.cluster_spec().as_dict()
    {'worker': ['10.0.0.2:8470']}
    """

    def __init__(
        self, tpu: Any = None, zone: Any = None, project: Any = None, job_name: str = "worker",
        coordinator_name: str | None = None, coordinator_address: str | None = None, credentials: Any = "default",
        service: Any = None, discovery_url: Any = None,
    ) -> None:
        tpu = tpu or os.environ.get("TPU_NAME") or ("local" if placement.settings.tpus else "")
        if not tpu:
            raise ValueError("Please provide a TPU Name to connect to.")
        tpu = ",".join(tpu) if isinstance(tpu, (list, tuple)) else tpu
        self._local = tpu in _LOCAL
        self._addresses = [] if self._local else [_address(one) for one in tpu.split(",")]
        self._job, self._coordinator = job_name, (coordinator_name, coordinator_address)
        self._task_type, self._task_id = job_name, 0
        self._topology: bytes | None = None

    def __enter__(self) -> TPUClusterResolver:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def __deepcopy__(self, memo: dict) -> TPUClusterResolver:
        return self

    @staticmethod
    def connect(tpu: Any = None, zone: Any = None, project: Any = None) -> TPUClusterResolver:
        """A resolver whose system is connected and initialized."""
        resolver = TPUClusterResolver(tpu, zone, project)
        experimental_connect_to_cluster(resolver)
        initialize_tpu_system(resolver)
        return resolver

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        return "" if self._local else f"{rpc_layer or 'grpc'}://{self._addresses[task_id or 0]}"

    def get_master(self) -> str:
        """The same as `master()`."""
        return self.master()

    def get_job_name(self) -> str:
        """The job of the TPU's workers."""
        return self._job

    def get_coordination_service_leader(self) -> str | None:
        """The task that keeps the others in step; None on one machine."""
        return None if self._local else f"/job:{self._job}/replica:0/task:0"

    def cluster_spec(self) -> ClusterSpec:
        """The addresses of the workers; none if the TPU is on this machine."""
        if self._local:
            return ClusterSpec({})
        name, address = self._coordinator
        return ClusterSpec({self._job: self._addresses} | ({name: [address]} if name and address else {}))

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> dict:
        """How many cores each task has."""
        return {"TPU": self.get_tpu_system_metadata().num_of_cores_per_host}

    def get_tpu_system_metadata(self) -> TPUSystemMetadata:
        """The cores, hosts and devices of the system."""
        cores = placement.settings.tpus if self._local else 0
        topology = simulated_topology(cores) if cores else None
        return TPUSystemMetadata(cores, min(cores, 1), cores, topology, tuple(placement.logical_devices()))

    def set_tpu_topology(self, serialized_tpu_topology: bytes) -> None:
        """Remember the topology that initialization found."""
        self._topology = serialized_tpu_topology

    @property
    def tpu_hardware_feature(self) -> HardwareFeature | None:
        """What the hardware can do for embeddings; None before initialization, and for a system that does not say."""
        return None

    @property
    def environment(self) -> str:
        return ""


def _address(name: str) -> str:
    if not name.startswith("grpc://"):
        raise errors.UnavailableError(
            None, None,
            f"The Cloud API is not asked for the address of the TPU {name!r}: give its address, "
            "grpc://host:port, or \"local\".",
        )
    return name.removeprefix("grpc://")


def _resolver(given: Any) -> TPUClusterResolver:
    resolver = TPUClusterResolver("") if given is None else given
    if not isinstance(resolver, TPUClusterResolver):
        raise TypeError(
            f"`cluster_resolver` must be a tf.distribute.cluster_resolver.TPUClusterResolver. Received: {resolver!r}"
        )
    return resolver


@export("tpu.experimental.initialize_tpu_system")
def initialize_tpu_system(cluster_resolver: Any = None) -> Topology:
    """Start the TPU of a resolver.

    Args:
      cluster_resolver: a `TPUClusterResolver`; by default that of the environment.

    Returns:
      The system's `tf.tpu.experimental.Topology`.

    Raises:
      NotFoundError: there is no TPU.
      TypeError: the argument is another kind of resolver.

    >>> try:
    ...     tf.tpu.experimental.initialize_tpu_system(tf.distribute.cluster_resolver.TPUClusterResolver("local"))
    ... except tf.errors.NotFoundError:
    ...     print("no TPU")
    no TPU
    """
    resolver = _resolver(cluster_resolver)
    topology = resolver.get_tpu_system_metadata().topology
    if topology is None:
        raise errors.NotFoundError(
            None, None,
            "TPUs not found in the cluster. Failed in initialization: this machine has none, and "
            "REFLOW_SIMULATED_TPUS asks for none.",
        )  # fmt: skip
    placement.settings.tpu_systems[resolver.master()] = topology
    resolver.set_tpu_topology(topology.serialized())
    return topology  # type: ignore[no-any-return] # a named tuple's field


def running_topology(resolver: TPUClusterResolver) -> Topology:
    """The topology of a system that was initialized. NotFoundError if it was not."""
    running = placement.settings.tpu_systems.get(resolver.master())
    if running is None:
        raise errors.NotFoundError(
            None, None, "The TPU system is not running: call tf.tpu.experimental.initialize_tpu_system first."
        )
    return running  # type: ignore[no-any-return] # settings hold it without its type, which is defined above them


@export("tpu.experimental.shutdown_tpu_system")
def shutdown_tpu_system(cluster_resolver: Any = None) -> None:
    """Ends a TPU system.

    Args:
      cluster_resolver: Which one; by default that of the environment.

    Returns:
      None.

    Raises:
      InvalidArgumentError: it was not started.

    >>> try:
    ...     tf.tpu.experimental.shutdown_tpu_system(tf.distribute.cluster_resolver.TPUClusterResolver("local"))
    ... except tf.errors.InvalidArgumentError:
    ...     print("no TPU")
    no TPU
    """
    if placement.settings.tpu_systems.pop(_resolver(cluster_resolver).master(), None) is None:
        raise errors.InvalidArgumentError(None, None, "There is no TPU system to shut down: none was initialized.")
