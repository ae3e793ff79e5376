"""`tf.data.experimental.service`: pipelines that run in other processes.

A dispatcher and any number of workers are started, on this machine or elsewhere behind a tunnel; they listen on
127.0.0.1. A pipeline that is `distribute`d runs in the workers, and its elements are sent over gRPC.
"""

from __future__ import annotations

import collections
import enum
import os
import uuid
from typing import Any

from reflow.api.call import call
from reflow.api.export import export
from reflow.core import dtypes, errors
from reflow.data.dataset import DatasetV2
from reflow.data.service import messages, pipelines, saves, servers
from reflow.ops.convert import constant

_POLICIES = {"parallel_epochs": "OFF", "distributed_epoch": "DYNAMIC"}


@export("data.experimental.service.ShardingPolicy")
class ShardingPolicy(enum.IntEnum):
    """Says how the elements of a dataset are divided between workers.

    Attributes:
      OFF: Every worker makes all elements.
      DYNAMIC: Each worker asks for a part when it is done with the last one.
      FILE: By input files, once and for all.
      DATA: By elements, once and for all.
      FILE_OR_DATA: By files if there are enough, otherwise by elements.
      HINT: Where the dataset calls `shard(tf.data.experimental.SHARD_HINT, ...)`.

    >>> tf.data.experimental.service.ShardingPolicy.DYNAMIC.name
    'DYNAMIC'
    """

    OFF = 0
    DYNAMIC = 1
    FILE = 2
    DATA = 3
    FILE_OR_DATA = 4
    HINT = 5


@export("data.experimental.service.CrossTrainerCache")
class CrossTrainerCache:
    """Lets trainers share the elements of a job: each worker keeps the newest, and every trainer reads all of them
      independently.

    A trainer that is slower than the others misses elements that are no longer kept. Clients with the same `trainer_id`
    divide the
    elements between them. The job needs a name and an infinite dataset.

    Args:
      trainer_id: The name of a trainer.

    Raises:
      ValueError: `trainer_id` is empty.

    >>> tf.data.experimental.service.CrossTrainerCache(trainer_id="first").trainer_id
    'first'
    """

    def __init__(self, trainer_id):
        if not trainer_id:
            raise ValueError("tf.data service cross-trainer cache requires a non-empty trainer ID.")
        self.trainer_id = trainer_id


@export("data.experimental.service.DispatcherConfig")
class DispatcherConfig(
    collections.namedtuple(
        "DispatcherConfig",
        [
            "port", "protocol", "work_dir", "fault_tolerant_mode", "worker_addresses", "job_gc_check_interval_ms",
            "job_gc_timeout_ms", "worker_timeout_ms", "worker_max_concurrent_snapshots",
        ],
    )
):
    """Settings of a dispatcher of the data service.

    Args:
      port: The port to listen on; 0 takes any.
      protocol: "grpc" or None.
      work_dir: A folder in which the dispatcher keeps datasets.
      fault_tolerant_mode: Whether all its state is kept there, so that a dispatcher that is started again with this
        folder and port resumes where the last one stopped.
      worker_addresses: The addresses of all workers, "host" or "host:port". Sharding policies that divide a dataset
        once and for all (FILE, DATA, FILE_OR_DATA, HINT) need them, and no other worker is taken.
      job_gc_check_interval_ms: How often to look for jobs that nobody reads; by default every 10 minutes.
      job_gc_timeout_ms: After how long such a job is dropped; by default 5 minutes.
      worker_timeout_ms: After how long a silent worker counts as gone; by default one minute.
      worker_max_concurrent_snapshots: Recorded only.

    Raises:
      ValueError: Another protocol is asked for.

    >>> tf.data.experimental.service.DispatcherConfig(port=5000).port
    5000
    """

    def __new__(
        cls, port=0, protocol=None, work_dir=None, fault_tolerant_mode=False, worker_addresses=None,
        job_gc_check_interval_ms=None, job_gc_timeout_ms=None, worker_timeout_ms=None,
        worker_max_concurrent_snapshots=0,
    ):
        if protocol not in (None, "grpc"):
            raise ValueError(f"The data service speaks gRPC. Received: protocol={protocol!r}")
        return super().__new__(
            cls, port, "grpc", work_dir, fault_tolerant_mode, worker_addresses, job_gc_check_interval_ms or 600_000,
            job_gc_timeout_ms or 300_000, worker_timeout_ms or 60_000, worker_max_concurrent_snapshots,
        )


@export("data.experimental.service.WorkerConfig")
class WorkerConfig(
    collections.namedtuple(
        "WorkerConfig",
        [
            "dispatcher_address", "worker_address", "port", "protocol", "heartbeat_interval_ms",
            "dispatcher_timeout_ms", "data_transfer_protocol", "data_transfer_address",
        ],
    )
):
    """Settings of a worker of the data service.

    Args:
      dispatcher_address: The address of its dispatcher, "host:port".
      worker_address: The address that others reach it at; by default "localhost:%port%".
      port: The port to listen on; 0 takes any.
      protocol: "grpc" or None.
      heartbeat_interval_ms: How often it reports to the dispatcher; by default every 30 seconds.
      dispatcher_timeout_ms: How long it tries to reach the dispatcher; by default one hour.
      data_transfer_protocol: "grpc" or None.
      data_transfer_address: The address for elements, if `worker_address` is not given.

    Raises:
      ValueError: Another protocol is asked for.

    >>> tf.data.experimental.service.WorkerConfig("localhost:5000").dispatcher_address
    'localhost:5000'
    """

    def __new__(
        cls, dispatcher_address, worker_address=None, port=0, protocol=None, heartbeat_interval_ms=None,
        dispatcher_timeout_ms=None, data_transfer_protocol=None, data_transfer_address=None,
    ):
        if protocol not in (None, "grpc") or data_transfer_protocol not in (None, "grpc"):
            raise ValueError(
                f"The data service speaks gRPC. Received: protocol={protocol!r}, {data_transfer_protocol!r}"
            )
        address = worker_address or data_transfer_address or "localhost:%port%"
        interval = 30_000 if heartbeat_interval_ms is None else heartbeat_interval_ms
        return super().__new__(
            cls, dispatcher_address, address, port, "grpc", interval, dispatcher_timeout_ms or 3_600_000,
            data_transfer_protocol, data_transfer_address or address,
        )


class _Server:
    """What starts and stops a part of the service."""

    _running: Any = None

    def start(self):
        """Begin to listen."""
        if self._running is None:
            self._running = self._make()

    def join(self):
        """Wait until the server has ended."""
        if self._running is not None:
            self._running.server.wait_for_termination()

    def stop(self):
        """End the server."""
        self._stop()

    def _make(self):
        raise NotImplementedError

    def _stop(self):
        raise NotImplementedError

    def __del__(self):
        self._stop()


@export("data.experimental.service.DispatchServer")
class DispatchServer(_Server):
    """Runs a dispatcher of the data service in this process.

    Args:
      config: A `tf.data.experimental.service.DispatcherConfig`; by default its defaults.
      start: Whether to begin to listen at once.

    Raises:
      ValueError: Fault tolerance is asked for without a `work_dir`.

    >>> dispatcher = tf.data.experimental.service.DispatchServer()
    >>> worker = tf.data.experimental.service.WorkerServer(
    ...     tf.data.experimental.service.WorkerConfig(dispatcher_address=dispatcher.target.split("://")[1]))
    >>> ds = tf.data.Dataset.range(4).map(lambda x: x * x)
    >>> distribute = tf.data.experimental.service.distribute(
    ...     processing_mode="parallel_epochs", service=dispatcher.target
    ... )
    >>> [int(x) for x in ds.apply(distribute)]
    [0, 1, 4, 9]
    """

    def __init__(self, config=None, start=True):
        self._config = config or DispatcherConfig()
        if self._config.fault_tolerant_mode and not self._config.work_dir:
            raise ValueError(
                "Cannot enable fault tolerant mode without configuring a work dir. Make sure to set `work_dir` in the "
                "`config` object passed to `DispatcherServer`."
            )
        if start:
            self.start()

    def _make(self):
        c = self._config
        return servers.Dispatcher(
            c.port, c.worker_timeout_ms / 1000, saves.write, c.work_dir, c.fault_tolerant_mode,
            c.job_gc_check_interval_ms / 1000, c.job_gc_timeout_ms / 1000, c.worker_addresses,
        )

    @property
    def target(self):
        """The address, for clients: "grpc://localhost:5000"."""
        if self._running is None:
            raise RuntimeError("The dispatcher has not been started.")
        return f"grpc://localhost:{self._running.port}"

    _address = property(lambda self: self.target.removeprefix("grpc://"))

    def _num_workers(self):
        return len(self._running.seen)

    def _stop(self):
        running, self._running = self._running, None
        if running is not None:
            running.stop()


@export("data.experimental.service.WorkerServer")
class WorkerServer(_Server):
    """Runs a worker of the data service in this process; more workers are more processes that make one each.

    Args:
      config: A `tf.data.experimental.service.WorkerConfig`.
      start: Whether to begin to work at once.

    Raises:
      ValueError: `config` has no `dispatcher_address`.

    >>> dispatcher = tf.data.experimental.service.DispatchServer()
    >>> address = dispatcher.target.split("://")[1]
    >>> worker = tf.data.experimental.service.WorkerServer(tf.data.experimental.service.WorkerConfig(address))
    >>> ds = tf.data.Dataset.range(3).apply(
    ...     tf.data.experimental.service.distribute("parallel_epochs", dispatcher.target)
    ... )
    >>> sorted(int(x) for x in ds)
    [0, 1, 2]
    """

    def __init__(self, config, start=True):
        if not getattr(config, "dispatcher_address", None):
            raise ValueError("Must specify a `dispatcher_address` in the `config` passed to `WorkerServer`.")
        self._config = config
        if start:
            self.start()

    def _make(self):
        c = self._config
        times = c.heartbeat_interval_ms / 1000, c.dispatcher_timeout_ms / 1000
        return servers.Worker(c.dispatcher_address, c.port, times[0], c.worker_address, times[1])

    _address = property(lambda self: self._running.address)

    def _stop(self):
        running, self._running = self._running, None
        if running is not None:
            running.stop()


# --- datasets ---------------------------------------------------------------------------------------------------------


def _policy(mode) -> str:
    if isinstance(mode, ShardingPolicy):
        return mode.name
    if mode in _POLICIES:
        return _POLICIES[mode]
    raise ValueError(
        'tf.data service processing mode should be a `tf.data.experimental.service.ShardingPolicy`, '
        f'`"parallel_epochs"`, or `"distributed_epoch"`. Got {mode!r}.'
    )


def _address(service) -> str:
    if not isinstance(service, str):
        raise ValueError(f"`service` must be a string, but `service` was of type {type(service)}. service={service}")
    if not service:
        raise ValueError("`service` must not be empty")
    protocol, mark, address = service.rpartition("://")
    if mark and protocol != "grpc":
        raise ValueError(f"The data service speaks gRPC. Received: service={service!r}")
    return address


def _check(job_name, consumer_index, num_consumers, max_outstanding_requests, data_transfer_protocol, target):
    """Refuse arguments that cannot be."""
    if job_name is not None and not isinstance(job_name, str):
        raise ValueError(
            f"`job_name` must be a string, but `job_name` was of type {type(job_name)}. job_name={job_name}"
        )
    if job_name == "":
        raise ValueError("`job_name` must not be empty")
    if (consumer_index is None) != (num_consumers is None):
        raise ValueError(
            "Must either set both `consumer_index` and `num_consumers`, or neither. "
            f"consumer_index={consumer_index}, num_consumers={num_consumers}"
        )
    if num_consumers is not None and job_name is None:
        raise ValueError(
            f"`job_name` must be set when setting `num_consumers`. num_consumers was set to {num_consumers}."
        )
    if data_transfer_protocol not in (None, "grpc"):
        raise ValueError(f"The data service speaks gRPC. Received: data_transfer_protocol={data_transfer_protocol!r}")
    if max_outstanding_requests is not None and max_outstanding_requests < 1 and max_outstanding_requests != -1:
        # any limit is kept: a client asks for one element at a time
        raise errors.InvalidArgumentError(None, None, "max_outstanding_requests must be positive or -1")
    if target.upper() not in ("AUTO", "ANY", "LOCAL"):
        raise errors.InvalidArgumentError(None, None, f"Unrecognized target workers: {target}")


@export("data.experimental.service.register_dataset")
def register_dataset(service, dataset, compression="AUTO", dataset_id=None):
    """Gives a pipeline to the service.

    Args:
      service: The address of the dispatcher, such as "grpc://localhost:5000".
      dataset: The dataset.
      compression: "SNAPPY" compresses elements on their way to clients, which pays where the way is slow: through a
        tunnel. None and "AUTO" compress nothing.
      dataset_id: A name for the dataset; by default one is made up, the same for equal pipelines.

    Returns:
      The name, a string scalar for `from_dataset_id`.

    Raises:
      ValueError: `service` is no address, or there is no such compression.

    >>> dispatcher = tf.data.experimental.service.DispatchServer()
    >>> tf.data.experimental.service.register_dataset(dispatcher.target, tf.data.Dataset.range(3)).dtype
    tf.string
    """
    from reflow.saved_model import structures

    if compression not in ("AUTO", "SNAPPY", None):
        raise ValueError(f"Invalid `compression` argument: {compression}. Must be one of ['AUTO', None, 'SNAPPY'].")
    spec = structures.encode(dataset.element_spec).SerializeToString()
    peer = messages.Peer(_address(service))
    try:
        used = "SNAPPY" if compression == "SNAPPY" else None
        kind = f"{int(dataset.fingerprint())}{used or ''}"
        wanted: dict[str, Any] = {"fingerprint": kind} if dataset_id is None else {"id": dataset_id}
        wanted |= {"cardinality": int(dataset.cardinality()), "compression": used}
        found, _ = peer.ask("RegisterDataset", wanted, [pipelines.encode(dataset), spec])
    finally:
        peer.close()
    return constant(found["id"].encode())


@export("data.experimental.service.from_dataset_id")
def from_dataset_id(
    processing_mode, service, dataset_id, element_spec=None, job_name=None, consumer_index=None, num_consumers=None,
    max_outstanding_requests=None, data_transfer_protocol=None, cross_trainer_cache=None, target_workers="AUTO",
):
    """Reads the elements of a registered pipeline.

    Args:
      processing_mode: A `ShardingPolicy`, "parallel_epochs" (OFF) or "distributed_epoch" (DYNAMIC).
      service: The address of the dispatcher, such as "grpc://localhost:5000".
      dataset_id: What `register_dataset` returned.
      element_spec: The structure of `tf.TypeSpec`s of an element; by default the service is asked.
      job_name: Clients that give the same name share one pass over the dataset.
      consumer_index: With `num_consumers`: which of the clients that read in lockstep this is.
      num_consumers: How many clients read in lockstep.
      max_outstanding_requests: Checked only: a client asks for one element at a time.
      data_transfer_protocol: "grpc" or None.
      cross_trainer_cache: A `CrossTrainerCache`, for trainers that share elements.
      target_workers: Which workers to read from: "AUTO", "ANY" or "LOCAL".

    Returns:
      A dataset.

    Raises:
      ValueError: Arguments are missing or do not go together.

    >>> dispatcher = tf.data.experimental.service.DispatchServer()
    >>> spec = tf.TensorSpec([], tf.int64)
    >>> name = tf.data.experimental.service.register_dataset(dispatcher.target, tf.data.Dataset.range(3))
    >>> ds = tf.data.experimental.service.from_dataset_id("parallel_epochs", dispatcher.target, name, spec)
    >>> ds.element_spec == spec
    True
    """
    from reflow.saved_model import structures

    _check(
        job_name, consumer_index, num_consumers, max_outstanding_requests, data_transfer_protocol, target_workers
    )
    address, policy = _address(service), _policy(processing_mode)
    if hasattr(dataset_id, "numpy"):
        dataset_id = dataset_id.numpy()
    name = dataset_id.decode() if isinstance(dataset_id, bytes) else str(dataset_id)
    if element_spec is None:
        peer = messages.Peer(address)
        try:
            _, (_, spec) = peer.ask("GetDataset", {"id": name})
        finally:
            peer.close()
        element_spec = structures.decode(structures.StructuredValue.FromString(spec))
    attrs = {
        "address": address, "dataset_id": name, "policy": policy, "job": job_name, "consumer": consumer_index,
        "consumers": num_consumers, "trainer": cross_trainer_cache and cross_trainer_cache.trainer_id,
        "target": target_workers.upper(), "T_handle": dtypes.variant,
    }
    return DatasetV2(
        call("Reflow>DataServiceDataset", (), attrs), element_spec=element_spec, label="_DataServiceDataset"
    )


@export("data.experimental.service.distribute")
def distribute(
    processing_mode, service, job_name=None, consumer_index=None, num_consumers=None, max_outstanding_requests=None,
    data_transfer_protocol=None, compression="AUTO", cross_trainer_cache=None, target_workers="AUTO",
):
    """Returns a transformation that runs the pipeline before it in the workers of a service.

    Args:
      processing_mode: A `ShardingPolicy`, "parallel_epochs" (OFF) or "distributed_epoch" (DYNAMIC).
      service: The address of the dispatcher, such as "grpc://localhost:5000".
      job_name: Clients that give the same name share one pass over the dataset.
      consumer_index: With `num_consumers`: which of the clients that read in lockstep this is.
      num_consumers: How many clients read in lockstep.
      max_outstanding_requests: Checked only: a client asks for one element at a time.
      data_transfer_protocol: "grpc" or None.
      compression: "SNAPPY", "AUTO" or None, see `register_dataset`.
      cross_trainer_cache: A `CrossTrainerCache`, for trainers that share elements.
      target_workers: Which workers to read from: "AUTO", "ANY" or "LOCAL".

    Returns:
      A function from a dataset to a dataset, for `tf.data.Dataset.apply`.

    Raises:
      ValueError: Arguments are missing or do not go together.

    >>> dispatcher = tf.data.experimental.service.DispatchServer()
    >>> ds = tf.data.Dataset.range(3).apply(
    ...     tf.data.experimental.service.distribute("parallel_epochs", dispatcher.target)
    ... )
    >>> ds.element_spec
    TensorSpec(shape=(), dtype=tf.int64, name=None)
    """
    _policy(processing_mode)
    _address(service)

    def apply(dataset):
        known = register_dataset(service, dataset, compression)
        return from_dataset_id(
            processing_mode, service, known, dataset.element_spec, job_name, consumer_index, num_consumers,
            max_outstanding_requests, data_transfer_protocol, cross_trainer_cache, target_workers,
        )

    return apply


@export("data.experimental.distributed_save")
def distributed_save(dataset, path, data_service_address, compression="AUTO"):
    """Have the workers of a data service make the elements of a dataset, and its dispatcher write them to a folder.

    The call does not wait for the end: `tf.data.Dataset.load(path, wait=True)` does.

    Args:
      dataset: the pipeline that runs in the workers.
      path: a folder that does not exist yet.
      data_service_address: the dispatcher's, such as "grpc://localhost:5000".
      compression: "SNAPPY" or "GZIP", which `load` is then told too; "AUTO" and None write the elements as they are.

    Returns:
      None.

    Raises:
      AlreadyExistsError: if there is something at `path`, or a save to it has begun.

    >>> import tempfile
    >>> S = tf.data.experimental.service
    >>> dispatcher = S.DispatchServer()
    >>> worker = S.WorkerServer(S.WorkerConfig(dispatcher_address=dispatcher.target.split("://")[1]))
    >>> folder = tempfile.mkdtemp() + "/squares"
    >>> tf.data.experimental.distributed_save(tf.data.Dataset.range(3).map(lambda x: x * x), folder, dispatcher.target)
    >>> [int(x) for x in tf.data.Dataset.load(folder, wait=True)]
    [0, 1, 4]
    """
    if compression not in ("AUTO", "SNAPPY", "GZIP", None):
        raise ValueError(f'compression must be "AUTO", "SNAPPY", "GZIP" or None. Received: {compression!r}')
    known = register_dataset(data_service_address, dataset, None if compression is None else "AUTO")
    request = {
        "id": known.numpy().decode(), "path": os.fspath(path),
        "compression": None if compression == "AUTO" else compression,
    }
    request["request"] = uuid.uuid4().hex
    peer = messages.Peer(_address(data_service_address))
    try:
        peer.ask("SaveElements", request)
    finally:
        peer.close()
