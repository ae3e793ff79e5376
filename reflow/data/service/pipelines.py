"""Sends pipelines to another process: as SavedModels, packed into one byte string.

`encode` recreates a dataset (`reflow/data/engine/recipes.py`) inside a function, which is saved; `decode` loads and
calls it.
"""

from __future__ import annotations

import io
import os
import tempfile
import zipfile
from typing import Any

from reflow.core import errors
from reflow.data.engine.recipes import made_again
from reflow.data.engine.values import DatasetIterator, DatasetValue
from reflow.function.function import function


def encode(dataset) -> bytes:
    """A dataset as bytes."""
    from reflow.eager.module import Module
    from reflow.saved_model.saving import save

    module: Any = Module()
    module.make = function(lambda: made_again(dataset._variant_tensor._value, {}), input_signature=[])
    packed = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder:
        save(module, folder)
        with zipfile.ZipFile(packed, "w") as archive:
            for base, _, names in os.walk(folder):
                for name in names:
                    path = os.path.join(base, name)
                    archive.write(path, os.path.relpath(path, folder))
    return packed.getvalue()


def decode(data: bytes) -> DatasetValue:
    """The engine's dataset that `encode` was given."""
    from reflow.saved_model.loading import load

    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            archive.extractall(folder)  # ours rejects paths outside of the folder
        return load(folder).make()._value


# --- a part of a pipeline ---------------------------------------------------------------------------------------------


class SplitIterator(DatasetIterator):
    children = ()

    def __init__(self, dataset):
        self.dataset = dataset

    def __next__(self):
        index = self.dataset.next_index()
        if index is None:
            raise StopIteration
        return self.dataset.source.get(index)


class Split(DatasetValue):
    """The elements of a source whose indices are assigned by a dispatcher.

    `next_index()` returns one, or None at the end.
    """

    iterator = SplitIterator

    def __init__(self, source: DatasetValue, next_index):
        self.source, self.next_index = source, next_index

    def cardinality(self):
        return -2


def source_of(dataset: DatasetValue) -> DatasetValue:
    """The one source of a pipeline, whose elements can be read by their index."""
    sources: dict[int, DatasetValue] = {}
    waiting = [dataset]
    while waiting:
        node = waiting.pop()
        waiting += node.inputs
        if not node.inputs:
            sources[id(node)] = node
    found = list(sources.values())
    if len(found) != 1 or type(found[0]).get is DatasetValue.get or found[0].cardinality() < 0:
        raise errors.UnimplementedError(
            None, None,
            "The elements of this pipeline cannot be divided between workers: it must have one source, of known size. "
            "Use ShardingPolicy.OFF, or shard it yourself.",
        )
    return found[0]


def with_source(dataset: DatasetValue, old: DatasetValue, new: DatasetValue) -> DatasetValue:
    """The pipeline with another source."""
    if dataset is old:
        return new
    return dataset.changed(inputs=tuple(with_source(part, old, new) for part in dataset.inputs))
