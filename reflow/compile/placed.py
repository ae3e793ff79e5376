"""Functions when there is a choice of devices.

A function runs where the caller's scope says, or where its own nodes say if they all agree, else on the first GPU. Its programs
take everything from one device: what is elsewhere is brought there first, a variable's buffer for good. (A single function that spreads its
nodes over several devices therefore computes the right numbers on one of them.) On an accelerator a program is compiled at the
first call: interpreting it would be work for the host.
"""

from __future__ import annotations

import contextlib

from reflow.compile import runner
from reflow.core import devices
from reflow.core.context import state, swapped
from reflow.core.device_settings import settings
from reflow.core.resources import Handle, commit_lock
from reflow.core.tensor import HostObject, complain_about_memory, ndarray
from reflow.graph import func_graph
from reflow.runtime.schedule import schedule


def run(graph, values):
    """Run a function graph on raw values at its place."""
    if state.place is not None or state.interpreting:  # inside a function that has been placed
        return runner.run(graph, values)
    place = place_of(graph)
    devices.log(f"__inference_{graph.name}", place)
    if devices.places().default.device is None:  # all devices are the host
        return runner.run(graph, values)
    return _run_at(place, graph, values)


def _run_at(place, graph, values):
    import jax

    device = place.device or jax.devices("cpu")[0]
    values = [_brought(v, device) for v in values]
    exact = contextlib.nullcontext() if settings.tensor_float_32 else jax.default_matmul_precision("highest")
    try:
        with jax.default_device(device), exact, swapped(place=place if place.device else None):
            return runner.run(graph, values)
    except jax.errors.JaxRuntimeError as error:
        complain_about_memory(error)
        raise


def place_of(graph):
    """Where a function runs."""
    if state.device:
        return devices.place_of_scope()
    own = graph.plans.get("device")
    if own is None:
        names = {i.node.device or "" for i in schedule(graph).instructions if i.op.name != "Const"}
        own = graph.plans["device"] = names.pop() if len(names) == 1 else ""
    return devices.nearest(own) if own else devices.places().default


def _brought(value, device):
    """A value on a device. Host arrays are left to the program, which moves them."""
    if type(value) is ndarray:
        return value
    if isinstance(value, HostObject):
        if type(value) is Handle:
            with commit_lock:
                value.cell.buf = _brought(value.cell.buf, device)
        return value
    if value is None or value.devices() == {device}:
        return value
    from reflow.eager.accelerator import put

    return put(value, device)


def argument(tensor):
    """The value of a function's argument or capture, mirrored on the device where functions run if it is used again."""
    value = tensor._value
    place = devices.place_of_scope()
    if place.device is None or type(value) is not ndarray or value.dtype == object:
        return value
    from reflow.eager.accelerator import argument as mirrored

    return mirrored(tensor, place.device)


def _switch(placing: bool):
    func_graph.install_runner(run if placing else runner.run)


devices.SWITCHES.append(_switch)
