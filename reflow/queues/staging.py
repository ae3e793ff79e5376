"""Staging areas, where one step leaves tensors for another. A *staging area* is a queue; in a *staging map* each
element has a key.

An area has no handle: ops find it by container and name, in the session that runs them, or in the process for eager
code. `capacity` limits the number of elements and `memory_limit` their bytes; 0 means no limit. A step waits if an area
is full or empty.
"""

from __future__ import annotations

import threading
import weakref
from collections import deque
from typing import Any

import numpy as np

from reflow.core import errors
from reflow.core.resources import check_container
from reflow.queues.queues import invalid
from reflow.queues.waiting import WaitingRoom, patience


class _Process:
    """Stands for the session where there is none."""


_PROCESS = _Process()
_AREAS: weakref.WeakKeyDictionary[Any, dict[tuple[type, str, str], Any]] = weakref.WeakKeyDictionary()
_LOCK = threading.Lock()


def area(kind: type[_Area], container: str, name: str, capacity: int, memory_limit: int) -> Any:
    """The area of that kind and name, created on first use."""
    check_container(container)
    owner = patience.session or _PROCESS
    with _LOCK:
        areas = _AREAS.setdefault(owner, {})
        if (kind, container, name) not in areas:
            areas[kind, container, name] = kind(capacity, memory_limit, name)
        return areas[kind, container, name]


def _bytes(tensors: list[np.ndarray]) -> int:
    return sum(t.nbytes for t in tensors)


class _Area(WaitingRoom):
    """What areas share: limits and lines."""

    __slots__ = ("capacity", "memory_limit", "used", "_in", "_out")

    def __init__(self, capacity: int, memory_limit: int, name: str = "") -> None:
        super().__init__("staging_area", name)
        self.capacity, self.memory_limit, self.used = capacity, memory_limit, 0
        self._in: deque = deque()
        self._out: deque = deque()

    def __len__(self) -> int:
        raise NotImplementedError

    def _has_room(self, size: int) -> bool:
        if 0 < self.memory_limit < self.used + size:
            return False
        return not 0 < self.capacity <= len(self)

    def _wait_for_room(self, size: int) -> None:
        if 0 < self.memory_limit < size:
            raise errors.ResourceExhaustedError(
                None, None,
                f"Attempted to insert tensors with combined size of '{size}' bytes into Staging Area with a memory "
                f"limit of '{self.memory_limit}'.",
            )
        self.wait(self._in, lambda: self._has_room(size), "Staging area is closed")


class StagingArea(_Area):
    """First in, first out."""

    __slots__ = ("items",)

    def __init__(self, capacity: int, memory_limit: int, name: str = "") -> None:
        super().__init__(capacity, memory_limit, name)
        self.items: deque = deque()

    def __len__(self) -> int:
        return len(self.items)

    def put(self, tensors: list[np.ndarray]) -> None:
        with self.changed:
            self._wait_for_room(_bytes(tensors))
            self.items.append(list(tensors))
            self.used += _bytes(tensors)
            self.changed.notify_all()

    def get(self) -> list[np.ndarray]:
        with self.changed:
            self.wait(self._out, lambda: bool(self.items), "Staging area is closed")
            found = self.items.popleft()
            self.used -= _bytes(found)
            self.changed.notify_all()
            return found

    def peek(self, index: int) -> list[np.ndarray]:
        with self.changed:
            self.wait(self._out, lambda: index < len(self.items), "Staging area is closed")
            return self.items[index]

    def clear(self) -> None:
        with self.changed:
            self.items.clear()
            self.used = 0
            self.changed.notify_all()


class StagingMap(_Area):
    """Elements by keys. The components of one may come in several steps, and be taken in several.

    `incomplete` holds elements of which components are still missing; in both dictionaries a component that is not
    there is None.
    """

    __slots__ = ("items", "incomplete")

    def __init__(self, capacity: int, memory_limit: int, name: str = "") -> None:
        super().__init__(capacity, memory_limit, name)
        self.items: dict[int, list] = {}
        self.incomplete: dict[int, list] = {}

    def __len__(self) -> int:
        return len(self.items)

    def _first(self) -> int:
        return next(iter(self.items))

    def put(self, key: int, indices: list[int], tensors: list[np.ndarray], width: int) -> None:
        """Add the components with these positions, of the `width` that an element has."""
        if any(b <= a for a, b in zip(indices, indices[1:], strict=False)):
            raise invalid("Indices are not strictly ordered")
        with self.changed:
            self._wait_for_room(_bytes(tensors))
            element = self.incomplete.setdefault(key, [None] * width)
            for i, tensor in zip(indices, tensors, strict=True):
                self._check_bounds(i, key, width)
                if element[i] is not None:
                    raise invalid(f"The Index '{i}' for key '{key}' was already initialized '{width}'.")
                element[i] = tensor
            self.used += _bytes(tensors)
            if all(part is not None for part in element):
                self.items[key] = self.incomplete.pop(key)
                self.changed.notify_all()

    @staticmethod
    def _check_bounds(index: int, key: int, width: int) -> None:
        if index >= width:
            raise invalid(f"Index '{index}' for key '{key}' was out of bounds '{width}'.")

    def _parts(self, key: int, indices: list[int]) -> list[np.ndarray]:
        element = self.items[key]
        for i in indices:
            self._check_bounds(i, key, len(element))
            if element[i] is None:
                raise invalid(f"Tensor at index '{i}' for key '{key}' has already been removed.")
        return [element[i] for i in indices]

    def peek(self, key: int, indices: list[int]) -> list[np.ndarray]:
        with self.changed:
            self.wait(self._out, lambda: key in self.items, "Staging area is closed")
            return self._parts(key, indices)

    def get(self, key: int | None, indices: list[int]) -> tuple[int, list[np.ndarray]]:
        """Take components of the element with a key, or of any; the element goes with its last component."""
        with self.changed:
            self.wait(
                self._out, lambda: bool(self.items) if key is None else key in self.items, "Staging area is closed"
            )
            at = self._first() if key is None else key
            found = self._parts(at, indices)
            for i in indices:
                self.items[at][i] = None
            if all(part is None for part in self.items[at]):
                del self.items[at]
            self.used -= _bytes(found)
            self.changed.notify_all()
            return at, found

    def clear(self) -> None:
        with self.changed:
            self.items.clear()
            self.incomplete.clear()
            self.used = 0
            self.changed.notify_all()


class OrderedStagingMap(StagingMap):
    """One whose elements come out in the order of their keys."""

    def _first(self) -> int:
        return min(self.items)
