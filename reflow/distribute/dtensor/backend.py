"""The backend of DTensors, around the process' own.

An op runs on the mesh of its inputs, otherwise on the default mesh of the scope (`default_mesh`), otherwise on the
wrapped backend. On a mesh it is a JAX program, as on an accelerator (`reflow/eager/accelerator.py`): the place's
"device" is a sharding. A function with an argument or a variable on a mesh runs there (`regions.py`). XLA chooses the
layouts of results.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from reflow.backends.placed import PlacedBackend
from reflow.core import dtypes, errors
from reflow.core.backend import Backend
from reflow.core.context import State, state
from reflow.core.resources import Handle, commit_lock
from reflow.core.tensor import EagerTensor, HostObject, ndarray
from reflow.devices import placement
from reflow.devices.placement import Place
from reflow.distribute.dtensor import regions
from reflow.distribute.dtensor.layout import Layout, sharding_of
from reflow.distribute.dtensor.mesh import Mesh
from reflow.distribute.dtensor.tensor import DEVICE, DTensor, is_on_mesh, on_mesh, settled
from reflow.eager import accelerator

if TYPE_CHECKING:
    from reflow.core.dtypes import DType
    from reflow.core.tensor import Tensor
    from reflow.core.types import Attrs, Dims, Value
    from reflow.ops.record import Op


class MeshPlace(Place):
    """A mesh as a place: `device` is JAX's sharding of what is made there, None if the host computes it."""

    __slots__ = ("mesh",)

    def __init__(self, mesh: Mesh, sharding: Any) -> None:
        super().__init__(DEVICE, "MESH", sharding)
        self.mesh = mesh


@functools.cache
def _place(mesh: Mesh, on_host: bool = False) -> MeshPlace:
    return MeshPlace(mesh, None if on_host else sharding_of(Layout.replicated(mesh, 0)))


class MeshBackend(PlacedBackend):
    """`inner` runs what is on no mesh; without one, it is the process' backend."""

    def __init__(self, inner: Backend | None = None, mesh: Mesh | None = None) -> None:
        self._inner, self.mesh = inner, mesh

    inner = property(lambda self: self._inner or State.backend)

    @property
    def base(self) -> Backend | None:
        return self if self._inner is not None and self.mesh is None else None

    def around(self, base: Backend | None) -> Backend | None:
        return MeshBackend(base, self.mesh)

    # --- ops

    def execute(self, op: Op, inputs: Sequence[Any], attrs: Attrs) -> Any:
        mesh = self._mesh_of(op, inputs)
        if mesh is None or op.handle_only:
            return self.inner.execute(op, inputs, attrs)
        out = super().execute(op, inputs, attrs)
        for t in inputs:
            if type(t._value) is Handle and isinstance(t._value.place, MeshPlace):
                _keep_layout(t._value)
        return out

    def _mesh_of(self, op: Op, inputs: Sequence[Any]) -> Mesh | None:
        """The mesh of an op. UnknownError, TensorFlow's class, if its inputs are on different ones."""
        found = {_mesh_of(t) for t in inputs} - {None}
        if len(found) > 1:
            raise errors.UnknownError(
                None, None,
                f"{op.name}: 'tf_device.cluster' op failed during mesh propagation. All inputs to `tf_device.Cluster` "
                "must have same mesh configuration. List of found inputs: "
                f"{', '.join(sorted(m.to_string() for m in found if m))}",
            )
        if found:
            return found.pop()
        return None if any(isinstance(t._value, HostObject) for t in inputs) else self.mesh

    def place_of(self, op: Op, inputs: Sequence[Any]) -> Place:
        for t in inputs:
            if type(t._value) is Handle:
                return t._value.place or placement.places().host
        mesh = self._mesh_of(op, inputs)
        assert mesh is not None
        return _place(mesh, on_host=not accelerator.supports(op, inputs))

    def made(self, value: Value, place: Place, dtype: DType | None = None) -> EagerTensor:
        if not isinstance(place, MeshPlace):
            return super().made(value, place, dtype)
        value = settled(value, place.mesh)
        if isinstance(value, HostObject):
            return EagerTensor(value)
        layout = Layout.replicated(place.mesh, len(value.shape)) if type(value) is ndarray else None
        return DTensor(value, dtype, layout=layout)

    # --- what no op makes

    def constant(self, array: Any, dtype: DType | None = None) -> EagerTensor:
        if self.mesh is None:
            return self.inner.constant(array, dtype)
        return on_mesh(array, Layout.replicated(self.mesh, array.ndim), dtype)

    def handle(self, dtype: DType, dims: Dims | None, name: str, value: EagerTensor) -> EagerTensor:
        """In the scope of a mesh: on the mesh of the first value, with its layout.

        Elsewhere `tf.Variable` is on the host, as in TensorFlow.
        """
        if self.mesh is None or not isinstance(value, DTensor) or type(value._value) is ndarray:
            return self.inner.handle(dtype, dims, name, value)
        handle = Handle(dtype, dims, name)
        handle.place = MeshPlace(value.layout.mesh, sharding_of(value.layout))
        handle.write(value._value)
        resource = EagerTensor(handle)
        resource._device = DEVICE
        return resource

    # --- functions

    def run(self, graph: Any, values: Sequence[Value]) -> list[Value]:
        mesh = next(filter(None, map(_mesh_of_value, values)), self.mesh)
        if mesh is None or state.interpreting:
            return self.inner.run(graph, values)
        return [settled(value, mesh) for value in regions.run(graph, values)]

    def argument(self, tensor: Tensor) -> Value:
        if isinstance(tensor, DTensor) or self.mesh is not None:
            return tensor._value
        return self.inner.argument(tensor)

    def result(self, value: Value, dtype: DType | None = None) -> EagerTensor:
        return DTensor(value, dtype) if is_on_mesh(value) else self.inner.result(value, dtype)

    # --- devices

    def device_of(self, value: Value) -> str:
        return DEVICE if is_on_mesh(value) else self.inner.device_of(value)

    def copy_to(self, tensor: EagerTensor, device: str) -> EagerTensor:
        if not isinstance(tensor, DTensor):
            return self.inner.copy_to(tensor, device)
        try:
            tensor._check_whole()
        except errors.UnimplementedError as error:
            raise RuntimeError(error.message) from None
        return self.inner.copy_to(EagerTensor(tensor._host(), tensor._dtype), device)


def _mesh_of(tensor: Any) -> Mesh | None:
    if isinstance(tensor, DTensor):
        return tensor.layout.mesh
    return _mesh_of_value(tensor._value) if tensor._dtype is dtypes.resource else None


def _mesh_of_value(value: Value) -> Mesh | None:
    if type(value) is Handle:
        return value.place.mesh if isinstance(value.place, MeshPlace) else None
    if type(value) is ndarray or isinstance(value, HostObject):
        return None
    return DTensor(value).layout.mesh if is_on_mesh(value) else None


def _keep_layout(handle: Handle) -> None:
    """Give a variable's new value the variable's layout."""
    buffer = handle.cell.buf
    if (
        buffer is None
        or type(buffer) is not ndarray and buffer.sharding.is_equivalent_to(handle.place.device, buffer.ndim)
    ):
        return
    with commit_lock:
        handle.write(accelerator.put(handle.cell.buf, handle.place.device))


def install() -> None:
    """Called by whatever makes a DTensor: from then on the process' backend knows meshes."""
    placement.wrap(MeshBackend)
