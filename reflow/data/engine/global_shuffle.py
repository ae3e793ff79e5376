"""`global_shuffle`: all elements in random order, by random access.

Nothing is held back: the stages before it must give elements by index.
"""

from __future__ import annotations

from reflow.core import errors
from reflow.data.engine.batches import Batch, PaddedBatch
from reflow.data.engine.buffers import SeedGenerator, Shuffle, permutation
from reflow.data.engine.order import Repeat
from reflow.data.engine.values import DatasetIterator, DatasetValue


class GlobalShuffleIterator(DatasetIterator):
    saved = ("seeds", "position")
    children = ()
    position = 0
    order: list[int] | None = None

    def __init__(self, dataset):
        self.dataset = dataset
        self.seeds = dataset.generator.next_seeds()

    def __next__(self):
        source = self.dataset.inputs[0]
        if self.order is None:
            self.order = permutation(self.dataset.generator.words(*self.seeds), source.cardinality())
        if self.position >= len(self.order):
            raise StopIteration
        self.position += 1
        return source.get(self.order[self.position - 1])

    def restore(self, state):
        super().restore(state)
        self.seeds, self.order = tuple(self.seeds), None


class GlobalShuffle(DatasetValue):
    passes_batches = True
    iterator = GlobalShuffleIterator

    def __init__(self, source: DatasetValue, generator: SeedGenerator):
        refusal = _refusal(source)
        if refusal is not None:
            raise errors.FailedPreconditionError(
                None, None,
                "`global_shuffle` requires all upstream transformations be compatible with random access. Got: "
                f"FAILED_PRECONDITION: {refusal}",
            )
        size = source.cardinality()
        if size <= 0:
            raise errors.InvalidArgumentError(
                None, None,
                "`global_shuffle` requires the input dataset to have a non-empty finite cardinality. Got cardinality "
                f"{size} for dataset {source!r}",
            )
        self.inputs, self.generator = (source,), generator


def _refusal(stage: DatasetValue) -> str | None:
    """Why the elements of a pipeline are not known by their indices, if they are not."""
    name = stage.recipe.op if stage.recipe is not None else f"{stage.name}Dataset"
    if isinstance(stage, Repeat) and stage.count < 0:
        return "`repeat(-1)` does not support random access of tf.data datasets."
    if isinstance(stage, Batch) and not isinstance(stage, PaddedBatch):
        if not stage.drop_remainder:
            return f"{name} does not support global shuffling with `drop_remainder=False`."
    elif isinstance(stage, (PaddedBatch, Shuffle)) or type(stage).get is DatasetValue.get:
        return f"{name} does not support random access."
    return next((why for why in map(_refusal, stage.inputs) if why is not None), None)
