"""`tf.gather` where the parameters or the indices are ragged."""

from __future__ import annotations

from reflow.api.array import arrange, creation, indexing
from reflow.api.math import arithmetic, reduce
from reflow.api.ragged import factories
from reflow.core.ragged import RaggedTensor
from reflow.ops.convert import convert_to_tensor


def _gather_inside(params, indices, axis):
    """Dense parameters at ragged indices of an inner axis: every slice of the outer axes gets the same indices."""
    rank = params.shape.rank
    axis = axis + rank if axis < 0 else axis
    size = arrange.shape(params, out_type=indices.row_splits.dtype)
    outer, length = reduce.reduce_prod(size[:axis]), size[axis]
    flat = arrange.reshape(params, arrange.concat([[-1], size[axis + 1 :]], 0))
    rows = indices.nrows()
    every = gather_rows(indices, arrange.tile(creation.range(rows), arrange.reshape(outer, [1])))
    values = every.flat_values
    shift = creation.repeat(creation.range(outer) * length, arrange.size(indices.flat_values))
    result = every.with_flat_values(indexing.gather(flat, values + arithmetic.cast(shift, values.dtype)))
    for count in (rows, *(size[i] for i in reversed(range(1, axis)))):
        result = RaggedTensor.from_uniform_row_length(result, count)
    return result


def gather_rows(params, indices, axis=0, batch_dims=0, name=None):
    """Rows of ragged parameters, or rows of dense ones at ragged indices.

    >>> tf.gather(tf.ragged.constant([[1], [2, 3]]), [1, 0, 1])
    <tf.RaggedTensor [[2, 3], [1], [2, 3]]>
    """
    if batch_dims == 0 and axis != 0 and isinstance(indices, RaggedTensor) and not isinstance(params, RaggedTensor):
        return _gather_inside(convert_to_tensor(params), indices, axis)
    if axis != 0 or batch_dims != 0:
        raise NotImplementedError(
            "tf.gather of ragged tensors goes along the first axis only, as yet. "
            f"Received: axis={axis}, batch_dims={batch_dims}"
        )
    if isinstance(indices, RaggedTensor):
        return indices.with_values(indexing.gather(params, indices.values, name=name))
    indices = convert_to_tensor(indices)
    if indices.shape.rank == 0:
        return params[indices]
    if indices.shape.rank != 1:  # one axis of rows, put back into as many as the indices have
        rows = gather_rows(params, arrange.reshape(indices, [-1]))
        lengths = arrange.shape(indices, out_type=params.row_splits.dtype)
        for i in reversed(range(1, indices.shape.rank)):
            rows = RaggedTensor.from_uniform_row_length(rows, lengths[i], nrows=reduce.reduce_prod(lengths[:i]))
        return rows
    starts = indexing.gather(params.row_starts(), indices)
    limits = indexing.gather(params.row_limits(), indices)
    places = factories.range_(starts, limits, row_splits_dtype=params.row_splits.dtype)
    return RaggedTensor._of(indexing.gather(params.values, places.values), places.row_splits)
