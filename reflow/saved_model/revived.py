"""Classes that a library registers for objects in SavedModels (`tf.__internal__.saved_model.load`).

A user object in a SavedModel has an *identifier* and a version. A library that registers an identifier says which of
its objects are written with it, and how such an object is *revived*: recreated by `tf.saved_model.load`, which then
sets its children with a *setter*. Keras 2 registers its optimizers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from google.protobuf.message import Message

from reflow.api.export import export
from reflow.core.types import Proto


@export("__internal__.saved_model.load.VersionedTypeRegistration")
class VersionedTypeRegistration:
    """One version of a class: how an object is made from its SavedUserObject, which versions of files it reads."""

    def __init__(
        self, object_factory: Callable[[Any], Any], version: int, min_producer_version: int, min_consumer_version: int,
        bad_consumers: list[int] | None = None, setter: Callable[[Any, str, Any], None] = setattr,
    ) -> None:
        self.setter, self.identifier, self.version = setter, "", version
        self._object_factory = object_factory
        self._min_producer_version, self._min_consumer_version = min_producer_version, min_consumer_version
        self._bad_consumers = list(bad_consumers or ())

    def to_proto(self) -> Proto:
        """A SavedUserObject with identifier and version."""
        from tensorboard.compat.proto.saved_object_graph_pb2 import SavedUserObject

        proto = SavedUserObject(identifier=self.identifier)
        proto.version.producer, proto.version.min_consumer = self.version, self._min_consumer_version
        proto.version.bad_consumers.extend(self._bad_consumers)
        return proto

    def from_proto(self, proto: Message) -> Any:
        """The object of a SavedUserObject."""
        return self._object_factory(proto)

    def should_load(self, proto: Any) -> bool:
        """Whether this version reads a SavedUserObject."""
        versions = proto.version
        return (
            proto.identifier == self.identifier
            and self.version >= versions.min_consumer
            and versions.producer >= self._min_producer_version
            and self.version not in versions.bad_consumers
        )


_registered: dict[str, tuple[Callable[[Any], bool], list[VersionedTypeRegistration]]] = {}


@export("__internal__.saved_model.load.register_revived_type")
def register_revived_type(
    identifier: str, predicate: Callable[[Any], bool], versions: list[VersionedTypeRegistration]
) -> None:
    """Register a class under an identifier.

    Args:
      identifier: what SavedModels call it.
      predicate: says of an object whether it is written under this identifier.
      versions: the versions of the class; the newest is the one that is written.

    Raises:
      AssertionError: there is no version, or two have the same number.
    """
    if not versions:
        raise AssertionError("Need at least one version of a registered type.")
    numbers = set()
    for registration in versions:
        if registration.version in numbers:
            raise AssertionError(
                f"Got multiple registrations with version {registration.version} for type {identifier}."
            )
        numbers.add(registration.version)
        registration.identifier = identifier
    _registered[identifier] = (predicate, sorted(versions, key=lambda v: v.version, reverse=True))


@export("__internal__.saved_model.load.registered_identifiers")
def registered_identifiers() -> Any:
    """The identifiers that are registered."""
    return _registered.keys()


@export("__internal__.saved_model.load.get_setter")
def get_setter(proto: Message) -> Callable[[Any, str, Any], None] | None:
    """How the object of a SavedUserObject gets its children, or None if its identifier is not registered."""
    registration = _for_proto(proto)
    return registration.setter if registration is not None else None


def _for_proto(proto: Any) -> VersionedTypeRegistration | None:
    _, versions = _registered.get(proto.identifier, (None, ()))
    return next((registration for registration in versions if registration.should_load(proto)), None)


def deserialize(proto: Message) -> tuple[Any, Callable[[Any, str, Any], None]] | None:
    """The object of a SavedUserObject, and how it gets its children; None if its identifier is not registered."""
    registration = _for_proto(proto)
    return (registration.from_proto(proto), registration.setter) if registration is not None else None


def serialize(obj: Any) -> Proto | None:
    """The SavedUserObject of an object of a registered class, the latest registration first; None for others."""
    for predicate, versions in reversed(_registered.values()):
        if predicate(obj):
            return versions[0].to_proto()
    return None
