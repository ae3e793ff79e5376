"""Datasets that group elements by a key."""

from __future__ import annotations

from typing import Any

import numpy as np

from reflow.core import errors
from reflow.data.engine.values import INFINITE, UNKNOWN, DatasetIterator, Function, Listed, Unsized


class GroupByWindowIterator(DatasetIterator):
    """`groups` maps a key to its elements so far, `sizes` to its window's size.

    `current` is the group being given out.
    """

    def __init__(self, dataset):
        super().__init__(dataset)
        self.groups: dict = {}
        self.sizes: dict = {}
        self.ended = False
        self.inner: Any = None
        self.current: Any = None  # (key, elements) and its reduced dataset's iterator

    def __next__(self):
        while True:
            if self.inner is not None:
                try:
                    return next(self.inner)
                except StopIteration:
                    self.inner = self.current = None
            if not self.ended:
                try:
                    self._collect(next(self.input))
                except StopIteration:
                    self.ended = True
            elif self.groups:
                key = min(self.groups)  # TensorFlow keeps the rest in a map ordered by key
                self._open(key, self.groups.pop(key))
            else:
                raise StopIteration

    def _collect(self, element):
        dataset = self.dataset
        key = dataset.key.number(element)
        size = self.sizes.get(key)
        if size is None:
            size = dataset.size.number([np.array(key, np.int64)])
            if size <= 0:
                raise errors.InvalidArgumentError(None, None, f"Window size must be greater than zero, but got {size}.")
            self.sizes[key] = size
        group = self.groups.setdefault(key, [])
        group.append(element)
        if len(group) == size:
            self._open(key, self.groups.pop(key))

    def _open(self, key, elements):
        self.current = (key, elements)
        self.inner = self.dataset.reduce.dataset([np.array(key, np.int64), Listed(elements)]).iterate()

    def state(self):
        return {
            "input": self.input.state(),
            "groups": {k: list(v) for k, v in self.groups.items()},
            "sizes": dict(self.sizes),
            "ended": self.ended,
            "current": self.current,
            "inner": self.inner and self.inner.state(),
        }

    def restore(self, state):
        self.input.restore(state["input"])
        self.groups = {k: list(v) for k, v in state["groups"].items()}
        self.sizes, self.ended = dict(state["sizes"]), state["ended"]
        self.current = self.inner = None
        if state["inner"] is not None:
            self._open(*state["current"])
            self.inner.restore(state["inner"])


class GroupByWindow(Unsized):
    symbolic = False
    iterator = GroupByWindowIterator

    def __init__(self, source, key: Function, reduce: Function, size: Function):
        self.inputs, self.key, self.reduce, self.size = (source,), key, reduce, size

    def cardinality(self) -> int:
        return INFINITE if self.inputs[0].cardinality() == INFINITE else UNKNOWN


class GroupByReducerIterator(DatasetIterator):
    """Reads the whole input at the first element.

    `states` are the reduced states by key, `position` how many were given.
    """

    saved = ("states", "position")
    position = 0

    def __init__(self, dataset):
        super().__init__(dataset)
        self.states: dict | None = None

    def __next__(self):
        dataset = self.dataset
        if self.states is None:
            states: dict = {}
            for element in self.input:
                key = dataset.key.number(element)
                if key not in states:
                    states[key] = dataset.init([np.array(key, np.int64)])
                states[key] = dataset.reduce([*states[key], *element])
            self.states = states
        if self.position >= len(self.states):
            raise StopIteration
        self.position += 1
        return dataset.finalize(list(self.states.values())[self.position - 1])


class GroupByReducer(Unsized):
    """One element for each key: `finalize` of the state that `reduce` made of `init` and the elements."""

    symbolic = False
    iterator = GroupByReducerIterator

    def __init__(self, source, key: Function, init: Function, reduce: Function, finalize: Function):
        self.inputs, self.key, self.init, self.reduce, self.finalize = (source,), key, init, reduce, finalize
