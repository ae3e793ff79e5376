"""Accumulators: gradients of several steps, combined into one.

A gradient for an older step than the accumulator's is dropped. Taking waits until enough gradients have arrived,
returns their mean or sum, and begins the next step.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from reflow.core import dtypes
from reflow.queues.queues import invalid, text
from reflow.queues.waiting import WaitingRoom


class Accumulator(WaitingRoom):
    """Adds up dense gradients."""

    __slots__ = ("dtype", "dims", "mean", "step", "count", "total", "_takers")
    tensor_dtype = dtypes.resource
    kind = "conditional_accumulator"

    def __init__(self, dtype, dims, reduction: str = "MEAN", name: str = "") -> None:
        super().__init__(self.kind, name)
        self.dtype, self.dims, self.mean = dtype, dims, reduction == "MEAN"
        self.step = self.count = 0
        self.total: Any = None
        self._takers: deque = deque()
        self._clear()

    def _clear(self) -> None:
        self.count, self.total = 0, None

    def set_step(self, step: int) -> None:
        """Let the accumulator be at this step: older gradients are dropped."""
        with self.changed:
            self.step = step

    def apply(self, local_step: int, gradient) -> None:
        """Add a gradient, unless it is too old."""
        with self.changed:
            if local_step < self.step:
                return
            self._add(gradient)
            self.count += 1
            self.changed.notify_all()

    def _add(self, gradient: np.ndarray) -> None:
        if self.dims is not None and not _compatible(self.dims, gradient.shape):
            raise invalid(
                f"Shape mismatch: expected {text(self.dims)}, got {text(gradient.shape)}"
            )
        if self.total is not None and self.total.shape != gradient.shape:
            raise invalid(f"Shape mismatch: expected {text(self.total.shape)}, got {text(gradient.shape)}")
        self.total = gradient if self.total is None else self.total + gradient

    def take(self, required: int):
        """The mean or sum of the gradients that have come, when there are at least `required`; the next step begins."""
        if required <= 0:
            raise invalid(f"Argument num_required must be positive, but was {required}")
        taken: list = []

        def step() -> bool:
            if self.count < required:
                return False
            taken.append(self._result())
            self._clear()
            self.step += 1
            return True

        with self.changed:
            self.wait(self._takers, step, "TakeGrad operation was cancelled")
        return taken[0]

    def _result(self):
        if not self.mean:
            return self.total
        return (self.total / np.asarray(self.count, self.total.dtype)).astype(self.total.dtype)


class SparseAccumulator(Accumulator):
    """Adds up sparse gradients, row by row; the mean of a row is over the gradients that had it."""

    __slots__ = ("shape_seen", "counts")
    tensor_dtype = dtypes.string
    kind = "sparse_conditional_accumulator"

    def _clear(self) -> None:
        self.count, self.total = 0, {}
        self.counts: dict[int, int] = {}
        self.shape_seen: Any = None

    def _add(self, gradient) -> None:
        indices, values, shape, has_shape = gradient
        self._check(indices, values, shape, has_shape)
        for index, row in zip(indices.tolist(), values, strict=True):
            self.total[index] = row if index not in self.total else self.total[index] + row
            self.counts[index] = self.counts.get(index, 0) + 1
        rows = tuple(shape.tolist()) if has_shape else (-1, *values.shape[1:])
        self.shape_seen = rows if self.shape_seen is None or rows[0] != -1 else self.shape_seen

    def _check(self, indices, values, shape, has_shape) -> None:
        if len(indices) != len(values):
            raise invalid(
                f"Number of indices and values must match: {len(indices)} indices, {len(values)} values"
            )
        if has_shape and self.dims is not None and not _compatible(self.dims, shape.tolist()):
            raise invalid(f"Shape mismatch: expected {text(self.dims)}, got {text(shape.tolist())}")
        if self.dims is not None and not _compatible(self.dims[1:], values.shape[1:]):
            raise invalid(f"Shape mismatch: expected {text(self.dims[1:])}, got {text(values.shape[1:])}")

    def _result(self):
        order = sorted(self.total)
        rows = [
            self.total[i] / np.asarray(self.counts[i], self.dtype.np_dtype) if self.mean else self.total[i]
            for i in order
        ]
        values = np.stack(rows).astype(self.dtype.np_dtype)
        return np.array(order, np.int64), values, np.array(self.shape_seen, np.int64)


def _compatible(dims, shape) -> bool:
    return len(dims) == len(shape) and all(d in (None, -1, s) for d, s in zip(dims, shape, strict=True))
