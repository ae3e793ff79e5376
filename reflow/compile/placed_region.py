"""Regions that run on one of several devices.

Nodes traced in their own `tf.device` scope run there: partitioning makes regions of one device each. A region's program
takes all arguments from its device. Values elsewhere are copied there first, and a variable's buffer moves permanently.
On an accelerator the region is compiled at the first call: interpreting it would run it on the host.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import jax
import numpy as np
from jax.sharding import SingleDeviceSharding

from reflow.compile.patience import COMPILE_AT
from reflow.compile.region import Region
from reflow.core.context import state
from reflow.core.resources import Handle, Piece, commit_lock
from reflow.core.tensor import HostObject, ndarray
from reflow.devices import placement as devices
from reflow.eager.accelerator import put
from reflow.eager.mirrors import mirror_of

if TYPE_CHECKING:
    from reflow.core.types import Value
    from reflow.runtime.schedule import Env, Instruction


def device_of(instruction: Instruction) -> str:
    """The device that an instruction requests: a full name, or "" for where the function runs."""
    name = instruction.node.device
    return devices.nearest(name).name if name else ""


class PlacedRegion(Region):
    """A region at the place that its instructions name, or where its function is called."""

    def run(self, env: Env) -> None:
        place = self._place()
        if self.on_host != (place is None):
            self.on_host, self.packing = place is None, None
            self.programs.clear()
        if place is None:  # the function was partitioned when there was a choice of devices; now there is none
            super().run(env)
            return
        device = place.device or jax.local_devices(backend="cpu")[0]
        self.unchecked = place.kind == "GPU"
        elsewhere = [s for s in (*self.inputs, *self.reads, *self.writes) if not is_there(env[s], device)]
        held = [env[s] for s in elsewhere]
        for slot, value in zip(elsewhere, held, strict=True):
            env[slot] = brought(value, device)
        ready = place.device is not None and all(env[s].cell.buf is not None for s in (*self.reads, *self.writes))
        self.compile_at = 1 if ready else COMPILE_AT  # a program needs its variables' buffers
        with jax.default_device(device):
            super().run(env)
        for slot, value in zip(elsewhere, held, strict=True):  # other steps expect them where they were
            env[slot] = value


    def _place(self) -> devices.Place | None:
        """Where it runs now; None if there is no choice of devices any more."""
        return devices.nearest(self.device) if self.device else state.place

    def key(self, values: Sequence[Value], env: Env) -> tuple[Any, ...]:
        place = self._place()
        return (*super().key(values, env), place and place.device)

    def _jitted(self, function: Callable) -> Callable:
        """A program whose arguments may be anywhere.

        Without `in_shardings`, JAX compiles it once more for an array that was put on the device (a batch that was sent
        ahead, a tensor that is passed a second time) where it was compiled for one on the host: 9 s for ResNet-50.
        """
        place = self._place()
        if place is None or place.device is None:
            return super()._jitted(function)
        there = SingleDeviceSharding(place.device)
        return jax.jit(function, donate_argnums=0, in_shardings=there, out_shardings=there)


def brought(value: Value, device: Any) -> Value:
    """A value on a device. Host arrays that were not sent ahead are left to the program, which transfers them."""
    if type(value) is ndarray:
        copy = mirror_of(value, device)
        return value if copy is None else copy
    if value is None:
        return value
    if type(value) is Piece:
        return np.asarray(value)
    if isinstance(value, HostObject):
        if type(value) is Handle:
            with commit_lock:
                value.cell.buf = brought(value.cell.buf, device)
        return value
    return value if is_at(value, device) else put(value, device)


def is_there(value: Value, device: Any) -> bool:
    """Whether `brought` would be a no-op, for arrays and variables: 0.3 µs, a sixth of its time."""
    if type(value) is Handle:
        value = value.cell.buf
    sharding = getattr(value, "sharding", None)
    known = _DEVICES.get(id(sharding))
    return known is not None and known[0] is sharding and known[1] is device


#: known shardings -> their device: programs return the same few objects, and `value.device` takes JAX 3 µs
_DEVICES: dict = {}


def is_at(value: Value, device: Any) -> bool:
    """Whether a JAX array is on a device."""
    sharding = value.sharding
    known = _DEVICES.get(id(sharding))
    if known is None or known[0] is not sharding:
        if len(_DEVICES) > 1000:
            _DEVICES.clear()
        known = _DEVICES[id(sharding)] = (sharding, value.device)  # the reference keeps the sharding's id valid
    return known[1] is device
