"""Datasets as values: what a dataset's `variant` tensor and an iterator's `resource` tensor hold.

A `DatasetValue` is a node of a query tree. It knows its inputs and parameters, its cardinality, and how to start a
`DatasetIterator`. An *element* is a flat list of raw values (host arrays, or host objects for nested datasets and
optionals); nested structures exist only above, in `reflow/data`. A dataset is never changed; iterators hold all positions.

Iterators are Python iterators over elements with two more methods: `state()` is the position as plain data, and
`restore(state)` puts a fresh iterator of the same dataset there. Making an iterator does no work: sources are read, threads
started and functions called by the first `next`.

A *function* of a dataset is a pair of a `FuncGraph` and captured values: `Function(graph, captured)(element)`.
"""

from __future__ import annotations

import threading

import numpy as np

from reflow.core import dtypes, errors
from reflow.core.context import state
from reflow.core.logging import warn
from reflow.core.tensor import HostObject

INFINITE = -1
UNKNOWN = -2
AUTOTUNE = -1


def shape_text(shape) -> str:
    return "[" + ",".join("?" if d is None else str(d) for d in shape) + "]"


class DatasetValue(HostObject):
    """Base of all datasets. Subclasses set `iterator`, the class of their iterators, and `cardinality`."""

    iterator: type
    inputs: tuple = ()
    output_shapes: list | None = None  # static shapes of the components, where somebody asks for them

    def iterate(self) -> DatasetIterator:
        """A new iterator at the first element."""
        return self.iterator(self)

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()

    def __repr__(self):
        of = f" of {', '.join(map(repr, self.inputs))}" if self.inputs else ""
        return f"<{type(self).__name__}{of}>"


class DatasetIterator:
    """Base of all iterators.

    `saved` names the attributes that make up the position, `children` those that hold iterators of the inputs.
    """

    saved: tuple[str, ...] = ()
    children: tuple[str, ...] = ("input",)

    def __init__(self, dataset: DatasetValue):
        self.dataset = dataset
        if self.children == ("input",):
            self.input = dataset.inputs[0].iterate()

    def __iter__(self):
        return self

    def __next__(self) -> list:
        raise NotImplementedError

    def state(self) -> dict:
        """The position, as plain data that `restore` takes."""
        out = {name: _copied(getattr(self, name)) for name in self.saved}
        for name in self.children:
            child = getattr(self, name)
            out[name] = None if child is None else [c.state() for c in child] if isinstance(child, list) else child.state()
        return out

    def restore(self, state: dict):
        """Go to a position that an iterator of the same dataset was at."""
        for name in self.saved:
            setattr(self, name, _copied(state[name]))
        for name in self.children:
            self.restore_child(name, state[name])

    def restore_child(self, name: str, state):
        if state is None:
            setattr(self, name, None)
            return
        child = getattr(self, name)
        if isinstance(child, list):
            for one, part in zip(child, state, strict=True):
                one.restore(part)
        else:
            child.restore(state)


def _copied(value):
    return list(value) if isinstance(value, list) else dict(value) if isinstance(value, dict) else value


class Function:
    """A traced function with the values it captured, on elements."""

    __slots__ = ("graph", "captured")

    def __init__(self, graph, captured):
        self.graph, self.captured = graph, list(captured)

    def __call__(self, element) -> list:
        # Interpreted, not compiled: elements are small and come in all shapes, and captured arrays (a whole training set) would
        # be handed over to each call of a program (3 ms for 47 MB).
        outer, state.interpreting = state.interpreting, True
        try:
            return self.graph.run([*element, *self.captured])
        finally:
            state.interpreting = outer

    def test(self, element) -> bool:
        """The function as a predicate."""
        value = self(element)[0]
        return bool(value)

    def number(self, element) -> int:
        return int(self(element)[0])

    def dataset(self, element) -> DatasetValue:
        """The function as one from elements to datasets."""
        return self(element)[0]


# --- sources --------------------------------------------------------------------------------------------------------


class RangeIterator(DatasetIterator):
    saved = ("position",)
    children = ()

    def __init__(self, dataset):
        super().__init__(dataset)
        self.position = 0

    def __next__(self):
        numbers = self.dataset.numbers
        if self.position >= len(numbers):
            raise StopIteration
        value = numbers[self.position]
        self.position += 1
        return [np.array(value, self.dataset.np_dtype)]

    def next_block(self, count: int):
        """Up to `count` elements, stacked."""
        taken = self.dataset.numbers[self.position: self.position + count]
        self.position += len(taken)
        return len(taken), [np.arange(taken.start, taken.stop, taken.step, self.dataset.np_dtype)]


class Range(DatasetValue):
    """start, start + step, … up to but without stop."""

    iterator = RangeIterator

    def __init__(self, start: int, stop: int, step: int, np_dtype):
        if step == 0:
            raise errors.InvalidArgumentError(None, None, "step must be a non-zero integer.")
        self.numbers = range(start, stop, step)
        self.np_dtype = np_dtype

    def cardinality(self):
        return len(self.numbers)

    def rows(self, indices):
        return [np.asarray(self.numbers.start + np.asarray(indices, np.int64) * self.numbers.step).astype(self.np_dtype)]


class TensorsIterator(DatasetIterator):
    saved = ("done",)
    children = ()

    def __init__(self, dataset):
        super().__init__(dataset)
        self.done = False

    def __next__(self):
        if self.done:
            raise StopIteration
        self.done = True
        return self.dataset.components


class Tensors(DatasetValue):
    """One element."""

    iterator = TensorsIterator

    def __init__(self, components):
        self.components = list(components)

    def cardinality(self):
        return 1


class SlicesIterator(DatasetIterator):
    saved = ("position",)
    children = ()

    def __init__(self, dataset):
        super().__init__(dataset)
        self.position = 0

    def __next__(self):
        i = self.position
        if i >= self.dataset.length:
            raise StopIteration
        self.position = i + 1
        return [c[i, ...] for c in self.dataset.components]

    def next_block(self, count: int):
        """Up to `count` elements, stacked: views of the source."""
        start = self.position
        stop = min(start + count, self.dataset.length)
        self.position = stop
        return stop - start, [c[start:stop] for c in self.dataset.components]


class Slices(DatasetValue):
    """The rows of arrays of one length. `components[i][k]` is component i of element k."""

    iterator = SlicesIterator

    def __init__(self, components):
        self.components = list(components)
        if any(not c.shape for c in self.components):
            raise errors.InvalidArgumentError(None, None, "Unbatching a tensor is only supported for rank >= 1")
        lengths = [c.shape[0] for c in self.components]
        for length in lengths[1:]:
            if length != lengths[0]:
                raise errors.InvalidArgumentError(
                    None, None, "Dimensions " + str(lengths[0]) + " and " + str(length) + " are not compatible")
        self.length = lengths[0] if lengths else 0

    def cardinality(self):
        return self.length

    def rows(self, indices):
        return [c[indices] for c in self.components]


class ListedIterator(SlicesIterator):
    def __next__(self):
        if self.position >= len(self.dataset.elements):
            raise StopIteration
        self.position += 1
        return self.dataset.elements[self.position - 1]

    next_block = None


class Listed(DatasetValue):
    """Elements held in a list: windows, and groups."""

    iterator = ListedIterator

    def __init__(self, elements):
        self.elements = elements

    def cardinality(self):
        return len(self.elements)


class GeneratedIterator(DatasetIterator):
    saved = ("count",)
    children = ()

    def __init__(self, dataset):
        super().__init__(dataset)
        self.count = 0
        self.source = None

    def __next__(self):
        if self.source is None:
            self.source = self.dataset.start()
        element = next(self.source)
        self.count += 1
        return element

    def restore(self, state):
        super().restore(state)
        self.source = self.dataset.start()
        for _ in range(self.count):
            next(self.source)


class Generated(DatasetValue):
    """Elements of a Python iterator; `start()` makes a new one that yields flat elements."""

    iterator = GeneratedIterator

    def __init__(self, start):
        self.start = start

    def cardinality(self):
        return UNKNOWN


def run_generator(init: Function, step: Function, finalize: Function, init_args):
    """`GeneratorDataset`: call `step` on what `init` returned until it is out of range."""
    held = init(init_args)
    try:
        while True:
            try:
                element = step(held)
            except errors.OutOfRangeError:
                return
            yield element
    finally:
        finalize(held)


# --- transformations that pass elements on --------------------------------------------------------------------------


class Pass(DatasetValue):
    """The same elements: options, and what only tunes."""

    def __init__(self, source, serialized_options=None):
        self.inputs = (source,)
        self.serialized_options = serialized_options

    def iterate(self):
        return self.inputs[0].iterate()


class TakeIterator(DatasetIterator):
    saved = ("position",)

    def __init__(self, dataset):
        super().__init__(dataset)
        self.position = 0

    def __next__(self):
        if self.dataset.count >= 0 and self.position >= self.dataset.count:
            raise StopIteration
        element = next(self.input)
        self.position += 1
        return element


class Take(DatasetValue):
    iterator = TakeIterator

    def __init__(self, source, count: int):
        self.inputs, self.count = (source,), count

    def cardinality(self):
        size = self.inputs[0].cardinality()
        if size == UNKNOWN or self.count < 0:
            return size
        return self.count if size == INFINITE else min(size, self.count)


class SkipIterator(DatasetIterator):
    saved = ("skipped",)

    def __init__(self, dataset):
        super().__init__(dataset)
        self.skipped = False

    def __next__(self):
        if not self.skipped:
            self.skipped = True
            if self.dataset.count < 0:
                self.input = iter(())
            for _ in range(self.dataset.count):
                next(self.input)
        return next(self.input)

    def state(self):
        return {"skipped": self.skipped, "input": self.input.state() if self.dataset.count >= 0 else {}}

    def restore(self, state):
        self.skipped = state["skipped"] and self.dataset.count >= 0
        if self.dataset.count >= 0:
            self.input.restore(state["input"])


class Skip(DatasetValue):
    iterator = SkipIterator

    def __init__(self, source, count: int):
        self.inputs, self.count = (source,), count

    def cardinality(self):
        size = self.inputs[0].cardinality()
        if size < 0:
            return size
        return 0 if self.count < 0 else max(0, size - self.count)


class ShardIterator(DatasetIterator):
    saved = ("position",)

    def __init__(self, dataset):
        super().__init__(dataset)
        self.position = 0

    def __next__(self):
        while True:
            element = next(self.input)
            at = self.position
            self.position = at + 1
            if at % self.dataset.shards == self.dataset.index:
                return element


class Shard(DatasetValue):
    iterator = ShardIterator

    def __init__(self, source, shards: int, index: int):
        if shards <= 0:
            raise errors.InvalidArgumentError(None, None, "Number of shards must be greater than zero (currently "
                                                          f"num_shards = {shards}).")
        if not 0 <= index < shards:
            raise errors.InvalidArgumentError(
                None, None, f"Index must be between 0 and {shards - 1} (currently index = {index}).")
        self.inputs, self.shards, self.index = (source,), shards, index

    def cardinality(self):
        size = self.inputs[0].cardinality()
        return size if size < 0 else size // self.shards + (self.index < size % self.shards)


class ZipIterator(DatasetIterator):
    children = ("parts",)

    def __init__(self, dataset):
        super().__init__(dataset)
        self.parts = [d.iterate() for d in dataset.inputs]

    def __next__(self):
        element = []
        for part in self.parts:
            element += next(part)
        return element


class Zip(DatasetValue):
    iterator = ZipIterator

    def __init__(self, sources):
        self.inputs = tuple(sources)

    def cardinality(self):
        result = INFINITE
        for source in self.inputs:
            size = source.cardinality()
            if size == UNKNOWN:
                return UNKNOWN
            if size != INFINITE and (result == INFINITE or size < result):
                result = size
        return result


class ConcatenateIterator(DatasetIterator):
    saved = ("at",)

    def __init__(self, dataset):
        super().__init__(dataset)
        self.at = 0

    def __next__(self):
        while True:
            try:
                return next(self.input)
            except StopIteration:
                if self.at + 1 >= len(self.dataset.inputs):
                    raise
                self.at += 1
                self.input = self.dataset.inputs[self.at].iterate()

    def restore(self, state):
        self.at = state["at"]
        self.input = self.dataset.inputs[self.at].iterate()
        self.input.restore(state["input"])


class Concatenate(DatasetValue):
    iterator = ConcatenateIterator

    def __init__(self, first, second):
        self.inputs = (first, second)

    def cardinality(self):
        sizes = [d.cardinality() for d in self.inputs]
        if INFINITE in sizes:
            return INFINITE
        return UNKNOWN if UNKNOWN in sizes else sum(sizes)


class RepeatIterator(DatasetIterator):
    """Passes over the input, each by an iterator of its own.

    When TensorFlow makes those iterators shows in the seeds that a shuffle below draws: an endless repetition makes one
    when it needs it, a finite one ahead, also after its last pass. A shuffle just below is an exception: TensorFlow fuses
    the two.
    """

    saved = ("epoch", "seen")

    def __init__(self, dataset):
        self.dataset = dataset
        self.fused = getattr(dataset.inputs[0], "fuses_with_repeat", False)
        self.epoch = 0
        self.seen = False  # whether this pass gave an element: an empty dataset repeated for ever is empty
        self.input = self._start() if dataset.count >= 0 or self.fused else None

    def _start(self):
        return self.dataset.inputs[0].iterate()

    def __next__(self):
        count = self.dataset.count
        while count < 0 or self.epoch < count:
            if self.input is None:
                self.input = self._start()
            try:
                element = next(self.input)
                self.seen = True
                return element
            except StopIteration:
                if count < 0 and not self.seen:
                    raise
                self.epoch += 1
                self.seen = False
                self.input = self._start() if count >= 0 and not self.fused else None
        raise StopIteration

    def restore_child(self, name, state):
        self.input = None if state is None else self._start()
        if state is not None:
            self.input.restore(state)


class Repeat(DatasetValue):
    iterator = RepeatIterator

    def __init__(self, source, count: int):
        self.inputs, self.count = (source,), count

    def cardinality(self):
        size = self.inputs[0].cardinality()
        if self.count < 0:
            return 0 if size == 0 else INFINITE
        return 0 if self.count == 0 else size if size < 0 else size * self.count


class UniqueIterator(DatasetIterator):
    saved = ("seen",)

    def __init__(self, dataset):
        super().__init__(dataset)
        self.seen: dict = {}

    def __next__(self):
        while True:
            element = next(self.input)
            value = element[0]
            key = (value.shape, tuple(value.ravel()) if value.dtype == object else value.tobytes())
            if key not in self.seen:
                self.seen[key] = True
                return element


class Unique(DatasetValue):
    iterator = UniqueIterator

    def __init__(self, source):
        self.inputs = (source,)

    def cardinality(self):
        return UNKNOWN


class DirectedIterator(DatasetIterator):
    saved = ("alive",)
    children = ("selector", "parts")

    def __init__(self, dataset):
        super().__init__(dataset)
        self.selector = dataset.selector.iterate()
        self.parts = [d.iterate() for d in dataset.choices]
        self.alive = [True] * len(self.parts)

    def __next__(self):
        while any(self.alive):
            (choice,) = next(self.selector)
            choice = int(choice)
            if not 0 <= choice < len(self.parts):
                raise errors.InvalidArgumentError(
                    None, None, f"Selector index out of range: {choice} >= {len(self.parts)}")
            if self.alive[choice]:
                try:
                    return next(self.parts[choice])
                except StopIteration:
                    self.alive[choice] = False
                    if self.dataset.stop_on_empty:
                        break
        self.alive = [False] * len(self.parts)
        raise StopIteration


class Directed(DatasetValue):
    """Elements of several datasets, chosen by one of indices."""

    iterator = DirectedIterator

    def __init__(self, selector, choices, stop_on_empty: bool):
        self.selector, self.choices, self.stop_on_empty = selector, list(choices), stop_on_empty
        self.inputs = (selector, *self.choices)

    def cardinality(self):
        sizes = [d.cardinality() for d in self.choices]
        if self.stop_on_empty:
            return INFINITE if all(s == INFINITE for s in sizes) else UNKNOWN
        return INFINITE if INFINITE in sizes else UNKNOWN


class CheckedIterator(DatasetIterator):
    saved = ("position",)

    def __init__(self, dataset):
        super().__init__(dataset)
        self.position = 0

    def __next__(self):
        expected = self.dataset.count
        try:
            element = next(self.input)
        except StopIteration:
            if self.position != expected:
                raise errors.FailedPreconditionError(
                    None, None, f"Input dataset was expected to contain {_elements(expected)} but contained only "
                    f"{_elements(self.position)}.") from None
            raise
        self.position += 1
        if 0 <= expected < self.position:
            raise errors.FailedPreconditionError(
                None, None, f"Input dataset was expected to contain {_elements(expected)} but contained at least "
                f"{_elements(self.position)}.")
        return element


def _elements(count: int) -> str:
    if count == INFINITE:
        return "an infinite number of elements"
    return f"{count} element{'' if count == 1 else 's'}"


class Checked(DatasetValue):
    """`assert_cardinality`."""

    iterator = CheckedIterator

    def __init__(self, source, count: int):
        self.inputs, self.count = (source,), count

    def cardinality(self):
        return self.count


class IgnoringIterator(DatasetIterator):
    def __next__(self):
        while True:
            try:
                return next(self.input)
            except errors.OutOfRangeError:
                raise StopIteration from None
            except (errors.OpError, ValueError, TypeError) as error:
                if self.dataset.log_warning:
                    warn("Error raised with error message %s", error)


class Ignoring(DatasetValue):
    """`ignore_errors`: elements whose computation failed are left out."""

    iterator = IgnoringIterator

    def __init__(self, source, log_warning: bool):
        self.inputs, self.log_warning = (source,), log_warning

    def cardinality(self):
        return UNKNOWN


# --- what resource and variant tensors hold -------------------------------------------------------------------------


class OptionalValue(HostObject):
    """An element, or none."""

    __slots__ = ("element",)

    def __init__(self, element=None):
        self.element = element

    def __repr__(self):
        return "<Optional without a value>" if self.element is None else f"<Optional of {len(self.element)} components>"


class IteratorResource(HostObject):
    """The value of an iterator's resource tensor: a dataset's iterator, made at the first read."""

    tensor_dtype = dtypes.resource

    def __init__(self):
        self.dataset: DatasetValue | None = None
        self.position: DatasetIterator | None = None
        self.lock = threading.RLock()

    def start(self, dataset: DatasetValue):
        """Begin `dataset`."""
        with self.lock:
            self.dataset, self.position = dataset, dataset.iterate()

    def _ready(self) -> DatasetIterator:
        if self.position is None:
            raise errors.FailedPreconditionError(
                None, None, "GetNext() failed because the iterator has not been initialized. Ensure that you have run the "
                            "initializer "
                "operation for this iterator before getting the next element.")
        return self.position

    def get_next(self) -> list:
        with self.lock:
            position = self._ready()
            try:
                return next(position)
            except StopIteration:
                pass
        raise errors.OutOfRangeError(None, None, "End of sequence")

    def get_next_as_optional(self) -> OptionalValue:
        with self.lock:
            position = self._ready()
            try:
                return OptionalValue(next(position))
            except StopIteration:
                return OptionalValue()

    def state(self) -> dict:
        """The position, with how many seeds the dataset's random parts gave away: parts that have not begun need them."""
        with self.lock:
            position = self._ready().state()
            return {"position": position, "generators": [g.drawn for g in seed_generators(self.dataset)]}

    def restore(self, state: dict):
        with self.lock:
            self._ready()
            position = self.dataset.iterate()
            position.restore(state["position"])
            for generator, drawn in zip(seed_generators(self.dataset), state["generators"], strict=True):
                generator.restore(drawn)
            self.position = position

    def __repr__(self):
        return f"<Iterator of {self.dataset!r}>"


def seed_generators(dataset: DatasetValue) -> list:
    """The seed generators of a dataset and its inputs, each once, in order."""
    found: dict = {}
    waiting = [dataset]
    while waiting:
        node = waiting.pop()
        if hasattr(node, "generator"):
            found[id(node.generator)] = node.generator
        waiting.extend(node.inputs)
    return list(found.values())


class Dummy(HostObject):
    """A handle that stands for "none": seed generators and caches that belong to their dataset."""

    tensor_dtype = dtypes.resource
