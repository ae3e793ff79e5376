"""Banded matrices. Tridiagonal ones: products on both sides, and solutions on the host in linear instead of cubic time.

As in TensorFlow, a superdiagonal leaves its last number unused, a subdiagonal its first. Gradients are products and
solutions again; `_shifted` is a product with a matrix of one diagonal.
"""

from __future__ import annotations

import numpy as np

from reflow.core import errors
from reflow.ops import shape_rules as rules
from reflow.ops import trace_checks as traced
from reflow.ops.convert import constant
from reflow.ops.dispatch import run
from reflow.ops.kernels.linalg.products import adjoint as adjoint_of
from reflow.ops.registry import op
from reflow.ops.trace_words import equal, is_value, rank_at_least, same_shape


def _conj(x):
    return run("Conj", x) if x._dtype.kind == "c" else x


def _roll(x, by):
    return run("Roll", x, constant(by), constant(-1))


def _shifted(x, ones, zeros, up: bool):
    """Rows moved by one, up or down, with zeros for the row that comes in."""
    return run("TridiagonalMatMul", *((ones, zeros, zeros, x) if up else (zeros, zeros, ones, x)))


def _row_products(x, y, main):
    """The sums over columns of x times y moved up, y, and y moved down: in the shape of diagonals."""
    ones, zeros = run("OnesLike", main), run("ZerosLike", main)
    out = []
    for moved in (_shifted(y, ones, zeros, True), y, _shifted(y, ones, zeros, False)):
        total = run("Sum", run("Mul", x, _conj(moved)), constant(-1), keep_dims=True)
        out.append(_transposed(total, main))
    return out


def _transposed(column, like):
    """A column as a row, in the shape of `like`."""
    return run("Reshape", column, run("Shape", like))


def _product_grad(attrs, inputs, outputs, cotangents, wanted):
    (above, main, below, rhs), (g,) = inputs, cotangents
    parts = _row_products(g, rhs, main)
    flipped = (_conj(_roll(below, -1)), _conj(main), _conj(_roll(above, 1)), g)
    return [*parts, run("TridiagonalMatMul", *flipped)]


def _product_shape(f):
    return [f.shapes[3]]


@op("TridiagonalMatMul", shape=_product_shape, grad_tensors=_product_grad)
def tridiagonal_matmul(xp, superdiag, maindiag, subdiag, rhs):
    if rhs.ndim < 2:
        raise ValueError(f"Input must have rank >= 2, but got {rhs.ndim}")
    for name, diagonal in (("superdiagonal", superdiag), ("maindiagonal", maindiag), ("subdiagonal", subdiag)):
        if tuple(diagonal.shape) != (*rhs.shape[:-2], 1, rhs.shape[-2]):
            raise ValueError(f"Invalid {name} shape.")
    n, lead = rhs.shape[-2], [(0, 0)] * (len(rhs.shape) - 2)
    above, main, below = (xp.matrix_transpose(d) for d in (superdiag, maindiag, subdiag))

    def all_but_one(x, start):
        return xp.slice(x, [*[0] * len(lead), start, 0], [*x.shape[:-2], n - 1, x.shape[-1]])

    # the last number above the diagonal and the first below it are in no row
    up = xp.pad(xp.multiply(all_but_one(above, 0), all_but_one(rhs, 1)), [*lead, (0, 1), (0, 0)], 0)
    down = xp.pad(xp.multiply(all_but_one(below, 1), all_but_one(rhs, 0)), [*lead, (1, 0), (0, 0)], 0)
    return xp.add(xp.add(up, xp.multiply(main, rhs)), down)


def _solve_grad(attrs, inputs, outputs, cotangents, wanted):
    (diagonals, _), (y,), (g,) = inputs, outputs, cotangents
    above, main, below = run("Unpack", diagonals, num=3, axis=-2)
    flipped = run("Pack", _conj(_roll(below, -1)), _conj(main), _conj(_roll(above, 1)), N=3, axis=-2)
    for_rhs = run("TridiagonalSolve", flipped, g, **attrs)
    if not wanted[0]:
        return [None, for_rhs]
    row = run("ExpandDims", main, constant(-2))
    parts = [run("Neg", p) for p in _row_products(for_rhs, y, row)]
    return [run("ConcatV2", *parts, constant(-2), N=3), for_rhs]


def _solve_check(f):
    diagonals, rhs = f.shapes
    if diagonals is None or rhs is None:
        return
    rank_at_least(diagonals, 2)
    rank_at_least(rhs, 2)
    same_shape(diagonals[:-2], rhs[:-2])
    is_value(diagonals[-2], 3)
    equal(diagonals[-1], rhs[-2])


def _checked_system(diagonals, rhs):
    if diagonals.ndim != rhs.ndim:
        raise ValueError("All input tensors must have the same rank.")
    if diagonals.ndim < 2:
        raise ValueError(f"Expected diagonals to have rank at least 2, got {diagonals.ndim}")
    if diagonals.shape[:-2] != rhs.shape[:-2]:
        raise ValueError("All input tensors must have the same outer dimensions.")
    if diagonals.shape[-2] != 3:
        raise ValueError(f"Expected diagonals to be provided as a matrix with 3 rows, got {diagonals.shape[-2]} rows.")
    if diagonals.shape[-1] != rhs.shape[-2]:
        raise ValueError(
            f"Expected the same number of left-hand sides and right-hand sides, got {diagonals.shape[-1]} and "
            f"{rhs.shape[-2]}."
        )


def _eliminated(diagonals, rhs):
    """The solution without exchanging rows: NaN everywhere if a pivot is zero, as in TensorFlow."""
    above, main, below = diagonals
    n, out = main.size, rhs.copy()
    upper = np.zeros_like(above)
    for i in range(n):
        pivot = main[i] - (below[i] * upper[i - 1] if i else 0)
        if pivot == 0:
            return np.full_like(rhs, np.nan)
        upper[i] = above[i] / pivot
        out[i] = (out[i] - (below[i] * out[i - 1] if i else 0)) / pivot
    for i in range(n - 2, -1, -1):
        out[i] -= upper[i] * out[i + 1]
    return out


def _pivoted(diagonals, rhs):
    """The solution with partial pivoting: NaN everywhere if the matrix is singular."""
    from scipy.linalg import solve_banded

    above, main, below = diagonals
    if main.size == 1:  # SciPy divides by a single number without looking at it
        return _eliminated(diagonals, rhs)
    bands = np.stack([np.roll(above, 1), main, np.roll(below, -1)])
    try:
        return solve_banded((1, 1), bands, rhs, check_finite=False)
    except np.linalg.LinAlgError:
        return np.full_like(rhs, np.nan)


@op(
    "TridiagonalSolve", shape=lambda f: [f.shapes[1]], grad_tensors=_solve_grad, trace_check=_solve_check, host=True,
    jit="between",
)
def tridiagonal_solve(_, diagonals, rhs, partial_pivoting=True, perturb_singular=False):
    if perturb_singular and not partial_pivoting:
        raise ValueError("Setting perturb_singular requires also setting partial_pivoting.")
    _checked_system(diagonals, rhs)
    solve = _pivoted if partial_pivoting else _eliminated
    out = np.empty_like(rhs)  # every element is written: all matrices in turn
    for index in np.ndindex(rhs.shape[:-2]):
        out[index] = solve(diagonals[index], rhs[index])
    if perturb_singular and np.isnan(out).any():
        raise errors.UnimplementedError(None, None, "The perturbation of singular matrices is not implemented.")
    return out


# --- triangular matrices ----------------------------------------------------------------------------------------------


def _banded_shape(f):
    matrix, rhs = f.shapes[:2]
    if matrix is None or rhs is None:
        return [None]
    batch = rules.broadcast_dims(matrix[:-2], rhs[:-2])
    return [None if batch is None else (*batch, *rhs[-2:])]


def _places(matrix, lower: bool) -> list:
    """For each diagonal, a matrix of ones at its positions in the full matrix."""
    bands, size = matrix.shape[-2:]
    return [np.eye(size, k=-i if lower else bands - 1 - i, dtype=matrix.dtype) for i in range(bands)]


def _full(xp, matrix, lower: bool):
    """The triangular matrix whose diagonals are given."""
    bands, size = matrix.shape[-2:]
    full = xp.zeros((*matrix.shape[:-2], size, size), matrix.dtype)
    for row, place in zip(xp.unstack(matrix, bands, -2), _places(matrix, lower), strict=True):
        full = xp.add(full, xp.multiply(xp.expand_dims(row, -1), xp.asarray(place, matrix.dtype)))
    return full


def _banded_grad(xp, attrs, inputs, outputs, cts, wanted):
    (matrix, rhs), (x,), (g,) = inputs, outputs, cts
    lower, flipped = attrs.get("lower", True), attrs.get("adjoint", False)
    for_rhs = _banded_solution(xp, matrix, g, lower, not flipped)
    rows = None
    if wanted[0]:
        full = xp.negative(xp.matmul(x, adjoint_of(xp, for_rhs)) if flipped else xp.matmul(for_rhs, adjoint_of(xp, x)))
        parts = [xp.sum(xp.multiply(full, xp.asarray(place, matrix.dtype)), -1) for place in _places(matrix, lower)]
        rows = xp.sum_to_like(xp.stack(parts, -2), matrix)
    return (rows, xp.sum_to_like(for_rhs, rhs) if wanted[1] else None)


def _banded_solution(xp, matrix, rhs, lower, adjoint):
    size = matrix.shape[-1]
    batch = np.broadcast_shapes(matrix.shape[:-2], rhs.shape[:-2])
    full = xp.broadcast_to(_full(xp, matrix, lower), (*batch, size, size))
    return xp.triangular_solve(full, xp.broadcast_to(rhs, (*batch, *rhs.shape[-2:])), lower, adjoint)


def _invertible(xp, attrs, matrix, rhs):
    """No zero on the main diagonal."""
    if matrix.ndim < 2 or not matrix.shape[-2]:
        return []
    main = xp.unstack(matrix, matrix.shape[-2], -2)[0 if attrs.get("lower", True) else -1]
    return [(xp.all(xp.not_equal(main, xp.zeros_like(main)), None), "Input matrix is not invertible.")]


@op(
    "BandedTriangularSolve", shape=_banded_shape, trace_check=traced.banded, grad=_banded_grad,
    needs=("matrix", "rhs", "output"), checks=(_invertible,),
)
def banded_triangular_solve(xp, matrix, rhs, lower=True, adjoint=False):
    """Solve with a triangular matrix that is given by its diagonals, each a row.

    The main one first if it is lower, else last.
    """
    for i, x in enumerate((matrix, rhs)):
        if x.ndim < 2:
            raise ValueError(f"In[{i}] ndims must be >= 2: {x.ndim}")
    shapes = [rules.text(x.shape) for x in (matrix, rhs)]
    for i, x in enumerate((matrix, rhs)):
        if 0 in x.shape:
            raise ValueError(f"In[{i}] must not be an empty tensor: {shapes[i]}")
    if matrix.shape[-1] != rhs.shape[-2]:
        raise ValueError(f"In[0] mismatch In[1] shape: {matrix.shape[-1]} vs. {rhs.shape[-2]}: {' '.join(shapes)}")
    try:
        rules.broadcast_dims(matrix.shape[:-2], rhs.shape[:-2])
    except ValueError:
        raise ValueError(f"In[0] and In[1] must have compatible batch dimensions: {' vs. '.join(shapes)}") from None
    return _banded_solution(xp, matrix, rhs, lower, adjoint)
