"""`tf.experimental.dtensor`: creating tensors on meshes, changing and reading their layouts, the default mesh."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from reflow.api.export import export, with_sections
from reflow.core import errors, nest
from reflow.core.context import state, swapped
from reflow.core.tensor import EagerTensor, Tensor
from reflow.core.types import TensorLike
from reflow.distribute.dtensor import backend
from reflow.distribute.dtensor.backend import MeshBackend
from reflow.distribute.dtensor.layout import MATCH, Layout, sharding_of
from reflow.distribute.dtensor.mesh import Mesh
from reflow.distribute.dtensor.tensor import DEVICE, DTensor, on_mesh
from reflow.eager.execute import record
from reflow.eager.variables import Variable
from reflow.ops import registry
from reflow.ops.convert import convert_to_tensor
from reflow.ops.dispatch import run
from reflow.ops.xp.xla.base import wide_types


def _check_eager(name: str) -> None:
    if state.graph is not None:
        raise RuntimeError(f"`{name}` must be called eagerly.")


@export("experimental.dtensor.device_name")
def device_name() -> str:
    """Returns the name of the device that all DTensors are on.

    Returns:
      A string.

    >>> tf.experimental.dtensor.device_name()
    '/job:localhost/replica:0/task:0/device:CUSTOM:0'
    """
    return DEVICE


@export("experimental.dtensor.is_dtensor")
def is_dtensor(tensor: Any) -> bool:
    """Says whether something is a tensor, or a variable, on a mesh.

    Args:
      tensor: Anything.

    Returns:
      A bool.

    Raises:
      RuntimeError: It is called in a function.

    >>> tf.experimental.dtensor.is_dtensor(tf.constant(1.0))
    False
    """
    _check_eager("is_dtensor")
    if isinstance(tensor, Variable):
        return isinstance(tensor.handle._value.place, backend.MeshPlace)
    return isinstance(tensor, DTensor)


@export("experimental.dtensor.fetch_layout")
def fetch_layout(tensor: Any) -> Layout:
    """Returns the layout of a DTensor, or of a variable on a mesh.

    Args:
      tensor: The tensor or variable.

    Returns:
      A `tf.experimental.dtensor.Layout`.

    Raises:
      InvalidArgumentError: It is on no mesh.
      RuntimeError: It is called in a function.

    >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> x = tf.experimental.dtensor.copy_to_mesh([1.0], tf.experimental.dtensor.Layout.replicated(mesh, rank=1))
    >>> tf.experimental.dtensor.fetch_layout(x).sharding_specs
    ['unsharded']
    """
    _check_eager("fetch_layout")
    if isinstance(tensor, Variable):
        tensor = tensor.read_value()
    if not isinstance(tensor, DTensor):
        raise errors.InvalidArgumentError(None, None, "FetchLayout expects a tensor placed on the layout device.")
    return tensor.layout


@export("experimental.dtensor.check_layout")
def check_layout(tensor: Any, layout: Layout) -> None:
    """Raises an error if a DTensor has another layout.

    Args:
      tensor: The tensor or variable.
      layout: The expected `tf.experimental.dtensor.Layout`.

    Returns:
      None.

    Raises:
      ValueError: The layouts differ.

    >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> layout = tf.experimental.dtensor.Layout.replicated(mesh, rank=1)
    >>> tf.experimental.dtensor.check_layout(tf.experimental.dtensor.copy_to_mesh([1.0], layout), layout)
    """
    found = fetch_layout(tensor)
    if found != layout:
        raise ValueError(f"Layout of tensor: {found}, did not match expected layout: {layout}")


# --- making tensors and changing layouts ------------------------------------------------------------------------------


@export("experimental.dtensor.relayout")
def relayout(tensor: TensorLike, layout: Layout, name: str | None = None) -> Tensor:
    """Gives a tensor another layout.

    Args:
      tensor: a DTensor, or anything that `tf.convert_to_tensor` takes.
      layout: the new layout. An axis that is `tf.experimental.dtensor.MATCH` stays as it is.
      name: the op's name in a graph.

    Returns:
      A DTensor with that layout.

    Raises:
      UnknownError: the tensor's rank or sizes do not fit the layout.

    >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> x = tf.experimental.dtensor.relayout([1.0, 2.0], tf.experimental.dtensor.Layout(["x"], mesh))
    >>> tf.experimental.dtensor.fetch_layout(x).sharding_specs
    ['x']
    """
    backend.install()
    tensor = convert_to_tensor(tensor)
    if state.graph is not None:
        sharding_of(layout)  # complains about devices that do not exist
        return run("Reflow>Relayout", tensor, layout=layout, T_output=tensor.dtype)  # type: ignore[no-any-return]
    if MATCH in layout.sharding_specs:
        layout = _matched(tensor, layout)
    result = on_mesh(tensor._value, layout, tensor.dtype)
    record(registry.get("Reflow>Relayout"), (tensor,), (result,), {"layout": layout})
    return result


def _matched(tensor: Tensor, layout: Layout) -> Layout:
    here = tensor.layout.sharding_specs if isinstance(tensor, DTensor) else ["unsharded"] * len(tensor._value.shape)
    return Layout([h if s == MATCH else s for s, h in zip(layout.sharding_specs, here, strict=True)], layout.mesh)


@export("experimental.dtensor.copy_to_mesh")
def copy_to_mesh(tensor: TensorLike, layout: Layout, source_layout: Layout | None = None) -> Tensor:
    """Puts a tensor on a mesh: `relayout`, by another name.

    Args:
      tensor: anything that `tf.convert_to_tensor` takes.
      layout: the layout of the result.
      source_layout: not used, as in TensorFlow: a tensor knows its layout.

    Returns:
      A DTensor with that layout.

    >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> tf.experimental.dtensor.copy_to_mesh([1.0], tf.experimental.dtensor.Layout.replicated(mesh, rank=1)).numpy()
    array([1.], dtype=float32)
    """
    return relayout(tensor, layout)


@export("experimental.dtensor.relayout_like")
def relayout_like(tensor: TensorLike, layout_tensor: Tensor, name: str | None = None) -> Tensor:
    """Gives a tensor the layout of another.

    Args:
      tensor: what gets the layout.
      layout_tensor: what has it. In a function both need the same shape for it to have an effect.
      name: the op's name in a graph.

    Returns:
      A DTensor with that layout.

    >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> x = tf.experimental.dtensor.copy_to_mesh([1.0], tf.experimental.dtensor.Layout(["x"], mesh))
    >>> tf.experimental.dtensor.fetch_layout(tf.experimental.dtensor.relayout_like([2.0], x)).sharding_specs
    ['x']
    """
    if state.graph is None:
        return relayout(tensor, fetch_layout(layout_tensor))
    tensor = convert_to_tensor(tensor)
    return run("Reflow>RelayoutLike", tensor, layout_tensor, T_output=tensor.dtype)  # type: ignore[no-any-return]


@export("experimental.dtensor.pack")
def pack(tensors: Sequence[TensorLike], layout: Layout) -> Tensor:
    """Makes a DTensor of the parts that its devices have.

    Args:
      tensors: a tensor for each device of this process, in the mesh's order.
      layout: how they are put together.

    Returns:
      A DTensor.

    Raises:
      InvalidArgumentError: there are not as many tensors as devices, or they do not have the layout's rank.
      UnimplementedError: their shapes differ.
      RuntimeError: it is called in a function.

    >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> tf.experimental.dtensor.pack([[1.0, 2.0]], tf.experimental.dtensor.Layout(["x"], mesh)).shape
    TensorShape([2])
    """
    _check_eager("pack")
    backend.install()
    count = layout.mesh.num_local_devices()
    if len(tensors) != count:
        message = f"The dtensor device {DEVICE} expected {count} inputs to DTensorPack, but got {len(tensors)}"
        raise errors.InvalidArgumentError(None, None, message)
    parts = [convert_to_tensor(t)._host() for t in tensors]
    if parts[0].ndim != layout.rank:
        raise errors.InvalidArgumentError(
            None, None,
            "Packed layout should have the same rank as the rank for each component. The rank of each component is: "
            f"{parts[0].ndim}, while layout has rank: {layout.rank}\nLayout: {layout.to_string()}\n",
        )
    if any(part.shape != parts[0].shape for part in parts):
        shapes = [part.shape for part in parts]
        raise errors.UnimplementedError(
            None, None, f"Components of a PackedTensor must currently all have the same shape. Received: {shapes}"
        )
    if parts[0].dtype == object:
        return DTensor(parts[0], layout=layout)
    sharding = sharding_of(layout)
    shape = tuple(layout.global_shape_from_local_shape(parts[0].shape).as_list())
    with wide_types():
        mine = [d for d in sharding.mesh.devices.ravel() if d in sharding.addressable_devices]
        pieces = [jax.device_put(p, d) for p, d in zip(parts, mine, strict=True)]
        return DTensor(jax.make_array_from_single_device_arrays(shape, sharding, pieces))


@export("experimental.dtensor.unpack")
def unpack(tensor: Any) -> list[Tensor]:
    """Returns the parts of a DTensor, one for each device of this process.

    Args:
      tensor: A DTensor, or a variable on a mesh.

    Returns:
      A list of tensors.

    Raises:
      InvalidArgumentError: the tensor is on no mesh.
      RuntimeError: it is called in a function.

    >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> tf.experimental.dtensor.unpack(
    ...     tf.experimental.dtensor.pack([[1.0]], tf.experimental.dtensor.Layout(["x"], mesh))
    ... )
    [<tf.Tensor: shape=(1,), dtype=float32, numpy=array([1.], dtype=float32)>]
    """
    _check_eager("unpack")
    if isinstance(tensor, Variable):
        tensor = tensor.read_value()
    if not isinstance(tensor, DTensor):
        raise errors.InvalidArgumentError(
            None, None,
            f"DTensorUnpack expects a tensor placed on the DTensor device: {DEVICE}, but input was placed "
            f"on device: {tensor.device}",
        )
    found: list[Tensor] = []
    for part, device in zip(tensor.parts(), tensor.layout.mesh.local_devices(), strict=True):
        result = EagerTensor(part, tensor.dtype)
        result._device = device
        found.append(result)
    return found


# --- scopes -----------------------------------------------------------------------------------------------------------


_ON_MESH = """\
Args:
  mesh: The `tf.experimental.dtensor.Mesh`.

Returns:
  A context manager.
"""


@export("experimental.dtensor.default_mesh")
@with_sections(_ON_MESH)
def default_mesh(mesh: Mesh) -> swapped:
    """Runs ops whose inputs are on no mesh on a given one, in a `with` block; what they make is replicated.

    Raises:
      ValueError: `mesh` is not a `Mesh`.

    >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> with tf.experimental.dtensor.default_mesh(mesh):
    ...     x = tf.ones([2])
    >>> tf.experimental.dtensor.is_dtensor(x)
    True
    """
    if not isinstance(mesh, Mesh):
        raise ValueError(f"Expect `mesh` to be `Mesh`, got {type(mesh)}")
    backend.install()
    own = state.own_backend
    while isinstance(own, MeshBackend):
        own = own._inner
    return swapped(backend=MeshBackend(own, mesh))


@export("experimental.dtensor.run_on")
@with_sections(_ON_MESH)
def run_on(mesh: Mesh) -> swapped:
    """The same as `default_mesh`, by its old name.

    >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> with tf.experimental.dtensor.run_on(mesh):
    ...     tf.experimental.dtensor.get_default_mesh() == mesh
    True
    """
    return default_mesh(mesh)


@export("experimental.dtensor.get_default_mesh")
def get_default_mesh() -> Mesh | None:
    """Returns the mesh of the innermost `default_mesh`.

    Returns:
      A `tf.experimental.dtensor.Mesh`, or None.

    >>> tf.experimental.dtensor.get_default_mesh()
    """
    return getattr(state.backend, "mesh", None)


@export("experimental.dtensor.call_with_layout")
def call_with_layout(fn: Callable[..., Any], layout: Layout | None, *args: Any, **kwargs: Any) -> Any:
    """Calls a function on a mesh and gives its results a layout.

    Args:
      fn: The function.
      layout: The layout; None just calls the function.
      *args: Its positional arguments.
      **kwargs: Its keyword arguments.

    Returns:
      What the function returns, as DTensors.

    >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> layout = tf.experimental.dtensor.Layout(["x"], mesh)
    >>> ones = tf.experimental.dtensor.call_with_layout(tf.ones, layout, shape=[4])
    >>> tf.experimental.dtensor.fetch_layout(ones) == layout
    True
    """
    if layout is None:
        return fn(*args, **kwargs)
    if state.graph is not None:
        return relayout(fn(*args, **kwargs), layout)
    with default_mesh(layout.mesh):
        return nest.map_structure(lambda t: relayout(t, layout), fn(*args, **kwargs))


@export("experimental.dtensor.barrier")
def barrier(mesh: Mesh, barrier_name: str | None = None, timeout_in_ms: int | None = None) -> None:
    """Wait until all devices of a mesh have done what was asked of them.

    Args:
      mesh: the mesh.
      barrier_name: a name for logs.
      timeout_in_ms: how long to wait for other processes; indefinitely by default.

    Returns:
      None.

    Raises:
      ValueError: the devices do not answer as the mesh has them.
      DeadlineExceededError: not all processes came in time.

    >>> tf.experimental.dtensor.barrier(tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"]))
    """
    ones = np.ones([1] * len(mesh.shape()), np.float32)
    total = jax.numpy.sum(pack([ones] * mesh.num_local_devices(), Layout(mesh.dim_names, mesh))._value)
    deadline = None if timeout_in_ms is None else time.monotonic() + timeout_in_ms / 1000
    while deadline is not None and not total.is_ready():
        if time.monotonic() > deadline:
            raise errors.DeadlineExceededError(
                None, None, f"Barrier {barrier_name or mesh.name!r} timed out after {timeout_in_ms} ms."
            )
        time.sleep(1e-3)
    if float(jax.block_until_ready(total)) != mesh.size:
        raise ValueError(
            f"Global barrier produced wrong mesh size : {float(total)} while mesh has actualsize : {mesh.size}"
        )
