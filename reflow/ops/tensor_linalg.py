"""The part of `tensor_numpy` for products and factorisations of matrices, diagonals and Fourier transforms."""

from __future__ import annotations

import numpy as np

from reflow.core import dtypes
from reflow.ops import registry
from reflow.ops.convert import from_array
from reflow.ops.door import dispatch


def _run(name, *inputs, **attrs):
    return dispatch(registry.REGISTRY.get(name) or registry.get(name), inputs, attrs)


def matmul(x, y):
    if x.shape.rank == 2 and y.shape.rank == 2:
        return _run("MatMul", x, y)
    return _run("BatchMatMulV2", x, y)


def einsum(eq, *xs):
    return _run("Einsum", *xs, equation=eq, N=len(xs))


def cholesky(x):
    return _run("Cholesky", x)


def qr(x, full=False):
    return tuple(_run("Qr", x, full_matrices=full))


def svd(x, full=False, compute_uv=True):
    s, u, v = _run("Svd", x, compute_uv=compute_uv, full_matrices=full)
    return (s, u, v) if compute_uv else s


def eigh(x):
    return tuple(_run("SelfAdjointEigV2", x, compute_v=True))


def eig(x):
    wide = {"float32": dtypes.complex64, "float64": dtypes.complex128}.get(x._dtype.name, x._dtype)
    return tuple(_run("Eig", x, compute_v=True, Tout=wide))


def solve(a, b):
    return _run("MatrixSolve", a, b, adjoint=False)


def triangular_solve(a, b, lower=True, adjoint=False):
    return _run("MatrixTriangularSolve", a, b, lower=lower, adjoint=adjoint)


def inv(x):
    return _run("MatrixInverse", x, adjoint=False)


def slogdet(x):
    return tuple(_run("LogMatrixDeterminant", x))


def det(x):
    return _run("MatrixDeterminant", x)


def lu(x):
    return tuple(_run("Lu", x, output_idx_type=dtypes.int32))


def _int(value):
    return from_array(np.array(value, np.int32))


def band_part(x, lower, upper):
    return _run("MatrixBandPart", x, _int(lower), _int(upper))


def diag_part(x):
    return _run("MatrixDiagPart", x)


def set_diag(x, d):
    return _run("MatrixSetDiag", x, d)


def diag(d):
    return _run("MatrixDiag", d)


def fft(x):
    return _run("FFT", x)


def ifft(x):
    return _run("IFFT", x)


def rfft(x, length):
    wide = dtypes.complex64 if x._dtype is dtypes.float32 else dtypes.complex128
    return _run("RFFT", x, _int([length]), Tcomplex=wide)


def irfft(x, length):
    return _run("IRFFT", x, _int([length]), Treal=x._dtype.real_dtype)


def fftn(x, kind, lengths):
    suffix = {1: "", 2: "2D", 3: "3D"}[len(lengths)]
    name = kind.upper() + suffix
    if kind in ("fft", "ifft"):
        return _run(name, x)
    if kind == "rfft":
        wide = dtypes.complex64 if x._dtype is dtypes.float32 else dtypes.complex128
        return _run(name, x, _int(list(lengths)), Tcomplex=wide)
    return _run(name, x, _int(list(lengths)), Treal=x._dtype.real_dtype)


def fft_last(x, kind, rank):
    return _run(kind.upper() + {1: "", 2: "2D", 3: "3D"}[rank], x)


def _fitted(x, sizes):
    """The last axes of x cropped or padded with zeros to `sizes`, a vector of int32."""
    from reflow.ops import tensor_numpy as tn

    count, rank = tn.shape(sizes)[0], tn.ndim(x)
    have = tn.shape_tensor(x)
    lead = _run("Slice", have, _int([0]), _int([rank - count]))
    common = _run("Minimum", _run("Slice", have, _int([rank - count]), _int([count])), sizes)
    cropped = _run("Slice", x, _int([0] * rank), _run("ConcatV2", lead, common, _int(0), N=2))
    missing = _run("ConcatV2", _int([0] * (rank - count)), _run("Sub", sizes, common), _int(0), N=2)
    return _run("Pad", cropped, _run("Pack", _int([0] * rank), missing, axis=1))


def _last_sizes(x, count):
    from reflow.ops import tensor_numpy as tn

    return _run("Slice", tn.shape_tensor(x), _int([tn.ndim(x) - count]), _int([count]))


def rfft_adjoint(g, x, lengths):
    from reflow.ops import tensor_numpy as tn

    lengths = tn.static_axes(lengths)
    whole = tn.real(fft_last(tn.conj(_fitted(g, _int(lengths))), "fft", len(lengths)))
    return tn.cast(_fitted(whole, _last_sizes(x, len(lengths))), x._dtype)


def irfft_adjoint(g, x, lengths):
    from reflow.ops import tensor_numpy as tn

    lengths = tn.static_axes(lengths)
    n = lengths[-1]
    counts = np.full(n // 2 + 1, 2.0)
    counts[0] = 1
    if n % 2 == 0:
        counts[-1] = 1
    spectrum = fftn(g, "rfft", lengths)
    spectrum = tn.multiply(spectrum, tn.asarray(counts / np.prod(lengths), spectrum._dtype))
    return tn.cast(_fitted(spectrum, _last_sizes(x, len(lengths))), x._dtype)
