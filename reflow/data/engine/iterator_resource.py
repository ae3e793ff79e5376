"""The value of an iterator's resource tensor."""

from __future__ import annotations

import threading
from typing import Any

from reflow.core import dtypes, errors
from reflow.core.context import outside_all_scopes, state
from reflow.core.tensor import HostObject
from reflow.data.engine import error_context, symbolic
from reflow.data.engine.rewrites import prepared
from reflow.data.engine.values import DatasetIterator, DatasetValue, OptionalValue, observed


class IteratorResource(HostObject):
    """The value of an iterator's resource tensor: a dataset's iterator, made at the first read."""

    tensor_dtype = dtypes.resource

    def __init__(self):
        self.dataset: Any = None
        self.position: DatasetIterator | None = None
        self.symbolic = False  # whether positions are (`symbolic.py`)
        self.lock = threading.RLock()

    def start(self, dataset: DatasetValue):
        """Begin `dataset`."""
        dataset, settings = prepared(dataset)
        dataset = observed(dataset)
        with self.lock:
            self.dataset, self.position = dataset, dataset.iterate()
            self.symbolic = settings.experimental_symbolic_checkpoint
            if settings.experimental_warm_start:
                self.position.start_ahead()

    def _ready(self) -> DatasetIterator:
        if self.position is None:
            raise errors.FailedPreconditionError(
                None, None,
                "GetNext() failed because the iterator has not been initialized. Ensure that you have run the "
                "initializer operation for this iterator before getting the next element.",
            )
        return self.position

    def get_next(self) -> list:
        with self.lock:
            position = self._ready()
            try:
                return next(position) if state.strategy is None else _next_outside(position)
            except StopIteration:
                pass
            except errors.OpError as error:
                error_context.tell(error, self.dataset)
                raise
        raise errors.OutOfRangeError(None, None, "End of sequence")

    def get_next_as_optional(self) -> OptionalValue:
        with self.lock:
            position = self._ready()
            try:
                return OptionalValue(next(position) if state.strategy is None else _next_outside(position))
            except StopIteration:
                return OptionalValue()
            except errors.OpError as error:
                error_context.tell(error, self.dataset)
                raise

    def state(self) -> dict:
        """The position, with how many seeds the dataset's random parts gave away.

        Parts that have not begun need them.
        """
        with self.lock:
            if self.symbolic:
                symbolic.check(self._ready())
            position = self._ready().state()
            drawn = [g.drawn for g in seed_generators(self.dataset)]
            return {"position": position, "generators": drawn, "stages": stage_names(self.dataset)}

    def restore(self, state: dict):
        with self.lock:
            self._ready()
            if state.get("stages", names := stage_names(self.dataset)) != names:
                raise errors.NotFoundError(
                    None, None,
                    f"The position is one of a pipeline with the stages {state['stages']}, and this one has {names}. "
                    "Restoring the iterator failed. Make sure the dataset definition has not changed between the "
                    "process that saved the checkpoint and the process that is restoring it.",
                )
            position = self.dataset.iterate()
            position.restore(state["position"])
            for generator, drawn in zip(seed_generators(self.dataset), state["generators"], strict=True):
                generator.restore(drawn)
            self.position = position

    def __repr__(self):
        return f"<Iterator of {self.dataset!r}>"


def _next_outside(position: DatasetIterator) -> list:
    """The next element, where the Python functions of a pipeline see no strategy: TensorFlow calls them on other
    threads."""
    with outside_all_scopes():
        return next(position)


def stage_names(dataset: DatasetValue) -> list[str]:
    """The names of a dataset's stage and those that lead to it, which tell the positions of one pipeline."""
    own = [] if dataset.onlooker else [dataset.name]
    return own + [name for source in dataset.inputs for name in stage_names(source)]


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
