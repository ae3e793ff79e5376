"""Lists whose elements are tracked: `ListWrapper`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn, Self

from reflow.tracking.trackable import SaveType, Trackable, is_function
from reflow.tracking.wrapping import WRAPPERS, StorageWrapper, same_element, sticky_attribute_assignment, wrap


class ListWrapper(StorageWrapper, list):
    """A list whose elements are children named "0", "1", ..."""

    _storage: list
    _flags = ("_non_append_mutation", "_external_modification")
    _non_append_mutation = False
    _external_modification = False

    def __init__(self, wrapped_list: Iterable[Any] = ()) -> None:
        self._storage = wrapped_list if type(wrapped_list) is list else list(wrapped_list)
        for index, element in enumerate(self._storage):
            self._storage[index] = self._track_value(element, index)
        self._update_snapshot()

    def _track_value(self, value: Any, index: int) -> Any:
        return sticky_attribute_assignment(self, str(index), value)

    @property
    def _values(self) -> Iterable[Any]:
        return self._storage

    # --- changes

    def _update_snapshot(self) -> None:
        """Acknowledge a change made through the wrapper."""
        list.__setitem__(self, slice(None), self._storage)

    def _check_external_modification(self) -> None:
        if self._external_modification or self._non_append_mutation:
            return
        now, seen = self._storage, list.__iter__(self)
        if len(now) != list.__len__(self) or not all(map(same_element, now, seen)):
            self._external_modification = True

    def _before_mutation(self) -> None:
        self._check_external_modification()
        if any(isinstance(x, Trackable) for x in self._storage):
            self._non_append_mutation = True

    def append(self, value: Any) -> None:
        self._check_external_modification()
        value = self._track_value(value, len(self._storage))
        self._storage.append(value)
        list.append(self, value)

    def extend(self, values: Iterable[Any]) -> None:
        for value in list(values):
            self.append(value)

    def __iadd__(self, values: Iterable[Any]) -> Self:  # type: ignore[misc]  # `+` gives a plain list, as in TensorFlow
        self.extend(values)
        return self

    def __imul__(self, count: Any) -> Self:
        if count <= 0:
            self._before_mutation()
            self._storage *= count
            self._update_snapshot()
        else:
            self.extend(self._storage * (count - 1))
        return self

    def __setitem__(self, key: Any, value: Any) -> None:
        self._check_external_modification()
        if isinstance(key, slice):
            return self._set_slice(key, value)
        index = range(len(self._storage))[key] if -len(self._storage) <= key < len(self._storage) else None
        if index is None:
            raise IndexError("list assignment index out of range")
        if isinstance(self._storage[index], Trackable):
            self._non_append_mutation = True
        self._storage[index] = self._track_value(value, index)
        self._update_snapshot()

    def _set_slice(self, key: slice, values: Iterable[Any]) -> None:
        before = list(self._storage)
        self._storage[key] = values
        if any(
            isinstance(old, Trackable) and (i >= len(self._storage) or self._storage[i] is not old)
            for i, old in enumerate(before)
        ):
            self._non_append_mutation = True
        for i, value in enumerate(self._storage):
            if i >= len(before) or value is not before[i]:
                self._storage[i] = self._track_value(value, i)
        self._update_snapshot()

    def __delitem__(self, key: Any) -> None:
        self._before_mutation()
        del self._storage[key]
        self._update_snapshot()

    def insert(self, index: Any, obj: Any) -> None:
        if index >= len(self._storage):
            return self.append(obj)
        self._before_mutation()
        obj = wrap(obj)
        if isinstance(obj, Trackable):
            self._non_append_mutation = True
        self._storage.insert(index, obj)
        self._update_snapshot()

    def pop(self, index: Any = -1) -> Any:
        self._before_mutation()
        value = self._storage.pop(index)
        self._update_snapshot()
        return value

    def remove(self, value: Any) -> None:
        self._before_mutation()
        self._storage.remove(value)
        self._update_snapshot()

    def clear(self) -> None:
        self._before_mutation()
        self._storage.clear()
        self._update_snapshot()

    def sort(self, *, key: Any = None, reverse: bool = False) -> None:
        self._before_mutation()
        self._storage.sort(key=key, reverse=reverse)
        self._update_snapshot()

    def reverse(self) -> None:
        self._before_mutation()
        self._storage.reverse()
        self._update_snapshot()

    # --- reading

    def index(self, *args: Any) -> int:
        return self._storage.index(*args)

    def count(self, value: Any) -> int:
        return self._storage.count(value)

    def __add__(self, other: Any) -> Any:
        return self._storage + _plain(other)

    def __radd__(self, other: Any) -> Any:
        return other + self._storage

    def __mul__(self, count: Any) -> Any:
        return self._storage * count

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        return self._storage == _plain(other)

    def __ne__(self, other: object) -> bool:
        return self._storage != _plain(other)

    def __lt__(self, other: Any) -> bool:
        return self._storage < _plain(other)

    def __le__(self, other: Any) -> bool:
        return self._storage <= _plain(other)

    def __gt__(self, other: Any) -> bool:
        return self._storage > _plain(other)

    def __ge__(self, other: Any) -> bool:
        return self._storage >= _plain(other)

    def __hash__(self) -> NoReturn:  # type: ignore[override]  # a list has None here; the error names the wrapper
        raise TypeError("unhashable type: 'ListWrapper'")

    def __repr__(self) -> str:
        return f"ListWrapper({self._storage!r})"

    # --- saving

    def _trackable_children(self, save_type: str = SaveType.CHECKPOINT, **kwargs: Any) -> dict:
        self._check_external_modification()
        if self._non_append_mutation:
            raise ValueError(
                f"Unable to save the object {self} (a list wrapper constructed to track trackable TensorFlow objects). "
                "A list element was replaced (__setitem__, __setslice__), deleted (__delitem__, __delslice__), or "
                "moved (sort). In order to support restoration on object creation, tracking is exclusively for "
                "append-only data structures.\n\nIf you don't need this list checkpointed, wrap it in a non-trackable "
                "object; it will be subsequently ignored."
            )
        if self._external_modification:
            raise ValueError(
                f"Unable to save the object {self} (a list wrapper constructed to track trackable TensorFlow objects). "
                f"The wrapped list was modified outside the wrapper (its final value was {self._storage}, its value "
                "when a checkpoint dependency "
                f"was added was {list(list.__iter__(self))}), which breaks restoration on object creation.\n\nIf you "
                "don't need this list checkpointed, wrap it in a NoDependency object; it will be subsequently ignored."
            )
        children = super()._trackable_children(save_type, **kwargs)
        if save_type == SaveType.SAVEDMODEL:
            children |= {str(i): value for i, value in enumerate(self._storage) if is_function(value)}
        return children


def _plain(other: Any) -> list:
    return other._storage if isinstance(other, ListWrapper) else other


WRAPPERS[list] = ListWrapper
