"""Ops that join calls of several threads into batches (`reflow/queues/batching.py`).

`BatchFunction` runs a function on a batch. `Batch` returns the batch itself to one of its callers and nothing to the
others; `Unbatch` distributes the parts back to the callers, by the number that each call of `Batch` returned, and
`UnbatchGrad` returns the gradients to where the batch was.
"""

from __future__ import annotations

import os
import threading
import weakref
from typing import Any

import numpy as np

from reflow.core import errors
from reflow.core.fork import new_lock
from reflow.core.types import Array
from reflow.ops.registry import NO_GRADIENT, op
from reflow.queues.batching import Batcher, Task, check_rows, handed_out, joined

_lock = new_lock()
_of_function: weakref.WeakKeyDictionary[Any, Batcher] = weakref.WeakKeyDictionary()
_of_names: dict[tuple, Batcher] = {}


def _batcher(table: Any, key: Any, attrs: dict) -> Batcher:
    with _lock:
        found = table.get(key)
        if found is None:
            seconds = attrs["batch_timeout_micros"] * 1e-6
            found = table[key] = Batcher(
                attrs["num_batch_threads"], attrs["max_batch_size"], seconds, attrs.get("max_enqueued_batches", 10)
            )
        return found


# --- a function -------------------------------------------------------------------------------------------------------


@op(
    "BatchFunction",
    shape=lambda f: [None if t is None else (None, *t._dims[1:]) if t._dims else None for t in f.attrs["f"].outputs],
    grad=NO_GRADIENT, host=True, opaque=True, flow="other", overlaps=True,
)
def batch_function(_, in_tensors, captured_tensors, f, **attrs):
    check_rows(in_tensors)
    batcher = _batcher(_of_function, f, attrs)

    def work(tasks: list[Task]) -> None:
        inputs, _rows = joined(tasks, attrs.get("allowed_batch_sizes") or ())
        results = [np.asarray(r) for r in f.run([*inputs, *captured_tensors])]
        handed_out(tasks, results, inputs[0].shape[0])

    rows, size = in_tensors[0].shape[0], batcher.size
    whole = rows <= size or not attrs.get("enable_large_batch_splitting", False)
    tasks = (
        [Task(in_tensors)] if whole else [Task([x[at : at + size] for x in in_tensors]) for at in range(0, rows, size)]
    )
    for task in tasks:
        batcher.join(task, work)
    return tuple(np.concatenate(parts) for parts in zip(*[task.result for task in tasks], strict=True))


# --- a batch for one of its callers -----------------------------------------------------------------------------------


def _number() -> int:
    return int.from_bytes(os.urandom(8), "little") >> 1


def _batch_shapes(f):
    count = len(f.attrs["T"])
    return [None if dims is None else (None, *dims[1:]) for dims in f.shapes[:count]] + [(None, 3), ()]


@op("Batch", shape=_batch_shapes, grad=NO_GRADIENT, host=True, opaque=True, overlaps=True)
def batch(_, in_tensors, container="", shared_name="", batching_queue="", allowed_batch_sizes=(), **attrs):
    check_rows(in_tensors)
    kinds = tuple((x.dtype.str, x.shape[1:]) for x in in_tensors)
    task, number = Task(in_tensors), _number()
    task.result = [np.zeros((0, 3), np.int64), np.array(number)]

    def work(tasks: list[Task]) -> None:
        inputs, _rows = joined(tasks, allowed_batch_sizes or ())
        ends = np.cumsum([0, *[t.rows for t in tasks]]).tolist()
        index = [(int(t.result[1]), start, end) for t, start, end in zip(tasks, ends, ends[1:], strict=False)]
        tasks[0].result = [*inputs, np.array(index, np.int64), tasks[0].result[1]]

    batcher = _batcher(_of_names, (container, shared_name, batching_queue, kinds, attrs["max_batch_size"]), attrs)
    if batcher.join(task, work):
        return tuple(task.result)
    return *(x[:0] for x in in_tensors), *task.result


class _Parts:
    """Parts that wait to be taken by number."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._parts: dict[int, Array] = {}

    def put(self, parts: dict[int, Array]) -> None:
        with self._changed:
            self._parts.update(parts)
            self._changed.notify_all()

    def take(self, number: int, seconds: float | None) -> Array:
        """The part of that number, which can be taken only once."""
        with self._changed:
            if not self._changed.wait_for(lambda: number in self._parts, seconds):
                raise errors.DeadlineExceededError(None, None, "Batched data did not arrive within timeout window.")
            return self._parts.pop(number)


_outputs, _gradients = _Parts(), _Parts()


def _part_shape(f):
    dims = f.shapes[0]
    return [None if dims is None else (None, *dims[1:])]


@op("Unbatch", shape=_part_shape, grad=NO_GRADIENT, host=True, opaque=True, overlaps=True)
def unbatch(_, batched_tensor, batch_index, id, timeout_micros):
    if batch_index.ndim != 2 or batch_index.shape[1] != 3:
        raise errors.InvalidArgumentError(
            None, None, f"batch_index must be a matrix of 3 columns, got {list(batch_index.shape)}"
        )
    _outputs.put({number: batched_tensor[start:end] for number, start, end in batch_index.tolist()})
    return _outputs.take(int(id), timeout_micros * 1e-6)


@op("UnbatchGrad", shape=_part_shape, grad=NO_GRADIENT, host=True, opaque=True, overlaps=True)
def unbatch_grad(_, original_input, batch_index, grad, id):
    """The gradients of all parts where the batch was; nothing elsewhere."""
    _gradients.put({int(id): grad})
    if not len(batch_index):
        return grad[:0]
    found = np.zeros(original_input.shape, grad.dtype)
    for number, start, end in batch_index.tolist():
        found[start:end] = _gradients.take(number, None)
    return found
