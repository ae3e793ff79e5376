"""`tf.distribute`: the current strategy, and the strategies with one replica: the default one and `OneDeviceStrategy`.

Keras goes through a strategy at every step, even if the user has none: `strategy.run(step)`, `extended.update(variable,
fn)`, `get_replica_context().all_reduce(...)`. With one replica a per-replica value is the value itself, so all of these
are direct calls.

Code runs in a *replica context* (as one of the replicas) or in a *cross-replica context* (inside `strategy.scope()`, on
behalf of all of them). `state.strategy` and `state.replica_context` say which; outside of any strategy, both are the
default ones.
"""

from __future__ import annotations

import contextlib

from reflow.api.export import export, export_value
from reflow.core import nest
from reflow.core.context import state
from reflow.data.dataset import DatasetV2
from reflow.devices import placement as devices
from reflow.distribute.extended import ReplicaContext, StrategyExtended, StrategyScope
from reflow.distribute.reduction import refuse_rows
from reflow.distribute.values import (
    InputReplicationMode,
    ValueContext,
    as_reduce_op,
)

# --- the current strategy ---------------------------------------------------------------------------------------------


@export("distribute.get_strategy")
def get_strategy() -> Strategy:
    """Returns the current strategy: the one whose scope or `run` surrounds this line, else the default one.

    Returns:
      A `tf.distribute.Strategy`.

    >>> tf.distribute.get_strategy().num_replicas_in_sync
    1
    """
    return _DEFAULT if state.strategy is None else state.strategy


@export("distribute.has_strategy")
def has_strategy() -> bool:
    """Says whether a strategy other than the default one is current.

    Returns:
      A bool.

    >>> has_strategy()
    False
    """
    return state.strategy is not None and state.strategy is not _DEFAULT


@export("distribute.in_cross_replica_context")
def in_cross_replica_context() -> bool:
    """Says whether this code speaks for all replicas, as in `strategy.scope()`.

    Returns:
      A bool.

    >>> in_cross_replica_context()
    False
    """
    return state.strategy is not None and state.replica_context is None


@export("distribute.get_replica_context")
def get_replica_context():
    """Returns the context of the replica as which this code runs.

    Returns:
      A `tf.distribute.ReplicaContext`, or None in a cross-replica context.

    >>> tf.distribute.get_replica_context().replica_id_in_sync_group
    0
    """
    if state.strategy is None:
        return _DEFAULT_CONTEXT
    return state.replica_context


@export("__internal__.distribute.get_cross_replica_context")
def get_cross_replica_context() -> Strategy | None:
    """The strategy for which this code speaks, or None in a replica context."""
    return state.strategy if in_cross_replica_context() else None


class _NoScope:
    """The default strategy's scope: it changes nothing."""

    def __init__(self, strategy):
        self._strategy = strategy

    def __enter__(self):
        if has_strategy():
            raise RuntimeError("Must not nest tf.distribute.Strategy scopes.")
        return self._strategy

    def __exit__(self, *exc):
        pass


# --- strategies -----------------------------------------------------------------------------------------------------


@export("distribute.Strategy")
class Strategy:
    """Says where and how often a step runs. This one has a single replica; subclasses have more.

    Args:
      extended: The `tf.distribute.StrategyExtended` that does the work.

    >>> tf.distribute.get_strategy().num_replicas_in_sync
    1
    """

    _should_use_with_coordinator = False  # asked by Keras 2: whether a ClusterCoordinator schedules the steps

    def __init__(self, extended):
        self._extended = extended
        self._context = ReplicaContext(self, 0)

    extended = property(lambda self: self._extended)
    num_replicas_in_sync = property(lambda self: self._extended._num_replicas_in_sync)
    cluster_resolver = property(lambda self: getattr(self._extended, "_cluster_resolver", None))

    def scope(self):
        """Makes this strategy current in a `with` block, in which it creates the variables.

        Returns:
          A context manager.
        """
        return StrategyScope(self)

    def run(self, fn, args=(), kwargs=None, options=None):
        """Runs a function as each replica.

        Args:
          fn: The function.
          args: Its positional arguments; of per-replica values each replica gets its own.
          kwargs: Its keyword arguments.
          options: A `tf.distribute.RunOptions`, accepted and not used.

        Returns:
          Its result; a per-replica value if there are several replicas.

        >>> get_strategy().run(lambda x: x + 1, args=(1,))
        2
        """
        return self._extended._run(fn, args, kwargs)

    def reduce(self, reduce_op, value, axis):
        """Makes one value of those of all replicas.

        Args:
          reduce_op: A `tf.distribute.ReduceOp`, or its name: "SUM" or "MEAN".
          value: A per-replica value, or a nested structure of them.
          axis: If not None, the axis of each value that is reduced too, such as that of the batch.

        Returns:
          A tensor, or a structure of them.

        Raises:
          RuntimeError: It is called as a replica.
        """
        operation = as_reduce_op(reduce_op)
        self._extended._require_outside_replicas()
        return nest.map_structure(lambda v: self._extended._reduce(operation, v, axis), value)

    def gather(self, value, axis):
        """Concatenates the values of all replicas.

        Args:
          value: A per-replica value, or a nested structure of them.
          axis: The axis to concatenate along.

        Returns:
          A tensor, or a structure of them.

        Raises:
          RuntimeError: It is called as a replica.
          NotImplementedError: A value is an `IndexedSlices`.
        """
        self._extended._require_outside_replicas(
            "tf.distribute.Strategy.gather method requires cross-replica context, use "
            "get_replica_context().all_gather() instead"
        )
        refuse_rows(value, "gather")
        return nest.map_structure(lambda v: self._extended._gather(v, axis), value)

    def experimental_local_results(self, value) -> tuple:
        """Returns the values of the replicas on this machine.

        Args:
          value: A per-replica value, a structure that has some, or any other value, which stands for one replica.

        Returns:
          A tuple; of a structure with per-replica values, one such structure for each replica.
        """
        return self._extended._local_results(value)

    unwrap = experimental_local_results

    def group(self, value, name=None):
        """Returns something that depends on a value in all replicas.

        Args:
          value: A per-replica value.
          name: A name for the operation.

        Returns:
          The value; in a graph with several replicas, an operation.
        """
        return value

    def experimental_distribute_dataset(self, dataset, options=None):
        """Divides every batch of a dataset among the replicas.

        Args:
          dataset: A dataset of batches.
          options: A `tf.distribute.InputOptions`.

        Returns:
          A dataset whose elements have a share for each replica.

        Raises:
          NotImplementedError: The options ask for one dataset for each replica.
        """
        if options is not None and options.experimental_replication_mode is InputReplicationMode.PER_REPLICA:
            raise NotImplementedError(
                "InputReplicationMode.PER_REPLICA is only supported in `distribute_datasets_from_function`."
            )
        return self._extended._distribute_dataset(dataset)

    def distribute_datasets_from_function(self, dataset_fn, options=None):
        """Gives each replica a batch of a dataset that a function builds.

        Args:
          dataset_fn: A function from a `tf.distribute.InputContext` to a dataset, whose batches are for one replica.
          options: A `tf.distribute.InputOptions`.

        Returns:
          A dataset whose elements have a batch for each replica.
        """
        if options is not None and options.experimental_replication_mode is InputReplicationMode.PER_REPLICA:
            return self._extended._deal_datasets(dataset_fn, self.num_replicas_in_sync)
        return self._extended._deal_dataset(dataset_fn(self._extended._input_context()))

    experimental_distribute_datasets_from_function = distribute_datasets_from_function

    def experimental_distribute_values_from_function(self, value_fn):
        """Makes a value for each replica.

        Args:
          value_fn: A function from a `tf.distribute.experimental.ValueContext` to a value.

        Returns:
          A per-replica value.
        """
        count = self.num_replicas_in_sync
        return self._extended._per_replica([value_fn(ValueContext(i, count)) for i in self._extended._local_replicas])

    def make_input_fn_iterator(self, input_fn, replication_mode=InputReplicationMode.PER_WORKER):
        """Returns an iterator over the dataset that a function builds, for programs of version 1.

        Args:
          input_fn: A function from a `tf.distribute.InputContext` to a dataset.
          replication_mode: `InputReplicationMode.PER_WORKER`.

        Returns:
          An iterator.

        Raises:
          ValueError: The mode is another.
        """
        if replication_mode is not InputReplicationMode.PER_WORKER:
            raise ValueError(f"Input replication mode not supported: {replication_mode}")
        with self.scope():
            return self._extended._make_input_fn_iterator(input_fn, replication_mode=replication_mode)

    def experimental_make_numpy_dataset(self, numpy_input):
        """Makes a dataset of the slices of NumPy arrays along their first axis.

        Args:
          numpy_input: An array, or a nested structure of arrays.

        Returns:
          A dataset, which is not distributed yet.
        """
        return DatasetV2.from_tensor_slices(numpy_input)

    def configure(self, session_config=None, cluster_spec=None, task_type=None, task_id=None):
        """Does nothing: a strategy knows its cluster when it is made."""
        pass

    def update_config_proto(self, config_proto):
        """The settings of a session, unchanged."""
        return config_proto

    def colocate_vars_with(self, colocate_with_variable):
        """A scope in which new variables are placed like another one."""
        return self._extended.colocate_vars_with(colocate_with_variable)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


_NOTHING = contextlib.nullcontext()


class _DefaultExtended(StrategyExtended):
    """The extended part of the default strategy: every call is direct, and datasets stay as they are."""

    def _distribute_dataset(self, dataset):
        return dataset

    def _deal_dataset(self, dataset):
        return dataset

    @property
    def worker_devices(self):
        raise RuntimeError("worker_devices() method unsupported by default tf.distribute.Strategy.")

    @property
    def parameter_devices(self):
        raise RuntimeError("parameter_devices() method unsupported by default tf.distribute.Strategy.")

    def call_for_each_replica(self, fn, args=(), kwargs=None):
        return fn(*args, **(kwargs or {}))

    def update(self, var, fn, args=(), kwargs=None, group=True):
        return fn(var, *args, **(kwargs or {}))

    def colocate_vars_with(self, colocate_with_variable):
        """A scope in which new variables are placed like another one."""
        return _NOTHING

    def variable_created_in_scope(self, v) -> bool:
        # those of no other strategy
        return not hasattr(v, "_distribute_strategy") or super().variable_created_in_scope(v)


class _DefaultStrategy(Strategy):
    """The strategy of code that names none."""

    def __init__(self):
        super().__init__(_DefaultExtended(self))

    def scope(self):
        return _NoScope(self)


_DEFAULT = _DefaultStrategy()
_DEFAULT_CONTEXT = _DEFAULT._context
export_value(get_replica_context, "__internal__.distribute.get_replica_context")


@export("__internal__.distribute._get_default_strategy")
def _get_default_strategy() -> Strategy:
    """The strategy of code that names none."""
    return _DEFAULT


@export("__internal__.distribute._get_default_replica_context")
def _get_default_replica_context() -> ReplicaContext:
    """The replica context of code that names no strategy."""
    return _DEFAULT_CONTEXT


@export("distribute.OneDeviceStrategy")
class OneDeviceStrategy(Strategy):
    """Runs everything on one chosen device.

    Args:
      device: The name of the device, such as "/gpu:0".

    >>> OneDeviceStrategy("/cpu:0").extended.worker_devices
    ('/job:localhost/replica:0/task:0/device:CPU:0',)
    """

    _extended_type = StrategyExtended

    def __init__(self, device):
        super().__init__(self._extended_type(self, devices.full_name(devices.merged("", device))))


_set: list = []  # the scope that `experimental_set_strategy` has entered


@export("distribute.experimental_set_strategy")
def experimental_set_strategy(strategy) -> None:
    """Make a strategy current until further notice, without a `with` block; None ends that.

    Args:
      strategy: a `tf.distribute.Strategy`, or None.

    Returns:
      None.

    Raises:
      RuntimeError: inside of a strategy's scope.

    >>> tf.distribute.experimental_set_strategy(tf.distribute.OneDeviceStrategy("/cpu:0"))
    >>> tf.distribute.has_strategy()
    True
    >>> tf.distribute.experimental_set_strategy(None)
    >>> tf.distribute.has_strategy()
    False
    """
    if _set:
        _set.pop().__exit__(None, None, None)
    if has_strategy():
        raise RuntimeError("Must not be called inside a `tf.distribute.Strategy` scope.")
    if strategy is not None:
        scope = strategy.scope()
        scope.__enter__()
        _set.append(scope)


# --- tf.__internal__.distribute -------------------------------------------------------------------------------------


@export("__internal__.distribute.strategy_supports_no_merge_call")
def strategy_supports_no_merge_call() -> bool:
    """Whether `merge_call` can be left out in the current strategy: always.

    >>> strategy_supports_no_merge_call()
    True
    """
    return not get_strategy().extended._use_merge_call()


@export("__internal__.distribute.interim.maybe_merge_call")
def maybe_merge_call(fn, strategy, *args, **kwargs):
    """`fn(strategy, *args, **kwargs)`, through `merge_call` where the strategy needs that."""
    if strategy_supports_no_merge_call():
        return fn(strategy, *args, **kwargs)
    return get_replica_context().merge_call(fn, args=args, kwargs=kwargs)


@export("__internal__.distribute.variable_sync_on_read_context")
def variable_sync_on_read_context():
    """A context in which `ON_READ` variables can be read as replicas see them."""
    return _NOTHING
