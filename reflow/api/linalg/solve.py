"""`tf.linalg`: factorizations, determinants, inverses, solvers, matrix functions."""

from __future__ import annotations

import collections
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from reflow.api.array import arrange
from reflow.api.call import call, takes
from reflow.api.export import Made, export, with_sections
from reflow.api.linalg.diag import diag_part, is_operator, set_diag
from reflow.api.linalg.products import matmul
from reflow.api.math import arithmetic as m
from reflow.api.math.reduce import reduce_max, reduce_sum
from reflow.core import dtypes
from reflow.core.tensor import EagerTensor
from reflow.function.control_flow import cond, while_loop
from reflow.ops.convert import constant, convert_to_tensor, from_array

Qr = collections.namedtuple("Qr", ["q", "r"])
Lu = collections.namedtuple("Lu", ["lu", "p"])
LogMatrixDeterminant = collections.namedtuple("LogMatrixDeterminant", ["sign", "log_abs_determinant"])


# --- what docstrings have in common -----------------------------------------------------------------------------------

_MATRICES = "A tensor of a float or complex dtype whose last two axes are"
_SQUARE = f"{_MATRICES} square matrices"
_OR_OPERATOR = f"{_MATRICES} matrices, or a `tf.linalg.LinearOperator`"
_HERMITIAN = f"{_SQUARE}, of which only the lower\n    triangle is read"
_COMPLEX = "complex128 for float64 and complex128, else complex64"


def _takes_square(matrices: str, returns: str) -> Callable[[Made], Made]:
    """`takes` for a function that rejects matrices that are not square."""
    not_square = with_sections("Raises:\n  InvalidArgumentError: The matrices are not square.\n")
    return lambda function: not_square(takes(matrices, returns)(function))


# --- factorisations ---------------------------------------------------------------------------------------------------


@export("linalg.cholesky")
def cholesky(input, name=None):
    """Computes the lower triangular factor L of positive definite matrices, `L @ adjoint(L)`.

    Args:
      input: A tensor of a float or complex dtype whose last two axes are square matrices, of which only the lower
        triangle is read; or a `tf.linalg.LinearOperator`.
      name: A name for the operation.

    Returns:
      A tensor of the shape and dtype of `input`, with NaN where a matrix is not positive definite; or an operator.

    Raises:
      InvalidArgumentError: The matrices are not square.

    >>> tf.linalg.cholesky([[4.0, 2.0], [2.0, 2.0]]).numpy().tolist()
    [[2.0, 0.0], [1.0, 1.0]]
    """
    if is_operator(input):
        return input.cholesky(name)
    return call("Cholesky", (convert_to_tensor(input),), {}, name)


@export("linalg.qr")
def qr(input, full_matrices=False, name=None):
    """Computes the QR factorization: an orthogonal matrix times an upper triangular one.

    Args:
      input: A tensor of a float or complex dtype whose last two axes are matrices, m by n.
      full_matrices: Whether q is m by m and r m by n; else q has, and r is as high as, the smaller of m and n.
      name: A name for the operation.

    Returns:
      A named tuple `(q, r)` of tensors of the dtype of `input`.

    >>> q, r = tf.linalg.qr([[1.0, 0.0], [0.0, 1.0]])
    >>> abs(r).numpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    q, r = call("Qr", (convert_to_tensor(input),), {"full_matrices": bool(full_matrices)}, name)
    return Qr(q, r)


@export("linalg.svd")
def svd(tensor, full_matrices=False, compute_uv=True, name=None):
    """Computes singular values in descending order, and the vectors: `tensor = u @ diag(s) @ adjoint(v)`.

    Args:
      tensor: A tensor of a float or complex dtype whose last two axes are matrices, m by n.
      full_matrices: Whether u is m by m and v n by n; else they have as many columns as there are singular values.
      compute_uv: Whether to compute the vectors.
      name: A name for the operation.

    Returns:
      A tuple `(s, u, v)`, where v is not transposed; without `compute_uv` only s. The singular values are real.

    >>> tf.linalg.svd([[3.0, 0.0], [0.0, 4.0]], compute_uv=False).numpy().tolist()
    [4.0, 3.0]
    """
    s, u, v = call(
        "Svd", (convert_to_tensor(tensor),), {"compute_uv": bool(compute_uv), "full_matrices": bool(full_matrices)},
        name,
    )
    s = m.real(s)
    return (s, u, v) if compute_uv else s


@export("linalg.eigh")
@_takes_square(
    f"tensor: {_HERMITIAN}",
    "A pair `(e, v)` of tensors of the dtype of `tensor`: the eigenvalues, and matrices whose column i belongs to\n"
    "  `e[..., i]`",
)
def eigh(tensor, name=None):
    """Computes eigenvalues of Hermitian matrices in ascending order, and the eigenvectors as columns.

    >>> values, vectors = tf.linalg.eigh([[2.0, 0.0], [0.0, 1.0]])
    >>> values.numpy().tolist()
    [1.0, 2.0]
    """
    e, v = call("SelfAdjointEigV2", (convert_to_tensor(tensor),), {"compute_v": True}, name)
    return e, v


@export("linalg.eigvalsh")
@_takes_square(f"tensor: {_HERMITIAN}", "A tensor of the dtype of `tensor`, of its shape without the last axis")
def eigvalsh(tensor, name=None):
    """Computes eigenvalues of Hermitian matrices in ascending order.

    >>> tf.linalg.eigvalsh([[2.0, 0.0], [0.0, 1.0]]).numpy().tolist()
    [1.0, 2.0]
    """
    return call("SelfAdjointEigV2", (convert_to_tensor(tensor),), {"compute_v": False}, name)[0]


def _eig(tensor, compute_v, name):
    x = convert_to_tensor(tensor)
    wide = dtypes.complex128 if x._dtype in (dtypes.float64, dtypes.complex128) else dtypes.complex64
    return call("Eig", (x,), {"Tout": wide, "compute_v": compute_v}, name)


@export("eig", "linalg.eig")
@_takes_square(
    f"tensor: {_SQUARE}",
    "A pair `(e, v)`: the eigenvalues, and matrices whose column i belongs to `e[..., i]`;\n  " + _COMPLEX,
)
def eig(tensor, name=None):
    """Computes eigenvalues of square matrices (complex, in no order), and the eigenvectors as columns.

    >>> values, vectors = tf.linalg.eig([[2.0, 0.0], [0.0, 1.0]])
    >>> sorted(values.numpy().real.tolist())
    [1.0, 2.0]
    """
    e, v = _eig(tensor, True, name)
    return e, v


@export("eigvals", "linalg.eigvals")
@_takes_square(f"tensor: {_SQUARE}", f"A tensor of the shape of `tensor` without the last axis; {_COMPLEX}")
def eigvals(tensor, name=None):
    """Computes eigenvalues of square matrices (complex, in no order).

    >>> sorted(tf.linalg.eigvals([[2.0, 0.0], [0.0, 1.0]]).numpy().real.tolist())
    [1.0, 2.0]
    """
    return _eig(tensor, False, name)[0]


@export("linalg.lu")
def lu(input, output_idx_type: Any = dtypes.int32, name=None):
    """Computes L and U in one matrix, and the permutation p with `input[p] = L @ U`.

    Args:
      input: A tensor of a float or complex dtype whose last two axes are square matrices.
      output_idx_type: The dtype of the permutation, int32 or int64.
      name: A name for the operation.

    Returns:
      A named tuple `(lu, p)`: U above and on the diagonal of `lu`, L below it, whose own diagonal has ones; and a
      vector of row numbers.

    Raises:
      InvalidArgumentError: A matrix is singular, or not square.

    >>> tf.linalg.lu([[1.0, 2.0], [4.0, 4.0]]).p.numpy().tolist()
    [1, 0]
    """
    packed, p = call("Lu", (convert_to_tensor(input),), {"output_idx_type": dtypes.as_dtype(output_idx_type)}, name)
    return Lu(packed, p)


# --- determinants, inverses, solvers ----------------------------------------------------------------------------------


@export("linalg.det")
@_takes_square(f"input: {_OR_OPERATOR}", "A tensor of the dtype of `input`, of its shape without the last two axes")
def det(input, name=None):
    """Computes the determinant of square matrices.

    >>> tf.linalg.det([[2.0, 0.0], [0.0, 3.0]]).numpy().item()
    6.0
    """
    if is_operator(input):
        return input.determinant(name)
    return call("MatrixDeterminant", (convert_to_tensor(input),), {}, name)


@export("linalg.slogdet")
@_takes_square(
    f"input: {_SQUARE}",
    "A named tuple `(sign, log_abs_determinant)` of the dtype of `input`; 0 and `-inf` for a singular matrix",
)
def slogdet(input, name=None):
    """Computes the sign of the determinant and the logarithm of its absolute value.

    >>> tf.linalg.slogdet([[-1.0, 0.0], [0.0, 1.0]]).sign.numpy().item()
    -1.0
    """
    sign, log = call("LogMatrixDeterminant", (convert_to_tensor(input),), {}, name)
    return LogMatrixDeterminant(sign, log)


@export("linalg.logdet")
@takes(
    f"matrix: {_OR_OPERATOR}",
    "A real tensor of the shape of `matrix` without the last two axes; NaN where a matrix is not positive definite",
)
def logdet(matrix, name=None):
    """Computes the logarithm of the determinant of Hermitian positive definite matrices.

    Raises:
      ValueError: An operator is not said to be self-adjoint and positive definite.

    >>> round(tf.linalg.logdet(1e30 * tf.eye(2)).numpy().item(), 2)  # the determinant would overflow
    138.16
    """
    if is_operator(matrix):
        if not (matrix.is_positive_definite and matrix.is_self_adjoint):
            raise ValueError("Expected matrix to be self-adjoint positive definite.")
        return matrix.log_abs_determinant(name)
    diagonal = diag_part(cholesky(matrix))
    return m.multiply(reduce_sum(m.log(m.real(diagonal)), -1), 2.0, name)


@export("linalg.inv")
def inv(input, adjoint=False, name=None):
    """Computes the inverse of square matrices, or of their adjoints.

    Args:
      input: A tensor of a float or complex dtype whose last two axes are matrices, or a `tf.linalg.LinearOperator`.
      adjoint: Whether to invert the adjoint matrices.
      name: A name for the operation.

    Returns:
      A tensor of the shape and dtype of `input`, or an operator.

    Raises:
      InvalidArgumentError: A matrix is singular, or not square.

    >>> tf.linalg.inv([[2.0, 0.0], [0.0, 4.0]]).numpy().tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    if is_operator(input):
        inverse = input.inverse(name)
        return inverse.adjoint() if adjoint else inverse
    return call("MatrixInverse", (convert_to_tensor(input),), {"adjoint": bool(adjoint)}, name)


@export("linalg.solve")
def solve(matrix, rhs, adjoint=False, name=None):
    """Solves `matrix @ x = rhs`.

    Args:
      matrix: A tensor of a float or complex dtype whose last two axes are square matrices, or a
        `tf.linalg.LinearOperator`.
      rhs: The right-hand sides, columns of matrices of the same dtype and batch.
      adjoint: Whether to solve with the adjoint matrices.
      name: A name for the operation.

    Returns:
      The solutions, a tensor of the shape and dtype of `rhs`.

    Raises:
      InvalidArgumentError: A matrix is singular, or the shapes do not match.
      ValueError: `rhs` is an operator and `matrix` is not.

    >>> tf.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [[2.0], [2.0]]).numpy().tolist()
    [[1.0], [0.5]]
    """
    if is_operator(matrix):
        return matrix.solve(rhs, adjoint=adjoint, name=name)
    if is_operator(rhs):
        raise ValueError("Passing in `matrix` as a Tensor and `rhs` as a LinearOperator is not supported.")
    return call("MatrixSolve", m.pair(matrix, rhs), {"adjoint": bool(adjoint)}, name)


@export("linalg.triangular_solve")
def triangular_solve(matrix, rhs, lower=True, adjoint=False, name=None):
    """Solves `matrix @ x = rhs` for a triangular matrix; only that triangle is read.

    Args:
      matrix: A tensor of a float or complex dtype whose last two axes are square matrices.
      rhs: The right-hand sides, columns of matrices of the same dtype; batches broadcast.
      lower: Whether the lower triangle is meant; else the upper one.
      adjoint: Whether to solve with the adjoint matrices.
      name: A name for the operation.

    Returns:
      The solutions, a tensor of the dtype of `rhs`; infinite or NaN where a matrix is singular.

    Raises:
      InvalidArgumentError: The shapes do not match.

    >>> tf.linalg.triangular_solve([[2.0, 9.0], [0.0, 4.0]], [[2.0], [4.0]]).numpy().tolist()
    [[1.0], [1.0]]
    """
    return call("MatrixTriangularSolve", m.pair(matrix, rhs), {"lower": bool(lower), "adjoint": bool(adjoint)}, name)


@export("linalg.cholesky_solve")
def cholesky_solve(chol, rhs, name=None):
    """Solves `a @ x = rhs` given the Cholesky factor of a.

    Args:
      chol: The factor, as `tf.linalg.cholesky` returns it.
      rhs: The right-hand sides, columns of matrices of the same dtype.
      name: A name for the operation.

    Returns:
      The solutions, a tensor of the shape and dtype of `rhs`.

    Raises:
      InvalidArgumentError: The shapes do not match.

    >>> tf.linalg.cholesky_solve([[2.0, 0.0], [0.0, 1.0]], [[4.0], [1.0]]).numpy().tolist()
    [[1.0], [1.0]]
    """
    return triangular_solve(chol, triangular_solve(chol, rhs), adjoint=True, name=name)


@export("linalg.lstsq")
def lstsq(matrix, rhs, l2_regularizer: Any = 0.0, fast=True, name=None):
    """Finds the x that minimizes `|matrix @ x - rhs|**2 + l2_regularizer * |x|**2`; if there are many, the shortest.

    Args:
      matrix: A tensor of a float or complex dtype whose last two axes are matrices, of full rank if `fast`.
      rhs: The right-hand sides, columns of matrices of the same dtype.
      l2_regularizer: How much the length of x counts, a number that is not negative; ignored unless `fast`.
      fast: Whether to solve the normal equations, which needs full rank and squares the condition number; else through
        singular values.
      name: A name for the operation.

    Returns:
      The solutions, a tensor of the dtype of `rhs`.

    >>> tf.linalg.lstsq([[1.0], [1.0]], [[1.0], [3.0]]).numpy().round(5).tolist()
    [[2.0]]
    """
    a, b = m.pair(matrix, rhs)
    if not fast:
        return matmul(pinv(a), b, name=name)
    rows, cols = a.shape.as_list()[-2:] if a.shape.rank is not None else (None, None)
    if rows is None or cols is None:
        sizes, rank = call("Shape", (a,)), call("Rank", (a,))
        ends = [call("GatherV2", (sizes, m.subtract(rank, i), constant(0))) for i in (2, 1)]
        tall = m.greater_equal(*ends)
        return cond(
            tall,
            lambda: _normal_equations(a, b, l2_regularizer, True, name),
            lambda: _normal_equations(a, b, l2_regularizer, False, name),
        )
    return _normal_equations(a, b, l2_regularizer, rows >= cols, name)


def _normal_equations(a, b, l2_regularizer, tall, name):
    gram = matmul(a, a, adjoint_a=True) if tall else matmul(a, a, adjoint_b=True)
    if isinstance(l2_regularizer, EagerTensor) or l2_regularizer:
        diagonal = diag_part(gram)
        gram = set_diag(gram, m.add(diagonal, m.cast(convert_to_tensor(l2_regularizer), gram._dtype)))
    factor = cholesky(gram)
    if tall:
        return cholesky_solve(factor, matmul(a, b, adjoint_a=True), name)
    return matmul(a, cholesky_solve(factor, b), adjoint_a=True, name=name)


@export("linalg.pinv")
def pinv(a, rcond=None, validate_args=False, name=None):
    """Computes the Moore-Penrose inverse, through singular values.

    Args:
      a: A tensor of a float or complex dtype whose last two axes are matrices.
      rcond: Singular values that do not exceed this times the greatest count as 0; by default `10 * max(rows, columns)`
        times the precision of the dtype.
      validate_args: Ignored.
      name: A name for the operation.

    Returns:
      A tensor of the dtype of `a`, whose last two axes are swapped.

    Raises:
      TypeError: `a` has integers.

    >>> tf.linalg.pinv([[2.0, 0.0], [0.0, 0.0]]).numpy().tolist()
    [[0.5, 0.0], [0.0, 0.0]]
    """
    a = convert_to_tensor(a)
    if not (a._dtype.is_floating or a._dtype.is_complex):
        raise TypeError(f"Input `a` must have `float`-like `dtype` (saw {a._dtype.name}).")
    real = a._dtype.real_dtype
    if rcond is None:
        rows, cols = a.shape.as_list()[-2:]
        rcond = 10.0 * max(rows, cols) * np.finfo(real.np_dtype).eps
    s, u, v = svd(a)
    cutoff = m.multiply(m.cast(convert_to_tensor(rcond, dtype_hint=real), real), reduce_max(s, -1))
    kept = m.greater(s, call("ExpandDims", (cutoff, constant(-1))))
    s = m.where(kept, s, from_array(np.array(np.inf, real.np_dtype)))
    scaled = m.divide(v, m.cast(call("ExpandDims", (s, constant(-2))), a._dtype))
    return matmul(scaled, u, adjoint_b=True, name=name)


@export("linalg.matrix_rank")
def matrix_rank(a, tol=None, validate_args=False, name=None):
    """Counts the singular values that exceed `tol`.

    Args:
      a: A tensor of a float dtype whose last two axes are matrices.
      tol: The limit; by default the greatest singular value times the longer side times the precision of the dtype.
      validate_args: Ignored.
      name: A name for the operation.

    Returns:
      An int32 tensor of the shape of `a` without the last two axes.

    Raises:
      TypeError: `a` has complex numbers, or is a tensor of integers.

    >>> tf.linalg.matrix_rank([[1.0, 0.0], [0.0, 0.0]]).numpy().item()
    1
    """
    a = convert_to_tensor(a, dtype_hint=dtypes.float32)
    if not a._dtype.is_floating:
        raise TypeError(f"Input `a` must have `float`-like `dtype` (saw {a._dtype.name}).")
    s = svd(a, compute_uv=False)
    if tol is None:
        longer = reduce_max(arrange.shape(a)[-2:])
        eps = np.finfo(a._dtype.real_dtype.np_dtype).eps
        tol = m.multiply(reduce_max(s, -1, keepdims=True), m.multiply(m.cast(longer, s._dtype), float(eps)))
    return reduce_sum(m.cast(m.greater(s, tol), dtypes.int32), -1, name=name)


@export("linalg.expm")
def expm(input, name=None):
    """Computes the matrix exponential, by scaling, Padé approximation and squaring.

    Args:
      input: A tensor of a float or complex dtype whose last two axes are square matrices.
      name: Ignored.

    Returns:
      A tensor of the shape and dtype of `input`.

    Raises:
      InvalidArgumentError: The matrices are not square.

    >>> tf.linalg.expm([[0.0, 0.0], [0.0, 0.0]]).numpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    x = convert_to_tensor(input)
    degree, largest = _PADE[x._dtype in (dtypes.float64, dtypes.complex128)]
    size = reduce_max(reduce_sum(m.absolute(x), -2, keepdims=True), -1, keepdims=True)
    halvings = m.maximum(_floor_log2(m.divide(size, largest)), 0.0)  # of each matrix
    result = _pade(m.divide(x, m.cast(m.pow(constant(2.0, halvings._dtype), halvings), x._dtype)), degree)
    times = m.cast(halvings, dtypes.int32)
    most = m.maximum(reduce_max(times), 0)  # of an empty batch, the smallest number

    def doubled(i, r):
        return m.add(i, 1), m.where(m.less(i, times), matmul(r, r), r)

    if isinstance(most, EagerTensor):
        for i in range(int(most)):
            _, result = doubled(i, result)
        return result
    return while_loop(lambda i, _: m.less(i, most), doubled, (constant(0), result))[1]


def _floor_log2(x):
    tiny = constant(1e-30, x._dtype)
    return call("Floor", (m.divide(m.log(m.maximum(x, tiny)), float(np.log(2.0))),))


#: of narrow and of wide dtypes: the degree of a Padé approximant that is exact but for rounding, and up to which norm
_PADE = (7, 3.925724783138660), (13, 5.371920351148152)


def _pade(x, degree):
    """The Padé approximant of a degree to the exponential."""
    numbers = [
        math.factorial(2 * degree - k) // math.factorial(k) // math.factorial(degree - k) for k in range(degree + 1)
    ]
    square = matmul(x, x)
    unit = set_diag(call("ZerosLike", (x,)), call("OnesLike", (diag_part(x),)))
    even, odd, power = m.multiply(unit, float(numbers[0])), m.multiply(unit, float(numbers[1])), unit
    for k in range(2, degree, 2):
        power = matmul(power, square)
        even = m.add(even, m.multiply(power, float(numbers[k])))
        odd = m.add(odd, m.multiply(power, float(numbers[k + 1])))
    odd = matmul(x, odd)
    return solve(m.subtract(even, odd), m.add(even, odd))


@export("linalg.sqrtm", "matrix_square_root")
@_takes_square(f"input: {_SQUARE} with a root", "A tensor of the shape and dtype of `input`")
def sqrtm(input, name=None):
    """Computes the matrix whose square is the input.

    >>> tf.linalg.sqrtm([[4.0, 0.0], [0.0, 9.0]]).numpy().tolist()
    [[2.0, 0.0], [0.0, 3.0]]
    """
    return call("MatrixSquareRoot", (convert_to_tensor(input),), {}, name)


@export("linalg.logm")
def logm(input, name=None):
    """Computes the matrix logarithm of complex matrices: the inverse of `tf.linalg.expm`.

    Args:
      input: A tensor of a complex dtype whose last two axes are square matrices.
      name: A name for the operation.

    Returns:
      A tensor of the shape and dtype of `input`.

    Raises:
      InvalidArgumentError: The dtype is not complex, or the matrices are not square.

    >>> abs(tf.linalg.logm([[1 + 0j]])).numpy().tolist()
    [[0.0]]
    """
    return call("MatrixLogarithm", (convert_to_tensor(input),), {}, name)
