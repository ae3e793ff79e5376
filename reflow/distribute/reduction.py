"""Combines the values of all replicas: sums, means, concatenations of tensors and `tf.IndexedSlices`."""

from __future__ import annotations

from reflow.api.array.arrange import concat, shape
from reflow.api.export import export, with_sections
from reflow.api.math.arithmetic import add_n, cast, truediv
from reflow.api.math.reduce import reduce_sum
from reflow.core import nest
from reflow.core.indexed_slices import IndexedSlices
from reflow.distribute.values import DistributedValues, Mirrored, ReduceOp, as_reduce_op
from reflow.ops.convert import convert_to_tensor


def reduce_values(operation: ReduceOp, values):
    """The sum or the mean of one value per replica."""
    if isinstance(values[0], IndexedSlices):
        total = IndexedSlices(
            concat([v.values for v in values], 0), concat([v.indices for v in values], 0), values[0].dense_shape
        )
        if operation is ReduceOp.MEAN:
            return IndexedSlices(
                truediv(total.values, _count(total.values, len(values))), total.indices, total.dense_shape
            )
        return total
    tensors = [convert_to_tensor(v) for v in values]
    total = add_n(tensors)
    return total if operation is ReduceOp.SUM else truediv(total, _count(total, len(values)))


def _count(like, count: int):
    return cast(count, like.dtype)


def reduce_along(operation: ReduceOp, values, axis):
    """The sum or the mean over the replicas and over axes of each value; replicas may have different sizes there."""
    total = add_n([reduce_sum(v, axis=axis) for v in values])
    if operation is ReduceOp.SUM:
        return total
    axes = axis if isinstance(axis, (list, tuple)) else [axis]
    sizes = []
    for v in values:
        size = 1
        for one in axes:
            size = size * shape(v)[one]
        sizes.append(size)
    return truediv(total, cast(add_n(sizes), total.dtype))


def gather_values(values, axis):
    """The values of all replicas, concatenated along an axis."""
    return concat([as_value(v) for v in values], axis)


def as_value(x):
    """A tensor, or a composite tensor as it is."""
    return x if x is None or getattr(x, "_is_composite", False) else convert_to_tensor(x)


def refuse_rows(value, method: str) -> None:
    """NotImplementedError if a part of a value is an `IndexedSlices`, which cannot be concatenated."""
    if any(isinstance(part, IndexedSlices) for part in nest.flatten(value)):
        raise NotImplementedError(f"{method} does not support IndexedSlices")


REDUCTION = """\
Args:
  reduce_op: A `tf.distribute.ReduceOp`, or its name.
  value_destination_pairs: Pairs of a value and its destinations.
  options: A `tf.distribute.experimental.CommunicationOptions`.

Returns:
  {result}.
"""


@export("distribute.CrossDeviceOps")
class CrossDeviceOps:
    """How a strategy reduces and broadcasts values of its replicas. Replicas of one process share their memory here:
    all ways of doing it give the same sum.

    >>> values = tf.types.experimental.distributed.PerReplica([tf.constant(1.0), tf.constant(2.0)])
    >>> float(tf.distribute.ReductionToOneDevice().reduce("sum", values, values))
    3.0
    """

    _accumulate = staticmethod(reduce_values)

    @with_sections(REDUCTION, result="The value")
    def reduce(self, reduce_op, per_replica_value, destinations, options=None):
        """Makes one value of those of all replicas.

        Args:
          per_replica_value: A per-replica value.
          destinations: The devices that get the result.
        """
        return self.reduce_implementation(as_reduce_op(reduce_op), per_replica_value, destinations, options)

    def reduce_implementation(self, reduce_op, per_replica_value, destinations, options):
        """Implements `reduce`; subclasses may override it."""
        if not isinstance(per_replica_value, DistributedValues):
            per_replica_value = Mirrored([per_replica_value])
        return self._accumulate(reduce_op, per_replica_value.values)

    @with_sections(REDUCTION, result="A list of values")
    def batch_reduce(self, reduce_op, value_destination_pairs, options=None):
        """Does the same as `reduce` for several values."""
        return self.batch_reduce_implementation(as_reduce_op(reduce_op), value_destination_pairs, options)

    def batch_reduce_implementation(self, reduce_op, value_destination_pairs, options):
        """Implements `batch_reduce`; subclasses may override it."""
        return [self.reduce_implementation(reduce_op, v, d, options) for v, d in value_destination_pairs]

    def broadcast(self, tensor, destinations):
        """Puts a tensor on all destinations.

        Args:
          tensor: The tensor.
          destinations: The devices.

        Returns:
          A mirrored value; the tensor for one device.
        """
        return self.broadcast_implementation(tensor, destinations)

    def broadcast_implementation(self, tensor, destinations):
        """What `broadcast` does."""
        several = isinstance(destinations, DistributedValues)
        count = len(destinations.values if several else nest.flatten(destinations))
        return tensor if count == 1 else Mirrored([tensor] * count)


@export("distribute.ReductionToOneDevice")
class ReductionToOneDevice(CrossDeviceOps):
    """Adds the values of replicas up on one device.

    Args:
      reduce_to_device: The device, which is recorded only.
      accumulation_fn: A function from a list of tensors to their sum; by default `tf.add_n`.

    >>> isinstance(tf.distribute.ReductionToOneDevice(), tf.distribute.CrossDeviceOps)
    True
    """

    def __init__(self, reduce_to_device=None, accumulation_fn=None):
        self.reduce_to_device, self.accumulation_fn = reduce_to_device, accumulation_fn
        if accumulation_fn is not None:
            self._accumulate = self._by_function

    def _by_function(self, operation, values):
        total = self.accumulation_fn([convert_to_tensor(v) for v in values])
        return total if operation is ReduceOp.SUM else truediv(total, _count(total, len(values)))


class AllReduceCrossDeviceOps(CrossDeviceOps):
    """Adds the values of replicas up by an algorithm of TensorFlow's; JAX's collectives and copies do that work here,
    so its name is recorded only. `num_packs` says in how many pieces values are sent."""

    def __init__(self, all_reduce_alg="nccl", num_packs=1):
        if num_packs < 0:
            raise ValueError(f"`num_packs` must be greater than zero. Received: {num_packs}")
        self.all_reduce_alg, self.num_packs = all_reduce_alg, num_packs


_PACKS = """\
Args:
  num_packs: In how many pieces values are sent, which is recorded only.

Raises:
  ValueError: `num_packs` is negative.
"""


@export("distribute.NcclAllReduce")
@with_sections(_PACKS)
class NcclAllReduce(AllReduceCrossDeviceOps):
    """Adds the values of replicas up by NCCL where there are GPUs; JAX's collectives and copies do that work here.

    >>> tf.distribute.NcclAllReduce(num_packs=2).num_packs
    2
    """

    def __init__(self, num_packs=1):
        super().__init__("nccl", num_packs)


@export("distribute.HierarchicalCopyAllReduce")
@with_sections(_PACKS)
class HierarchicalCopyAllReduce(AllReduceCrossDeviceOps):
    """Adds the values of replicas up along a hierarchy of copies; JAX's collectives and copies do that work here.

    >>> tf.distribute.HierarchicalCopyAllReduce().num_packs
    1
    """

    def __init__(self, num_packs=1):
        super().__init__("hierarchical_copy", num_packs)
