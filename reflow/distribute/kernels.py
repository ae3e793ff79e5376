"""The records of ops between processes: sums and gathers of tensors, and datasets that are sharded or end together.

Each runs on the host, between two programs, in the order of the program's text.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from reflow.core import errors
from reflow.data.engine.buffers import Prefetch, Shuffle
from reflow.data.engine.functions import FlatMap
from reflow.data.engine.interleave import Interleave
from reflow.data.engine.order import Pass, Shard
from reflow.data.engine.rewrites import resolve_shard_hints
from reflow.data.engine.values import DatasetIterator, DatasetValue, Unsized
from reflow.data.kernels.dataset import dataset_op
from reflow.data.options import AutoShardPolicy
from reflow.graph.func_graph import FuncGraph
from reflow.io.kernels.readers import Files
from reflow.ops import shape_rules as rules
from reflow.ops.registry import NO_GRADIENT, also_called, own_op

# --- exchanges --------------------------------------------------------------------------------------------------------


def _group():
    """The processes that this one has joined. JAX is loaded with them, so not before they are needed."""
    from reflow.distribute import processes

    group = processes.current()
    if group is None:
        raise errors.FailedPreconditionError(None, None, "This process has not joined any others.")
    return group


@own_op(
    "AllReduceSum", inputs="*values", outputs="*sums", attrs=("bytes_per_pack", "timeout_seconds"),
    shape=rules.same_all, grad=NO_GRADIENT, host=True, effect=True, jit="between", touches=("network",),
)
def all_reduce_sum(_, values, bytes_per_pack=0, timeout_seconds=None):
    narrow = [v.astype(np.uint8) if v.dtype == np.bool_ else v for v in map(np.asarray, values)]
    sums = _group().sum(narrow, bytes_per_pack, timeout_seconds)
    return tuple(s.astype(np.bool_) if v.dtype == np.bool_ else s for v, s in zip(values, sums, strict=True))


def _gathered_shape(f):
    dims = f.shapes[0]
    if dims is None:
        return [None]
    axis = f.attrs["axis"] % len(dims)
    return [(*dims[:axis], None, *dims[axis + 1 :])]


@own_op(
    "AllGatherProcesses", inputs="value", attrs=("axis",), shape=_gathered_shape, grad=NO_GRADIENT, host=True,
    effect=True, jit="between", touches=("network",),
)
def all_gather_processes(_, value, axis):
    return _group().concatenate(np.asarray(value), axis)


# --- files ----------------------------------------------------------------------------------------------------------


def _opens_files(value: DatasetValue) -> bool:
    """Whether a dataset calls a function that makes datasets of files."""
    return isinstance(value, (FlatMap, Interleave)) and _graph_opens_files(value.function.graph)


def _graph_opens_files(graph) -> bool:
    for node in graph.nodes:
        if not {"files", "assets"}.isdisjoint(node.record.touched(node.attrs)):
            return True
        if any(_graph_opens_files(inner) for inner in node.attrs.values() if isinstance(inner, FuncGraph)):
            return True
    return False


def reads_files(value: DatasetValue) -> bool:
    """Whether a dataset's elements come from files."""
    return isinstance(value, Files) or _opens_files(value) or any(map(reads_files, value.inputs))


def by_files(value: Any, shards: int, index: int) -> Any:
    """A dataset that reads every `shards`-th of its files."""
    changed = copy.copy(value)
    if isinstance(value, Files):
        _check_files(len(value.paths), shards)
        changed.paths, changed.starts = value.paths[index::shards], value.starts[index::shards]
    elif _opens_files(value):
        names = value.inputs[0].cardinality()
        if names >= 0:
            _check_files(names, shards)
        changed.inputs = (_dealt(value.inputs[0], shards, index), *value.inputs[1:])
    else:
        changed.inputs = tuple(by_files(source, shards, index) if reads_files(source) else source for source in value.inputs)
    return changed


def _dealt(names: DatasetValue, shards: int, index: int) -> DatasetValue:
    """Every `shards`-th of the names of files. They are dealt before they are shuffled: each process shuffles in its own order, so that of
    shuffled names some would be nobody's, and some several processes'."""
    if not isinstance(names, (Shuffle, Prefetch, Pass)):
        return Shard(names, shards, index)
    changed = copy.copy(names)
    changed.inputs = (_dealt(names.inputs[0], shards, index), *names.inputs[1:])
    return changed


def _check_files(count: int, shards: int) -> None:
    if count < shards:
        raise errors.InvalidArgumentError(
            None, None,
            f"Could not apply FILE based sharding: the dataset only has {count} file(s), which is not enough for the required "
            f"{shards} shards/workers. If you are using datasets with distribution strategy, consider setting the auto sharding "
            "policy to either DATA or OFF using the `experimental_distribute.auto_shard_policy` option of `tf.data.Options()`. Or, "
            "split your input files into a larger number of small files such that number of files is greater than number of "
            "shards/workers.",
        )


@own_op(
    "FileShardDataset", inputs="input_dataset", outputs="handle", attrs=("shards", "index"), shape=rules.scalar,
    grad=NO_GRADIENT, host=True,
)
def file_shard_dataset(_, input_dataset, shards, index):
    if not reads_files(input_dataset):
        raise errors.NotFoundError(None, None, "Found an unshardable source dataset: its elements do not come from files.")
    return by_files(input_dataset, shards, index)


@dataset_op("AutoShardDataset")
def auto_shard_dataset(_, input_dataset, num_workers, index, auto_shard_policy=0):
    """A worker's part of a dataset: some of its files, every n-th element, or what its own `shard` says."""
    shards, at = int(num_workers), int(index)
    if at < 0 or at >= shards:
        raise errors.InvalidArgumentError(None, None, f"index must be between 0 and {shards - 1}, but is {at}.")
    policy = AutoShardPolicy(auto_shard_policy)
    if policy is AutoShardPolicy.HINT:
        return Pass(resolve_shard_hints(input_dataset, shards, at))
    if policy is AutoShardPolicy.OFF or shards == 1:
        return Pass(input_dataset)
    if policy is AutoShardPolicy.FILE or policy is AutoShardPolicy.AUTO and reads_files(input_dataset):
        return file_shard_dataset.kernel(_, input_dataset, shards, at)
    return Shard(input_dataset, shards, at)


also_called("ExperimentalAutoShardDataset", auto_shard_dataset)


# --- the end --------------------------------------------------------------------------------------------------------


class AgreedIterator(DatasetIterator):
    """Asks the other processes before each element whether any of them has one."""

    def __next__(self):
        element = next(self.input, None)
        if not _group().sum([np.asarray(element is not None, np.int32)])[0]:
            raise StopIteration
        return list(self.dataset.empties) if element is None else element


class Agreed(Unsized):
    """The elements of a dataset, then `empties` while other processes still have elements."""

    iterator = AgreedIterator

    def __init__(self, source, empties):
        self.inputs, self.empties = (source,), empties


@own_op(
    "AgreedDataset", inputs="input_dataset *empties", outputs="handle", shape=rules.scalar, grad=NO_GRADIENT, host=True,
    touches=("network",),
)
def agreed_dataset(_, input_dataset, empties):
    return Agreed(input_dataset, empties)
