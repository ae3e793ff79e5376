"""`tensorflow.python.trackable.data_structures`: lists and mappings that only grow, of trackable objects alone.

What an attribute becomes by assignment (`ListWrapper` and its relatives) is in `reflow/tracking/`.
"""

import collections.abc
import copy
from typing import Any

from reflow.tracking.data_structures import ListWrapper, TrackableDataStructure
from reflow.tracking.trackable import Trackable
from reflow.tracking.tuple_wrapper import _TupleWrapper  # noqa: F401 - its name here
from reflow.tracking.wrapping import sticky_attribute_assignment


class _UntrackableError(ValueError):
    def __init__(self, value):
        super().__init__(
            "Only trackable objects (such as Layers or Optimizers) may be stored in a List object. "
            f"Got {value}, which does not inherit from Trackable."
        )


class _Growing(TrackableDataStructure):
    """Base of both: `_storage` holds what was added."""

    _storage: Any

    def _tracked(self, value, name):
        value = sticky_attribute_assignment(self, name, value)
        if not isinstance(value, Trackable):
            raise _UntrackableError(value)
        return value

    def __getitem__(self, key):
        return self._storage[key]

    def __len__(self):
        return len(self._storage)

    def __repr__(self):
        return f"{type(self).__name__}({self._storage!r})"

    def __eq__(self, other):
        return self is other

    def __hash__(self):
        return id(self)


class List(_Growing, collections.abc.Sequence):
    """A list to which trackable objects are added; they are children named by their places."""

    def __init__(self, *args, **kwargs):
        self._storage = []
        self.extend(list(*args, **kwargs))

    def append(self, value):
        """Add an object at the end."""
        self._storage.append(self._tracked(value, str(len(self._storage))))

    def extend(self, values):
        """Add objects at the end."""
        for value in values:
            self.append(value)

    @property
    def _values(self):
        return self._storage

    def __iadd__(self, values):
        self.extend(values)
        return self

    def __add__(self, other):
        return self._storage + list(other)

    def __radd__(self, other):
        return list(other) + self._storage

    def __mul__(self, count):
        return self._storage * count

    __rmul__ = __mul__

    def __imul__(self, count):
        if count <= 0:
            raise ValueError(f"List only supports append, multiplying in place by {count} removes elements.")
        self.extend(self._storage * (count - 1))
        return self

    def copy(self):
        """Another list of the same objects."""
        return type(self)(self._storage)

    __copy__ = copy

    def __deepcopy__(self, memo):
        return type(self)(copy.deepcopy(self._storage, memo))


List.register(ListWrapper)


class Mapping(_Growing, collections.abc.Mapping):
    """A mapping to which trackable objects are added under names, which are also their names as children."""

    def __init__(self, *args, **kwargs):
        self._storage = {}
        self.update(*args, **kwargs)

    def __setitem__(self, key, value):
        if not isinstance(key, str):
            raise TypeError(f"Mapping accepts only string keys, but got a key {key!r}.")
        value = self._tracked(value, key)
        known = self._storage.setdefault(key, value)
        if known is not value:
            raise ValueError(
                f"Mappings are an append-only data structure. Tried to overwrite the key '{key}' with value {value}, "
                f"but it already contains {known}"
            )

    def update(self, *args, **kwargs):
        """Add several objects."""
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    @property
    def _values(self):
        return [value for _, value in sorted(self._storage.items())]

    def __iter__(self):
        return iter(self._storage)


def set_list_item(list_object, index_string, value):
    """Put a value at the place of a list that a text names; a list that is too short grows."""
    index = int(index_string)
    list_object.extend([None] * (index + 1 - len(list_object)))
    list_object[index] = value


def set_tuple_item(list_object, index_string, value):
    """Put a value at a place of a tuple that is still a list. Names of fields are skipped: they repeat places."""
    try:
        int(index_string)
    except ValueError:
        return
    set_list_item(list_object, index_string, value)
