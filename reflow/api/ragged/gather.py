"""`tf.gather` and `tf.gather_nd` where the parameters or the indices are ragged.

All forms of `gather` reduce to one: parameters and indices share an outer axis, and each row is indexed by the row of
indices with the same number (`_gather_in_rows`). Axes before the gathered one are merged into that outer axis and
restored afterwards.
"""

from __future__ import annotations

from reflow.api.array import arrange, creation, indexing
from reflow.api.debugging import asserts
from reflow.api.math import arithmetic, reduce
from reflow.api.ragged import factories
from reflow.api.ragged.build import as_values, rows_of
from reflow.api.ragged.parts import positive_axis
from reflow.api.ragged.row_partition import guarded
from reflow.core import dtypes
from reflow.core.ragged import RaggedTensor
from reflow.ops.convert import constant


def gather(params, indices, validate_indices=None, axis=None, batch_dims=0, name=None):
    """Slices of ragged or dense parameters along an axis, at ragged or dense indices.

    >>> tf.gather(tf.ragged.constant([[1], [2, 3]]), [1, 0, 1])
    <tf.RaggedTensor [[2, 3], [1], [2, 3]]>
    >>> tf.gather(tf.ragged.constant([[1, 2], [3]]), tf.ragged.constant([[1], [0, 0]]), batch_dims=1)
    <tf.RaggedTensor [[2], [3, 3]]>
    """
    params, indices = as_values(params), as_values(indices)
    if batch_dims != indices.shape.rank:
        batch_dims = positive_axis(batch_dims, indices.shape.rank, "batch_dims", "rank(indices)")
    if indices.shape.rank is None:
        raise ValueError("rank(indices) must be known statically")
    if params.shape.rank is not None and batch_dims >= params.shape.rank:
        raise ValueError("batch_dims must be less than rank(params)")
    axis = batch_dims if axis is None else positive_axis(axis, params.shape.rank)
    if batch_dims > axis:
        raise ValueError(f"batch_dims = {batch_dims} must be less than or equal to axis = {axis}")
    if axis == 0:
        return _gather_rows(params, indices)
    _check_batches(params, indices, batch_dims)
    return _gather_inside(params, indices, axis, batch_dims)


def _check_batches(params, indices, batch_dims: int):
    """ValueError if batch axes are known to differ, or rows of one length in `params` and of several in `indices`."""
    if not params.shape[:batch_dims].is_compatible_with(indices.shape[:batch_dims]):
        raise ValueError(
            f"batch shape from indices {indices.shape[:batch_dims]} does not match params shape {params.shape}"
        )
    for uniform, other, name in ((params, indices, "indices"), (indices, params, "params")):
        ragged = isinstance(other, RaggedTensor) and other.uniform_row_length is None
        if batch_dims > 1 and not isinstance(uniform, RaggedTensor) and ragged:
            raise ValueError(
                f"batch shape from indices does not match params shape: only the rows of {name} differ in length"
            )


def _gather_rows(params, indices):
    """Rows of `params`."""
    if isinstance(indices, RaggedTensor):
        return indices.with_values(_gather_rows(params, indices.values))
    if not isinstance(params, RaggedTensor):
        return indexing.gather(params, indices)
    rank = indices.shape.rank
    if rank == 0:
        return params[indices]
    if rank > 1:  # one axis of rows, put back into as many as the indices have
        rows = _gather_rows(params, arrange.reshape(indices, [-1]))
        return _as_grid(rows, arrange.shape(indices, out_type=params.row_splits.dtype), indices.shape)
    starts = indexing.gather(params.row_starts(), indices)
    limits = indexing.gather(params.row_limits(), indices)
    places = factories.range_(starts, limits, row_splits_dtype=params.row_splits.dtype)
    # As in TensorFlow, selected rows are no longer known to have equal lengths: programs read the shapes of batches.
    return RaggedTensor._of(_gather_rows(params.values, places.values), places.row_splits)


def _as_grid(rows, dims, static):
    """One axis of rows as the axes of a dense shape."""
    for i in reversed(range(1, static.rank)):
        length = dims[i] if static[i] is None else constant(static[i], dims.dtype)
        rows = RaggedTensor.from_uniform_row_length(rows, length, nrows=reduce.reduce_prod(dims[:i]), validate=False)
    return rows


def _gather_inside(params, indices, axis: int, batch_dims: int):
    kind = next((x.row_splits.dtype for x in (params, indices) if isinstance(x, RaggedTensor)), dtypes.int64)
    params = _with_partitions(params, axis, kind)
    outer = params._nested_row_partitions[: axis - 1]
    rows = params.merge_dims(0, axis - 1) if axis > 1 else params
    batch = None  # the batch of each row
    for partition in outer[batch_dims - 1 if batch_dims else 0 :]:
        batch = partition.value_rowids() if batch is None else indexing.gather(batch, partition.value_rowids())
    if not batch_dims:
        indices = arrange.expand_dims(indices, 0)
        batch = creation.zeros(arrange.reshape(rows.nrows(), [1]), kind)
    elif batch_dims > 1:
        indices = _with_partitions(indices, batch_dims - 1, kind).merge_dims(0, batch_dims - 1)
    if batch is not None:
        indices = _gather_rows(indices, batch)
    result = _gather_in_rows(rows, indices, kind)
    for partition in reversed(outer):
        result = RaggedTensor._from_row_partition(result, partition, validate=False)
    return result


def _with_partitions(value, depth: int, kind):
    """A tensor whose first `depth` axes after the first are row partitions."""
    if not isinstance(value, RaggedTensor):
        return RaggedTensor.from_tensor(value, ragged_rank=depth, row_splits_dtype=kind)
    return value if value.ragged_rank >= depth else value.with_values(_with_partitions(value.values, depth - 1, kind))


def _gather_in_rows(params, indices, kind):
    """Row i of the result is `gather(params[i], indices[i])`."""
    what = "dimension size mismatch between the batch axes of params and of indices"
    same = asserts.assert_equal(params.nrows(), rows_of(indices, kind), message=what)
    starts = guarded([same], params.row_starts())
    if not isinstance(indices, RaggedTensor):
        shift = arrange.reshape(starts, [-1] + [1] * (indices.shape.rank - 1))
        return _gather_rows(params.values, arithmetic.cast(indices, kind) + shift)
    flat, rows = indices.flat_values, indices.nested_value_rowids()
    row = rows[0]
    for ids in rows[1:]:
        row = indexing.gather(row, ids)
    shift = indexing.gather(starts, row)
    shift = arrange.reshape(shift, [-1] + [1] * (flat.shape.rank - 1))
    places = arithmetic.cast(flat, kind) + shift
    return indices.with_flat_values(_gather_rows(params.values, places))


def gather_nd(params, indices, batch_dims=0, name=None, bad_indices_policy=""):
    """Elements or slices of ragged parameters; the last axis of `indices` holds their coordinates.

    >>> tf.gather_nd(tf.ragged.constant([[1, 2], [3]]), [[0, 1], [1, 0]]).numpy().tolist()
    [2, 3]
    """
    if not isinstance(batch_dims, int) or batch_dims != 0:
        raise ValueError("batch_dims != 0 is not supported for ragged gather yet.")
    params, indices = as_values(params), as_values(indices)
    if bad_indices_policy not in ("", "DEFAULT") and any(isinstance(x, RaggedTensor) for x in (params, indices)):
        raise ValueError("non-default bad_indices_policy not supported for ragged gather")
    if indices.shape.rank is None:
        raise ValueError("indices.rank be statically known.")
    if indices.shape.rank == 0:
        raise ValueError("indices.rank must be at least 1.")
    if isinstance(indices, RaggedTensor) and indices.shape.rank == indices.ragged_rank + 1:
        raise ValueError("The innermost dimension of indices may not be ragged")
    size = indices.shape[-1]
    if size is None:
        raise ValueError("indices.shape[-1] must be statically known.")
    if isinstance(indices, RaggedTensor):
        return indices.with_flat_values(gather_nd(params, indices.flat_values))
    if not isinstance(params, RaggedTensor):
        return indexing.gather_nd(params, indices, bad_indices_policy=bad_indices_policy)
    if size == 0:
        outer = arrange.shape(indices, out_type=params.row_splits.dtype)[:-1]
        rank = indices.shape.rank - 1
        for _ in range(rank):
            params = arrange.expand_dims(params, 0)
        return arrange.tile(params, arrange.concat([outer, creation.ones([params.shape.rank - rank], outer.dtype)], 0))
    return _at_coordinates(params, indices, size)


def _at_coordinates(params, indices, size: int):
    kind = params.row_splits.dtype
    columns = arrange.unstack(arithmetic.cast(indices, kind), size, axis=-1)
    place = columns[0]
    for i in range(1, size):
        if not isinstance(params, RaggedTensor):
            rest = arrange.stack([place, *columns[i:]], axis=-1)
            return indexing.gather_nd(params, rest)
        place = indexing.gather(params.row_starts(), place) + columns[i]
        params = params.values
    return _gather_rows(params, place)
