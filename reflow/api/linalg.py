"""`tf.linalg`: products, norms, factorisations, solvers. Diagonals and triangles are in `linalg_diag`."""

from __future__ import annotations

import collections
import numbers

import numpy as np

from reflow.api import clip, linalg_diag, math_reduce, math_special, segment, signal_frames  # noqa: F401 - exports
from reflow.api import math as m
from reflow.api.call import call
from reflow.api.export import export
from reflow.api.linalg_diag import set_diag
from reflow.api.math_reduce import reduce_max, reduce_sum
from reflow.core import dtypes
from reflow.core.tensor import EagerTensor
from reflow.ops import registry
from reflow.ops.convert import constant, convert_to_tensor, from_array
from reflow.ops.door import dispatch

Qr = collections.namedtuple("Qr", ["q", "r"])
Lu = collections.namedtuple("Lu", ["lu", "p"])
LogMatrixDeterminant = collections.namedtuple("LogMatrixDeterminant", ["sign", "log_abs_determinant"])

_MATMUL = registry.get("MatMul")
_PLAIN: dict = {}

# --- products -------------------------------------------------------------------------------------------------------


@export("matmul", "linalg.matmul")
def matmul(
    a,
    b,
    transpose_a=False,
    transpose_b=False,
    adjoint_a=False,
    adjoint_b=False,
    a_is_sparse=False,
    b_is_sparse=False,
    output_type=None,
    grad_a=False,
    grad_b=False,
    name=None,
):
    """The matrix product over the last two axes; leading axes broadcast.

    >>> import reflow as tf
    >>> tf.matmul([[1, 2]], [[3], [4]]).numpy().tolist()
    [[11]]
    """
    if (
        type(a) is EagerTensor
        and type(b) is EagerTensor
        and output_type is None
        and not (transpose_a or transpose_b or adjoint_a or adjoint_b)
        and len(a._value.shape) == 2 == len(b._value.shape)
    ):
        return dispatch(_MATMUL, (a, b), _PLAIN) if name is None else call("MatMul", (a, b), _PLAIN, name)
    for side, both in (("a", transpose_a and adjoint_a), ("b", transpose_b and adjoint_b)):
        if both:
            raise ValueError(
                f"Only one of `transpose_{side}` and `adjoint_{side}` can be True. Received "
                f"`transpose_{side}`=True, `adjoint_{side}`=True."
            )
    a, b = m.pair(a, b)
    if output_type is not None and dtypes.as_dtype(output_type) is not a._dtype:
        a, adjoint_a = _as_adjoint(a, transpose_a, adjoint_a)
        b, adjoint_b = _as_adjoint(b, transpose_b, adjoint_b)
        wide = dtypes.as_dtype(output_type)
        return call("BatchMatMulV3", (a, b), {"Tout": wide, "adj_x": adjoint_a, "adj_y": adjoint_b}, name)
    if None not in (a.shape.rank, b.shape.rank) and a.shape.rank <= 2 and b.shape.rank <= 2:
        a = m.conj(a) if adjoint_a else a
        b = m.conj(b) if adjoint_b else b
        return call(
            "MatMul",
            (a, b),
            {"transpose_a": bool(transpose_a or adjoint_a), "transpose_b": bool(transpose_b or adjoint_b)},
            name,
        )
    a, adjoint_a = _as_adjoint(a, transpose_a, adjoint_a)
    b, adjoint_b = _as_adjoint(b, transpose_b, adjoint_b)
    return call("BatchMatMulV2", (a, b), {"adj_x": adjoint_a, "adj_y": adjoint_b}, name)


def _as_adjoint(x, transpose, adjoint):
    """A transposed operand as the adjoint of its conjugate."""
    return (m.conj(x) if transpose else x), bool(transpose or adjoint)


@export("linalg.matvec")
def matvec(a, b, transpose_a=False, adjoint_a=False, a_is_sparse=False, b_is_sparse=False, name=None):
    """The product of a matrix and a vector; leading axes broadcast.

    >>> import reflow as tf
    >>> tf.linalg.matvec([[1, 2], [3, 4]], [1, 1]).numpy().tolist()
    [3, 7]
    """
    a, b = m.pair(a, b)
    column = call("ExpandDims", (b, constant(-1)))
    return call("Squeeze", (matmul(a, column, transpose_a, adjoint_a=adjoint_a),), {"squeeze_dims": [-1]}, name)


@export("tensordot", "linalg.tensordot")
def tensordot(a, b, axes, name=None):
    """The product of two tensors summed over pairs of axes: the last `axes` of a with the first of b, or those listed.

    >>> import reflow as tf
    >>> tf.tensordot([[1, 2], [3, 4]], [5, 6], 1).numpy().tolist()
    [17, 39]
    """
    a, b = m.pair(a, b)
    axes_a, axes_b = _contracted(a, axes)
    matrix_a, free_a = _as_matrix(a, axes_a, last=True)
    matrix_b, free_b = _as_matrix(b, axes_b, last=False)
    product = call("MatMul", (matrix_a, matrix_b), {"transpose_a": False, "transpose_b": False})
    shape = call("ConcatV2", (free_a, free_b, constant(0)), {"N": 2})
    return call("Reshape", (product, shape), {}, name)


def _contracted(a, axes):
    """The axes of both operands over which a tensordot sums: lists of ints, or int32 vectors if a's rank is unknown."""
    if isinstance(axes, (numbers.Integral, EagerTensor, np.ndarray)) and np.ndim(axes) == 0:
        count = int(axes)
        if count < 0:
            raise ValueError(f"`axes` must be at least 0. Received: {axes}.")
        rank = a.shape.rank
        if rank is None:
            total = call("Rank", (a,))
            return call("Range", (m.subtract(total, count), total, constant(1))), list(range(count))
        if count > rank:
            raise ValueError(
                f"`axes` must not be larger than the number of dimensions of tensor {a}.  Received {axes}, vs "
                f"tensor dimensions {rank}."
            )
        return list(range(rank - count, rank)), list(range(count))
    if len(axes) != 2:
        raise ValueError(f"`axes` must be an integer or have length 2. Received {axes}.")
    left, right = ([int(i) for i in np.reshape(np.asarray(side), -1)] for side in axes)
    if len(left) != len(right):
        raise ValueError(f"Different number of contraction axes `a` and `b`, {len(left)} != {len(right)}.")
    return left, right


def _as_matrix(x, axes, last):
    """x as a matrix of its free axes and those that are summed, in this order if `last`; and the sizes of the free ones."""
    rank = x.shape.rank
    if rank is None or not isinstance(axes, list):
        count = call("Rank", (x,))
        axes = convert_to_tensor(axes, dtypes.int32)
        axes = m.where(m.less(axes, 0), m.add(axes, count), axes)
        free, _ = call("ListDiff", (call("Range", (constant(0), count, constant(1))), axes), {"out_idx": dtypes.int32})
    else:
        axes = [i % rank for i in axes]
        free = constant([i for i in range(rank) if i not in axes], dtypes.int32)
        axes = constant(axes, dtypes.int32)
    shape = call("Shape", (x,))
    sizes, summed = (call("GatherV2", (shape, which, constant(0))) for which in (free, axes))
    groups = [(free, sizes), (axes, summed)]
    if not last:
        groups.reverse()
    order = call("ConcatV2", (groups[0][0], groups[1][0], constant(0)), {"N": 2})
    rows, cols = (call("Prod", (part, constant(0)), {"keep_dims": False}) for _, part in groups)
    matrix = call("Reshape", (call("Transpose", (x, order)), call("Pack", (rows, cols), {"N": 2, "axis": 0})))
    return matrix, sizes


@export("einsum", "linalg.einsum")
def einsum(equation, *inputs, **kwargs):
    """Sums of products by naming axes: repeated names are multiplied, names missing from the result are summed.

    >>> import reflow as tf
    >>> tf.einsum("ij,jk->ik", [[1, 2]], [[3], [4]]).numpy().tolist()
    [[11]]
    """
    name = kwargs.pop("name", None)
    optimize = kwargs.pop("optimize", "greedy")
    if kwargs:
        raise TypeError(f"Invalid keyword arguments for einsum: {', '.join(kwargs)}. Valid arguments: name, optimize.")
    if not inputs:
        raise ValueError("einsum needs at least one operand.")
    tensors = list(inputs)
    if len(tensors) == 2:
        tensors = list(m.pair(*tensors))
    else:
        first = next((t for t in tensors if hasattr(t, "dtype")), None)
        hint = None if first is None else dtypes.as_dtype(first.dtype)
        tensors = [convert_to_tensor(t, dtype_hint=hint) for t in tensors]
    equation = equation.replace(" ", "")
    left, _, right = equation.partition("->")
    if len(tensors) != left.count(",") + 1:
        raise ValueError(f'Got {len(tensors)} inputs for equation "{equation}", expecting {left.count(",") + 1}')
    for label in right.replace(".", ""):
        if label not in left:
            raise ValueError(f"Output subscripts contain the label {label} not present in the input subscripts.")
    if len(tensors) <= 2:
        return call("Einsum", tensors, {"equation": equation, "N": len(tensors)}, name)
    return _many(equation, tensors, optimize, name)


def _many(equation, tensors, optimize, name):
    """More than two operands: pairs, in an order that keeps the intermediate results small."""
    import opt_einsum
    from opt_einsum.parser import parse_einsum_input

    shapes = [tuple(1 if d is None else d for d in t.shape.as_list()) for t in tensors]
    left, out, _ = parse_einsum_input([equation, *shapes], shapes=True)
    path, _ = opt_einsum.contract_path(f"{left}->{out}", *shapes, shapes=True, optimize=optimize)
    labels, tensors = left.split(","), list(tensors)
    for step in path:
        picked = sorted(step, reverse=True)
        parts = [(labels.pop(i), tensors.pop(i)) for i in picked]
        rest = set("".join(labels) + out)
        result = out if not tensors else "".join(sorted({c for p, _ in parts for c in p} & rest))
        names = ",".join(p for p, _ in parts)
        labels.append(result)
        tensors.append(
            call(
                "Einsum",
                [t for _, t in parts],
                {"equation": f"{names}->{result}", "N": len(parts)},
                name if len(tensors) == 0 else None,
            )
        )
    return tensors[0]


@export("linalg.cross")
def cross(a, b, name=None):
    """The vector product of 3-element vectors (the last axis).

    >>> import reflow as tf
    >>> tf.linalg.cross([1, 0, 0], [0, 1, 0]).numpy().tolist()
    [0, 0, 1]
    """
    return call("Cross", m.pair(a, b), {}, name)


# --- norms ----------------------------------------------------------------------------------------------------------


@export("norm", "linalg.norm")
def norm(tensor, ord="euclidean", axis=None, keepdims=None, name=None):  # noqa: A002
    """The norm of vectors (an int axis, or all elements) or matrices (a pair of axes).

    >>> import reflow as tf
    >>> tf.norm([3.0, 4.0]).numpy().item()
    5.0
    >>> tf.norm([[1.0, -2.0], [3.0, -4.0]], ord=1, axis=[0, 1]).numpy().item()
    6.0
    """
    keepdims = bool(keepdims)
    is_matrix = isinstance(axis, (list, tuple)) and len(axis) == 2
    if isinstance(axis, (list, tuple)) and len(axis) > 2:
        raise ValueError(f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}")
    allowed = ("euclidean", "fro", 1, 2, np.inf) if is_matrix else ("euclidean", 1, 2, np.inf)
    if (isinstance(ord, str) or is_matrix) and ord not in allowed or not isinstance(ord, str) and ord <= 0:
        raise ValueError(
            f"'ord' must be a supported {'matrix' if is_matrix else 'vector'} norm in {allowed}, got {ord}"
        )
    x = convert_to_tensor(tensor)
    if ord in ("fro", "euclidean") or (ord == 2 and not is_matrix):
        out = m.sqrt(reduce_sum(m.multiply(x, m.conj(x)), axis, keepdims=True))
    elif ord == 2:
        return _spectral(x, axis, keepdims)
    elif ord == 1:
        out = reduce_sum(m.absolute(x), axis[0] if is_matrix else axis, keepdims=True)
        out = reduce_max(out, axis[1], keepdims=True) if is_matrix else out
    elif ord == np.inf:
        out = reduce_sum(m.absolute(x), axis[1], keepdims=True) if is_matrix else m.absolute(x)
        out = reduce_max(out, axis[0] if is_matrix else axis, keepdims=True)
    else:
        out = m.pow(reduce_sum(m.pow(m.absolute(x), ord), axis, keepdims=True), 1.0 / ord)
    if keepdims:
        return out
    axes = [] if axis is None else list(axis) if isinstance(axis, (list, tuple)) else [axis]
    return call("Squeeze", (out,), {"squeeze_dims": axes}, name)


def _spectral(x, axis, keepdims):
    """The greatest singular value of the matrices in two axes."""
    rank = x.shape.rank
    axes = [a % rank for a in axis]
    order = [i for i in range(rank) if i not in axes] + axes
    greatest = reduce_max(svd(call("Transpose", (x, constant(order))), compute_uv=False), -1, keepdims=True)
    out = call("ExpandDims", (greatest, constant(-1)))
    back = call("Transpose", (out, constant([order.index(i) for i in range(rank)])))
    return back if keepdims else call("Squeeze", (back,), {"squeeze_dims": sorted(axes)})


@export("linalg.normalize")
def normalize(tensor, ord="euclidean", axis=None, name=None):  # noqa: A002
    """A tensor divided by its norm along `axis`, and that norm.

    >>> import reflow as tf
    >>> unit, size = tf.linalg.normalize([3.0, 4.0])
    >>> size.numpy().tolist()
    [5.0]
    """
    x = convert_to_tensor(tensor)
    size = m.cast(norm(x, ord, axis, keepdims=True), x._dtype)
    return m.divide(x, size, name), size


# --- factorisations ---------------------------------------------------------------------------------------------------


@export("linalg.cholesky")
def cholesky(input, name=None):  # noqa: A002
    """The lower triangular factor L of a positive definite matrix, `L @ adjoint(L)`.

    >>> import reflow as tf
    >>> tf.linalg.cholesky([[4.0, 2.0], [2.0, 2.0]]).numpy().tolist()
    [[2.0, 0.0], [1.0, 1.0]]
    """
    return call("Cholesky", (convert_to_tensor(input),), {}, name)


@export("linalg.qr")
def qr(input, full_matrices=False, name=None):  # noqa: A002
    """A matrix as an orthogonal one times an upper triangular one: `(q, r)`.

    >>> import reflow as tf
    >>> q, r = tf.linalg.qr([[1.0, 0.0], [0.0, 1.0]])
    >>> abs(r).numpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    q, r = call("Qr", (convert_to_tensor(input),), {"full_matrices": bool(full_matrices)}, name)
    return Qr(q, r)


@export("linalg.svd")
def svd(tensor, full_matrices=False, compute_uv=True, name=None):
    """Singular values in descending order, and the vectors: `(s, u, v)` with `tensor = u @ diag(s) @ adjoint(v)`.

    >>> import reflow as tf
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

    >>> import reflow as tf
    >>> values, vectors = tf.linalg.eigh([[2.0, 0.0], [0.0, 1.0]])
    >>> values.numpy().tolist()
    [1.0, 2.0]
    """
    e, v = call("SelfAdjointEigV2", (convert_to_tensor(tensor),), {"compute_v": True}, name)
    return e, v


@export("linalg.eigvalsh")
def eigvalsh(tensor, name=None):
    """Eigenvalues of Hermitian matrices in ascending order.

    >>> import reflow as tf
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

    >>> import reflow as tf
    >>> values, vectors = tf.linalg.eig([[2.0, 0.0], [0.0, 1.0]])
    >>> sorted(values.numpy().real.tolist())
    [1.0, 2.0]
    """
    e, v = _eig(tensor, True, name)
    return e, v


@export("eigvals", "linalg.eigvals")
def eigvals(tensor, name=None):
    """Eigenvalues of square matrices (complex, in no order).

    >>> import reflow as tf
    >>> sorted(tf.linalg.eigvals([[2.0, 0.0], [0.0, 1.0]]).numpy().real.tolist())
    [1.0, 2.0]
    """
    return _eig(tensor, False, name)[0]


@export("linalg.lu")
def lu(input, output_idx_type=dtypes.int32, name=None):  # noqa: A002
    """L and U in one matrix, and the permutation p with `input[p] = L @ U`.

    >>> import reflow as tf
    >>> tf.linalg.lu([[1.0, 2.0], [4.0, 4.0]]).p.numpy().tolist()
    [1, 0]
    """
    packed, p = call("Lu", (convert_to_tensor(input),), {"output_idx_type": dtypes.as_dtype(output_idx_type)}, name)
    return Lu(packed, p)


# --- determinants, inverses, solvers ----------------------------------------------------------------------------------


@export("linalg.det")
def det(input, name=None):  # noqa: A002
    """The determinant of square matrices.

    >>> import reflow as tf
    >>> tf.linalg.det([[2.0, 0.0], [0.0, 3.0]]).numpy().item()
    6.0
    """
    return call("MatrixDeterminant", (convert_to_tensor(input),), {}, name)


@export("linalg.slogdet")
def slogdet(input, name=None):  # noqa: A002
    """The sign of the determinant and the logarithm of its size.

    >>> import reflow as tf
    >>> tf.linalg.slogdet([[-1.0, 0.0], [0.0, 1.0]]).sign.numpy().item()
    -1.0
    """
    sign, log = call("LogMatrixDeterminant", (convert_to_tensor(input),), {}, name)
    return LogMatrixDeterminant(sign, log)


@export("linalg.logdet")
def logdet(matrix, name=None):
    """The logarithm of the determinant of Hermitian positive definite matrices.

    >>> import reflow as tf
    >>> tf.linalg.logdet([[1.0, 0.0], [0.0, 1.0]]).numpy().item()
    0.0
    """
    diagonal = linalg_diag.diag_part(cholesky(matrix))
    return m.multiply(reduce_sum(m.log(m.real(diagonal)), -1), 2.0, name)


@export("linalg.inv")
def inv(input, adjoint=False, name=None):  # noqa: A002
    """The inverse of square matrices, or of their adjoints.

    >>> import reflow as tf
    >>> tf.linalg.inv([[2.0, 0.0], [0.0, 4.0]]).numpy().tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    return call("MatrixInverse", (convert_to_tensor(input),), {"adjoint": bool(adjoint)}, name)


@export("linalg.solve")
def solve(matrix, rhs, adjoint=False, name=None):
    """Solve `matrix @ x = rhs`.

    >>> import reflow as tf
    >>> tf.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [[2.0], [2.0]]).numpy().tolist()
    [[1.0], [0.5]]
    """
    return call("MatrixSolve", m.pair(matrix, rhs), {"adjoint": bool(adjoint)}, name)


@export("linalg.triangular_solve")
def triangular_solve(matrix, rhs, lower=True, adjoint=False, name=None):
    """Solve `matrix @ x = rhs` for a triangular matrix; only that triangle is read.

    >>> import reflow as tf
    >>> tf.linalg.triangular_solve([[2.0, 9.0], [0.0, 4.0]], [[2.0], [4.0]]).numpy().tolist()
    [[1.0], [1.0]]
    """
    return call("MatrixTriangularSolve", m.pair(matrix, rhs), {"lower": bool(lower), "adjoint": bool(adjoint)}, name)


@export("linalg.cholesky_solve")
def cholesky_solve(chol, rhs, name=None):
    """Solve `a @ x = rhs` given the Cholesky factor of a.

    >>> import reflow as tf
    >>> tf.linalg.cholesky_solve([[2.0, 0.0], [0.0, 1.0]], [[4.0], [1.0]]).numpy().tolist()
    [[1.0], [1.0]]
    """
    return triangular_solve(chol, triangular_solve(chol, rhs), adjoint=True, name=name)


@export("linalg.lstsq")
def lstsq(matrix, rhs, l2_regularizer=0.0, fast=True, name=None):
    """The x that minimises `|matrix @ x - rhs|**2 + l2_regularizer * |x|**2`; the shortest such x if there are many.

    >>> import reflow as tf
    >>> tf.linalg.lstsq([[1.0], [1.0]], [[1.0], [3.0]]).numpy().round(5).tolist()
    [[2.0]]
    """
    a, b = m.pair(matrix, rhs)
    if not fast:
        return matmul(pinv(a), b, name=name)
    rows, cols = a.shape.as_list()[-2:] if a.shape.rank is not None else (None, None)
    if rows is None or cols is None:
        from reflow.api.export import TABLE

        sizes, rank = call("Shape", (a,)), call("Rank", (a,))
        ends = [call("GatherV2", (sizes, m.subtract(rank, i), constant(0))) for i in (2, 1)]
        tall = m.greater_equal(*ends)
        return TABLE["cond"](
            tall,
            lambda: _normal_equations(a, b, l2_regularizer, True, name),
            lambda: _normal_equations(a, b, l2_regularizer, False, name),
        )
    return _normal_equations(a, b, l2_regularizer, rows >= cols, name)


def _normal_equations(a, b, l2_regularizer, tall, name):
    gram = matmul(a, a, adjoint_a=True) if tall else matmul(a, a, adjoint_b=True)
    if isinstance(l2_regularizer, EagerTensor) or l2_regularizer:
        diagonal = linalg_diag.diag_part(gram)
        gram = set_diag(gram, m.add(diagonal, m.cast(convert_to_tensor(l2_regularizer), gram._dtype)))
    factor = cholesky(gram)
    if tall:
        return cholesky_solve(factor, matmul(a, b, adjoint_a=True), name)
    return matmul(a, cholesky_solve(factor, b), adjoint_a=True, name=name)


@export("linalg.pinv")
def pinv(a, rcond=None, validate_args=False, name=None):
    """The Moore-Penrose inverse, by singular values; those below `rcond` times the greatest count as 0.

    >>> import reflow as tf
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
    """How many singular values exceed `tol`.

    >>> import reflow as tf
    >>> tf.linalg.matrix_rank([[1.0, 0.0], [0.0, 0.0]]).numpy().item()
    1
    """
    a = convert_to_tensor(a)
    s = svd(a, compute_uv=False)
    if tol is None:
        rows, cols = a.shape.as_list()[-2:]
        eps = np.finfo(a._dtype.real_dtype.np_dtype).eps
        tol = m.multiply(reduce_max(s, -1, keepdims=True), float(eps * max(rows, cols)))
    return reduce_sum(m.cast(m.greater(s, tol), dtypes.int32), -1, name=name)


@export("linalg.expm")
def expm(input, name=None):  # noqa: A002
    """The matrix exponential, by scaling, Padé approximation and squaring.

    >>> import reflow as tf
    >>> tf.linalg.expm([[0.0, 0.0], [0.0, 0.0]]).numpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    x = convert_to_tensor(input)
    size = reduce_max(reduce_sum(m.absolute(x), -2, keepdims=True), -1, keepdims=True)
    # as many halvings as bring the largest norm of the batch below 1/2
    halvings = m.maximum(m.add(_ceil_log2(reduce_max(size)), 1.0), 0.0)
    scaled = m.divide(x, m.cast(m.pow(constant(2.0, halvings._dtype), halvings), x._dtype))
    result = _pade(scaled)
    times = m.cast(halvings, dtypes.int32)
    if isinstance(times, EagerTensor):
        for _ in range(int(times)):
            result = matmul(result, result)
        return result
    from reflow.api.export import TABLE

    loop = TABLE["while_loop"]
    return loop(lambda i, r: m.less(i, times), lambda i, r: (m.add(i, 1), matmul(r, r)), (constant(0), result))[1]


def _ceil_log2(x):
    tiny = constant(1e-30, x._dtype)
    return call("Ceil", (m.divide(m.log(m.maximum(x, tiny)), float(np.log(2.0))),))


_PADE = (17643225600.0, 8821612800.0, 2075673600.0, 302702400.0, 30270240.0, 2162160.0, 110880.0, 3960.0, 90.0, 1.0)


def _pade(x):
    """The Padé approximant of degree 9 to the exponential, for matrices of norm below 2."""
    square = matmul(x, x)
    unit = set_diag(call("ZerosLike", (x,)), call("OnesLike", (linalg_diag.diag_part(x),)))
    even = odd = None
    power = unit
    for i in range(0, 10, 2):
        even = m.multiply(power, _PADE[i]) if even is None else m.add(even, m.multiply(power, _PADE[i]))
        odd = m.multiply(power, _PADE[i + 1]) if odd is None else m.add(odd, m.multiply(power, _PADE[i + 1]))
        power = matmul(power, square)
    odd = matmul(x, odd)
    return solve(m.subtract(even, odd), m.add(even, odd))


@export("linalg.sqrtm", "matrix_square_root")
def sqrtm(input, name=None):  # noqa: A002
    """The matrix whose square is the input.

    >>> import reflow as tf
    >>> tf.linalg.sqrtm([[4.0, 0.0], [0.0, 9.0]]).numpy().tolist()
    [[2.0, 0.0], [0.0, 3.0]]
    """
    return call("MatrixSquareRoot", (convert_to_tensor(input),), {}, name)


@export("linalg.logm")
def logm(input, name=None):  # noqa: A002
    """The matrix logarithm of complex matrices: the inverse of `tf.linalg.expm`.

    >>> import reflow as tf
    >>> abs(tf.linalg.logm([[1 + 0j]])).numpy().tolist()
    [[0.0]]
    """
    return call("MatrixLogarithm", (convert_to_tensor(input),), {}, name)


from reflow.api import linalg_lu  # noqa: E402, F401 - exports; it is made of the functions above
