"""`tf.gather` where the parameters or the indices are ragged."""

from __future__ import annotations

from reflow.api.export import TABLE
from reflow.core.ragged import RaggedTensor
from reflow.ops.convert import convert_to_tensor


def gather_rows(params, indices, axis=0, batch_dims=0, name=None):
    """Rows of ragged parameters, or rows of dense ones at ragged indices.

    >>> import reflow as tf
    >>> tf.gather(tf.ragged.constant([[1], [2, 3]]), [1, 0, 1])
    <tf.RaggedTensor [[2, 3], [1], [2, 3]]>
    """
    if axis != 0 or batch_dims != 0:
        raise NotImplementedError("tf.gather of ragged tensors goes along the first axis only, as yet. "
                                  f"Received: axis={axis}, batch_dims={batch_dims}")
    if isinstance(indices, RaggedTensor):
        return indices.with_values(TABLE["gather"](params, indices.values, name=name))
    indices = convert_to_tensor(indices)
    if indices.shape.rank == 0:
        return params[indices]
    if indices.shape.rank != 1:  # one axis of rows, put back into as many as the indices have
        rows = gather_rows(params, TABLE["reshape"](indices, [-1]))
        lengths = TABLE["shape"](indices, out_type=params.row_splits.dtype)
        for i in reversed(range(1, indices.shape.rank)):
            rows = RaggedTensor.from_uniform_row_length(rows, lengths[i], nrows=TABLE["reduce_prod"](lengths[:i]))
        return rows
    starts = TABLE["gather"](params.row_starts(), indices)
    limits = TABLE["gather"](params.row_limits(), indices)
    places = TABLE["ragged.range"](starts, limits, row_splits_dtype=params.row_splits.dtype)
    return RaggedTensor._of(TABLE["gather"](params.values, places.values), places.row_splits)
