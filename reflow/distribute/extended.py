"""What stands behind a strategy: its contexts, and `StrategyExtended`, which does its work, here for one replica."""

from __future__ import annotations

import contextlib
import weakref

from reflow.api.autograph.status import control_status_ctx, tf_convert
from reflow.api.export import export, with_sections
from reflow.compat.behavior import open_scope
from reflow.core import nest
from reflow.core.context import Variant, state
from reflow.core.indexed_slices import IndexedSlices
from reflow.core.scope import Swapped, Together
from reflow.devices import placement as devices
from reflow.distribute.input import DistributedDataset, DistributedDatasetsFromFunction
from reflow.distribute.reduction import REDUCTION, as_value, reduce_along, refuse_rows
from reflow.distribute.values import DistributedValues, InputContext, as_reduce_op
from reflow.eager import variables
from reflow.ops.convert import convert_to_tensor


@export("distribute.ReplicaContext")
class ReplicaContext(Swapped):
    """What code knows that runs as one of the replicas.

    Args:
      strategy: The strategy.
      replica_id_in_sync_group: The number of the replica, from 0.

    >>> tf.distribute.get_replica_context().num_replicas_in_sync
    1
    """

    def __init__(self, strategy, replica_id_in_sync_group):
        super().__init__(state, self._entered, "replica_context")
        self._strategy = weakref.ref(strategy)
        self._replica_id = replica_id_in_sync_group

    def _entered(self) -> dict:
        """What surrounds code that runs as this replica."""
        return {"strategy": self.strategy, "replica_context": self}

    strategy = property(lambda self: self._strategy())
    num_replicas_in_sync = property(lambda self: self.strategy.num_replicas_in_sync)
    replica_id_in_sync_group = property(lambda self: self._replica_id)
    _replica_id_in_sync_group = property(lambda self: self._replica_id)

    @property
    def devices(self) -> tuple:
        return (self.strategy.extended._device,)

    def merge_call(self, merge_fn, args=(), kwargs=None):
        """Calls a function once for all replicas, in a cross-replica context.

        Args:
          merge_fn: A function of the strategy and of what follows; it gets the values of all replicas.
          args: Its other positional arguments.
          kwargs: Its keyword arguments.

        Returns:
          What it returns.
        """
        strategy = self.strategy
        merge_fn = tf_convert(merge_fn, control_status_ctx(), convert_by_default=False)
        with cross_replica(strategy):
            return merge_fn(strategy, *args, **(kwargs or {}))

    def all_reduce(self, reduce_op, value, options=None):
        """Adds up or averages the values of all replicas.

        Args:
          reduce_op: A `tf.distribute.ReduceOp`, or its name.
          value: This replica's value, a nested structure of tensors.
          options: A `tf.distribute.experimental.CommunicationOptions`.

        Returns:
          The same structure, equal in all replicas. With one replica: the value, as tensors.
        """
        as_reduce_op(reduce_op)
        return nest.map_structure(lambda x: x if isinstance(x, IndexedSlices) else as_value(x), value)

    def all_gather(self, value, axis, options=None):
        """Concatenates the values of all replicas.

        Args:
          value: This replica's value, a nested structure of tensors.
          axis: The axis to concatenate along.
          options: A `tf.distribute.experimental.CommunicationOptions`.

        Returns:
          The same structure, equal in all replicas.

        Raises:
          NotImplementedError: A value is an `IndexedSlices`.
        """
        refuse_rows(value, "all_gather")
        return nest.map_structure(as_value, value)

    def _update(self, var, fn, args=(), kwargs=None, group=True):
        return self.strategy.extended.update(var, fn, args, kwargs, group)


def cross_replica(strategy) -> Swapped:
    """A `with` block whose code speaks for all replicas of a strategy."""
    variant = state.variant if isinstance(state.variant, Variant) else None
    return Swapped(state, {"strategy": strategy, "replica_context": None, "variant": variant})


class StrategyScope(Together):
    """`strategy.scope()`: a cross-replica context, in which the strategy creates variables.

    Entered again inside of itself, it changes nothing; a replica may not enter it.
    """

    def __init__(self, strategy):
        super().__init__()
        self._strategy = strategy

    def _scopes(self):
        strategy = self._strategy
        strategy.extended._require_outside_replicas()
        if state.strategy is strategy:
            return _Entered()
        return _Entered([
            cross_replica(strategy),
            devices.DeviceScope(strategy.extended._device or None),
            variables.variable_creator_scope(strategy.extended._create_variable),
        ])  # fmt: skip

    def _apply(self, entry):
        super()._apply(entry)
        entry.inside = state.device, state.variable_creators, open_scope()
        return self._strategy

    def _undo(self, entry, late):
        """RuntimeError while a scope of another kind is open that was entered inside of this one.

        Nothing is undone if it is the thread's.
        """
        device, creators, scope = entry.inside or (state.device, state.variable_creators, open_scope())
        if not late and state.device != device:
            raise RuntimeError(
                "Device scope nesting error: leave the `tf.device` that was entered in the strategy's scope first."
            )
        if not late and state.variable_creators != creators:
            raise RuntimeError(
                "Variable creator scope nesting error: leave the creator scope that was entered in "
                "the strategy's scope first."
            )
        super()._undo(entry, late)
        # of a graph: what surrounds the graph must be as before when it ends
        if not late and open_scope() is not scope:
            raise RuntimeError(
                "Variable scope nesting error: leave the `variable_scope` that was entered in "
                "the strategy's scope first."
            )


class _Entered(list):
    """The scopes that entering a strategy's scope enters, and the device, the creators of variables and the variable
    scope that hold then."""

    inside: tuple | None = None  # None until all are entered


# --- the extended part of a strategy ----------------------------------------------------------------------------------

_NOTHING = contextlib.nullcontext()


_OUTSIDE = "Method requires being in cross-replica context, use get_replica_context().merge_call()"


@export("distribute.StrategyExtended")
class StrategyExtended:
    """What libraries need of a strategy beyond `Strategy` itself. Here: for one replica on one device.

    Args:
      container_strategy: The strategy that this belongs to.
      device: The name of the device.

    >>> tf.distribute.OneDeviceStrategy("/cpu:0").extended.parameter_devices
    ('/job:localhost/replica:0/task:0/device:CPU:0',)
    """

    def __init__(self, container_strategy, device: str = ""):
        self._container = weakref.ref(container_strategy)
        self._device = device

    def _container_strategy(self):
        return self._container()

    @property
    def worker_devices(self) -> tuple:
        return (self._device,)

    @property
    def parameter_devices(self) -> tuple:
        return (self._device,)

    experimental_require_static_shapes = property(lambda self: False)
    experimental_between_graph = property(lambda self: False)
    experimental_should_init = property(lambda self: True)
    should_checkpoint = property(lambda self: True)
    should_save_summary = property(lambda self: True)
    _num_replicas_in_sync = property(lambda self: 1)
    _global_batch_size = property(lambda self: True)

    def _in_multi_worker_mode(self) -> bool:
        return False

    def _use_merge_call(self) -> bool:
        return False

    def _require_outside_replicas(self, words: str = _OUTSIDE) -> None:
        """RuntimeError in a replica of this strategy, and in the scope of another one."""
        mine, context = self._container_strategy(), state.replica_context
        if context is None and state.strategy in (None, mine):
            return
        if state.strategy is None:  # in a replica of the default strategy
            if context.strategy is not mine:
                return
        elif state.strategy is not mine:
            raise RuntimeError(f"Mixing different tf.distribute.Strategy objects: {state.strategy} is not {mine}")
        raise RuntimeError(words)

    def _create_variable(self, next_creator, **kwargs):
        """A variable made in the scope remembers its strategy."""
        variable = next_creator(**kwargs)
        variable._distribute_strategy = self._container_strategy()
        return variable

    def variable_created_in_scope(self, v) -> bool:
        """Says whether a variable was created in this strategy's scope.

        Args:
          v: The variable.

        Returns:
          A bool.
        """
        return getattr(v, "_distribute_strategy", None) is self._container_strategy()

    def colocate_vars_with(self, colocate_with_variable):
        """Puts variables that are created in a `with` block on the device of another one.

        Args:
          colocate_with_variable: The other variable.

        Returns:
          A context manager.
        """
        device = getattr(colocate_with_variable, "device", None)
        return devices.DeviceScope(device if isinstance(device, str) and device else None) if self._device else _NOTHING

    def call_for_each_replica(self, fn, args=(), kwargs=None):
        """Runs a function as each replica.

        Args:
          fn: The function.
          args: Its positional arguments; of per-replica values each replica gets its own.
          kwargs: Its keyword arguments.

        Returns:
          The results of all replicas.
        """
        if state.strategy is None:
            with self._container_strategy().scope():
                return self._call_for_each_replica(fn, args, kwargs or {})
        self._require_outside_replicas()
        return self._call_for_each_replica(fn, args, kwargs or {})

    def _call_for_each_replica(self, fn, args, kwargs):
        strategy = self._container_strategy()
        with devices.DeviceScope(self._device or None) if self._device else _NOTHING, strategy._context:
            return fn(*args, **kwargs)

    def _run(self, fn, args, kwargs):
        args = nest.map_structure(_first, tuple(args)) if args else args
        kwargs = nest.map_structure(_first, kwargs) if kwargs else kwargs
        fn = tf_convert(fn, control_status_ctx(), convert_by_default=False)
        return self.call_for_each_replica(fn, args, kwargs)

    def _reduce(self, operation, value, axis):
        if axis is not None:
            value = reduce_along(operation, [_first(value)], axis)
        return self._reduce_to(operation, value, self._device or "/device:CPU:0", None)

    def _gather(self, value, axis):
        return as_value(_first(value))

    def _local_results(self, value) -> tuple:
        """The parts of a value that belong to the replicas of this process."""
        return value.values if isinstance(value, DistributedValues) else (value,)

    def _distribute_dataset(self, dataset):
        """A dataset of batches, which are divided among the replicas, as what a program iterates over."""
        return DistributedDataset(self._divide_dataset(dataset), dataset)

    def _deal_dataset(self, dataset):
        """A dataset whose elements go to the replicas in turn, as what a program iterates over."""
        return DistributedDatasetsFromFunction(self._dealt_dataset(dataset), dataset)

    def _divide_dataset(self, dataset):
        """The steps of a dataset of batches: each has a part of one for every replica."""
        return dataset

    def _dealt_dataset(self, dataset):
        """The steps of a dataset: each has an element for every replica."""
        return dataset

    def _make_dataset_iterator(self, dataset):
        return iter(self._distribute_dataset(dataset))

    def _make_input_fn_iterator(self, input_fn, replication_mode):
        return iter(self._deal_dataset(input_fn(self._input_context())))

    def _deal_datasets(self, dataset_fn, count):
        """A dataset whose elements come from one dataset for each replica."""
        return self._deal_dataset(dataset_fn(self._input_context()))

    @property
    def _local_replicas(self) -> range:
        """The numbers, among all replicas, of those in this process."""
        return range(self._num_replicas_in_sync)

    def _input_context(self) -> InputContext:
        return InputContext(1, 0, self._num_replicas_in_sync)

    def _per_replica(self, values):
        return values[0]

    def update(self, var, fn, args=(), kwargs=None, group=True):
        """Runs a function on every copy of a variable.

        Args:
          var: The variable.
          fn: A function of a copy, and of what follows.
          args: Its other positional arguments.
          kwargs: Its keyword arguments.
          group: Whether the results are joined to one thing that waits for all.

        Returns:
          The results.
        """
        context = state.replica_context
        if context is not None and context.strategy is self._container_strategy():
            return self._update_in_replica(context, var, fn, args, kwargs or {}, group)
        self._require_outside_replicas()
        fn = tf_convert(fn, control_status_ctx(), convert_by_default=False)
        return self._update(var, fn, tuple(args), kwargs or {}, group)

    def _update_in_replica(self, context, var, fn, args, kwargs, group):
        """An update requested by a replica: with one replica there is nothing to wait for."""
        return self._update(var, fn, tuple(args), kwargs, group)

    def _update(self, var, fn, args, kwargs, group):
        return self._update_non_slot(var, fn, (var, *args), kwargs, group)

    def update_non_slot(self, colocate_with, fn, args=(), kwargs=None, group=True):
        """Runs a function on the devices that `non_slot_devices` gave.

        Args:
          colocate_with: What `non_slot_devices` returned.
          fn: The function.
          args: Its positional arguments.
          kwargs: Its keyword arguments.
          group: Whether the results are joined to one thing that waits for all.

        Returns:
          The results.
        """
        self._require_outside_replicas()
        fn = tf_convert(fn, control_status_ctx(), convert_by_default=False)
        return self._update_non_slot(colocate_with, fn, tuple(args), kwargs or {}, group)

    def _update_non_slot(self, colocate_with, fn, args, kwargs, group):
        result = fn(*args, **kwargs)
        return result if group else nest.map_structure(self._local_results, result)

    def non_slot_devices(self, var_list):
        """Returns where to keep state that belongs to no single variable.

        Args:
          var_list: The variables that are optimized.

        Returns:
          What `update_non_slot` takes.
        """
        return min(var_list, key=lambda v: v.name)

    @with_sections(REDUCTION, result="The value")
    def reduce_to(self, reduce_op, value, destinations, options=None):
        """Makes one value of those of all replicas.

        Args:
          value: A per-replica value.
          destinations: The devices, or a variable on the devices, that get the result.
        """
        self._require_outside_replicas()
        return self._reduce_to(as_reduce_op(reduce_op), value, destinations, options)

    def _reduce_to(self, operation, value, destinations, options):
        return nest.map_structure(_first, value)

    @with_sections(REDUCTION, result="A list of values")
    def batch_reduce_to(self, reduce_op, value_destination_pairs, options=None) -> list:
        """Does the same as `reduce_to` for several values."""
        self._require_outside_replicas()
        return self._batch_reduce_to(as_reduce_op(reduce_op), value_destination_pairs, options)

    def _batch_reduce_to(self, operation, value_destination_pairs, options) -> list:
        return [self._reduce_to(operation, value, where, options) for value, where in value_destination_pairs]

    def broadcast_to(self, tensor, destinations):
        """The tensor: every destination can read it."""
        return tensor

    def read_var(self, v):
        """The value of a variable."""
        return convert_to_tensor(v)

    def value_container(self, value):
        """The value: it stands for itself."""
        return value


def _first(value):
    """The value of the only replica."""
    return value.values[0] if isinstance(value, DistributedValues) else value
