"""Version 1 iterators over a strategy's input: created from a dataset or a function, and started by an op in graphs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from reflow.api.export import export
from reflow.compat.data_iterators import make_initializable_iterator
from reflow.core.context import state
from reflow.core.properties import read_only
from reflow.data.dataset import DatasetV2
from reflow.distribute.strategy import Strategy
from reflow.distribute.values import InputContext


@export("__internal__.distribute.InputWorkers")
class InputWorkers:
    """Which devices each worker's input goes to.

    >>> InputWorkers([("/job:worker/task:0", ["/CPU:0", "/CPU:1"])]).compute_devices_for_worker(0)
    ('/CPU:0', '/CPU:1')

    Args:
      worker_device_pairs: for each worker, its device and those of its replicas.
      canonicalize_devices: whether names are completed; they are shown as they were given.
    """

    def __init__(
        self, worker_device_pairs: Sequence[tuple[str, Sequence[str]]], canonicalize_devices: bool = True
    ) -> None:
        self._pairs = [(worker, tuple(devices)) for worker, devices in worker_device_pairs]
        self._canonicalize_devices = canonicalize_devices

    num_workers = property(lambda self: len(self._pairs))
    worker_devices = property(lambda self: tuple(worker for worker, _ in self._pairs))

    def compute_devices_for_worker(self, worker_index: int) -> tuple[str, ...]:
        """The devices of a worker's replicas."""
        return self._pairs[worker_index][1]

    def serialize(self) -> list:
        """The arguments that make an equal object."""
        return self._pairs

    def deserialize(self, serialized: list) -> InputWorkers:
        """An object from what `serialize` gave."""
        return InputWorkers(serialized)

    def __repr__(self) -> str:
        lines = [f"  {i} {worker}: {devices}" for i, (worker, devices) in enumerate(self._pairs)]
        return "InputWorkers:{\n" + "\n".join(lines) + "}"


class StrategyIterator:
    """An iterator over the steps of a distributed dataset. In a graph it begins when its `initializer` runs."""

    def __init__(self, dataset: DatasetV2) -> None:
        self._dataset = dataset
        self._iterator: Any = iter(dataset) if state.graph is None else make_initializable_iterator(dataset)

    element_spec = property(lambda self: self._dataset.element_spec)

    def get_next(self) -> Any:
        """The input of the next step: a value per replica."""
        return self._iterator.get_next()

    def initialize(self) -> Any:
        """Begin again. In a graph: the op that does."""
        if state.graph is not None:
            return self._iterator.initializer
        self._iterator = iter(self._dataset)
        return []

    initializer = property(lambda self: self.initialize())


@export("__internal__.distribute.DatasetIterator")
class DatasetIterator(StrategyIterator):
    """An iterator over a dataset whose batches are divided between the replicas.

    >>> iterator = DatasetIterator(tf.data.Dataset.range(4).batch(2), None, tf.distribute.get_strategy())
    >>> iterator.get_next().numpy().tolist()
    [0, 1]
    """

    def __init__(
        self, dataset: DatasetV2, input_workers: InputWorkers | None, strategy: Strategy, *further: Any
    ) -> None:
        super().__init__(strategy.experimental_distribute_dataset(dataset))
        self._input_workers = input_workers

    input_workers = read_only("_input_workers")


@export("__internal__.distribute.InputFunctionIterator")
class InputFunctionIterator(StrategyIterator):
    """An iterator over the dataset that a function makes for this process.

    Args:
      input_fn: from an `InputContext` to a dataset.
      input_workers: the workers; one, this process.
      input_contexts: a context for each worker.
      strategy: whose replicas get the elements.

    Raises:
      ValueError: there is not one context for each worker.
    """

    def __init__(
        self, input_fn: Callable[[InputContext], DatasetV2], input_workers: InputWorkers,
        input_contexts: Sequence[InputContext], strategy: Strategy,
    ) -> None:
        if input_workers.num_workers != len(input_contexts):
            raise ValueError(
                "Number of input workers must be the number of input contexts. Received: "
                f"{input_workers.num_workers} workers, {len(input_contexts)} contexts"
            )
        super().__init__(strategy.extended._deal_dataset(input_fn(input_contexts[0])))
