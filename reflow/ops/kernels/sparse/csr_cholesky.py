"""The Cholesky factor of sparse matrices (`csr.py`), and a row order that keeps it sparse.

`SparseMatrixOrderingAMD` repeatedly takes the row with the fewest remaining neighbors, and connects its neighbors, as
elimination would. TensorFlow's order approximates the same degrees; ties may be broken differently.
"""

from __future__ import annotations

import numpy as np

from reflow.core import dtypes, errors
from reflow.core.types import Array
from reflow.ops.kernels.sparse import csr_shapes as shapes
from reflow.ops.kernels.sparse.csr import CSRMatrix, Rows, csr_op, made
from reflow.ops.registry import NO_GRADIENT


def _square(matrix: CSRMatrix) -> int:
    *_, rows, columns = matrix.dims
    if rows != columns:
        raise errors.InvalidArgumentError(None, None, f"sparse matrix must be square; got: {columns} != {rows}")
    return rows


def _order(part: Rows, size: int) -> list[int]:
    """The rows of one matrix, those with few neighbours first."""
    near: list[set[int]] = [set() for _ in range(size)]
    for i, j in zip(part.rows.tolist(), part.columns.tolist(), strict=True):
        if i != j:
            near[i].add(j)
            near[j].add(i)
    left, order = set(range(size)), []
    while left:
        chosen = min(left, key=lambda i: (len(near[i]), i))
        left.remove(chosen)
        order.append(chosen)
        around = near[chosen]
        for i in around:
            near[i] |= around
            near[i] -= {i, chosen}
    return order


@csr_op("SparseMatrixOrderingAMD", shape=shapes.rows, grad=NO_GRADIENT)
def ordering(_, input):
    size = _square(input)
    found = np.array([_order(part, size) for part in input.parts], np.int32).reshape(len(input.parts), size)
    return found if len(input.dims) == 3 else found[0]


def _factor(dense: Array, order: Array) -> Array:
    try:
        return np.linalg.cholesky(dense[np.ix_(order, order)])
    except np.linalg.LinAlgError:
        raise errors.InvalidArgumentError(
            None, None, "Sparse Cholesky factorization failed! Is the input matrix positive definite?"
        ) from None


def _full(matrix: CSRMatrix) -> Array:
    """All entries of a matrix of which only the lower triangle is read."""
    low = np.tril(matrix.dense())
    return low + np.conj(np.swapaxes(np.tril(low, -1), -1, -2))


@csr_op("SparseMatrixSparseCholesky", list_facts=shapes.same, grad=NO_GRADIENT)
def sparse_cholesky(_, input, permutation, type=dtypes.float32):
    """The lower factor L of the rows and columns in the order of `permutation`."""
    size = _square(input)
    orders = permutation.reshape(-1, size) if permutation.size else permutation.reshape(0, size)
    if len(orders) != len(input.parts) or (np.sort(orders, -1) != np.arange(size)).any():
        raise errors.InvalidArgumentError(None, None, "permutation must be a permutation of the rows of each matrix")
    dense = _full(input).reshape(len(input.parts), size, size)
    factors = np.array([_factor(m, order) for m, order in zip(dense, orders, strict=True)]).reshape(input.dims)
    places = np.argwhere(factors != 0)
    return made(places, factors[tuple(places.T)].astype(dense.dtype), input.dims)
