"""Variables under a strategy with several replicas: one copy per replica.

The copies of a `MirroredVariable` are equal: writes of all replicas are combined first. The copies of a
`SyncOnReadVariable` are independent, and are combined when it is read in a cross-replica context; metrics use these. A
replica sees its own copy; code outside sees the first copy, or the combination.
"""

from __future__ import annotations

import functools
import weakref
from typing import Any

from reflow.api.array.arrange import identity
from reflow.api.control.printing import group
from reflow.api.export import export, export_value
from reflow.api.math.arithmetic import cast, truediv
from reflow.core.context import Variant, state
from reflow.distribute.replicas import meet
from reflow.distribute.values import DistributedValues, Mirrored, PerReplica, ReduceOp, current_replica, select
from reflow.eager.variable_enums import VariableAggregation, VariableSynchronization
from reflow.eager.variables import Variable
from reflow.graph.func_graph import FuncGraph, in_plain_graph
from reflow.ops.kernels.control.state import assign_add_variable, assign_sub_variable, assign_variable

#: TensorFlow's reason, in its wording, because programs match it
UNSAVEABLE = (
    "ConcreteFunction that uses distributed variables in certain way cannot be saved: it was traced for several "
    "devices. Instead of tf.saved_model.save(..., signatures=f.get_concrete_function()), give the function itself, "
    "which is traced again for one device: @tf.function(input_signature=...) def f_with_input_signature(): ..., "
    "tf.saved_model.save(..., signatures=f_with_input_signature)."
)
_CALLED = {assign_variable: "assign", assign_add_variable: "assign_add", assign_sub_variable: "assign_sub"}


class DistributedVariable(Variable, DistributedValues):
    """A variable with one copy per replica."""

    def __init__(self, strategy, copies, aggregation):
        self._values = tuple(copies)
        self._distribute_strategy = strategy
        self._aggregation = aggregation
        first = self._values[0]
        for name in (
            "_synchronization", "_trainable", "_constraint", "_caching_device", "_dtype", "_dims", "_shared_name"
        ):
            setattr(self, name, getattr(first, name))
        self._read_attrs = first._read_attrs
        for copy in self._values:
            copy._distributed_container = weakref.ref(self)
            copy._distribute_strategy = strategy

    _handle = property(lambda self: self._get()._handle)  # type: ignore[assignment]
    _unique_id = property(lambda self: self._values[0]._unique_id)
    distribute_strategy = property(lambda self: self._distribute_strategy)
    _packed_variable = _policy = None  # parts of TensorFlow's variables that libraries look for

    def value(self):
        return self._get().value()

    read_value = value

    def numpy(self):
        return self.value().numpy()

    def __array__(self, dtype=None, copy=None):
        return self.value().__array__(dtype, copy)

    def sparse_read(self, indices, name=None):
        return self._get().sparse_read(indices, name)

    def is_initialized(self, name=None):
        return self._get().is_initialized(name)

    def set_shape(self, shape):
        for copy in self._values:
            copy.set_shape(shape)
        self._dims = self._values[0]._dims

    def _written(self):
        return self

    def _write(self, op, value, read_value: bool, name=None):
        return self._update(lambda copy, v: copy._write(op, v, read_value, name), value, _CALLED[op])

    def _scatter(self, op_name: str, slices):
        return self._update(lambda copy, v: copy._scatter(op_name, v), slices, "scatter")

    def _scatter_nd(self, op_name, indices, updates):
        return self._update(lambda copy, v: copy._scatter_nd(op_name, indices, v), updates, "scatter_nd")

    def _strided_slice_assign(self, begin, end, strides, value, masks):
        return self._update(lambda copy, v: copy._strided_slice_assign(begin, end, strides, v, masks), value, "assign")

    def _update(self, write, value, method):
        """Write what one replica, or the code around all of them, writes. A SavedModel has the first copy alone."""
        if state.variant is Variant.SAVING:
            return write(self._values[0], value)
        mark_as_unsaveable()
        return self._update_in_step(write, value, method)

    def _update_in_step(self, write, value, method):
        raise NotImplementedError

    def _reduced(self, values):
        """The values of all replicas as one, by the variable's aggregation."""
        operation = ReduceOp.from_variable_aggregation(self._aggregation)
        return self._distribute_strategy.extended._reduce_columns(operation, [values])[0]

    def _write_all(self, write, value):
        """Write every copy: its own part of a value that differs between replicas, else the same value. Returns the
        variable; in a graph that sessions run, its value after all of these writes."""
        written = [write(copy, select(i, value)) for i, copy in enumerate(self._values)]
        if not self._in_session_graph():
            return self
        with state.graph.control_dependencies([w for w in written if w is not None]):
            return self.value()

    def _in_session_graph(self) -> bool:
        return in_plain_graph(state.graph)

    def graph_element(self):
        """What a session fetches for this variable."""
        return self._values[0].graph_element()

    _as_graph_element = graph_element

    @property
    def initializer(self):
        """In a graph, the op that gives all copies their first value; for a SavedModel that of the first copy."""
        if state.variant is Variant.SAVING:
            return self._values[0].initializer
        return group(*[copy.initializer for copy in self._values])

    def _export_to_saved_model_graph(self, *args, **kwargs):
        return self._values[0]._export_to_saved_model_graph(*args, **kwargs)

    def __deepcopy__(self, memo):
        with self._distribute_strategy.scope():
            return super().__deepcopy__(memo)

    def __repr__(self):
        return self._text(repr)

    __str__ = __repr__


class MirroredVariable(DistributedVariable, Mirrored):
    """Equal copies. A replica's write is combined with those of the others by the variable's `aggregation`."""

    synchronization = property(lambda self: VariableSynchronization.ON_WRITE)

    def _update_in_step(self, write, value, method):
        replica = current_replica()
        if state.updating is not None:
            return write(self._values[state.updating], value)
        if replica is not None and state.strategy is not self._distribute_strategy:
            raise RuntimeError(
                f"Mixing different tf.distribute.Strategy objects: {state.strategy} is not {self._distribute_strategy}"
            )
        if replica is None:
            return self._write_all(write, value)
        if self._aggregation is VariableAggregation.NONE:
            return write(self._values[replica], value)
        return meet(lambda brought: [self._write_all(write, self._combined(brought))] * len(brought), value)

    def _combined(self, values):
        if self._aggregation is VariableAggregation.ONLY_FIRST_REPLICA:
            return values[0]
        return self._reduced(values)


class SyncOnReadVariable(DistributedVariable):
    """A copy for each replica, combined by the variable's `aggregation` when it is read for all of them."""

    def _update_in_step(self, write, value, method):
        replica = current_replica()
        if replica is not None:
            return write(self._values[replica], value)
        if self._aggregation is VariableAggregation.SUM:
            if method != "assign":
                raise ValueError(
                    f"SyncOnReadVariable does not support `{method}` in cross-replica context when aggregation is set "
                    "to `tf.VariableAggregation.SUM`."
                )
            count = self._distribute_strategy.num_replicas_in_sync
            value = truediv(cast(value, self._dtype), cast(count, self._dtype))
            value = cast(value, self._dtype)
        return self._write_all(write, value)

    def value(self):
        if (
            state.variant is Variant.SAVING
            or self._aggregation in (VariableAggregation.NONE, VariableAggregation.ONLY_FIRST_REPLICA)
        ):
            return self._get().value()
        if current_replica() is not None:
            return self._get().value()
        if self._aggregation is VariableAggregation.SUM:
            mark_as_unsaveable()
        return cast(self._reduced([v.value() for v in self._values]), self._dtype)

    read_value = graph_element = _as_graph_element = value


def mark_as_unsaveable() -> None:
    if isinstance(state.graph, FuncGraph):
        state.graph.mark_as_unsaveable(UNSAVEABLE)


def new_variable(strategy, next_creator, devices, kwargs, kinds=(MirroredVariable, SyncOnReadVariable)):
    """A distributed variable: a copy on each device, all with the value of the first.

    `kinds`: the class with equal copies, and the other.
    """
    synchronization = VariableSynchronization(kwargs.get("synchronization") or VariableSynchronization.AUTO)
    aggregation = VariableAggregation(kwargs.get("aggregation") or VariableAggregation.NONE)
    if synchronization is VariableSynchronization.NONE:
        raise ValueError(
            "`NONE` variable synchronization mode is not supported with tf.distribute strategy. Please change the "
            f"`synchronization` for variable: {kwargs.get('name')}"
        )
    name = kwargs.get("name") or "Variable"
    copies: list = []
    for i, device in enumerate(devices):
        mine = dict(kwargs)
        if i:
            mine["name"] = f"{name.removesuffix(':0')}/replica_{i}"
            mine["initial_value"] = functools.partial(_first_value, copies[0])
        with device:
            copies.append(next_creator(**mine))
    kind = kinds[synchronization is VariableSynchronization.ON_READ]
    return kind(strategy, copies, aggregation)


def _first_value(first: Any) -> Any:
    """The value that the other copies begin with. In a graph, where all are initialized at once, it is what the first
    begins with; otherwise it is read, outside of any function that is being traced."""
    graph = state.graph
    return first.value() if graph is None or graph.building_function else identity(first.initial_value)


@export("__internal__.distribute.is_distributed_variable")
def is_distributed_variable(v) -> bool:
    """Whether `v` has a copy for each replica.

    >>> is_distributed_variable(tf.Variable(1))
    False
    """
    return isinstance(v, DistributedVariable)


@export("__internal__.distribute.is_mirrored")
def is_mirrored(v) -> bool:
    """Whether the copies of `v` are equal.

    >>> is_mirrored(tf.Variable(1))
    False
    """
    return isinstance(v, Mirrored)


@export("__internal__.distribute.is_sync_on_read")
def is_sync_on_read(v) -> bool:
    """Whether the copies of `v` are combined when it is read.

    >>> is_sync_on_read(tf.Variable(1))
    False
    """
    return isinstance(v, SyncOnReadVariable)


export_value(DistributedVariable, "__internal__.distribute.DistributedVariable")
export_value(MirroredVariable, "__internal__.distribute.MirroredVariable")
export_value(SyncOnReadVariable, "__internal__.distribute.SyncOnReadVariable")
__all__ = ["DistributedVariable", "MirroredVariable", "PerReplica", "SyncOnReadVariable", "new_variable"]
