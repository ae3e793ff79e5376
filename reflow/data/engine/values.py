"""Datasets as values: the contents of a dataset's `variant` tensor and an iterator's `resource` tensor.

A `DatasetValue` is a node of a query tree. It knows its inputs and parameters, its cardinality, and how to start a
`DatasetIterator`. An *element* is a flat list of raw values (host arrays, or host objects for nested datasets and
optionals); nested structures exist only above, in `reflow/data`. A dataset is never changed; iterators hold all
positions.

Iterators are Python iterators over elements with two more methods: `state()` returns the position as plain data, and
`restore(state)` moves a new iterator of the same dataset there. Creating an iterator does no work: the first `next`
reads sources, starts threads and calls functions.

A *function* of a dataset is a pair of a `FuncGraph` and captured values: `Function(graph, captured)(element)`.
"""

from __future__ import annotations

import copy
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from reflow.core import dtypes, errors
from reflow.core.context import state
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
    output_shapes: list | None = None  # static shapes of the components, if they are requested
    passes_batches = False  # whether elements come out as large as they came in
    name: str  # what TensorFlow calls such a stage; by default the name of the class
    version = ""  # what follows the name where TensorFlow tells an iterator's path
    _origin: weakref.ref[DatasetValue] | None = None
    recipe: Any = None  # how it was made (`recipes.py`)
    symbolic = True  # whether an iterator of it can be saved in a symbolic checkpoint (`symbolic.py`)
    onlooker = False  # whether it only measures the stage that it reads
    hidden = False  # whether it is part of the stage that reads it, since a rewrite has fused the two (`rewrites.py`)

    def __init_subclass__(cls) -> None:
        if "name" not in vars(cls):
            cls.name = cls.__name__

    def label(self, of: int) -> str:
        """What TensorFlow calls an iterator of this stage, seen from input number `of`.

        Empty if it calls it nothing.
        """
        return "" if self.hidden else self.name

    def attributes(self) -> dict[str, Any]:
        """Attributes of the op that made it, as far as a stage keeps them."""
        return {}

    def changed(self, **attributes: Any) -> Any:
        """A copy of this stage with other attributes: its inputs, its name."""
        twin = object.__new__(type(self))  # a quarter of the time of `copy.copy`
        vars(twin).update(vars(self), **attributes)
        return twin.in_place_of(self)

    def in_place_of(self, stage: DatasetValue) -> DatasetValue:
        """Itself, with the other as its `origin`."""
        self._origin = stage._origin or weakref.ref(stage)
        return self

    @property
    def origin(self) -> DatasetValue | None:
        """The stage of the program that it stands for, if a rewrite made it.

        It lives without it, so that a stage may keep its rewrite.
        """
        return self._origin() if self._origin is not None else None

    def iterate(self) -> DatasetIterator:
        """A new iterator at the first element."""
        return self.iterator(self)

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()

    def batch_size(self) -> int:
        """How many rows an element has that `batch` made (the last one may have fewer); -1 if that is not known."""
        sizes = {i.batch_size() for i in self.inputs} if self.passes_batches else set()
        return sizes.pop() if len(sizes) == 1 else -1

    def get(self, index: int) -> list:
        """The element at an index, where that needs no others.

        `index` is below the cardinality (`element_at` checks it).
        """
        raise errors.UnimplementedError(
            None, None, f"Random access is not implemented for dataset {type(self).__name__}DatasetOp::Dataset"
        )

    def element_at(self, index: int) -> list:
        """`get` with the checks: the index, and that the number of elements is known."""
        size = self.cardinality()
        if type(self).get is DatasetValue.get:
            self.get(index)
        if size < 0:
            kind = "infinite" if size == INFINITE else "unknown"
            raise errors.FailedPreconditionError(
                None, None,
                f"Dataset of type {type(self).__name__}DatasetOp::Dataset has {kind} cardinality, which does not "
                "support random access.",
            )
        if index < 0 or 0 <= size <= index:
            raise errors.OutOfRangeError(None, None, f"Index out of range [0, {size}):{index}")
        return self.get(index)

    def __repr__(self):
        of = f" of {', '.join(map(repr, self.inputs))}" if self.inputs else ""
        return f"<{type(self).__name__}{of}>"


class Unsized(DatasetValue):
    """Base of datasets whose number of elements is known only when they have been iterated."""

    def cardinality(self) -> int:
        return UNKNOWN


def for_one_iterator(dataset: Any) -> Any:
    """A stage as one iterator uses it: a copy, if its functions contain random ops."""
    own = {}
    for name, value in vars(dataset).items():
        if isinstance(value, Function):
            function = value.for_iterator()
            if function is not value:
                own[name] = function
    if not own:
        return dataset
    dataset = copy.copy(dataset)
    vars(dataset).update(own)
    return dataset


def for_all_passes(dataset: Any) -> Any:
    """`for_one_iterator` of a stage and of all below it, for an iterator that passes over them several times."""
    inputs = tuple(map(for_all_passes, dataset.inputs))
    own = for_one_iterator(dataset)
    if all(new is old for new, old in zip(inputs, dataset.inputs, strict=True)):
        return own
    own = copy.copy(own)
    own.inputs = inputs
    return own


class DatasetIterator:
    """Base of all iterators.

    `saved` names the attributes that make up the position, `children` those that hold iterators of the inputs. A class
    attribute of the same name is an attribute's value at the first element.
    """

    saved: tuple[str, ...] = ()
    children: tuple[str, ...] = ("input",)
    refused: str | None = None  # why there is no symbolic position (`symbolic.py`)

    dataset: Any

    def __init__(self, dataset: DatasetValue):
        self.dataset = for_one_iterator(dataset)
        if self.children == ("input",):
            self.input = dataset.inputs[0].iterate()

    def __iter__(self):
        return self

    def __next__(self) -> list:
        raise NotImplementedError

    @property
    def in_memory(self) -> bool:
        """Whether there is a `next_block`, and reading elements ahead is unobservable."""
        return False

    def start_ahead(self) -> None:
        """Let threads that read ahead start now, before the first element is requested."""
        for name in self.children:
            child = getattr(self, name)
            for one in child if isinstance(child, list) else [child] if child is not None else []:
                one.start_ahead()

    def skip(self, count: int) -> int:
        """Pass over up to `count` elements; how many there were. Where the position is a number nothing is computed."""
        for done in range(count):
            if next(self, None) is None:
                return done
        return count

    def state(self) -> dict:
        """The position, as plain data that `restore` takes."""
        out = {name: _copied(getattr(self, name)) for name in self.saved}
        for name in self.children:
            child = getattr(self, name)
            out[name] = (
                None if child is None else [c.state() for c in child] if isinstance(child, list) else child.state()
            )
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


class CountingIterator(DatasetIterator):
    """An iterator whose position is how many elements it has passed."""

    saved = ("position",)
    position = 0


class IndexedIterator(CountingIterator):
    """An iterator of a source that knows its elements by their indices."""

    children = ()

    def skip(self, count):
        size = self.dataset.cardinality()
        done = count if size == INFINITE else max(0, min(count, size - self.position))
        self.position += done
        return done


def _copied(value):
    return list(value) if isinstance(value, list) else dict(value) if isinstance(value, dict) else value


class Function:
    """A traced function with the values it captured, on elements."""

    __slots__ = ("graph", "captured", "rewrite", "draws")

    def __init__(self, graph, captured, rewrite: Callable[[DatasetValue], DatasetValue] | None = None):
        self.graph, self.captured = graph, list(captured)
        self.rewrite = rewrite  # what is done to a dataset that the function gives, before it is read
        self.draws = True  # whether there may be random ops in it

    def for_iterator(self) -> Function:
        """What one iterator calls: as in TensorFlow, the function's random ops restart streams for each iterator.

        But not for those that an iterator makes itself, of the passes of a repetition or of datasets that it maps to.
        """
        if self.graph.has_own_random_state:
            return self
        graph = self.graph.with_fresh_random_state() if self.draws else self.graph
        self.draws = graph is not self.graph
        return Function(graph, self.captured, self.rewrite) if self.draws else self

    def __call__(self, element) -> list:
        # Interpreted, not compiled: elements are small and come in all shapes, and captured arrays (a whole training
        # set) would be handed over to each call of a program (3 ms for 47 MB).
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
        return int(self._only(element))

    def dataset(self, element) -> DatasetValue:
        """The function as one from elements to datasets."""
        found = self._only(element)
        return found if self.rewrite is None else self.rewrite(found)

    def _only(self, element) -> Any:
        try:
            return self(element)[0]
        except errors.OutOfRangeError as error:
            raise unexpected_end(error) from error


def unexpected_end(error: errors.OpError) -> errors.OpError:
    """The error for an OutOfRangeError of a function, which would otherwise end the dataset."""
    return errors.InternalError(
        None, None,
        "A function of the pipeline returned `OutOfRange`. This indicates an implementation error as `OutOfRange` "
        f"errors are not expected to be returned here. Original message: {error.message}"
    )


# --- sources --------------------------------------------------------------------------------------------------------


class RangeIterator(IndexedIterator):
    in_memory = True

    def __next__(self):
        numbers = self.dataset.numbers
        if self.position >= len(numbers):
            raise StopIteration
        value = numbers[self.position]
        self.position += 1
        return [np.array(value, self.dataset.np_dtype)]

    def next_block(self, count: int):
        """Up to `count` elements, stacked."""
        taken = self.dataset.numbers[self.position : self.position + count]
        self.position += len(taken)
        return len(taken), [np.arange(taken.start, taken.stop, taken.step, dtype=self.dataset.np_dtype)]


class Range(DatasetValue):
    """start, start + step, … up to but without stop."""

    iterator = RangeIterator

    def __init__(self, start: int, stop: int, step: int, np_dtype):
        if step == 0:
            raise errors.InvalidArgumentError(None, None, "step must be a non-zero integer.")
        self.numbers = range(start, stop, step)
        self.np_dtype = np_dtype

    def cardinality(self):
        return INFINITE if self.numbers.stop >= np.iinfo(np.int64).max else len(self.numbers)

    def get(self, index):
        return [np.array(self.numbers[index], self.np_dtype)]

    def rows(self, indices):
        return [
            np.asarray(self.numbers.start + np.asarray(indices, np.int64) * self.numbers.step).astype(self.np_dtype)
        ]


class TensorsIterator(DatasetIterator):
    saved = ("done",)
    children = ()
    done = False

    def __next__(self):
        if self.done:
            raise StopIteration
        self.done = True
        return self.dataset.components


class Tensors(DatasetValue):
    """One element."""

    name = "Tensor"
    iterator = TensorsIterator

    def __init__(self, components):
        self.components = list(components)

    def cardinality(self):
        return 1

    def get(self, index):
        return self.components


class SlicesIterator(IndexedIterator):
    in_memory = True

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

    name = "TensorSlice"
    iterator = SlicesIterator

    def __init__(self, components):
        self.components = list(components)
        if any(not c.shape for c in self.components):
            raise errors.InvalidArgumentError(None, None, "Unbatching a tensor is only supported for rank >= 1")
        lengths = [c.shape[0] for c in self.components]
        for length in lengths[1:]:
            if length != lengths[0]:
                raise errors.InvalidArgumentError(
                    None, None, "Dimensions " + str(lengths[0]) + " and " + str(length) + " are not compatible"
                )
        self.length = lengths[0] if lengths else 0

    def cardinality(self):
        return self.length

    def get(self, index):
        return [c[index, ...] for c in self.components]

    def rows(self, indices):
        return [c.take(indices, axis=0) for c in self.components]


class ListedIterator(IndexedIterator):
    def __next__(self):
        if self.position >= len(self.dataset.elements):
            raise StopIteration
        self.position += 1
        return self.dataset.elements[self.position - 1]


class Listed(DatasetValue):
    """Elements held in a list: windows, and groups."""

    name = "List"
    iterator = ListedIterator

    def __init__(self, elements):
        self.elements = elements

    def cardinality(self):
        return len(self.elements)

    def get(self, index):
        return self.elements[index]


class GeneratedIterator(DatasetIterator):
    saved = ("count",)
    children = ()
    count = 0
    source = None

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


class Generated(Unsized):
    """Elements of a Python iterator; `start()` makes a new one that yields flat elements. `functions` are those of a
    graph that make the elements; `calls_python` if a user's generator does."""

    name = "Generator"
    iterator = GeneratedIterator

    def __init__(self, start, functions: tuple = (), calls_python: bool = False):
        self.start, self.functions, self.calls_python = start, functions, calls_python


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


# --- what resource and variant tensors hold -------------------------------------------------------------------------


class OptionalValue(HostObject):
    """An element, or none."""

    __slots__ = ("element",)

    def __init__(self, element=None):
        self.element = element

    def __repr__(self):
        return "<Optional without a value>" if self.element is None else f"<Optional of {len(self.element)} components>"


#: observers of datasets that are about to be read, which may replace them (`reflow explain`)
WATCHERS: list[Callable[[DatasetValue], DatasetValue]] = []


def observed(dataset: DatasetValue) -> DatasetValue:
    """What is read in the place of a dataset: itself, or what an observer made of it."""
    for watch in WATCHERS:
        dataset = watch(dataset)
    return dataset


class Dummy(HostObject):
    """A handle that means "none": seed generators and caches that belong to their dataset."""

    tensor_dtype = dtypes.resource
    recipe: Any = None
