"""`tensorflow.python.distribute.step_fn`: one step of training as an object that is called."""

from collections.abc import Callable
from typing import Any

from reflow.core.properties import read_only
from reflow.data.dataset import DatasetV2
from reflow.drop_in.python.eager.backprop import implicit_grad


class Step:
    """A step of an algorithm under a strategy."""

    def __init__(self, distribution: Any) -> None:
        self._distribution = distribution

    distribution = read_only("_distribution")

    def initialize(self) -> Any:
        """What runs before the first step."""
        return []

    def __call__(self) -> Any:
        raise NotImplementedError("must be implemented in descendants")


class StandardInputStep(Step):
    """A step that reads the dataset that a function makes."""

    def __init__(self, dataset_fn: Callable[[], DatasetV2], distribution: Any) -> None:
        super().__init__(distribution)
        self._iterator = distribution.make_input_fn_iterator(lambda _: dataset_fn())

    def initialize(self) -> Any:
        return self._iterator.initializer


class StandardSingleLossStep(StandardInputStep):
    """A step that lowers a loss.

    Args:
      dataset_fn: makes the dataset.
      loss_fn: from a `MultiStepContext` and the inputs of a replica to its loss.
      optimizer: one of version 1.
      distribution: the strategy.
      iterations_per_step: how many updates a call makes.
    """

    def __init__(
        self, dataset_fn: Callable[[], DatasetV2], loss_fn: Callable[[Any, Any], Any], optimizer: Any,
        distribution: Any, iterations_per_step: int = 1,
    ) -> None:
        super().__init__(dataset_fn, distribution)
        self._loss_fn, self._optimizer, self._iterations_per_step = loss_fn, optimizer, iterations_per_step

    def __call__(self) -> Any:
        """Make the updates. In a graph: the op that does."""
        return self.distribution.extended.experimental_run_steps_on_iterator(
            self._update, self._iterator, self._iterations_per_step
        ).run_op

    def _update(self, context: Any, inputs: Any) -> Any:
        return self.distribution.group(
            self.distribution.extended.call_for_each_replica(self._update_replica, args=(context, inputs))
        )

    def _update_replica(self, context: Any, inputs: Any) -> Any:
        found = implicit_grad(self._loss_fn)(context, inputs)
        return self._optimizer.apply_gradients([(g, v) for g, v in found if g is not None])
