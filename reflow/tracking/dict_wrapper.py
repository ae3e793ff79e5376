"""Dictionaries whose values are tracked: `_DictWrapper`."""

from __future__ import annotations

import collections.abc
from typing import Any, NoReturn, Self

from reflow.tracking.trackable import SaveType, Trackable, is_function
from reflow.tracking.wrapping import (
    WRAPPERS,
    NoDependency,
    StorageWrapper,
    same_element,
    sticky_attribute_assignment,
    wrap,
)


class _DictWrapper(StorageWrapper, dict):
    """A dictionary whose values are children named by their keys, which must then be strings."""

    _storage: dict
    _flags = ("_self_non_string_key", "_self_external_modification")
    _self_non_string_key = False
    _self_external_modification = False

    def __init__(self, wrapped_dict: Any = None) -> None:
        if not isinstance(wrapped_dict, collections.abc.Mapping):
            wrapped_dict = {} if wrapped_dict is None else dict(wrapped_dict)
        self._storage = wrapped_dict
        for key, value in list(wrapped_dict.items()):
            self._storage[key] = self._track_value(value, key)
        self._update_snapshot()

    def _track_value(self, value: Any, key: Any) -> Any:
        if isinstance(key, str):
            return sticky_attribute_assignment(self, key, value)
        tracked = not isinstance(value, NoDependency)
        value = wrap(value)
        if tracked and isinstance(value, Trackable):
            self._self_non_string_key = True
        return value

    @property
    def _values(self) -> list:
        return [value for _, value in sorted(self._storage.items(), key=lambda item: item[0])]

    def __getattr__(self, name: str) -> Any:
        # what the wrapped dictionary has beyond a dictionary's methods, such as move_to_end
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._storage, name)

    # --- changes

    def _update_snapshot(self) -> None:
        dict.clear(self)
        dict.update(self, self._storage)

    @property
    def _dirty(self) -> bool:
        return self._self_external_modification or self._self_non_string_key

    def _check_self_external_modification(self) -> None:
        if self._dirty:
            return
        now = self._storage
        seen = dict(dict.items(self))
        if now.keys() != seen.keys() or not all(same_element(value, seen[key]) for key, value in now.items()):
            self._self_external_modification = True

    def __setitem__(self, key: Any, value: Any) -> None:
        self._check_self_external_modification()
        value = self._track_value(value, key)
        self._storage[key] = value
        dict.__setitem__(self, key, value)

    def __delitem__(self, key: Any) -> None:
        self._check_self_external_modification()
        del self._storage[key]
        self._update_snapshot()

    def pop(self, *args: Any) -> Any:
        self._check_self_external_modification()
        value = self._storage.pop(*args)
        self._update_snapshot()
        return value

    def popitem(self) -> tuple[Any, Any]:
        self._check_self_external_modification()
        item = self._storage.popitem()
        self._update_snapshot()
        return item

    def clear(self) -> None:
        self._check_self_external_modification()
        self._storage.clear()
        self._update_snapshot()

    def setdefault(self, key: Any, default: Any = None) -> Any:
        if key not in self._storage:
            self[key] = default
        return self._storage[key]

    def update(self, *args: Any, **kwargs: Any) -> None:
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def __ior__(self, other: Any) -> Self:
        self.update(other)
        return self

    # --- reading

    def keys(self) -> Any:
        return self._storage.keys()

    def values(self) -> Any:
        return self._storage.values()

    def items(self) -> Any:
        return self._storage.items()

    def get(self, key: Any, default: Any = None) -> Any:
        return self._storage.get(key, default)

    def __or__(self, other: Any) -> Any:
        return self._storage | _plain(other)

    def __ror__(self, other: Any) -> Any:
        return other | self._storage

    def __eq__(self, other: object) -> bool:
        return self._storage == _plain(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> NoReturn:  # type: ignore[override]  # a dict has None here; the error names the wrapper
        raise TypeError("unhashable type: 'DictWrapper'")

    def __repr__(self) -> str:
        return f"DictWrapper({self._storage!r})"

    def __str__(self) -> str:
        return str(self._storage)

    # --- saving

    def _trackable_children(self, save_type: str = SaveType.CHECKPOINT, **kwargs: Any) -> dict:
        self._check_self_external_modification()
        what = (
            f"Unable to save the object {self} (a dictionary wrapper constructed automatically on attribute "
            "assignment). The wrapped"
        )
        advice = (
            "\n\nIf you don't need this dictionary checkpointed, wrap it in a non-trackable object; it will be "
            "subsequently ignored."
        )
        if self._self_non_string_key:
            raise ValueError(
                f"{what} dictionary contains a non-string key which maps to a trackable object or mutable data "
                f"structure.{advice}"
            )
        if self._self_external_modification:
            raise ValueError(
                f"{what} dictionary was modified outside the wrapper (its final value was {self}, its value when a "
                f"checkpoint dependency was added was {dict(dict.items(self))}), which breaks restoration on object "
                f"creation.{advice}"
            )
        children = super()._trackable_children(save_type, **kwargs)
        if save_type == SaveType.SAVEDMODEL:
            children |= {key: value for key, value in self._storage.items() if is_function(value)}
        return children


def _plain(other: Any) -> dict:
    return other._storage if isinstance(other, _DictWrapper) else other


WRAPPERS[dict] = WRAPPERS[collections.OrderedDict] = _DictWrapper
