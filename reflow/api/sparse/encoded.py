"""Sparse tensors as variants and back, as specs encode them for datasets and `tf.map_fn` in TensorFlow."""

from __future__ import annotations

from typing import Any

from reflow.core import dtypes
from reflow.core.shapes import TensorShape
from reflow.core.sparse import SparseTensor, SparseTensorSpec
from reflow.core.specs import TensorSpec
from reflow.ops.dispatch import run


def _encoded(op: str, value: Any) -> list[Any]:
    value = SparseTensor.from_value(value)
    return [run(op, value.indices, value.values, value.dense_shape, out_type=dtypes.variant)]


def _to_tensor_list(self: SparseTensorSpec, value: Any) -> list[Any]:
    """The value as a vector of three variants, in a list."""
    return _encoded("SerializeSparse", value)


def _to_batched_tensor_list(self: SparseTensorSpec, value: Any) -> list[Any]:
    """The value as a matrix of variants with three for each row of the value, in a list.

    Raises:
      ValueError: The value is a scalar.
    """
    if TensorShape(self.shape).merge_with(value.shape).rank == 0:
        raise ValueError(f"Unbatching a sparse tensor is only supported for rank >= 1. Obtained input: {value}.")
    return _encoded("SerializeManySparse", value)


def _from_compatible_tensor_list(self: SparseTensorSpec, tensor_list: list[Any]) -> Any:
    """The value that was encoded."""
    parts = run("DeserializeSparse", tensor_list[0], dtype=self.dtype)
    for part, spec in zip(parts, self._component_specs, strict=True):
        part.set_shape(spec.shape)
    return self._from_components(parts)


# one variant holds a value, and a batch of values needs an array of them
SparseTensorSpec._flat_tensor_specs = property(lambda self: [TensorSpec(None, dtypes.variant)])  # type: ignore[misc]
for _function in (_to_tensor_list, _to_batched_tensor_list, _from_compatible_tensor_list):
    setattr(SparseTensorSpec, _function.__name__, _function)
