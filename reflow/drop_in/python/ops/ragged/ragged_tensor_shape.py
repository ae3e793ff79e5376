"""`tensorflow.python.ops.ragged.ragged_tensor_shape`: the shapes of ragged tensors, as they were before
`DynamicRaggedShape`.

A shape has *partitioned* axes, each with a size (uniform) or a vector of row lengths (ragged), and behind the last
ragged axis *inner* ones, whose sizes are one vector. Broadcasting is that of `reflow/api/ragged/shape.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from reflow.api.array import arrange
from reflow.api.math import arithmetic, reduce
from reflow.api.ragged import shape as dynamic
from reflow.api.ragged.build import as_values
from reflow.api.ragged.row_partition import RowPartition
from reflow.core import dtypes
from reflow.core.ragged import RaggedTensor
from reflow.ops.convert import constant, convert_to_tensor

_INTEGERS = (dtypes.int32, dtypes.int64)


def _check_axis(axis: Any) -> None:
    if not isinstance(axis, int):
        raise TypeError("axis must be an integer")
    if axis < 0:
        raise ValueError("Negative axis values are not supported")


class RaggedTensorDynamicShape:
    """The shape of a ragged or dense tensor.

    Args:
      partitioned_dim_sizes: a scalar for each uniform axis up to the last ragged one, a vector of row lengths for a
        ragged axis.
      inner_dim_sizes: a vector with the sizes of all further axes.
      dim_size_dtype: int32 or int64; the type of the sizes unless it is given.
    """

    def __init__(self, partitioned_dim_sizes: Any, inner_dim_sizes: Any, dim_size_dtype: Any = None) -> None:
        if not isinstance(partitioned_dim_sizes, (list, tuple)):
            raise TypeError("partitioned_dim_sizes must be a list or tuple of Tensors")
        given = [*partitioned_dim_sizes, inner_dim_sizes]
        partitioned = [convert_to_tensor(size, dtype_hint=_hint(given)) for size in partitioned_dim_sizes]
        inner = convert_to_tensor(inner_dim_sizes, dtype_hint=_hint(given))
        inner.shape.assert_has_rank(1)
        _check_partitioned(partitioned)
        kind = _common_kind([*partitioned, inner]) if dim_size_dtype is None else dtypes.as_dtype(dim_size_dtype)
        self._partitioned_dim_sizes = tuple(arithmetic.cast(size, kind) for size in partitioned)
        self._inner_dim_sizes = arithmetic.cast(inner, kind)

    def __repr__(self) -> str:
        return (
            f"RaggedTensorDynamicShape(partitioned_dim_sizes={self._partitioned_dim_sizes!r}, "
            f"inner_dim_sizes={self._inner_dim_sizes!r})"
        )

    @staticmethod
    def from_dim_sizes(dim_sizes: Iterable[Any]) -> RaggedTensorDynamicShape:
        """A shape from a scalar for each uniform axis and a vector of row lengths for each ragged one."""
        given = list(dim_sizes)
        sizes = [convert_to_tensor(size, dtype_hint=_hint(given)) for size in given]
        for size in sizes:
            if size.shape.rank not in (0, 1):
                raise ValueError("Each dim_size must be a scalar or a vector")
        behind = max((axis + 1 for axis, size in enumerate(sizes) if size.shape.rank == 1), default=0)
        inner = (
            arrange.stack(sizes[behind:]) if sizes[behind:] else constant([], sizes[0].dtype if sizes else dtypes.int64)
        )
        return RaggedTensorDynamicShape(sizes[:behind], inner)

    @classmethod
    def from_tensor(cls, rt_input: Any, dim_size_dtype: Any = None) -> RaggedTensorDynamicShape:
        """The shape of a tensor. All axes that are divided into rows are ragged, those with rows of one length too."""
        value = as_values(rt_input)
        if not isinstance(value, RaggedTensor):
            return cls([], arrange.shape(value, out_type=dtypes.int64), dim_size_dtype)
        inner = arrange.shape(value.flat_values, out_type=value.row_splits.dtype)[1:]
        return cls([value.nrows(), *value.nested_row_lengths()], inner, dim_size_dtype)

    partitioned_dim_sizes = property(lambda self: self._partitioned_dim_sizes)
    inner_dim_sizes = property(lambda self: self._inner_dim_sizes)
    num_partitioned_dimensions = property(lambda self: len(self._partitioned_dim_sizes))
    dim_size_dtype = property(lambda self: self._inner_dim_sizes.dtype)

    @property
    def num_inner_dimensions(self) -> int | None:
        """How many axes are behind the last ragged one; None if that is unknown."""
        return self._inner_dim_sizes.shape[0]

    @property
    def rank(self) -> int | None:
        """How many axes there are; None if that is unknown."""
        inner = self.num_inner_dimensions
        return None if inner is None else self.num_partitioned_dimensions + inner

    def dimension_size(self, axis: int) -> Any:
        """The size of a uniform axis, the row lengths of a ragged one."""
        _check_axis(axis)
        count = self.num_partitioned_dimensions
        return self._partitioned_dim_sizes[axis] if axis < count else self._inner_dim_sizes[axis - count]

    def is_ragged(self, axis: int) -> bool:
        """Whether an axis is ragged."""
        _check_axis(axis)
        rank = self.rank
        if rank is not None and axis >= rank:
            raise ValueError(f"Expected axis={axis} < rank={rank}")
        return axis < self.num_partitioned_dimensions and self._partitioned_dim_sizes[axis].shape.rank == 1

    def num_slices_in_dimension(self, axis: int) -> Any:
        """How many slices there are along an axis, over all those outside of it."""
        if not isinstance(axis, int):
            raise TypeError("axis must be an integer")
        if axis < 0:
            raise ValueError("Negative axis values are not supported")
        if axis == 0 or self.is_ragged(axis):
            return reduce.reduce_sum(self.dimension_size(axis))
        return self.num_slices_in_dimension(axis - 1) * self.dimension_size(axis)

    def with_dim_size_dtype(self, dtype: Any) -> RaggedTensorDynamicShape:
        """The same shape, counted in int32 or int64."""
        kind = dtypes.as_dtype(dtype)
        if kind not in _INTEGERS:
            raise ValueError("dtype must be int32 or int64")
        return (
            self if kind is self.dim_size_dtype
            else RaggedTensorDynamicShape(self._partitioned_dim_sizes, self._inner_dim_sizes, kind)
        )

    # --- broadcasting -------------------------------------------------------------------------------------------------

    def broadcast_to_rank(self, rank: int) -> RaggedTensorDynamicShape:
        """The shape with axes of size 1 in front, up to a rank.

        Raises:
          ValueError: the rank is smaller than that of the shape, or one of them is not known.
        """
        if self.rank is None:
            raise ValueError("Unable to broadcast: self.rank is unknown")
        missing = rank - self.rank
        if missing < 0:
            raise ValueError(f"Unable to broadcast: rank={rank} must be greater than self.rank={self.rank}.")
        ones = constant([1] * missing, self.dim_size_dtype)
        if not self._partitioned_dim_sizes:
            return RaggedTensorDynamicShape([], arrange.concat([ones, self._inner_dim_sizes], 0))
        outer = [constant(1, self.dim_size_dtype)] * missing
        return RaggedTensorDynamicShape([*outer, *self._partitioned_dim_sizes], self._inner_dim_sizes)

    def broadcast_dimension(self, axis: int, lengths: Any) -> RaggedTensorDynamicShape:
        """The shape with one axis stretched to a size, or to the lengths of rows."""
        lengths = arithmetic.cast(convert_to_tensor(lengths, dtype_hint=self.dim_size_dtype), self.dim_size_dtype)
        if lengths.shape.rank not in (0, 1):
            raise ValueError("lengths must be a scalar or vector")
        if self.rank is None or axis >= self.rank:
            raise ValueError(f"Expected axis={axis} < rank={self.rank}")
        one = constant(1, self.dim_size_dtype)
        outer = [one if lengths.shape.rank == 0 else self.dimension_size(before) for before in range(axis)]
        stretched = RaggedTensorDynamicShape.from_dim_sizes([*outer, lengths, *[one] * (self.rank - axis - 1)])
        return broadcast_dynamic_shape(self, stretched)

    def _as_dynamic(self) -> dynamic.DynamicRaggedShape:
        if not self._partitioned_dim_sizes:
            return dynamic.DynamicRaggedShape._from_inner_shape(self._inner_dim_sizes)
        count, *sizes = self._partitioned_dim_sizes
        partitions = []
        for size in sizes:
            if size.shape.rank == 0:
                partitions.append(
                    RowPartition.from_uniform_row_length(size, nvals=count * size, nrows=count, validate=False)
                )
            else:
                partitions.append(RowPartition.from_row_lengths(size, validate=False))
            count = partitions[-1].nvals()
        inner = arrange.concat([arrange.reshape(count, [1]), self._inner_dim_sizes], 0)
        return dynamic.DynamicRaggedShape(partitions, inner)

    @staticmethod
    def _from_dynamic(shape: dynamic.DynamicRaggedShape) -> RaggedTensorDynamicShape:
        if not shape.row_partitions:
            return RaggedTensorDynamicShape([], shape.inner_shape)
        sizes = [shape.row_partitions[0].nrows()]
        for partition in shape.row_partitions:
            length = partition.uniform_row_length()
            sizes.append(partition.row_lengths() if length is None else length)
        known = shape.inner_rank or 1
        return RaggedTensorDynamicShape.from_dim_sizes([*sizes, *(shape.inner_shape[axis] for axis in range(1, known))])


def _hint(sizes: Sequence[Any]) -> dtypes.DType:
    """The dtype of sizes that are no tensors yet: that of the others."""
    return next((size.dtype for size in sizes if getattr(size, "dtype", None) in _INTEGERS), dtypes.int64)


def _common_kind(sizes: Sequence[Any]) -> dtypes.DType:
    """The dtype of sizes, int64 where they differ."""
    kinds = {size.dtype for size in sizes}
    return kinds.pop() if len(kinds) == 1 else dtypes.int64


def _check_partitioned(sizes: Sequence[Any]) -> None:
    """The first axis is uniform and the last ragged, or there is none."""
    for axis, size in enumerate(sizes):
        if size.shape.rank is None:
            raise ValueError(f"rank of partitioned_dim_sizes[{axis}] is unknown")
        size.shape.with_rank_at_most(1)
    if sizes and sizes[0].shape.rank == 1:
        raise ValueError("outermost partitioned dimension must be uniform")
    if sizes and sizes[-1].shape.rank == 0:
        raise ValueError("innermost partitioned dimension must be ragged")


def broadcast_to(rt_input: Any, shape: RaggedTensorDynamicShape, broadcast_inner_dimensions: bool = True) -> Any:
    """A tensor broadcast to a shape; the inner axes stay as they are unless `broadcast_inner_dimensions`."""
    if not isinstance(shape, RaggedTensorDynamicShape):
        raise TypeError("shape must be a RaggedTensorDynamicShape")
    value = as_values(rt_input)
    if broadcast_inner_dimensions:
        return dynamic.broadcast_to(value, shape._as_dynamic())
    if not shape.num_partitioned_dimensions:
        return value
    ones = constant([1] * (shape.num_inner_dimensions or 0), shape.dim_size_dtype)
    return dynamic.broadcast_to(value, RaggedTensorDynamicShape(shape.partitioned_dim_sizes, ones)._as_dynamic())


def broadcast_dynamic_shape(
    shape_x: RaggedTensorDynamicShape, shape_y: RaggedTensorDynamicShape
) -> RaggedTensorDynamicShape:
    """The shape to which two shapes are broadcast."""
    for name, shape in (("shape_x", shape_x), ("shape_y", shape_y)):
        if not isinstance(shape, RaggedTensorDynamicShape):
            raise TypeError(f"{name} must be a RaggedTensorDynamicShape")
    kind = _common_kind([shape_x.inner_dim_sizes, shape_y.inner_dim_sizes])
    both = (shape.with_dim_size_dtype(kind)._as_dynamic() for shape in (shape_x, shape_y))
    return RaggedTensorDynamicShape._from_dynamic(dynamic.broadcast_dynamic_shape(*both))
