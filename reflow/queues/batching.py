"""Joins calls from several threads into one batch: for `tf.nondifferentiable_batch_function` and the `Batch` ops.

A *task* is the tensors of one call, with equal numbers of rows. The first task of a batch leads it: its thread waits
until the batch is full or its time is over, then does the work for all; the others wait for their part. A closed batch
takes no further tasks.
"""

from __future__ import annotations

import bisect
import threading
import time
from collections.abc import Callable, Sequence

import numpy as np

from reflow.core import errors
from reflow.core.types import Array


class Task:
    """The tensors of one call, and later what became of them."""

    def __init__(self, tensors: Sequence[Array]) -> None:
        self.tensors, self.rows = list(tensors), tensors[0].shape[0]
        self.done = threading.Event()
        self.result: list[Array] = []
        self.error: BaseException | None = None


class _Batch:
    def __init__(self) -> None:
        self.tasks: list[Task] = []
        self.rows = 0
        self.closed = False


def check_rows(tensors: Sequence[Array]) -> None:
    """All tensors of a task have as many rows, and at least one axis."""
    if not tensors:
        raise errors.InvalidArgumentError(None, None, "Batching needs at least one tensor.")
    for x in tensors:
        if x.ndim == 0:
            raise errors.InvalidArgumentError(None, None, "Batching input tensors must have at least one dimension")
        if x.shape[0] != tensors[0].shape[0]:
            raise errors.InvalidArgumentError(
                None, None,
                "Batching input tensors supplied in a given op invocation must have equal 0th-dimension size",
            )


class Batcher:
    """Joins tasks of up to `size` rows in all; waits at most `timeout` seconds for more of them."""

    def __init__(self, threads: int, size: int, timeout: float, waiting: int) -> None:
        if threads < 1 or size < 1:
            raise errors.InvalidArgumentError(None, None, "num_batch_threads and max_batch_size must be positive")
        self.size, self.timeout, self.waiting = size, timeout, waiting
        self._workers = threading.Semaphore(threads)
        self._changed = threading.Condition()
        self._open: _Batch | None = None
        self._unfinished = 0

    def join(self, task: Task, work: Callable[[list[Task]], None]) -> bool:
        """Put a task into a batch and wait until `work` has been done for it.

        True for the leader, in whose thread it is done.
        """
        if task.rows > self.size:
            raise errors.InvalidArgumentError(
                None, None, f"Batching task size {task.rows} is larger than maximum input batch size {self.size}"
            )
        with self._changed:
            batch = self._open
            if batch is None or batch.rows + task.rows > self.size:
                batch = self._begin(batch)
            leads = not batch.tasks
            batch.tasks.append(task)
            batch.rows += task.rows
            if batch.rows == self.size:
                self._close(batch)
        if leads:
            self._lead(batch, work)
        task.done.wait()
        if task.error is not None:
            raise task.error
        return leads

    def _begin(self, old: _Batch | None) -> _Batch:
        if old is not None:
            self._close(old)
        if self._unfinished >= self.waiting:
            raise errors.UnavailableError(
                None, None, "The batch scheduling queue to which this task was submitted is full"
            )
        self._unfinished += 1
        self._open = _Batch()
        return self._open

    def _close(self, batch: _Batch) -> None:
        batch.closed = True
        if self._open is batch:
            self._open = None
        self._changed.notify_all()

    def _lead(self, batch: _Batch, work: Callable[[list[Task]], None]) -> None:
        until = time.monotonic() + self.timeout
        with self._changed:
            while not batch.closed and (left := until - time.monotonic()) > 0:
                self._changed.wait(left)
            self._close(batch)
        try:
            with self._workers:
                work(batch.tasks)
        except BaseException as error:
            for task in batch.tasks:
                task.error = error
        finally:
            with self._changed:
                self._unfinished -= 1
            for task in batch.tasks:
                task.done.set()


def joined(tasks: Sequence[Task], allowed: Sequence[int] = ()) -> tuple[list[Array], int]:
    """The concatenated tensors of all tasks, and their rows.

    Repeats of the first row pad them to the next allowed size.
    """
    rows = sum(task.rows for task in tasks)
    columns = [list(parts) for parts in zip(*[task.tensors for task in tasks], strict=True)]
    if allowed:
        place = bisect.bisect_left(sorted(allowed), rows)
        if place == len(allowed):
            raise errors.InvalidArgumentError(None, None, f"No allowed batch size holds {rows} rows: {list(allowed)}")
        missing = sorted(allowed)[place] - rows
        for column in columns:
            column.extend([column[0][:1]] * missing)
    return [np.concatenate(column) for column in columns], rows


def handed_out(tasks: Sequence[Task], results: Sequence[Array], total: int) -> None:
    """Give each task its rows of the results."""
    for result in results:
        if result.ndim == 0 or result.shape[0] != total:
            raise errors.InvalidArgumentError(
                None, None,
                "Batched output tensor's 0th dimension does not equal the sum of the 0th dimension "
                "sizes of the input tensors",
            )
    at = 0
    for task in tasks:
        task.result = [result[at : at + task.rows] for result in results]
        at += task.rows
