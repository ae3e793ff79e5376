"""Stacks of tensors, and barriers: elements become available when all their components have arrived."""

from __future__ import annotations

from collections import deque

import numpy as np

from reflow.core import dtypes, errors
from reflow.core.dtypes import DType
from reflow.core.tensor import HostObject
from reflow.queues.queues import invalid, text
from reflow.queues.waiting import WaitingRoom


class Stack(HostObject):
    """Last in, first out; at most `limit` elements if that is not negative."""

    __slots__ = ("dtype", "limit", "items", "closed")
    tensor_dtype = dtypes.resource

    def __init__(self, dtype: DType, limit: int, name: str) -> None:
        self.dtype, self.limit, self.closed = dtype, limit, False
        self.items: list[np.ndarray] = []

    def _check_open(self) -> None:
        if self.closed:
            raise invalid("Stack has already been closed.")

    def push(self, element: np.ndarray) -> None:
        self._check_open()
        if 0 <= self.limit <= len(self.items):
            raise invalid(f"Stack[{id(self):x}] overflowed its max_size ({self.limit})")
        self.items.append(element)

    def pop(self) -> np.ndarray:
        self._check_open()
        if not self.items:
            raise invalid(f"Stack[{id(self):x}] is empty when calling Pop().")
        return self.items.pop()

    def close(self) -> None:
        self.closed = True
        self.items.clear()


class Barrier(WaitingRoom):
    """Elements by keys, whose components come in any order.

    Complete ones wait in the order in which their first component came.
    """

    __slots__ = ("types", "shapes", "incomplete", "ready", "closed", "cancelled", "_turn", "_takes")
    tensor_dtype = dtypes.resource

    def __init__(self, types: list[DType], shapes: list, name: str = "") -> None:
        super().__init__("barrier", name)
        self.types, self.shapes = types, shapes
        self.incomplete: dict[bytes, list] = {}  # key -> [turn, components…]
        self.ready: list[tuple[int, bytes, list]] = []
        self.closed = self.cancelled = False
        self._turn = -(2**63)  # TensorFlow counts from the smallest number on
        self._takes: deque = deque()

    def insert(self, keys: list[bytes], values: np.ndarray, index: int) -> None:
        """Give each of the keys its component with the number `index`."""
        with self.changed:
            if self.closed and (self.cancelled or any(key not in self.incomplete for key in keys)):
                state = "Cancel_pending" if self.cancelled else "Barrier is closed"
                raise errors.CancelledError(None, None, f"Barrier {self.name} is closed. Pending enqueues: {state}.")
            if self.shapes and self.shapes[index] is not None and values.shape[1:] != tuple(self.shapes[index]):
                wanted = (len(keys), *self.shapes[index])
                raise invalid(
                    f"Shape mismatch in tuple component {index + 2}. Expected {text(wanted)}, got {text(values.shape)}"
                )
            for key, value in zip(keys, values, strict=True):
                self._insert(key, value, index)
            self.changed.notify_all()

    def _insert(self, key: bytes, value: np.ndarray, index: int) -> None:
        if key not in self.incomplete:
            self.incomplete[key] = [self._turn, *([None] * len(self.types))]
            self._turn += 1
        element = self.incomplete[key]
        if element[index + 1] is not None:
            raise invalid(f"Key {key.decode()} already has a value for component {index} in barrier {self.name}")
        element[index + 1] = value
        if all(part is not None for part in element):
            turn, *parts = self.incomplete.pop(key)
            self.ready.append((turn, key, parts))

    def take(self, count: int, small: bool) -> list[tuple[int, bytes, list]]:
        """The next `count` complete elements; of a closed barrier fewer, if `small`."""
        def enough() -> bool:
            return len(self.ready) >= count or self.closed and not self.incomplete

        with self.changed:
            self.wait(
                self._takes, enough, "Barrier take was cancelled", lambda: self.cancelled and len(self.ready) < count
            )
            there = len(self.ready)
            if there < count and not (small and there):
                raise errors.OutOfRangeError(
                    None, None,
                    f"Barrier '{self.name}' is closed and has insufficient elements (requested "
                    f"{count}, total size {there})",
                )
            self.ready.sort(key=lambda element: element[0])
            taken, self.ready = self.ready[:count], self.ready[count:]
            return taken

    def close(self, cancel_pending: bool) -> None:
        with self.changed:
            self.closed, self.cancelled = True, self.cancelled or cancel_pending
            if cancel_pending:
                self.incomplete.clear()
            self.changed.notify_all()
