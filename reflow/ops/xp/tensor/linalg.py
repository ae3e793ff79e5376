"""Matrix products and factorizations, diagonals and Fourier transforms on tensors: a part of `xp.tensor`."""

from __future__ import annotations

import numpy as np

from reflow.core import dtypes
from reflow.core.types import Array, Static
from reflow.ops.convert import from_array
from reflow.ops.xp.tensor.arrays import ndim, shape
from reflow.ops.xp.tensor.base import cast, operand, run, shape_tensor
from reflow.ops.xp.tensor.math import conj


def matmul(x: Array, y: Array, flip_x: bool = False, flip_y: bool = False, dtype: Static = None) -> Array:
    if dtype is not None:
        x, y = cast(x, dtype), cast(y, dtype)
    if x.shape.rank == 2 and y.shape.rank == 2:
        return run("MatMul", x, y, transpose_a=flip_x, transpose_b=flip_y)
    # this op takes the adjoint, where we want the transpose
    x, y = [conj(v) if flip and v.dtype.is_complex else v for v, flip in ((x, flip_x), (y, flip_y))]
    return run("BatchMatMulV2", x, y, adj_x=flip_x, adj_y=flip_y)


def einsum(eq: str, *xs: Array) -> Array:
    return run("Einsum", *xs, equation=eq, N=len(xs))


def cholesky(x: Array) -> Array:
    return run("Cholesky", x)


def qr(x: Array, full: Array = False) -> Array:
    return tuple(run("Qr", x, full_matrices=full))


def svd(x: Array, full: Array = False, compute_uv: bool = True) -> Array:
    s, u, v = run("Svd", x, compute_uv=compute_uv, full_matrices=full)
    return (s, u, v) if compute_uv else s


def eigh(x: Array) -> Array:
    return tuple(run("SelfAdjointEigV2", x, compute_v=True))


def eig(x: Array) -> Array:
    wide = {"float32": dtypes.complex64, "float64": dtypes.complex128}.get(x._dtype.name, x._dtype)
    return tuple(run("Eig", x, compute_v=True, Tout=wide))


def solve(a: Array, b: Array) -> Array:
    return run("MatrixSolve", a, b, adjoint=False)


def triangular_solve(a: Array, b: Array, lower: bool = True, adjoint: bool = False) -> Array:
    return run("MatrixTriangularSolve", a, b, lower=lower, adjoint=adjoint)


def inv(x: Array) -> Array:
    return run("MatrixInverse", x, adjoint=False)


def slogdet(x: Array) -> Array:
    return tuple(run("LogMatrixDeterminant", x))


def det(x: Array) -> Array:
    return run("MatrixDeterminant", x)


def lu(x: Array) -> Array:
    return tuple(run("Lu", x, output_idx_type=dtypes.int32))


def _int(value: Array) -> Array:
    return from_array(np.array(value, np.int32))


def band_part(x: Array, lower: bool, upper: bool) -> Array:
    return run("MatrixBandPart", x, _int(lower), _int(upper))


def diag_part(x: Array) -> Array:
    return run("MatrixDiagPart", x)


def set_diag(x: Array, d: Array) -> Array:
    return run("MatrixSetDiag", x, d)


def diag(d: Array) -> Array:
    return run("MatrixDiag", d)


def fft(x: Array) -> Array:
    return run("FFT", x)


def ifft(x: Array) -> Array:
    return run("IFFT", x)


def rfft(x: Array, length: Static) -> Array:
    wide = dtypes.complex64 if x._dtype is dtypes.float32 else dtypes.complex128
    return run("RFFT", x, _int([length]), Tcomplex=wide)


def irfft(x: Array, length: Static) -> Array:
    return run("IRFFT", x, _int([length]), Treal=x._dtype.real_dtype)


def fftn(x: Array, kind: str, lengths: Static) -> Array:
    suffix = {1: "", 2: "2D", 3: "3D"}[len(lengths)]
    name = kind.upper() + suffix
    if kind in ("fft", "ifft"):
        return run(name, x)
    if kind == "rfft":
        wide = dtypes.complex64 if x._dtype is dtypes.float32 else dtypes.complex128
        return run(name, x, _int(list(lengths)), Tcomplex=wide)
    return run(name, x, _int(list(lengths)), Treal=x._dtype.real_dtype)


def fft_last(x: Array, kind: str, rank: int) -> Array:
    return run(kind.upper() + {1: "", 2: "2D", 3: "3D"}[rank], x)


def last_sizes(x: Array, count: int) -> Array:
    """The sizes of the last `count` axes as a vector of int32."""
    return run("Slice", shape_tensor(x), _int([ndim(x) - count]), _int([count]))


def fit_last(x: Array, sizes: Static) -> Array:
    """The last axes of x, each cropped or padded with zeros to its size in `sizes`, a tuple or a vector of int32."""
    sizes = operand(sizes)
    count, rank = shape(sizes)[0], ndim(x)
    lead = run("Slice", shape_tensor(x), _int([0]), _int([rank - count]))
    common = run("Minimum", last_sizes(x, count), sizes)
    cropped = run("Slice", x, _int([0] * rank), run("ConcatV2", lead, common, _int(0), N=2))
    missing = run("ConcatV2", _int([0] * (rank - count)), run("Sub", sizes, common), _int(0), N=2)
    return run("Pad", cropped, run("Pack", _int([0] * rank), missing, axis=1))
