"""`tf.saved_model.experimental.TrackableResource`: base of objects with a resource other than a variable.

A `ResourceTracker` collects the resources whose handles are created in its scope. A *creator* in scope intercepts the
construction of objects, as a variable creator does for variables: `creator(next_creator, *args, **kwargs)`.
"""

from __future__ import annotations

import collections
import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from reflow.core.context import init_scope
from reflow.tracking.trackable import Trackable


class _Scopes(threading.local):
    """Trackers and creators that are in scope in a thread."""

    def __init__(self) -> None:
        self.trackers: list[ResourceTracker] = []
        self.creators: dict[str, list[Callable[..., Any]]] = collections.defaultdict(list)


_scopes = _Scopes()


class ResourceTracker:
    """A list of resources."""

    def __init__(self) -> None:
        self._resources: list[CapturableResource] = []

    resources = property(lambda self: self._resources)

    def add_resource(self, resource: CapturableResource) -> None:
        self._resources.append(resource)


@contextlib.contextmanager
def resource_tracker_scope(resource_tracker: ResourceTracker) -> Iterator[None]:
    """Let a tracker note every resource that is made in this block, also those of trackers inside it."""
    before = list(_scopes.trackers)
    _scopes.trackers.append(resource_tracker)
    try:
        yield
    finally:
        _scopes.trackers[:] = before


def creators() -> dict[str, list[Callable[..., Any]]]:
    """The creators in scope, by the name of the class they are for, outermost first."""
    return _scopes.creators


@contextlib.contextmanager
def resource_creator_scope(resource_type: str | Sequence[str], resource_creator: Callable[..., Any]) -> Iterator[None]:
    """Let a function make the resources of the named classes in this block."""
    kinds: list[Any] = list(resource_type) if isinstance(resource_type, (list, tuple)) else [resource_type]
    before = {kind: list(_scopes.creators[kind]) for kind in kinds}
    for kind in kinds:
        _scopes.creators[kind].append(resource_creator)
    inside = {kind: list(_scopes.creators[kind]) for kind in kinds}
    try:
        yield
        if any(_scopes.creators[kind] != inside[kind] for kind in kinds):
            raise RuntimeError("Exiting resource_creator_scope without proper nesting.")
    finally:
        for kind in kinds:
            _scopes.creators[kind][:] = before[kind]


class _ResourceMeta(type):
    """Calls of a class go through the creators in scope."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        make: Callable[..., Any] = super().__call__
        for creator in _scopes.creators.get(cls._resource_type(), ()):  # type: ignore[attr-defined]
            make = _behind(creator, make)
        return make(*args, **kwargs)


def _behind(creator: Callable[..., Any], make: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args, **kwargs: creator(make, *args, **kwargs)


class CapturableResource(Trackable, metaclass=_ResourceMeta):
    """What has a resource handle that functions capture."""

    @classmethod
    def _resource_type(cls) -> str:
        return cls.__name__


class TrackableResource(CapturableResource):
    """A resource that is made when its handle is first asked for.

    A subclass defines `_create_resource`, which returns a handle, and may define `_initialize` and `_destroy_resource`.

    Args:
      device: The name of the device that it belongs to.

    >>> class Counter(tf.saved_model.experimental.TrackableResource):
    ...     def _create_resource(self):
    ...         return tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[])
    >>> Counter().resource_handle.dtype
    tf.resource
    """

    def __init__(self, device: str = "") -> None:
        self._resource_handle_value = None
        self._resource_device = device
        for tracker in _scopes.trackers:
            tracker.add_resource(self)

    def _create_resource(self) -> Any:
        raise NotImplementedError("TrackableResource._create_resource not implemented.")

    def _initialize(self) -> None:
        """Fill the resource; nothing by default."""

    def _destroy_resource(self) -> None:
        """Free the resource; nothing by default."""

    @property
    def resource_handle(self) -> Any:
        if self._resource_handle_value is None:
            with init_scope():
                self._resource_handle_value = self._create_resource()
        return self._resource_handle_value
