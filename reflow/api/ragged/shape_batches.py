"""Batches of ragged shapes: a shape is encoded as a tensor that has it."""

from __future__ import annotations

from typing import Any

from reflow.api.array import creation
from reflow.api.framework.batchable_type import ExtensionTypeBatchEncoder
from reflow.api.ragged.shape import DynamicRaggedShape
from reflow.api.ragged.shape_spec import DynamicRaggedShapeSpec
from reflow.core import dtypes
from reflow.core.ragged import RaggedTensorSpec
from reflow.core.specs import TensorSpec, TypeSpec


class _ShapeEncoder(ExtensionTypeBatchEncoder):
    """A shape of which all sizes but the first are known is that of a dense tensor, any other that of a ragged one."""

    def batch(self, spec: DynamicRaggedShapeSpec, batch_size: int | None) -> DynamicRaggedShapeSpec:
        return spec._batch(batch_size)

    def unbatch(self, spec: DynamicRaggedShapeSpec) -> DynamicRaggedShapeSpec:
        return spec._unbatch()

    def encoding_specs(self, spec: DynamicRaggedShapeSpec) -> TypeSpec:
        known = spec._to_tensor_shape()
        if known[1:].is_fully_defined() and (spec.num_row_partitions or known.is_fully_defined()):
            return TensorSpec(known, dtypes.bool_)
        return RaggedTensorSpec(known, dtypes.bool_, spec.num_row_partitions, spec.dtype)

    def encode(self, spec: DynamicRaggedShapeSpec, value: DynamicRaggedShape, minimum_rank: int = 0) -> Any:
        if isinstance(self.encoding_specs(spec), TensorSpec):
            value = value._with_num_row_partitions(0)
        return creation.ones(value, dtypes.bool_)

    def decode(self, spec: DynamicRaggedShapeSpec, encoded_value: Any) -> DynamicRaggedShape:
        shape = DynamicRaggedShape.from_tensor(encoded_value, dtype=spec.dtype)
        return shape._with_num_row_partitions(spec.num_row_partitions)


DynamicRaggedShape.__batch_encoder__ = _ShapeEncoder()  # type: ignore[attr-defined]
