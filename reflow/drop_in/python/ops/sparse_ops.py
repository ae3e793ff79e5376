"""`tensorflow.python.ops.sparse_ops`: sums with dense tensors at the places of a sparse one,
sparse tensors from bytes, weights."""

from __future__ import annotations

from typing import Any

from reflow.api.call import call
from reflow.api.math.bins import bincount as bincount
from reflow.api.math.bins import validate_sparse_weights as validate_sparse_weights
from reflow.api.raw_ops import raw_ops
from reflow.api.sparse.tensors import as_sparse
from reflow.compat.rows_of_strings import sparse_merge
from reflow.core.sparse import SparseTensor
from reflow.graph.node import Node
from reflow.ops.convert import convert_to_tensor
from reflow.ops.kernels.sparse import held


def sparse_dense_cwise_add(sp_t: Any, dense_t: Any) -> SparseTensor:
    """The sparse tensor with what a dense one, broadcast to its shape, has at its places added."""
    sparse = as_sparse(sp_t)
    values = call(
        "SparseDenseCwiseAdd",
        (sparse.indices, sparse.values, sparse.dense_shape, convert_to_tensor(dense_t, sparse.dtype)),
    )
    return SparseTensor(sparse.indices, values, sparse.dense_shape)


def deserialize_sparse(
    serialized_sparse: Any, dtype: Any, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """The sparse tensor that `tf.io.serialize_sparse` wrote, or those of a batch as one with more axes."""
    indices, values, shape = raw_ops.DeserializeSparse(serialized_sparse=serialized_sparse, dtype=dtype, name=name)
    indices.set_shape([None, rank])
    shape.set_shape([rank])
    return SparseTensor(indices, values, shape)


def sparse_merge_impl(
    sp_ids: Any, sp_values: Any, vocab_size: Any, name: str | None = None, already_sorted: bool = False
) -> SparseTensor:
    """Values at the places that ids name, as `tf.compat.v1.sparse_merge`."""
    return sparse_merge(sp_ids, sp_values, vocab_size, name, already_sorted)


class KeywordRequired:
    """The default of an argument that must be given by name."""

    def __repr__(self) -> str:
        return "KeywordRequired()"


def _add_sparse_to_tensors_map(
    sp_input: Any, container: str | None = None, shared_name: str | None = None, name: str | None = None
) -> Any:
    """A handle by which `_take_many_sparse_from_tensors_map` finds a sparse tensor again."""
    sparse = as_sparse(sp_input)
    return raw_ops.AddSparseToTensorsMap(
        sparse_indices=sparse.indices, sparse_values=sparse.values, sparse_shape=sparse.dense_shape,
        container=container or "", shared_name=shared_name or "", name=name,
    )


def _add_many_sparse_to_tensors_map(
    sp_input: Any, container: str | None = None, shared_name: str | None = None, name: str | None = None
) -> Any:
    """A handle for each of the sparse tensors along the first axis of one."""
    sparse = as_sparse(sp_input)
    return raw_ops.AddManySparseToTensorsMap(
        sparse_indices=sparse.indices, sparse_values=sparse.values, sparse_shape=sparse.dense_shape,
        container=container or "", shared_name=shared_name or "", name=name,
    )


def _take_many_sparse_from_tensors_map(
    sparse_map_op: Any, sparse_handles: Any, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """The sparse tensors behind handles as one with an axis more; the handles are used up.

    Args:
        sparse_map_op: the operation that made the handles.
        rank: of the result, if it is known.

    Raises:
        TypeError: `sparse_map_op` is no operation, or makes no such handles.
    """
    if not isinstance(sparse_map_op, Node):
        raise TypeError("sparse_map_op be an Operation")
    if sparse_map_op.record not in (held.add_sparse, held.add_many_sparse):
        raise TypeError(
            "sparse_map_op must be one of AddSparseToTensorsMap or AddSparseToTensorsMap. Instead, found "
            f"`{sparse_map_op.type}`."
        )
    indices, values, shape = raw_ops.TakeManySparseFromTensorsMap(
        sparse_handles=sparse_handles, dtype=sparse_map_op.get_attr("T"),
        container=sparse_map_op.get_attr("container").decode(),
        shared_name=(sparse_map_op.get_attr("shared_name") or sparse_map_op.name.encode()).decode(), name=name,
    )
    indices.set_shape([None, rank])
    shape.set_shape([rank])
    return SparseTensor(indices, values, shape)
