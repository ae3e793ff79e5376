"""`tensorflow.python.eager.backprop_util`: what has gradients, and the sum of gradients of which some are rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reflow.api.array import arrange, indexing
from reflow.api.math import arithmetic
from reflow.core import dtypes
from reflow.core.indexed_slices import IndexedSlices
from reflow.ops.convert import convert_to_tensor

_TRAINABLE = frozenset({
    dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128,
    dtypes.resource, dtypes.variant,
})


def IsTrainable(tensor_or_dtype: Any) -> bool:
    """Whether a tensor, or tensors of a dtype, may have gradients."""
    return dtypes.as_dtype(getattr(tensor_or_dtype, "dtype", tensor_or_dtype)).base_dtype in _TRAINABLE


def FlattenNestedIndexedSlices(grad: IndexedSlices) -> IndexedSlices:
    """Rows of rows as rows of the whole."""
    assert isinstance(grad, IndexedSlices)
    if not isinstance(grad.values, IndexedSlices):
        return grad
    inner = FlattenNestedIndexedSlices(grad.values)
    return IndexedSlices(inner.values, indexing.gather(grad.indices, inner.indices), grad.dense_shape)


def AggregateIndexedSlicesGradients(grads: Sequence[Any]) -> Any:
    """The sum of gradients: rows if all are rows, else a tensor; None if there are none."""
    if len(grads) < 2:
        return grads[0] if grads else None
    grads = [g for g in grads if g is not None]
    if not all(isinstance(g, IndexedSlices) for g in grads):
        return arithmetic.add_n([convert_to_tensor(g) for g in grads])
    grads = [FlattenNestedIndexedSlices(g) for g in grads]
    wide = any(g.indices.dtype == dtypes.int64 for g in grads)
    indices = [arithmetic.cast(g.indices, dtypes.int64) if wide else g.indices for g in grads]
    return IndexedSlices(
        arrange.concat([g.values for g in grads], 0), arrange.concat(indices, 0), grads[0].dense_shape
    )
