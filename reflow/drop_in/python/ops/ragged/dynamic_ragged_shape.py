"""`tensorflow.python.ops.ragged.dynamic_ragged_shape`: how one ragged shape is broadcast to another.

Each axis of a shape has a *layer*: the slices up to that axis, numbered from 0. A layer broadcaster says for each slice
of the target's layer which slice of the source it is: its *gather index*. A broadcaster has one for each axis of the
source. How the layers of two shapes meet is decided in `reflow/api/ragged/broadcast.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from reflow.api.array import arrange, creation, indexing
from reflow.api.math import arithmetic
from reflow.api.ragged import broadcast as meeting
from reflow.api.ragged import shape_merging
from reflow.api.ragged.build import as_values
from reflow.api.ragged.internal import convert_to_tensor_or_ragged_tensor
from reflow.api.ragged.row_partition import RowPartition, guarded
from reflow.api.ragged.shape import DynamicRaggedShape, partitions_of_lengths, slice_start, slice_stop
from reflow.core import dtypes
from reflow.core.ragged import RaggedTensor
from reflow.core.tensor import Tensor
from reflow.ops.convert import constant, convert_to_tensor

#: what stands for the shape of a tensor
DenseOrRaggedShape = DynamicRaggedShape | Any

_to_row_partitions_and_nvals_from_lengths = partitions_of_lengths
_merge_row_partitions = shape_merging.merge_row_partitions
_merge_inner_shape = shape_merging.merge_inner_shape
_reduce_prod_patch = shape_merging.product
_fix_start_index, _fix_stop_index = slice_start, slice_stop

_CANNOT = "Cannot broadcast"


# --- one layer --------------------------------------------------------------------------------------------------------


class _LayerBroadcaster:
    """Where the slices of a layer come from. Made by the class methods, or by the layer above (`next_layer`)."""

    def __init__(self, gather_index: Any) -> None:
        index = convert_to_tensor(gather_index)
        if index.dtype not in (dtypes.int32, dtypes.int64):
            raise ValueError("gather_index must be int64 or int32")
        self._gather_index = index

    @classmethod
    def from_gather_index(cls, gather_index: Any) -> _LayerBroadcaster:
        """From the number of the source's slice for each slice of the target."""
        return _GatherLayerBroadcaster(gather_index)

    @classmethod
    def first_layer(cls, nrows_source: Any, nrows_target: Any) -> _LayerBroadcaster:
        """Of the first axis, from its two sizes, which are equal unless the source's is 1."""
        return cls.from_gather_index(_first_layer_gather_index(nrows_source, nrows_target))

    @classmethod
    def get_singleton_broadcaster(cls, target_size: Any) -> _LayerBroadcaster:
        """From one slice to `target_size`."""
        return cls.from_gather_index(creation.zeros(arrange.reshape(target_size, [1]), target_size.dtype))

    @classmethod
    def get_identity_broadcaster(cls, nvals: Any, dtype: Any = None) -> _LayerBroadcaster:
        """Of a layer that stays as it is."""
        return cls.from_gather_index(creation.range(nvals, dtype=dtype))

    @property
    def gather_index(self) -> Tensor:
        """For each slice of the target, which slice of the source it is."""
        return self._gather_index

    @property
    def dtype(self) -> dtypes.DType:
        """The type in which slices are numbered."""
        return self.gather_index.dtype

    def __repr__(self) -> str:
        return str(self.gather_index)

    def with_dtype(self, dtype: Any) -> _LayerBroadcaster:
        """The same, with slices numbered in another type."""
        return self.from_gather_index(arithmetic.cast(self.gather_index, dtype))

    def with_dependencies(self, checks: Sequence[Any]) -> _LayerBroadcaster:
        """The same, behind checks."""
        return self.from_gather_index(guarded(checks, self.gather_index))

    def broadcast_tensor(self, tensor: Any) -> Any:
        """A tensor with an entry for each slice of the source, as one for the target."""
        return indexing.gather(tensor, self.gather_index)

    def dest_nrows(self) -> Any:
        """How many slices the target has."""
        return arrange.shape(self.gather_index, out_type=self.dtype)[0]

    def broadcast_row_partition(self, rp: RowPartition) -> RowPartition:
        """Rows of the source, as many times as the target has them. Uniform rows stay so."""
        if rp.is_uniform():
            count, length = self.dest_nrows(), rp.uniform_row_length()
            return RowPartition.from_uniform_row_length(length, nvals=length * count, nrows=count)
        return RowPartition.from_row_lengths(self.broadcast_tensor(rp.row_lengths()))

    def next_layer(self, original_rp: RowPartition, broadcast_rp: RowPartition) -> _LayerBroadcaster:
        """Of the next axis, from the rows of the source and those of the target."""
        return self.from_gather_index(_next_layer_gather_index(self, original_rp, broadcast_rp))


class _GatherLayerBroadcaster(_LayerBroadcaster):
    """The class of what the class methods make."""


def _first_layer_gather_index(nrows_source: Any, nrows_target: Any) -> Any:
    one = meeting.is_one(nrows_source)
    numbers = creation.range(nrows_target)
    checks = [meeting.check(one, nrows_source, nrows_target, _CANNOT)]
    return guarded(checks, meeting.stretched(one, creation.zeros_like(numbers), numbers, numbers))


def _next_layer_gather_index(bc: _LayerBroadcaster, original_rp: RowPartition, broadcast_rp: RowPartition) -> Any:
    above = indexing.gather(bc.gather_index, broadcast_rp.value_rowids())
    one = meeting.is_one(original_rp.uniform_row_length()) if original_rp.is_uniform() else False
    if one is True:
        return above
    lengths = bc.broadcast_tensor(original_rp.row_lengths())
    checks = [meeting.check(one, lengths, broadcast_rp.row_lengths(), _CANNOT)]
    own = indexing.gather(original_rp.row_starts(), above) + broadcast_rp.offsets_in_rows()
    return guarded(checks, meeting.stretched(one, above, own, own))


# --- all layers -------------------------------------------------------------------------------------------------------


class _Broadcaster:
    """What makes tensors of one shape into tensors of another.

    Args:
      source_shape: the shape before.
      target_shape: the shape after. Both have known ranks.
      layer_broadcasters: a list with one for each axis of the source.
      dtype: in which everything is counted; by default as the source shape does.
    """

    def __init__(
        self, source_shape: DynamicRaggedShape, target_shape: DynamicRaggedShape,
        layer_broadcasters: list[_LayerBroadcaster], dtype: Any = None,
    ) -> None:
        for name, value in (("source_shape", source_shape), ("target_shape", target_shape)):
            if not isinstance(value, DynamicRaggedShape):
                raise TypeError(f"{name} is not a DynamicRaggedShape")
        if not isinstance(layer_broadcasters, list):
            raise TypeError(f"layer_broadcasters not a list: {layer_broadcasters}")
        for layer in layer_broadcasters:
            if not isinstance(layer, _LayerBroadcaster):
                raise TypeError(f"Not a LayerBroadcaster: {layer}")
        kind = _find_dtype(source_shape, dtype)
        self._source_shape, self._target_shape = source_shape.with_dtype(kind), target_shape.with_dtype(kind)
        self._layer_broadcasters = [layer.with_dtype(kind) for layer in layer_broadcasters]

    source_shape = property(lambda self: self._source_shape, doc="The shape before.")
    target_shape = property(lambda self: self._target_shape, doc="The shape after.")
    dtype = property(lambda self: self._source_shape.dtype, doc="The type in which everything is counted.")

    def __repr__(self) -> str:
        return (
            f"{{src_shape:{self._source_shape}, target_shape:{self._target_shape} "
            f"layer_broadcasters: {self._layer_broadcasters}}}"
        )

    def with_dtype(self, dtype: Any) -> _Broadcaster:
        """The same, counted in int32 or int64."""
        return _Broadcaster(self._source_shape, self._target_shape, self._layer_broadcasters, dtype)

    def broadcast_flat_values(self, rt: Any, inner_dimensions: bool = True) -> Any:
        """The innermost values of the target, for a tensor of the source shape.

        If `inner_dimensions` is false, axes of the inner shape behind the first keep the size 1 where they have it.
        """
        values = rt.flat_values if isinstance(rt, RaggedTensor) else rt
        source, target = self._source_shape, self._target_shape
        if target.rank == 0:
            return values
        inner = min(target.inner_rank, source.rank)
        if source.inner_rank != inner:
            values = arrange.reshape(values, source._alt_inner_shape(inner))
        if target.inner_rank <= source.rank:
            values = self._layer_broadcasters[-inner].broadcast_tensor(values)
        return arrange.broadcast_to(values, target.inner_shape) if inner_dimensions else values

    def broadcast(self, rt: Any) -> Any:
        """A tensor of the target shape, from one of the source shape."""
        return self.target_shape._add_row_partitions(self.broadcast_flat_values(rt))


def _get_layer_broadcasters_from_rps(
    zero_broadcaster: _LayerBroadcaster, source_rps: Sequence[RowPartition], target_rps: Sequence[RowPartition]
) -> list[_LayerBroadcaster]:
    """The layers below a first one."""
    if not isinstance(zero_broadcaster, _LayerBroadcaster):
        raise TypeError(f"Not a _LayerBroadcaster: {zero_broadcaster}")
    layers = [zero_broadcaster]
    for source, target in zip(source_rps, target_rps, strict=True):
        layers.append(layers[-1].next_layer(source, target))
    return layers


def _get_identity_broadcaster(shape: DynamicRaggedShape) -> _Broadcaster:
    """What leaves tensors of a shape as they are."""
    if shape.rank is None:
        raise ValueError("Shape must have a defined rank")
    return _Broadcaster(shape, shape, _identities(shape, shape.rank))


def _identities(shape: DynamicRaggedShape, count: int) -> list[_LayerBroadcaster]:
    sizes = [shape._num_slices_in_dimension(axis) for axis in range(count)]
    return [_LayerBroadcaster.get_identity_broadcaster(size) for size in sizes]


def _get_broadcaster(source_shape: DynamicRaggedShape, target_shape: DynamicRaggedShape) -> _Broadcaster:
    """What makes tensors of one shape into those of another, to which it can be broadcast."""
    if source_shape.dtype != target_shape.dtype:
        raise ValueError("The source and target row_split dtypes should be equal")
    if source_shape.rank is None or target_shape.rank is None:
        raise ValueError("Rank of source and target must be statically known")
    if source_shape.rank > target_shape.rank:
        raise ValueError("Cannot broadcast to a shape with smaller rank")
    if source_shape.rank == 0:
        return _Broadcaster(source_shape, target_shape, [])
    sources, targets = _rows(source_shape), _rows(target_shape)
    if len(sources) < len(targets):
        targets = targets[len(targets) - len(sources) - 1 :]
        above = _LayerBroadcaster.get_singleton_broadcaster(targets[0].nrows())
        layers = _get_layer_broadcasters_from_rps(above, [_one_row(source_shape), *sources], targets)[1:]
    else:
        first = _LayerBroadcaster.first_layer(source_shape[0], target_shape[0])
        layers = _get_layer_broadcasters_from_rps(first, sources, targets)
    return _Broadcaster(source_shape, target_shape, layers)


def _rows(shape: DynamicRaggedShape) -> list[RowPartition]:
    return list(shape._as_row_partitions())


def _one_row(shape: DynamicRaggedShape) -> RowPartition:
    """A shape's first axis as one row."""
    count = shape[0]
    return RowPartition.from_uniform_row_length(count, nvals=count, nrows=1)


# --- two shapes that meet ---------------------------------------------------------------------------------------------


def broadcast_dynamic_shape(shape_x: DynamicRaggedShape, shape_y: DynamicRaggedShape) -> DynamicRaggedShape:
    """The shape to which two shapes are broadcast together."""
    for name, shape in (("shape_x", shape_x), ("shape_y", shape_y)):
        if not isinstance(shape, DynamicRaggedShape):
            raise TypeError(f"{name} must be a DynamicRaggedShape")
    return broadcast_dynamic_shape_extended(shape_x, shape_y)[0]


def broadcast_to(rt_input: Any, shape: DynamicRaggedShape) -> Any:
    """A tensor broadcast to a shape."""
    if not isinstance(shape, DynamicRaggedShape):
        raise TypeError("shape must be a DynamicRaggedShape")
    value = convert_to_tensor_or_ragged_tensor(rt_input)
    kind = shape.dtype if shape.num_row_partitions else dtypes.int64
    if isinstance(value, RaggedTensor):
        if shape.num_row_partitions and value.row_splits.dtype != shape.dtype:
            raise ValueError("Cannot coerce row_splits.dtype")
        kind = value.row_splits.dtype
    source = DynamicRaggedShape.from_tensor(value, dtype=kind)
    return _get_broadcaster(source, shape.with_dtype(kind)).broadcast(value)


def broadcast_dynamic_shape_extended(
    a: DynamicRaggedShape, b: DynamicRaggedShape
) -> tuple[DynamicRaggedShape, _Broadcaster, _Broadcaster]:
    """The shape to which two shapes are broadcast together, and what broadcasts tensors of each to it."""
    a, b = _in_one_dtype(a, b)
    if a.rank is None or b.rank is None:
        raise ValueError("Unable to broadcast: unknown rank")
    if a.rank == 0:
        return b, _Broadcaster(a, b, []), _get_identity_broadcaster(b)
    if b.rank == 0:
        return a, _get_identity_broadcaster(a), _Broadcaster(b, a, [])
    if a.rank == b.rank == 1:
        first, second, inner = _broadcast_dynamic_shape_one_layer(a.inner_shape, b.inner_shape)
        target = DynamicRaggedShape._from_inner_shape(inner)
        return target, _Broadcaster(a, target, [first]), _Broadcaster(b, target, [second])
    if a.rank > b.rank:
        target, second_bc, first_bc = _broadcast_dynamic_shape_extended_helper(b, a)
        return target, first_bc, second_bc
    return _broadcast_dynamic_shape_extended_helper(a, b)


def _in_one_dtype(a: DynamicRaggedShape, b: DynamicRaggedShape) -> tuple[DynamicRaggedShape, DynamicRaggedShape]:
    if a.dtype == b.dtype:
        return a, b
    if a.row_partitions and b.row_partitions:
        raise ValueError("Dtypes don't match")
    kind = next((shape.dtype for shape in (a, b) if shape.row_partitions), dtypes.int64)
    return a.with_dtype(kind), b.with_dtype(kind)


def _broadcast_dynamic_shape_extended_helper(
    a: DynamicRaggedShape, b: DynamicRaggedShape
) -> tuple[DynamicRaggedShape, _Broadcaster, _Broadcaster]:
    """For `a` with at least one axis, and `b` with as many and at least two."""
    a_rows, b_rows = _rows(a), _rows(b)
    outer = len(b_rows) - len(a_rows) - 1  # axes that only `b` has, but the last of them
    if outer < 0:
        layers = _broadcast_dynamic_shape_first_layer(a[0], b[0])
        kept: list[RowPartition] = []
        a_layers, b_layers = [layers[0]], [layers[1]]
    else:
        a_rows.insert(0, _one_row(a))
        kept, b_rows = b_rows[:outer], b_rows[outer:]
        above = b_rows[0].nrows()
        layers = _broadcast_dynamic_shape_first_layer(constant(1, above.dtype), above)
        a_layers, b_layers = [], [*_identities(b, outer), layers[1]]
    rows, more_a, more_b = _broadcast_dynamic_shape_from_rps(layers[0], layers[1], a_rows, b_rows)
    target = DynamicRaggedShape.from_row_partitions([*kept, *rows])
    target = target._with_num_row_partitions(_get_broadcast_num_row_partitions(a, b))
    return target, _Broadcaster(a, target, a_layers + more_a), _Broadcaster(b, target, b_layers + more_b)


def _get_broadcast_num_row_partitions(a: DynamicRaggedShape, b: DynamicRaggedShape) -> int:
    """How many row partitions the result has: no more than a ragged operand needs."""
    rank = max(a.rank, b.rank)  # type: ignore[type-var]
    counts = [s.num_row_partitions + rank - s.rank for s in (a, b) if s.num_row_partitions]  # type: ignore[operator]
    return max(counts, default=0)


def _broadcast_dynamic_shape_one_layer(a: Any, b: Any) -> list[Any]:
    """For the inner shapes of two vectors: a layer from each, and the inner shape of the result."""
    layers = _broadcast_dynamic_shape_first_layer(a[0], b[0])
    return [*layers, arrange.reshape(layers[0].dest_nrows(), [1])]


def _broadcast_dynamic_shape_first_layer(a_0: Any, b_0: Any) -> list[_LayerBroadcaster]:
    """For the sizes of the first axes: a layer from each."""
    checks: list[Any] = []
    count, places = meeting.first_axis([a_0, b_0], checks)
    return _layers(places, count, checks)


def _layers(places: Sequence[Any], count: Any, checks: Sequence[Any]) -> list[_LayerBroadcaster]:
    """Layers from the places where slices come from, None for each its own."""
    indices = [creation.range(count) if place is None else place for place in places]
    return [_LayerBroadcaster.from_gather_index(guarded(checks, index)) for index in indices]


def _broadcast_half(ac_0: _LayerBroadcaster, a_1: RowPartition) -> tuple[_LayerBroadcaster, RowPartition]:
    """The next layer and its rows, where rows keep their lengths."""
    rows = ac_0.broadcast_row_partition(a_1)
    above = indexing.gather(ac_0.gather_index, rows.value_rowids())
    index = indexing.gather(a_1.row_starts(), above) + rows.offsets_in_rows()
    return _LayerBroadcaster.from_gather_index(index), rows


def _broadcast_dynamic_shape_next_layer(
    ac_0: _LayerBroadcaster, bc_0: _LayerBroadcaster, a_1: RowPartition, b_1: RowPartition
) -> tuple[RowPartition, _LayerBroadcaster, _LayerBroadcaster]:
    """The rows of the next axis of the result, and the layers to it, from those above and each operand's rows."""
    for name, value, kind in (
        ("ac_0", ac_0, _LayerBroadcaster), ("bc_0", bc_0, _LayerBroadcaster), ("a_1", a_1, RowPartition),
        ("b_1", b_1, RowPartition),
    ):
        if not isinstance(value, kind):
            raise TypeError(f"{name} should be a {kind.__name__}")
    checks: list[Any] = []
    rows, places = meeting.next_axis([a_1, b_1], [ac_0.gather_index, bc_0.gather_index], ac_0.dest_nrows(), checks)
    first, second = _layers(places, rows.nvals(), checks)
    return rows._with_dependencies(checks), first, second


_broadcast_dynamic_shape_next_layer_half_ragged = _broadcast_dynamic_shape_next_layer
_broadcast_dynamic_shape_next_layer_both_uniform = _broadcast_dynamic_shape_next_layer


def _broadcast_dynamic_shape_from_rps(
    a_zero: _LayerBroadcaster, b_zero: _LayerBroadcaster, a_rps: Sequence[RowPartition], b_rps: Sequence[RowPartition]
) -> tuple[list[RowPartition], list[_LayerBroadcaster], list[_LayerBroadcaster]]:
    """Rows and layers of all axes below the first."""
    first, second = a_zero, b_zero
    rows, firsts, seconds = [], [], []
    for a_1, b_1 in zip(a_rps, b_rps, strict=True):
        partition, first, second = _broadcast_dynamic_shape_next_layer(first, second, a_1, b_1)
        rows.append(partition)
        firsts.append(first)
        seconds.append(second)
    return rows, firsts, seconds


# --- elementwise functions --------------------------------------------------------------------------------------------


def ragged_binary_elementwise_op_impl(op: Callable[..., Any], x: Any, y: Any) -> Any:
    """A function of two tensors for operands of which at least one is ragged."""
    flats, ragged = meeting.broadcast(meeting.operands([as_values(x), as_values(y)]))
    result = op(*flats)
    return result if isinstance(result, bool) else ragged(result)


def ragged_binary_elementwise_assert_op_impl(op: Callable[..., Any], x: Any, y: Any) -> Any:
    """A check of two tensors for operands of which at least one is ragged."""
    return op(*meeting.broadcast(meeting.operands([as_values(x), as_values(y)]))[0])


def _row_partitions_identical(shape_a: DynamicRaggedShape, shape_b: DynamicRaggedShape) -> bool:
    """Whether two shapes have the very same row partitions."""
    a, b = shape_a.row_partitions, shape_b.row_partitions
    return len(a) == len(b) and all(x is y for x, y in zip(a, b, strict=True))


# --- which dtype ------------------------------------------------------------------------------------------------------


def _find_dtype(value: Any, preferred: Any) -> dtypes.DType | None:
    """The preferred dtype if there is one, or that of a value; None for numbers and lists."""
    found = _find_dtype_helper(value, preferred)
    if found not in (None, dtypes.int32, dtypes.int64):
        raise ValueError(f"Illegal dtype: {found}")
    return found


def _find_dtype_helper(value: Any, preferred: Any) -> Any:
    if preferred is not None:
        return preferred
    if isinstance(value, dtypes.DType):
        return value
    return None if isinstance(value, (int, list, tuple)) else value.dtype


def _find_dtype_iterable(iterable: Iterable[Any], dtype: Any) -> dtypes.DType | None:
    """A dtype if there is one, or that of the first value that has one."""
    for value in iterable if dtype is None else ():
        dtype = _find_dtype(value, dtype)
    return dtype


# --- texts and lists --------------------------------------------------------------------------------------------------


def _element_to_string(x: Any) -> str:
    return "..." if x is Ellipsis else f"'{x}'" if isinstance(x, str) else str(x)


def _list_tail_with_ellipsis(arr: Sequence[Any]) -> str:
    return "".join(f", {_element_to_string(x)}" for x in arr) + "]"


def _list_with_ellipsis_to_str(arr: Sequence[Any]) -> str:
    return "[" + ", ".join(map(_element_to_string, arr)) + "]"


def _is_int_or_tuple_of_ints(x: Any) -> bool:
    return isinstance(x, int) or isinstance(x, tuple) and all(isinstance(n, int) for n in x)


def _flat_values_shape(rt: Any) -> Any:
    """The shape of the innermost values."""
    return arrange.shape(as_values(rt).flat_values)


def _safe_floor_div(dividend: Any, divisor: Any) -> Any:
    """A quotient of sizes, None by 0."""
    return None if getattr(divisor, "value", divisor) == 0 else dividend // divisor
