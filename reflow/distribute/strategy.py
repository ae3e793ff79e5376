"""`tf.distribute`: contexts, and the strategies with one replica: the default one and `OneDeviceStrategy`.

Keras goes through a strategy at every step, even if the user has none: `strategy.run(step)`, `extended.update(variable,
fn)`, `get_replica_context().all_reduce(...)`. With one replica a per-replica value is the value itself, so all of these
are direct calls.

Code runs in a *replica context* (as one of the replicas) or in a *cross-replica context* (inside `strategy.scope()`, on
behalf of all of them). `state.strategy` and `state.replica_context` say which; outside of any strategy, both are the
default ones.
"""

from __future__ import annotations

import contextlib
import weakref

from reflow.api.autograph.status import control_status_ctx, tf_convert
from reflow.api.export import export, export_value
from reflow.api.math.reduce import reduce_mean, reduce_sum
from reflow.compat.behavior import open_scope
from reflow.core import nest
from reflow.core.context import Variant, state
from reflow.core.indexed_slices import IndexedSlices
from reflow.core.scope import Swapped, Together
from reflow.data.dataset import DatasetV2
from reflow.devices import placement as devices
from reflow.distribute.values import (
    DistributedValues,
    InputContext,
    InputReplicationMode,
    ReduceOp,
    ValueContext,
    as_reduce_op,
)
from reflow.eager import variables
from reflow.ops.convert import convert_to_tensor

# --- contexts -------------------------------------------------------------------------------------------------------


@export("distribute.ReplicaContext")
class ReplicaContext(Swapped):
    """What code knows that runs as one of the replicas.

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
        """Call `merge_fn(strategy, *args, **kwargs)` once for all replicas, in a cross-replica context."""
        strategy = self.strategy
        merge_fn = tf_convert(merge_fn, control_status_ctx(), convert_by_default=False)
        with cross_replica(strategy):
            return merge_fn(strategy, *args, **(kwargs or {}))

    def all_reduce(self, reduce_op, value, options=None):
        """`value` of all replicas, summed or averaged. With one replica: the value, as tensors."""
        as_reduce_op(reduce_op)
        return nest.map_structure(_as_tensor, value)

    def all_gather(self, value, axis, options=None):
        """`value` of all replicas, concatenated along `axis`."""
        return nest.map_structure(_as_tensor, value)

    def _update(self, var, fn, args=(), kwargs=None, group=True):
        return self.strategy.extended.update(var, fn, args, kwargs, group)


def cross_replica(strategy) -> Swapped:
    """A `with` block whose code speaks for all replicas of a strategy."""
    variant = state.variant if isinstance(state.variant, Variant) else None
    return Swapped(state, {"strategy": strategy, "replica_context": None, "variant": variant})


def _as_tensor(x):
    return x if x is None or isinstance(x, IndexedSlices) else convert_to_tensor(x)


@export("distribute.get_strategy")
def get_strategy() -> Strategy:
    """The current strategy: the one whose scope or `run` surrounds this line, else the default one.

    >>> tf.distribute.get_strategy().num_replicas_in_sync
    1
    """
    return _DEFAULT if state.strategy is None else state.strategy


@export("distribute.has_strategy")
def has_strategy() -> bool:
    """Whether a strategy other than the default one is current.

    >>> has_strategy()
    False
    """
    return state.strategy is not None and state.strategy is not _DEFAULT


@export("distribute.in_cross_replica_context")
def in_cross_replica_context() -> bool:
    """Whether this code speaks for all replicas, as in `strategy.scope()`.

    >>> in_cross_replica_context()
    False
    """
    return state.strategy is not None and state.replica_context is None


@export("distribute.get_replica_context")
def get_replica_context():
    """The current replica's context, or None in a cross-replica context.

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


class _Scope(Together):
    """`strategy.scope()`: a cross-replica context, in which the strategy creates variables."""

    def __init__(self, strategy):
        super().__init__()
        self._strategy = strategy

    def _scopes(self):
        strategy = self._strategy
        current = state.strategy
        if current is not None and current is not strategy:
            raise RuntimeError(f"Mixing different tf.distribute.Strategy objects: {current} is not {strategy}")
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
        """RuntimeError while a scope of another kind is open that was entered inside of this one; nothing is undone if it is the thread's."""
        device, creators, scope = entry.inside or (state.device, state.variable_creators, open_scope())
        if not late and state.device != device:
            raise RuntimeError("Device scope nesting error: leave the `tf.device` that was entered in the strategy's scope first.")
        if not late and state.variable_creators != creators:
            raise RuntimeError("Variable creator scope nesting error: leave the creator scope that was entered in the strategy's scope first.")
        super()._undo(entry, late)
        if not late and open_scope() is not scope:  # of a graph: what surrounds the graph must be as before when it ends
            raise RuntimeError("Variable scope nesting error: leave the `variable_scope` that was entered in the strategy's scope first.")


class _Entered(list):
    """The scopes that entering a strategy's scope enters, and the device, the creators of variables and the variable scope that hold then."""

    inside: tuple | None = None  # None until all are entered


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


@export("distribute.StrategyExtended")
class StrategyExtended:
    """What libraries need of a strategy beyond `Strategy` itself. Here: for one replica on one device.

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

    def _require_outside_replicas(self) -> None:
        """RuntimeError in a replica of this strategy, and in the scope of another one."""
        mine = self._container_strategy()
        if state.strategy is None or (state.strategy is mine and state.replica_context is None):
            return
        if state.strategy is not mine:
            raise RuntimeError(f"Mixing different tf.distribute.Strategy objects: {state.strategy} is not {mine}")
        raise RuntimeError("Method requires being in cross-replica context, use get_replica_context().merge_call()")

    def _create_variable(self, next_creator, **kwargs):
        """A variable made in the scope remembers its strategy."""
        variable = next_creator(**kwargs)
        variable._distribute_strategy = self._container_strategy()
        return variable

    def variable_created_in_scope(self, v) -> bool:
        """Whether `v` was created in this strategy's scope."""
        mine = self._container_strategy()
        return getattr(v, "_distribute_strategy", _DEFAULT) is mine

    def colocate_vars_with(self, colocate_with_variable):
        """Variables created in the `with` block stand on the same device as the given one."""
        device = getattr(colocate_with_variable, "device", None)
        return devices.DeviceScope(device if isinstance(device, str) and device else None) if self._device else _NOTHING

    def call_for_each_replica(self, fn, args=(), kwargs=None):
        """Run `fn` as each replica."""
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
            value = (reduce_sum if operation is ReduceOp.SUM else reduce_mean)(_first(value), axis=axis)
        return self._reduce_to(operation, value, self._device or "/device:CPU:0", None)

    def _gather(self, value, axis):
        return convert_to_tensor(_first(value))

    def _distribute_dataset(self, dataset):
        return dataset

    def _deal_dataset(self, dataset):
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
        """Run `fn(copy, *args, **kwargs)` for every copy of `var`."""
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
        return fn(var, *args, **kwargs)

    def update_non_slot(self, colocate_with, fn, args=(), kwargs=None, group=True):
        """Run `fn(*args, **kwargs)` on the devices of `colocate_with`, which `non_slot_devices` gave."""
        self._require_outside_replicas()
        fn = tf_convert(fn, control_status_ctx(), convert_by_default=False)
        return self._update_non_slot(colocate_with, fn, tuple(args), kwargs or {}, group)

    def _update_non_slot(self, colocate_with, fn, args, kwargs, group):
        return fn(*args, **kwargs)

    def non_slot_devices(self, var_list):
        return min(var_list, key=lambda v: v.name)

    def reduce_to(self, reduce_op, value, destinations, options=None):
        """One value from those of all replicas."""
        self._require_outside_replicas()
        return self._reduce_to(as_reduce_op(reduce_op), value, destinations, options)

    def _reduce_to(self, operation, value, destinations, options):
        return nest.map_structure(_first, value)

    def batch_reduce_to(self, reduce_op, value_destination_pairs, options=None) -> list:
        """`reduce_to` for several values."""
        self._require_outside_replicas()
        return self._batch_reduce_to(as_reduce_op(reduce_op), value_destination_pairs, options)

    def _batch_reduce_to(self, operation, value_destination_pairs, options) -> list:
        return [self._reduce_to(operation, value, where, options) for value, where in value_destination_pairs]

    def broadcast_to(self, tensor, destinations):
        return tensor

    def read_var(self, v):
        return convert_to_tensor(v)

    def value_container(self, value):
        return value


def _first(value):
    """The value of the only replica."""
    return value.values[0] if isinstance(value, DistributedValues) else value


@export("distribute.Strategy")
class Strategy:
    """Where and how often a step runs. This one has a single replica.

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
        """A `with` block in which this strategy is current and creates the variables."""
        return _Scope(self)

    def run(self, fn, args=(), kwargs=None, options=None):
        """Run `fn` as each replica; returns its result.

        >>> get_strategy().run(lambda x: x + 1, args=(1,))
        2
        """
        return self._extended._run(fn, args, kwargs)

    def reduce(self, reduce_op, value, axis):
        """The values of all replicas as one: over replicas, and over `axis` of each if it is not None."""
        operation = as_reduce_op(reduce_op)
        self._extended._require_outside_replicas()
        return nest.map_structure(lambda v: self._extended._reduce(operation, v, axis), value)

    def gather(self, value, axis):
        """The values of all replicas, concatenated along `axis`."""
        return nest.map_structure(lambda v: self._extended._gather(v, axis), value)

    def experimental_local_results(self, value) -> tuple:
        """The values of the replicas on this machine, as a tuple."""
        return value.values if isinstance(value, DistributedValues) else (value,)

    unwrap = experimental_local_results

    def group(self, value, name=None):
        """Something that depends on `value` in all replicas."""
        return value

    def experimental_distribute_dataset(self, dataset, options=None):
        """The dataset, such that each replica gets its share of every batch."""
        if options is not None and options.experimental_replication_mode is InputReplicationMode.PER_REPLICA:
            raise NotImplementedError(
                "InputReplicationMode.PER_REPLICA is only supported in `distribute_datasets_from_function`."
            )
        return self._extended._distribute_dataset(dataset)

    def distribute_datasets_from_function(self, dataset_fn, options=None):
        """The dataset that `dataset_fn(InputContext)` builds."""
        if options is not None and options.experimental_replication_mode is InputReplicationMode.PER_REPLICA:
            return self._extended._deal_datasets(dataset_fn, self.num_replicas_in_sync)
        return self._extended._deal_dataset(dataset_fn(self._extended._input_context()))

    experimental_distribute_datasets_from_function = distribute_datasets_from_function

    def experimental_distribute_values_from_function(self, value_fn):
        """A value per replica: `value_fn(ValueContext)`."""
        count = self.num_replicas_in_sync
        return self._extended._per_replica([value_fn(ValueContext(i, count)) for i in self._extended._local_replicas])

    def make_input_fn_iterator(self, input_fn, replication_mode=InputReplicationMode.PER_WORKER):
        """An iterator over the dataset that `input_fn(InputContext)` makes, of version 1."""
        if replication_mode is not InputReplicationMode.PER_WORKER:
            raise ValueError(f"Input replication mode not supported: {replication_mode}")
        with self.scope():
            return self._extended._make_input_fn_iterator(input_fn, replication_mode=replication_mode)

    def experimental_make_numpy_dataset(self, numpy_input):
        return DatasetV2.from_tensor_slices(numpy_input)

    def configure(self, session_config=None, cluster_spec=None, task_type=None, task_id=None):
        pass

    def update_config_proto(self, config_proto):
        return config_proto

    def colocate_vars_with(self, colocate_with_variable):
        return self._extended.colocate_vars_with(colocate_with_variable)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


_NOTHING = contextlib.nullcontext()


class _DefaultExtended(StrategyExtended):
    """The extended part of the default strategy: every call is direct."""

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
        return _NOTHING


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
    """Everything runs on one chosen device.

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
