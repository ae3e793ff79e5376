"""A tensor on a mesh: its value is a `jax.Array` whose sharding is a layout.

Strings are host values with an attached layout.
"""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from reflow.core import errors
from reflow.core.tensor import EagerTensor, HostObject, ndarray
from reflow.core.types import Value
from reflow.devices.names import LOCAL, DeviceSpec
from reflow.distribute.dtensor.layout import UNSHARDED, Layout, layout_of, sharding_of
from reflow.ops.kernels.strings.format import summary
from reflow.ops.xp.xla.base import wide_types

#: the device that TensorFlow says DTensors are on, whatever their mesh
DEVICE = LOCAL + "/device:CUSTOM:0"
SHOWN = 10  # entries at each end of an axis in a text


class DTensor(EagerTensor):
    """An eager tensor on a mesh."""

    __slots__ = ()

    def __init__(self, value: Value, dtype: Any = None, layout: Layout | None = None) -> None:
        super().__init__(value, dtype)
        self._device = DEVICE
        if type(value) is ndarray:  # texts: JAX has none
            self.__dict__["_layout"] = layout

    @property
    def layout(self) -> Layout:
        """How it is divided."""
        return self.__dict__.get("_layout") or layout_of(self._value)  # type: ignore[return-value] # it is on a mesh

    def parts(self) -> list[np.ndarray]:
        """What each device of this process has, in the mesh's order."""
        layout = self.layout
        if type(self._value) is ndarray:
            return [self._value] * layout.mesh.num_local_devices()
        by_device = {shard.device: shard.data for shard in self._value.addressable_shards}
        return [np.asarray(by_device[d]) for d in self._value.sharding.mesh.devices.ravel() if d in by_device]

    def described(self) -> str:
        """The value and the layout, as TensorFlow writes them."""
        layout = self.layout
        if layout.is_fully_replicated():
            shown = summary(_spelled(self._host()), SHOWN)
        else:
            names = [DeviceSpec.from_string(d) for d in layout.mesh.local_devices()]
            parts = zip(names, self.parts(), strict=True)
            shown = (
                "{" + ", ".join(f'"{n.device_type}:{n.device_index}": {summary(_spelled(p), SHOWN)}' for n, p in parts)
                + "}"
            )
        return f'{shown}, layout="{layout.to_string()}"'

    def _host(self) -> np.ndarray:
        """The whole value; where other processes have parts of it, all of them must ask."""
        if (
            type(self._value) is not ndarray
            and not (self._value.is_fully_addressable or self._value.is_fully_replicated)
        ):
            return np.asarray(
                placed(self._value, sharding_of(Layout.replicated(self.layout.mesh, len(self._value.shape))))
            )
        return super()._host()

    def _numpy(self) -> Any:
        self._check_whole()
        return super()._numpy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        self._check_whole()
        return super().__array__(dtype, copy)

    def _check_whole(self) -> None:
        if not self.layout.is_fully_replicated():
            raise errors.UnimplementedError(
                None, None,
                "Trying to copy a non-single-device and non-replicated DTensor is not supported. Input tensor is: "
                f"DTensor({self.described()}, shape={self.shape}, dtype={self._dtype.name})",
            )

    def __repr__(self) -> str:
        return f"<tf.Tensor: shape={self.shape}, dtype={self._dtype.name}, value={self.described()}>"

    def __str__(self) -> str:
        return f"tf.Tensor({self.described()}, shape={self.shape}, dtype={self._dtype.name})"


def _spelled(array: np.ndarray) -> np.ndarray:
    """Booleans are written as numbers there."""
    return array.astype(np.int32) if array.dtype == np.bool_ else array


def on_mesh(value: Value, layout: Layout, dtype: Any = None) -> DTensor:
    """The tensor of a value, divided as a layout says. InvalidArgumentError if it cannot be."""
    check_fits(tuple(value.shape), layout)
    if type(value) is ndarray and value.dtype == object:
        return DTensor(value, dtype, layout)
    return DTensor(placed(value, sharding_of(layout)), dtype)


def placed(value: Value, sharding: Any) -> Any:
    """A value as a JAX array with a sharding. Where that has devices of other processes, each process brings the parts
    of its own devices, from a value that all of them have."""
    with wide_types():
        if sharding.is_fully_addressable:
            return jax.device_put(value, sharding)
        if type(value) is not ndarray and not value.is_fully_addressable:
            return jax.jit(lambda x: x, out_shardings=sharding)(value)
        whole = np.asarray(value)
        return jax.make_array_from_callback(whole.shape, sharding, lambda where: whole[where])


def check_fits(shape: tuple[int, ...], layout: Layout) -> None:
    """UnknownError, TensorFlow's class, if a tensor of that shape cannot have the layout."""
    if layout.rank != len(shape):
        raise errors.UnknownError(
            None, None,
            "'tf.DTensorLayout' op requires matching rank for layout and input, but got "
            f"{layout.rank} as suggested rank from layout but {len(shape)} from shape.",
        )
    for i, size in enumerate(shape):
        if size % layout.num_shards(i):
            raise errors.UnknownError(
                None, None,
                f"'tf.DTensorLayout' op requires dimension {i} to be divisible by sharding specified in "
                f"DTensorLayout, but got dimension size={size} is not divisible by number of shards in layout for "
                f"this dimension={layout.num_shards(i)}.",
            )


def is_on_mesh(value: Value) -> bool:
    """Whether a raw value is on a mesh."""
    return type(value) is not ndarray and not isinstance(value, HostObject) and layout_of(value) is not None


def settled(value: Value, mesh: Any) -> Value:
    """A raw value that an op or a function on a mesh made, with a sharding that is a layout: XLA may divide an axis by
    two dimensions, or leave a value on one device."""
    if isinstance(value, HostObject) or type(value) is ndarray and value.dtype == object:
        return value
    found = None if type(value) is ndarray else layout_of(value)
    specs = [UNSHARDED] * len(value.shape) if found is None else found.sharding_specs
    fitting = [
        s if s in mesh and not n % mesh.dim_size(s) else UNSHARDED for s, n in zip(specs, value.shape, strict=True)
    ]
    wanted = sharding_of(Layout(fitting, mesh))
    if found is not None and value.sharding.is_equivalent_to(wanted, value.ndim):
        return value
    return placed(value, wanted)
