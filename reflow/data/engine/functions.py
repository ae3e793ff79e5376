"""Datasets that call functions on elements: map, filter, flat_map, scan.

Functions are `Function` objects (`values.py`). A function that runs out of range while it computes an element
is an error of the function, except where TensorFlow lets it end the dataset (`preserve_cardinality` false).
"""

from __future__ import annotations

import functools
from typing import Any

from reflow.core import errors
from reflow.data.engine import vectorized
from reflow.data.engine.batch_memory import Spare
from reflow.data.engine.error_context import note, note_outer
from reflow.data.engine.parallel_calls import ParallelFilterIterator, ParallelMapIterator
from reflow.data.engine.symbolic import refusal
from reflow.data.engine.values import (
    AUTOTUNE,
    UNKNOWN,
    DatasetIterator,
    DatasetValue,
    Function,
    Unsized,
    unexpected_end,
)
from reflow.devices import cores
from reflow.graph.clone import graphs_in

BLOCK = 64  # elements that a filter tests at once


class MapIterator(DatasetIterator):
    in_turn = True  # the function is called when its element is wanted, never ahead

    def __next__(self):
        return self.dataset.apply(next(self.input))

    @functools.cached_property
    def next_block(self):
        """Returns up to this many elements, stacked; None if the function must be called on each."""
        function = self.dataset.function
        return (
            functools.partial(vectorized.next_block, self.input, function) if vectorized.vectorizes(function) else None
        )

    @property
    def in_memory(self) -> bool:
        return self.input.in_memory and self.next_block is not None


class Map(DatasetValue):
    """The function of each element. A *synchronous* one is never called ahead."""

    iterator = MapIterator

    def __init__(self, source, function: Function, preserve_cardinality: bool = True, synchronous: bool = False):
        self.inputs, self.function, self.preserve_cardinality = (source,), function, preserve_cardinality
        self.synchronous = synchronous

    def cardinality(self):
        return self.inputs[0].cardinality() if self.preserve_cardinality else UNKNOWN

    def joins_rows(self) -> bool:
        """Whether the function, called on a batch of strings, gives the batch of what it gives each: it only parses."""
        graph = self.function.graph
        if len(graph.inputs) != 1 + len(self.function.captured) or not graph.outputs:
            return False
        makers = {id(t.op): t.op for t in graph.outputs}
        (node, *others) = makers.values()
        if others or not node.record.joins_rows or node.inputs[0] is not graph.inputs[0]:
            return False
        return all(n is node or not n.inputs for n in graph.nodes)

    @property
    def rows(self):
        """Gives the elements at many indices, stacked, which a shuffle draws.

        None if they are not known by their indices, or may fail.
        """
        rows = getattr(self.inputs[0], "rows", None)
        if (
            rows is None or self.cardinality() < 0
            or not (vectorized.vectorizes(self.function) and vectorized.cannot_fail(self.function))
        ):
            return None
        return lambda indices: vectorized.applied(self.function, rows(indices))

    def get(self, index):
        return self.apply(self.inputs[0].get(index))

    def apply(self, element):
        try:
            return self.function(element)
        except errors.OutOfRangeError as error:
            if not self.preserve_cardinality:
                raise StopIteration from None
            raise _produced_end(error) from error
        except errors.OpError as error:
            note(error, self)
            raise


def _produced_end(error: errors.OpError) -> errors.OpError:
    return errors.InvalidArgumentError(None, None, f"Function invocation produced OutOfRangeError: {error.message}")


class Pooled:
    """Part of a stage that calls its function ahead. Threads are used where it waits or leaves Python's lock; elsewhere
    they only cost."""

    workers: int
    overlaps: bool
    deterministic = "true"  # "false": what is ready first comes first; "default": as the options say

    def _use_threads(self, function: Function, calls: int):
        self.calls = calls
        self.workers = calls if calls > 0 else cores.AVAILABLE
        self.overlaps = self.workers > 1 and _overlaps(function.graph)

    @property
    def ordered(self) -> bool:
        return self.deterministic != "false"


def _overlaps(graph: Any) -> bool:
    """Whether a graph, or one that it runs, has an op that is worth a thread."""
    nodes = getattr(graph, "nodes", ())
    return any(
        node.record.overlaps or node.record.has_functions and any(map(_overlaps, graphs_in(node.attrs)))
        for node in nodes
    )


class ParallelMap(Map, Pooled):
    """Map with `num_parallel_calls`."""

    version = "V2"

    def __init__(self, source, function, calls: int, preserve_cardinality: bool = True, deterministic: str = "default"):
        super().__init__(source, function, preserve_cardinality)
        self.deterministic, self.spare = deterministic, Spare()
        self._use_threads(function, calls)

    def attributes(self):
        return {"deterministic": self.deterministic, "preserve_cardinality": self.preserve_cardinality}

    def iterate(self):
        return ParallelMapIterator(self) if self.overlaps else MapIterator(self)

    def apply_in_pool(self, element):
        try:
            return self.apply(element)
        except StopIteration:  # not an exception a future can carry
            return None


class FilterIterator(DatasetIterator):
    """Elements that lie in memory are tested many at a time.

    `passed` waits to be given, `untested` for a test of each, since one failed.
    """

    saved = ("passed", "untested")

    def __init__(self, dataset):
        super().__init__(dataset)
        self.passed: list = []  # both with the next element at the end
        self.untested: list = []

    @functools.cached_property
    def looks_ahead(self) -> bool:
        return self.input.in_memory and vectorized.vectorizes(self.dataset.function)

    def __next__(self):
        passes = self.dataset.passes
        while not self.passed:
            if self.untested or not self.looks_ahead:
                element = self.untested.pop() if self.untested else next(self.input)
                if passes(element):
                    return element
            elif not self._test_block():
                raise StopIteration
        return self.passed.pop()

    def _test_block(self) -> bool:
        """Test the next elements; False if there are none."""
        count, rows = self.input.next_block(BLOCK)
        verdicts = vectorized.of_rows(self.dataset.function, rows) if count else None
        chosen = range(count) if verdicts is None else verdicts[0].nonzero()[0].tolist()
        elements = [[c[i, ...] for c in rows] for i in reversed(chosen)]
        if verdicts is None:
            self.untested = elements
        else:
            self.passed = elements
        return count > 0


class Filter(Unsized):
    passes_batches = True
    iterator: type = FilterIterator

    def __init__(self, source, function: Function):
        self.inputs, self.function = (source,), function

    def passes(self, element) -> bool:
        try:
            return self.function.test(element)
        except errors.OutOfRangeError as error:
            raise unexpected_end(error) from error
        except errors.OpError as error:
            note(error, self)
            raise


class Both(Function):
    """Two predicates as one: an element must pass both."""

    __slots__ = ("second",)

    def __init__(self, first: Function, second: Function):
        super().__init__(first.graph, first.captured)
        self.second = second

    def test(self, element) -> bool:
        return super().test(element) and self.second.test(element)


class ParallelFilter(Filter, Pooled):
    """Filter whose predicate is called ahead."""

    def __init__(self, source, function: Function, calls: int = AUTOTUNE):
        super().__init__(source, function)
        self._use_threads(function, calls)

    def iterate(self):
        return ParallelFilterIterator(self) if self.overlaps else FilterIterator(self)

    def passes(self, element) -> bool:
        try:
            return self.function.test(element)
        except errors.OutOfRangeError as error:
            raise _produced_end(error) from error

    def apply_in_pool(self, element):
        return element, self.passes(element)


class TakeWhileIterator(DatasetIterator):
    saved = ("done",)
    done = False

    def __next__(self):
        if not self.done:
            element = next(self.input)
            if self.dataset.passes(element):
                return element
            self.done = True
        raise StopIteration


class TakeWhile(Filter):
    passes_batches = False
    iterator = TakeWhileIterator


class ScanIterator(DatasetIterator):
    saved = ("held",)

    def __init__(self, dataset):
        super().__init__(dataset)
        self.held = list(dataset.initial)

    def __next__(self):
        element = next(self.input)
        try:
            out = self.dataset.function([*self.held, *element])
        except errors.OutOfRangeError as error:
            raise _produced_end(error) from error
        count = len(self.dataset.initial)
        self.held = list(out[:count])
        return out[count:]


class Scan(DatasetValue):
    """A function of a state and an element gives the next state and an element."""

    iterator = ScanIterator

    def __init__(self, source, initial, function: Function, preserve_cardinality: bool = True):
        self.inputs, self.initial, self.function = (source,), list(initial), function
        self.preserve_cardinality = preserve_cardinality

    def cardinality(self):
        return self.inputs[0].cardinality() if self.preserve_cardinality else UNKNOWN


class FlatMapIterator(DatasetIterator):
    """`element` is the input element whose dataset `inner` reads.

    `before` where the input was before it, in symbolic positions.
    """

    def __init__(self, dataset):
        super().__init__(dataset)
        self.element: Any = None
        self.inner: Any = None
        self.before: dict | None = None

    def _open(self, element):
        self.element = element
        try:
            self.inner = self.dataset.function.dataset(element).iterate()
        except errors.OpError as error:
            note(error, self.dataset)
            raise

    def __next__(self):
        while True:
            if self.inner is None:
                self.before = self.input.state() if self.dataset.rereads else None
                self._open(next(self.input))
            try:
                return next(self.inner)
            except StopIteration:
                if self.dataset.rereads:
                    self.refused = refusal(self.inner) or self.refused
                self.inner = self.element = None
            except errors.OpError as error:
                note_outer(error, self.dataset)
                raise

    def state(self):
        kept = {"element": self.element} if self.before is None or self.inner is None else {"before": self.before}
        return {"input": self.input.state(), "inner": self.inner and self.inner.state(), **kept}

    def restore(self, state):
        self.element = self.inner = None
        self.before = state.get("before")
        if state["inner"] is not None:
            self._open(reread(self.input, self.before) if self.before is not None else state["element"])
            self.inner.restore(state["inner"])
        self.input.restore(state["input"])


def reread(source: DatasetIterator, before: dict) -> list:
    """The element that an iterator gave at a position."""
    source.restore(before)
    return next(source)


class FlatMap(Unsized):
    iterator = FlatMapIterator
    count = UNKNOWN  # the number of elements, if it has been counted
    rereads = False  # whether saved positions have no elements: a restored one reads them again (`symbolic.py`)

    def __init__(self, source, function: Function):
        self.inputs, self.function = (source,), function

    def cardinality(self):
        return self.count

    def counted(self) -> int:
        """The elements of the datasets for all elements of the input; UNKNOWN or INFINITE if one of them says so."""
        total = 0
        for element in self.inputs[0].iterate():
            size = self.function.dataset(element).cardinality()
            if size < 0:
                return size
            total += size
        return total
