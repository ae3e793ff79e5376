"""Least squares in one op."""

from __future__ import annotations

import numpy as np

from reflow.ops import trace_checks as traced
from reflow.ops.kernels.linalg.products import adjoint
from reflow.ops.registry import op


def _least_squares_shape(f):
    matrix, rhs = f.shapes[:2]
    if matrix is None or rhs is None:
        return [None]
    return [(*matrix[:-2], matrix[-1], rhs[-1])]


@op("MatrixSolveLs", shape=_least_squares_shape, nondiff=("l2_regularizer",), trace_check=traced.least_squares)
def matrix_solve_ls(xp, matrix, rhs, l2_regularizer, fast=True):
    """The x that minimises `|matrix x - rhs|² + l2 |x|²`: by normal equations, or by singular values if not `fast`."""
    if not fast:
        return xp.matmul(_pseudo_inverse(xp, matrix), rhs)
    turned = adjoint(xp, matrix)
    tall = matrix.shape[-2] >= matrix.shape[-1]
    gram = xp.matmul(turned, matrix) if tall else xp.matmul(matrix, turned)
    weight = xp.cast(l2_regularizer, gram.dtype)
    identity = xp.eye(gram.shape[-1], gram.shape[-1], gram.dtype)
    gram = xp.add(gram, xp.multiply(weight, identity))
    factor = xp.cholesky(gram)

    def solved(x):
        return xp.triangular_solve(factor, xp.triangular_solve(factor, x, True, False), True, True)

    return solved(xp.matmul(turned, rhs)) if tall else xp.matmul(turned, solved(rhs))


def _pseudo_inverse(xp, matrix):
    """The Moore-Penrose inverse; singular values that are rounding errors count as zero."""
    s, u, v = xp.svd(matrix, False)
    limit = max(matrix.shape[-2:]) * np.finfo(s.dtype).eps
    kept = xp.greater(s, xp.multiply(xp.const(limit, s), xp.max(s, -1, True)))
    inverse = xp.select(kept, xp.reciprocal(s), xp.zeros_like(s))
    scaled = xp.multiply(v, xp.cast(xp.expand_dims(inverse, -2), v.dtype))
    return xp.matmul(scaled, adjoint(xp, u))
