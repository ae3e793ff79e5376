"""Functions when there is a choice of devices.

A function runs where it is called: where the caller's scope says, else on the first GPU. Nodes that were traced in a scope of their
own run there: partitioning makes regions of one device each. A region's program takes everything from its device; what is elsewhere
is brought there first, a variable's buffer for good. On an accelerator it is compiled at the first call: interpreting it would be
work for the host.
"""

from __future__ import annotations

import contextlib

import numpy as np

from reflow.compile import runner
from reflow.core.context import state, swapped
from reflow.core.resources import Handle, Piece, commit_lock
from reflow.core.tensor import HostObject, ndarray
from reflow.devices import placement as devices
from reflow.devices.settings import settings
from reflow.eager.mirrors import mirror_of
from reflow.graph import func_graph


def run(graph, values):
    """Run a function graph on raw values at its place."""
    if state.place is not None or state.interpreting:  # inside a function that has been placed
        return runner.run(graph, values)
    place = devices.place_of_scope()
    devices.log(f"__inference_{graph.name}", place)
    if devices.places().default.device is None:  # all devices are the host
        return runner.run(graph, values)
    _place_regions()
    import jax

    exact = contextlib.nullcontext() if settings.tensor_float_32 else jax.default_matmul_precision("highest")
    with exact, swapped(place=place):
        return runner.run(graph, values)


def argument(tensor):
    """The value of a function's argument or capture, mirrored on the device where functions run if it is used again."""
    value = tensor._value
    place = devices.place_of_scope()
    if place.device is None or type(value) is not ndarray or value.dtype == object:
        return value
    from reflow.eager.accelerator import argument as mirrored

    return mirrored(tensor, place.device)


def _place_regions():
    """Let partitioning make regions that know their device. Called when a function runs: all of this needs JAX."""
    from reflow.compile import partition, placed_region

    partition.new_region, partition.device_of = placed_region.PlacedRegion, placed_region.device_of


def brought(value, device):
    """A value on a device. Host arrays that were not sent ahead are left to the program, which moves them."""
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
    if is_at(value, device):
        return value
    from reflow.eager.accelerator import put

    return put(value, device)


#: shardings met before -> their device: programs hand out the same few objects, and JAX takes 3 µs to answer `value.device`
_DEVICES: dict = {}


def is_at(value, device) -> bool:
    """Whether a JAX array lies on a device."""
    sharding = value.sharding
    known = _DEVICES.get(id(sharding))
    if known is None or known[0] is not sharding:
        if len(_DEVICES) > 1000:
            _DEVICES.clear()
        known = _DEVICES[id(sharding)] = (sharding, value.device)  # holding the sharding keeps its id its own
    return known[1] is device


def _switch(placing: bool):
    func_graph.install_runner(run if placing else runner.run)


devices.SWITCHES.append(_switch)
