"""Matrix products, einsum, factorizations and Fourier transforms on XLA: a part of `xp.xla`.

Each function has the meaning of its namesake in `xp.host.linalg`.
"""

from __future__ import annotations

from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np
from jax import lax

from reflow.core.context import state
from reflow.core.types import Array, Static
from reflow.ops.xp.dtype_facts import complex_dtype, is_narrow
from reflow.ops.xp.einsum import einsum_labels, einsum_plan, is_identity
from reflow.ops.xp.fourier import fft_result
from reflow.ops.xp.names import LINALG
from reflow.ops.xp.shapes import broadcast_shape
from reflow.ops.xp.xla import native as xla_native
from reflow.ops.xp.xla.base import broadcast_to, filled, to_float32, widen

__all__ = LINALG


def _dot(x: Array, y: Array, numbers: Array, dtype: Static = None) -> Array:
    """dot_general with sums in `dtype`: an accelerator's matrix units sum int8 products in int32.

    Narrow floats are summed in float32 and rounded once. Accelerators do so natively; XLA's CPU backend gets float32
    operands (some processors have no kernel for bfloat16 operands and a float32 result).
    """
    if state.accelerated or not is_narrow(x.dtype):
        return lax.dot_general(x, y, numbers, preferred_element_type=dtype)
    return lax.convert_element_type(lax.dot_general(to_float32(x), to_float32(y), numbers), x.dtype)


def matmul(x: Array, y: Array, flip_x: bool = False, flip_y: bool = False, dtype: Static = None) -> Array:
    if dtype is not None and np.dtype(dtype) == np.int32 and not flip_x and not flip_y:
        quick = xla_native.integer_product(x, y)
        if quick is not None:
            return quick
    if dtype is not None and not (state.accelerated and x.dtype == y.dtype == np.int8):
        x, y = lax.convert_element_type(x, dtype), lax.convert_element_type(y, dtype)
    quick = xla_native.product(x, y, flip_x, flip_y)
    if quick is not None:
        return quick
    batch = broadcast_shape(x.shape[:-2], y.shape[:-2])
    if y.ndim == 2 and (x.ndim == 2 or not flip_x):  # one weight matrix for the whole batch
        return _dot(x, y, (((0 if flip_x else x.ndim - 1,), (1 if flip_y else 0,)), ((), ())), dtype)
    x, y = broadcast_to(x, batch + x.shape[-2:]), broadcast_to(y, batch + y.shape[-2:])
    axes, rank = tuple(range(len(batch))), len(batch)
    return _dot(x, y, (((rank + (not flip_x),), (rank + flip_y,)), (axes, axes)), dtype)


def einsum(eq: str, *xs: Array) -> Array:
    ranks = tuple([x.ndim for x in xs])
    plan = einsum_plan(eq, ranks)
    if plan is None or not _same_sizes(einsum_labels(eq, ranks)[0], xs):
        return _general_einsum(xs[0], einsum_labels(eq, ranks), *xs[1:])
    return _planned(plan, *xs)


def _planned(plan: Static, *xs: Array) -> Array:
    x, y = [_sum(x, alone) if alone else x for x, alone in zip(xs, plan.alone, strict=True)]
    contracted = tuple([[labels.index(c) for c in plan.contracted] for labels in plan.labels])
    batch = tuple([[labels.index(c) for c in plan.batch] for labels in plan.labels])
    product = _dot(x, y, (contracted, batch))
    return product if is_identity(plan.output_perm) else lax.transpose(product, plan.output_perm)


@widen
def _sum(x: Array, axes: Static) -> Array:
    return lax.reduce_sum(x, axes)


@widen
def _general_einsum(x: Array, labels: Static, *rest: Array) -> Array:
    inputs, output = labels
    numbers = {c: i for i, c in enumerate(sorted(set("".join(inputs))))}
    operands = []
    for array, own in zip((x, *rest), inputs, strict=True):
        operands += [array, [numbers[c] for c in own]]
    return jnp.einsum(*operands, [numbers[c] for c in output])


def _same_sizes(labels: Static, xs: Sequence[Array]) -> Array:
    """False if an axis of size 1 is broadcast."""
    sizes: dict[str, int] = {}
    return all(
        sizes.setdefault(c, n) == n
        for own, x in zip(labels, xs, strict=True)
        for c, n in zip(own, x.shape, strict=True)
    )


# --- factorisations -------------------------------------------------------------------------------


@widen
def cholesky(x: Array) -> Array:
    return lax.linalg.cholesky(x, symmetrize_input=False)


@widen
def qr(x: Array, full: Array = False) -> Array:
    return tuple(lax.linalg.qr(x, full_matrices=full))


@widen
def svd(x: Array, full: Array = False, compute_uv: bool = True) -> Array:
    """NaN for a matrix with infinities, for which LAPACK's algorithm may not terminate."""
    x = lax.select(jnp.isfinite(x), x, filled(np.nan, x))
    if not compute_uv:
        return lax.linalg.svd(x, compute_uv=False)
    u, s, vh = lax.linalg.svd(x, full_matrices=full)
    return s, u, _adjoint(vh)


def _adjoint(x: Array) -> Array:
    last = x.ndim - 1
    x = lax.transpose(x, (*range(last - 1), last, last - 1))
    return lax.conj(x) if x.dtype.kind == "c" else x


@widen
def eigh(x: Array) -> tuple[Array, ...]:
    v, w = lax.linalg.eigh(x, symmetrize_input=False)
    return w, v


def eig(x: Array) -> tuple[Array, ...]:
    dtype = complex_dtype(x.dtype)
    w, v = lax.linalg.eig(x, compute_left_eigenvectors=False)
    return lax.convert_element_type(w, dtype), lax.convert_element_type(v, dtype)


@widen
def solve(a: Array, b: Array) -> Array:
    batch = broadcast_shape(a.shape[:-2], b.shape[:-2])
    a, b = broadcast_to(a, batch + a.shape[-2:]), broadcast_to(b, batch + b.shape[-2:])
    packed, _, permutation = lax.linalg.lu(a)
    rows = lax.expand_dims(permutation, (permutation.ndim,))
    axes = tuple(range(len(batch)))
    last = len(batch)
    numbers = lax.GatherDimensionNumbers((last + 1,), (last,), (last,), axes, axes)
    b = lax.gather(b, rows, numbers, (1,) * (last + 1) + b.shape[-1:], mode="clip")
    y = lax.linalg.triangular_solve(packed, b, left_side=True, lower=True, unit_diagonal=True)
    return lax.linalg.triangular_solve(packed, y, left_side=True, lower=False)


@widen
def triangular_solve(a: Array, b: Array, lower: bool = True, adjoint: bool = False) -> Array:
    batch = broadcast_shape(a.shape[:-2], b.shape[:-2])
    a, b = broadcast_to(a, batch + a.shape[-2:]), broadcast_to(b, batch + b.shape[-2:])
    return lax.linalg.triangular_solve(
        a, b, left_side=True, lower=lower, transpose_a=adjoint, conjugate_a=adjoint and a.dtype.kind == "c"
    )


@widen
def inv(x: Array) -> Array:
    n = x.shape[-1]
    shape = (n, n)
    same = lax.eq(lax.broadcasted_iota(np.int32, shape, 0), lax.broadcasted_iota(np.int32, shape, 1))
    return solve(x, lax.convert_element_type(same, x.dtype))


def _lu_diagonal(x: Array) -> tuple[Array, ...]:
    """(the diagonal of u, the sign of the permutation)."""
    packed, pivots, _ = lax.linalg.lu(x)
    moved = lax.ne(pivots, lax.broadcasted_iota(pivots.dtype, pivots.shape, pivots.ndim - 1))
    odd = lax.rem(lax.reduce_sum(lax.convert_element_type(moved, np.int32), (pivots.ndim - 1,)), np.int32(2))
    diagonal = diag_part(packed)
    return diagonal, lax.convert_element_type(lax.sub(np.int32(1), lax.mul(odd, np.int32(2))), x.dtype)


@widen
def slogdet(x: Array) -> tuple[Array, ...]:
    diagonal, parity = _lu_diagonal(x)
    last = (diagonal.ndim - 1,)
    sign = lax.mul(parity, lax.reduce_prod(lax.sign(diagonal), last))
    return sign, lax.reduce_sum(lax.log(lax.abs(diagonal)), last)


@widen
def det(x: Array) -> Array:
    diagonal, parity = _lu_diagonal(x)
    return lax.mul(parity, lax.reduce_prod(diagonal, (diagonal.ndim - 1,)))


@widen
def lu(x: Array) -> tuple[Array, ...]:
    packed, _, permutation = lax.linalg.lu(x)
    return packed, permutation


# --- bands and diagonals --------------------------------------------------------------------------


def _row_and_column(shape: Static) -> tuple[Array, ...]:
    rank = len(shape)
    return lax.broadcasted_iota(np.int32, shape, rank - 2), lax.broadcasted_iota(np.int32, shape, rank - 1)


def band_part(x: Array, lower: bool, upper: bool) -> Array:
    row, column = _row_and_column(x.shape)
    distance = lax.sub(column, row)
    for keep in (
        lax.ge(distance, filled(-lower, distance)) if lower >= 0 else None,
        lax.le(distance, filled(upper, distance)) if upper >= 0 else None,
    ):
        x = x if keep is None else lax.select(keep, x, filled(0, x))
    return x


def diag_part(x: Array) -> Array:
    rank, n = x.ndim, min(x.shape[-2:])
    batch = rank - 2
    i = lax.iota(np.int32, n)
    places = lax.concatenate([lax.expand_dims(i, (1,))] * 2, 1)
    numbers = lax.GatherDimensionNumbers(tuple(range(batch)), (rank - 2, rank - 1), (rank - 2, rank - 1))
    return lax.gather(x, places, numbers, (*x.shape[:batch], 1, 1) if n else (*x.shape[:batch], 0, 0), mode="clip")


def set_diag(x: Array, d: Array) -> Array:
    row, column = _row_and_column(x.shape)
    rank = x.ndim
    axis = rank - 2 if x.shape[-2] <= x.shape[-1] else rank - 1
    spread = lax.broadcast_in_dim(d, x.shape, (*range(rank - 2), axis))
    return lax.select(lax.eq(row, column), spread, x)


def diag(d: Array) -> Array:
    return set_diag(lax.full((*d.shape, d.shape[-1]), 0, d.dtype), d)


# --- Fourier transforms ---------------------------------------------------------------------------

_FFT = {
    "fft": lax.FftType.FFT,
    "ifft": lax.FftType.IFFT,
    "rfft": lax.FftType.RFFT,
    "irfft": lax.FftType.IRFFT,
}


def fftn(x: Array, kind: str, lengths: Static) -> Array:
    lengths = tuple(lengths)
    if not x.size or 0 in lengths:
        shape, dtype = fft_result(x, kind, lengths)
        return lax.full(shape, 0, dtype)
    sizes = (*lengths[:-1], lengths[-1] // 2 + 1) if kind == "irfft" else lengths
    outer = x.ndim - len(lengths)
    config = [(0, 0, 0)] * outer + [(0, want - n, 0) for want, n in zip(sizes, x.shape[outer:], strict=True)]
    if any(after for _, after, _ in config):
        x = lax.pad(x, np.zeros((), x.dtype), config)
    return lax.fft(x, _FFT[kind], lengths)
