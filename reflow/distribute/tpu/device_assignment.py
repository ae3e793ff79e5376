"""`DeviceAssignment`: which cores of a TPU run which part of a computation."""

from __future__ import annotations

import enum
import itertools
import math
from typing import Any

import numpy as np

from reflow.api.export import export
from reflow.distribute.tpu.topology import Topology


@export("tpu.experimental.DeviceOrderMode")
class DeviceOrderMode(enum.IntEnum):
    """Says in which order cores are taken.

    Attributes:
      AUTO: As the system likes.
      RING: Along rings.
      MESH: Along a mesh.

    >>> tf.tpu.experimental.DeviceOrderMode.MESH.value
    2
    """

    AUTO = 0
    RING = 1
    MESH = 2


@export("tpu.experimental.DeviceAssignment")
class DeviceAssignment:
    """The core of each replica and logical core of a computation.

    Args:
      topology: the system.
      core_assignment: an array [replicas, cores of a replica, 4] of coordinates.

    Raises:
      ValueError: the arguments do not fit.

    >>> topology = tf.tpu.experimental.Topology(
    ...     mesh_shape=[2, 1, 1, 1], device_coordinates=[[[0, 0, 0, 0], [1, 0, 0, 0]]]
    ... )
    >>> tf.tpu.experimental.DeviceAssignment.build(topology, num_replicas=2).tpu_device(replica=1)
    '/task:0/device:TPU:1'
    """

    def __init__(self, topology: Topology, core_assignment: Any) -> None:
        if not isinstance(topology, Topology):
            raise ValueError(f"topology must be a Topology object, got {type(topology)}")
        cores = np.asarray(core_assignment, np.int32)
        if cores.ndim != 3:
            raise ValueError(f"core_assignment must be a rank 3 numpy array, got shape {cores.shape}")
        if cores.shape[-1] != topology.mesh_rank:
            raise ValueError(
                f"core_assignment.shape[-1] must have size equal to topology rank ({topology.mesh_rank}), got "
                f"core_assignment.shape={cores.shape}"
            )
        self._topology, self._cores = topology, cores

    topology = property(lambda self: self._topology)
    core_assignment = property(lambda self: self._cores)
    num_replicas = property(lambda self: self._cores.shape[0])
    num_cores_per_replica = property(lambda self: self._cores.shape[1])

    def coordinates(self, replica: int, logical_core: int) -> tuple[int, ...]:
        """Where a logical core is."""
        return tuple(self._cores[replica, logical_core])

    def lookup_replicas(self, task_id: int, logical_core: int) -> list[int]:
        """The replicas of which a task has that logical core. ValueError if there is none."""
        found = [
            r for r in range(self.num_replicas)
            if self._topology.task_ordinal_at_coordinates(self.coordinates(r, logical_core)) == task_id
        ] if 0 <= logical_core < self.num_cores_per_replica else []  # fmt: skip
        if not found:
            raise ValueError(f"Can not find any replica in task: {task_id} contains logical_core: {logical_core} ")
        return found

    def tpu_ordinal(self, replica: int = 0, logical_core: int = 0) -> int:
        """The number of a logical core's device in its task."""
        return self._topology.tpu_device_ordinal_at_coordinates(self.coordinates(replica, logical_core))

    def host_device(self, replica: int = 0, logical_core: int = 0, job: str | None = None) -> str:
        """The name of the host CPU of a logical core."""
        return self._topology.cpu_device_name_at_coordinates(self.coordinates(replica, logical_core), job=job)

    def tpu_device(self, replica: int = 0, logical_core: int = 0, job: str | None = None) -> str:
        """The name of a logical core's device."""
        return self._topology.tpu_device_name_at_coordinates(self.coordinates(replica, logical_core), job=job)

    @classmethod
    def build(
        cls, topology: Topology, computation_shape: Any = None, computation_stride: Any = None, num_replicas: int = 1,
        device_order_mode: DeviceOrderMode = DeviceOrderMode.AUTO,
    ) -> DeviceAssignment:
        """Give each replica a block of cores.

        Args:
          topology: the system.
          computation_shape: the block of one replica, in cores along each axis; one core by default.
          computation_stride: how far apart the cores of a block are along each axis.
          num_replicas: how many replicas there are.
          device_order_mode: blocks in rows (`MESH`) or along rings (`RING`); `AUTO` takes rings where whole chips fill
            the system.

        Raises:
          ValueError: the replicas do not fit into the system.
        """
        if isinstance(topology, bytes):
            topology = Topology(serialized=topology)
        if not isinstance(topology, Topology):
            raise ValueError(f"`topology` is not a Topology object; got {type(topology)}")
        mesh = topology.mesh_shape
        shape = _block("computation_shape", computation_shape, len(mesh))
        stride = _block("computation_stride", computation_stride, len(mesh))
        footprint = shape * stride
        if (footprint > mesh).any():
            raise ValueError(f"computation footprint {footprint} does not fit in TPU topology shape {mesh}")
        counts = mesh // footprint * stride
        if num_replicas > counts.prod():
            raise ValueError(
                f"requested {num_replicas} replicas but only {counts.prod()} replicas with shape {shape} and "
                f"computation_stride {stride} fit in a TPU mesh of shape {mesh}"
            )
        if topology.missing_devices.size:
            return cls(topology, _around_gaps(topology, shape, num_replicas))
        rings = shape[-1] == mesh[-1] and stride.prod() == 1 and num_replicas == counts.prod()
        if device_order_mode == DeviceOrderMode.RING and not rings:
            raise ValueError(
                "device_order_mode=DeviceOrderMode.RING is not compatible with the 3D tiling current topology.  Try "
                "setting device_order_mode=DeviceOrderMode.AUTO"
            )
        grid = _replica_grid(counts, num_replicas)
        if rings and device_order_mode != DeviceOrderMode.MESH:
            return cls(topology, _along_rings(shape, grid, num_replicas))
        return cls(topology, _in_rows(shape, stride, grid, num_replicas))


def _block(name: str, given: Any, rank: int) -> np.ndarray:
    block = np.ones(rank, np.int32) if given is None else np.asarray(given, np.int32)
    if block.shape != (rank,):
        raise ValueError(f"{name} must have shape [{rank}]; got {block.shape}")
    if (block < 1).any():
        raise ValueError(f"{name} must be positive; got {name}={block}")
    return block


def _replica_grid(counts: np.ndarray, replicas: int) -> list[int]:
    """The number of replicas along each axis: as close to a cube as possible, the narrowest axes first."""
    rank = len(counts)
    grid = [0] * rank
    left = replicas
    order = sorted(range(rank), key=lambda i: (counts[i], (i + 1) % rank))
    for at, i in enumerate(order):
        grid[i] = min(math.ceil(left ** (1.0 / (rank - at))), int(counts[i]))
        left = -(-left // grid[i])
    return grid


def _in_rows(shape: np.ndarray, stride: np.ndarray, grid: list[int], replicas: int) -> np.ndarray:
    """Replicas fill the grid core by core, then along x, y and z."""
    block = np.array([*itertools.product(*[range(0, n * s, s) for n, s in zip(shape, stride, strict=True)])])
    offsets = []
    for replica in range(replicas):
        place, left = [], replica
        for n in (grid[-1], *grid[:-1]):
            left, here = divmod(left, n)
            place.append(here)
        at = np.array([*place[1:], place[0]])
        offsets.append(at // stride * shape * stride + at % stride)
    return block + np.array(offsets)[:, None]


def _along_rings(shape: np.ndarray, grid: list[int], replicas: int) -> list:
    """Neighbours along a ring are neighbours in the system, both among replicas and among the chips of one."""
    cores = int(shape[-1])
    inner, outer = _ring(*shape[:3].tolist()), _ring(*grid[:3])
    return [
        [[*(np.array(outer[replica]) * shape[:3] + inner[i // cores]), i % cores] for i in range(int(shape.prod()))]
        for replica in range(replicas)
    ]


def _ring(x: int, y: int, z: int) -> list[tuple[int, int, int]]:
    """All positions of a box in an order in which consecutive ones, and the first and the last, are adjacent."""
    sizes = (x, y, z)
    if sum(n > 1 for n in sizes) <= 1:
        return [*itertools.product(range(x), range(y), range(z))]
    if any(n > 1 and n % 2 for n in sizes):  # no ring exists
        return [(i, j, k) for k in range(z) for j in range(y) for i in range(x)]
    if z == 1:
        return [(0, 0, 0), *[(i, j, 0) for i, j in _loop(x, y)]]
    if y == 1:
        return [(0, 0, 0), *[(i, 0, k) for i, k in _loop(x, z)]]
    if x == 1:
        return [(0, 0, 0), *[(0, j, k) for j, k in _loop(y, z)]]
    floors = [[(i, j, k) for i, j in _loop(x, y)] for k in range(z)]
    winding = [place for k, floor in enumerate(floors) for place in (floor[::-1] if k % 2 else floor)]
    return [(0, 0, 0), *winding, *[(0, 0, k) for k in range(z - 1, 0, -1)]]


def _loop(width: int, height: int) -> list[tuple[int, int]]:
    """A ring through a rectangle of even height, without the corner where it begins.

    To and fro, then back along the first column.
    """
    rows = [[(i, j) for i in (range(1, width) if j % 2 == 0 else range(width - 1, 0, -1))] for j in range(height)]
    return [*itertools.chain(*rows), *[(0, j) for j in range(height - 1, 0, -1)]]


def _around_gaps(topology: Topology, shape: np.ndarray, replicas: int) -> list:
    """Consecutive blocks of cores of the existing tasks."""
    cores = int(shape.prod())
    places = [list(place) for task in topology.device_coordinates for place in task]
    if replicas * cores > len(places):
        raise ValueError(f"requested {replicas} replicas of {cores} cores but the topology has {len(places)} devices")
    return [places[r * cores : (r + 1) * cores] for r in range(replicas)]
