"""`interleave`: blocks of the datasets that a function gives for the elements, some datasets at a time.

With `deterministic=False` threads read all open datasets one element ahead, and whichever has one is next. Otherwise
the order is that of one thread, in which elements are read.

After an error a sequential `interleave` continues with the same dataset. A parallel one counts the error as an element
of its block: what cannot be opened is a dataset whose only element is the error.
"""

from __future__ import annotations

import concurrent.futures
import weakref
from typing import Any

from reflow.core import errors
from reflow.data.engine.error_context import note, note_outer
from reflow.data.engine.functions import Pooled, reread
from reflow.data.engine.symbolic import refusal
from reflow.data.engine.values import AUTOTUNE, INFINITE, UNKNOWN, DatasetIterator, Function, Unsized
from reflow.devices import cores


class InterleaveIterator(DatasetIterator):
    """`slots` are the datasets being read, or None where the next one is still to be opened: (input element, iterator,
    where the input was before the element if positions are symbolic)."""

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
                    self._close(self.at)
                    self._advance()
                    continue
                except Exception as error:
                    if isinstance(error, errors.OpError):
                        note_outer(error, self.dataset)
                    self._count_error()
                    raise
                self._count()
                return element
            if self.ended:
                self._advance()
                continue
            self._open()
        raise StopIteration

    def _close(self, place: int) -> None:
        if self.dataset.rereads:
            self.refused = refusal(self.slots[place]) or self.refused
        self.slots[place] = None

    def _count(self) -> None:
        self.taken += 1
        if self.taken == self.dataset.block:
            self._advance()

    def _count_error(self) -> None:
        """Called where a dataset of the cycle has raised an error."""

    def _open(self) -> None:
        """Read the next element of the input, and open its dataset in the current slot."""
        self._open_in(self.at)

    def _open_in(self, place: int) -> None:
        before = self.input.state() if self.dataset.rereads else None
        try:
            source = next(self.input)
        except StopIteration:
            self.ended = True
        else:
            self.slots[place] = (source, self._opened(source), before)

    def _opened(self, source: list) -> DatasetIterator:
        try:
            return self.dataset.function.dataset(source).iterate()
        except errors.OpError as error:
            note(error, self.dataset)
            raise

    def state(self):
        return {
            "input": self.input.state(),
            "at": self.at,
            "taken": self.taken,
            "ended": self.ended,
            "slots": [s and (s[0] if s[2] is None else None, s[1].state(), s[2]) for s in self.slots],
        }

    def restore(self, state):
        self.at, self.taken, self.ended = state["at"], state["taken"], state["ended"]
        self.slots = [slot and self._reopened(*slot) for slot in state["slots"]]
        self.input.restore(state["input"])

    def _reopened(self, source: list | None, state: dict | None, before: dict | None) -> tuple:
        if before is not None:
            source = reread(self.input, before)
        if source is None:
            return None, Failing(None), None
        inner = self.dataset.function.dataset(source).iterate()
        inner.restore(state)
        return source, inner, before


class Failing:
    """Stands in for a dataset that could not be opened.

    In a position it has no element, and is at its end.
    """

    def __init__(self, error: Exception | None):
        self.error = error

    def __next__(self):
        error, self.error = self.error, None
        raise error or StopIteration

    def state(self) -> None:
        return None


class InOrderIterator(InterleaveIterator):
    """What a parallel interleave reads by if the order is kept."""

    def _count_error(self):
        self._count()

    def _open(self):
        try:
            super()._open()
        except Exception as error:  # noqa: BLE001 - raised by the next read
            self.slots[self.at] = (None, Failing(error), None)


class Interleave(Unsized):
    """Blocks of the datasets that the function gives for the elements, `cycle` of them at a time."""

    iterator = InterleaveIterator
    rereads = False  # as in `FlatMap`

    def __init__(self, source, function: Function, cycle: int, block: int):
        self.inputs, self.function, self.block = (source,), function, block
        self.cycle = self._default_cycle() if cycle == AUTOTUNE else cycle

    def _default_cycle(self) -> int:
        return cores.AVAILABLE


class ParallelInterleave(Interleave, Pooled):
    """Interleave with `num_parallel_calls`."""

    version = "V4"

    def __init__(
        self, source, function: Function, cycle: int, block: int, calls: int = AUTOTUNE, deterministic: str = "default"
    ):
        self.deterministic = deterministic
        self._use_threads(function, calls)
        super().__init__(source, function, cycle, block)

    def _default_cycle(self):
        return -(-cores.AVAILABLE // 3) if self.calls == AUTOTUNE else min(self.calls, cores.AVAILABLE)

    def attributes(self):
        return {"deterministic": self.deterministic}

    def cardinality(self):
        return INFINITE if self.version == "V4" and self.inputs[0].cardinality() == INFINITE else UNKNOWN

    def iterate(self):
        return InOrderIterator(self) if self.ordered or not self.overlaps else UnorderedInterleaveIterator(self)


class UnorderedInterleaveIterator(InterleaveIterator):
    """`calls` are what threads read from the slots' datasets: an element, or None at the end of one."""

    def __init__(self, dataset):
        super().__init__(dataset)
        self.calls: list[concurrent.futures.Future | None] = [None] * dataset.cycle
        self.pool: concurrent.futures.ThreadPoolExecutor | None = None

    def _start(self) -> concurrent.futures.ThreadPoolExecutor:
        pool = self.pool = concurrent.futures.ThreadPoolExecutor(
            min(self.dataset.workers, self.dataset.cycle), "reflow-interleave"
        )
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
                self._close(place)
            if element is None or self.taken == self.dataset.block:
                self._advance()
            if element is not None:
                return element

    def _read_ahead(self) -> None:
        """Open datasets in empty slots, and let a thread read each. Raises StopIteration if there are none."""
        for place, slot in enumerate(self.slots):
            if slot is None and not self.ended:
                self._open_in(place)
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
            concurrent.futures.wait(
                [call for call in self.calls if call is not None], return_when=concurrent.futures.FIRST_COMPLETED
            )

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
