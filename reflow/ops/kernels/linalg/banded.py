"""Banded matrices. Those with three diagonals: products on both sides, solutions on the host in time that grows with their size, not its cube.

A diagonal above the main one has its last number unused, one below its first, as in TensorFlow. Gradients are products and solutions again;
`_shifted` is a product with a matrix of one diagonal.
"""

from __future__ import annotations

import numpy as np

from reflow.ops import shape_rules as rules
from reflow.ops import trace_checks as traced
from reflow.ops.convert import constant
from reflow.ops.dispatch import run
from reflow.ops.kernels.linalg.products import adjoint as adjoint_of
from reflow.ops.registry import op


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
    starts, sizes = [0] * len(rhs.shape), list(rhs.shape)
    sizes[-2] = n - 1
    first = xp.slice(rhs, starts, sizes)
    starts[-2] = 1
    rest = xp.slice(rhs, starts, sizes)
    up = xp.pad(rest, [*lead, (0, 1), (0, 0)], 0)
    down = xp.pad(first, [*lead, (1, 0), (0, 0)], 0)
    above, main, below = (xp.matrix_transpose(d) for d in (superdiag, maindiag, subdiag))
    return xp.add(xp.add(xp.multiply(above, up), xp.multiply(main, rhs)), xp.multiply(below, down))


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


@op("TridiagonalSolve", shape=lambda f: [f.shapes[1]], grad_tensors=_solve_grad, host=True, jit="between")
def tridiagonal_solve(_, diagonals, rhs, partial_pivoting=True, perturb_singular=False):
    from scipy.linalg import solve_banded

    if perturb_singular and not partial_pivoting:
        raise ValueError("Setting perturb_singular requires also setting partial_pivoting.")
    if diagonals.ndim != rhs.ndim:
        raise ValueError("All input tensors must have the same rank.")
    if diagonals.shape[-2] != 3 or diagonals.shape[-1] != rhs.shape[-2]:
        raise ValueError(
            f"Expected 3 diagonals of the right-hand side's length. Got {rules.text(diagonals.shape)} and {rules.text(rhs.shape)}"
        )
    bands = np.stack(
        [np.roll(diagonals[..., 0, :], 1, -1), diagonals[..., 1, :], np.roll(diagonals[..., 2, :], -1, -1)], -2
    )
    out = np.empty_like(rhs)  # every element is written: all matrices in turn
    for index in np.ndindex(rhs.shape[:-2]):
        try:
            out[index] = solve_banded((1, 1), bands[index], rhs[index], check_finite=False)
        except np.linalg.LinAlgError:
            raise ValueError(
                "The first element of diagonal is zero." if not bands[index][1][0] else "Input is not invertible."
            ) from None
    return out


# --- triangular matrices ----------------------------------------------------------------------------------------------


def _banded_shape(f):
    matrix, rhs = f.shapes[:2]
    if matrix is None or rhs is None:
        return [None]
    batch = rules.broadcast_dims(matrix[:-2], rhs[:-2])
    return [None if batch is None else (*batch, *rhs[-2:])]


def _places(matrix, lower: bool) -> list:
    """For each diagonal, a matrix of ones where its numbers stand in the full matrix."""
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


@op(
    "BandedTriangularSolve", shape=_banded_shape, trace_check=traced.banded, grad=_banded_grad, needs=("matrix", "rhs", "output"),
)
def banded_triangular_solve(xp, matrix, rhs, lower=True, adjoint=False):
    """Solve with a triangular matrix that is given by its diagonals, each a row: the main one first if it is lower, else last."""
    for number, x in enumerate((matrix, rhs)):
        if 0 in x.shape:
            raise ValueError(f"In[{number}] must not be an empty tensor: its shape is {rules.text(x.shape)}")
    if matrix.ndim < 2 or rhs.ndim < 2 or matrix.shape[-1] != rhs.shape[-2]:
        raise ValueError(f"In[0] and In[1] do not fit: {rules.text(matrix.shape)} vs. {rules.text(rhs.shape)}")
    return _banded_solution(xp, matrix, rhs, lower, adjoint)
