"""Products and factorisations of matrices, diagonals and Fourier transforms on tensors: one part of `xp.tensor`."""

from __future__ import annotations

import numpy as np

from reflow.core import dtypes
from reflow.ops.convert import from_array
from reflow.ops.xp.tensor.arrays import ndim, shape
from reflow.ops.xp.tensor.base import operand, run, shape_tensor
from reflow.ops.xp.tensor.math import conj


def matmul(x, y, flip_x=False, flip_y=False):
    if x.shape.rank == 2 and y.shape.rank == 2:
        return run("MatMul", x, y, transpose_a=flip_x, transpose_b=flip_y)
    # this op takes the adjoint, where we want the transpose
    x, y = [conj(v) if flip and v.dtype.is_complex else v for v, flip in ((x, flip_x), (y, flip_y))]
    return run("BatchMatMulV2", x, y, adj_x=flip_x, adj_y=flip_y)


def einsum(eq, *xs):
    return run("Einsum", *xs, equation=eq, N=len(xs))


def cholesky(x):
    return run("Cholesky", x)


def qr(x, full=False):
    return tuple(run("Qr", x, full_matrices=full))


def svd(x, full=False, compute_uv=True):
    s, u, v = run("Svd", x, compute_uv=compute_uv, full_matrices=full)
    return (s, u, v) if compute_uv else s


def eigh(x):
    return tuple(run("SelfAdjointEigV2", x, compute_v=True))


def eig(x):
    wide = {"float32": dtypes.complex64, "float64": dtypes.complex128}.get(x._dtype.name, x._dtype)
    return tuple(run("Eig", x, compute_v=True, Tout=wide))


def solve(a, b):
    return run("MatrixSolve", a, b, adjoint=False)


def triangular_solve(a, b, lower=True, adjoint=False):
    return run("MatrixTriangularSolve", a, b, lower=lower, adjoint=adjoint)


def inv(x):
    return run("MatrixInverse", x, adjoint=False)


def slogdet(x):
    return tuple(run("LogMatrixDeterminant", x))


def det(x):
    return run("MatrixDeterminant", x)


def lu(x):
    return tuple(run("Lu", x, output_idx_type=dtypes.int32))


def _int(value):
    return from_array(np.array(value, np.int32))


def band_part(x, lower, upper):
    return run("MatrixBandPart", x, _int(lower), _int(upper))


def diag_part(x):
    return run("MatrixDiagPart", x)


def set_diag(x, d):
    return run("MatrixSetDiag", x, d)


def diag(d):
    return run("MatrixDiag", d)


def fft(x):
    return run("FFT", x)


def ifft(x):
    return run("IFFT", x)


def rfft(x, length):
    wide = dtypes.complex64 if x._dtype is dtypes.float32 else dtypes.complex128
    return run("RFFT", x, _int([length]), Tcomplex=wide)


def irfft(x, length):
    return run("IRFFT", x, _int([length]), Treal=x._dtype.real_dtype)


def fftn(x, kind, lengths):
    suffix = {1: "", 2: "2D", 3: "3D"}[len(lengths)]
    name = kind.upper() + suffix
    if kind in ("fft", "ifft"):
        return run(name, x)
    if kind == "rfft":
        wide = dtypes.complex64 if x._dtype is dtypes.float32 else dtypes.complex128
        return run(name, x, _int(list(lengths)), Tcomplex=wide)
    return run(name, x, _int(list(lengths)), Treal=x._dtype.real_dtype)


def fft_last(x, kind, rank):
    return run(kind.upper() + {1: "", 2: "2D", 3: "3D"}[rank], x)


def last_sizes(x, count):
    """The sizes of the last `count` axes as a vector of int32."""
    return run("Slice", shape_tensor(x), _int([ndim(x) - count]), _int([count]))


def fit_last(x, sizes):
    """The last axes of x, each cropped or padded with zeros to its size in `sizes`, a tuple or a vector of int32."""
    sizes = operand(sizes)
    count, rank = shape(sizes)[0], ndim(x)
    lead = run("Slice", shape_tensor(x), _int([0]), _int([rank - count]))
    common = run("Minimum", last_sizes(x, count), sizes)
    cropped = run("Slice", x, _int([0] * rank), run("ConcatV2", lead, common, _int(0), N=2))
    missing = run("ConcatV2", _int([0] * (rank - count)), run("Sub", sizes, common), _int(0), N=2)
    return run("Pad", cropped, run("Pack", _int([0] * rank), missing, axis=1))
