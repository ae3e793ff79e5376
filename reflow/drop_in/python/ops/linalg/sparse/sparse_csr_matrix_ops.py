"""`tensorflow.python.ops.linalg.sparse.sparse_csr_matrix_ops`: sparse matrices as objects, on top of the ops for their
variants."""

from __future__ import annotations

import abc
from typing import Any, NamedTuple

from reflow.api.array import arrange
from reflow.api.linalg import products
from reflow.api.math import arithmetic, unary
from reflow.api.raw_ops import raw_ops
from reflow.core import dtypes
from reflow.core.shapes import TensorShape
from reflow.core.sparse import SparseTensor
from reflow.core.tensor import EagerTensor, Tensor
from reflow.ops.convert import convert_to_tensor


class DenseShapeAndType(NamedTuple):
    """The shape of the dense matrix, and the dtype of its elements."""

    shape: TensorShape
    dtype: dtypes.DType


def dense_shape_and_type(matrix: Any) -> DenseShapeAndType:
    """The shape and the dtype of the matrix behind a variant.

    Raises:
        TypeError: it is no variant.
        ValueError: nothing is known about it.
    """
    if not isinstance(matrix, Tensor):
        raise TypeError(f"matrix should be a tensor, but saw: {matrix}")
    if matrix.dtype != dtypes.variant:
        raise TypeError(f"expected matrix to be type tf.variant, but saw: {matrix.dtype}")
    if isinstance(matrix, EagerTensor):
        value = matrix._host()
        return DenseShapeAndType(TensorShape(value.dims), dtypes.as_dtype(value.parts[0].values.dtype))
    dims, attrs = getattr(getattr(matrix, "_static", None), "dims", None), matrix.op.node_def.attr
    kind = next((attrs[name].type for name in ("type", "T") if name in attrs), None)
    if dims is None or kind is None:
        raise ValueError(f"matrix has missing handle data: {matrix}")
    return DenseShapeAndType(TensorShape(dims), dtypes.as_dtype(kind))


class SparseMatrix(abc.ABC):
    """A sparse matrix, or a batch of them."""

    @property
    @abc.abstractmethod
    def _matrix(self) -> Any:
        """The variant."""

    @abc.abstractmethod
    def _from_matrix(self, matrix: Any, handle_data: Any = None) -> SparseMatrix:
        """The same kind of matrix around another variant."""

    @abc.abstractmethod
    def to_dense(self) -> Any:
        """The matrix as a tensor."""

    @abc.abstractmethod
    def to_sparse_tensor(self) -> SparseTensor:
        """The matrix as a sparse tensor."""

    graph = property(lambda self: self._matrix.graph)
    shape = property(lambda self: dense_shape_and_type(self._matrix).shape)
    dtype = property(lambda self: dense_shape_and_type(self._matrix).dtype)

    def conj(self) -> SparseMatrix:
        """The matrix with conjugated elements."""
        sparse = self.to_sparse_tensor()
        conjugated = SparseTensor(sparse.indices, unary.conj(sparse.values), sparse.dense_shape)
        return self._from_matrix(CSRSparseMatrix(conjugated)._matrix)

    def transpose(self) -> SparseMatrix:
        """The matrix with rows and columns exchanged."""
        return self._from_matrix(raw_ops.SparseMatrixTranspose(input=self._matrix, type=self.dtype))

    def hermitian_transpose(self) -> SparseMatrix:
        """The conjugated transpose."""
        return self._from_matrix(raw_ops.SparseMatrixTranspose(input=self._matrix, conjugate=True, type=self.dtype))

    def nnz(self) -> Any:
        """How many elements are stored."""
        return raw_ops.SparseMatrixNNZ(sparse_matrix=self._matrix)

    nonzero = nnz

    def sorted_indices(self) -> Any:
        """Where they are, row by row."""
        return self.to_sparse_tensor().indices


class CSRSparseMatrix(SparseMatrix):
    """A matrix in compressed rows: made from a dense one, of which `indices` may say which elements are stored, or from
    a sparse tensor.

    Raises:
        ValueError: both a sparse tensor and indices are given.
    """

    def __init__(self, value: Any, indices: Any = None, name: str | None = None) -> None:
        if isinstance(value, SparseTensor):
            if indices is not None:
                raise ValueError("indices must be None if value is a SparseTensor.")
            self._dtype = value.dtype
            self._csr_matrix = raw_ops.SparseTensorToCSRSparseMatrix(
                indices=value.indices, values=value.values, dense_shape=value.dense_shape, name=name
            )
            return
        value = convert_to_tensor(value)
        self._dtype = value.dtype
        indices = arrange.stop_gradient(arithmetic.where(value)) if indices is None else indices
        self._csr_matrix = raw_ops.DenseToCSRSparseMatrix(
            dense_input=value, indices=convert_to_tensor(indices, dtypes.int64), name=name
        )

    dtype = property(lambda self: self._dtype)
    _matrix = property(lambda self: self._csr_matrix)

    def _from_matrix(self, matrix: Any, handle_data: Any = None) -> SparseMatrix:
        assert isinstance(matrix, Tensor) and matrix.dtype == dtypes.variant
        made = type(self).__new__(type(self))
        made._dtype, made._csr_matrix = self._dtype, matrix
        return made

    def to_dense(self) -> Any:
        return raw_ops.CSRSparseMatrixToDense(sparse_input=self._matrix, type=self.dtype)

    def to_sparse_tensor(self) -> SparseTensor:
        return SparseTensor(*raw_ops.CSRSparseMatrixToSparseTensor(sparse_matrix=self._matrix, type=self.dtype))


def matmul(
    a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False, adjoint_a: bool = False,
    adjoint_b: bool = False, name: str | None = None,
) -> Any:
    """The product of two matrices: sparse if both are, else a tensor.

    Raises:
        TypeError: both are sparse, of classes that have nothing to do with each other.
    """
    flags: dict[str, Any] = {
        "transpose_a": transpose_a, "transpose_b": transpose_b, "adjoint_a": adjoint_a, "adjoint_b": adjoint_b,
    }
    sparse_a, sparse_b = (isinstance(matrix, SparseMatrix) for matrix in (a, b))
    if not sparse_a and not sparse_b:
        return products.matmul(a, b, **flags, name=name)
    if not sparse_b:
        return raw_ops.SparseMatrixMatMul(a=a._matrix, b=convert_to_tensor(b, a.dtype), **flags, name=name)
    if sparse_a:
        if not (isinstance(a, type(b)) or isinstance(b, type(a))):
            raise TypeError(f"SparseMatrix types don't inherit from each other: {type(a)} and {type(b)}")
        found = raw_ops.SparseMatrixSparseMatMul(a=a._matrix, b=b._matrix, type=a.dtype, **flags, name=name)
        return a._from_matrix(found)
    # (a b)ᵀ = bᵀ aᵀ, so that the sparse matrix is the first one
    a = convert_to_tensor(a, b.dtype)
    dense = unary.conj(a) if adjoint_a else a
    return raw_ops.SparseMatrixMatMul(
        a=b._matrix, b=unary.conj(dense) if adjoint_b else dense, transpose_a=not (transpose_b or adjoint_b),
        transpose_b=not (transpose_a or adjoint_a), transpose_output=True, conjugate_output=adjoint_b, name=name,
    )
