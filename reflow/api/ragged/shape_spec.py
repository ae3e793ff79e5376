"""The spec of a ragged shape: specs of its row partitions, and static knowledge about the inner shape."""

from __future__ import annotations

from reflow.api.ragged.row_partition_spec import RowPartitionSpec
from reflow.core import dtypes
from reflow.core.shapes import TensorShape
from reflow.core.specs import TensorSpec, TypeSpec


class DynamicRaggedShapeSpec(TypeSpec):
    """The spec of a `tf.experimental.DynamicRaggedShape`."""

    __slots__ = ("_row_partitions", "_static_inner_shape", "_dtype")

    def __init__(
        self, row_partitions: tuple[RowPartitionSpec, ...], static_inner_shape: TensorShape, dtype: dtypes.DType
    ):
        inner = TensorShape(static_inner_shape)
        dtype = dtypes.as_dtype(dtype)
        if not all(isinstance(p, RowPartitionSpec) for p in row_partitions):
            raise TypeError("row_partitions should be a tuple of RowPartitionSpecs.")
        if row_partitions and inner.rank == 0:
            raise ValueError("If row_partitions are provided, must have inner_rank > 0")
        self._row_partitions = tuple(p.with_dtype(dtype) for p in row_partitions)
        self._static_inner_shape, self._dtype = inner, dtype

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
        return (self._row_partitions, TensorSpec([self._static_inner_shape.rank], self._dtype))

    def _to_components(self, value):
        return (value.row_partitions, value.inner_shape)

    def _from_components(self, components):
        partitions, inner = components
        return self.value_type(list(partitions), inner, self._dtype, static_inner_shape=self._static_inner_shape)

    @classmethod
    def from_value(cls, value):
        """The spec of a shape."""
        return cls(tuple(p._type_spec for p in value.row_partitions), value.static_inner_shape, value.dtype)

    def with_dtype(self, dtype) -> DynamicRaggedShapeSpec:
        """The same spec, for shapes counted in int32 or int64."""
        return DynamicRaggedShapeSpec(self._row_partitions, self._static_inner_shape, dtype)

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
