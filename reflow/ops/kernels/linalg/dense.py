"""Factorizations of (batches of) matrices, and what builds on them: inverses, solvers, matrix functions."""

from __future__ import annotations

import numpy as np

from reflow.core import dtypes
from reflow.ops import shape_rules as rules
from reflow.ops import trace_checks as traced
from reflow.ops.dispatch import dispatch
from reflow.ops.kernels.linalg import diag as linalg_diag  # noqa: F401 - registers their ops
from reflow.ops.kernels.linalg.products import adjoint
from reflow.ops.kernels.math.unary import conj
from reflow.ops.kernels.signal import fft  # noqa: F401 - registers their ops
from reflow.ops.registry import NO_GRADIENT, op, own_op

# --- shape rules of matrices ------------------------------------------------------------------------------------------


def _at_least_matrices(dims):
    if dims is not None and len(dims) < 2:
        raise ValueError(f"Input tensor 0 must have rank >= 2, got {len(dims)}")
    return dims


def _square(f):
    dims = _at_least_matrices(f.shapes[0])
    if dims is not None and None not in dims[-2:] and dims[-1] != dims[-2]:
        raise ValueError("Input matrix must be square.")
    return [dims]


def _per_matrix(f):
    """One number for each matrix, for each output."""
    (dims,) = _square(f)
    return [None if dims is None else dims[:-2]] * len(f.op.definition.outputs)


def _solve_shape(f):
    a, b = f.shapes[:2]
    if a is None or b is None:
        return [None]
    if None not in (a[-2], b[-2]) and a[-2] != b[-2]:
        raise ValueError("Input matrix and rhs are incompatible.")
    batch = rules.broadcast_dims(a[:-2], b[:-2])
    return [None if batch is None else (*batch, a[-1], b[-1])]


def _matrices(x):
    _at_least_matrices(x.shape)
    return x


def _squares(x):
    if _matrices(x).shape[-1] != x.shape[-2]:
        raise ValueError("Input matrix must be square.")
    return x


# --- factorisations ---------------------------------------------------------------------------------------------------


def _cholesky_rule(xp, l, g):
    """The adjoint of the Cholesky factorisation, as a Hermitian matrix."""
    middle = xp.band_part(xp.matmul(adjoint(xp, l), g), -1, 0)
    middle = xp.set_diag(middle, xp.multiply(xp.const(0.5, g), xp.diag_part(middle)))
    left = xp.triangular_solve(l, middle, True, True)
    both = adjoint(xp, xp.triangular_solve(l, adjoint(xp, left), True, True))
    return xp.multiply(xp.const(0.5, g), xp.add(both, adjoint(xp, both)))


@op(
    "Cholesky", shape=_square, needs=("output",),
    grad=lambda xp, attrs, inputs, outputs, cts, wanted: (_cholesky_rule(xp, outputs[0], cts[0]),),
    trace_check=traced.square,
)
def cholesky(xp, input):
    """The lower triangular factor; NaN, as in TensorFlow since 2.21, where a matrix is not positive definite."""
    return xp.cholesky(_squares(input))


@op("CholeskyGrad", shape=_square)
def cholesky_grad(xp, l, grad):
    if l.shape != grad.shape:
        raise ValueError(f"l and grad must have the same shape, got {rules.text(l.shape)} and {rules.text(grad.shape)}")
    return _cholesky_rule(xp, l, grad)


def _inverse_grad(xp, attrs, inputs, outputs, cts, wanted):
    (y,), (g,) = outputs, cts
    if attrs.get("adjoint", False):
        return (xp.negative(xp.matmul(y, xp.matmul(adjoint(xp, g), y))),)
    return (xp.negative(xp.matmul(adjoint(xp, y), xp.matmul(g, adjoint(xp, y)))),)


def _has_pivots(words: str):
    """The check of a kernel that eliminates: TensorFlow's reject a pivot of 0, and NaN in the first place."""

    def check(xp, attrs, x, *rest):
        if _matrices(x).shape[-1] != x.shape[-2]:
            return [(False, "Input matrix must be square.")]
        sign, _ = xp.slogdet(x)  # 0 exactly if a pivot is
        corner = xp.slice(x, (0,) * x.ndim, (*x.shape[:-2], *[min(n, 1) for n in x.shape[-2:]]))
        wrong = xp.any(xp.equal(sign, xp.zeros_like(sign)), None), xp.any(xp.isnan(corner), None)
        return [(xp.logical_not(xp.logical_or(*wrong)), words)]

    return check


@op(
    "MatrixInverse", shape=_square, grad=_inverse_grad, needs=("output",), trace_check=traced.square,
    checks=(_has_pivots("Input is not invertible."),),
)
def matrix_inverse(xp, input, adjoint=False):
    x = _squares(input)
    return xp.inv(xp.matrix_transpose(conj(xp, x)) if adjoint else x)


def _solve_grad(xp, attrs, inputs, outputs, cts, wanted):
    (a, _), (x,), (g,) = inputs, outputs, cts
    flipped = attrs.get("adjoint", False)
    db = xp.solve(a if flipped else adjoint(xp, a), g)
    da = xp.negative(xp.matmul(x, adjoint(xp, db)) if flipped else xp.matmul(db, adjoint(xp, x))) if wanted[0] else None
    return (da, db)


@op(
    "MatrixSolve", shape=_solve_shape, grad=_solve_grad, needs=("matrix", "output"), trace_check=traced.solve,
    checks=(_has_pivots("Input matrix is not invertible."),),
)
def matrix_solve(xp, matrix, rhs, adjoint=False):
    a = _squares(matrix)
    if a.ndim != rhs.ndim:
        raise ValueError("All input tensors must have the same rank.")
    return xp.solve(xp.matrix_transpose(conj(xp, a)) if adjoint else a, rhs)


def _triangular_grad(xp, attrs, inputs, outputs, cts, wanted):
    (a, b), (x,), (g,) = inputs, outputs, cts
    lower, flipped = attrs.get("lower", True), attrs.get("adjoint", False)
    db = xp.triangular_solve(a, g, lower, not flipped)
    da = None
    if wanted[0]:
        da = xp.negative(xp.matmul(x, adjoint(xp, db)) if flipped else xp.matmul(db, adjoint(xp, x)))
        da = xp.sum_to_like(xp.band_part(da, -1, 0) if lower else xp.band_part(da, 0, -1), a)
    return (da, xp.sum_to_like(db, b) if wanted[1] else None)


@op(
    "MatrixTriangularSolve", shape=_solve_shape, grad=_triangular_grad, needs=("matrix", "rhs", "output"),
    trace_check=traced.solve_broadcast,
)
def matrix_triangular_solve(xp, matrix, rhs, lower=True, adjoint=False):
    return xp.triangular_solve(_squares(matrix), rhs, lower, adjoint)


def _times_inverse(xp, factor, x):
    """A number for each matrix times the adjoint of its inverse."""
    return xp.multiply(xp.expand_dims(factor, (-2, -1)), adjoint(xp, xp.inv(x)))


@op(
    "MatrixDeterminant",
    shape=_per_matrix,
    grad=lambda xp, attrs, inputs, outputs, cts, wanted: (
        _times_inverse(xp, xp.multiply(cts[0], outputs[0]), inputs[0]),
    ),
    trace_check=traced.determinant,
)
def matrix_determinant(xp, input):
    return xp.det(_squares(input))


def _log_determinant_grad(xp, attrs, inputs, outputs, cts, wanted):
    """The sign has no gradient."""
    g = cts[1]
    return (xp.zeros_like(inputs[0]) if g is None else _times_inverse(xp, g, inputs[0]),)


@op(
    "LogMatrixDeterminant", shape=_per_matrix, grad=_log_determinant_grad, needs=("input",),
    trace_check=traced.determinant,
)
def log_matrix_determinant(xp, input):
    sign, log = xp.slogdet(_squares(input))
    return sign, xp.cast(log, input.dtype)


def _qr_shape(f):
    dims = _at_least_matrices(f.shapes[0])
    if dims is None:
        return [None, None]
    *batch, rows, cols = dims
    inner = rows if f.attr("full_matrices") else (None if None in (rows, cols) else min(rows, cols))
    return [(*batch, rows, inner), (*batch, inner, cols)]


def _qr_grad_check(attrs, dims, cts):
    if dims[0] is None or None in dims[0][-2:]:
        return
    rows, cols = dims[0][-2:]
    if attrs.get("full_matrices", False) and rows > cols:
        raise NotImplementedError(
            "QrGrad not implemented when nrows > ncols and full_matrices is true. Received "
            f"r.shape={(*dims[0][:-2], rows, cols)} with nrows={rows}and ncols={cols}."
        )


def _qr_grad(xp, attrs, inputs, outputs, cts, wanted):
    """A wide matrix is a square one, whose factors they are, and the columns after it."""
    (x,), (q, r) = inputs, outputs
    _qr_grad_check(attrs, [tuple(x.shape)], cts)
    rows, cols = x.shape[-2:]
    dq, dr = (xp.zeros_like(v) if c is None else c for v, c in zip(outputs, cts, strict=True))
    if rows >= cols:
        return (_tall_qr_grad(xp, q, r, dq, dr),)

    dy = _columns(xp, dr, rows, cols - rows)
    dq = xp.add(dq, xp.matmul(_columns(xp, x, rows, cols - rows), adjoint(xp, dy)))
    square = _tall_qr_grad(xp, q, _columns(xp, r, 0, rows), dq, _columns(xp, dr, 0, rows))
    return (xp.concat([square, xp.matmul(q, dy)], len(tuple(x.shape)) - 1),)


def _tall_qr_grad(xp, q, r, dq, dr):
    def over_r(x):
        """x @ inverse(adjoint(r))."""
        return adjoint(xp, xp.triangular_solve(r, adjoint(xp, x), False, False))

    qdq, rdr = xp.matmul(adjoint(xp, q), dq), xp.matmul(r, adjoint(xp, dr))
    skew = xp.add(xp.subtract(qdq, adjoint(xp, qdq)), xp.subtract(rdr, adjoint(xp, rdr)))
    inside = xp.matmul(q, xp.add(dr, over_r(xp.band_part(skew, -1, 0))))
    grad = xp.add(inside, over_r(xp.subtract(dq, xp.matmul(q, qdq))))
    if q.dtype.kind != "c":
        return grad
    turn = _imaginary(xp, xp.diag_part(xp.subtract(rdr, adjoint(xp, qdq))))  # r has a real diagonal
    return xp.add(grad, over_r(xp.matmul(q, adjoint(xp, xp.diag(turn)))))


def _imaginary(xp, x):
    """A complex array without its real part."""
    return xp.subtract(x, xp.cast(xp.real(x), x.dtype))


@op("Qr", fits="2+", shape=_qr_shape, grad=_qr_grad, grad_check=_qr_grad_check)
def QR(xp, input, full_matrices=False):
    return xp.qr(_matrices(input), full_matrices)


def _svd_shape(f):
    dims = _at_least_matrices(f.shapes[0])
    if dims is None:
        return [None] * 3
    *batch, rows, cols = dims
    k = None if None in (rows, cols) else min(rows, cols)
    if not f.attr("compute_uv"):
        return [(*batch, k), (0,), (0,)]
    full = f.attr("full_matrices")
    return [(*batch, k), (*batch, rows, rows if full else k), (*batch, cols, cols if full else k)]


def _safe_reciprocal(xp, x):
    """1 / x, and 0 where x is 0."""
    return xp.divide(x, xp.add(xp.multiply(x, x), xp.const(1e-20, x)))


def _pair_gaps(xp, values):
    """f[i, j] = 1 / (values[j] - values[i]), 0 on the diagonal."""
    gaps = xp.subtract(xp.expand_dims(values, (-2,)), xp.expand_dims(values, (-1,)))
    return xp.set_diag(_safe_reciprocal(xp, gaps), xp.zeros_like(values))


def _svd_grad_check(attrs, dims, cts):
    if dims[0] is None or None in dims[0][-2:] or (cts[1] is None and cts[2] is None):
        return
    rows, cols = dims[0][-2:]
    if attrs.get("full_matrices", False) and abs(rows - cols) > 1:
        raise NotImplementedError(
            "svd gradient is not implemented for abs(m - n) > 1 when full_matrices is True. Received: "
            f"m={min(rows, cols)} and n={max(rows, cols)}."
        )


def _svd_grad(xp, attrs, inputs, outputs, cts, wanted):
    (x,), (s, u, v), (ds, du, dv) = inputs, outputs, cts
    if not attrs.get("compute_uv", True):
        _, u, v = xp.svd(x, False, True)
        du = dv = None
    rows, cols = x.shape[-2:]
    k = min(rows, cols)
    _svd_grad_check(attrs, [tuple(x.shape)], (ds, du, dv))
    middle = xp.diag(xp.zeros_like(s) if ds is None else ds)
    column = xp.expand_dims(s, (-2,))
    gaps = _pair_gaps(xp, xp.square(s))
    outside = []
    thin_u, thin_v = _columns(xp, u, 0, k), _columns(xp, v, 0, k)
    for m, dm, scaled in ((u, du, False), (v, dv, True)):
        if dm is None:
            continue
        thin, d_thin = _columns(xp, m, 0, k), _columns(xp, dm, 0, k)
        product = xp.matmul(adjoint(xp, thin), d_thin)
        part = xp.multiply(gaps, product)
        part = xp.add(part, adjoint(xp, part))
        middle = xp.add(middle, xp.multiply(xp.expand_dims(s, (-1,)), part) if scaled else xp.multiply(part, column))
        if x.dtype.kind == "c" and scaled == (rows <= cols):  # the phases of the vectors
            turn = xp.multiply(_imaginary(xp, xp.diag_part(product)), _safe_reciprocal(xp, s))
            middle = xp.subtract(middle, xp.diag(turn)) if scaled else xp.add(middle, xp.diag(turn))
        if m.shape[-2] > k:
            rest = xp.subtract(d_thin, xp.matmul(thin, product))
            if m.shape[-1] > k:
                more, d_more = _columns(xp, m, k, m.shape[-1] - k), _columns(xp, dm, k, m.shape[-1] - k)
                rest = xp.subtract(rest, xp.matmul(more, xp.matmul(adjoint(xp, d_more), thin)))
            rest = xp.multiply(rest, _safe_reciprocal(xp, column))
            outside.append(xp.matmul(thin_u, adjoint(xp, rest)) if scaled else xp.matmul(rest, adjoint(xp, thin_v)))
    grad = xp.matmul(thin_u, xp.matmul(middle, adjoint(xp, thin_v)))
    for rest in outside:
        grad = xp.add(grad, rest)
    return (grad,)


def _columns(xp, m, first, count):
    """Some of the columns of each matrix."""
    dims = tuple(m.shape)
    return m if count == dims[-1] else xp.slice(m, (0,) * (len(dims) - 1) + (first,), (*dims[:-1], count))


@op("Svd", fits="2+", shape=_svd_shape, grad=_svd_grad, grad_check=_svd_grad_check)
def SVD(xp, input, compute_uv=True, full_matrices=False):
    """Returns (s, u, v)."""
    input = _matrices(input)
    if compute_uv:
        s, u, v = xp.svd(input, full_matrices, True)
        return xp.cast(s, input.dtype), u, v
    none = xp.zeros((0,), input.dtype)
    return xp.cast(xp.svd(input, False, False), input.dtype), none, none


def _eigh_shape(f):
    (dims,) = _square(f)
    return [None if dims is None else dims[:-1], dims if f.attr("compute_v") else (0,)]


def _eigh_grad(xp, attrs, inputs, outputs, cts, wanted):
    """Only the lower triangle is read, so it gets the gradient of both."""
    (x,), (e, v), (de, dv) = inputs, outputs, cts
    if not attrs.get("compute_v", True):
        _, v = xp.eigh(x)
        dv = None
    middle = xp.diag(xp.cast(xp.zeros_like(e) if de is None else de, v.dtype))
    if dv is not None:
        middle = xp.add(middle, xp.multiply(_pair_gaps(xp, xp.cast(e, v.dtype)), xp.matmul(adjoint(xp, v), dv)))
    grad = xp.matmul(v, xp.matmul(middle, adjoint(xp, v)))
    grad = xp.band_part(xp.add(grad, adjoint(xp, grad)), -1, 0)
    return (xp.set_diag(grad, xp.multiply(xp.const(0.5, grad), xp.diag_part(grad))),)


def is_finite(words, triangular=False):
    """A check that a matrix, or its lower triangle, has neither NaN nor infinities.

    LAPACK fails on them, XLA's programs give NaN.
    """

    def check(xp, attrs, x):
        read = xp.band_part(x, -1, 0) if triangular and x.ndim > 1 else x
        finite = xp.logical_not(xp.isnan(xp.subtract(read, read)))  # `isfinite` is for real numbers
        return [(xp.all(finite, None), f"{words} was not successful. The input might not be valid.")]

    return check


FINITE_TRIANGLE = (is_finite("Self-adjoint eigen decomposition", triangular=True),)


@op("SelfAdjointEigV2", shape=_eigh_shape, grad=_eigh_grad, trace_check=traced.square, checks=FINITE_TRIANGLE)
def self_adjoint_eig(xp, input, compute_v=True):
    """Eigenvalues (of a complex matrix, too, in its own type) in ascending order."""
    e, v = xp.eigh(_squares(input))
    return xp.cast(e, input.dtype), v if compute_v else xp.zeros((0,), input.dtype)


def _eig_grad(xp, attrs, inputs, outputs, cts, wanted):
    (x,), (e, v), (de, dv) = inputs, outputs, cts
    if not attrs.get("compute_v", True):
        e, v = xp.eig(x)
        dv = None
    vt = adjoint(xp, v)
    middle = xp.diag(xp.zeros_like(e) if de is None else de)
    if dv is not None:
        product = xp.matmul(vt, dv)
        own = xp.diag(xp.cast(xp.real(xp.diag_part(product)), v.dtype))
        middle = xp.add(
            middle, xp.multiply(conj(xp, _pair_gaps(xp, e)), xp.subtract(product, xp.matmul(xp.matmul(vt, v), own)))
        )
    return (xp.cast(xp.solve(vt, xp.matmul(middle, vt)), x.dtype),)


@op("Eig", shape=_eigh_shape, grad=_eig_grad, trace_check=traced.square, checks=(is_finite("Eigen decomposition"),))
def eig(xp, input, Tout, compute_v=True):
    out = Tout.np_dtype
    if (input.dtype.itemsize if input.dtype.kind == "c" else 2 * input.dtype.itemsize) != out.itemsize:
        raise ValueError(f"Invalid output dtype {Tout.enum} vs {dtypes.FROM_NUMPY[input.dtype].enum}")
    e, v = xp.eig(_squares(input))
    return xp.cast(e, out), xp.cast(v, out) if compute_v else xp.zeros((0,), out)


def _lu_shape(f):
    (dims,) = _square(f)
    return [dims, None if dims is None else dims[:-1]]


@op("Lu", shape=_lu_shape, trace_check=traced.square, checks=(_has_pivots("Input is not invertible."),))
def lu(xp, input, output_idx_type=dtypes.int32):
    packed, order = xp.lu(_squares(input))
    return packed, xp.cast(order, output_idx_type.np_dtype)


# --- functions of matrices, on the host -------------------------------------------------------------------------------


def _by_matrix(name, function):
    """A host op from a function of one matrix in SciPy."""

    @op(name, shape=_square, host=True, grad=NO_GRADIENT, trace_check=traced.square)
    def kernel(xp, input):
        import scipy.linalg

        x = _squares(input)
        out = np.empty_like(x)  # every element is written: all matrices in turn
        for index in np.ndindex(x.shape[:-2]) if x.size else ():
            if not np.isfinite(x[index]).all():
                out[index] = complex(np.nan, np.nan) if out.dtype.kind == "c" else np.nan
                continue
            found = getattr(scipy.linalg, function)(
                x[index].astype(np.complex128 if x.dtype.kind == "c" else np.float64)
            )
            out[index] = found if out.dtype.kind == "c" else np.real(found)
        return out


_by_matrix("MatrixLogarithm", "logm")
_by_matrix("MatrixExponential", "expm")


def _square_root_grad(attrs, inputs, outputs, cts, wanted):
    """The Sylvester equation `adjoint(y) @ s + s @ adjoint(y) = g`, row by row as one linear system."""
    return (dispatch(SYLVESTER, (outputs[0], cts[0]), {"Tout": [inputs[0]._dtype]})[0],)


@own_op("SquareRootGrad", inputs="y g", outputs="*grads", shape=rules.same, host=True)
def SYLVESTER(xp, y, g):
    import scipy.linalg

    out = np.empty_like(y)  # every element is written: all matrices in turn
    for index in np.ndindex(y.shape[:-2]):
        h = np.conjugate(y[index].T)
        out[index] = scipy.linalg.solve_sylvester(h, h, g[index])
    return [out]


@op("MatrixSquareRoot", shape=_square, host=True, grad_tensors=_square_root_grad, trace_check=traced.square)
def matrix_square_root(xp, input):
    import scipy.linalg

    x = _squares(input)
    out = np.empty_like(x)  # every element is written: all matrices in turn
    for index in np.ndindex(x.shape[:-2]):
        if not np.isfinite(x[index]).all():
            out[index] = np.nan
            continue
        root = scipy.linalg.sqrtm(x[index])
        out[index] = root if out.dtype.kind == "c" else np.real(root)
    return out
