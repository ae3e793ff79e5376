"""A worker's part of a pipeline: where TensorFlow's `AutoShardDataset` puts a `Shard`.

By files, it stands before the stage whose function opens them, and each worker reads every n-th file. The way back from
the last stage to that one may only lead through stages that neither mix elements nor depend on all of them; through
another stage, or at a source that is not made of files, there is no such part (NotFoundError). By data, it stands at
the end, before what only reads ahead.
"""

from __future__ import annotations

from typing import Any

from reflow.core import errors
from reflow.data.engine.assertions import AssertNext, AssertPrev
from reflow.data.engine.batches import Batch, Rebatch, Split, Unbatch, Window
from reflow.data.engine.buffers import Cache, CacheMemory, Prefetch, Shuffle
from reflow.data.engine.composites import CompositeRebatch
from reflow.data.engine.functions import Filter, FlatMap, Map, TakeWhile
from reflow.data.engine.interleave import Interleave
from reflow.data.engine.order import Checked, Concatenate, Pass, Repeat, RequiredShard, Shard, Skip, Take, Zip
from reflow.data.engine.snapshots import FileCache
from reflow.data.engine.values import DatasetValue, Generated, Range, Slices, Tensors
from reflow.graph.func_graph import FuncGraph
from reflow.io.kernels.readers import Files

_THROUGH = (
    AssertNext, AssertPrev, Batch, Cache, Checked, FileCache, Filter, FlatMap, Interleave, Map, Pass, Prefetch, Rebatch,
    Repeat, Shard, Shuffle, Skip, Split, Take, Unbatch, Window,
)  # fmt: skip
_SOURCES = (Generated, Range, Slices, Tensors)


def by_files(stage: DatasetValue, shards: int, index: int) -> DatasetValue:
    """The pipeline that reads every `shards`-th of the files. NotFoundError if there is no place for that."""
    if isinstance(stage, Files) and stage.by_file:
        return _with_files(stage, shards, index)
    if isinstance(stage, (Zip, Concatenate)):
        return stage.changed(inputs=tuple(by_files(source, shards, index) for source in stage.inputs))
    if isinstance(stage, (FlatMap, Interleave)):
        if _opens_files(stage) or any(isinstance(before, Map) and _opens_files(before) for before in _before(stage)):
            return stage.changed(inputs=(_dealt(stage.inputs[0], shards, index),))
        inner = next((before for before in _before(stage) if isinstance(before, FlatMap)), None)
        if inner is not None and _are_rows(_before(inner)[-1]):
            return _replaced(stage, inner, RequiredShard(inner, shards, index))
    if isinstance(stage, _SOURCES):
        raise errors.NotFoundError(None, None, f"Found an unshardable source dataset: {_op_name(stage)}")
    if not isinstance(stage, _THROUGH) or isinstance(stage, TakeWhile) or not stage.inputs:
        raise errors.NotFoundError(
            None, None, f"Did not find a shardable source, walked to a node which is not a dataset: {_op_name(stage)}"
        )
    source = by_files(stage.inputs[0], shards, index)
    if isinstance(stage, Checked):
        return source  # there are fewer elements now
    own = {"memory": CacheMemory()} if isinstance(stage, Cache) else {}
    return stage.changed(inputs=(source,), **own)


def has_files(stage: DatasetValue) -> bool:
    """Whether a pipeline can be divided by its files."""
    try:
        by_files(stage, 1, 0)
    except errors.NotFoundError:
        return False
    return True


def by_data(stage: DatasetValue, shards: int, index: int, replicas: int) -> DatasetValue:
    """Every `shards`-th element of the pipeline.

    A `rebatch` before it divides each batch by itself, into one part a replica.
    """
    if type(stage) is Pass or isinstance(stage, Prefetch):
        return stage.changed(inputs=(by_data(stage.inputs[0], shards, index, replicas),))
    if isinstance(stage, Rebatch) and not isinstance(stage, CompositeRebatch):
        if replicas < 1:
            raise errors.InvalidArgumentError(
                None, None,
                "Cannot rewrite RebatchDatasetV2 to legacy RebatchDataset with invalid num_replicas argument. "
                f"`num_replicas` is {replicas}, but expected to be >= 1.",
            )
        stage = Split(stage.inputs[0], replicas)
    return RequiredShard(stage, shards, index)


def _op_name(stage: DatasetValue) -> str:
    recipe = stage.recipe or getattr(stage.origin, "recipe", None)
    return recipe.op if recipe is not None else stage.name


def _with_files(stage: Any, shards: int, index: int) -> DatasetValue:
    if len(stage.paths) < shards:
        raise errors.InvalidArgumentError(None, None, RequiredShard.too_few(len(stage.paths), shards))
    return stage.changed(paths=stage.paths[index::shards], starts=stage.starts[index::shards])


def _opens_files(stage: Any) -> bool:
    return _graph_opens_files(stage.function.graph)


def _graph_opens_files(graph: Any) -> bool:
    """Whether a function makes datasets of files."""
    for node in graph.nodes:
        if not {"files", "assets"}.isdisjoint(node.record.touched(node.attrs)):
            return True
        if any(_graph_opens_files(inner) for inner in node.attrs.values() if isinstance(inner, FuncGraph)):
            return True
    return False


def _before(stage: DatasetValue) -> list[DatasetValue]:
    """The stages on the way back from a stage, as far as elements only pass through them."""
    found: list[DatasetValue] = []
    source = stage.inputs[0]
    while isinstance(source, _THROUGH) and source.inputs:
        found.append(source)
        if isinstance(source, (FlatMap, Interleave)):
            break
        source = source.inputs[0]
    return [*found, source]


def _are_rows(source: DatasetValue) -> bool:
    """Whether elements are those of a list that the program has: rows of tensors, or datasets."""
    return (
        isinstance(source, (Slices, Tensors)) or isinstance(source, Concatenate) and all(map(_are_rows, source.inputs))
    )


def _dealt(names: DatasetValue, shards: int, index: int) -> DatasetValue:
    """Every `shards`-th of the names of files. They are dealt before they are shuffled: each process shuffles in its
    own order, so that of shuffled names some would be nobody's, and some several processes'."""
    shuffle = (
        next((stage for stage in [names, *_before(names)] if isinstance(stage, Shuffle)), None) if names.inputs
        else None
    )
    if shuffle is None:
        return RequiredShard(names, shards, index)
    unshuffled = shuffle.inputs[0] if names is shuffle else _replaced(names, shuffle, shuffle.inputs[0])
    return shuffle.changed(inputs=(RequiredShard(unshuffled, shards, index),))


def _replaced(stage: DatasetValue, old: DatasetValue, new: DatasetValue) -> DatasetValue:
    """The pipeline up to a stage with another stage in place of one on the way."""
    source = stage.inputs[0]
    return stage.changed(inputs=(new if source is old else _replaced(source, old, new),))
