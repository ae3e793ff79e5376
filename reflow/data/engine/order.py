"""Datasets that choose, repeat and arrange the elements of others, and pass them on unchanged."""

from __future__ import annotations

import numpy as np

from reflow.core import errors
from reflow.core.context import state
from reflow.core.logging import warn
from reflow.core.tensor import EagerTensor
from reflow.data.engine.values import (
    INFINITE,
    UNKNOWN,
    CountingIterator,
    DatasetIterator,
    DatasetValue,
    Listed,
    Unsized,
    for_all_passes,
)
from reflow.devices.placement import DeviceScope


class Pass(DatasetValue):
    """The same elements: options, and what only tunes."""

    passes_batches = True

    def __init__(self, source, serialized_options=None):
        self.inputs = (source,)
        self.serialized_options = serialized_options

    def label(self, of):
        return "" if type(self) is Pass else self.name

    def iterate(self):
        return self.inputs[0].iterate()

    def get(self, index):
        return self.inputs[0].get(index)


def _is_cpu_of_session(device: str) -> bool:
    """Whether the session that runs this step was given so many CPUs: all of them are the host."""
    kind, _, index = device.partition(":")
    return kind == "CPU" and int(index) < getattr(state.session, "cpus", 1)


class OnDeviceIterator(DatasetIterator):
    def __next__(self):
        element = next(self.input)
        if self.dataset.stays:
            return element
        with DeviceScope(self.dataset.device):  # so that the process places ops if this is not the first CPU
            return [self._copied(value) for value in element]

    def _copied(self, value):
        if type(value) is not np.ndarray or value.dtype == object:
            return value
        return state.backend.copy_to(EagerTensor(value), self.dataset.device)._value


class OnDevice(DatasetValue):
    """The same elements, copied to a device ("GPU:0")."""

    passes_batches = True
    iterator = OnDeviceIterator

    def __init__(self, source, device: str):
        self.inputs, self.device = (source,), device
        # asked here, in the session: it may be read by a thread that knows of none
        self.stays = _is_cpu_of_session(device)

    def get(self, index):
        return self.inputs[0].get(index)


class Counted(DatasetValue):
    """Elements of one dataset, as many as a count says."""

    passes_batches = True

    def __init__(self, source, count: int):
        self.inputs, self.count = (source,), count


class TakeIterator(CountingIterator):
    """Lets go of its input when it has given the last element: a generator is closed then."""

    def __next__(self):
        if self.dataset.count >= 0 and self.position >= self.dataset.count:
            self.input = None
            raise StopIteration
        element = next(self.input)
        self.position += 1
        return element

    def skip(self, count):
        left = count if self.dataset.count < 0 else min(count, max(0, self.dataset.count - self.position))
        done = self.input.skip(left) if self.input is not None else 0
        self.position += done
        return done


class Take(Counted):
    iterator = TakeIterator

    def label(self, of):
        return "EmptyTake" if self.count == 0 else "FiniteTake"

    def get(self, index):
        return self.inputs[0].get(index)

    def cardinality(self):
        size = self.inputs[0].cardinality()
        if size == UNKNOWN or self.count < 0:
            return size
        return self.count if size == INFINITE else min(size, self.count)


class SkipIterator(DatasetIterator):
    saved = ("skipped",)
    skipped = False

    def _begin(self):
        self.skipped = True
        if self.dataset.count < 0:
            self.input = Listed([]).iterate()
        self.input.skip(self.dataset.count)

    def __next__(self):
        if not self.skipped:
            self._begin()
        return next(self.input)

    def skip(self, count):
        if not self.skipped:
            self._begin()
        return self.input.skip(count)

    def state(self):
        return {"skipped": self.skipped, "input": self.input.state() if self.dataset.count >= 0 else {}}

    def restore(self, state):
        self.skipped = state["skipped"] and self.dataset.count >= 0
        if self.dataset.count >= 0:
            self.input.restore(state["input"])


class Skip(Counted):
    iterator = SkipIterator

    def label(self, of):
        return "EmptySkip" if self.count < 0 else "FiniteSkip"

    def get(self, index):
        return self.inputs[0].get(index + self.count)

    def cardinality(self):
        size = self.inputs[0].cardinality()
        if size < 0:
            return size
        return 0 if self.count < 0 else max(0, size - self.count)


class ShardIterator(CountingIterator):
    def __next__(self):
        while True:
            element = next(self.input)
            at = self.position
            self.position = at + 1
            if at % self.dataset.shards == self.dataset.index:
                return element


SHARD_HINT = -1  # a placeholder, replaced when the pipeline is distributed


class Shard(DatasetValue):
    passes_batches = True
    iterator = ShardIterator

    def __init__(self, source, shards: int, index: int):
        if shards <= 0 and shards != SHARD_HINT:
            raise errors.InvalidArgumentError(
                None, None, f"Number of shards must be greater than zero (currently num_shards = {shards})."
            )
        if not 0 <= index < shards and shards != SHARD_HINT:
            raise errors.InvalidArgumentError(
                None, None, f"Index must be between 0 and {shards - 1} (currently index = {index})."
            )
        self.inputs, self.shards, self.index = (source,), shards, index

    def iterate(self):
        if self.shards == SHARD_HINT:
            raise errors.FailedPreconditionError(
                None, None,
                "`tf.data.Dataset.shard(SHARD_HINT, ...)` can only be used in "
                "`tf.distribute.Strategy.experimental_distribute_dataset()` with "
                "`tf.data.experimental.AutoShardPolicy.HINT` policy, or tf.data service with "
                "`tf.data.experimental.service.ShardingPolicy.HINT` processing mode.",
            )
        return super().iterate()

    def get(self, index):
        return self.inputs[0].get(index * self.shards + self.index)

    def cardinality(self):
        size = self.inputs[0].cardinality()
        if self.shards == SHARD_HINT:
            return UNKNOWN
        return size if size < 0 else size // self.shards + (self.index < size % self.shards)


class RequiredShardIterator(ShardIterator):
    def __next__(self):
        first = self.position == 0
        element = super().__next__()
        if first:
            self._require_others()
        return element

    def _require_others(self) -> None:
        """Pass over an element for each of the shards behind this one."""
        found, shards = self.position, self.dataset.shards
        self.position += self.input.skip(shards - found)
        if self.position < shards:
            raise errors.InvalidArgumentError(None, None, RequiredShard.too_few(found, shards))


class RequiredShard(Shard):
    """A shard that must not be the only one with elements: it raises an error if not all have one."""

    name = "Shard"
    iterator = RequiredShardIterator

    @staticmethod
    def too_few(count: int, shards: int) -> str:
        return (
            f"Could not apply FILE based sharding: the dataset only has {count} file(s), which is not enough for the "
            f"required {shards} shards/workers. If you are using datasets with distribution strategy, consider setting "
            "the auto sharding policy to either DATA or OFF using the `experimental_distribute.auto_shard_policy` "
            "option of `tf.data.Options()`. Or, split your input files into a larger number of small files such that "
            "number of files is greater than number of shards/workers."
        )


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

    def skip(self, count):
        return min((part.skip(count) for part in self.parts), default=0)


class Joined(DatasetValue):
    """Several datasets as one."""

    passes_batches = True

    def label(self, of):
        return f"{self.name}[{of}]"


class Zip(Joined):
    iterator = ZipIterator

    def get(self, index):
        return [component for source in self.inputs for component in source.get(index)]

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
    at = 0

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


class Concatenate(Joined):
    iterator = ConcatenateIterator

    def get(self, index):
        first, second = self.inputs
        before = first.cardinality()
        return first.get(index) if before == INFINITE or index < before else second.get(index - before)

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
    when it needs it, a finite one ahead, also after its last pass. A shuffle that is fused with it is an exception.
    """

    saved = ("epoch", "seen")

    def __init__(self, dataset):
        self.dataset = dataset = for_all_passes(dataset)
        self.fused = isinstance(dataset, ShuffleAndRepeat)
        self.epoch = 0
        self.seen = False  # whether this pass gave an element: an empty dataset repeated forever is empty
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


class Repeat(Counted):
    iterator = RepeatIterator

    def label(self, of):
        return "EmptyRepeat" if self.count == 0 else f"{'Forever' if self.count < 0 else 'Finite'}Repeat[{of}]"

    def get(self, index):
        size = self.inputs[0].cardinality()
        return self.inputs[0].get(index if size < 0 else index % size)

    def cardinality(self):
        size = self.inputs[0].cardinality()
        if self.count < 0:
            return 0 if size == 0 else INFINITE
        return 0 if self.count == 0 else size if size < 0 else size * self.count


class ShuffleAndRepeat(Repeat):
    """Repeat of a shuffle, as one stage."""

    def label(self, of):
        return self.name


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


class Unique(Unsized):
    symbolic = False
    iterator = UniqueIterator

    def __init__(self, source):
        self.inputs = (source,)


class DirectedIterator(DatasetIterator):
    saved = ("alive",)
    children = ("selector", "parts")

    def __init__(self, dataset):
        super().__init__(dataset)
        self.selector, *self.parts = [d.iterate() for d in dataset.inputs]
        self.alive = [True] * len(self.parts)

    def __next__(self):
        while any(self.alive):
            (choice,) = next(self.selector)
            choice = int(choice)
            if not 0 <= choice < len(self.parts):
                raise errors.InvalidArgumentError(
                    None, None, f"Selector index out of range: {choice} >= {len(self.parts)}"
                )
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
    """Elements of several datasets, chosen by one of indices, which is the first input."""

    name = "DirectedInterleave"
    iterator = DirectedIterator

    def __init__(self, selector, choices, stop_on_empty: bool):
        self.inputs, self.stop_on_empty = (selector, *choices), stop_on_empty

    def label(self, of):
        return self.name if of == 0 else f"{self.name}[{of - 1}]"

    def cardinality(self):
        return INFINITE if any(choice.cardinality() == INFINITE for choice in self.inputs[1:]) else UNKNOWN


class CheckedIterator(CountingIterator):
    def __next__(self):
        expected = self.dataset.count
        try:
            element = next(self.input)
        except StopIteration:
            if self.position != expected:
                raise errors.FailedPreconditionError(
                    None, None,
                    f"Input dataset was expected to contain {_elements(expected)} but contained only "
                    f"{_elements(self.position)}.",
                ) from None
            raise
        self.position += 1
        if 0 <= expected < self.position:
            raise errors.FailedPreconditionError(
                None, None,
                f"Input dataset was expected to contain {_elements(expected)} but contained at least "
                f"{_elements(self.position)}.",
            )
        return element


def _elements(count: int) -> str:
    if count == INFINITE:
        return "an infinite number of elements"
    return f"{count} element{'' if count == 1 else 's'}"


class Checked(Counted):
    """`assert_cardinality`."""

    name = "AssertCardinality"
    iterator = CheckedIterator

    def cardinality(self):
        return self.count

    def get(self, index):
        return self.inputs[0].get(index)


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


class Ignoring(Unsized):
    """`ignore_errors`: elements whose computation failed are left out."""

    symbolic = False
    name = "IgnoreErrors"
    iterator = IgnoringIterator

    def __init__(self, source, log_warning: bool):
        self.inputs, self.log_warning = (source,), log_warning
