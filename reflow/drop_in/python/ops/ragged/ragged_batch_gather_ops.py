"""`tensorflow.python.ops.ragged.ragged_batch_gather_ops`: elements of rows."""

from __future__ import annotations

from typing import Any

from reflow.api.array import indexing
from reflow.api.ragged import gather
from reflow.api.ragged.internal import convert_to_tensor_or_ragged_tensor, is_ragged


def batch_gather(params: Any, indices: Any, name: str | None = None) -> Any:
    """`tf.gather` of dense or ragged tensors in which all axes of the indices but the last are batches."""
    params, indices = (convert_to_tensor_or_ragged_tensor(x) for x in (params, indices))
    if is_ragged(params) or is_ragged(indices) or indices.shape.rank is None:
        return gather.gather(params, indices, batch_dims=-1, name=name)
    return indexing.batch_gather(params, indices, name)
