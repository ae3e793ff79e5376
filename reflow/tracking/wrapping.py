"""Makes lists, dictionaries and tuples trackable: how a value is wrapped, and the base of the wrappers.

Each wrapper is in its own file (`list_wrapper`, `dict_wrapper`, `tuple_wrapper`), which registers it in `WRAPPERS`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from reflow.core.containers import ContainerView
from reflow.core.properties import read_write
from reflow.tracking.trackable import Trackable

#: a plain class -> its wrapper. Exact classes only: subclasses, such as Counter, have their own logic
WRAPPERS: dict[type, Callable] = {}


class NoDependency:
    """Around a value: assign it to the attribute as it is and track nothing."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


def wrap(value: Any) -> Any:
    """The trackable wrapper of a plain list, dictionary or tuple; other values as they are.

    >>> wrap([1, {"a": 2}])
    ListWrapper([1, DictWrapper({'a': 2})])
    """
    if isinstance(value, NoDependency):
        return value.value
    if isinstance(value, Trackable):
        return value
    if isinstance(value, tuple):
        return WRAPPERS[tuple](value) if _holds_trackables(value) else value
    wrapper = WRAPPERS.get(type(value))
    return value if wrapper is None else wrapper(value)


def _holds_trackables(value: tuple) -> bool:
    return any(
        isinstance(x, (NoDependency, Trackable))
        or type(x) in WRAPPERS
        and type(x) is not tuple
        or (isinstance(x, tuple) and _holds_trackables(x))
        for x in value
    )


def sticky_attribute_assignment(trackable: Trackable, name: str, value: Any) -> Any:
    """Track `value` as the child `name` if it is trackable or can be made so; returns what to store."""
    if isinstance(value, NoDependency):
        return value.value
    value = wrap(value)
    if isinstance(value, Trackable):
        trackable._track_trackable(value, name=name, overwrite=True)
    return value


def same_element(a: Any, b: Any) -> bool:
    """Whether an element is still what it was. Trackables by identity: variables compare element by element."""
    if a is b:
        return True
    return not (isinstance(a, Trackable) or isinstance(b, Trackable)) and bool(a == b)


class TrackableDataStructure(Trackable):
    """Base of the wrappers. Their variables are those of their elements."""

    _self_trainable = True

    trainable = read_write("_self_trainable")

    @property
    def _values(self) -> Iterable[Any]:
        raise NotImplementedError

    def _collect(self, attribute: str, trainable: bool) -> list:
        """Variables of elements that have some, then elements that are variables."""
        elements: list[Any] = [x for x in self._values if isinstance(x, Trackable)]
        own = [x for x in elements if hasattr(x, "_is_resource_variable")]
        inner = [v for x in elements if not hasattr(x, "_is_resource_variable") for v in getattr(x, attribute, ())]
        return inner + [v for v in own if v.trainable is trainable]

    @property
    def trainable_weights(self) -> list:
        return self._collect("trainable_variables", True) if self._self_trainable else []

    @property
    def non_trainable_weights(self) -> list:
        others = self._collect("non_trainable_variables", False)
        return others if self._self_trainable else self._collect("trainable_variables", True) + others

    weights = property(lambda self: self.trainable_weights + self.non_trainable_weights)
    trainable_variables = property(lambda self: self.trainable_weights)
    non_trainable_variables = property(lambda self: self.non_trainable_weights)
    variables = property(lambda self: self.weights)


class StorageWrapper(ContainerView, TrackableDataStructure):
    """A wrapper that keeps the user's own list or dictionary, and reads from it.

    `_flags` names the attributes that say what has happened to it, which a copy keeps.
    """

    _flags: tuple[str, ...]

    if TYPE_CHECKING:  # the subclasses take what they wrap

        def __init__(self, wrapped: Any) -> None: ...

    @property
    def __wrapped__(self) -> Any:
        return self._storage

    def __reversed__(self) -> Any:
        return reversed(self._storage)

    def copy(self) -> Any:
        return self._flags_to(type(self)(copy.copy(self._storage)))

    def __copy__(self) -> Any:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self._flags_to(type(self)(copy.deepcopy(self._storage, memo)))

    def _flags_to(self, copied: Any) -> Any:
        for flag in self._flags:
            setattr(copied, flag, getattr(self, flag))
        return copied

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return type(self), (self._storage,)
