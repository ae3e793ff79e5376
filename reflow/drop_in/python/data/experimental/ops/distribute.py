"""`tensorflow.python.data.experimental.ops.distribute`.

A worker's part of a dataset, and batches divided between replicas.
"""

from typing import Any

from reflow.api import config
from reflow.core.shapes import TensorShape
from reflow.data import structure
from reflow.data.base import int64
from reflow.data.dataset import DatasetV2


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
