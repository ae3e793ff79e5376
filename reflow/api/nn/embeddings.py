"""Embeddings: rows of a table of weights, looked up by ids that are dense, ragged or sparse.

A sparse lookup combines the rows of each sample. Sample i has the ids `sp_ids.values` whose index begins with i; ids
may have weights, given as a second sparse tensor with the same entries.
"""

from __future__ import annotations

from typing import Any

from reflow.api.array import arrange, creation, indexing
from reflow.api.export import export
from reflow.api.math import arithmetic, clip, reduce, segment, unary
from reflow.api.sparse import tensors
from reflow.core import dtypes
from reflow.core.ragged import RaggedTensor
from reflow.core.sparse import SparseTensor
from reflow.ops.convert import convert_to_tensor

_COMBINERS = ("mean", "sqrtn", "sum")


def _whole(params):
    """A list of tables concatenated into one."""
    if not isinstance(params, (list, tuple)):
        return params
    if not params:
        raise ValueError("Length of params is currently 0. Need at least one param.")
    return params[0] if len(params) == 1 else arrange.concat(list(params), 0)


@export("nn.embedding_lookup")
def embedding_lookup(params, ids, max_norm=None, name=None) -> Any:
    """Looks up rows of a table, or of the concatenation of a list of tables.

    Args:
      params: The table, or a list of tables whose rows follow each other.
      ids: The numbers of the rows, a tensor of any shape or a ragged tensor.
      max_norm: If not None, rows with a greater Euclidean norm are scaled down to it.
      name: A name for the operation.

    Returns:
      A tensor of the dtype of `params`, of shape `ids.shape + params.shape[1:]`; ragged if `ids` is.

    Raises:
      ValueError: `params` is an empty list.
      InvalidArgumentError: An id is out of range.

    >>> tf.nn.embedding_lookup(tf.constant([[1.0], [2.0]]), [1, 0]).numpy().tolist()
    [[2.0], [1.0]]
    """
    if isinstance(ids, RaggedTensor):
        return ids.with_flat_values(embedding_lookup(params, ids.flat_values, max_norm, name))
    ids = convert_to_tensor(ids)
    rows = indexing.gather(_whole(params), ids, name=name)
    if max_norm is None:
        return rows
    axes = list(range(ids.shape.rank, rows.shape.rank))
    return clip.clip_by_norm(rows, max_norm, axes=axes, name=name)


@export("nn.embedding_lookup_sparse")
def embedding_lookup_sparse(
    params, sp_ids, sp_weights, combiner=None, max_norm=None, name=None, allow_fast_lookup=False
):
    """Combines, for each row of `sp_ids`, the rows of `params` that it names.

    Args:
      params: The table, or a list of tables whose rows follow each other.
      sp_ids: A `SparseTensor` of row numbers; each of its rows has at least one.
      sp_weights: A `SparseTensor` of weights with the same entries, or None for weights of 1.
      combiner: `"sum"`; `"mean"`, the sum by the sum of weights; or `"sqrtn"`, the sum by the root of the sum of their
        squares. By default `"mean"`.
      max_norm: If not None, rows with a greater Euclidean norm are scaled down to it before they are combined.
      name: A name for the operation.
      allow_fast_lookup: Has no effect: there is one way to look up here.

    Returns:
      A tensor of the dtype of `params`, with a combined row for each row of `sp_ids`.

    Raises:
      ValueError: There is no such `combiner`.
      TypeError: `sp_ids` or `sp_weights` is not sparse.

    >>> ids = tf.sparse.from_dense([[1, 2], [2, 0]])
    >>> tf.nn.embedding_lookup_sparse(tf.constant([[0.0], [4.0], [6.0]]), ids, None).numpy().tolist()
    [[5.0], [6.0]]
    """
    combiner = "mean" if combiner is None else combiner
    if combiner not in _COMBINERS:
        raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner}")
    if not isinstance(sp_ids, SparseTensor):
        raise TypeError(f"sp_ids must be SparseTensor, got {type(sp_ids)}")
    if sp_weights is not None and not isinstance(sp_weights, SparseTensor):
        raise TypeError(f"sp_weights must be either None or SparseTensor, got {type(sp_weights)}")
    segments = sp_ids.indices[:, 0]
    rows = embedding_lookup(params, sp_ids.values, max_norm)
    kind = rows.dtype
    if kind in (dtypes.float16, dtypes.bfloat16):
        rows = arithmetic.cast(rows, dtypes.float32)
    if sp_weights is None:
        if combiner == "sum":
            return arithmetic.cast(segment.segment_sum(rows, segments), kind, name=name)
        combined = segment.segment_sum(rows, segments)
        ones = creation.ones_like(sp_ids.values, dtype=rows.dtype)
    else:
        ones = arithmetic.cast(sp_weights.values, rows.dtype)
        combined = segment.segment_sum(rows * _column(ones, rows), segments)
        if combiner == "sum":
            return arithmetic.cast(combined, kind, name=name)
    if combiner == "mean":
        size = segment.segment_sum(ones, segments)
    else:
        size = unary.sqrt(segment.segment_sum(unary.square(ones), segments))
    return arithmetic.cast(arithmetic.divide_no_nan(combined, _column(size, rows)), kind, name=name)


def _column(vector, like):
    """A vector in a shape that multiplies the rows of `like`."""
    return arrange.reshape(vector, arrange.concat([[-1], creation.ones_like(arrange.shape(like)[1:])], 0))


@export("nn.safe_embedding_lookup_sparse")
def safe_embedding_lookup_sparse(
    embedding_weights, sparse_ids: SparseTensor, sparse_weights: SparseTensor | None = None, combiner: str = "mean",
    default_id: int | None = None, max_norm: float | None = None, name: str | None = None,
    allow_fast_lookup: bool = False,
):
    """Looks up like `embedding_lookup_sparse`, without invalid ids and weights, and with empty rows.

    Negative ids are dropped and, unless they are summed, ids of weights that are not positive.

    Args:
      embedding_weights: The table, or a list of tables whose rows follow each other.
      sparse_ids: A `SparseTensor` of row numbers; all its axes but the last are samples.
      sparse_weights: A `SparseTensor` of weights with the same entries, or None for weights of 1.
      combiner: `"mean"`, `"sqrtn"` or `"sum"`, as in `embedding_lookup_sparse`.
      default_id: The row for a sample without ids; by default such a sample gets zeros.
      max_norm: If not None, rows with a greater Euclidean norm are scaled down to it before they are combined.
      name: A name for the operation.
      allow_fast_lookup: Has no effect: there is one way to look up here.

    Returns:
      A tensor of shape `sparse_ids.shape[:-1] + embedding_weights.shape[1:]`.

    Raises:
      ValueError: There is no such `combiner`, or the list of tables is empty.

    >>> ids = tf.SparseTensor([[0, 0]], [1], [2, 1])
    >>> tf.nn.safe_embedding_lookup_sparse(tf.constant([[3.0], [4.0]]), ids).numpy().tolist()
    [[4.0], [0.0]]
    """
    table = _whole(embedding_weights)
    outer = sparse_ids.dense_shape[:-1]
    matrix = arrange.stack([reduce.reduce_prod(outer), sparse_ids.dense_shape[-1]])
    ids = tensors.reshape(sparse_ids, matrix)
    weights = None if sparse_weights is None else SparseTensor(ids.indices, sparse_weights.values, ids.dense_shape)
    ids, weights = _valid(ids, weights, combiner)
    ids, empty = tensors.fill_empty_rows(ids, default_id or 0)
    if weights is not None:
        weights, _ = tensors.fill_empty_rows(weights, 1.0)
    result = embedding_lookup_sparse(table, ids, weights, combiner, max_norm, allow_fast_lookup=allow_fast_lookup)
    if default_id is None:
        result = arithmetic.where(_column(empty, result), creation.zeros_like(result), result)
    inner = arrange.shape(result, out_type=dtypes.int64)[1:]
    final = arrange.reshape(result, arrange.concat([outer, inner], 0), name=name)
    rank = sparse_ids.shape.rank
    if rank is not None and final.shape.rank is None and result.shape.rank is not None:
        final.set_shape([*sparse_ids.shape[:-1], *result.shape[1:]])
    return final


def _valid(ids, weights, combiner):
    """The entries whose id is not negative and, for averages, whose weight is positive."""
    good = ids.values >= 0
    if weights is not None and combiner != "sum":
        good = arithmetic.logical_and(good, weights.values > 0)
    ids = tensors.retain(ids, good)
    return ids, None if weights is None else tensors.retain(weights, good)
