"""Sparse matrices in compressed row format (CSR), as one variant value: a matrix, or a batch of them.

A matrix stores, row by row, the columns and values of its entries; `starts` says where each row begins, and where the
last one ends. The gradient of an op that creates a matrix is a matrix again; that of an operand has exactly the
operand's entries.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from reflow.core import errors
from reflow.core.tensor import HostObject
from reflow.core.types import Array
from reflow.ops import shape_rules as rules
from reflow.ops.dispatch import run
from reflow.ops.kernels.sparse import csr_shapes as shapes
from reflow.ops.registry import NO_GRADIENT, op
from reflow.ops.xp import tensor as tn

_MOST = 2**31 - 1  # rows and columns are counted in 32 bits


class Rows(NamedTuple):
    """One matrix."""

    starts: Array
    columns: Array
    values: Array

    @property
    def rows(self) -> Array:
        """The row of each entry."""
        return np.repeat(np.arange(self.starts.size - 1, dtype=np.int64), np.diff(self.starts))


class CSRMatrix(HostObject):
    """The value of the variant: `dims` are two sizes, or three for a batch."""

    __slots__ = ("dims", "parts")

    def __init__(self, dims: tuple[int, ...], parts: list[Rows]) -> None:
        self.dims, self.parts = dims, parts

    def indices(self) -> Array:
        """[entries, rank]: the place of each entry."""
        found = []
        for i, part in enumerate(self.parts):
            place = [part.rows, part.columns.astype(np.int64)]
            found.append(np.stack([np.full_like(place[0], i), *place] if len(self.dims) == 3 else place, 1))
        return np.concatenate(found)

    def values(self) -> Array:
        return np.concatenate([part.values for part in self.parts])

    def dense(self) -> Array:
        out = np.zeros(self.dims, self.parts[0].values.dtype)
        out[tuple(self.indices().T)] = self.values()
        return out

    def with_values(self, values: Array) -> CSRMatrix:
        """Other values at the same places."""
        ends = np.cumsum([part.values.size for part in self.parts])[:-1]
        return CSRMatrix(
            self.dims, [Rows(p.starts, p.columns, v) for p, v in zip(self.parts, np.split(values, ends), strict=True)]
        )

    def add(self, other: CSRMatrix) -> CSRMatrix:
        """The sum, for cotangents."""
        places = np.concatenate([self.indices(), other.indices()])
        return summed(places, np.concatenate([self.values(), other.values()]), self.dims)

    def zeros_like(self) -> CSRMatrix:
        return self.with_values(np.zeros_like(self.values()))

    def __repr__(self) -> str:
        return f"<CSRMatrix of {rules.text(self.dims)}>"


def made(indices: Array, values: Array, dims: tuple[int, ...]) -> CSRMatrix:
    """The matrix with entries at places in row-major order."""
    batches, rows = (dims[0], dims[1]) if len(dims) == 3 else (1, dims[0])
    line = indices[:, 0] * rows + indices[:, 1] if len(dims) == 3 else indices[:, 0]
    at = np.searchsorted(line, np.arange(batches * rows + 1))
    parts = []
    for i in range(batches):
        starts = at[i * rows : (i + 1) * rows + 1]
        inside = slice(starts[0], starts[-1])
        parts.append(Rows((starts - starts[0]).astype(np.int32), indices[inside, -1].astype(np.int32), values[inside]))
    return CSRMatrix(dims, parts)


def summed(indices: Array, values: Array, dims: tuple[int, ...]) -> CSRMatrix:
    """The matrix with entries at places in any order; those at one place are added."""
    flat, back = np.unique(np.ravel_multi_index(tuple(indices.T), dims), return_inverse=True)
    total = np.zeros(flat.size, values.dtype)
    np.add.at(total, back, values)
    return made(np.stack(np.unravel_index(flat, dims), 1), total, dims)


def _invalid(message: str) -> Exception:
    return errors.InvalidArgumentError(None, None, message)


def csr_op(name: str, shape: Any = rules.scalar, **facts: Any):
    return op(name, shape=shape, host=True, **facts)


# --- other forms ------------------------------------------------------------------------------------------------------


def _entries(matrix, dtype):
    return run("CSRSparseMatrixToSparseTensor", matrix, type=dtype)


def _to_dense_back(attrs, inputs, outputs, cts, wanted):
    return (run("DenseToCSRSparseMatrix", cts[0], _entries(inputs[0], attrs["type"])[0]),)


@csr_op("CSRSparseMatrixToDense", shapes.dense, grad_tensors=_to_dense_back)
def csr_to_dense(_, sparse_input):
    return sparse_input.dense()


def _from_dense_back(attrs, inputs, outputs, cts, wanted):
    return run("CSRSparseMatrixToDense", cts[0], type=inputs[0].dtype), None


@csr_op("DenseToCSRSparseMatrix", list_facts=shapes.of_dense, grad_tensors=_from_dense_back)
def dense_to_csr(_, dense_input, indices):
    if dense_input.ndim not in (2, 3):
        raise _invalid(f"Input must have rank 2 or 3; but it has rank {dense_input.ndim}")
    if indices.ndim != 2 or indices.shape[1] != dense_input.ndim:
        raise _invalid(f"indices must be a matrix with {dense_input.ndim} columns, got {rules.text(indices.shape)}")
    for at in np.flatnonzero(((indices < 0) | (indices >= dense_input.shape)).any(1))[:1]:
        place = (
            f"indices[{at}] = {indices[at].tolist()} does not index into param shape {rules.text(dense_input.shape)}"
        )
        raise _invalid(f"{place}, node name: DenseToCSRSparseMatrix")
    return made(indices, dense_input[tuple(indices.T)], dense_input.shape)


def _from_sparse_back(attrs, inputs, outputs, cts, wanted):
    return None, _entries(cts[0], inputs[1].dtype)[1], None


@csr_op("SparseTensorToCSRSparseMatrix", list_facts=shapes.of_shape(2), grad_tensors=_from_sparse_back)
def sparse_to_csr(_, indices, values, dense_shape):
    dims = tuple(dense_shape.tolist())
    if len(dims) not in (2, 3):
        raise _invalid(f"SparseTensor must have rank 2 or 3; but indices has rank: {len(dims)}")
    if values.ndim != 1:
        raise _invalid(f"Sparse values must be rank 1 but is rank {values.ndim}")
    if len(indices) != len(values):
        raise _invalid(f"Number of elements in indices ({len(indices)}) and values ({len(values)}) do not match")
    if max(dims) > _MOST:
        raise _invalid(f"Sizes of a CSR matrix must be at most {_MOST}, but dense_shape is {rules.text(dims)}")
    if ((indices < 0) | (indices >= dense_shape)).any():
        raise _invalid(f"Indices are out of bounds of the shape {rules.text(dims)}")
    return made(indices, values, dims)


def _to_sparse_back(attrs, inputs, outputs, cts, wanted):
    return (run("SparseTensorToCSRSparseMatrix", outputs[0], cts[1], outputs[2]),)


@csr_op("CSRSparseMatrixToSparseTensor", shapes.entries, grad_tensors=_to_sparse_back)
def csr_to_sparse(_, sparse_matrix):
    return sparse_matrix.indices(), sparse_matrix.values(), np.array(sparse_matrix.dims, np.int64)


@csr_op("CSRSparseMatrixComponents", lambda f: [(None,), (None,), (None,)], grad=NO_GRADIENT)
def csr_components(_, csr_sparse_matrix, index):
    if not 0 <= index < len(csr_sparse_matrix.parts):
        raise _invalid(f"index ({index}) not in [0, {len(csr_sparse_matrix.parts)})")
    return tuple(csr_sparse_matrix.parts[int(index)])


@csr_op("SparseMatrixNNZ", shapes.batch, grad=NO_GRADIENT)
def csr_count(_, sparse_matrix):
    counts = np.array([part.values.size for part in sparse_matrix.parts], np.int32)
    return counts if len(sparse_matrix.dims) == 3 else counts[0, ...]


@csr_op("SparseMatrixZeros", fits="1", list_facts=shapes.of_shape(0), grad=NO_GRADIENT)
def csr_zeros(_, dense_shape, type):
    dims = tuple(dense_shape.tolist())
    return made(np.zeros((0, len(dims)), np.int64), np.zeros(0, type.np_dtype), dims)


# --- one matrix -------------------------------------------------------------------------------------------------------


def _transposed(a: CSRMatrix, conjugate: bool = False) -> CSRMatrix:
    places = a.indices()
    places[:, [-2, -1]] = places[:, [-1, -2]]
    order = np.lexsort(places.T[::-1])
    values = a.values()[order]
    return made(places[order], values.conj() if conjugate else values, (*a.dims[:-2], a.dims[-1], a.dims[-2]))


def _transpose_back(attrs, inputs, outputs, cts, wanted):
    return (run("SparseMatrixTranspose", cts[0], conjugate=attrs["conjugate"], type=attrs["type"]),)


@csr_op("SparseMatrixTranspose", list_facts=shapes.turned, grad_tensors=_transpose_back)
def csr_transpose(_, input, conjugate=False):
    return _transposed(input, conjugate)


def _by_row(a: CSRMatrix) -> Array:
    """The number of each entry's row among all rows of the batch."""
    return np.concatenate([part.rows + i * a.dims[-2] for i, part in enumerate(a.parts)])


def _softmax_back(attrs, inputs, outputs, cts, wanted):
    return (run("SparseMatrixSoftmaxGrad", outputs[0], cts[0], type=attrs["type"]),)


@csr_op("SparseMatrixSoftmax", list_facts=shapes.same, grad_tensors=_softmax_back)
def csr_softmax(_, logits, type=None):
    """The softmax of each row, over its entries."""
    rows, x = _by_row(logits), logits.values()
    highest = np.full(int(np.prod(logits.dims[:-1])), -np.inf, x.dtype)
    np.maximum.at(highest, rows, x)
    weights = np.exp(x - highest[rows])
    return logits.with_values(weights / np.bincount(rows, weights, highest.size)[rows].astype(x.dtype))


@csr_op("SparseMatrixSoftmaxGrad", list_facts=shapes.same, grad=NO_GRADIENT)
def csr_softmax_grad(_, softmax, grad_softmax, type=None):
    y, g, rows = softmax.values(), grad_softmax.dense()[tuple(softmax.indices().T)], _by_row(softmax)
    total = np.bincount(rows, y * g, int(np.prod(softmax.dims[:-1]))).astype(y.dtype)
    return softmax.with_values(y * (g - total[rows]))


# --- two matrices -----------------------------------------------------------------------------------------------------


@csr_op("SparseMatrixAdd", list_facts=shapes.same, grad=NO_GRADIENT)
def csr_add(_, a, b, alpha, beta):
    if a.dims != b.dims:
        raise _invalid(f"Shapes of A and B must match, but are {rules.text(a.dims)} and {rules.text(b.dims)}")
    places = np.concatenate([a.indices(), b.indices()])
    return summed(places, np.concatenate([alpha * a.values(), beta * b.values()]), a.dims)


@csr_op("SparseMatrixMul", list_facts=shapes.same, grad=NO_GRADIENT)
def csr_times_dense(_, a, b):
    """Each entry times a number, or times the number of its row or batch."""
    wide = np.broadcast_to(b, a.dims)
    return a.with_values(a.values() * wide[tuple(a.indices().T)])


def _operand(a: CSRMatrix, transpose: bool, adjoint: bool) -> CSRMatrix:
    if transpose and adjoint:
        raise _invalid("Only one of adjoint and transpose may be true.")
    return _transposed(a, adjoint) if transpose or adjoint else a


def _dense_operand(b: Array, transpose: bool, adjoint: bool) -> Array:
    if transpose and adjoint:
        raise _invalid("Only one of adjoint_b and transpose_b may be true.")
    turned = np.swapaxes(b, -1, -2) if transpose or adjoint else b
    return turned.conj() if adjoint else turned


def _check_product(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    if len(a) != len(b):
        raise _invalid(f"Ranks of a and b must match, saw: {len(a)} vs. {len(b)}.")
    if a[-1] != b[-2]:
        raise _invalid(f"Inner dimensions of A and B must agree: {rules.text(a)} vs. {rules.text(b)}")
    if a[:-2] != b[:-2]:
        raise _invalid(f"Batch sizes of A and B do not agree: {rules.text(a)} vs. {rules.text(b)}")


def _turned(x):
    """A tensor of matrices, transposed."""
    rank = x.shape.rank
    return tn.transpose(x, (*range(rank - 2), rank - 1, rank - 2))


def _undo(x, transpose: bool, adjoint: bool):
    """The cotangent of an operand from that of the operand as it was used; the same function is its own inverse."""
    turned = _turned(x) if transpose or adjoint else x
    return tn.conj(turned) if adjoint else turned


def _product_back(attrs, inputs, outputs, cts, wanted):
    """Of X @ Y, where X and Y are the operands as they are used: G @ Y^H at the entries of A, and X^H @ G."""
    (a, b), (g,) = inputs, cts
    g = tn.conj(g) if attrs["conjugate_output"] else g
    g = _turned(g) if attrs["transpose_output"] else g
    a_flags, b_flags = ((attrs[f"transpose_{side}"], attrs[f"adjoint_{side}"]) for side in "ab")
    for_a = for_b = None
    if wanted[0]:
        used = _undo(b, *b_flags)
        dense = _undo(run("BatchMatMulV2", g, tn.conj(_turned(used))), *a_flags)
        for_a = run("DenseToCSRSparseMatrix", dense, _entries(a, b.dtype)[0])
    if wanted[1]:
        transpose, adjoint = a_flags
        if transpose:
            product = tn.conj(run("SparseMatrixMatMul", a, tn.conj(g)))
        else:
            product = run("SparseMatrixMatMul", a, g, adjoint_a=not adjoint)
        for_b = _undo(product, *b_flags)
    return for_a, for_b


@csr_op("SparseMatrixMatMul", shapes.product, grad_tensors=_product_back)
def csr_matmul(
    _, a, b, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False, transpose_output=False,
    conjugate_output=False,
):
    """A sparse matrix times a dense one."""
    left, right = _operand(a, transpose_a, adjoint_a), _dense_operand(b, transpose_b, adjoint_b)
    _check_product(left.dims, right.shape)
    out = np.zeros((*left.dims[:-1], right.shape[-1]), right.dtype)
    flat_out, flat_right = (x.reshape(-1, *x.shape[-2:]) for x in (out, right))
    for part, dense, into in zip(left.parts, flat_right, flat_out, strict=True):
        np.add.at(into, part.rows, part.values[:, None] * dense[part.columns])
    out = np.swapaxes(out, -1, -2) if transpose_output else out
    return np.ascontiguousarray(out.conj() if conjugate_output else out)


def _sparse_product_back(attrs, inputs, outputs, cts, wanted):
    """The gradient of a dense product, of which each operand gets the numbers at its own entries."""
    (a, b), (g,) = inputs, cts
    dtype = attrs["type"]
    dense = run("CSRSparseMatrixToDense", g, type=dtype)
    found: list[Any] = []
    for i, (mine, other) in enumerate(((a, b), (b, a))):
        if not wanted[i]:
            found.append(None)
            continue
        flags = [(attrs[f"transpose_{side}"], attrs[f"adjoint_{side}"]) for side in ("ab" if i == 0 else "ba")]
        used = tn.conj(_turned(_undo(run("CSRSparseMatrixToDense", other, type=dtype), *flags[1])))
        product = run("BatchMatMulV2", dense, used) if i == 0 else run("BatchMatMulV2", used, dense)
        found.append(run("DenseToCSRSparseMatrix", _undo(product, *flags[0]), _entries(mine, dtype)[0]))
    return found


def _row_product(left: Rows, right: Rows) -> tuple[Array, Array]:
    """Positions and values of all products of two entries; many have the same position."""
    lengths = np.diff(right.starts)[left.columns]
    mine = np.repeat(np.arange(left.values.size), lengths)
    within = np.arange(mine.size) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    theirs = right.starts[left.columns[mine]] + within
    places = np.stack([left.rows[mine], right.columns[theirs].astype(np.int64)], 1)
    return places, left.values[mine] * right.values[theirs]


@csr_op("SparseMatrixSparseMatMul", list_facts=shapes.of_product, grad_tensors=_sparse_product_back)
def csr_sparse_matmul(_, a, b, type=None, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False):
    """A sparse matrix times a sparse one."""
    left, right = _operand(a, transpose_a, adjoint_a), _operand(b, transpose_b, adjoint_b)
    _check_product(left.dims, right.dims)
    dims = left.dims[-2], right.dims[-1]
    parts = [summed(*_row_product(x, y), dims).parts[0] for x, y in zip(left.parts, right.parts, strict=True)]
    return CSRMatrix((*left.dims[:-2], *dims), parts)
