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


def _gram(xp, matrix, l2_regularizer):
    """A* A + l2 of a matrix A with more rows than columns, else A A* + l2."""
    turned = adjoint(xp, matrix)
    tall = matrix.shape[-2] >= matrix.shape[-1]
    gram = xp.matmul(turned, matrix) if tall else xp.matmul(matrix, turned)
    identity = xp.eye(gram.shape[-1], gram.shape[-1], gram.dtype)
    return xp.add(gram, xp.multiply(xp.cast(l2_regularizer, gram.dtype), identity))


def _normal(xp, matrix, l2_regularizer):
    """Whether a matrix has more rows than columns, and a solver of its normal equations."""
    factor, tall = xp.cholesky(_gram(xp, matrix, l2_regularizer)), matrix.shape[-2] >= matrix.shape[-1]
    return tall, lambda x: xp.triangular_solve(factor, xp.triangular_solve(factor, x, True, False), True, True)


def _gradient(xp, attrs, inputs, outputs, cts, wanted):
    """From the differential of G x = A* b, or of G y = b with x = A* y."""
    if not attrs.get("fast", True):
        raise ValueError("Gradient not defined for fast=False")
    (matrix, rhs, l2), (x,), (g,) = inputs, outputs, cts
    tall, solved = _normal(xp, matrix, l2)
    if tall:
        z = solved(g)
        for_rhs = xp.matmul(matrix, z)
        rest = xp.subtract(rhs, xp.matmul(matrix, x))
        for_matrix = xp.subtract(xp.matmul(rest, adjoint(xp, z)), xp.matmul(for_rhs, adjoint(xp, x)))
    else:
        for_rhs = solved(xp.matmul(matrix, g))
        rest = xp.subtract(g, xp.matmul(adjoint(xp, matrix), for_rhs))
        for_matrix = xp.subtract(xp.matmul(solved(rhs), adjoint(xp, rest)), xp.matmul(for_rhs, adjoint(xp, x)))
    return (for_matrix, for_rhs, None)


def _not_negative(xp, attrs, matrix, rhs, l2_regularizer):
    return [(xp.greater_equal(l2_regularizer, xp.const(0, l2_regularizer)), "l2_regularizer must be >= 0.")]


def _has_full_rank(xp, attrs, matrix, rhs, l2_regularizer):
    """The normal equations have a Cholesky factor; one of NaN is as good as any."""
    if not attrs.get("fast", True):
        return []
    gram = _gram(xp, matrix, l2_regularizer)
    factored = xp.logical_not(xp.any(xp.isnan(xp.cholesky(gram)), None))
    words = "Input matrix was rank deficient or ill-conditioned. Try setting fast=False or provide a larger"
    return [(xp.logical_or(factored, xp.any(xp.isnan(gram), None)), f"{words} l2_regularizer > 0.")]


@op(
    "MatrixSolveLs", shape=_least_squares_shape, nondiff=("l2_regularizer",), trace_check=traced.least_squares,
    grad=_gradient, needs=("matrix", "rhs", "l2_regularizer", "output"), checks=(_not_negative, _has_full_rank),
)
def matrix_solve_ls(xp, matrix, rhs, l2_regularizer, fast=True):
    """The x that minimises `|matrix x - rhs|² + l2 |x|²`: by normal equations, or by singular values if not `fast`."""
    if not fast:
        return xp.matmul(_pseudo_inverse(xp, matrix), rhs)
    tall, solved = _normal(xp, matrix, l2_regularizer)
    turned = adjoint(xp, matrix)
    return solved(xp.matmul(turned, rhs)) if tall else xp.matmul(turned, solved(rhs))


def _pseudo_inverse(xp, matrix):
    """The Moore-Penrose inverse; singular values that are rounding errors count as zero."""
    s, u, v = xp.svd(matrix, False)
    limit = max(matrix.shape[-2:]) * np.finfo(s.dtype).eps
    kept = xp.greater(s, xp.multiply(xp.const(limit, s), xp.max(s, -1, True)))
    inverse = xp.select(kept, xp.reciprocal(s), xp.zeros_like(s))
    scaled = xp.multiply(v, xp.cast(xp.expand_dims(inverse, -2), v.dtype))
    return xp.matmul(scaled, adjoint(xp, u))
