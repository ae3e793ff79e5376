"""Batches of ragged elements, and their rows.

A ragged element of rank `r` has `1 + r` components: the flat values, then the row splits from the outermost inwards. A batch
of such elements has one more level of splits, the number of rows of each. A dense element is one component.
`Leaf` says which components of an element belong together.
"""

from __future__ import annotations

import typing
from collections.abc import Sequence

import numpy as np

from reflow.data.engine.batches import Batch, BatchIterator, Unbatch, UnbatchIterator, stack


class Leaf(typing.NamedTuple):
    """One tensor of an element: how many levels of splits it has before batching (None: it is dense), and their dtype."""

    rank: int | None
    splits_dtype: typing.Any = np.int64

    def take(self, components, extra: int = 0) -> list:
        """The next components of an iterator that belong to this tensor."""
        return [next(components) for _ in range(1 if self.rank is None else 1 + self.rank + extra)]


def join(elements: list[list], leaves: list[Leaf]) -> list:
    """Elements as one batch.

    >>> batch = join([[np.array([1, 2])], [np.array([3])]], [Leaf(0)])
    >>> [c.tolist() for c in batch]
    [[1, 2, 3], [0, 2, 3]]
    """
    out: list = []
    iterators = [iter(e) for e in elements]
    for leaf in leaves:
        parts = [leaf.take(i) for i in iterators]
        out += stack(parts) if leaf.rank is None else _join_ragged(parts, leaf)
    return out


def _join_ragged(parts: list[list], leaf: Leaf) -> list:
    flat = np.concatenate([p[0] for p in parts])
    counts = [len(p[1]) - 1 if leaf.rank else len(p[0]) for p in parts]
    levels = [_splits(counts, leaf)]
    for level in range(1, 1 + (leaf.rank or 0)):
        levels.append(_splits(np.concatenate([np.diff(p[level]) for p in parts]), leaf))
    return [flat, *levels]


def _splits(lengths, leaf: Leaf):
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(leaf.splits_dtype)


def row(batch: Sequence, leaves: list[Leaf], index: int) -> list:
    """One element of a batch.

    >>> [c.tolist() for c in row([np.array([1, 2, 3]), np.array([0, 2, 3])], [Leaf(0)], 1)]
    [[3]]
    """
    out: list = []
    components = iter(batch)
    for leaf in leaves:
        flat, *splits = leaf.take(components, 1)
        if leaf.rank is None:
            out.append(flat[index, ...])
            continue
        start, end, inner = index, index + 1, []
        for level, values in enumerate(splits):
            if level:
                inner.append(values[start : end + 1] - values[start])
            start, end = int(values[start]), int(values[end])
        out += [flat[start:end], *inner]
    return out


class RaggedBatchIterator(BatchIterator):
    takes_blocks = False

    def _joined(self, elements):
        return join(elements, self.dataset.leaves)


class RaggedBatch(Batch):
    iterator = RaggedBatchIterator

    def __init__(self, source, size: int, drop_remainder: bool, leaves: list[Leaf]):
        super().__init__(source, size, drop_remainder)
        self.leaves = leaves


class RaggedUnbatchIterator(UnbatchIterator):
    def __next__(self):
        while self.at >= self.count:
            self.batch = next(self.input)
            self.at, self.count = 0, self._rows()
        self.at += 1
        return row(self.batch, self.dataset.leaves, self.at - 1)

    def _rows(self) -> int:
        flat, *splits = self.dataset.leaves[0].take(iter(self.batch), 1)
        return len(splits[0]) - 1 if splits else len(flat)


class RaggedUnbatch(Unbatch):
    iterator = RaggedUnbatchIterator

    def __init__(self, source, rows: int | None, leaves: list[Leaf]):
        super().__init__(source, rows)
        self.leaves = leaves
