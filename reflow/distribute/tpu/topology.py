"""`Topology`: where a TPU system's cores are, in TensorFlow's message format; and records about the system."""

from __future__ import annotations

import collections
import enum
from collections.abc import Sequence
from typing import Any

import numpy as np

from reflow.api.export import export
from reflow.io.messages import define_message

_FIELDS = [
    (1, "repeated int32", "mesh_shape"), (2, "int32", "num_tasks"), (3, "int32", "num_tpu_devices_per_task"),
    (4, "repeated int32", "device_coordinates"),
]
_TopologyProto: Any = define_message("topology.proto", [], "TopologyProto", _FIELDS)


@export("tpu.experimental.Topology")
class Topology:
    """The shape of a TPU system, and which device of which task is where in it.

    Args:
      serialized: the bytes of a `TopologyProto`; the other arguments are then ignored.
      mesh_shape: four positive numbers: x, y, z, cores of a chip.
      device_coordinates: an array [tasks, devices, 4] of coordinates.

    Raises:
      ValueError: the numbers do not describe a topology.

    >>> topology = tf.tpu.experimental.Topology(
    ...     mesh_shape=[2, 1, 1, 1], device_coordinates=[[[0, 0, 0, 0], [1, 0, 0, 0]]]
    ... )
    >>> topology.tpu_device_name_at_coordinates([1, 0, 0, 0])
    '/task:0/device:TPU:1'
    """

    def __init__(
        self, serialized: bytes | None = None, mesh_shape: Sequence[int] | None = None, device_coordinates: Any = None
    ) -> None:
        self._serialized = serialized
        if serialized:
            self._read(serialized)
        else:
            self._mesh_shape = np.asarray(mesh_shape, np.int32)
            self._coordinates = np.asarray(device_coordinates, np.int32)
            if self._mesh_shape.shape != (4,) or (self._mesh_shape < 1).any():
                raise ValueError(
                    f"`mesh_shape` must be a sequence of 4 positive entries; got `mesh_shape={self._mesh_shape}`"
                )
            if self._coordinates.ndim != 3 or self._coordinates.shape[2] != 4:
                raise ValueError(
                    "`device_coordinates` must be a rank 3 int32 array with minor dimension equal to the `mesh_shape` "
                    f"rankgot device_coordinates.shape={self._coordinates.shape} mesh_shape={self._mesh_shape}"
                )
        self._tasks = np.full(self._mesh_shape, -1, np.int32)
        self._devices = np.full(self._mesh_shape, -1, np.int32)
        for task, devices in enumerate(self._coordinates):
            for device, place in enumerate(devices):
                self._tasks[tuple(place)], self._devices[tuple(place)] = task, device

    def _read(self, serialized: bytes) -> None:
        proto = _TopologyProto.FromString(serialized)
        self._mesh_shape = np.array(proto.mesh_shape, np.int32)
        if self._mesh_shape.shape != (4,) or (self._mesh_shape < 1).any():
            raise ValueError(f"`mesh_shape` must be a vector of size 4 with positive entries; got {self._mesh_shape}")
        for name in ("num_tasks", "num_tpu_devices_per_task"):
            if getattr(proto, name) < 0:
                raise ValueError(f"`{name}` must be >= 0; got {getattr(proto, name)}")
        shape = (proto.num_tasks, proto.num_tpu_devices_per_task, 4)
        if len(proto.device_coordinates) != np.prod(shape):
            raise ValueError(
                f"`device_coordinates` must have shape num_tasks ({shape[0]}) * num_tpu_devices_per_task ({shape[1]}) "
                f"* len(mesh_shape) ({proto.mesh_shape}); got shape {len(proto.device_coordinates)}"
            )
        self._coordinates = np.array(proto.device_coordinates, np.int32).reshape(shape)
        if (self._coordinates < 0).any():
            raise ValueError(f"All values in `device_coordinates` must be >= 0, got {self._coordinates.ravel()}")

    mesh_shape = property(lambda self: self._mesh_shape)
    mesh_rank = property(lambda self: len(self._mesh_shape))
    device_coordinates = property(lambda self: self._coordinates)
    missing_devices = property(lambda self: np.argwhere(self._tasks < 0))
    num_tasks = property(lambda self: self._coordinates.shape[0])
    num_tpus_per_task = property(lambda self: self._coordinates.shape[1])

    def task_ordinal_at_coordinates(self, device_coordinates: Sequence[int]) -> int:
        """The task that has the device at these coordinates."""
        return self._tasks[tuple(device_coordinates)]  # type: ignore[no-any-return]

    def tpu_device_ordinal_at_coordinates(self, device_coordinates: Sequence[int]) -> int:
        """The number of the device at these coordinates, among those of its task."""
        return self._devices[tuple(device_coordinates)]  # type: ignore[no-any-return]

    def cpu_device_name_at_coordinates(self, device_coordinates: Sequence[int], job: str | None = None) -> str:
        """The name of the host CPU of the device at these coordinates."""
        return f"{_job(job)}/task:{self._tasks[tuple(device_coordinates)]}/device:CPU:0"

    def tpu_device_name_at_coordinates(self, device_coordinates: Sequence[int], job: str | None = None) -> str:
        """The name of the device at these coordinates."""
        place = tuple(device_coordinates)
        return f"{_job(job)}/task:{self._tasks[place]}/device:TPU:{self._devices[place]}"

    def serialized(self) -> bytes:
        """The topology as the bytes of a message."""
        if self._serialized is None:
            proto = _TopologyProto(mesh_shape=self._mesh_shape.tolist(), num_tasks=self.num_tasks)
            proto.num_tpu_devices_per_task = self.num_tpus_per_task
            proto.device_coordinates.extend(self._coordinates.ravel().tolist())
            self._serialized = proto.SerializeToString()
        return self._serialized  # type: ignore[return-value] # made above


def _job(job: str | None) -> str:
    return "" if job is None else f"/job:{job}"


@export("tpu.experimental.TPUSystemMetadata")
class TPUSystemMetadata(
    collections.namedtuple(
        "TPUSystemMetadata", ["num_cores", "num_hosts", "num_of_cores_per_host", "topology", "devices"]
    )
):
    """Describes a TPU system.

    Args:
      num_cores: How many cores it has.
      num_hosts: How many hosts it has.
      num_of_cores_per_host: How many cores a host has.
      topology: Its `tf.tpu.experimental.Topology`.
      devices: Its devices.

    >>> tf.tpu.experimental.TPUSystemMetadata(8, 1, 8, None, ()).num_cores
    8
    """


@export("tpu.XLAOptions")
class XLAOptions(
    collections.namedtuple(
        "XLAOptions",
        ["use_spmd_for_xla_partitioning", "enable_xla_dynamic_padder", "use_shardy_partitioner"],
        defaults=(True, True, False),
    )
):
    """Says how XLA divides a program over TPU cores.

    Args:
      use_spmd_for_xla_partitioning: Whether as one program for all cores.
      enable_xla_dynamic_padder: Whether dynamic shapes are padded.
      use_shardy_partitioner: Whether Shardy divides it.

    >>> tf.tpu.XLAOptions(enable_xla_dynamic_padder=False).use_spmd_for_xla_partitioning
    True
    """


@export("tpu.experimental.HardwareFeature")
class HardwareFeature:
    """Says what a TPU can do for embeddings.

    Args:
      tpu_hardware_feature_proto: A message with `embedding_feature` (0, 1 or 2) and `num_embedding_devices_per_chip`.

    >>> import types
    >>> feature = types.SimpleNamespace(embedding_feature=2, num_embedding_devices_per_chip=4)
    >>> tf.tpu.experimental.HardwareFeature(feature).embedding_feature.name
    'V2'
    """

    class EmbeddingFeature(enum.Enum):
        """Whether there is an accelerator for look-ups, and which."""

        UNSUPPORTED = "UNSUPPORTED"
        V1 = "V1"
        V2 = "V2"

    def __init__(self, tpu_hardware_feature_proto: Any) -> None:
        self.tpu_hardware_feature_proto = tpu_hardware_feature_proto

    @property
    def embedding_feature(self) -> EmbeddingFeature:
        """The accelerator for look-ups."""
        kinds = [*self.EmbeddingFeature]
        number = self.tpu_hardware_feature_proto.embedding_feature
        return kinds[number] if 0 <= number < len(kinds) else kinds[0]

    @property
    def num_embedding_devices_per_chip(self) -> int:
        """How many such accelerators a chip has."""
        return int(self.tpu_hardware_feature_proto.num_embedding_devices_per_chip)
