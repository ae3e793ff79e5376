"""Calls a stage's function ahead of time, on a pool of threads: for parallel `map` and `filter`.

A batched `map` computes *blocks*, the rows of a batch: while the consumer waits for the rows of one, the threads work
on the next. A thread gets several rows at once, since handing over a single one takes 60 us. A large component is
created in the batch's memory if a kernel supports that (`ops/result_memory.py`); otherwise the thread that computed it
copies it there immediately, while it is in a cache. Nothing waits for single elements.
"""

from __future__ import annotations

import collections
import concurrent.futures
import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from reflow.core.context import state
from reflow.data.engine.batch_memory import Spare
from reflow.data.engine.batches import stack_component
from reflow.data.engine.values import DatasetIterator
from reflow.ops.result_memory import Offer

LARGE = 1 << 14  # bytes of a component from which a thread itself copies it into the batch
MOST = 1 << 28  # bytes of a batch's component that are taken before it is known how many rows there will be
AHEAD = 16  # elements a thread that are begun of the block after the one that is awaited
SHARES = 4  # calls a thread into which a block is divided, so that no thread waits long for the others


class Block:
    """The rows of a batch of `size`, of which `begun` were handed to threads.

    `calls` give what of them is still to be stacked.
    """

    def __init__(self, size: int, spare: Spare):
        self.size, self.spare = size, spare
        self.begun = 0
        self.calls: list[concurrent.futures.Future[tuple[list, BaseException | None]]] = []
        self.columns: dict[int, np.ndarray] = {}
        # the first column of plain numbers: its component, itself, its address
        self.first: tuple[int, np.ndarray, int] | None = None
        self.lock = threading.Lock()

    def computed(self, row: int, function: Callable[[list], list], element: list) -> list:
        """The function of an element, with None for each component that lies in its place in the batch."""
        index, offer = self._offer(row)
        state.offered = offer
        try:
            values = list(function(element))
        finally:
            state.offered = None
        if offer is None or not offer.views():
            index = -1
        else:
            self._settle(offer, values, index)
        return [
            None if value is None or at != index and self._copied(at, row, value) else value
            for at, value in enumerate(values)
        ]

    def _offer(self, row: int) -> tuple[int, Offer | None]:
        """The place in the batch of a row's first large component, once it is known how large that is."""
        first = self.first
        return (-1, None) if first is None else (first[0], Offer(*first[1:], row))

    def _settle(self, offer: Offer, values: list, index: int) -> None:
        """Put None for the component if it lies in the memory that was offered for it.

        It stays if something else lies there.
        """
        value = values[index]
        mine = offer.views() == 1 and sys.getrefcount(value) == 3  # in `values`, here, and for this call
        place = offer.array
        if not isinstance(value, np.ndarray) or value.base is not place or value.shape != place.shape:
            return
        if value.strides != place.strides:  # it was turned round afterwards
            if not mine:
                return
            turned = [axis for axis, (a, b) in enumerate(zip(value.strides, place.strides, strict=True)) if a != b]
            if (
                len(turned) > 1 or value.strides[turned[0]] != -place.strides[turned[0]]
                or not _native().reverse(place, turned[0])
            ):
                place[...] = value.copy()
        values[index] = None

    def _copied(self, index: int, row: int, value: Any) -> bool:
        if not isinstance(value, np.ndarray) or not LARGE <= value.nbytes <= MOST // self.size or value.dtype.hasobject:
            return False
        with self.lock:
            column = self.columns.get(index)
            if column is None:  # only rows that were copied are handed out
                column = self.columns[index] = self.spare.array((self.size, *value.shape), value.dtype)
                if self.first is None and column.dtype.kind in "biuf":
                    self.first = index, column, column.ctypes.data
        if column.shape[1:] != value.shape or column.dtype != value.dtype:
            return False
        if value.flags.c_contiguous or not _native().copy_strided(value, column[row]):
            column[row] = value
        return True

    def awaited(self) -> tuple[list, BaseException | None]:
        """The parts of all rows to stack, up to a row that failed, and its error."""
        concurrent.futures.wait(self.calls)  # at once: waiting for each in turn would wake the waiter for each
        rows: list = []
        for call in self.calls:
            more, error = call.result()
            rows += more
            if error is not None:
                return rows, error
        return rows, None

    def stacked(self, rows: list) -> list:
        """All rows. Raises the error of rows with different shapes."""
        return [self._stacked_component(index, values) for index, values in enumerate(zip(*rows, strict=True))]

    def _stacked_component(self, index: int, values: tuple) -> Any:
        column = self.columns.get(index)
        if column is None:
            return stack_component(index, values)
        if all(value is None for value in values):
            return column[: len(values)]
        return stack_component(index, [column[row] if value is None else value for row, value in enumerate(values)])


def _native() -> Any:
    from reflow import native  # not at the top: it imports JAX, which programs that compile nothing do without

    return native


def _compute(dataset: Any, block: Block, first: int, elements: list) -> tuple[list, BaseException | None]:
    """Rows of a block from `first` on, up to one that fails, and the error of that."""
    rows: list = []
    for row, element in enumerate(elements, first):
        try:
            rows.append(block.computed(row, dataset.apply, element))
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is raised when the rows before it were given
            return rows, error
    return rows, None


class ParallelMapIterator(DatasetIterator):
    """Calls ahead on a pool of threads; results come in the order of the input, or as they are ready if the dataset is
    not `ordered`. The rows of a block always stay in order: the batch is given when all are there.

    `pending` holds the input elements whose results were not handed out yet; they are the position, with the input's.
    The threads know the first `sent` of them, one by one (`futures`) or as rows of blocks. An error of the input waits
    until its turn.
    """

    saved = ("pending", "ended")

    def __init__(self, dataset):
        super().__init__(dataset)
        self.pending: list = []
        self.sent = 0
        self.ended = False
        self.error: Exception | None = None
        self.futures: collections.deque = collections.deque()
        self.blocks: list[Block] = []
        self.pool: concurrent.futures.ThreadPoolExecutor | None = None

    def _start(self) -> concurrent.futures.ThreadPoolExecutor:
        pool = self.pool = concurrent.futures.ThreadPoolExecutor(self.dataset.workers, "reflow-map")
        weakref.finalize(self, pool.shutdown, wait=False, cancel_futures=True)
        return pool

    def _draw(self, count: int) -> list:
        """The next input elements that no thread knows, up to `count`."""
        while len(self.pending) < self.sent + count and not self.ended and self.error is None:
            try:
                self.pending.append(next(self.input))
            except StopIteration:
                self.ended = True
            # whatever it is, it is raised when the elements before it were given
            except Exception as error:  # noqa: BLE001
                self.error = error
        drawn = self.pending[self.sent : self.sent + count]
        self.sent += len(drawn)
        return drawn

    def _call(self, function: Callable[..., Any], *arguments: Any) -> concurrent.futures.Future:
        """Let a thread call a function."""
        return (self.pool or self._start()).submit(function, *arguments)

    def _hand_out(self, count: int, first: int = 0) -> None:
        del self.pending[first : first + count]
        self.sent -= count

    def _ready(self) -> int:
        """The first call that is done."""
        while True:
            for place, future in enumerate(self.futures):
                if future.done():
                    return place
            concurrent.futures.wait(self.futures, return_when=concurrent.futures.FIRST_COMPLETED)

    def _forget_calls(self) -> None:
        """Recompute what the threads were given."""
        for future in (*self.futures, *(call for block in self.blocks for call in block.calls)):
            future.cancel()
        self.futures.clear()
        self.blocks.clear()
        self.sent = 0

    def _raise_error(self) -> None:
        error, self.error = self.error, None
        if error is not None:
            raise error

    def __next__(self):
        if self.blocks:
            self._forget_calls()
        for element in self._draw(self.dataset.workers - len(self.futures)):
            self.futures.append(self._call(self.dataset.apply_in_pool, element))
        if not self.futures:
            self._raise_error()
            raise StopIteration
        place = 0 if self.dataset.ordered else self._ready()
        future = self.futures[place]
        del self.futures[place]
        self._hand_out(1, place)
        result = future.result()
        if result is None:
            raise StopIteration
        return result

    @property
    def next_block(self):
        """Returns up to this many elements, stacked; None if the function may end the dataset."""
        return self._next_block if self.dataset.preserve_cardinality else None

    def _next_block(self, count: int) -> tuple[int, list]:
        if self.futures or (self.blocks and self.blocks[0].size != count):
            self._forget_calls()
        try:
            block = self._filled(0, count, count)
            self._filled(1, count, min(count, AHEAD * self.dataset.workers))
            rows, error = block.awaited()
        except BaseException:  # an interrupt, for example between the start of a call and its note
            self._forget_calls()
            raise
        if error is not None:
            self._hand_out(len(rows) + 1)
            self._forget_calls()  # the rows after it are the first of the next block
            raise error
        self._hand_out(len(rows))
        del self.blocks[0]
        if len(rows) < count:
            self._raise_error()
        return len(rows), block.stacked(rows)

    def _filled(self, place: int, size: int, most: int) -> Block:
        """Block number `place` of those that were begun, with up to `most` rows."""
        if len(self.blocks) == place:
            self.blocks.append(Block(size, self.dataset.spare))
        block = self.blocks[place]
        share = min(max(1, size // (SHARES * self.dataset.workers)), AHEAD)
        while block.begun < most and (elements := self._draw(min(share, most - block.begun))):
            block.calls.append(self._call(_compute, self.dataset, block, block.begun, elements))
            block.begun += len(elements)
        return block


class ParallelFilterIterator(ParallelMapIterator):
    next_block = None

    def __next__(self):
        while True:
            element, passes = super().__next__()
            if passes:
                return element
