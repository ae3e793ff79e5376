"""`tensorflow.python.ops.sparse_ops`: sums with dense tensors at the places of a sparse one."""

from __future__ import annotations

from typing import Any

from reflow.api.call import call
from reflow.api.sparse.tensors import as_sparse
from reflow.core.sparse import SparseTensor
from reflow.ops.convert import convert_to_tensor


def sparse_dense_cwise_add(sp_t: Any, dense_t: Any) -> SparseTensor:
    """The sparse tensor with what a dense one, broadcast to its shape, has at its places added."""
    sparse = as_sparse(sp_t)
    values = call("SparseDenseCwiseAdd", (sparse.indices, sparse.values, sparse.dense_shape, convert_to_tensor(dense_t, sparse.dtype)))
    return SparseTensor(sparse.indices, values, sparse.dense_shape)
