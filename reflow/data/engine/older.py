"""Datasets that only ops of older pipelines make: sliding windows, samples, one dataset read by several devices."""

from __future__ import annotations

import collections
import threading
import time

from reflow.core import dtypes, errors
from reflow.core.tensor import HostObject
from reflow.data.engine.batches import Window, WindowIterator, stack
from reflow.data.engine.buffers import SeedGenerator
from reflow.data.engine.order import Pass
from reflow.data.engine.values import DatasetIterator, DatasetValue, Unsized


class SlidingIterator(WindowIterator):
    def __next__(self):
        windows = super().__next__()
        return [stack(window.elements)[0] for window in windows]


class Sliding(Window):
    """Windows as batches: each component of an element is that of `size` elements of the input, stacked."""

    iterator = SlidingIterator


class SamplingIterator(DatasetIterator):
    saved = ("drawn",)
    drawn = 0

    def __init__(self, dataset):
        super().__init__(dataset)
        self.words = dataset.generator.words(*dataset.generator.next_seeds())

    def __next__(self):
        while True:
            element = next(self.input)
            self.drawn += 1
            if (next(self.words) & 0x7FFFFF) / 2**23 < self.dataset.rate:  # 23 bits: the mantissa of a float in [0, 1)
                return element

    def restore(self, state):
        super().restore(state)
        self.words.skip(self.drawn - self.words.position)


class Sampling(Unsized):
    """Each element with probability `rate`."""

    iterator = SamplingIterator

    def __init__(self, source, rate: float, generator: SeedGenerator):
        self.inputs, self.rate, self.generator = (source,), rate, generator


class SleepingIterator(DatasetIterator):
    def __next__(self):
        time.sleep(self.dataset.seconds)
        return next(self.input)


class Sleeping(Pass):
    """The same elements, each after a pause."""

    name = "Sleep"

    def __init__(self, source, seconds: float):
        super().__init__(source)
        self.seconds = seconds

    def iterate(self):
        return SleepingIterator(self)


class Seeds(HostObject):
    """The value of a seed generator's resource: datasets that share it draw from one stream."""

    tensor_dtype = dtypes.resource

    def __init__(self, generator: SeedGenerator):
        self.generator = generator


class Deleter(HostObject):
    """What a graph gives to the op that deletes a handle."""


class Position(HostObject):
    """Where an iterator was: what its `restore` takes."""

    __slots__ = ("state",)

    def __init__(self, state: dict):
        self.state = state


class Compressed(HostObject):
    """An element in one variant. It never leaves the process, so its components are kept as they are."""

    __slots__ = ("components",)

    def __init__(self, components: list):
        self.components = components


class MultiDeviceIterator(HostObject):
    """One dataset for several devices: element i is for the device with number i modulo their count (its *shard*).

    `incarnation` counts how often a dataset was begun. A reader names the one that it means, so that one of an earlier
    round is told.
    """

    tensor_dtype = dtypes.resource

    def __init__(self, devices: list[str]):
        self.devices = devices
        self.incarnation = 0
        self.position: DatasetIterator | None = None
        self.waiting: list[collections.deque] = []
        self.turn = 0
        self.lock = threading.Lock()

    def start(self, dataset: DatasetValue) -> int:
        with self.lock:
            self.position, self.turn = dataset.iterate(), 0
            self.waiting = [collections.deque() for _ in self.devices]
            self.incarnation += 1
            return self.incarnation

    def get_next(self, shard: int, incarnation: int) -> list:
        """The next element of a shard; those that come before it wait for theirs."""
        with self.lock:
            if incarnation != self.incarnation:
                raise errors.InvalidArgumentError(
                    None, None, f"Invalid incarnation id. Provided: {incarnation}; Expected: {self.incarnation}"
                )
            while not self.waiting[shard]:
                element = next(self.position, None)  # type: ignore[arg-type]
                if element is None:
                    raise errors.OutOfRangeError(None, None, "End of sequence")
                self.waiting[self.turn % len(self.devices)].append(element)
                self.turn += 1
            return self.waiting[shard].popleft()
