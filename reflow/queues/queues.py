"""Queues of elements between the steps of a program.

An element is a tuple of arrays, its *components*. A step waits if the queue is empty or full (`waiting.py`), in the
order of arrival. Closing a queue takes its turn after the pending enqueues; from then on nothing may be added, and
requests for more elements than there are raise OutOfRangeError. The four kinds differ in which element comes next and
in which shapes may be batched.
"""

from __future__ import annotations

import heapq
import itertools
from collections import deque
from typing import Any

import numpy as np

from reflow.core import dtypes, errors
from reflow.core.dtypes import DType
from reflow.ops import philox, random_state
from reflow.ops.xp import host as host_xp
from reflow.queues.waiting import WaitingRoom

Element = tuple[np.ndarray, ...]


def invalid(message: str) -> Exception:
    return errors.InvalidArgumentError(None, None, message)


def text(dims) -> str:
    """A shape as TensorFlow's kernels print it."""
    return "<unknown>" if dims is None else "[" + ",".join("?" if d is None else str(d) for d in dims) + "]"


class Queue(WaitingRoom):
    """First in, first out."""

    __slots__ = ("capacity", "types", "shapes", "items", "closed", "cancelled", "_enqueues", "_dequeues")
    tensor_dtype = dtypes.resource
    kind = "FIFOQueue"

    def __init__(self, capacity: int, types: list[DType], shapes: list, name: str = "") -> None:
        super().__init__("fifo_queue", name)
        self.capacity = capacity if capacity >= 0 else 2**31 - 1
        self.types, self.shapes = list(types), list(shapes)
        self.items = self._no_items()
        self.closed = self.cancelled = False
        self._enqueues: deque = deque()
        self._dequeues: deque = deque()

    def _no_items(self):
        return deque()

    def __len__(self) -> int:
        return len(self.items)

    def __bool__(self) -> bool:
        return True

    # --- what the kinds do in their own way

    def _put(self, element: Element) -> None:
        self.items.append(element)

    def _take(self) -> Element:
        return self.items.popleft()

    def _put_back(self, taken: list[Element]) -> None:
        self.items.extendleft(reversed(taken))

    def _available(self) -> int:
        """How many elements may be taken now."""
        return len(self.items)

    def _fits(self, dims, expected) -> bool:
        return expected is None or tuple(dims) == tuple(expected)

    def _stack(self, parts: list[np.ndarray], place: int) -> np.ndarray:
        if not parts:
            return np.zeros((0, *self.shapes[place]), self.types[place].np_dtype)
        return np.stack(parts)

    def _batches(self) -> None:
        """Raises if elements of this queue cannot be put together."""
        if not self.shapes or any(s is None for s in self.shapes):
            raise invalid(
                f"{self.kind}'s DequeueMany and DequeueUpTo require the components to have specified shapes."
            )

    # --- in

    def enqueue(self, components: list[np.ndarray]) -> None:
        """Add one element; waits while the queue is full."""
        for i, (x, dims) in enumerate(zip(components, self.shapes, strict=False)):
            if not self._fits(x.shape, dims):
                raise invalid(f"Shape mismatch in tuple component {i}. Expected {text(dims)}, got {text(x.shape)}")
        self._enqueue([tuple(components)])

    def enqueue_many(self, components: list[np.ndarray]) -> None:
        """Add the rows of the components, one by one."""
        for i, x in enumerate(components):
            expected = self.shapes[i] if self.shapes else None
            if x.ndim == 0 or expected is not None and not self._fits(x.shape[1:], expected):
                rows = (x.shape[0] if x.ndim else 0, *(expected or ()))
                raise invalid(f"Shape mismatch in tuple component {i}. Expected {text(rows)}, got {text(x.shape)}")
        count = components[0].shape[0]
        for i, x in enumerate(components):
            if x.shape[0] != count:
                raise invalid(
                    f"All input tensors must have the same size in the 0th dimension. Component {i} has {x.shape[0]}, "
                    f"and should have {count}"
                )
        self._enqueue([tuple(x[row, ...] for x in components) for row in range(count)])

    def _enqueue(self, elements: list[Element]) -> None:
        rest = deque(elements)

        def step() -> bool:
            if self.closed:
                raise errors.CancelledError(None, None, f"{self.kind} '{self.name}' is closed.")
            while rest and len(self.items) < self.capacity:
                self._put(rest.popleft())
                self.changed.notify_all()
            return not rest

        with self.changed:
            self.wait(self._enqueues, step, "Enqueue operation was cancelled", lambda: self.cancelled)

    def close(self, cancel_pending: bool) -> None:
        """Let nothing more in. Enqueues that wait are given up, or go first."""
        with self.changed:
            if self.closed:
                return
            if cancel_pending:
                self.cancelled = True
                self.changed.notify_all()

            def step() -> bool:
                self.closed = True
                return True

            self.wait(self._enqueues, step, "Close operation was cancelled")

    # --- out

    def dequeue(self) -> Element:
        """The next element; waits for one."""
        return self._dequeue(1, 1)[0]

    def dequeue_many(self, count: int, least: int | None = None) -> Element:
        """The next `count` elements as one, stacked; when the queue is closed, `least` are enough."""
        self._batches()
        taken = self._dequeue(count, count if least is None else least)
        columns = zip(*taken, strict=True) if taken else itertools.repeat((), len(self.types))
        return tuple(self._stack(list(parts), i) for i, parts in enumerate(columns))

    def _dequeue(self, count: int, least: int) -> list[Element]:
        taken: list[Element] = []

        def step() -> bool:
            while len(taken) < count and self._available():
                taken.append(self._take())
                self.changed.notify_all()  # there is room
            if len(taken) < count and self.closed:
                if len(taken) >= least > 0:
                    return True
                there = len(taken) + len(self.items)
                raise errors.OutOfRangeError(
                    None, None,
                    f"{self.kind} '{self.name}' is closed and has insufficient elements (requested "
                    f"{count}, current size {there})",
                )
            return len(taken) == count

        with self.changed:
            try:
                self.wait(self._dequeues, step, "Dequeue operation was cancelled")
            except BaseException:
                self._put_back(taken)
                raise
        return taken

    # --- the same queue under one name

    def check_same(self, wanted: Queue) -> None:
        """Raises if another node requests this queue by name, but with different parameters."""
        if self.kind != wanted.kind:
            raise invalid(f"Expected {self.kind}, found {wanted.kind}V2")
        self._check("capacity", self.capacity, wanted.capacity)
        self._check("component types", *(", ".join(_short(t) for t in q.types) for q in (self, wanted)))
        self._check("component shapes", *("[" + ",".join(map(text, q.shapes)) + "]" for q in (self, wanted)))

    def _check(self, what: str, have, asked) -> None:
        if have != asked:
            were = "were" if what.endswith("s") else "was"
            raise invalid(f"Shared queue '{self.name}' has {what} {have} but requested {what} {were} {asked}")


def _short(dtype: DType) -> str:
    return {"float32": "float", "float64": "double"}.get(dtype.name, dtype.name)


class PaddingQueue(Queue):
    """First in, first out; what is shorter than others in a batch is filled up with zeros."""

    __slots__ = ()
    kind = "PaddingFIFOQueue"

    def _fits(self, dims, expected) -> bool:
        return len(dims) == len(expected) and all(e in (None, d) for d, e in zip(dims, expected, strict=True))

    def _batches(self) -> None:
        """Every component has a rank."""

    def _stack(self, parts, place):
        dims = self.shapes[place]
        if not parts:
            return np.zeros((0, *(d or 0 for d in dims)), self.types[place].np_dtype)
        longest = [max(p.shape[axis] for p in parts) for axis in range(len(dims))]
        empty = b"" if self.types[place] is dtypes.string else 0
        out = np.full((len(parts), *longest), empty, self.types[place].np_dtype)
        for row, part in enumerate(parts):
            where: tuple[Any, ...] = (row, *map(slice, part.shape), ...)
            np.copyto(out[where], part)  # an assignment would put an array of one string inside another
        return out


class ShuffleQueue(Queue):
    """Elements come out in a random order; until it is closed, `least` stay inside to choose from."""

    __slots__ = ("least", "seeds", "_words")
    kind = "RandomShuffleQueue"

    def __init__(self, capacity, least, types, shapes, seed=0, seed2=0, name=""):
        super().__init__(capacity, types, shapes, name or "")
        self.least, self.seeds = least, (seed, seed2)
        self._words = _words(random_state.Cell(seed, seed2))

    def _no_items(self):
        return []

    def _available(self):
        return len(self.items) if self.closed else max(0, len(self.items) - self.least)

    def _take(self):
        place = next(self._words) % len(self.items)
        chosen = self.items[place]
        last = self.items.pop()
        if place < len(self.items):
            self.items[place] = last
        return chosen

    def _put_back(self, taken):
        self.items.extend(taken)

    def check_same(self, wanted):
        super().check_same(wanted)
        self._check("min_after_dequeue", self.least, wanted.least)
        if self.seeds != wanted.seeds:
            raise invalid(
                f"Shared queue '{self.name}' has random seeds {self.seeds} but requested seeds are {wanted.seeds}."
            )


def _words(cell: random_state.Cell):
    """TensorFlow's stream of random 32-bit words."""
    while True:
        key, counter = cell.take(1)
        yield from (int(w[0]) for w in philox.philox(host_xp, key[0], counter[:1], counter[1:]))


class SortedQueue(Queue):
    """The element with the smallest first component (int64) comes out first; of equal ones, that which came first."""

    __slots__ = ("_order",)
    kind = "PriorityQueue"

    def __init__(self, capacity, types, shapes, name=""):
        super().__init__(capacity, types, shapes, name)
        self._order = itertools.count()

    def _no_items(self):
        return []

    def enqueue(self, components):
        if components[0].ndim:
            raise invalid(
                f"Expected the priority element to be a scalar, but received shape: {text(components[0].shape)}"
            )
        super().enqueue(components)

    def enqueue_many(self, components):
        if components[0].ndim != 1:
            raise invalid(
                f"Expected the priority element to be a vector, but received shape: {text(components[0].shape)}"
            )
        super().enqueue_many(components)

    def _put(self, element):
        heapq.heappush(self.items, (int(element[0]), next(self._order), element))

    def _take(self):
        return heapq.heappop(self.items)[2]

    def _put_back(self, taken):
        for element in taken:
            self._put(element)
