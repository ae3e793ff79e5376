"""`Layout`: over which mesh dimension each axis of a tensor is sharded.

A layout is a value with a text form: `sharding_specs:x,unsharded, mesh:|x=2|...`. `sharding_of` returns the
corresponding JAX sharding, `layout_of` the layout of an array that a program returned.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Sequence
from typing import Any, Self

from reflow.api.export import export
from reflow.api.framework.small_namespaces import MATCH, UNSHARDED
from reflow.core.shapes import TensorShape
from reflow.core.types import ShapeLike
from reflow.distribute.dtensor import mesh as meshes
from reflow.distribute.dtensor import protos
from reflow.distribute.dtensor.mesh import Mesh


class LayoutType(enum.Enum):
    """The kinds of layouts."""

    STATIC = 1
    PARTED = 2
    SINGLE_DEVICE = 3


_PREFIXES = {LayoutType.STATIC: "sharding_specs", LayoutType.PARTED: "parted"}


@export("experimental.dtensor.Layout")
class Layout(meshes.Text):
    """How a tensor is divided over a mesh.

    Args:
      sharding_specs: for each axis of the tensor a dimension of the mesh, or `tf.experimental.dtensor.UNSHARDED`.
      mesh: the mesh.

    Raises:
      ValueError: a dimension is named twice, or the mesh has none of that name.

    >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> tf.experimental.dtensor.Layout(["x", tf.experimental.dtensor.UNSHARDED], mesh).sharding_specs
    ['x', 'unsharded']
    """

    def __init__(self, sharding_specs: Sequence[str], mesh: Mesh) -> None:
        if not isinstance(mesh, Mesh):
            raise ValueError("mesh is not a valid Mesh object.")
        for spec in sharding_specs:
            if spec in (UNSHARDED, MATCH):
                continue
            if [*sharding_specs].count(spec) > 1:
                raise ValueError(
                    f"Mesh dimension {spec} was repeated in sharding specification {sharding_specs}. Mesh dimensions "
                    "must be unique in a layout."
                )
            if spec not in mesh:
                raise ValueError(f"{spec}: A dimension sharding must either be a valid mesh dimension or UNSHARDED.")
        self._specs, self._mesh, self._type = [*sharding_specs], mesh, LayoutType.STATIC

    # --- other ways to make one

    @classmethod
    def replicated(cls, mesh: Mesh, rank: int) -> Self:
        """Every device has the whole tensor.

        >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
        >>> tf.experimental.dtensor.Layout.replicated(mesh, rank=1).is_fully_replicated()
        True
        """
        return cls([UNSHARDED] * rank, mesh)

    @classmethod
    def batch_sharded(cls, mesh: Mesh, batch_dim: str, rank: int, axis: int = 0) -> Self:
        """One axis, the first by default, is divided."""
        return cls([batch_dim if i == axis else UNSHARDED for i in range(rank)], mesh)

    @classmethod
    def inner_sharded(cls, mesh: Mesh, inner_dim: str, rank: int) -> Self:
        """The last axis is divided."""
        return cls.batch_sharded(mesh, inner_dim, rank, axis=rank - 1)

    @classmethod
    def from_single_device_mesh(cls, mesh: Mesh) -> Self:
        """On one device. ValueError if the mesh has dimensions."""
        if not mesh.is_single_device():
            raise ValueError("type is single device, but mesh is not single device")
        layout = cls([], mesh)
        layout._type = LayoutType.SINGLE_DEVICE
        return layout

    @classmethod
    def from_device(cls, device: str) -> Self:
        """The layout of tensors on the device of that name."""
        return cls.from_single_device_mesh(Mesh.from_device(device))

    @classmethod
    def from_string(cls, layout_str: str) -> Self:
        """The layout that `to_string` wrote."""
        head, _, mesh = layout_str.partition(" mesh:")
        kind, _, specs = head.partition(":")
        if kind == "maximal":
            return cls.from_device(mesh)
        layout = cls([s for s in specs.split(",") if s], Mesh.from_string(mesh))
        layout._type = next(t for t, prefix in _PREFIXES.items() if prefix == kind)
        return layout

    @classmethod
    def from_proto(cls, layout_proto: Any) -> Self:
        """The layout of a `LayoutProto`."""
        mesh = Mesh.from_proto(layout_proto.mesh_config)
        if mesh.is_single_device():
            return cls.from_single_device_mesh(mesh)
        layout = cls([s.sharding_spec for s in layout_proto.sharding_specs], mesh)
        layout._type = LayoutType(layout_proto.type)
        return layout

    def to_parted(self) -> Layout:
        """The same layout with divided axes that stay apart."""
        layout = Layout(self._specs, self._mesh)
        layout._type = LayoutType.PARTED
        return layout

    def delete(self, dims: int | list[int]) -> Layout:
        """The layout without some axes."""
        dims = dims if isinstance(dims, list) else [dims]
        return Layout([s for i, s in enumerate(self._specs) if i not in dims], self._mesh)

    # --- what it is

    mesh = property(lambda self: self._mesh)
    type = property(lambda self: self._type)
    sharding_specs = property(lambda self: [*self._specs])
    rank = property(lambda self: len(self._specs))
    shape = property(lambda self: self._mesh.shape())

    def num_shards(self, idx: int) -> int:
        """Into how many parts an axis is divided."""
        spec = self._specs[idx]
        return self._mesh.dim_size(spec) if spec in self._mesh else 1

    def is_fully_replicated(self) -> bool:
        """Whether every device has the whole tensor."""
        return all(self.num_shards(i) == 1 for i in range(self.rank))

    def is_batch_parallel(self) -> bool:
        """Whether no axis but the first is divided."""
        return all(self.num_shards(i) == 1 for i in range(1, self.rank))

    def is_single_device(self) -> bool:
        """Whether it is a layout on one device without a mesh."""
        return self._type is LayoutType.SINGLE_DEVICE

    def offset_to_shard(self) -> list[tuple[int, ...]]:
        """For each device, which part of each axis it has."""
        return [tuple(place.get(s, 0) for s in self._specs) for place in self._mesh.unravel_index().values()]

    def offset_tuple_to_global_index(self, offset_tuple: Sequence[int]) -> int:
        """The number of a part, counted along the last axis first."""
        index = 0
        for i, offset in enumerate(offset_tuple):
            index = index * self.num_shards(i) + offset
        return index

    def global_shape_from_local_shape(self, local_shape: ShapeLike) -> TensorShape:
        """The shape of the whole, from that of a part."""
        return TensorShape(
            [None if n is None else n * self.num_shards(i) for i, n in enumerate(TensorShape(local_shape).as_list())]
        )

    def local_shape_from_global_shape(self, global_shape: ShapeLike) -> TensorShape:
        """The shape of a part, from that of the whole."""
        return TensorShape(
            [None if n is None else n // self.num_shards(i) for i, n in enumerate(TensorShape(global_shape).as_list())]
        )

    def laid_out(self, tensor: Any) -> Any:
        """A tensor with this layout: what functions with an argument `layout` call."""
        from reflow.distribute.dtensor.operations import relayout

        return relayout(tensor, self)

    # --- as text, message, key

    def to_string(self) -> str:
        """One line of text that `from_string` reads."""
        if self._type is LayoutType.SINGLE_DEVICE:
            return f"maximal:true, mesh:{self._mesh.to_string()}"
        return f"{_PREFIXES[self._type]}:{''.join(s + ',' for s in self._specs)} mesh:{self._mesh.to_string()}"

    def as_proto(self) -> Any:
        """The layout as a `LayoutProto`."""
        specs = [protos.ShardingSpec(sharding_spec=s) for s in self._specs]
        return protos.LayoutProto(sharding_specs=specs, mesh_config=self._mesh.as_proto(), type=self._type.value)


# --- JAX's shardings --------------------------------------------------------------------------------------------------


@functools.lru_cache(4096)
def sharding_of(layout: Layout) -> Any:
    """JAX's sharding for a layout; where an axis is to `MATCH`, XLA decides."""
    from jax.sharding import NamedSharding, PartitionSpec

    mesh = layout.mesh
    names = dict(zip(mesh.dim_names, meshes.devices_of(mesh).axis_names, strict=False))
    axes = [PartitionSpec.UNCONSTRAINED if s == MATCH else names.get(s) for s in layout.sharding_specs]
    return NamedSharding(meshes.devices_of(mesh), PartitionSpec(*axes))


def layout_of(array: Any) -> Layout | None:
    """The layout of a JAX array; None if it is not on one of our meshes."""
    from jax.sharding import NamedSharding

    sharding = array.sharding
    mesh = meshes.MESHES.get(sharding.mesh) if isinstance(sharding, NamedSharding) else None
    if mesh is None:
        return None
    names = dict(zip(sharding.mesh.axis_names, mesh.dim_names, strict=False))
    specs = [s[0] if isinstance(s, tuple) and s else s for s in sharding.spec]
    return Layout([names.get(s, UNSHARDED) for s in specs] + [UNSHARDED] * (array.ndim - len(specs)), mesh)
