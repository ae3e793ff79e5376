"""Calls of a stage's function ahead, on a pool of threads: what parallel `map` and `filter` read by.

A `map` that is batched computes *blocks*, the rows of a batch: while the rows of one are awaited, the threads go on with the next. The
thread that has computed a large component copies it into the batch's memory at once. So a batch is made by one copy of numbers
that are still in a processor's cache, and nobody waits for single elements.
"""

from __future__ import annotations

import collections
import concurrent.futures
import functools
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from reflow.data.engine.batch_memory import Spare
from reflow.data.engine.batches import stack_component
from reflow.data.engine.values import DatasetIterator

LARGE = 1 << 14  # bytes of a component from which on a thread copies it into the batch by itself
MOST = 1 << 28  # bytes of a batch's component that are taken before it is known how many rows there will be
AHEAD = 16  # elements a thread that are begun of the block after the one that is awaited


class Block:
    """The rows of a batch of `size`: `futures` give what of each row is still to be stacked."""

    def __init__(self, size: int, spare: Spare):
        self.size, self.spare = size, spare
        self.futures: list[concurrent.futures.Future] = []
        self.columns: dict[int, np.ndarray] = {}
        self.lock = threading.Lock()

    def place(self, row: int, element: list) -> list:
        """An element, with None for each component that was copied into its place."""
        return [None if self._copied(index, row, value) else value for index, value in enumerate(element)]

    def _copied(self, index: int, row: int, value: Any) -> bool:
        if not isinstance(value, np.ndarray) or not LARGE <= value.nbytes <= MOST // self.size or value.dtype.hasobject:
            return False
        with self.lock:
            column = self.columns.get(index)
            if column is None:  # only rows that were copied are handed out
                column = self.columns[index] = self.spare.array((self.size, *value.shape), value.dtype)
        if column.shape[1:] != value.shape or column.dtype != value.dtype:
            return False
        if not value.flags.c_contiguous:
            from reflow import native  # not at the top: it imports JAX, which programs that compile nothing do without

            if native.copy_strided(value, column[row]):
                return True
        column[row] = value
        return True

    def stacked(self) -> list:
        """All rows. Raises the error of rows with different shapes."""
        rows = [future.result() for future in self.futures]
        return [self._stacked_component(index, values) for index, values in enumerate(zip(*rows, strict=True))]

    def _stacked_component(self, index: int, values: tuple) -> Any:
        column = self.columns.get(index)
        if column is None:
            return stack_component(index, values)
        if all(value is None for value in values):
            return column[: len(values)]
        return stack_component(index, [column[row] if value is None else value for row, value in enumerate(values)])


def _compute(dataset: Any, block: Block, row: int, element: list) -> list:
    return block.place(row, dataset.apply(element))


class ParallelMapIterator(DatasetIterator):
    """Calls ahead on a pool of threads; results come in the order of the input.

    `pending` holds the input elements whose results were not handed out yet; they are the position, with the input's. The threads
    know the first `sent` of them, one by one (`futures`) or as rows of blocks. An error of the input waits until its turn.
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

    def _send(self, call: Callable[[list], Any]) -> concurrent.futures.Future | None:
        """Let a thread call a function on the next input element; None past the last."""
        if self.sent == len(self.pending):
            if self.ended or self.error is not None:
                return None
            try:
                self.pending.append(next(self.input))
            except StopIteration:
                self.ended = True
                return None
            except Exception as error:  # noqa: BLE001 - whatever it is, it is raised when the elements before it were given
                self.error = error
                return None
        self.sent += 1
        return (self.pool or self._start()).submit(call, self.pending[self.sent - 1])

    def _hand_out(self, count: int) -> None:
        del self.pending[:count]
        self.sent -= count

    def _forget_calls(self) -> None:
        """Compute anew what the threads were given."""
        for future in (*self.futures, *(future for block in self.blocks for future in block.futures)):
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
        while len(self.futures) < self.dataset.workers and (future := self._send(self.dataset.apply_in_pool)) is not None:
            self.futures.append(future)
        if not self.futures:
            self._raise_error()
            raise StopIteration
        future = self.futures.popleft()
        self._hand_out(1)
        result = future.result()
        if result is None:
            raise StopIteration
        return result

    @property
    def next_block(self):
        """Gives up to so many elements, stacked; None if the function may end the dataset."""
        return self._next_block if self.dataset.preserve_cardinality else None

    def _next_block(self, count: int) -> tuple[int, list]:
        if self.futures or (self.blocks and self.blocks[0].size != count):
            self._forget_calls()
        try:
            block = self._filled(0, count, count)
            self._filled(1, count, min(count, AHEAD * self.dataset.workers))
            concurrent.futures.wait(block.futures)
        except BaseException:  # an interrupt, for example between the start of a call and its note
            self._forget_calls()
            raise
        for row, future in enumerate(block.futures):
            if future.exception() is not None:
                self._hand_out(row + 1)
                self._forget_calls()  # the rows behind it are the first of the next block
                return future.result()
        rows = len(block.futures)
        self._hand_out(rows)
        del self.blocks[0]
        if rows < count:
            self._raise_error()
        return rows, block.stacked()

    def _filled(self, place: int, size: int, most: int) -> Block:
        """Block number `place` of those that were begun, with up to `most` rows."""
        if len(self.blocks) == place:
            self.blocks.append(Block(size, self.dataset.spare))
        block = self.blocks[place]
        while len(block.futures) < most:
            future = self._send(functools.partial(_compute, self.dataset, block, len(block.futures)))
            if future is None:
                break
            block.futures.append(future)
        return block


class ParallelFilterIterator(ParallelMapIterator):
    next_block = None

    def __next__(self):
        while True:
            element, passes = super().__next__()
            if passes:
                return element
