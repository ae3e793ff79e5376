"""`tf.distribute`: per-replica values, their reduction, and options of inputs and runs."""

from __future__ import annotations

import collections
import enum
from typing import NamedTuple

from reflow.api.export import export, export_value
from reflow.core import nest, specs
from reflow.core.context import state
from reflow.core.tensor import EagerTensor, Tensor
from reflow.eager import variables
from reflow.ops.convert import convert_to_tensor


@export("distribute.ReduceOp")
class ReduceOp(enum.Enum):
    """Says how the values of several replicas become one.

    Attributes:
      SUM: They are added up.
      MEAN: They are averaged.

    >>> tf.distribute.ReduceOp.MEAN.name
    'MEAN'
    """

    SUM = "SUM"
    MEAN = "MEAN"

    @staticmethod
    def from_variable_aggregation(aggregation):
        """Returns the reduction that a variable's aggregation stands for.

        Args:
          aggregation: A `tf.VariableAggregation`.

        Returns:
          A `tf.distribute.ReduceOp`.

        Raises:
          ValueError: It is neither SUM nor MEAN.
        """
        mapping = {variables.VariableAggregation.SUM: ReduceOp.SUM, variables.VariableAggregation.MEAN: ReduceOp.MEAN}
        reduce_op = mapping.get(aggregation)
        if not reduce_op:
            raise ValueError(
                f"Could not convert from `tf.VariableAggregation` {aggregation} to`tf.distribute.ReduceOp` type"
            )
        return reduce_op


def as_reduce_op(value) -> ReduceOp:
    return ReduceOp(value.upper()) if isinstance(value, str) else ReduceOp(value)


@export("distribute.InputReplicationMode")
class InputReplicationMode(enum.Enum):
    """Says how often `distribute_datasets_from_function` calls its function.

    Attributes:
      PER_WORKER: Once for each worker.
      PER_REPLICA: Once for each replica.

    >>> tf.distribute.InputOptions(experimental_replication_mode=tf.distribute.InputReplicationMode.PER_REPLICA)[1].name
    'PER_REPLICA'
    """

    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


InputOptions = export("distribute.InputOptions")(
    collections.namedtuple(
        "InputOptions",
        [
            "experimental_fetch_to_device",
            "experimental_replication_mode",
            "experimental_place_dataset_on_device",
            "experimental_per_replica_buffer_size",
        ],
        defaults=(None, InputReplicationMode.PER_WORKER, False, 1),
    )
)
InputOptions.__doc__ = """How a strategy reads a dataset: an argument of `experimental_distribute_dataset`.

Args:
  experimental_fetch_to_device: Whether elements are copied to the replicas ahead; None for yes.
  experimental_replication_mode: A `tf.distribute.InputReplicationMode`.
  experimental_place_dataset_on_device: Whether the pipeline itself runs on the device.
  experimental_per_replica_buffer_size: How many elements wait for a replica.

>>> tf.distribute.InputOptions(experimental_per_replica_buffer_size=2).experimental_per_replica_buffer_size
2
"""
RunOptions = export("distribute.RunOptions")(
    collections.namedtuple(
        "RunOptions",
        [
            "experimental_enable_dynamic_batch_size",
            "experimental_bucketizing_dynamic_shape",
            "experimental_xla_options",
        ],
        defaults=(True, False, None),
    )
)
RunOptions.__doc__ = """How `tf.distribute.Strategy.run` runs a function on TPUs.

Args:
  experimental_enable_dynamic_batch_size: Whether the last batch may be smaller than the others.
  experimental_bucketizing_dynamic_shape: Whether sizes that vary are rounded up.
  experimental_xla_options: The `tf.tpu.XLAOptions`.

>>> tf.distribute.RunOptions(experimental_bucketizing_dynamic_shape=True).experimental_bucketizing_dynamic_shape
True
"""


@export("distribute.InputContext")
class InputContext:
    """Tells a function that builds a dataset its place among the others.

    Args:
      num_input_pipelines: How many datasets are built.
      input_pipeline_id: Which of them this is.
      num_replicas_in_sync: How many replicas there are.

    >>> tf.distribute.InputContext(num_replicas_in_sync=2).get_per_replica_batch_size(8)
    4
    """

    num_input_pipelines: int
    input_pipeline_id: int
    num_replicas_in_sync: int

    def __init__(self, num_input_pipelines=1, input_pipeline_id=0, num_replicas_in_sync=1):
        self.num_input_pipelines = num_input_pipelines
        self.input_pipeline_id = input_pipeline_id
        self.num_replicas_in_sync = num_replicas_in_sync

    def get_per_replica_batch_size(self, global_batch_size):
        """Returns the part of a batch that one replica gets.

        Args:
          global_batch_size: The size of the whole batch.

        Returns:
          An integer.

        Raises:
          ValueError: It cannot be divided by the number of replicas.

        >>> InputContext(num_replicas_in_sync=2).get_per_replica_batch_size(8)
        4
        """
        if global_batch_size % self.num_replicas_in_sync != 0:
            raise ValueError(
                f"The `global_batch_size` {global_batch_size!r} is not divisible by `num_replicas_in_sync` "
                f"{self.num_replicas_in_sync!r} "
            )
        return global_batch_size // self.num_replicas_in_sync

    def __str__(self):
        return (
            f"tf.distribute.InputContext(input pipeline id {self.input_pipeline_id}, total: {self.num_input_pipelines})"
        )


@export("distribute.experimental.ValueContext")
class ValueContext(NamedTuple):
    """Tells the function of `experimental_distribute_values_from_function` which replica it makes a value for.

    Args:
      replica_id_in_sync_group: The number of the replica, from 0.
      num_replicas_in_sync: How many replicas there are.

    >>> tf.distribute.experimental.ValueContext(1, 2).replica_id_in_sync_group
    1
    """

    replica_id_in_sync_group: int = 0
    num_replicas_in_sync: int = 1


@export("distribute.DistributedValues")
class DistributedValues:
    """Holds a value for each replica.

    Args:
      values: The values.

    >>> isinstance(tf.constant(1), tf.distribute.DistributedValues)
    False
    """

    def __init__(self, values):
        self._values = tuple(values)

    values = property(lambda self: self._values)
    _primary = property(lambda self: self._values[0])

    def _get(self):
        """The value of the replica that asks; in a cross-replica context that of the first."""
        return self._values[current_replica() or 0]

    def _text(self, show) -> str:
        lines = [f"  {i}: {show(v)}" for i, v in enumerate(self._values)]
        return f"{type(self).__name__}:{{\n" + ",\n".join(lines) + "\n}"

    def __str__(self):
        return self._text(str)

    def __repr__(self):
        return self._text(repr)


def current_replica() -> int | None:
    """The number of the replica that runs this code, or whose variables it updates; None outside of replicas."""
    if state.updating is not None:
        return state.updating
    return None if state.replica_context is None else state.replica_context._replica_id


@export("types.experimental.distributed.PerReplica")
class PerReplica(DistributedValues):
    """Holds values that may differ between replicas. A function takes them apart and puts them together, like any
    composite value.

    Args:
      values: The values.

    >>> tf.types.experimental.distributed.PerReplica([1, 2]).values
    (1, 2)
    """

    _is_composite = True
    _type_spec = property(lambda self: PerReplicaSpec(*[specs.type_spec_from_value(v) for v in self._values]))
    shape = property(lambda self: self._get().shape)

    def __tf_tensor__(self, dtype=None, name=None):
        if current_replica() is None:
            raise ValueError(
                "It looks like you are using a PerReplica object while not inside a replica context, which is not "
                "supported. Try running your op or function inside a replica context by using `strategy.run`"
            )
        return convert_to_tensor(self._get(), dtype, name=name)

    @property
    def _quick_parts(self) -> tuple[tuple, tuple] | None:
        """A key and the tensors, with which a function finds the trace of an earlier call.

        None if a value is not a tensor.
        """
        key: list = [PerReplica]
        for value in self._values:
            if type(value) is not EagerTensor:
                return None
            key += (value._dtype.enum, value._value.shape)
        return tuple(key), self._values


class PerReplicaSpec(specs.TypeSpec):
    """The spec of a `PerReplica`, by those of its values."""

    __slots__ = ("_value_specs",)
    value_type = PerReplica

    def __init__(self, *value_specs):
        self._value_specs = tuple(value_specs)

    def _serialize(self):
        return self._value_specs

    @property
    def _component_specs(self):
        return self._value_specs

    def _to_components(self, value):
        plain = [isinstance(spec, specs.TensorSpec) for spec in self._value_specs]  # texts and numbers become tensors
        return tuple(convert_to_tensor(v) if is_tensor else v for v, is_tensor in zip(value.values, plain, strict=True))

    def _from_components(self, components):
        return PerReplica(components)

    def __repr__(self):
        return f"PerReplicaSpec({', '.join(map(repr, self._value_specs))})"


@export("types.experimental.distributed.Mirrored")
class Mirrored(DistributedValues):
    """Holds values that are equal on all replicas, and stands for the value: it has its attributes and operators.

    Args:
      values: The values.

    >>> tf.types.experimental.distributed.Mirrored([3, 3]).values
    (3, 3)
    >>> tf.types.experimental.distributed.Mirrored([3, 3]) + 1
    4
    """

    def __getattr__(self, name):
        if name in ("_values", "_distributed_container"):  # not yet set; of the copies of a variable
            raise AttributeError(name)
        return getattr(self._get(), name)

    def __tf_tensor__(self, dtype=None, name=None):
        return convert_to_tensor(self._get(), dtype, name=name)


def _delegated(name):
    return lambda self, *operands: getattr(self._get(), name)(*operands)


#: tensors in Mirrored are compared by identity, as in TensorFlow
for _name in Tensor.OVERLOADABLE_OPERATORS - {"__eq__", "__ne__"}:
    setattr(Mirrored, _name, _delegated(_name))


@export("__internal__.distribute.select_replica")
def select(replica: int, structure):
    """One replica's part of a structure."""
    return nest.map_structure(lambda x: x.values[replica] if _is_divided(x) else x, structure)


def _is_divided(x) -> bool:
    """Whether replicas get parts of it. A variable finds out itself which replica reads it."""
    return isinstance(x, DistributedValues) and not isinstance(x, variables.Variable)


@export("__internal__.distribute.select_replica_mirrored")
def select_mirrored(replica: int, structure):
    """One replica's part of a structure of which every distributed value is mirrored; TypeError if one is not."""
    for value in nest.flatten(structure):
        if isinstance(value, DistributedValues) and not isinstance(value, Mirrored):
            raise TypeError(f"Expected value to be mirrored across replicas: {value} in {structure}.")
    return select(replica, structure)


@export("__internal__.distribute.regroup")
def regroup(parts, wrap_class=PerReplica, always_wrap=False):
    """The parts of all replicas as one structure: a `wrap_class` where they differ, the thing itself where it is the
    same, unless it is to be wrapped always."""
    # a proxy, as `wrapt` makes them
    if type(parts[0]) is not parts[0].__class__ and nest.is_nested(getattr(parts[0], "__wrapped__", None)):
        parts = [part.__wrapped__ for part in parts]
    first = parts[0]
    if nest.is_nested(first):
        for part in parts[1:]:
            nest.assert_same_structure(first, part)
        flat = zip(*[nest.flatten(part) for part in parts], strict=True)
        return nest.pack_sequence_as(first, [regroup(leaves, wrap_class, always_wrap) for leaves in flat])
    if always_wrap:
        return wrap_class(parts)
    container = _container(first)
    if container is not None and all(_container(part) is container for part in parts):
        return container
    if all(part is first for part in parts):
        return first
    return wrap_class(parts)


def _container(x):
    """The distributed variable that a variable is a copy of, if it is one."""
    reference = getattr(x, "_distributed_container", None)
    return None if reference is None else reference()


export_value(DistributedValues, "__internal__.distribute.DistributedValues")
export_value(PerReplica, "__internal__.distribute.PerReplica")
export_value(PerReplicaSpec, "__internal__.distribute.PerReplicaSpec")
export_value(Mirrored, "__internal__.distribute.Mirrored")
