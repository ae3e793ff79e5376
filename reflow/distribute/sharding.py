"""Which part of a dataset a process reads: `tf.data.experimental.AutoShardPolicy`.

- `DATA`: every process reads everything and takes its part of each batch, so all have equally many steps.
- `FILE`: the files are dealt to the processes, and each reads its own in smaller batches.
- `OFF`: every process reads everything in smaller batches.
- `AUTO`: `FILE` where the data comes from files, else `DATA`.

Where processes may have different numbers of batches, they ask each other before every step (`Agreed`): one that has no more gets
empty batches until all have ended.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from reflow.core import dtypes, errors, nest
from reflow.data.dataset import DatasetV2
from reflow.data.engine.functions import FlatMap, Interleave
from reflow.data.engine.order import Shard
from reflow.data.engine.values import DatasetIterator, DatasetValue, Unsized
from reflow.data.options import AutoShardPolicy
from reflow.distribute import input as inputs
from reflow.distribute import processes
from reflow.graph.func_graph import FuncGraph
from reflow.io.kernels.readers import Files
from reflow.ops import shape_rules as rules
from reflow.ops.dispatch import run
from reflow.ops.registry import NO_GRADIENT, own_op


def distributed(dataset: DatasetV2, group: processes.Processes, local: int):
    """A dataset of batches as the steps of this process, which has `local` replicas."""
    policy = AutoShardPolicy(dataset.options().experimental_distribute.auto_shard_policy)
    value = dataset._variant_tensor._value
    if policy is AutoShardPolicy.AUTO:
        policy = AutoShardPolicy.FILE if reads_files(value) else AutoShardPolicy.DATA
    if policy is AutoShardPolicy.DATA:
        first = group.index * local
        return inputs.share_batches(dataset, group.count * local, range(first, first + local))
    if policy is AutoShardPolicy.FILE:
        variant = run(
            "Reflow>FileShardDataset", dataset._variant_tensor, shards=group.count, index=group.index, T_handle=dtypes.variant
        )
        dataset = DatasetV2(variant, dataset.element_spec, [dataset])
    size = value.batch_size()
    if size > 0:
        dataset = dataset.rebatch(batch_sizes(size, group.count, local, group.index))
    return dealt(dataset, local)


def dealt(dataset: DatasetV2, local: int):
    """The elements of a process' own dataset, dealt to its replicas, until all processes have come to the end."""
    steps = inputs.deal_elements(dataset, local)
    if processes.current() is None:
        return steps
    empties = [inputs.empty_of(spec) for spec in nest.flatten(steps.element_spec, expand_composites=True)]
    variant = run("Reflow>AgreedDataset", steps._variant_tensor, *empties, T_handle=dtypes.variant)
    return inputs.DistributedDataset(variant, steps.element_spec, [steps])


def batch_sizes(size: int, workers: int, replicas: int, index: int) -> list[int]:
    """The sizes of the batches that a process reads in turn, so that each step of all replicas together has `size` examples."""
    parts = workers * replicas
    sizes = [size // parts + (i < size % parts) for i in range(parts)]
    return sizes[index * replicas :] + sizes[: index * replicas]


# --- files ----------------------------------------------------------------------------------------------------------


def _opens_files(value: DatasetValue) -> bool:
    """Whether a dataset calls a function that makes datasets of files."""
    return isinstance(value, (FlatMap, Interleave)) and _graph_opens_files(value.function.graph)


def _graph_opens_files(graph) -> bool:
    for node in graph.nodes:
        if "files" in node.record.touched(node.attrs):
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
        changed.inputs = (Shard(value.inputs[0], shards, index), *value.inputs[1:])
    else:
        changed.inputs = tuple(by_files(source, shards, index) if reads_files(source) else source for source in value.inputs)
    return changed


def _check_files(count: int, shards: int) -> None:
    if count < shards:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Could not apply FILE based sharding: the dataset only has {count} file(s), which is not enough for the required "
            f"{shards} shards/workers. If you are using datasets with distribution strategy, consider setting the auto sharding "
            "policy to either DATA or OFF using the `experimental_distribute.auto_shard_policy` option of `tf.data.Options()`. Or, "
            "split your input files into a larger number of small files such that number of files is greater than number of "
            "shards/workers.",
        )


@own_op(
    "FileShardDataset",
    inputs="input_dataset",
    outputs="handle",
    attrs=("shards", "index"),
    shape=rules.scalar,
    grad=NO_GRADIENT,
    host=True,
)
def file_shard_dataset(_, input_dataset, shards, index):
    if not reads_files(input_dataset):
        raise errors.NotFoundError(None, None, "Found an unshardable source dataset: its elements do not come from files.")
    return by_files(input_dataset, shards, index)


# --- the end --------------------------------------------------------------------------------------------------------


class AgreedIterator(DatasetIterator):
    """Asks the other processes before each element whether any of them has one."""

    def __next__(self):
        element = next(self.input, None)
        group = processes.current()
        assert group is not None
        if not group.sum([np.asarray(element is not None, np.int32)])[0]:
            raise StopIteration
        return list(self.dataset.empties) if element is None else element


class Agreed(Unsized):
    """The elements of a dataset, then `empties` while other processes still have elements."""

    iterator = AgreedIterator

    def __init__(self, source, empties):
        self.inputs, self.empties = (source,), empties


@own_op(
    "AgreedDataset",
    inputs="input_dataset *empties",
    outputs="handle",
    shape=rules.scalar,
    grad=NO_GRADIENT,
    host=True,
    touches=("network",),
)
def agreed_dataset(_, input_dataset, empties):
    return Agreed(input_dataset, empties)
