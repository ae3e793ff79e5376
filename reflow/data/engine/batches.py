"""Datasets that join or split elements: batch, padded_batch, rebatch, unbatch, window."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from reflow.core import errors
from reflow.core.tensor import HostObject
from reflow.data.engine.values import UNKNOWN, DatasetIterator, DatasetValue, Listed, shape_text


def stack(elements: list) -> list:
    """Elements, joined along a new first axis."""
    return [stack_component(i, [e[i] for e in elements]) for i in range(len(elements[0]))]


def stack_component(index: int, values: Sequence):
    """The values of one component, joined along a new first axis."""
    first = values[0]
    shape = first.shape
    for i, value in enumerate(values):
        if value.shape != shape:
            raise errors.InvalidArgumentError(
                None, None,
                f"Cannot batch tensors with different shapes in component {index}. First element had shape "
                f"{shape_text(shape)} and element {i} had shape {shape_text(value.shape)}.",
            )
    if isinstance(first, HostObject):
        return HostArray(list(values))
    out = np.empty((len(values), *shape), first.dtype)  # every element is written: all values in turn
    for i, value in enumerate(values):  # faster than np.stack below some hundred values, and equal above
        out[i, ...] = value  # the dots: a scalar string is the element, not the array that holds it
    return out


class HostArray(HostObject):
    """A tensor of variants: datasets and optionals that were batched.

    An item is a host object, or such an array again.
    """

    __slots__ = ("items", "shape")

    def __init__(self, items: list):
        self.items, self.shape = list(items), (len(items), *items[0].shape)

    def __getitem__(self, index):
        items = self.items[index]
        return HostArray(items) if isinstance(index, slice) else items


def row_of(component, index: int):
    """Row `index` of one component of a batch."""
    return component[index] if isinstance(component, HostArray) else component[index, ...]


def _rows(iterator: DatasetIterator, size: int, drop: bool) -> list:
    """The next elements, `size` of them or what is left.

    StopIteration if there are none, or too few and `drop` is set.
    """
    elements = list(itertools.islice(iterator, size))
    if not elements or (drop and len(elements) < size):
        raise StopIteration
    return elements


class BatchIterator(DatasetIterator):
    takes_blocks = True  # whether contiguous rows of the input's memory form a batch
    parses: bool | None = None  # whether the input is a `map` that only parses: it is then called once for a batch

    def __next__(self):
        size, drop = self.dataset.size, self.dataset.drop_remainder
        if self.parses is None:
            source = self.dataset.inputs[0]
            plain = getattr(self.input, "in_turn", False)
            self.parses = plain and self.dataset.joins_like_parsing() and source.joins_rows()
        if self.parses:
            return self._parsed(size, drop)
        block = getattr(self.input, "next_block", None) if self.takes_blocks else None
        if block is not None:
            count, element = block(size)
            if count == 0 or (drop and count < size):
                raise StopIteration
            return element
        return self._joined(_rows(self.input, size, drop))

    def _joined(self, elements: list) -> list:
        return self.dataset.joined(elements)

    def _parsed(self, size: int, drop: bool) -> list:
        """A batch by one call of the input's function.

        What fails is tried again one by one, so that errors are those of an element.
        """
        source = self.input
        texts = _rows(source.input, size, drop)
        function = source.dataset.function
        try:
            return function(stack(texts))
        except errors.OpError:
            return self._joined([source.dataset.apply(e) for e in texts])

    def skip(self, count):
        size = self.dataset.size
        rows = self.input.skip(count * size)
        return rows // size + (not self.dataset.drop_remainder and rows % size > 0)


class Batch(DatasetValue):
    version = "V2"
    iterator: type = BatchIterator

    def joined(self, elements: list) -> list:
        """Elements as one."""
        return stack(elements)

    def joins_like_parsing(self) -> bool:
        """Whether `joined` puts tensors together as parsing ops do (`Op.joins_rows`)."""
        return True

    def get(self, index):
        source, first = self.inputs[0], index * self.size
        end = first + self.size if (size := source.cardinality()) < 0 else min(first + self.size, size)
        return self.joined([source.get(i) for i in range(first, end)])

    def __init__(self, source, size: int, drop_remainder: bool):
        if size <= 0:
            raise errors.InvalidArgumentError(None, None, "Batch size must be greater than zero.")
        self.inputs, self.size, self.drop_remainder = (source,), size, drop_remainder

    def batch_size(self):
        return self.size

    def cardinality(self):
        size = self.inputs[0].cardinality()
        if size < 0:
            return size
        return size // self.size + (not self.drop_remainder and size % self.size > 0)


class PaddedBatchIterator(DatasetIterator):
    def __next__(self):
        dataset = self.dataset
        elements = []
        for element in self.input:
            elements.append(element)
            if len(elements) == dataset.size:
                break
        if not elements or (dataset.drop_remainder and len(elements) < dataset.size):
            raise StopIteration
        return dataset.joined(elements)


class PaddedBatch(Batch):
    iterator = PaddedBatchIterator

    def __init__(self, source, size, shapes, padding, drop_remainder):
        super().__init__(source, size, drop_remainder)
        self.shapes, self.padding = shapes, padding

    def joined(self, elements):
        columns = zip(*elements, strict=True)
        parts = zip(columns, self.shapes, self.padding, strict=True)
        return [_pad(i, *part) for i, part in enumerate(parts)]


def _pad(component: int, values, wanted, padding):
    """The values of a component as one array, each padded at the end of its dimensions."""
    for value in values:
        if value.ndim != len(wanted):
            raise errors.InvalidArgumentError(
                None, None,
                f"All elements in a batch must have the same rank as the padded shape for component{component}: "
                f"expected rank {len(wanted)} but got element with rank {value.ndim}",
            )
    shape = [max(v.shape[d] for v in values) for d in range(len(wanted))]
    for d, size in enumerate(wanted):
        if size is not None and shape[d] > size:
            raise errors.DataLossError(None, None, "Attempted to pad to a smaller size than the input element.")
        shape[d] = shape[d] if size is None else size
    out = np.full((len(values), *shape), padding[()], values[0].dtype)
    for i, value in enumerate(values):
        inside: tuple = (i, *map(slice, value.shape), ...)  # of a scalar string, the string, not the array around it
        out[inside] = value
    return out


def rows_of(element) -> int:
    """The number of rows of a batched element."""
    if any(not c.shape for c in element):
        raise errors.InvalidArgumentError(None, None, "Input element must have a batch dimension in each component.")
    sizes = {c.shape[0] for c in element}
    if len(sizes) > 1:
        first, *_ = element
        other = next(c for c in element if c.shape[0] != first.shape[0])
        raise errors.InvalidArgumentError(
            None, None,
            f"Input element must have the same batch size in each component. Component 0 had size {first.shape[0]} "
            f"but component {[c is other for c in element].index(True)} had size, {other.shape[0]}.",
        )
    return sizes.pop()


class UnbatchIterator(DatasetIterator):
    saved = ("batch", "at", "count")
    batch: list | tuple = ()
    at = count = 0

    def __next__(self):
        while self.at >= self.count:
            self.batch = next(self.input)
            self.at, self.count = 0, rows_of(self.batch)
        self.at += 1
        return [row_of(c, self.at - 1) for c in self.batch]


class Unbatch(DatasetValue):
    iterator: type = UnbatchIterator

    def __init__(self, source, rows: int | None):
        self.inputs, self.rows = (source,), rows

    def cardinality(self):
        size = self.inputs[0].cardinality()
        if size < 0:
            return size
        return UNKNOWN if self.rows is None else size * self.rows


class RebatchIterator(DatasetIterator):
    """`rest` are rows not given out yet, as batched elements."""

    saved = ("rest", "turn", "ended")

    def __init__(self, dataset):
        super().__init__(dataset)
        self.rest: list = []
        self.turn = 0
        self.ended = False

    def __next__(self):
        sizes = self.dataset.sizes
        wanted = sizes[self.turn % len(sizes)]
        have = sum(rows_of(e) for e in self.rest)
        while have < wanted and not self.ended:
            try:
                self.rest.append(next(self.input))
                have += rows_of(self.rest[-1])
            except StopIteration:
                self.ended = True
        if not have and (self.ended or wanted) or (have < wanted and self.dataset.drop_remainder):
            raise StopIteration
        self.turn += 1
        joined = [np.concatenate([e[i] for e in self.rest]) for i in range(len(self.rest[0]))]
        self.rest = [[c[wanted:] for c in joined]] if have > wanted else []
        return [c[:wanted] for c in joined]


class Rebatch(DatasetValue):
    symbolic = False
    iterator: type = RebatchIterator

    def __init__(self, source, sizes: list, drop_remainder: bool, rows: int | None = None):
        if any(s <= 0 for s in sizes):
            raise errors.InvalidArgumentError(None, None, f"`batch_sizes` must be positive, got {sizes}.")
        self.inputs, self.sizes, self.drop_remainder, self.rows = (source,), sizes, drop_remainder, rows

    def cardinality(self):
        return UNKNOWN


class SplitIterator(DatasetIterator):
    """`rest` are the parts of the last element that are still to come."""

    saved = ("rest",)

    def __init__(self, dataset):
        super().__init__(dataset)
        self.rest: list = []

    def __next__(self):
        if not self.rest:
            element = next(self.input)
            rows, parts = rows_of(element), self.dataset.parts
            size = -(-rows // parts)
            self.rest = [[c[i * size : (i + 1) * size] for c in element] for i in range(parts)]
        return self.rest.pop(0)


class Split(DatasetValue):
    """Each batch as `parts` smaller ones; the last of them may be empty."""

    name = "Rebatch"
    iterator = SplitIterator

    def __init__(self, source, parts: int):
        if parts < 1:
            raise errors.InvalidArgumentError(None, None, "num_replicas must be greater than zero.")
        self.inputs, self.parts = (source,), parts

    def cardinality(self):
        count = self.inputs[0].cardinality()
        return count * self.parts if count > 0 else count


class WindowIterator(DatasetIterator):
    """`buffer` holds the elements from the start of the next window on."""

    saved = ("buffer", "gap", "ended")

    def __init__(self, dataset):
        super().__init__(dataset)
        self.buffer: list = []
        self.gap = 0  # input elements to drop before the next window begins
        self.ended = False

    def __next__(self):
        dataset = self.dataset
        span = (dataset.size - 1) * dataset.stride + 1
        while not self.ended and len(self.buffer) < span:
            try:
                element = next(self.input)
            except StopIteration:
                self.ended = True
                break
            if self.gap:
                self.gap -= 1
            else:
                self.buffer.append(element)
        if not self.buffer or (dataset.drop_remainder and len(self.buffer) < span):
            raise StopIteration
        window = self.buffer[: span : dataset.stride]
        self.gap = max(0, dataset.shift - len(self.buffer))
        self.buffer = self.buffer[dataset.shift :]
        widths = dataset.widths or [1] * len(window[0])
        starts = np.cumsum([0, *widths]).tolist()
        return [Listed([e[a : a + width] for e in window]) for a, width in zip(starts, widths, strict=False)]


class Window(DatasetValue):
    """Datasets of `size` elements each; one nested dataset for each tensor, which has `widths[i]` components (by
    default one)."""

    symbolic = False
    iterator = WindowIterator

    def __init__(self, source, size: int, shift: int, stride: int, drop_remainder: bool, widths: list | None = None):
        self.widths = widths
        for name, value in (("size", size), ("shift", shift), ("stride", stride)):
            if value <= 0:
                raise errors.InvalidArgumentError(None, None, f"Window {name} must be greater than zero.")
        self.inputs, self.size, self.shift, self.stride, self.drop_remainder = (
            (source,),
            size,
            shift,
            stride,
            drop_remainder,
        )

    def cardinality(self):
        size = self.inputs[0].cardinality()
        if size < 0:
            return size
        if self.drop_remainder:
            span = (self.size - 1) * self.stride + 1
            return 0 if size < span else (size - span) // self.shift + 1
        return -(-size // self.shift)
