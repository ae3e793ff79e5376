"""`tf.compat.v1.nn.embedding_lookup`, sampled losses, and partitioned tables.

A partitioned table has its rows interleaved ("mod": row i is in part i % n) or split ("div": the first rows are in the
first part). Both are lookups in the concatenated parts, with translated ids.
"""

from __future__ import annotations

from typing import Any

from reflow.api.array import arrange, creation, indexing
from reflow.api.export import export
from reflow.api.math import arithmetic, reduce
from reflow.api.nn import candidates, embeddings
from reflow.core.ragged import RaggedTensor
from reflow.core.sparse import SparseTensor
from reflow.eager.variables import Variable
from reflow.ops.convert import convert_to_tensor


def _parts(params: Any) -> list:
    """The parts of a table: a list of them, or a partitioned variable's."""
    partitioned = not isinstance(params, Variable) and hasattr(params, "_get_variable_list")
    return list(params) if isinstance(params, (list, tuple)) or partitioned else [params]


def _table(params: Any, ids: Any, strategy: str) -> tuple:
    """One table, and the ids as rows of it."""
    parts = _parts(params)
    if strategy not in ("mod", "div"):
        raise ValueError(f"Unrecognized partition strategy: {strategy}.Must be one of either `mod` or `div`.")
    if len(parts) == 1:
        return parts[0], ids
    table = arrange.concat(parts, 0)
    if strategy == "div":  # as cut: the parts are in order already
        return table, ids
    sizes = arrange.stack([arrange.shape(p)[0] for p in parts])
    starts = arithmetic.cast(reduce.cumsum(sizes, exclusive=True), ids.dtype)
    count = len(parts)
    return table, indexing.gather(starts, arithmetic.floormod(ids, count)) + arithmetic.floordiv(ids, count)


@export("compat.v1.nn.embedding_lookup")
def embedding_lookup(params, ids, partition_strategy="mod", name=None, validate_indices=True, max_norm=None):
    """Rows of a table, which may be a list of parts.

    >>> parts = [tf.constant([[0.0], [2.0]]), tf.constant([[1.0], [3.0]])]
    >>> tf.compat.v1.nn.embedding_lookup(parts, [0, 1, 2, 3]).numpy()[:, 0].tolist()
    [0.0, 1.0, 2.0, 3.0]
    """
    if isinstance(ids, RaggedTensor):
        found = embedding_lookup(params, ids.flat_values, partition_strategy, name, validate_indices, max_norm)
        return ids.with_flat_values(found)
    table, rows = _table(params, convert_to_tensor(ids), partition_strategy)
    return embeddings.embedding_lookup(table, rows, max_norm, name)


@export("compat.v1.nn.embedding_lookup_sparse")
def embedding_lookup_sparse(
    params, sp_ids, sp_weights, partition_strategy="mod", name=None, combiner=None, max_norm=None,
    allow_fast_lookup=False,
):
    """For each row of `sp_ids`, the rows of a table that it names, combined.

    >>> table = tf.constant([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
    >>> ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([0, 2, 1], tf.int64), [2, 2])
    >>> tf.compat.v1.nn.embedding_lookup_sparse(table, ids, None, combiner="sum").numpy().tolist()
    [[4.0, 4.0], [2.0, 2.0]]
    """
    table, values = _table(params, sp_ids.values, partition_strategy)
    ids = (
        SparseTensor(sp_ids.indices, values, sp_ids.dense_shape) if isinstance(sp_ids, SparseTensor)
        else sp_ids.with_values(values)
    )
    return embeddings.embedding_lookup_sparse(table, ids, sp_weights, combiner, max_norm, name, allow_fast_lookup)


@export("compat.v1.nn.safe_embedding_lookup_sparse")
def safe_embedding_lookup_sparse(
    embedding_weights, sparse_ids, sparse_weights=None, combiner="mean", default_id=None, name=None,
    partition_strategy="div", max_norm=None, allow_fast_lookup=False,
):
    """`tf.nn.safe_embedding_lookup_sparse` for a table that may be a list of parts.

    >>> table = tf.constant([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
    >>> # the second row names nothing
    >>> ids = tf.SparseTensor([[0, 0], [0, 1]], tf.constant([0, 2], tf.int64), [2, 2])
    >>> tf.compat.v1.nn.safe_embedding_lookup_sparse([table], ids, combiner="sum").numpy().tolist()
    [[4.0, 4.0], [0.0, 0.0]]
    """
    table, values = _table(embedding_weights, sparse_ids.values, partition_strategy)
    ids = SparseTensor(sparse_ids.indices, values, sparse_ids.dense_shape)
    return embeddings.safe_embedding_lookup_sparse(
        table, ids, sparse_weights, combiner, default_id, max_norm, name, allow_fast_lookup
    )


def whole_classes(weights: Any, biases: Any, strategy: str, count: int) -> tuple:
    """The weights and biases of all classes in their order."""
    every = creation.range(count)
    if len(_parts(weights)) > 1:
        weights = embedding_lookup(weights, every, strategy)
    return (
        _parts(weights)[0], embedding_lookup(biases, every, strategy) if len(_parts(biases)) > 1 else _parts(biases)[0]
    )


@export("compat.v1.nn.nce_loss")
def nce_loss(
    weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None,
    remove_accidental_hits=False, partition_strategy="mod", name="nce_loss",
):
    """`tf.nn.nce_loss`; weights and biases may be lists of parts.

    >>> weights, biases = tf.zeros([100, 4]), tf.zeros([100])
    >>> loss = tf.compat.v1.nn.nce_loss(
    ...     weights, biases, labels=tf.constant([[1], [2]], tf.int64), inputs=tf.ones([2, 4]), num_sampled=5,
    ...     num_classes=100,
    ... )
    >>> loss.shape
    TensorShape([2])
    """
    weights, biases = whole_classes(weights, biases, partition_strategy, num_classes)
    drawn = num_sampled, num_classes, num_true, sampled_values
    return candidates.nce_loss(weights, biases, labels, inputs, *drawn, remove_accidental_hits, name)


@export("compat.v1.nn.sampled_softmax_loss")
def sampled_softmax_loss(
    weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None,
    remove_accidental_hits=True, partition_strategy="mod", name="sampled_softmax_loss", seed=None,
):
    """`tf.nn.sampled_softmax_loss`; weights and biases may be lists of parts.

    >>> weights, biases = tf.zeros([100, 4]), tf.zeros([100])
    >>> loss = tf.compat.v1.nn.sampled_softmax_loss(weights, biases, labels=tf.constant([[1], [2]], tf.int64),
    ...                                             inputs=tf.ones([2, 4]), num_sampled=5, num_classes=100)
    >>> loss.shape
    TensorShape([2])
    """
    weights, biases = whole_classes(weights, biases, partition_strategy, num_classes)
    drawn = num_sampled, num_classes, num_true, sampled_values
    return candidates.sampled_softmax_loss(weights, biases, labels, inputs, *drawn, remove_accidental_hits, seed, name)
