"""`interleave`: blocks of the datasets that a function gives for the elements, some datasets at a time.

With `deterministic=False` threads read all open datasets one element ahead, and whichever has one is next. Otherwise the order is that of one
thread, in which elements are read.
"""

from __future__ import annotations

import concurrent.futures
import weakref
from typing import Any

from reflow.core import errors
from reflow.data.engine.functions import CORES, Pooled
from reflow.data.engine.values import AUTOTUNE, DatasetIterator, Function, Unsized


class InterleaveIterator(DatasetIterator):
    """`slots` are the datasets being read: (input element, iterator), or None where the next one is still to be opened."""

    def __init__(self, dataset):
        super().__init__(dataset)
        self.slots: list = [None] * dataset.cycle
        self.at = self.taken = 0  # the slot, and how many elements of its block were given
        self.ended = False

    def _advance(self):
        self.at, self.taken = (self.at + 1) % len(self.slots), 0

    def __next__(self):
        while not self.ended or any(self.slots):
            slot = self.slots[self.at]
            if slot is not None:
                try:
                    element = next(slot[1])
                except StopIteration:
                    self.slots[self.at] = None
                    self._advance()
                    continue
                self.taken += 1
                if self.taken == self.dataset.block:
                    self._advance()
                return element
            if self.ended:
                self._advance()
                continue
            try:
                source = next(self.input)
            except StopIteration:
                self.ended = True
                continue
            self.slots[self.at] = (source, self.dataset.function.dataset(source).iterate())
        raise StopIteration

    def state(self):
        return {
            "input": self.input.state(),
            "at": self.at,
            "taken": self.taken,
            "ended": self.ended,
            "slots": [s and (s[0], s[1].state()) for s in self.slots],
        }

    def restore(self, state):
        self.input.restore(state["input"])
        self.at, self.taken, self.ended = state["at"], state["taken"], state["ended"]
        self.slots = []
        for slot in state["slots"]:
            if slot is not None:
                inner = self.dataset.function.dataset(slot[0]).iterate()
                inner.restore(slot[1])
                slot = (slot[0], inner)
            self.slots.append(slot)


class Interleave(Unsized):
    """Blocks of the datasets that the function gives for the elements, `cycle` of them at a time."""

    iterator = InterleaveIterator

    def __init__(self, source, function: Function, cycle: int, block: int):
        if cycle == -1:
            cycle = CORES
        if cycle <= 0:
            raise errors.InvalidArgumentError(None, None, "`cycle_length` must be > 0")
        if block <= 0:
            raise errors.InvalidArgumentError(None, None, "`block_length` must be > 0")
        self.inputs, self.function, self.cycle, self.block = (source,), function, cycle, block


class ParallelInterleave(Interleave, Pooled):
    """Interleave with `num_parallel_calls`."""

    def __init__(self, source, function: Function, cycle: int, block: int, calls: int = AUTOTUNE, deterministic: str = "default"):
        super().__init__(source, function, cycle, block)
        self.deterministic = deterministic
        self._use_threads(function, calls)

    def attributes(self):
        return {"deterministic": self.deterministic}

    def iterate(self):
        return InterleaveIterator(self) if self.ordered or not self.overlaps else UnorderedInterleaveIterator(self)


class UnorderedInterleaveIterator(InterleaveIterator):
    """`calls` are what threads read from the slots' datasets: an element, or None at the end of one."""

    def __init__(self, dataset):
        super().__init__(dataset)
        self.calls: list[concurrent.futures.Future | None] = [None] * dataset.cycle
        self.pool: concurrent.futures.ThreadPoolExecutor | None = None

    def _start(self) -> concurrent.futures.ThreadPoolExecutor:
        pool = self.pool = concurrent.futures.ThreadPoolExecutor(min(self.dataset.workers, self.dataset.cycle), "reflow-interleave")
        weakref.finalize(self, pool.shutdown, wait=False, cancel_futures=True)
        return pool

    def __next__(self):
        while True:
            self._read_ahead()
            place, call = self._ready()
            self.calls[place] = None
            element = call.result()
            if place != self.at:
                self.at, self.taken = place, 0
            self.taken += 1
            if element is None:
                self.slots[place] = None
            if element is None or self.taken == self.dataset.block:
                self._advance()
            if element is not None:
                return element

    def _read_ahead(self) -> None:
        """Open datasets in empty slots, and let a thread read each. Raises StopIteration if there are none."""
        for place, slot in enumerate(self.slots):
            if slot is None and not self.ended:
                try:
                    source = next(self.input)
                except StopIteration:
                    self.ended = True
                else:
                    self.slots[place] = (source, self.dataset.function.dataset(source).iterate())
            if self.slots[place] is not None and self.calls[place] is None:
                self.calls[place] = (self.pool or self._start()).submit(_next, self.slots[place][1])
        if not any(self.slots):
            raise StopIteration

    def _ready(self) -> tuple[int, concurrent.futures.Future]:
        """The first slot from the current one on whose element is there, and that."""
        while True:
            for step in range(len(self.calls)):
                place = (self.at + step) % len(self.calls)
                call = self.calls[place]
                if call is not None and call.done():
                    return place, call
            concurrent.futures.wait([call for call in self.calls if call is not None], return_when=concurrent.futures.FIRST_COMPLETED)

    def state(self):
        """Elements that were read and not handed out are part of it; an error among them is not."""
        concurrent.futures.wait([call for call in self.calls if call is not None])
        good = [None if call is None or call.exception() else call for call in self.calls]
        ended = [call is not None and call.result() is None for call in good]
        state = super().state()
        state["slots"] = [None if end else slot for slot, end in zip(state["slots"], ended, strict=True)]
        return state | {"read": [call and call.result() for call in good]}

    def restore(self, state):
        for call in self.calls:
            if call is not None:
                call.cancel()
        super().restore(state)
        self.calls = [None if element is None else _known(element) for element in state["read"]]


def _next(iterator: Any) -> Any:
    """The next element, or None: no future can carry a StopIteration."""
    return next(iterator, None)


def _known(element: Any) -> concurrent.futures.Future:
    call: concurrent.futures.Future = concurrent.futures.Future()
    call.set_result(element)
    return call
