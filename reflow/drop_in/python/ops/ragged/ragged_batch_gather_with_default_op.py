"""`tensorflow.python.ops.ragged.ragged_batch_gather_with_default_op`.

Elements of rows, where an index may lead outside.
"""

from __future__ import annotations

from typing import Any

from reflow.api.array import arrange, creation, indexing
from reflow.api.math import arithmetic
from reflow.api.ragged.elementwise import map_flat_values
from reflow.api.ragged.internal import convert_to_tensor_or_ragged_tensor, match_row_splits_dtypes
from reflow.core.ragged import RaggedTensor
from reflow.ops.convert import convert_to_tensor


def batch_gather_with_default(params: Any, indices: Any, default_value: Any = "", name: str | None = None) -> Any:
    """`tf.gather(params, indices, batch_dims=-1)` with `default_value`, a scalar or a vector, where an index is outside
    of its row.

    Raises:
        ValueError: `default_value` has more than one dimension.
    """
    params, indices = match_row_splits_dtypes(*map(convert_to_tensor_or_ragged_tensor, (params, indices)))
    default = convert_to_tensor(default_value, params.dtype)
    if default.shape.rank not in (0, 1):
        raise ValueError('"default_value" must be a scalar or vector')
    axis = indices.shape.rank - 1
    if isinstance(params, RaggedTensor):
        # an element that is a row itself has one default
        for _ in range(params.shape.rank - axis - 1 - default.shape.rank):
            default = arrange.expand_dims(default, 0)
        lengths, inner = params.row_lengths(axis=axis) if axis else params.nrows(), arrange.shape(default)
    else:
        lengths, inner = (
            creation.fill(arrange.shape(params)[:axis], arrange.shape(params)[axis]), arrange.shape(params)[axis + 1 :]
        )
    sizes = arrange.expand_dims(lengths, -1)
    indices = arithmetic.cast(indices, sizes.dtype)
    nowhere = creation.zeros_like(indices)
    inside = (indices >= 0) & (indices < sizes + nowhere)
    first = map_flat_values(
        lambda x: arrange.broadcast_to(default, arrange.concat([arrange.shape(x), inner], 0)), sizes
    )
    padded = arrange.concat([first, params], axis)  # one element before each row
    return indexing.gather(padded, arithmetic.where(inside, indices + 1, nowhere), batch_dims=axis, name=name)
