"""Matrix products, einsum, factorizations and Fourier transforms on NumPy: a part of `xp.host`.

As in XLA, a matrix that cannot be factorized (not positive definite, singular) gives NaN for that matrix of the batch.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from reflow.core.types import Array, Static
from reflow.ops.xp.dtype_facts import complex_dtype
from reflow.ops.xp.einsum import einsum_labels, einsum_plan
from reflow.ops.xp.fourier import fft_result
from reflow.ops.xp.host import blas
from reflow.ops.xp.host.arrays import zeros
from reflow.ops.xp.host.base import widen
from reflow.ops.xp.names import LINALG

__all__ = LINALG


@widen
def matmul(x: Array, y: Array, flip_x: bool = False, flip_y: bool = False, dtype: Static = None) -> Array:
    """Matrix product over the last two axes, which the flags swap first; leading axes broadcast.

    Computed in `dtype`, if given.
    """
    if dtype is not None:
        x, y = x.astype(dtype), y.astype(dtype)
    return np.matmul(x.swapaxes(-1, -2) if flip_x else x, y.swapaxes(-1, -2) if flip_y else y)


def einsum(eq: str, *xs: Array) -> Array:
    """TensorFlow's einsum, with ellipsis; two operands become one batched matrix product."""
    return _einsum(xs[0], eq, *xs[1:])


@widen
def _einsum(x: Array, eq: str, *rest: Array) -> Array:
    ranks = (x.ndim, *[y.ndim for y in rest])
    plan = einsum_plan(eq, ranks)
    product = _planned(plan, x, *rest) if plan else None
    if product is None:
        equation = _ascii(*einsum_labels(eq, ranks))
        return np.asarray(np.einsum(equation, x, *rest, optimize=len(rest) > 1))
    return product


def _planned(plan: Static, x: Array, y: Array) -> Array:
    """The product of two operands, or None if an axis of size 1 is broadcast."""
    x, y = [
        (np.add.reduce(x, axis=alone, dtype=x.dtype, out=...) if alone else x).transpose(perm)
        for x, alone, perm in zip((x, y), plan.alone, plan.perms, strict=True)
    ]
    n, k = len(plan.batch), len(plan.contracted)
    split = x.ndim - k
    batch, left, contracted, right = x.shape[:n], x.shape[n:split], x.shape[split:], y.shape[n + k :]
    if y.shape[:n] != batch or y.shape[n : n + k] != contracted:
        return None
    inner = math.prod(contracted)
    product = np.matmul(x.reshape((*batch, math.prod(left), inner)), y.reshape((*batch, inner, math.prod(right))))
    return product.reshape(batch + left + right).transpose(plan.output_perm)


def _ascii(inputs: Sequence[Array], output: Static) -> Array:
    """The equation with unused ASCII letters for the axes of an ellipsis: NumPy accepts no others."""
    used = set("".join(inputs))
    free = iter([c for c in map(chr, range(ord("A"), ord("z") + 1)) if c.isalpha() and c not in used])
    table = {ord(c): next(free) for c in sorted(used) if ord(c) >= 0x100}
    return f"{','.join(inputs)}->{output}".translate(table)


# --- factorisations -------------------------------------------------------------------------------


def _or_nan(function: Callable[..., Any], x: Array, *rest: Array) -> Array:
    """Apply a function to a batch of matrices; NaN for those that LAPACK rejects."""
    try:
        return function(x, *rest)
    except np.linalg.LinAlgError:
        if x.ndim == 2:
            return np.full_like(rest[0] if rest else x, np.nan)
    batch = np.broadcast_shapes(*[a.shape[:-2] for a in (x, *rest)])
    arrays = [np.broadcast_to(a, batch + a.shape[-2:]) for a in (x, *rest)]
    result = np.empty(arrays[-1].shape, x.dtype)  # every element is written: all matrices in turn
    for index in np.ndindex(batch):
        result[index] = _or_nan(function, *[a[index] for a in arrays])
    return result


@widen
def cholesky(x: Array) -> Array:
    """The lower triangular factor; reads only the lower triangle."""
    return np.tril(_or_nan(blas.on_idle_cores(np.linalg.cholesky), x))


@widen
def qr(x: Array, full: Array = False) -> Array:
    """(q, r)."""
    return tuple(blas.on_idle_cores(np.linalg.qr)(x, "complete" if full else "reduced"))


@widen
def svd(x: Array, full: Array = False, compute_uv: bool = True) -> Array:
    """TensorFlow's order (s, u, v) with x = u @ diag(s) @ adjoint(v), or s alone.

    NaN for a matrix with infinities or NaN, for which LAPACK's algorithm may not terminate.
    """
    finite = np.isfinite(x).all((-2, -1))
    clean = x if finite.all() else np.where(finite[..., None, None], x, 0)
    compute = blas.on_idle_cores(np.linalg.svd)
    parts = compute(clean, full_matrices=full) if compute_uv else [compute(clean, compute_uv=False)]
    if clean is not x:
        for part in parts:
            part[~finite] = np.nan
    return (parts[1], parts[0], np.conjugate(parts[2].swapaxes(-1, -2))) if compute_uv else parts[0]


@widen
def eigh(x: Array) -> tuple[Array, ...]:
    """(eigenvalues ascending, eigenvectors as columns); reads only the lower triangle."""
    return tuple(blas.on_idle_cores(np.linalg.eigh)(x))


def eig(x: Array) -> tuple[Array, ...]:
    """(eigenvalues, eigenvectors as columns), complex, in LAPACK's order."""
    dtype = complex_dtype(x.dtype)
    return tuple([part.astype(dtype, copy=False) for part in blas.on_idle_cores(np.linalg.eig)(x)])


@widen
def solve(a: Array, b: Array) -> Array:
    return _or_nan(blas.on_idle_cores(np.linalg.solve), a, b)


@widen
def triangular_solve(a: Array, b: Array, lower: bool = True, adjoint: bool = False) -> Array:
    """Solves a @ x = b, or adjoint(a) @ x = b, reading one triangle of a; leading axes broadcast."""
    from scipy.linalg import get_blas_funcs

    trsm = blas.on_idle_cores(functools.partial(get_blas_funcs("trsm", (a, b)), 1.0), "scipy")
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    result = np.empty(batch + b.shape[-2:], b.dtype)  # every element is written: all matrices in turn
    if not result.size:
        return result
    a, b = np.broadcast_to(a, batch + a.shape[-2:]), np.broadcast_to(b, batch + b.shape[-2:])
    for index in np.ndindex(batch):
        result[index] = trsm(a[index], b[index], lower=lower, trans_a=2 if adjoint else 0)
    return result


@widen
def inv(x: Array) -> Array:
    return _or_nan(blas.on_idle_cores(np.linalg.inv), x)


@widen
def slogdet(x: Array) -> tuple[Array, ...]:
    """(sign, log of the absolute determinant)."""
    sign, logabsdet = blas.on_idle_cores(np.linalg.slogdet)(x)
    return _odd_determinants(x, np.asarray(sign), np.asarray(logabsdet))


def _odd_determinants(x: Array, sign: Array, log: Array) -> tuple[Array, ...]:
    """The same for matrices with NaN and infinities, which LAPACK may call singular: as the product of pivots says."""
    if np.isfinite(x).all():
        return sign, log
    odd, unknown = ~np.isfinite(x).all((-2, -1)), np.isnan(x).any((-2, -1))
    log = np.where(unknown | odd & (sign == 0), log.dtype.type(np.nan), log)
    nothing = sign.dtype.type(complex(np.nan, np.nan) if sign.dtype.kind == "c" else np.nan)
    return np.where(unknown | np.isnan(log) & (sign != 0), nothing, sign), log


@widen
def det(x: Array) -> Array:
    found = np.asarray(blas.on_idle_cores(np.linalg.det)(x))
    if np.isfinite(x).all():
        return found
    nothing = found.dtype.type(complex(np.nan, np.nan) if found.dtype.kind == "c" else np.nan)
    return np.where(np.isnan(slogdet(x)[1]), nothing, found)


@widen
def lu(x: Array) -> tuple[Array, ...]:
    """(l and u in one matrix, int32 permutation p) with x[p] = l @ u."""
    from scipy.linalg import get_lapack_funcs

    getrf = blas.on_idle_cores(get_lapack_funcs("getrf", (x,)), "scipy")
    rows, cols = x.shape[-2:]
    packed = np.empty_like(x)  # every element is written: all matrices in turn
    permutation = np.empty((*x.shape[:-2], rows), np.int32)  # and every element of their permutations
    for index in np.ndindex(x.shape[:-2]):
        packed[index], pivots, _ = getrf(x[index])
        order = np.arange(rows, dtype=np.int32)
        for i, j in enumerate(pivots):
            order[i], order[j] = order[j], order[i]
        permutation[index] = order
    return packed, permutation


# --- bands and diagonals --------------------------------------------------------------------------


def band_part(x: Array, lower: bool, upper: bool) -> Array:
    """Zero outside `lower` subdiagonals and `upper` superdiagonals; a negative count keeps all."""
    rows, cols = x.shape[-2:]
    distance = np.arange(cols) - np.arange(rows)[:, None]
    inside = np.ones((rows, cols), bool)
    if lower >= 0:
        inside &= distance >= -lower
    if upper >= 0:
        inside &= distance <= upper
    return np.where(inside, x, np.zeros((), x.dtype))


def diag_part(x: Array) -> Array:
    """The main diagonals of the last two axes."""
    return np.diagonal(x, axis1=-2, axis2=-1)


def set_diag(x: Array, d: Array) -> Array:
    result = x.copy()
    i = np.arange(d.shape[-1])
    result[..., i, i] = d
    return result


def diag(d: Array) -> Array:
    """Square matrices with d[..., n] on the main diagonal."""
    return set_diag(zeros((*d.shape, d.shape[-1]), d.dtype), d)


# --- Fourier transforms ---------------------------------------------------------------------------

_FFT: dict[str, Any] = {"fft": np.fft.fftn, "ifft": np.fft.ifftn, "rfft": np.fft.rfftn, "irfft": np.fft.irfftn}


def fftn(x: Array, kind: str, lengths: Static) -> Array:
    """Transform `kind` ("fft", "ifft", "rfft", "irfft") of the last axes, cropped or padded to `lengths`."""
    if not x.size or 0 in lengths:  # NumPy rejects some of these, and returns uninitialized memory for others
        return np.zeros(*fft_result(x, kind, lengths))
    axes = tuple(range(-len(lengths), 0))
    return _FFT[kind](x, tuple(lengths), axes)
