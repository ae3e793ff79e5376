"""The spec of a ragged shape: specs of its row partitions, and static knowledge about the inner shape."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reflow.api.ragged.parts import positive_axis
from reflow.api.ragged.row_partition_spec import RowPartitionSpec
from reflow.core import dtypes
from reflow.core.ragged import RaggedTensorSpec
from reflow.core.shapes import Dimension, TensorShape
from reflow.core.specs import TensorSpec, TypeSpec


class DynamicRaggedShapeSpec(TypeSpec):
    """The spec of a `tf.experimental.DynamicRaggedShape`."""

    __slots__ = ("_row_partitions", "_static_inner_shape", "_dtype")

    def __init__(
        self, row_partitions: Iterable[RowPartitionSpec], static_inner_shape: TensorShape, dtype: dtypes.DType
    ):
        if not isinstance(row_partitions, Iterable):
            raise TypeError("row_partitions should be an Iterable")
        partitions, inner, dtype = tuple(row_partitions), TensorShape(static_inner_shape), dtypes.as_dtype(dtype)
        if not all(isinstance(p, RowPartitionSpec) for p in partitions):
            raise TypeError("row_partitions should be an Iterable of RowPartitionSpecs")
        if dtype not in (dtypes.int32, dtypes.int64):
            raise ValueError("dtype must be tf.int32 or tf.int64")
        for partition in partitions:
            if partition.dtype != dtype:
                raise ValueError(f"dtype of {partition!r} is {partition.dtype!r}: expected {dtype!r}")
        if partitions and inner.rank == 0:
            raise ValueError("If row_partitions are provided, must have inner_rank > 0")
        if partitions:
            counts = _counts(partitions, inner)
            if inner.rank is not None:
                inner = TensorShape([counts[-1]]).concatenate(inner[1:])
            partitions = tuple(
                RowPartitionSpec(rows, values, p.uniform_row_length, dtype)
                for p, rows, values in zip(partitions, counts[:-1], counts[1:], strict=True)
            )
        self._row_partitions, self._static_inner_shape, self._dtype = partitions, inner, dtype

    dtype = property(lambda self: self._dtype)
    num_row_partitions = property(lambda self: len(self._row_partitions))
    inner_rank = property(lambda self: self._static_inner_shape.rank)

    @property
    def rank(self) -> int | None:
        """How many axes there are, if that is known."""
        return None if self.inner_rank is None else self.inner_rank + self.num_row_partitions

    @property
    def value_type(self):
        from reflow.api.ragged.shape import DynamicRaggedShape  # its methods give specs

        return DynamicRaggedShape

    def _serialize(self):
        return self._row_partitions, self._static_inner_shape, self._dtype

    @property
    def _component_specs(self):
        return (TensorSpec([self._static_inner_shape.rank], self._dtype), self._row_partitions)

    def _to_components(self, value):
        return (value.inner_shape, value.row_partitions)

    def _from_components(self, components):
        inner, partitions = components
        return self.value_type(list(partitions), inner, self._dtype, static_inner_shape=self._static_inner_shape)

    @classmethod
    def from_value(cls, value):
        """The spec of a shape."""
        return cls(tuple(p._type_spec for p in value.row_partitions), value.static_inner_shape, value.dtype)

    @classmethod
    def _from_tensor_shape(cls, shape, num_row_partitions: int, dtype) -> DynamicRaggedShapeSpec:
        """For tensors of a static shape, with some of its axes as uniform row partitions."""
        if dtype not in (dtypes.int32, dtypes.int64):
            raise ValueError("dtype must be tf.int32 or tf.int64")
        shape = TensorShape(shape)
        if shape.rank is None:
            return cls([RowPartitionSpec(dtype=dtype)] * num_row_partitions, shape, dtype)
        if shape.rank <= 1 and num_row_partitions:
            raise ValueError("num_row_partitions should be zero if shape is a scalar or vector.")
        if 1 < shape.rank <= num_row_partitions:
            raise ValueError("num_row_partitions must be less than rank")
        if not num_row_partitions:
            return cls([], shape, dtype)
        partitions, rows = [], shape[0]
        for length in shape[1 : num_row_partitions + 1]:
            values = None if rows is None or length is None else rows * length
            partitions.append(RowPartitionSpec(rows, values, length, dtype))
            rows = values
        return cls(partitions, TensorShape([rows]).concatenate(shape[num_row_partitions + 1 :]), dtype)

    @classmethod
    def _from_spec(cls, spec, dtype=dtypes.int64) -> DynamicRaggedShapeSpec | None:
        """For the shapes of what another spec describes: tensors, ragged tensors, or such shapes."""
        if isinstance(spec, DynamicRaggedShapeSpec):
            return spec
        if isinstance(spec, RaggedTensorSpec):
            return cls._from_tensor_shape(spec.shape, spec.ragged_rank, spec.row_splits_dtype)
        return cls._from_tensor_shape(spec.shape, 0, dtype) if isinstance(spec, TensorSpec) else None

    def with_dtype(self, dtype) -> DynamicRaggedShapeSpec:
        """The same spec, for shapes counted in int32 or int64."""
        return DynamicRaggedShapeSpec(
            [p.with_dtype(dtype) for p in self._row_partitions], self._static_inner_shape, dtype
        )

    def _dimension(self, axis: int) -> int | None:
        """The size of an axis, if it is known; None for ragged ones."""
        if axis == 0 and self._row_partitions:
            return self._row_partitions[0].nrows
        if 0 < axis <= self.num_row_partitions:
            return self._row_partitions[axis - 1].uniform_row_length
        if self.inner_rank is None:
            return None
        if axis - self.num_row_partitions >= self.inner_rank:
            raise ValueError(f"Index out of range: {axis}.")
        return self._static_inner_shape[axis - self.num_row_partitions]

    def _num_slices_in_dimension(self, axis: int) -> int | None:
        """How many slices there are if all axes up to this one are merged, if that is known."""
        if not isinstance(axis, int):
            raise TypeError("axis must be an integer")
        axis = positive_axis(axis, self.rank, "axis", "rank")
        if axis == 0:
            return self._dimension(0)
        if axis <= self.num_row_partitions:
            return self._row_partitions[axis - 1].nvals
        return self._static_inner_shape[: axis - self.num_row_partitions + 1].num_elements()

    def _merge_with(self, other: DynamicRaggedShapeSpec) -> DynamicRaggedShapeSpec:
        """This spec with what another one of the same rank also says."""
        count = max(self.num_row_partitions, other.num_row_partitions)
        a, b = self._with_num_row_partitions(count), other._with_num_row_partitions(count)
        partitions = [x._merge_with(y) for x, y in zip(a._row_partitions, b._row_partitions, strict=True)]
        dtype = b.dtype if a.dtype == dtypes.int32 else dtypes.int64
        return DynamicRaggedShapeSpec(partitions, a._static_inner_shape.merge_with(b._static_inner_shape), dtype)

    def _with_num_row_partitions(self, count: int) -> DynamicRaggedShapeSpec:
        """The same spec with more or fewer axes as row partitions."""
        if self.rank is None:
            raise ValueError("Changing num_row_partitions with unknown rank unsupported")
        if count > max(self.rank - 1, 0):
            raise ValueError("Number of row partitions too large")
        if count < 0:
            raise ValueError("Number of row partitions negative")
        partitions, inner = self._row_partitions, self._static_inner_shape
        if count > len(partitions):
            tail = self._from_tensor_shape(inner, count - len(partitions), self._dtype)
            return DynamicRaggedShapeSpec(
                (*partitions, *tail._row_partitions), tail._static_inner_shape, self._dtype
            )
        if count < len(partitions):
            sizes = [partitions[count].nrows, *(p.uniform_row_length for p in partitions[count:])]
            return DynamicRaggedShapeSpec(
                partitions[:count], TensorShape(sizes).concatenate(inner[1:]), self._dtype
            )
        return self

    def _batch(self, size: int | None) -> DynamicRaggedShapeSpec:
        """The spec of the shape that `size` such shapes have together."""
        known = self._to_tensor_shape()
        if not self._row_partitions and (size is not None and known.is_fully_defined() or known.rank == 0):
            return self._from_tensor_shape([size, *known], 0, self._dtype)
        head = RowPartitionSpec(size, None, self._dimension(0), self._dtype)
        if not self._row_partitions:
            return DynamicRaggedShapeSpec([head], TensorShape([None]).concatenate(known[1:]), self._dtype)
        rows = [
            RowPartitionSpec(_times(p.nrows, size), _times(p.nvals, size), p.uniform_row_length, self._dtype)
            for p in self._row_partitions
        ]
        inner = self._static_inner_shape
        if inner.rank is not None:
            inner = TensorShape([_times(inner[0], size)]).concatenate(inner[1:])
        return DynamicRaggedShapeSpec([head, *rows], inner, self._dtype)

    def _unbatch(self) -> DynamicRaggedShapeSpec:
        """The spec of the shape of a row."""
        if not self._row_partitions:
            return DynamicRaggedShapeSpec([], self._static_inner_shape[1:], self._dtype)
        count = self._row_partitions[0].uniform_row_length
        rows = [
            RowPartitionSpec(None if i else count, None, p.uniform_row_length, self._dtype)
            for i, p in enumerate(self._row_partitions[1:])
        ]
        inner = self._static_inner_shape
        if inner.rank is not None:
            inner = TensorShape([None if rows else count]).concatenate(inner[1:])
        return DynamicRaggedShapeSpec(rows, inner, self._dtype)

    def _set_rank_if_unknown(self, new_rank: int) -> DynamicRaggedShapeSpec:
        """A spec with at least as many axes; that many where they are not known."""
        if new_rank is None:
            raise TypeError("new_rank is None, but expected int")
        if new_rank < 0:
            raise ValueError("Rank must be non-negative")
        if self.rank is not None:
            if self.rank < new_rank:
                raise ValueError(f"Rank is {self.rank}, expected at least {new_rank}.")
            return self
        inner = [None] * new_rank
        if self._row_partitions:
            inner = [self._row_partitions[-1].nvals, *[None] * (new_rank - self.num_row_partitions - 1)]
        return DynamicRaggedShapeSpec(self._row_partitions, TensorShape(inner), self._dtype)

    def _truncate(self, new_rank: int) -> DynamicRaggedShapeSpec:
        """The spec of the first axes."""
        if self.rank is None:
            return self._set_rank_if_unknown(new_rank)._truncate(new_rank)
        if new_rank <= 1:
            return self._from_tensor_shape([self._dimension(0)] if new_rank else [], 0, self._dtype)
        if new_rank <= self.num_row_partitions:
            partitions = self._row_partitions[: new_rank - 1]
            return DynamicRaggedShapeSpec(partitions, TensorShape([partitions[-1].nvals]), self._dtype)
        inner = self._static_inner_shape[: new_rank - self.num_row_partitions]
        return DynamicRaggedShapeSpec(self._row_partitions, inner, self._dtype)

    def _to_tensor_shape(self) -> TensorShape:
        """The static shape of tensors of such a shape."""
        if self.rank is None:
            return TensorShape(None)
        if not self._row_partitions:
            return self._static_inner_shape
        lengths = [p.uniform_row_length for p in self._row_partitions]
        return TensorShape([self._row_partitions[0].nrows, *lengths]).concatenate(self._static_inner_shape[1:])

    def __repr__(self):
        return (
            f"DynamicRaggedShape.Spec(row_partitions={self._row_partitions!r}, "
            f"static_inner_shape={self._static_inner_shape!r}, dtype={self._dtype!r})"
        )


def _times(count: int | None, size: int | None) -> int | None:
    return None if count is None or size is None else count * size


def _counts(partitions: Sequence[RowPartitionSpec], inner: TensorShape) -> list[int | None]:
    """The number of rows of each partition, and of the values of the last, as far as one follows from another."""
    counts = [Dimension(partitions[0].nrows)]
    for axis, partition in enumerate(partitions):
        below = partitions[axis + 1].nrows if axis + 1 < len(partitions) else inner[0] if inner.rank else None
        values = Dimension(below).merge_with(partition.nvals)
        counts.append(values.merge_with(counts[-1] * partition.uniform_row_length))
    for axis in range(len(partitions) - 1, -1, -1):
        if partitions[axis].uniform_row_length:
            counts[axis] = counts[axis].merge_with(counts[axis + 1] // partitions[axis].uniform_row_length)
    return [count.value for count in counts]
