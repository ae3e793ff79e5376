"""Regions that run on one device of several."""

from __future__ import annotations

import jax

from reflow.compile.placed import brought
from reflow.compile.region import COMPILE_AT, Region
from reflow.core.context import state
from reflow.devices import placement as devices


def device_of(instruction) -> str:
    """The device that an instruction asks for: a full name, or "" for where the function runs."""
    name = instruction.node.device
    return devices.nearest(name).name if name and devices.placing else ""


class PlacedRegion(Region):
    """A region at the place that its instructions name, or else where its function is called."""

    def run(self, env):
        place = devices.nearest(self.device) if self.device else state.place
        if self.on_host != (place is None):
            self.on_host, self.packing = place is None, None
            self.programs.clear()
        if place is None:  # the function was partitioned when there was a choice of devices, and now there is none
            super().run(env)
            return
        device = place.device or jax.devices("cpu")[0]
        self.unchecked = place.kind == "GPU"
        slots = (*self.inputs, *self.reads, *self.writes)
        held = [env[s] for s in slots]
        for slot, value in zip(slots, held, strict=True):
            env[slot] = brought(value, device)
        ready = place.device is not None and all(env[s].cell.buf is not None for s in (*self.reads, *self.writes))
        self.compile_at = 1 if ready else COMPILE_AT  # a program needs its variables' buffers
        with jax.default_device(device):
            super().run(env)
        for slot, value in zip(slots, held, strict=True):  # others want them where they were
            env[slot] = value
