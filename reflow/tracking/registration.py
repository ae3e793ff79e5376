"""Classes that a SavedModel restores as themselves, and checkpoint savers for certain objects.

A *serializable class* is registered under a name "package.name". A SavedModel writes the name with each of its objects,
and loading passes the result of `_serialize_to_proto` to the class' method `_deserialize_from_proto`.

A *checkpoint saver* is a pair of functions for all objects that a predicate selects: one writes their values to a
separate checkpoint, which becomes part of the whole; the other reads them from the whole.

If several predicates match an object, the one registered last is used.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from reflow.core import logging as log

_NAME = re.compile(r"^[a-zA-Z0-9._-]+$")


class CheckpointSaver(NamedTuple):
    """What a registration of a checkpoint saver holds."""

    save: Callable[..., Any]
    restore: Callable[..., Any]
    #: whether an object for which the predicate does not hold is an error when a checkpoint is restored
    strict: bool


class Registry:
    """Things by name, found for an object by the predicates that they were registered with."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._candidates: dict[str, Any] = {}
        self._predicates: dict[str, Callable[[Any], bool]] = {}

    def register(self, package: str, name: str | None, predicate: Callable[[Any], bool] | None, candidate: Any) -> None:
        if not isinstance(package, str) or not isinstance(name, str):
            raise TypeError(
                f"The package and name registered to a {self.name} must be strings, got: "
                f"package={type(package)}, name={type(name)}"
            )
        if not callable(predicate):
            raise TypeError(f"The predicate registered to a {self.name} must be callable, got: {type(predicate)}")
        full = f"{package}.{name}"
        if not _NAME.match(full):
            raise ValueError(
                f"Invalid registered {self.name}. Please check that the package and name follow the regex "
                f"'{_NAME.pattern}': (package='{package}', name='{name}')"
            )
        if full in self._candidates:
            raise ValueError(
                f"The name '{full}' has already been registered to a {self.name}. Found: {self._candidates[full]}"
            )
        self._candidates[full], self._predicates[full] = candidate, predicate

    def lookup(self, obj: Any) -> Any:
        """What is registered for an object."""
        return self._candidates[self.get_registered_name(obj)]

    def name_lookup(self, registered_name: str) -> Any:
        """What is registered under a name."""
        self._check(registered_name)
        return self._candidates[registered_name]

    def get_predicate(self, registered_name: str) -> Callable[[Any], bool]:
        self._check(registered_name)
        return self._predicates[registered_name]

    def _check(self, registered_name: str) -> None:
        if registered_name not in self._candidates:
            raise LookupError(f"The {self.name} registry does not have name '{registered_name}' registered.")

    def get_registered_name(self, obj: Any) -> str:
        """The name under which something is registered for an object."""
        found = self._name_of(obj)
        if found is None:
            raise LookupError(f"Could not find matching {self.name} for {type(obj)}.")
        return found

    def _name_of(self, obj: Any) -> str | None:
        return next((name for name in reversed(self._predicates) if self._predicates[name](obj)), None)

    def get_registrations(self) -> dict[str, Callable[[Any], bool]]:
        """The predicates by name."""
        return self._predicates


_class_registry = Registry("serializable class")
_saver_registry = Registry("checkpoint saver")


def register_serializable(
    package: str = "Custom", name: str | None = None, predicate: Callable[[Any], bool] | None = None
) -> Callable[[type], type]:
    """A decorator for classes whose objects a SavedModel restores as themselves."""

    def register(cls: type) -> type:
        if not isinstance(cls, type):
            raise TypeError(f"Registered serializable must be a class: {cls}")
        holds = predicate or (lambda obj: isinstance(obj, cls))
        _class_registry.register(package, cls.__name__ if name is None else name, holds, cls)
        return cls

    return register


def register_checkpoint_saver(
    package: str = "Custom", name: str | None = None, predicate: Callable[[Any], bool] | None = None,
    save_fn: Callable[..., Any] | None = None, restore_fn: Callable[..., Any] | None = None,
    strict_predicate_restore: bool = True,
) -> None:
    """Let two functions write and read the values of all objects for which the predicate holds.

    `save_fn(trackables, file_prefix)` gets the objects by name, writes checkpoints and returns their prefixes;
    `restore_fn(trackables, merged_prefix)` reads the values from the whole checkpoint.
    """
    for label, function in (("save_fn", save_fn), ("restore_fn", restore_fn)):
        if not callable(function):
            raise TypeError(f"The {label} must be callable, got: {type(function)}")
    saver = CheckpointSaver(save_fn, restore_fn, strict_predicate_restore)  # type: ignore[arg-type]
    _saver_registry.register(package, name, predicate, saver)


def register_tf_serializable(
    name: str | None = None, predicate: Callable[[Any], bool] | None = None
) -> Callable[[type], type]:
    """`register_serializable` for the classes of TensorFlow itself: the package is "tf"."""
    return register_serializable("tf", name, predicate)


def register_tf_checkpoint_saver(
    name: str | None = None, predicate: Callable[[Any], bool] | None = None, save_fn: Callable[..., Any] | None = None,
    restore_fn: Callable[..., Any] | None = None, strict_predicate_restore: bool = True,
) -> None:
    """`register_checkpoint_saver` for the classes of TensorFlow itself: the package is "tf"."""
    register_checkpoint_saver("tf", name, predicate, save_fn, restore_fn, strict_predicate_restore)


def get_registered_class_name(obj: Any) -> str | None:
    """The name under which the class of an object is registered."""
    return _class_registry._name_of(obj)


def get_registered_class(registered_name: str) -> Any:
    """The class that is registered under a name, or None."""
    return _class_registry._candidates.get(registered_name)


def get_registered_saver_name(trackable: Any) -> str | None:
    """The name of the saver that is registered for an object."""
    return _saver_registry._name_of(trackable)


def get_save_function(registered_name: str) -> Callable[..., Any]:
    return _saver_registry.name_lookup(registered_name).save


def get_restore_function(registered_name: str) -> Callable[..., Any]:
    return _saver_registry.name_lookup(registered_name).restore


def get_strict_predicate_restore(registered_name: str) -> bool:
    """Whether it is an error if the saver's predicate does not match an object; not if there is no such saver."""
    try:
        return _saver_registry.name_lookup(registered_name).strict
    except LookupError:
        log.warn("Registered saver %s was not found when restoring checkpoints.", registered_name)
        return False


def validate_restore_function(trackable: Any, registered_name: str) -> None:
    """Raise ValueError unless the saver that wrote an object's values exists and its predicate holds for it."""
    try:
        predicate = _saver_registry.get_predicate(registered_name)
    except LookupError:
        raise ValueError(
            f"Error when restoring object {trackable} from checkpoint. This object was saved using a registered saver "
            f"named '{registered_name}', but this saver cannot be found in the current context."
        ) from None
    if not predicate(trackable):
        raise ValueError(
            f"Object {trackable} was saved with the registered saver named '{registered_name}'. However, this saver "
            "cannot be used to restore the object because the predicate does not pass."
        )
