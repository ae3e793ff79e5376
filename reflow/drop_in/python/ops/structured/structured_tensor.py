"""`tensorflow.python.ops.structured.structured_tensor`: the spec of structured tensors, by shape and fields."""

from typing import Any

from reflow.api.ragged.row_partition_spec import RowPartitionSpec
from reflow.api.ragged.shape import DynamicRaggedShape
from reflow.api.ragged.structured import StructuredTensor
from reflow.core import dtypes
from reflow.core.shapes import TensorShape
from reflow.core.specs import TypeSpec


def StructuredTensorSpec(shape, field_specs):
    """The spec of structured tensors of a shape, whose fields have these specs."""
    if not isinstance(field_specs, dict):
        raise TypeError("field_specs must be a dictionary.")
    if not all(isinstance(name, str) for name in field_specs):
        raise TypeError("field_specs must be a dictionary with string keys.")
    if not all(isinstance(spec, TypeSpec) for spec in field_specs.values()):
        raise TypeError("field_specs must be a dictionary with TypeSpec values.")
    shape = TensorShape(shape)
    if shape.rank is None:
        raise TypeError("StructuredTensor's shape must have known rank.")
    spec: Any = StructuredTensor.Spec
    return spec(field_specs, _shape_spec(shape.as_list()))


def _shape_spec(sizes):
    """The spec of a shape in which all axes behind the first are row partitions."""
    if len(sizes) < 2:
        return DynamicRaggedShape.Spec((), TensorShape(sizes), dtypes.int64)
    rows, count = [], sizes[0]
    for size in sizes[1:]:
        values = None if count is None or size is None else count * size
        rows.append(RowPartitionSpec(nrows=count, nvals=values, uniform_row_length=size))
        count = values
    return DynamicRaggedShape.Spec(tuple(rows), TensorShape([count]), dtypes.int64)
