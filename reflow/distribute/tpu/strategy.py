"""`tf.distribute.TPUStrategy`: a replica on every core of a TPU, or on every block of cores.

The replicas run in lockstep, as in `MirroredStrategy`. Specific to TPUs: a *device assignment* may give a replica
several *logical devices*, between which a step explicitly divides its work, and steps must be functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from reflow.api.export import export
from reflow.core.context import state
from reflow.core.tensor import Tensor
from reflow.devices import placement
from reflow.distribute.mirrored import MirroredExtended, MirroredReplicaContext
from reflow.distribute.strategy import Strategy
from reflow.distribute.tpu.device_assignment import DeviceAssignment
from reflow.distribute.tpu.system import TPUClusterResolver, running_topology
from reflow.distribute.values import current_replica
from reflow.distribute.variables import MirroredVariable, SyncOnReadVariable, new_variable
from reflow.function.concrete import ConcreteFunction
from reflow.function.function import Function
from reflow.ops.convert import convert_to_tensor
from reflow.ops.dispatch import run as run_op


class TPUMirroredVariable(MirroredVariable):
    """A variable with an equal copy on every core."""


class TPUSyncOnReadVariable(SyncOnReadVariable):
    """A variable with its own copy on every core, combined when it is read for all of them."""


class TPUReplicaContext(MirroredReplicaContext):
    """What one replica of a TPU knows."""

    @property
    def devices(self) -> tuple:
        return tuple(self.strategy.extended._cores[self._replica_id])

    def experimental_logical_device(self, logical_device_id: int) -> placement.DeviceScope:
        """A scope whose ops run on one of the replica's logical devices."""
        return self.strategy.extended.experimental_logical_device(logical_device_id)  # type: ignore[no-any-return]


@export("__internal__.distribute.TPUExtended")
class TPUExtended(MirroredExtended):
    """The extended part of a strategy on the cores of a TPU."""

    def __init__(
        self, container_strategy: Strategy, resolver: TPUClusterResolver, assignment: DeviceAssignment | None
    ) -> None:
        topology = running_topology(resolver)
        if assignment is None:
            cores = topology.device_coordinates.reshape(-1, 1, topology.mesh_rank)
            assignment = DeviceAssignment(topology, cores)
        self._assignment = assignment
        self._cores = [
            [
                placement.full_name(f"/device:TPU:{assignment.tpu_ordinal(replica, core)}")
                for core in range(assignment.num_cores_per_replica)
            ]
            for replica in range(assignment.num_replicas)
        ]
        super().__init__(container_strategy, [cores[0] for cores in self._cores])
        self._contexts = [TPUReplicaContext(container_strategy, i) for i in range(len(self._devices))]
        self._cluster_resolver = resolver

    experimental_require_static_shapes = property(lambda self: True)
    tpu_hardware_feature = property(lambda self: self._cluster_resolver.tpu_hardware_feature)
    num_hosts = property(lambda self: 1)
    num_replicas_per_host = property(lambda self: len(self._devices))

    def experimental_logical_device(self, logical_device_id: int) -> placement.DeviceScope:
        """A scope whose ops run on a logical device of the current replica. ValueError if it has no such one."""
        cores = self._cores[current_replica() or 0]
        if not 0 <= logical_device_id < len(cores):
            raise ValueError(
                f"`logical_device_id` must be below the number of logical devices of a replica, {len(cores)}. "
                f"Received: {logical_device_id}"
            )
        return placement.DeviceScope(cores[logical_device_id])

    def _new_variable(self, next_creator: Callable[..., Any], kwargs: dict) -> Any:
        scopes = [placement.DeviceScope(device) for device in self._devices]
        return new_variable(
            self._container_strategy(), next_creator, scopes, kwargs, kinds=(TPUMirroredVariable, TPUSyncOnReadVariable)
        )


class _OnTPU(Strategy):
    """What both forms of `TPUStrategy` do."""

    _extended_type = TPUExtended

    def __init__(self, resolver: Any, assignment: Any) -> None:
        resolver = TPUClusterResolver("") if resolver is None else resolver
        super().__init__(self._extended_type(self, resolver, assignment))

    def run(
        self, fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: dict | None = None, options: Any = None
    ) -> Any:
        """Run a step as each replica.

        Args:
          fn: a `tf.function`, or any function if this is called in one.
          args: for the step; a value per replica is taken apart.
          kwargs: the same, by name.
          options: a `tf.distribute.RunOptions`; shapes are never padded here, so its fields change nothing.

        Raises:
          NotImplementedError: `fn` is not a `tf.function`, and this is not called in one, as in TensorFlow.
        """
        called = getattr(fn, "__call__", None)  # noqa: B004 - an object whose `__call__` is a `tf.function`
        compiled = isinstance(fn, (Function, ConcreteFunction)) or isinstance(called, Function)
        if state.graph is None and not compiled:
            raise NotImplementedError(
                "TPUStrategy.run(fn, ...) does not support pure eager execution. please make sure the function passed "
                "into `strategy.run` is a `tf.function` or `strategy.run` is called inside a `tf.function` if "
                "eager behavior is enabled."
            )
        return super().run(fn, args, kwargs, options)


@export("distribute.TPUStrategy")
class TPUStrategyV2(_OnTPU):
    """A replica on every core of a TPU.

    Args:
      tpu_cluster_resolver: a `TPUClusterResolver` whose system is initialized.
      experimental_device_assignment: a `tf.tpu.experimental.DeviceAssignment`, if replicas shall have several cores, or
        not all shall be used.
      experimental_spmd_xla_partitioning: whether XLA divides a replica's work between its cores.

    Raises:
      NotFoundError: the system is not initialized.
      ValueError: no TPU was named.

    >>> try:
    ...     tf.distribute.TPUStrategy(tf.distribute.cluster_resolver.TPUClusterResolver("local"))
    ... except tf.errors.NotFoundError:
    ...     print("no TPU")
    no TPU
    """

    def __init__(
        self, tpu_cluster_resolver: Any = None, experimental_device_assignment: Any = None,
        experimental_spmd_xla_partitioning: bool = False,
    ) -> None:
        super().__init__(tpu_cluster_resolver, experimental_device_assignment)
        self._divides = experimental_spmd_xla_partitioning
        self._logical = self._extended._assignment.num_cores_per_replica

    def experimental_assign_to_logical_device(self, tensor: Any, logical_device_id: int) -> Tensor:
        """The tensor on a logical device of each replica.

        Raises:
          ValueError: with partitioning by XLA, or if there is no such logical device.
        """
        if self._divides:
            raise ValueError(
                "Cannot assign a tensor to a logical device while XLA divides the work "
                "(experimental_spmd_xla_partitioning)."
            )
        with self._extended.experimental_logical_device(logical_device_id):
            return run_op("Identity", convert_to_tensor(tensor))  # type: ignore[no-any-return]

    def experimental_split_to_logical_devices(self, tensor: Any, partition_dimensions: Sequence[int]) -> Tensor:
        """The tensor, divided along its axes over the logical devices of each replica. Simulated cores share their
        memory.

        Raises:
          ValueError: the divisions do not fit the tensor, or the number of logical devices.
        """
        tensor = convert_to_tensor(tensor)
        shape, pieces = tensor.shape, [*partition_dimensions]
        if shape.rank != len(pieces):
            raise ValueError(
                f"Length of `partition_dimensions` must equal the tensor's rank, {shape.rank}. Received: {pieces}"
            )
        for axis, (size, parts) in enumerate(zip(shape.as_list(), pieces, strict=True)):
            if size is not None and size % parts:
                raise ValueError(
                    f"Axis {axis} of the tensor, of size {size}, cannot be divided by "
                    f"`partition_dimensions[{axis}]`, {parts}."
                )
        if np.prod(pieces) != self._logical:
            raise ValueError(
                "The product of `partition_dimensions` must be the number of logical devices, "
                f"{self._logical}. Received: {pieces}"
            )
        return run_op("Identity", tensor)  # type: ignore[no-any-return]

    def experimental_replicate_to_logical_devices(self, tensor: Any) -> Tensor:
        """The tensor, on all logical devices of each replica."""
        return run_op("Identity", convert_to_tensor(tensor))  # type: ignore[no-any-return]


@export("distribute.experimental.TPUStrategy")
class TPUStrategy(_OnTPU):
    """The older form of `tf.distribute.TPUStrategy`.

    Args:
      tpu_cluster_resolver: a `TPUClusterResolver` whose system is initialized.
      device_assignment: a `tf.tpu.experimental.DeviceAssignment`, if not every core is a replica.

    >>> issubclass(tf.distribute.experimental.TPUStrategy, tf.distribute.Strategy)
    True
    """

    def __init__(self, tpu_cluster_resolver: Any = None, device_assignment: Any = None) -> None:
        super().__init__(tpu_cluster_resolver, device_assignment)
