"""Placement: which device an op runs on.

Without a GPU, and without a `tf.device` scope that resolves to another device than the first CPU, every op runs on the
host and this module is not consulted. Otherwise the process has a backend that asks for a `Place`
(`reflow/backends/placed.py`). This module decides between the two.

A place is a logical device with a JAX device behind it, or without one: the host, where NumPy computes. Logical CPUs
and simulated TPU cores are names for the host. Several places may share a JAX device (logical devices on one GPU).
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable
from typing import Any

from reflow.core import errors
from reflow.core.backend import Backend
from reflow.core.context import State, state, use_backend
from reflow.core.scope import Scope
from reflow.devices import settings as device_settings
from reflow.devices.names import CPU0, LOCAL, DeviceSpec, merged
from reflow.devices.settings import (
    forget_settings,
    gpu_count,
    logical_and_physical,
    logical_devices,
    mark_unused,
    memory_limit,
    ordinal,
    physical_devices,
    settings,
    start,
    started,
    visible_devices,
)


class Place:
    """A logical device as ops see it: full name, kind, and JAX's device (None on the host)."""

    __slots__ = ("name", "kind", "device")

    def __init__(self, name: str, kind: str, device: Any) -> None:
        self.name, self.kind, self.device = name, kind, device

    def __repr__(self) -> str:
        return f"<Place {self.name}>"


class Places:
    """The places of the running runtime. `default` is where an op goes that no scope sends anywhere: the first GPU, if
    there is one."""

    def __init__(self) -> None:
        start()
        gpus = _jax_devices()
        self.all = {
            logical.name: Place(LOCAL + logical.name, logical.device_type, gpus.get(physical))
            for logical, physical in logical_and_physical()
        }
        self.host = self.all.get("/device:CPU:0") or Place(CPU0, "CPU", None)
        self.default = self.all.get("/device:GPU:0") or self.host
        self.scopes: dict = {}  # a scope's name -> its place, with soft placement
        self.names = {p.device: p.name for p in reversed(self.all.values()) if p.device is not None}


def _jax_devices() -> dict:
    """JAX's device of each visible GPU; starts its client. A GPU that does not start is as if it were not there."""
    gpus = visible_devices("GPU")
    if not gpus:
        device_settings.driver.hide()
        return {}
    growth = any(settings.memory_growth.get(d, False) for d in gpus)
    try:
        found = device_settings.driver.devices([ordinal(d) for d in gpus], growth, memory_limit())
    except RuntimeError as error:
        print(f"Could not start the GPU, running on the CPU: {error}", file=sys.stderr)
        settings.visible = visible_devices("CPU")
        logical_and_physical.cache_clear()
        return {}
    return dict(zip(gpus, found, strict=True))


_places: Places | None = None


def places() -> Places:
    """The places; asking starts the runtime, and JAX's client of the GPUs."""
    global _places
    if _places is None:
        _places = Places()
        refresh()
    return _places


_resets: list[Callable[[], None]] = []


def on_reset(forget: Callable[[], None]) -> None:
    """Call a function whenever the context is reset."""
    _resets.append(forget)


def reset() -> None:
    """`context._reset_context()`: forget all settings; the next tensor starts a new runtime."""
    global _places
    _places = None
    for forget in _resets:
        forget()
    remotes.clear()
    forget_settings()
    refresh()


def loaded() -> None:
    """Called when the package is loaded."""
    mark_unused()
    refresh()


# --- the backend of the process -------------------------------------------------------------------------------------

_backends: dict = {}  # whether ops are placed -> the backend for it


def install(host: Backend, placed: Backend) -> None:
    """Called once by `reflow.backends`."""
    _backends.update({False: host, True: placed})
    refresh()


_unwrapped: dict = {}  # those backends without the wrapper around them, if there is one


def wrap(wrapper: Callable[[Backend], Backend]) -> None:
    """Put a wrapper around both backends that the process may have, once."""
    if not _unwrapped:
        _unwrapped.update(_backends)
        _backends.update({placed: wrapper(backend) for placed, backend in _unwrapped.items()})
        refresh()


def unwrap() -> None:
    """Take the wrapper away. Tests do; a program's values may need it."""
    if _unwrapped:
        _backends.update(_unwrapped)
        _unwrapped.clear()
        refresh()


def refresh() -> None:
    """Choose the process' backend again if what that depends on has changed: whether there is an accelerator, a scope
    has led away from the first CPU, or placements are logged."""
    accelerated = device_settings.driver.possible() if _places is None else _places.default.device is not None
    backend = _backends[settings.log_placement or settings.scoped or accelerated]
    if backend is not State.backend:
        use_backend(backend)


def placing() -> bool:
    """Whether the ops of all threads are placed."""
    return State.backend is _backends[True]


# --- from names to places -------------------------------------------------------------------------------------------


def full_name(partial: str) -> str:
    """The device that a scope means, with soft placement: the nearest one that exists."""
    return nearest(partial).name


def nearest(partial: str) -> Place:
    """The place that a scope means: the named device, else the first of its kind, else the default."""
    running = places()
    spec = DeviceSpec.from_string(partial)
    if spec.device_type is None:
        return running.default
    kind = f"/device:{spec.device_type}:"
    return running.all.get(f"{kind}{spec.device_index or 0}") or running.all.get(kind + "0") or running.default


def place_of_scope() -> Place:
    """Where the current scope places ops. InvalidArgumentError if there is no such device and soft placement is off."""
    running = places()
    scope = state.device
    if not scope:
        return running.default
    found = running.scopes.get(scope)
    if found is None:
        if not settings.soft_placement:
            _check_exists(scope, running)
        found = running.scopes[scope] = nearest(scope)
    return found


def _check_exists(partial: str, running: Places) -> None:
    spec = DeviceSpec.from_string(partial)
    wanted = f"/device:{spec.device_type}:{spec.device_index or 0}"
    if spec.device_type is not None and wanted not in running.all:
        raise unsatisfied(LOCAL + wanted, running.all.values())


def set_soft_placement(enabled: bool) -> None:
    """Replace devices that do not exist with ones that do, or reject them."""
    settings.soft_placement = enabled
    if _places is not None:
        _places.scopes.clear()
    _enter(state.device)


def unsatisfied(name: str, supported: Iterable[Place]) -> Exception:
    """TensorFlow's error for a device that does not exist, or that does not have the op."""
    kinds = sorted({p.kind for p in supported}, reverse=True)
    everywhere = sorted(places().all.values(), key=lambda p: p.kind, reverse=True)
    return errors.InvalidArgumentError(
        None, None,
        f"Could not satisfy device specification '{name}'. enable_soft_placement=0. Supported device types "
        f"[{', '.join(kinds)}]. All available devices [{', '.join(p.name for p in everywhere)}].",
    )


def log(what: str, place: Place) -> None:
    """TensorFlow's line for an op that runs, if the user asked for it."""
    if settings.log_placement:
        print(f"Executing op {what} in device {place.name}", file=sys.stderr)


# --- scopes ---------------------------------------------------------------------------------------------------------


# the machine of a device of another process -> what runs ops there: see `reflow/distribute/remote_devices.py`
remotes: dict[str, Backend] = {}


def _remote(partial: str) -> Backend | None:
    """What runs the ops of a scope that leads to another process to which this one is connected."""
    if not remotes or "/job:" not in partial:
        return None
    spec = DeviceSpec.from_string(partial)
    return remotes.get(f"/job:{spec.job}/replica:{spec.replica or 0}/task:{spec.task or 0}")


def check_machine(partial: str) -> None:
    """InvalidArgumentError if the scope names another machine that this process is not connected to."""
    if _remote(partial) is not None:
        return
    spec = DeviceSpec.from_string(partial)
    if spec.job not in (None, "localhost") or spec.replica or spec.task:
        full = DeviceSpec(
            spec.job or "localhost", spec.replica or 0, spec.task or 0, spec.device_type or "CPU",
            spec.device_index or 0,
        )
        raise errors.InvalidArgumentError(None, None, f"{full.to_string()} unknown device.")


NOT_NESTED = "Exiting device scope without proper scope nesting."


class DeviceScope(Scope):
    """`tf.device(name)`: tensors made in a `with` block, and nodes added in it, belong to a device."""

    def __init__(self, name: str | None) -> None:
        super().__init__()
        self._name = name

    def _prepare(self) -> tuple[str, str]:
        new = "" if self._name is None else merged(state.device, self._name)
        if new and state.graph is None:  # a graph may be for machines that exist only when it runs
            check_machine(new)
        return state.device, new

    def _apply(self, entry: tuple[str, str]) -> None:
        _enter(entry[1])

    def _undo(self, entry: tuple[str, str], late: bool) -> None:
        if state.device == entry[1]:
            _enter(entry[0])
        elif not late:
            raise RuntimeError(NOT_NESTED)


def _enter(scope: str) -> None:
    """Be in a scope. One that leads to the first CPU leaves the backend as it is, so that eager code stays fast. One
    that leads to another device has the process place its ops from now on: its values outlive the scope. One that names
    a device which does not exist and may not be replaced has its ops placed, which then fail."""
    own, placed, wanted = state.own_backend, _backends[True], _remote(scope)
    # before the runtime starts, ops may be placed only because there can be a GPU
    settled = State.backend is placed and _places is not None
    if scope and wanted is None and not settled and not _first_cpu(scope):
        if not settings.soft_placement:
            wanted = placed
        elif not _leads_to_host(scope):
            settings.scoped = True
            refresh()
    if own is None or own.base in (None, placed) or own.base.scoped:  # else it is a strategy's, which places ops itself
        state.put({"device": scope, "backend": wanted if own is None else own.around(wanted)})
    else:
        state.put({"device": scope})


def _leads_to_host(scope: str) -> bool:
    """Whether a scope means the first CPU in the end. A GPU in use has ops placed whatever the scopes say."""
    if _places is not None:
        return nearest(scope) is _places.host
    kind = DeviceSpec.from_string(scope).device_type
    if kind == "TPU":
        return not settings.tpus
    # asking more would start the runtime
    several = any(len(configured) > 1 for configured in settings.logical.values())
    return not several or kind != "CPU"


@functools.lru_cache(1024)
def _first_cpu(scope: str) -> bool:
    spec = DeviceSpec.from_string(scope)
    return spec.device_type in (None, "CPU") and not spec.device_index


__all__ = [
    "CPU0", "LOCAL", "DeviceScope", "DeviceSpec", "Place", "check_machine", "full_name", "gpu_count", "loaded", "log",
    "logical_devices", "merged", "nearest", "physical_devices", "place_of_scope", "placing", "places", "refresh",
    "reset", "settings", "start", "started", "unsatisfied", "unwrap", "visible_devices", "wrap",
]
