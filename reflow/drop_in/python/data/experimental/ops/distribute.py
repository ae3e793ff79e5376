"""`tensorflow.python.data.experimental.ops.distribute`.

A worker's part of a dataset, batches divided between replicas, and copies of a dataset on other devices.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from reflow.api import config
from reflow.api.math.elementwise import cast
from reflow.core import dtypes
from reflow.core.shapes import TensorShape
from reflow.data import structure
from reflow.data.base import int64
from reflow.data.dataset import DatasetV2
from reflow.data.options import ExternalStatePolicy
from reflow.ops.convert import constant, convert_to_tensor


def _AutoShardDataset(input_dataset: Any, num_workers: int, index: int, num_replicas: int | None = None) -> Any:
    """The part of a dataset that the worker with this index reads.

    Some of its files, or every n-th element, as its options say.
    """
    policy = int(input_dataset.options().experimental_distribute.auto_shard_policy)
    attrs = {"auto_shard_policy": policy, "num_replicas": num_replicas or 0}
    return input_dataset._then("AutoShardDataset", (int64(num_workers), int64(index)), attrs)


def _LegacyRebatchDataset(input_dataset: Any, num_replicas: int) -> Any:
    """Each batch in as many parts as there are replicas; the last of them may be empty."""

    def part(spec: Any) -> Any:
        shape = TensorShape(getattr(spec, "shape", None))
        if shape.rank == 0:
            raise ValueError(
                "Invalid `input_dataset`. Expected a dataset whose elements have rank >= 1 but found a dataset whose "
                "elements are scalars. Fix the issue by adding the `batch` transformation to the dataset."
            )
        size = shape[0] if shape.rank else None
        return spec._unbatch()._batch(size // num_replicas if size is not None and size % num_replicas == 0 else None)

    spec = structure.map_specs(part, input_dataset.element_spec)
    return input_dataset._then("RebatchDataset", (int64(num_replicas),), {}, spec)


def _RemoteDataset(graph_def: Any, device: str, element_spec: Any) -> Any:
    """The dataset of a serialized graph (`Dataset._as_serialized_graph`), made on a device."""
    with config.device(device):
        return DatasetV2._make("DatasetFromGraph", (graph_def,), element_spec, types=False)


def replicate(dataset: Any, devices: Sequence[str]) -> dict[str, Any]:
    """A copy of a dataset on each of the devices, by device."""
    if not isinstance(dataset, DatasetV2):
        raise TypeError(f"Invalid `dataset`. Expected a `tf.data.Dataset` object but got {type(dataset)}.")
    if list(devices) == [dataset._variant_tensor.device]:
        return {devices[0]: dataset}
    graph_def = dataset._as_serialized_graph(
        strip_device_assignment=True, external_state_policy=ExternalStatePolicy.WARN
    )
    return {device: _RemoteDataset(graph_def, device, dataset.element_spec) for device in devices}


def batch_sizes_for_worker(
    global_batch_size: Any, num_workers: int, num_replicas_per_worker: int, worker_index: int
) -> Any:
    """The sizes of the batches that a worker reads in turn, one for every replica of all workers.

    Their sum is `global_batch_size`, no two differ by more than one, and what all replicas read at once is
    `global_batch_size` too. An int64 tensor, for `Dataset.rebatch`.
    """
    parts = np.arange(num_workers * num_replicas_per_worker)
    mine = constant(np.roll(parts, -worker_index * num_replicas_per_worker), dtypes.int64)
    size = convert_to_tensor(global_batch_size, dtypes.int64)
    return cast(mine < size % len(parts), dtypes.int64) + size // len(parts)
