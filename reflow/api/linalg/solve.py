"""`tf.linalg`: factorizations, determinants, inverses, solvers, matrix functions."""

from __future__ import annotations

import collections

import numpy as np

from reflow.api.array import arrange
from reflow.api.call import call
from reflow.api.export import export
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


# --- factorisations ---------------------------------------------------------------------------------------------------


@export("linalg.cholesky")
def cholesky(input, name=None):
    """The lower triangular factor L of a positive definite matrix, `L @ adjoint(L)`.

    >>> tf.linalg.cholesky([[4.0, 2.0], [2.0, 2.0]]).numpy().tolist()
    [[2.0, 0.0], [1.0, 1.0]]
    """
    if is_operator(input):
        return input.cholesky(name)
    return call("Cholesky", (convert_to_tensor(input),), {}, name)


@export("linalg.qr")
def qr(input, full_matrices=False, name=None):
    """The QR factorization `(q, r)`: an orthogonal matrix times an upper triangular one.

    >>> q, r = tf.linalg.qr([[1.0, 0.0], [0.0, 1.0]])
    >>> abs(r).numpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    q, r = call("Qr", (convert_to_tensor(input),), {"full_matrices": bool(full_matrices)}, name)
    return Qr(q, r)


@export("linalg.svd")
def svd(tensor, full_matrices=False, compute_uv=True, name=None):
    """Singular values in descending order, and the vectors: `(s, u, v)` with `tensor = u @ diag(s) @ adjoint(v)`.

    >>> tf.linalg.svd([[3.0, 0.0], [0.0, 4.0]], compute_uv=False).numpy().tolist()
    [4.0, 3.0]
    """
    s, u, v = call(
        "Svd",
        (convert_to_tensor(tensor),),
        {"compute_uv": bool(compute_uv), "full_matrices": bool(full_matrices)},
        name,
    )
    s = m.real(s)
    return (s, u, v) if compute_uv else s


@export("linalg.eigh")
def eigh(tensor, name=None):
    """Eigenvalues of Hermitian matrices in ascending order, and the eigenvectors as columns.

    >>> values, vectors = tf.linalg.eigh([[2.0, 0.0], [0.0, 1.0]])
    >>> values.numpy().tolist()
    [1.0, 2.0]
    """
    e, v = call("SelfAdjointEigV2", (convert_to_tensor(tensor),), {"compute_v": True}, name)
    return e, v


@export("linalg.eigvalsh")
def eigvalsh(tensor, name=None):
    """Eigenvalues of Hermitian matrices in ascending order.

    >>> tf.linalg.eigvalsh([[2.0, 0.0], [0.0, 1.0]]).numpy().tolist()
    [1.0, 2.0]
    """
    return call("SelfAdjointEigV2", (convert_to_tensor(tensor),), {"compute_v": False}, name)[0]


def _eig(tensor, compute_v, name):
    x = convert_to_tensor(tensor)
    wide = dtypes.complex128 if x._dtype in (dtypes.float64, dtypes.complex128) else dtypes.complex64
    return call("Eig", (x,), {"Tout": wide, "compute_v": compute_v}, name)


@export("eig", "linalg.eig")
def eig(tensor, name=None):
    """Eigenvalues of square matrices (complex, in no order), and the eigenvectors as columns.

    >>> values, vectors = tf.linalg.eig([[2.0, 0.0], [0.0, 1.0]])
    >>> sorted(values.numpy().real.tolist())
    [1.0, 2.0]
    """
    e, v = _eig(tensor, True, name)
    return e, v


@export("eigvals", "linalg.eigvals")
def eigvals(tensor, name=None):
    """Eigenvalues of square matrices (complex, in no order).

    >>> sorted(tf.linalg.eigvals([[2.0, 0.0], [0.0, 1.0]]).numpy().real.tolist())
    [1.0, 2.0]
    """
    return _eig(tensor, False, name)[0]


@export("linalg.lu")
def lu(input, output_idx_type=dtypes.int32, name=None):
    """L and U in one matrix, and the permutation p with `input[p] = L @ U`.

    >>> tf.linalg.lu([[1.0, 2.0], [4.0, 4.0]]).p.numpy().tolist()
    [1, 0]
    """
    packed, p = call("Lu", (convert_to_tensor(input),), {"output_idx_type": dtypes.as_dtype(output_idx_type)}, name)
    return Lu(packed, p)


# --- determinants, inverses, solvers ----------------------------------------------------------------------------------


@export("linalg.det")
def det(input, name=None):
    """The determinant of square matrices.

    >>> tf.linalg.det([[2.0, 0.0], [0.0, 3.0]]).numpy().item()
    6.0
    """
    if is_operator(input):
        return input.determinant(name)
    return call("MatrixDeterminant", (convert_to_tensor(input),), {}, name)


@export("linalg.slogdet")
def slogdet(input, name=None):
    """The sign of the determinant and the logarithm of its absolute value.

    >>> tf.linalg.slogdet([[-1.0, 0.0], [0.0, 1.0]]).sign.numpy().item()
    -1.0
    """
    sign, log = call("LogMatrixDeterminant", (convert_to_tensor(input),), {}, name)
    return LogMatrixDeterminant(sign, log)


@export("linalg.logdet")
def logdet(matrix, name=None):
    """The logarithm of the determinant of Hermitian positive definite matrices.

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
    """The inverse of square matrices, or of their adjoints.

    >>> tf.linalg.inv([[2.0, 0.0], [0.0, 4.0]]).numpy().tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    if is_operator(input):
        inverse = input.inverse(name)
        return inverse.adjoint() if adjoint else inverse
    return call("MatrixInverse", (convert_to_tensor(input),), {"adjoint": bool(adjoint)}, name)


@export("linalg.solve")
def solve(matrix, rhs, adjoint=False, name=None):
    """Solve `matrix @ x = rhs`.

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
    """Solve `matrix @ x = rhs` for a triangular matrix; only that triangle is read.

    >>> tf.linalg.triangular_solve([[2.0, 9.0], [0.0, 4.0]], [[2.0], [4.0]]).numpy().tolist()
    [[1.0], [1.0]]
    """
    return call("MatrixTriangularSolve", m.pair(matrix, rhs), {"lower": bool(lower), "adjoint": bool(adjoint)}, name)


@export("linalg.cholesky_solve")
def cholesky_solve(chol, rhs, name=None):
    """Solve `a @ x = rhs` given the Cholesky factor of a.

    >>> tf.linalg.cholesky_solve([[2.0, 0.0], [0.0, 1.0]], [[4.0], [1.0]]).numpy().tolist()
    [[1.0], [1.0]]
    """
    return triangular_solve(chol, triangular_solve(chol, rhs), adjoint=True, name=name)


@export("linalg.lstsq")
def lstsq(matrix, rhs, l2_regularizer=0.0, fast=True, name=None):
    """The x that minimizes `|matrix @ x - rhs|**2 + l2_regularizer * |x|**2`; the shortest such x if there are many.

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
    """The Moore-Penrose inverse, through singular values; those below `rcond` times the greatest count as 0.

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
    """The number of singular values that exceed `tol`.

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
    """The matrix exponential, by scaling, Padé approximation and squaring.

    >>> tf.linalg.expm([[0.0, 0.0], [0.0, 0.0]]).numpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    x = convert_to_tensor(input)
    size = reduce_max(reduce_sum(m.absolute(x), -2, keepdims=True), -1, keepdims=True)
    # as many halvings as are needed to bring the largest norm of the batch below 1/2
    halvings = m.maximum(m.add(_ceil_log2(reduce_max(size)), 1.0), 0.0)
    scaled = m.divide(x, m.cast(m.pow(constant(2.0, halvings._dtype), halvings), x._dtype))
    result = _pade(scaled)
    times = m.cast(halvings, dtypes.int32)
    if isinstance(times, EagerTensor):
        for _ in range(int(times)):
            result = matmul(result, result)
        return result
    loop = while_loop
    return loop(lambda i, r: m.less(i, times), lambda i, r: (m.add(i, 1), matmul(r, r)), (constant(0), result))[1]


def _ceil_log2(x):
    tiny = constant(1e-30, x._dtype)
    return call("Ceil", (m.divide(m.log(m.maximum(x, tiny)), float(np.log(2.0))),))


_PADE = (17643225600.0, 8821612800.0, 2075673600.0, 302702400.0, 30270240.0, 2162160.0, 110880.0, 3960.0, 90.0, 1.0)


def _pade(x):
    """The Padé approximant of degree 9 to the exponential, for matrices of norm below 2."""
    square = matmul(x, x)
    unit = set_diag(call("ZerosLike", (x,)), call("OnesLike", (diag_part(x),)))
    even = odd = None
    power = unit
    for i in range(0, 10, 2):
        even = m.multiply(power, _PADE[i]) if even is None else m.add(even, m.multiply(power, _PADE[i]))
        odd = m.multiply(power, _PADE[i + 1]) if odd is None else m.add(odd, m.multiply(power, _PADE[i + 1]))
        power = matmul(power, square)
    odd = matmul(x, odd)
    return solve(m.subtract(even, odd), m.add(even, odd))


@export("linalg.sqrtm", "matrix_square_root")
def sqrtm(input, name=None):
    """The matrix whose square is the input.

    >>> tf.linalg.sqrtm([[4.0, 0.0], [0.0, 9.0]]).numpy().tolist()
    [[2.0, 0.0], [0.0, 3.0]]
    """
    return call("MatrixSquareRoot", (convert_to_tensor(input),), {}, name)


@export("linalg.logm")
def logm(input, name=None):
    """The matrix logarithm of complex matrices: the inverse of `tf.linalg.expm`.

    >>> abs(tf.linalg.logm([[1 + 0j]])).numpy().tolist()
    [[0.0]]
    """
    return call("MatrixLogarithm", (convert_to_tensor(input),), {}, name)
