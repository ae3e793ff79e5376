"""Matrix products, einsum, factorisations and Fourier transforms on NumPy and LAPACK: one part of `host_numpy`.

A matrix that a factorisation refuses (not positive definite, singular) gives NaN for that matrix of the batch, as in XLA.
"""

import math

import numpy as np

from reflow.ops.facade_shapes import complex_dtype, einsum_labels, einsum_plan
from reflow.ops.host_base import widen


@widen
def matmul(x, y):
    """Matrix product over the last two axes; leading axes broadcast."""
    return np.matmul(x, y)


def einsum(eq, *xs):
    """TensorFlow's einsum, with ellipsis; two operands become one batched matrix product."""
    return _einsum(xs[0], eq, *xs[1:])


@widen
def _einsum(x, eq, *rest):
    xs = (x, *rest)
    plan = einsum_plan(eq, tuple([x.ndim for x in xs]))
    if plan is None or len(xs) != 2 or not _same_sizes(plan.labels, xs):
        inputs, output = einsum_labels(eq, tuple([x.ndim for x in xs]))
        return np.asarray(np.einsum(_ascii(inputs, output), *xs, optimize=len(xs) > 2))
    sizes = dict(zip(plan.labels[0] + plan.labels[1], x.shape + rest[0].shape, strict=True))
    left, right = [
        _grouped(x, labels, plan, i) for i, (x, labels) in enumerate(zip(xs, plan.labels, strict=True))
    ]
    natural = plan.batch + plan.free[0] + plan.free[1]
    product = np.matmul(left, right).reshape([sizes[c] for c in natural])
    return product.transpose([natural.index(c) for c in plan.output])


def _grouped(x, labels, plan, side):
    """x as (batch, free, contracted), or (batch, contracted, free) on the right side."""
    kept = plan.batch + plan.contracted + plan.free[side]
    alone = tuple([i for i, c in enumerate(labels) if c not in kept])
    if alone:
        x = np.add.reduce(x, axis=alone, dtype=x.dtype, out=...)
        labels = "".join(c for c in labels if c in kept)
    groups = [plan.batch, plan.free[side], plan.contracted]
    if side:
        groups[1:] = groups[:0:-1]
    sizes = dict(zip(labels, x.shape, strict=True))
    x = x.transpose([labels.index(c) for c in "".join(groups)])
    return x.reshape([math.prod([sizes[c] for c in group]) for group in groups])


def _same_sizes(labels, xs):
    """False when a label of size 1 is broadcast."""
    sizes = {}
    return all(
        sizes.setdefault(c, n) == n
        for own, x in zip(labels, xs, strict=True)
        for c, n in zip(own, x.shape, strict=True)
    )


def _ascii(inputs, output):
    """The equation with the private labels of an ellipsis replaced by letters that are free."""
    used = set("".join(inputs))
    free = iter([c for c in map(chr, range(ord("A"), ord("z") + 1)) if c.isalpha() and c not in used])
    table = {ord(c): next(free) for c in sorted(used) if ord(c) >= 0x100}
    return f"{','.join(inputs)}->{output}".translate(table)


# --- factorisations -------------------------------------------------------------------------------


def _or_nan(function, x, *rest):
    """function on a batch of matrices; where LAPACK refuses one, NaN for that one."""
    try:
        return function(x, *rest)
    except np.linalg.LinAlgError:
        if x.ndim == 2:
            return np.full_like(rest[0] if rest else x, np.nan)
    batch = np.broadcast_shapes(*[a.shape[:-2] for a in (x, *rest)])
    arrays = [np.broadcast_to(a, batch + a.shape[-2:]) for a in (x, *rest)]
    result = np.empty(arrays[-1].shape, x.dtype)
    for index in np.ndindex(batch):
        result[index] = _or_nan(function, *[a[index] for a in arrays])
    return result


@widen
def cholesky(x):
    """The lower triangular factor; reads only the lower triangle."""
    return np.tril(_or_nan(np.linalg.cholesky, x))


@widen
def qr(x, full=False):
    """(q, r)."""
    return tuple(np.linalg.qr(x, "complete" if full else "reduced"))


@widen
def svd(x, full=False, compute_uv=True):
    """TensorFlow's order (s, u, v) with x = u @ diag(s) @ adjoint(v), or s alone."""
    if not compute_uv:
        return np.linalg.svd(x, compute_uv=False)
    u, s, vh = np.linalg.svd(x, full_matrices=full)
    return s, u, np.conjugate(vh.swapaxes(-1, -2))


@widen
def eigh(x):
    """(eigenvalues ascending, eigenvectors as columns); reads only the lower triangle."""
    return tuple(np.linalg.eigh(x))


def eig(x):
    """(eigenvalues, eigenvectors as columns), complex, in LAPACK's order."""
    dtype = complex_dtype(x.dtype)
    return tuple([part.astype(dtype, copy=False) for part in np.linalg.eig(x)])


@widen
def solve(a, b):
    return _or_nan(np.linalg.solve, a, b)


@widen
def triangular_solve(a, b, lower=True, adjoint=False):
    """Solves a @ x = b, or adjoint(a) @ x = b, reading one triangle of a; leading axes broadcast."""
    from scipy.linalg import get_blas_funcs

    trsm = get_blas_funcs("trsm", (a, b))
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    result = np.empty(batch + b.shape[-2:], b.dtype)
    if not result.size:
        return result
    a, b = np.broadcast_to(a, batch + a.shape[-2:]), np.broadcast_to(b, batch + b.shape[-2:])
    for index in np.ndindex(batch):
        result[index] = trsm(1.0, a[index], b[index], lower=lower, trans_a=2 if adjoint else 0)
    return result


@widen
def inv(x):
    return _or_nan(np.linalg.inv, x)


@widen
def slogdet(x):
    """(sign, log of the absolute determinant)."""
    sign, logabsdet = np.linalg.slogdet(x)
    return np.asarray(sign), np.asarray(logabsdet)


@widen
def det(x):
    return np.asarray(np.linalg.det(x))


@widen
def lu(x):
    """(l and u in one matrix, int32 permutation p) with x[p] = l @ u."""
    from scipy.linalg import get_lapack_funcs

    getrf = get_lapack_funcs("getrf", (x,))
    rows, cols = x.shape[-2:]
    packed, permutation = np.empty_like(x), np.empty((*x.shape[:-2], rows), np.int32)
    for index in np.ndindex(x.shape[:-2]):
        packed[index], pivots, _ = getrf(x[index])
        order = np.arange(rows, dtype=np.int32)
        for i, j in enumerate(pivots):
            order[i], order[j] = order[j], order[i]
        permutation[index] = order
    return packed, permutation


# --- bands and diagonals --------------------------------------------------------------------------


def band_part(x, lower, upper):
    """Zero outside `lower` subdiagonals and `upper` superdiagonals; a negative count keeps all."""
    rows, cols = x.shape[-2:]
    distance = np.arange(cols) - np.arange(rows)[:, None]
    inside = np.ones((rows, cols), bool)
    if lower >= 0:
        inside &= distance >= -lower
    if upper >= 0:
        inside &= distance <= upper
    return np.where(inside, x, np.zeros((), x.dtype))


def diag_part(x):
    """The main diagonals of the last two axes."""
    return np.diagonal(x, axis1=-2, axis2=-1)


def set_diag(x, d):
    result = x.copy()
    i = np.arange(d.shape[-1])
    result[..., i, i] = d
    return result


def diag(d):
    """Square matrices with d[..., n] on the main diagonal."""
    return set_diag(np.zeros((*d.shape, d.shape[-1]), d.dtype), d)


# --- Fourier transforms ---------------------------------------------------------------------------

_FFT = {"fft": np.fft.fftn, "ifft": np.fft.ifftn, "rfft": np.fft.rfftn, "irfft": np.fft.irfftn}


def fftn(x, kind, lengths):
    """ "fft", "ifft", "rfft" or "irfft" over the last len(lengths) axes, cropped or zero-padded to `lengths`."""
    axes = tuple(range(-len(lengths), 0))
    return _FFT[kind](x, tuple(lengths), axes)


def fft(x):
    return fftn(x, "fft", x.shape[-1:])


def ifft(x):
    return fftn(x, "ifft", x.shape[-1:])


def rfft(x, length):
    return fftn(x, "rfft", (length,))


def irfft(x, length):
    return fftn(x, "irfft", (length,))
