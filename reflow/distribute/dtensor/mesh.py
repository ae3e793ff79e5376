"""`Mesh`: an array of devices with named dimensions.

A mesh is a value: it compares by content, and has a text form, `name|x=2,y=2|global ids|local ids|devices`.
`devices_of` returns the corresponding JAX mesh, which starts JAX. Logical CPUs become devices of JAX's CPU client;
their number must be set before the client starts (`prepare_cpus`).
"""

from __future__ import annotations

import collections
import functools
import itertools
import math
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from reflow.api.export import export
from reflow.core import errors
from reflow.core.tensor import Tensor
from reflow.devices import placement
from reflow.devices.names import DeviceSpec
from reflow.distribute.dtensor import clients, protos
from reflow.ops.convert import convert_to_tensor

MeshDimension = collections.namedtuple("MeshDimension", ["name", "size"])
MeshDimension.__doc__ = "A named dimension of a mesh, and its size."

_DEVICE_LISTS = ("local_devices", "global_devices")


class Text:
    """A value that its text says completely: equal, hashed, pickled by `to_string()`, made by `from_string`."""

    def to_string(self) -> str:
        raise NotImplementedError

    @classmethod
    def from_string(cls, text: str) -> Any:
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__}.from_string({self.to_string()})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Text) and type(other) is type(self) and self.to_string() == other.to_string()

    def __hash__(self) -> int:
        return hash(self.to_string())

    def __reduce__(self) -> tuple[Any, ...]:
        return self.from_string, (self.to_string(),)


@export("experimental.dtensor.Mesh")
class Mesh(Text):
    """Devices in an array with named dimensions.

    Args:
      dim_names: the dimensions' names.
      global_device_ids: an array of consecutive numbers, in the shape of the mesh.
      local_device_ids: those of them that are devices of this process.
      local_devices: names of these devices.
      mesh_name: a name for texts.
      global_devices: names of all devices, if there are several processes.
      use_xla_spmd: TensorFlow divides work by XLA on TPUs only; here XLA always does.

    >>> mesh = tf.experimental.dtensor.Mesh(["x"], np.arange(1), [0], ["/job:localhost/replica:0/task:0/device:CPU:0"])
    >>> mesh.to_string()
    '|x=1|0|0|/job:localhost/replica:0/task:0/device:CPU:0'
    """

    def __init__(
        self, dim_names: Sequence[str], global_device_ids: np.ndarray, local_device_ids: list[int],
        local_devices: list[DeviceSpec | str], mesh_name: str = "",
        global_devices: list[DeviceSpec | str] | None = None, use_xla_spmd: bool = False,
    ) -> None:
        _check_ids(dim_names, global_device_ids)
        for name, value in (
            ("local_device_ids", local_device_ids), ("local_devices", local_devices), ("global_devices", global_devices)
        ):
            if value and not isinstance(value, list) or value is None and name != "global_devices":
                kind = "DeviceSpecs" if name in _DEVICE_LISTS else "integers"
                raise ValueError(f"Variable {name} must be a list of {kind}.")
        if not local_devices and not global_devices:
            raise ValueError("Empty list of devices not allowed.")
        self._check_devices(global_device_ids, local_device_ids, [_spec(d) for d in local_devices], global_devices)
        if use_xla_spmd and self._kind != "TPU":
            raise ValueError(f"XLA SPMD is not currently not supported for {self._kind} mesh.")
        self._fill(
            mesh_name, [*dim_names], global_device_ids.shape, global_device_ids.ravel().tolist(), [*local_device_ids],
            [_spec(d).to_string() for d in local_devices], [_spec(d).to_string() for d in global_devices or ()],
        )  # fmt: skip

    def _check_devices(
        self, global_ids: np.ndarray, local_ids: list[int], local: list[DeviceSpec],
        everywhere: list[DeviceSpec | str] | None,
    ) -> None:
        only_the_host = len(set(local)) == 1 and local[0].device_type == "CPU"
        if not only_the_host and len(set(local)) != len(local):
            raise ValueError(
                f"Duplicate devices found in mesh specification {[d for d in local if local.count(d) > 1]}."
            )
        if len(local_ids) != len(local):
            raise ValueError("Variable local_device_ids does not have same size as local_devices.")
        if len(local_ids) > global_ids.size:
            raise ValueError("Cannot have more local than gobal device IDs.")
        kinds = {d.device_type for d in local} or {_spec(d).device_type for d in everywhere or ()}
        if None in kinds:
            raise ValueError("device_type is required")
        if len(kinds) > 1:
            raise ValueError(f"Devices containing multiple device_types : {kinds}")
        self._kind: str = kinds.pop() or ""

    def _fill(
        self, name: str, dim_names: list[str], shape: Sequence[int], global_ids: list[int], local_ids: list[int],
        local: list[str], everywhere: list[str],
    ) -> None:
        self._name, self._dim_names, self._shape = name, dim_names, [int(n) for n in shape]
        self._global_ids, self._local_ids, self._local, self._global = global_ids, local_ids, local, everywhere
        self._single = ""
        if not hasattr(self, "_kind"):
            self._kind = DeviceSpec.from_string((local or everywhere)[0]).device_type or ""

    # --- other ways to make one

    @classmethod
    def from_string(cls, mesh_str: str) -> Mesh:
        """The mesh that `to_string` wrote. InvalidArgumentError if it is not one."""
        mesh = cls.__new__(cls)
        if DeviceSpec.from_string(mesh_str).device_type if mesh_str.startswith("/") else False:
            return cls.from_device(mesh_str)
        parts = mesh_str.split("|")
        if len(parts) < 5:
            raise errors.InvalidArgumentError(
                None, None, f"Expected either 5, 6, 7 or 8 mesh parts but found{len(parts)}"
            )
        name, dimensions, global_ids, local_ids, local = parts[:5]
        pairs = [d.split("=") for d in dimensions.split(",")]
        mesh._fill(
            name, [p[0] for p in pairs], [int(p[1]) for p in pairs], _numbers(global_ids), _numbers(local_ids),
            _words(local), _words(parts[5]) if len(parts) > 5 else [],
        )  # fmt: skip
        return mesh

    @classmethod
    def from_proto(cls, proto: Any) -> Mesh:
        """The mesh of a `MeshProto`."""
        if proto.single_device:
            return cls.from_device(proto.single_device)
        mesh = cls.__new__(cls)
        mesh._fill(
            proto.name, [d.name for d in proto.mesh_dimensions], [d.size for d in proto.mesh_dimensions],
            [*proto.global_device_ids], [*proto.local_device_ids], [*proto.local_devices], [*proto.global_devices],
        )  # fmt: skip
        return mesh

    @classmethod
    def from_device(cls, device: str) -> Mesh:
        """A mesh of one device without dimensions."""
        if not device:
            raise errors.InvalidArgumentError(None, None, "Single device is not valid.")
        mesh = cls.__new__(cls)
        mesh._fill("", [], [], [], [], [device], [])
        mesh._single = device
        return mesh

    # --- what it is

    name = property(lambda self: self._name)
    dim_names = property(lambda self: [*self._dim_names])
    size = property(lambda self: 0 if self._single else math.prod(self._shape))
    single_device = property(lambda self: self._single)

    def shape(self) -> list[int]:
        """The sizes of the dimensions."""
        return [*self._shape]

    def device_type(self) -> str:
        """`CPU`, `GPU` or `TPU`."""
        return self._kind

    def dim_size(self, dim_name: str) -> int:
        """The size of a dimension. ValueError if there is none of that name."""
        if dim_name not in self._dim_names:
            raise ValueError(
                f"Dimension {dim_name} does not exist in mesh.Available dimensions: {','.join(self._dim_names)}"
            )
        return self._shape[self._dim_names.index(dim_name)]

    def contains_dim(self, dim_name: str) -> bool:
        """Whether there is a dimension of that name."""
        return dim_name in self._dim_names

    __contains__ = contains_dim

    def __getitem__(self, dim_name: str) -> MeshDimension:
        return MeshDimension(dim_name, self.dim_size(dim_name))

    def global_device_ids(self) -> np.ndarray:
        """The devices' numbers, in the shape of the mesh."""
        return np.array(self._global_ids, np.int64).reshape(self._shape)

    def local_device_ids(self) -> list[int]:
        """The numbers of this process' devices."""
        return [*self._local_ids]

    def local_devices(self) -> list[str]:
        """The names of this process' devices."""
        return [*self._local]

    def global_devices(self) -> list[str]:
        """The names of all devices, if they were given."""
        return [*self._global]

    def num_local_devices(self) -> int:
        """How many of the devices are of this process."""
        return len(self._local)

    def min_global_device_id(self) -> int:
        """The first device's number."""
        return self._global_ids[0] if self._global_ids else 0

    def is_remote(self) -> bool:
        """Whether none of the devices is of this process."""
        return not self._local_ids and bool(self._global_ids)

    def is_single_device(self) -> bool:
        """Whether it is one device without dimensions."""
        return bool(self._single)

    def use_xla_spmd(self) -> bool:
        """Whether TensorFlow would leave the division of work to XLA; here XLA always does it."""
        return False

    @functools.cached_property
    def _host_mesh(self) -> Mesh:
        mesh = Mesh.from_string(self.to_string())
        mesh._kind = "CPU"
        mesh._local, mesh._global = [
            [DeviceSpec.from_string(d).replace(device_type="CPU").to_string() for d in devices]
            for devices in (self._local, self._global)
        ]
        return mesh

    def host_mesh(self) -> Mesh:
        """The same mesh of CPUs."""
        return self if self._kind == "CPU" else self._host_mesh

    @property
    def strides(self) -> list[int]:
        """How far apart neighbours along each dimension are in the list of devices."""
        return [math.prod(self._shape[i + 1 :]) for i in range(len(self._shape))]

    def coords(self, device_idx: int) -> Tensor:
        """Where a device is along each dimension."""
        found: Tensor = (device_idx // convert_to_tensor(self.strides)) % convert_to_tensor(self._shape)
        return found

    def unravel_index(self) -> dict[int, dict[str, int]]:
        """Where every device is: its number -> {dimension: index}."""
        places = itertools.product(*map(range, self._shape))
        return {i: dict(zip(self._dim_names, place, strict=True)) for i, place in enumerate(places)}

    def local_device_locations(self) -> list[dict[str, int]]:
        """Where each device of this process is."""
        everywhere = self.unravel_index()
        return [everywhere[i] for i in self._local_ids]

    def device_location(self, device_id: int) -> list[int]:
        """Where a device is along each dimension."""
        return [*self.unravel_index()[device_id - self.min_global_device_id()].values()]

    # --- as text, message, key

    def to_string(self) -> str:
        """One line of text that `from_string` reads."""
        if self._single:
            return self._single
        dimensions = ",".join(f"{n}={s}" for n, s in zip(self._dim_names, self._shape, strict=True))
        parts = [
            self._name, dimensions, *(",".join(map(str, ids)) for ids in (self._global_ids, self._local_ids)),
            ",".join(self._local),
        ]
        if self._global:
            parts.append(",".join(self._global))
        return "|".join(parts)

    def as_proto(self) -> Any:
        """The mesh as a `MeshProto`."""
        if self._single:
            return protos.MeshProto(single_device=self._single)
        dimensions = [
            protos.MeshDimensionProto(name=n, size=s) for n, s in zip(self._dim_names, self._shape, strict=True)
        ]
        return protos.MeshProto(
            mesh_dimensions=dimensions, global_device_ids=self._global_ids, local_device_ids=self._local_ids,
            local_devices=self._local, global_devices=self._global, name=self._name,
        )  # fmt: skip


def _spec(device: DeviceSpec | str) -> DeviceSpec:
    return device if isinstance(device, DeviceSpec) else DeviceSpec.from_string(device)


def _numbers(text: str) -> list[int]:
    return [int(word) for word in _words(text)]


def _words(text: str) -> list[str]:
    return text.split(",") if text else []


def _check_ids(dim_names: Sequence[str], ids: np.ndarray) -> None:
    if not isinstance(ids, np.ndarray):
        raise ValueError("Variable global_device_ids must be an ndarray.")
    if ids.size == 0:
        raise ValueError("Variable global_device_ids must be non-empty.")
    flat = ids.ravel()
    if (flat - np.arange(flat.size) != flat[0]).any():
        raise ValueError(f"global_device_ids must sequentially increase: {ids}")
    if len(dim_names) != ids.ndim:
        raise ValueError("Number of mesh dimensions does not match number of dimension names.")


# --- making meshes ----------------------------------------------------------------------------------------------------


def _specs(devices: list[DeviceSpec | str] | None, device_type: str | None) -> list[DeviceSpec]:
    """The devices of a new mesh: those given, or all of a kind."""
    if devices is None:
        return clients.local_devices(device_type or "CPU")
    specs = [_spec(d) for d in devices] if isinstance(devices[0], str) else devices
    kind = specs[0].device_type  # type: ignore[union-attr] # they are specs by now
    if device_type is not None and device_type.upper() != str(kind).upper():
        raise ValueError(f"Conflicting devices {specs} and device_type {device_type}")
    return specs  # type: ignore[return-value]


@export("experimental.dtensor.create_mesh")
def create_mesh(
    mesh_dims: list[tuple[str, int]] | dict[str, int] | None = None, mesh_name: str = "",
    devices: list[DeviceSpec | str] | None = None, device_type: str | None = None, use_xla_spmd: bool = False,
) -> Mesh:
    """Creates a mesh of the devices of this process.

    Args:
      mesh_dims: the dimensions with their sizes; by default one, `x`, of all devices. A single size may be -1: all
        devices.
      mesh_name: a name for texts.
      devices: names such as `CPU:0`; by default all devices of `device_type`.
      device_type: `CPU` by default.
      use_xla_spmd: as in `Mesh`.

    Returns:
      A `tf.experimental.dtensor.Mesh`.

    Raises:
      ValueError: the sizes do not fit the number of devices.

    >>> tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"]).shape()
    [1]
    """
    local = DeviceSpec(job=clients.job_name(), replica=0, task=0)
    specs = [local.make_merged_spec(d) for d in _specs(devices, device_type)]
    if mesh_dims is None:
        mesh_dims = [("x", len(specs))]
    pairs = list(mesh_dims.items()) if isinstance(mesh_dims, Mapping) else list(mesh_dims)
    if len(pairs) == 1 and pairs[0][1] == -1:
        pairs = [(pairs[0][0], len(specs))]
    shape = [size for _, size in pairs]
    if math.prod(shape) != len(specs):
        raise ValueError(f"length of devices ({len(specs)}) must be equal to total size of the mesh of shape {shape}")
    prepare_cpus()
    ids = np.arange(len(specs))
    return Mesh([n for n, _ in pairs], ids.reshape(shape), ids.tolist(), [*specs], mesh_name, use_xla_spmd=use_xla_spmd)


@export("experimental.dtensor.create_distributed_mesh")
def create_distributed_mesh(
    mesh_dims: list[tuple[str, int]] | dict[str, int], mesh_name: str = "",
    local_devices: list[DeviceSpec | str] | None = None, device_type: str | None = None, use_xla_spmd: bool = False,
) -> Mesh:
    """Creates a mesh of the devices of all clients, each of which has equally many.

    Args:
      mesh_dims: the dimensions with their sizes.
      mesh_name: a name for texts.
      local_devices: names of this process' devices; by default all of `device_type`.
      device_type: `CPU` by default.
      use_xla_spmd: as in `Mesh`.

    Returns:
      A `tf.experimental.dtensor.Mesh`.

    Raises:
      ValueError: `initialize_accelerator_system` was not called, or the sizes do not fit the number of devices.

    >>> tf.experimental.dtensor.create_distributed_mesh([("x", 1)])
    Traceback (most recent call last):
    ...
    ValueError: Accelerators are uninitialized, please run dtensor.initialize_accelerator_system() first.
    """
    pairs = list(mesh_dims.items()) if isinstance(mesh_dims, Mapping) else list(mesh_dims)
    if started is None:
        raise ValueError("Accelerators are uninitialized, please run dtensor.initialize_accelerator_system() first.")
    if device_type and device_type.upper() == "TPU":
        return create_tpu_mesh([n for n, _ in pairs], [s for _, s in pairs], mesh_name, use_xla_spmd=use_xla_spmd)
    count, client = clients.num_clients(), clients.client_id()
    local = DeviceSpec(job=clients.job_name(), replica=0, task=client)
    specs = [local.make_merged_spec(d) for d in _specs(local_devices, device_type)]
    shape = tuple(size for _, size in pairs)
    total = len(specs) * count
    if math.prod(shape) != total:
        raise ValueError(
            f"Global number of devices ({len(specs)} per client * {count} clients = {total}) must be equal to total "
            f"size of the mesh of shape {shape}"
        )
    ids = np.arange(total)
    mine = ids[len(specs) * client :][: len(specs)].tolist()
    return Mesh([n for n, _ in pairs], ids.reshape(shape), mine, [*specs], mesh_name, use_xla_spmd=use_xla_spmd)


@export("experimental.dtensor.create_tpu_mesh")
def create_tpu_mesh(
    mesh_dim_names: list[str], mesh_shape: list[int], mesh_name: str, ring_dims: int | None = None,
    ring_axes: list[str] | None = None, ring_bounds: list[int] | None = None, can_split_host_across_rings: bool = True,
    build_ring_across_rings: bool = False, rotate_ring_across_rings: bool = False, use_xla_spmd: bool = False,
) -> Mesh:
    """Creates a mesh of TPU cores. This version finds no TPUs, so it always raises.

    Args:
      mesh_dim_names: The names of the dimensions.
      mesh_shape: Their sizes.
      mesh_name: A name for texts.
      ring_dims: How many of the last dimensions make a ring.
      ring_axes: The axes of the TPU topology that rings go along.
      ring_bounds: The sizes of a ring along them.
      can_split_host_across_rings: Whether the cores of a host may be in several rings.
      build_ring_across_rings: Whether rings make rings with each other.
      rotate_ring_across_rings: Whether rings begin one core further each time.
      use_xla_spmd: As in `Mesh`.

    Returns:
      A `tf.experimental.dtensor.Mesh`.

    Raises:
      RuntimeError: There is no TPU.

    >>> tf.experimental.dtensor.create_tpu_mesh(["x"], [8], "tpu")
    Traceback (most recent call last):
    ...
    RuntimeError: TPUs not initialized.
    """
    raise RuntimeError("TPUs not initialized.")


#: what `initialize_accelerator_system` started: `CPU`, `GPU`, or None
started: str | None = None


def set_started(kind: str | None) -> None:
    """Remember what is started."""
    global started
    started = kind


# --- JAX's devices ----------------------------------------------------------------------------------------------------


def prepare_cpus() -> None:
    """Before JAX's CPU client starts: request as many devices as there are logical CPUs, and threads for all of them.

    With fewer threads than devices, a collective can deadlock: a device waits for another that has no thread.
    """
    count = clients.num_local_devices("CPU")
    if count < 2 and clients.num_clients() < 2:
        return
    os.environ.setdefault("PJRT_NPROC", str(8 * count))
    import jax

    try:
        jax.config.update("jax_num_cpu_devices", count)
    except RuntimeError:
        print(
            f"JAX was started before the mesh was made: there may be fewer than {count} CPU devices, and few threads "
            "for them. Make meshes before functions are called.",
            file=sys.stderr,
        )


def _found(spec: DeviceSpec, client: int) -> Any:
    """JAX's device of that number that a client has; None if there is none."""
    import jax

    kind, index = spec.device_type, spec.device_index or 0
    if kind != "CPU" and clients.num_clients() == 1:
        return getattr(placement.places().all.get(f"/device:{kind}:{index}"), "device", None)
    theirs = [d for d in jax.devices(kind.lower()) if d.process_index == client]
    return theirs[index] if index < len(theirs) else None


@functools.cache
def devices_of(mesh: Mesh) -> Any:
    """JAX's mesh of the same devices; starts JAX. InvalidArgumentError if there are not so many. Of several clients
    each has its devices in one stretch of the mesh, and equally many."""
    import jax

    local = [DeviceSpec.from_string(d) for d in mesh.local_devices()]
    owners = range(mesh.size // len(local)) if mesh.size > len(local) else [clients.client_id()]
    names = [spec.replace(task=client) for client in owners for spec in local]
    chosen = [_found(spec, client) for client in owners for spec in local]
    missing = [d.to_string() for d, there in zip(names, chosen, strict=True) if there is None]
    if missing:
        raise errors.InvalidArgumentError(None, None, f"{missing[0]} unknown device.")
    grid = np.array(chosen, object).reshape(mesh.shape() or [1])
    prefix = f"{mesh.name}/" if mesh.name else ""  # two meshes of the same devices stay two
    jax_mesh = jax.sharding.Mesh(grid, tuple(prefix + n for n in mesh.dim_names) or ("",))
    MESHES[jax_mesh] = mesh
    return jax_mesh


#: JAX's meshes -> ours: a result of a program knows only the former
MESHES: dict[Any, Mesh] = {}
