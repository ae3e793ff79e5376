"""`tensorflow.python.distribute.input_util`: datasets distributed to given devices."""

from collections.abc import Callable, Sequence
from typing import Any

from reflow.compat.distribute.iterators import InputWorkers
from reflow.data.dataset import DatasetV2
from reflow.distribute import input as inputs
from reflow.distribute.strategy import Strategy
from reflow.distribute.values import InputContext, InputReplicationMode
from reflow.drop_in.python.data.experimental.ops.distribute import _AutoShardDataset, _LegacyRebatchDataset


def get_distributed_dataset(
    dataset: DatasetV2, input_workers: InputWorkers, strategy: Strategy, num_replicas_in_sync: int | None = None,
    input_context: InputContext | None = None, options: Any = None, build: bool = True,
    replica_order: Sequence[int] | None = None,
) -> inputs.DistributedDataset:
    """A dataset whose elements go to the devices of the worker in turn.

    With `num_replicas_in_sync`, each batch is divided into as many parts first. With `input_context`, the worker reads
    its part of the dataset. `options` and `build` say when and where TensorFlow's runtime fetches elements.
    """
    part = dataset
    if num_replicas_in_sync is not None and num_replicas_in_sync > 1:
        part = _LegacyRebatchDataset(part, num_replicas_in_sync)
    if input_context is not None:
        workers, index = input_context.num_input_pipelines, input_context.input_pipeline_id
        part = _AutoShardDataset(part, workers, index, num_replicas_in_sync)
    return inputs.DistributedDataset(_steps(part, input_workers, replica_order), dataset)


def get_distributed_datasets_from_function(
    dataset_fn: Callable[[InputContext], DatasetV2], input_workers: InputWorkers,
    input_contexts: Sequence[InputContext], strategy: Strategy, options: Any = None, build: bool = True,
    replica_order: Sequence[int] | None = None,
) -> inputs.DistributedDatasetsFromFunction:
    """The dataset that a function makes for the worker; its elements go to the devices in turn.

    Raises:
      ValueError: The options contradict each other, or there is not one context for each worker.
    """
    if options is not None and options.experimental_place_dataset_on_device:
        if options.experimental_replication_mode is not InputReplicationMode.PER_REPLICA:
            raise ValueError(
                "When `experimental_place_dataset_on_device` is set for dataset placement, you must also specify "
                "`PER_REPLICA` for the replication mode"
            )
        if options.experimental_fetch_to_device:
            raise ValueError(
                "`experimental_place_dataset_on_device` can not be set to True when experimental_fetch_to_device is "
                "True and replication mode is set to `PER_REPLICA`"
            )
    if input_workers.num_workers != len(input_contexts):
        raise ValueError(
            f"Number of input workers ({input_workers.num_workers}) is not same as number of input_contexts "
            f"({len(input_contexts)})"
        )
    dataset = dataset_fn(input_contexts[0])
    return inputs.DistributedDatasetsFromFunction(_steps(dataset, input_workers, replica_order), dataset)


def _steps(dataset: DatasetV2, workers: InputWorkers, order: Sequence[int] | None) -> DatasetV2:
    """The elements of a dataset, dealt to the devices of the worker in an order."""
    return inputs.deal_elements(dataset, len(workers.compute_devices_for_worker(0)), order)
