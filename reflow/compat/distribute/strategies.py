"""The strategies of `tf.compat.v1.distribute`: those of version 2, with version 1's iterators and multi-step runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reflow.api.export import export, export_value
from reflow.compat.distribute.iterators import DatasetIterator, InputFunctionIterator, InputWorkers, StrategyIterator
from reflow.compat.distribute.steps import MultiStepContext, run_steps
from reflow.data.dataset import DatasetV2
from reflow.distribute.central_storage import CentralStorageExtended, CentralStorageStrategy
from reflow.distribute.extended import ReplicaContext, StrategyExtended
from reflow.distribute.mirrored import MirroredExtended, MirroredStrategy
from reflow.distribute.multi_worker import ExperimentalMultiWorkerMirroredStrategy, MultiWorkerExtended
from reflow.distribute.strategy import OneDeviceStrategy, Strategy
from reflow.distribute.tpu.strategy import TPUExtended, TPUStrategy
from reflow.distribute.values import InputReplicationMode, ReduceOp


@export("compat.v1.distribute.StrategyExtended")
class StrategyExtendedV1(StrategyExtended):
    """The parts of version 1's strategies that libraries use: iterators, and several steps in one call.

    >>> strategy = tf.compat.v1.distribute.OneDeviceStrategy("/cpu:0")
    >>> isinstance(strategy.extended, tf.compat.v1.distribute.StrategyExtended), len(strategy.extended.worker_devices)
    (True, 1)
    """

    def _make_dataset_iterator(self, dataset: DatasetV2) -> Any:
        return DatasetIterator(dataset, None, self._container_strategy())

    def _make_input_fn_iterator(
        self, input_fn: Callable[..., Any], replication_mode: InputReplicationMode = InputReplicationMode.PER_WORKER
    ) -> Any:
        workers = InputWorkers([(self._device, self.worker_devices)])
        return InputFunctionIterator(input_fn, workers, [self._input_context()], self._container_strategy())

    def experimental_make_numpy_dataset(self, numpy_input: Any, session: Any = None) -> DatasetV2:
        """A dataset of the rows of arrays."""
        return DatasetV2.from_tensor_slices(numpy_input)

    def experimental_run_steps_on_iterator(
        self, fn: Callable[..., Any], iterator: Any, iterations: int = 1, initial_loop_values: Any = None
    ) -> MultiStepContext:
        """Call `fn(context, inputs)` for the next inputs of an iterator, in a cross-replica context.

        Args:
          fn: a step; it may give the context what to hand out.
          iterator: of this strategy.
          iterations: how many steps.
          initial_loop_values: of the last step's outputs, for loops of zero steps.

        Returns:
          The `MultiStepContext`.
        """
        self._require_outside_replicas()
        with self._container_strategy().scope():
            return self._experimental_run_steps_on_iterator(fn, iterator, iterations, initial_loop_values)

    def _experimental_run_steps_on_iterator(
        self, fn: Callable[..., Any], iterator: Any, iterations: int, initial_loop_values: Any = None
    ) -> MultiStepContext:
        context = run_steps(fn, iterator, iterations)
        if not iterations:
            context._last_step_outputs = dict(initial_loop_values or {})
        return context


@export("compat.v1.distribute.Strategy")
class StrategyV1(Strategy):
    """A strategy of version 1.

    >>> strategy = tf.compat.v1.distribute.OneDeviceStrategy("/cpu:0")
    >>> isinstance(strategy, tf.compat.v1.distribute.Strategy)
    True
    """

    def make_dataset_iterator(self, dataset: DatasetV2) -> StrategyIterator:
        """An iterator over a dataset whose batches are divided between the replicas."""
        return self._extended._make_dataset_iterator(dataset)  # type: ignore[no-any-return]

    def experimental_run(self, fn: Callable[..., Any], input_iterator: Any = None) -> Any:
        """Run `fn` as each replica, with the iterator's next input if there is one."""
        with self.scope():
            return self.run(fn, args=() if input_iterator is None else (input_iterator.get_next(),))

    def experimental_make_numpy_dataset(self, numpy_input: Any, session: Any = None) -> DatasetV2:
        """A dataset of the rows of arrays."""
        return self._extended.experimental_make_numpy_dataset(numpy_input, session)  # type: ignore[no-any-return]

    def reduce(self, reduce_op: ReduceOp | str, value: Any, axis: Any = None) -> Any:
        """The values of all replicas as one."""
        return super().reduce(reduce_op, value, axis)


@export("compat.v1.distribute.OneDeviceStrategy")
class OneDeviceStrategyV1(StrategyV1, OneDeviceStrategy):
    """Everything on one device.

    >>> strategy = tf.compat.v1.distribute.OneDeviceStrategy("/cpu:0")
    >>> with strategy.scope():
    ...     v = tf.Variable(1.0)
    >>> strategy.num_replicas_in_sync
    1
    """

    _extended_type = StrategyExtendedV1


@export("compat.v1.distribute.MirroredStrategy")
class MirroredStrategyV1(StrategyV1, MirroredStrategy):
    """One replica per device of this process.

    >>> strategy = tf.compat.v1.distribute.MirroredStrategy(["/cpu:0"])
    >>> strategy.run(lambda: tf.constant(2.0)).numpy().item()
    2.0
    """

    class _extended_type(StrategyExtendedV1, MirroredExtended):
        pass


@export("compat.v1.distribute.experimental.CentralStorageStrategy")
class CentralStorageStrategyV1(StrategyV1, CentralStorageStrategy):
    """Replicas that share the variables of one device.

    >>> strategy = tf.compat.v1.distribute.experimental.CentralStorageStrategy(["/cpu:0"], "/cpu:0")
    >>> strategy.num_replicas_in_sync
    1
    """

    class _extended_type(StrategyExtendedV1, CentralStorageExtended):
        pass


@export("compat.v1.distribute.experimental.MultiWorkerMirroredStrategy")
class MultiWorkerMirroredStrategyV1(StrategyV1, ExperimentalMultiWorkerMirroredStrategy):
    """Replicas in several processes.

    >>> strategy = tf.compat.v1.distribute.experimental.MultiWorkerMirroredStrategy()      # no TF_CONFIG: one worker
    >>> strategy.num_replicas_in_sync
    1
    """

    class _extended_type(StrategyExtendedV1, MultiWorkerExtended):
        pass


@export("compat.v1.distribute.experimental.TPUStrategy")
class TPUStrategyV1(StrategyV1, TPUStrategy):
    """Replicas on the cores of a TPU.

    >>> try:
    ...     resolver = tf.distribute.cluster_resolver.TPUClusterResolver("local")
    ...     strategy = tf.compat.v1.distribute.experimental.TPUStrategy(resolver)
    ... except tf.errors.NotFoundError:
    ...     print("no TPU")
    no TPU

    Args:
      tpu_cluster_resolver: a resolver whose system is initialized.
      steps_per_run: how many steps a program of the caller's runs at once; it is kept for it to read.
      device_assignment: which cores are replicas.
    """

    class _extended_type(StrategyExtendedV1, TPUExtended):
        pass

    def __init__(
        self, tpu_cluster_resolver: Any = None, steps_per_run: int | None = None, device_assignment: Any = None
    ) -> None:
        self._steps_per_run = 1 if steps_per_run is None else steps_per_run
        TPUStrategy.__init__(self, tpu_cluster_resolver, device_assignment)

    steps_per_run = property(lambda self: self._steps_per_run)


@export("compat.v1.distribute.get_loss_reduction")
def get_loss_reduction() -> ReduceOp:
    """How the loss of all replicas is reduced: the mean, unless an optimizer of version 1 was told otherwise.

    >>> tf.compat.v1.distribute.get_loss_reduction().name
    'MEAN'
    """
    return ReduceOp.MEAN


export_value(ReplicaContext, "compat.v1.distribute.ReplicaContext")
