"""Batches of composite elements (ragged and sparse tensors among others), and their rows.

A composite tensor of an element is several of its flat components: a ragged tensor of rank `r` is the flat values, then
`r` vectors of row splits from the outermost inwards; a sparse tensor is indices, values and shape. A *leaf* says which
components belong to one tensor, and how such tensors are batched and unbatched. TensorFlow packs each composite into
one variant; here nothing is packed.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Sequence

import numpy as np

from reflow.core import errors
from reflow.data.engine.batches import Batch, BatchIterator, Rebatch, Unbatch, UnbatchIterator, row_of, rows_of, stack
from reflow.data.engine.values import DatasetIterator


class Leaf:
    """How many components a tensor has in an element (`width`) and a batch, and how such tensors join and part."""

    width: int
    batch_width: int

    def join(self, parts: list[list]) -> list:
        """The components of a batch, from those of each element."""
        raise NotImplementedError

    def row(self, batch: list, index: int) -> list:
        """The components of one element of a batch."""
        raise NotImplementedError

    def rows(self, batch: list) -> int:
        """How many elements a batch has."""
        raise NotImplementedError


@dataclasses.dataclass(frozen=True)
class Dense(Leaf):
    """One component, stacked."""

    width = batch_width = 1

    def join(self, parts: list[list]) -> list:
        return stack(parts)

    def row(self, batch: list, index: int) -> list:
        return [row_of(batch[0], index)]

    def rows(self, batch: list) -> int:
        return rows_of(batch)


@dataclasses.dataclass(frozen=True)
class Ragged(Leaf):
    """A ragged tensor of `rank` levels of splits before batching; 0 for dense tensors of different lengths."""

    rank: int
    splits_dtype: typing.Any = np.int64

    @property
    def width(self) -> int:  # type: ignore[override]
        return 1 + self.rank

    @property
    def batch_width(self) -> int:  # type: ignore[override]
        return 2 + self.rank

    def join(self, parts: list[list]) -> list:
        flat = np.concatenate([p[0] for p in parts])
        counts = [len(p[1]) - 1 if self.rank else len(p[0]) for p in parts]
        levels = [self._splits(counts)]
        for level in range(1, 1 + self.rank):
            levels.append(self._splits(np.concatenate([np.diff(p[level]) for p in parts])))
        return [flat, *levels]

    def _splits(self, lengths):
        return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(self.splits_dtype)

    def row(self, batch: list, index: int) -> list:
        flat, *splits = batch
        start, end, inner = index, index + 1, []
        for level, values in enumerate(splits):
            if level:
                inner.append(values[start : end + 1] - values[start])
            start, end = int(values[start]), int(values[end])
        return [flat[start:end], *inner]

    def rows(self, batch: list) -> int:
        return len(batch[1]) - 1


@dataclasses.dataclass(frozen=True)
class Sparse(Leaf):
    """A sparse tensor: indices [n, rank], values [n], shape [rank].

    A batch is as large as its largest element in each dimension.
    """

    width = batch_width = 3

    def join(self, parts: list[list]) -> list:
        rank = len(parts[0][2])
        for i, (_, _, shape) in enumerate(parts):
            if len(shape) != rank:
                raise errors.InvalidArgumentError(
                    None, None,
                    f"Inconsistent shape across SparseTensors: rank prior to SparseTensor[{i}] was: {rank} but rank of "
                    f"SparseTensor[{i}] is: {len(shape)}",
                )
        counts = [len(p[1]) for p in parts]
        # every element is written: the first column, then the others
        indices = np.empty((sum(counts), rank + 1), np.int64)
        indices[:, 0] = np.repeat(np.arange(len(parts)), counts)
        np.concatenate([p[0] for p in parts], out=indices[:, 1:])
        shape = np.max([p[2] for p in parts], axis=0) if rank else []
        return [indices, np.concatenate([p[1] for p in parts]), np.array([len(parts), *shape], np.int64)]

    def row(self, batch: list, index: int) -> list:
        indices, values, shape = batch
        first = indices[:, 0]
        start, end = np.searchsorted(first, [index, index + 1])
        chosen: typing.Any = slice(int(start), int(end))
        if end - start != np.count_nonzero(first == index):  # entries in another order than row by row
            chosen = first == index
        return [indices[chosen, 1:], values[chosen], shape[1:]]

    def rows(self, batch: list) -> int:
        return int(batch[2][0])


def join(elements: list[list], leaves: Sequence[Leaf]) -> list:
    """Elements as one batch.

    >>> batch = join([[np.array([1, 2])], [np.array([3])]], [Ragged(0)])
    >>> [c.tolist() for c in batch]
    [[1, 2, 3], [0, 2, 3]]
    """
    out: list = []
    at = 0
    for leaf in leaves:
        end = at + leaf.width
        out += leaf.join([e[at:end] for e in elements])
        at = end
    return out


def row(batch: Sequence, leaves: Sequence[Leaf], index: int) -> list:
    """One element of a batch.

    >>> [c.tolist() for c in row([np.array([1, 2, 3]), np.array([0, 2, 3])], [Ragged(0)], 1)]
    [[3]]
    """
    out: list = []
    at = 0
    for leaf in leaves:
        end = at + leaf.batch_width
        out += leaf.row(list(batch[at:end]), index)
        at = end
    return out


def row_count(batch: Sequence, leaves: Sequence[Leaf]) -> int:
    """The number of elements of a batch; an error if its tensors disagree."""
    at, found = 0, None
    for i, leaf in enumerate(leaves):
        end = at + leaf.batch_width
        rows = leaf.rows(list(batch[at:end]))
        at = end
        if found is not None and rows != found:
            raise errors.InvalidArgumentError(
                None, None,
                f"Input element must have the same batch size in each component. Component 0 had size {found} but "
                f"component {i} had size, {rows}.",
            )
        found = rows
    return found or 0


class CompositeBatchIterator(BatchIterator):
    takes_blocks = False


class OfComposites:
    """Stages for elements with composite tensors: what they add to the plain stages.

    `leaves`, those of a row.
    """

    def __init__(self, *arguments: typing.Any, leaves: list[Leaf]):
        super().__init__(*arguments)
        self.leaves = leaves


class CompositeBatch(OfComposites, Batch):
    """`batch` of elements with composite tensors."""

    name = "Batch"
    iterator = CompositeBatchIterator

    def joined(self, elements):
        return join(elements, self.leaves)

    def joins_like_parsing(self):
        return not any(isinstance(leaf, Ragged) for leaf in self.leaves)


class SparseBatch(Batch):
    """Dense elements of different shapes as one sparse tensor; -1 in `row_shape` is the largest size in the batch."""

    symbolic = False
    name = "DenseToSparseBatch"
    iterator = CompositeBatchIterator

    def __init__(self, source, size: int, row_shape: list[int]):
        super().__init__(source, size, False)
        self.row_shape = row_shape

    def joins_like_parsing(self):
        return False

    def joined(self, elements):
        values = [e[0] for e in elements]
        rank = len(self.row_shape)
        for value in values:
            if value.ndim != rank:
                raise errors.InvalidArgumentError(
                    None, None,
                    "Input element had shape (" + ", ".join(map(str, value.shape))
                    + f") that is incompatible with the row shape ({', '.join(map(str, self.row_shape))}).",
                )
        shape = [max(v.shape[d] for v in values) if size < 0 else size for d, size in enumerate(self.row_shape)]
        large = next((v.shape for v in values if any(v.shape[d] > shape[d] for d in range(rank))), None)
        if large is not None:
            raise errors.DataLossError(
                None, None,
                f"Input element had shape ({list(large)}) that is larger than the row shape ({list(self.row_shape)}).",
            )
        parts = []
        for v in values:
            places = np.indices(v.shape, np.int64).reshape(rank, v.size).T
            parts.append([places, v.reshape(-1), np.array(shape, np.int64)])
        return Sparse().join(parts)


class CompositeUnbatchIterator(UnbatchIterator):
    def __next__(self):
        while self.at >= self.count:
            self.batch = next(self.input)
            self.at, self.count = 0, row_count(self.batch, self.dataset.leaves)
        self.at += 1
        return row(self.batch, self.dataset.leaves, self.at - 1)


class CompositeUnbatch(OfComposites, Unbatch):
    """`unbatch` of elements with composite tensors."""

    name = "Unbatch"
    iterator = CompositeUnbatchIterator


class CompositeRebatchIterator(DatasetIterator):
    """`rest` are rows not given out yet."""

    saved = ("rest", "turn")
    turn = 0

    def __init__(self, dataset):
        super().__init__(dataset)
        self.rest: list = []

    def __next__(self):
        sizes, leaves = self.dataset.sizes, self.dataset.leaves
        wanted = sizes[self.turn % len(sizes)]
        while len(self.rest) < wanted:
            batch = next(self.input, None)
            if batch is None:
                break
            self.rest += [row(batch, leaves, i) for i in range(row_count(batch, leaves))]
        if not self.rest or (len(self.rest) < wanted and self.dataset.drop_remainder):
            raise StopIteration
        self.turn += 1
        taken, self.rest = self.rest[:wanted], self.rest[wanted:]
        return join(taken, leaves)


class CompositeRebatch(OfComposites, Rebatch):
    """`rebatch` of elements with composite tensors."""

    name = "Rebatch"
    iterator = CompositeRebatchIterator
