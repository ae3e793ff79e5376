"""The records of ops between processes: sums and gathers of tensors, and datasets that are sharded or end together.

Each runs on the host, between two programs, in the order of the program's text.
"""

from __future__ import annotations

import numpy as np

from reflow.core import errors
from reflow.data.engine.order import Pass
from reflow.data.engine.rewrites import resolve_shard_hints
from reflow.data.engine.values import DatasetIterator, Unsized
from reflow.data.kernels.dataset import dataset_op
from reflow.data.options import AutoShardPolicy
from reflow.distribute import auto_shard
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


# --- parts of datasets ----------------------------------------------------------------------------------------------


@own_op(
    "FileShardDataset", inputs="input_dataset", outputs="handle", attrs=("shards", "index"), shape=rules.scalar,
    grad=NO_GRADIENT, host=True,
)
def file_shard_dataset(_, input_dataset, shards, index):
    return auto_shard.by_files(input_dataset, shards, index)


@dataset_op("AutoShardDataset")
def auto_shard_dataset(_, input_dataset, num_workers, index, auto_shard_policy=0, num_replicas=0):
    """A worker's part of a dataset: some of its files, every n-th element, or what its own `shard` says."""
    shards, at = int(num_workers), int(index)
    if shards < 1:
        raise errors.InvalidArgumentError(None, None, "num_workers must be greater than zero.")
    if at < 0 or at >= shards:
        raise errors.InvalidArgumentError(None, None, f"index must be between 0 and {shards - 1}")
    policy = AutoShardPolicy(auto_shard_policy)
    if policy is AutoShardPolicy.HINT:
        return Pass(resolve_shard_hints(input_dataset, shards, at))
    if policy is AutoShardPolicy.OFF or shards == 1:
        return Pass(input_dataset)
    if policy is AutoShardPolicy.FILE or policy is AutoShardPolicy.AUTO and auto_shard.has_files(input_dataset):
        return Pass(auto_shard.by_files(input_dataset, shards, at))
    return Pass(auto_shard.by_data(input_dataset, shards, at, num_replicas))


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
