"""Dictionaries whose values are tracked: `_DictWrapper`."""

from __future__ import annotations

import collections.abc

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

    def __init__(self, wrapped_dict=None):
        if not isinstance(wrapped_dict, collections.abc.Mapping):
            wrapped_dict = {} if wrapped_dict is None else dict(wrapped_dict)
        self._storage = wrapped_dict
        for key, value in list(wrapped_dict.items()):
            self._storage[key] = self._track_value(value, key)
        self._update_snapshot()

    def _track_value(self, value, key):
        if isinstance(key, str):
            return sticky_attribute_assignment(self, key, value)
        tracked = not isinstance(value, NoDependency)
        value = wrap(value)
        if tracked and isinstance(value, Trackable):
            self._self_non_string_key = True
        return value

    @property
    def _values(self):
        return [value for _, value in sorted(self._storage.items(), key=lambda item: item[0])]

    def __getattr__(self, name):
        # what the wrapped dictionary has beyond a dictionary's methods, such as move_to_end
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._storage, name)

    # --- changes

    def _update_snapshot(self):
        dict.clear(self)
        dict.update(self, self._storage)

    @property
    def _dirty(self) -> bool:
        return self._self_external_modification or self._self_non_string_key

    def _check_self_external_modification(self):
        if self._dirty:
            return
        now = self._storage
        seen = dict(dict.items(self))
        if now.keys() != seen.keys() or not all(same_element(value, seen[key]) for key, value in now.items()):
            self._self_external_modification = True

    def __setitem__(self, key, value):
        self._check_self_external_modification()
        value = self._track_value(value, key)
        self._storage[key] = value
        dict.__setitem__(self, key, value)

    def __delitem__(self, key):
        self._check_self_external_modification()
        del self._storage[key]
        self._update_snapshot()

    def pop(self, *args):
        self._check_self_external_modification()
        value = self._storage.pop(*args)
        self._update_snapshot()
        return value

    def popitem(self):
        self._check_self_external_modification()
        item = self._storage.popitem()
        self._update_snapshot()
        return item

    def clear(self):
        self._check_self_external_modification()
        self._storage.clear()
        self._update_snapshot()

    def setdefault(self, key, default=None):
        if key not in self._storage:
            self[key] = default
        return self._storage[key]

    def update(self, *args, **kwargs):
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def __ior__(self, other):
        self.update(other)
        return self

    # --- reading

    def keys(self):
        return self._storage.keys()

    def values(self):
        return self._storage.values()

    def items(self):
        return self._storage.items()

    def get(self, key, default=None):
        return self._storage.get(key, default)

    def __or__(self, other):
        return self._storage | _plain(other)

    def __ror__(self, other):
        return other | self._storage

    def __eq__(self, other):
        return self._storage == _plain(other)

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        raise TypeError("unhashable type: 'DictWrapper'")

    def __repr__(self):
        return f"DictWrapper({self._storage!r})"

    def __str__(self):
        return str(self._storage)

    # --- saving

    def _trackable_children(self, save_type=SaveType.CHECKPOINT, **kwargs) -> dict:
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
                f"{what} dictionary was modified outside the wrapper (its final value was {self}, its "
                f"value when a checkpoint dependency was added was {dict(dict.items(self))}), which breaks "
                "restoration on object "
                f"creation.{advice}"
            )
        children = super()._trackable_children(save_type, **kwargs)
        if save_type == SaveType.SAVEDMODEL:
            children |= {key: value for key, value in self._storage.items() if is_function(value)}
        return children


def _plain(other):
    return other._storage if isinstance(other, _DictWrapper) else other


WRAPPERS[dict] = WRAPPERS[collections.OrderedDict] = _DictWrapper
