"""`tf.distribute.MirroredStrategy`: several replicas in one process, one per device, with equal copies of the
variables.

`run(fn)` runs `fn` as each replica, in lockstep (`replicas.py`). In a function that means one graph with the nodes of
all replicas, and one program: the replicas' matrix products run in parallel, and a sum over replicas is an `AddN`.
Logical CPU devices share the host's memory, so nothing is copied between them.
"""

from __future__ import annotations

import functools
import weakref

from reflow.api.array.arrange import identity
from reflow.api.autograph.status import control_status_ctx, tf_convert
from reflow.api.export import export
from reflow.api.gradients import custom_gradient
from reflow.core import nest
from reflow.core.context import Variant, state, swapped
from reflow.core.indexed_slices import IndexedSlices
from reflow.core.logging import logger
from reflow.devices import placement
from reflow.distribute import input as inputs
from reflow.distribute.extended import ReplicaContext, StrategyExtended, cross_replica
from reflow.distribute.reduction import (
    CrossDeviceOps,
    ReductionToOneDevice,
    as_value,
    gather_values,
    reduce_along,
    reduce_values,
    refuse_rows,
)
from reflow.distribute.replicas import meet, run_in_step
from reflow.distribute.strategy import Strategy
from reflow.distribute.values import (
    DistributedValues,
    Mirrored,
    PerReplica,
    ReduceOp,
    as_reduce_op,
    regroup,
    select,
)
from reflow.distribute.variables import DistributedVariable, mark_as_unsaveable, new_variable
from reflow.function import tracing
from reflow.function.function import Function
from reflow.ops.convert import convert_to_tensor
from reflow.ops.dispatch import run


class MirroredReplicaContext(ReplicaContext):
    """The context of one of several replicas. Its reductions are rendezvous with the others, and functions have
    separate traces for it.
    """

    def _entered(self) -> dict:
        return super()._entered() | ({} if isinstance(state.variant, Variant) else {"variant": self})

    @property
    def replica_id_in_sync_group(self):
        return convert_to_tensor(self._replica_id_in_sync_group)

    @property
    def _replica_id_in_sync_group(self) -> int:
        return self.strategy.extended._first_replica + self._replica_id

    alone = property(lambda self: len(self.strategy.extended._devices) == 1)  # this process has no other replica

    @property
    def devices(self) -> tuple:
        return (self.strategy.extended.worker_devices[self._replica_id],)

    def merge_call(self, merge_fn, args=(), kwargs=None):
        strategy = self.strategy

        def hold(brought):
            args, kwargs = regroup(brought)
            with cross_replica(strategy):
                merged = merge_fn(strategy, *args, **kwargs)
            return [select(i, merged) for i in range(len(brought))]

        return meet(hold, (tuple(args), kwargs or {}))

    def all_reduce(self, reduce_op, value, options=None):
        operation = as_reduce_op(reduce_op)
        flat = [v if isinstance(v, IndexedSlices) else convert_to_tensor(v) for v in nest.flatten(value)]
        if any(isinstance(v, IndexedSlices) for v in flat):
            reduced = self._exchange(operation, flat, options)
        else:
            reduced = nest.flatten(self._all_reduce_tensors(operation, options)(*flat))
        return nest.pack_sequence_as(value, reduced)

    def _all_reduce_tensors(self, operation: ReduceOp, options):
        """The reduction of tensors as a function with a gradient.

        Every replica's value has a part in every replica's result.
        """

        @custom_gradient
        def reduce(*flat):
            return (
                tuple(self._exchange(operation, flat, options)),
                lambda *dys: tuple(self._exchange(operation, dys, options)),
            )

        return reduce

    def _exchange(self, operation: ReduceOp, flat, options) -> list:
        """The flat values of all replicas, reduced; called by each replica."""
        extended = self.strategy.extended

        def hold(brought):
            columns = [_distinct(values) for values in zip(*brought, strict=True)]
            return [extended._reduce_columns(operation, columns, options)] * len(brought)

        return [v if isinstance(v, IndexedSlices) else run("Identity", v) for v in meet(hold, flat)]

    def all_gather(self, value, axis, options=None):
        """`value` of all replicas, concatenated along `axis`."""
        refuse_rows(value, "all_gather")
        return nest.map_structure(functools.partial(self._all_gather, axis), value)

    def _all_gather(self, axis, value):
        extended = self.strategy.extended
        hold = lambda brought: [extended._gather_values(_distinct(brought), axis)] * len(brought)
        return identity(meet(hold, as_value(value)))


def _distinct(values):
    """As in TensorFlow, one tensor that all replicas pass counts as one value, not as one per replica."""
    return values[:1] if all(v is values[0] for v in values) else values


class MirroredExtended(StrategyExtended):
    """The extended part of a strategy with several replicas in this process."""

    def __init__(self, container_strategy, devices, cross_device_ops=None):
        super().__init__(container_strategy, devices[0])
        self._devices = tuple(devices)
        self._cross_device_ops = cross_device_ops or ReductionToOneDevice()
        self._made: dict = {}  # variables that the replicas of the running step created, by name
        self._taken: list = []  # for each replica, how many of each name it has created or been given
        # a function -> itself for all replicas
        self._functions: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
        self._contexts = [MirroredReplicaContext(container_strategy, i) for i in range(len(devices))]

    worker_devices = property(lambda self: self._devices)
    parameter_devices = property(lambda self: self._devices)
    _num_replicas_in_sync = property(lambda self: len(self._devices))
    _first_replica = 0  # the number among all replicas of the first one in this process

    def _use_merge_call(self) -> bool:
        return True

    def _create_variable(self, next_creator, **kwargs):
        """A variable with its copies.

        In replicas, the first one makes it, and the others get the same one by its name.
        """
        if state.replica_context is None or state.updating is not None:
            return self._new_variable(next_creator, kwargs)
        name, replica = kwargs.get("name"), state.replica_context._replica_id
        made = self._made.setdefault(name, [])
        taken = self._taken[replica]
        place = taken[name] = taken.get(name, 0) + 1
        if len(made) < place:
            if replica:
                raise RuntimeError(
                    f"Replica {replica} created the variable {name!r}, which the first replica did not: all replicas "
                    "must create the same variables in the same order."
                )
            with cross_replica(self._container_strategy()):
                made.append(self._new_variable(next_creator, kwargs))
        return made[place - 1]

    def _new_variable(self, next_creator, kwargs):
        scopes = [placement.DeviceScope(device) for device in self._devices]
        return new_variable(self._container_strategy(), next_creator, scopes, kwargs)

    def _call_for_each_replica(self, fn, args, kwargs):
        """Run `fn` as each replica, in step; the results regrouped.

        A `tf.function` is traced once, for all replicas together.
        """
        if isinstance(fn, Function) and state.variant is not Variant.EAGERLY and not fn.options.jit_compile:
            if fn not in self._functions:
                self._functions[fn] = self._for_all_replicas(fn)
            return self._functions[fn](args, kwargs)
        return self._call_each(fn, args, kwargs)

    def _for_all_replicas(self, function: Function) -> Function:
        plain = function.python_function
        converted = (
            tracing.convert_for_autograph(plain, function.options.autograph_options) if function.options.autograph
            else plain
        )
        options = function.options._replace(autograph=False)
        return Function(lambda args, kwargs: self._call_each(converted, args, kwargs), function.name, options=options)

    def _call_each(self, fn, args, kwargs):
        count = len(self._devices)
        fn = tf_convert(fn, control_status_ctx(), convert_by_default=False)

        def as_replica(i):
            with placement.DeviceScope(self._devices[i]):
                return fn(*select(i, args), **select(i, kwargs))

        functions = [functools.partial(as_replica, i) for i in range(count)]
        self._made, self._taken = {}, [{} for _ in range(count)]
        return regroup(run_in_step(functions, self._contexts))

    def _run(self, fn, args, kwargs):
        return self.call_for_each_replica(fn, tuple(args), kwargs)

    def _reduce(self, operation, value, axis):
        if axis is None:
            return self._reduce_to(operation, value, value, None)
        values = value.values if isinstance(value, DistributedValues) else [value] * len(self._devices)
        return reduce_along(operation, values, axis)

    def _reduce_columns(self, operation, columns, options=None) -> list:
        """For each column, which has a value of every replica: their sum or mean."""
        return [reduce_values(operation, values) for values in columns]

    def _gather_values(self, values, axis):
        """The values of all replicas, concatenated along an axis."""
        return gather_values(values, axis)

    def _gather(self, value, axis):
        if isinstance(value, DistributedValues):
            return self._gather_values(value.values, axis)
        return as_value(value)

    def _local_results(self, value) -> tuple:
        if isinstance(value, DistributedValues) or not nest.is_nested(value):
            return super()._local_results(value)

        def part(i: int):
            return nest.map_structure(lambda x: x.values[i] if isinstance(x, DistributedValues) else x, value)

        return tuple(part(i) for i in range(len(self._devices)))

    def _divide_dataset(self, dataset):
        return inputs.share_batches(dataset, len(self._devices))

    def _dealt_dataset(self, dataset):
        return inputs.deal_elements(dataset, len(self._devices))

    def _per_replica(self, values):
        flat = zip(*[nest.flatten(value) for value in values], strict=True)
        return nest.pack_sequence_as(values[0], [PerReplica(leaves) for leaves in flat])

    def _update_in_replica(self, context, var, fn, args, kwargs, group):
        """An update requested by replicas runs once, for all of them."""

        def update_all(_, *args, **kwargs):
            return self.update(var, fn, args, kwargs, group)

        return context.merge_call(update_all, args, kwargs)

    def _update(self, var, fn, args, kwargs, group):
        if not isinstance(var, DistributedVariable):
            raise ValueError(
                f"`update` needs a variable that was created in the strategy's scope. Received: {var!r}"
            )
        return _updated(self._update_copies(var, fn, args, kwargs), group)

    def _update_copies(self, var, fn, args, kwargs) -> list:
        """The results of `fn` for every copy of a variable."""
        mark_as_unsaveable()
        results = []
        for i, copy in enumerate(var.values):
            with placement.DeviceScope(self._devices[i]), swapped(updating=i):
                results.append(fn(copy, *select(i, args), **select(i, kwargs)))
        return results

    def _update_non_slot(self, colocate_with, fn, args, kwargs, group):
        results = []
        for i, device in enumerate(self._devices):
            with placement.DeviceScope(device), swapped(updating=i):
                results.append(fn(*select(i, args), **select(i, kwargs)))
        return _updated(results, group)

    def non_slot_devices(self, var_list):
        return self._devices

    def _reduce_to(self, operation, value, destinations, options):
        if isinstance(value, DistributedVariable) or (isinstance(value, Mirrored) and operation is ReduceOp.MEAN):
            return (
                value._primary if operation is ReduceOp.MEAN else self._cross_device_ops.reduce(operation, value, value)
            )
        if not isinstance(value, DistributedValues):
            return self._of_equal_values(operation, value)
        return self._cross_device_ops.reduce(operation, value, destinations, options)

    def _of_equal_values(self, operation, value):
        """The reduction of a value that is not one per replica: a mean is the value, a sum is a mistake."""
        if (
            operation is ReduceOp.MEAN or (isinstance(value, (int, float)) and value == 0)
            or self._num_replicas_in_sync == 1
        ):
            return value
        raise ValueError(
            f"A non-DistributedValues value {value} cannot be reduced with the given reduce op {operation}."
        )

    def broadcast_to(self, tensor, destinations):
        return Mirrored([tensor] * len(self._devices))

    def read_var(self, v):
        return v._get() if isinstance(v, DistributedVariable) else convert_to_tensor(v)

    def value_container(self, value):
        container = getattr(value, "_distributed_container", None)
        return value if container is None else container()


def _updated(results: list, group: bool):
    """What an update of all copies returns: mirrored values, or if not to be grouped, a tuple of each copy's."""
    if group:
        return regroup(results, Mirrored)
    return nest.map_structure(
        lambda v: v.values if isinstance(v, DistributedValues) else (v,), regroup(results, Mirrored)
    )


@export("distribute.MirroredStrategy")
class MirroredStrategy(Strategy):
    """One replica per device, with copies of the variables that stay equal.

    Args:
      devices: names of the devices; all GPUs if None, or the first CPU where there is none.
      cross_device_ops: how values are reduced, a `tf.distribute.CrossDeviceOps`.

    Raises:
      ValueError: for an empty list, a device twice, or devices of several kinds.

    >>> strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
    >>> strategy.run(lambda x: x * 2, args=(3,))
    6
    """

    _extended_type = MirroredExtended

    def __init__(self, devices=None, cross_device_ops=None):
        names = device_names(devices)
        if cross_device_ops is not None and not isinstance(cross_device_ops, CrossDeviceOps):
            raise ValueError(
                f"`cross_device_ops` must be a tf.distribute.CrossDeviceOps. Received: {cross_device_ops!r}"
            )
        logger.info("Using MirroredStrategy with devices %s", tuple(names))
        super().__init__(self._extended_type(self, names, cross_device_ops))


def device_names(devices) -> list[str]:
    """Full names of the devices of a strategy, checked."""
    if not devices:
        found = placement.logical_devices("GPU") or placement.logical_devices("CPU")[:1]
        devices = [d.name for d in found]
    names = [placement.LOCAL + placement.merged("", d).removeprefix(placement.LOCAL) for d in devices]
    if len(set(names)) != len(names):
        raise AssertionError(f"No duplicates allowed in `devices` argument: {tuple(names)}")
    missing = sorted(set(names) - {placement.LOCAL + d.name for d in placement.logical_devices()})
    # soft placement finds others for them, as for any op; without it the first variable says what is missing
    if missing:
        logger.warning(
            "Some requested devices in `tf.distribute.Strategy` are not visible to TensorFlow: %s", ",".join(missing)
        )
    return names
