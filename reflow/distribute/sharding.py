"""Which part of a dataset each process reads: `tf.data.experimental.AutoShardPolicy`.

- `DATA`: every process reads everything and takes its part of each batch, so all have the same number of steps.
- `FILE`: the files are divided among the processes, and each reads its own in smaller batches.
- `HINT`: the program marks the place with `shard(tf.data.experimental.SHARD_HINT, …)`; batches are smaller too.
- `OFF`: every process reads everything in smaller batches.
- `AUTO`: `FILE` if the data comes from files, otherwise `DATA`.

If processes may have different numbers of batches, they consult each other before every step (`Agreed`): one that has
no more data gets empty batches until all have ended.
"""

from __future__ import annotations

from reflow.core import dtypes, nest
from reflow.data import structure
from reflow.data.dataset import DatasetV2
from reflow.data.options import AutoShardPolicy
from reflow.distribute import input as inputs
from reflow.distribute import processes
from reflow.distribute.auto_shard import has_files
from reflow.ops.convert import constant
from reflow.ops.dispatch import run


def distributed(dataset: DatasetV2, group: processes.Processes, local: int):
    """A dataset of batches as the steps of this process, which has `local` replicas."""
    policy = AutoShardPolicy(dataset.options().experimental_distribute.auto_shard_policy)
    value = dataset._variant_tensor._value
    if policy is AutoShardPolicy.AUTO:
        policy = AutoShardPolicy.FILE if has_files(value) else AutoShardPolicy.DATA
    if policy is AutoShardPolicy.DATA:
        first = group.index * local
        return inputs.share_batches(dataset, group.count * local, range(first, first + local))
    if policy in (AutoShardPolicy.FILE, AutoShardPolicy.HINT):
        where = constant(group.count, dtypes.int64), constant(group.index, dtypes.int64)
        attrs = structure.type_attrs(dataset.element_spec)
        variant = run("AutoShardDataset", dataset._variant_tensor, *where, auto_shard_policy=int(policy), **attrs)
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
    return DatasetV2(variant, steps.element_spec, [steps])


def batch_sizes(size: int, workers: int, replicas: int, index: int) -> list[int]:
    """The sizes of the batches that a process reads in turn: each step of all replicas together has `size` examples."""
    parts = workers * replicas
    sizes = [size // parts + (i < size % parts) for i in range(parts)]
    return sizes[index * replicas :] + sizes[: index * replicas]
