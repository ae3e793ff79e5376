"""`tensorflow.python.distribute.input_ops`: the part of a dataset that one of several processes reads."""

from __future__ import annotations

from typing import Any

from reflow.data.dataset import DatasetV2
from reflow.data.options import AutoShardPolicy
from reflow.ops.convert import convert_to_tensor


def auto_shard_dataset(dataset: Any, num_shards: Any, index: Any, num_replicas_in_sync: int | None = None) -> Any:
    """Some of a dataset's files, or every n-th element, as the dataset's `auto_shard_policy` says.
    `num_replicas_in_sync` becomes an attribute of the node, which TensorFlow reads where it divides batches."""
    policy = AutoShardPolicy(dataset.options().experimental_distribute.auto_shard_policy)
    if policy is AutoShardPolicy.OFF:
        return dataset
    numbers = [convert_to_tensor(n, "int64") for n in (num_shards, index)]
    return dataset._then(
        "AutoShardDataset", numbers, {"auto_shard_policy": int(policy), "num_replicas": num_replicas_in_sync or 0}
    )


def _clone_dataset(dataset: Any) -> Any:
    """A dataset with the same elements. Datasets never change, so both can share what is derived from them."""
    return DatasetV2(dataset._variant_tensor, dataset.element_spec, dataset._inputs())
