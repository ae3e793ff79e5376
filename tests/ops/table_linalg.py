"""Products, decompositions, diagonals, Fourier transforms."""
# ruff: noqa: E501 - a case is one line

from tests.ops.inputs import above_one, const, normal, regular, spd
from tests.ops.table import COMPLEX, FLOATS, HALF, INTS, case, raw

DECOMPOSED = (20.0, "LAPACK and Eigen round in another order")

# --- products

case("MatMul", lambda tf, a, b: tf.matmul(a, b), normal(2, 3), normal(3, 4), dtypes=FLOATS + HALF + INTS + COMPLEX)
for _label, _a, _b, _facts in (("ta", (3, 2), (3, 4), dict(transpose_a=True)), ("tb", (2, 3), (4, 3), dict(transpose_b=True)),
                               ("tatb", (3, 2), (4, 3), dict(transpose_a=True, transpose_b=True))):
    case(f"MatMul {_label}", lambda tf, a, b, _f=_facts: tf.matmul(a, b, **_f), normal(*_a), normal(*_b), dtypes=("float32", "complex64"))
case("MatMul adjoint", lambda tf, a, b: tf.matmul(a, b, adjoint_a=True, adjoint_b=True), normal(3, 2), normal(4, 3), dtypes=FLOATS + COMPLEX)
case("MatMul operator", lambda tf, a, b: a @ b, normal(2, 3), normal(3, 4))
case("MatMul empty", lambda tf, a, b: tf.matmul(a, b), normal(2, 0), normal(0, 4))
case("BatchMatMulV2", lambda tf, a, b: tf.matmul(a, b), normal(2, 2, 3), normal(2, 3, 4), dtypes=FLOATS + HALF + COMPLEX)
case("BatchMatMulV2 broadcast", lambda tf, a, b: tf.matmul(a, b), normal(5, 1, 2, 3), normal(2, 3, 4))
case("BatchMatMulV2 rank", lambda tf, a, b: tf.matmul(a, b), normal(2, 3), normal(5, 3, 4))
case("BatchMatMulV2 adjoint", lambda tf, a, b: tf.matmul(a, b, adjoint_a=True, adjoint_b=True), normal(2, 3, 2), normal(2, 4, 3),
     dtypes=("float32", "complex64"))
case("BatchMatMul", lambda tf, a, b: raw(tf, "BatchMatMul", x=a, y=b), normal(2, 2, 3), normal(2, 3, 4))
case("BatchMatMulV3", lambda tf, a, b: tf.matmul(a, b, output_type=tf.int32), normal(2, 3, dtype="int8"), normal(3, 2, dtype="int8"), grad=False)
case("MatMul matvec", lambda tf, a, x: tf.linalg.matvec(a, x), normal(2, 3), normal(3))
case("MatMul tensordot", lambda tf, a, b: tf.tensordot(a, b, [[1, 2], [0, 1]]), normal(2, 3, 4), normal(3, 4, 5))
case("MatMul tensordot 1", lambda tf, a, b: tf.tensordot(a, b, 1), normal(2, 3), normal(3))
for _equation, _shapes in (("ij,jk->ik", [(2, 3), (3, 4)]), ("bij,bjk->bik", [(2, 2, 3), (2, 3, 2)]), ("ij->ji", [(2, 3)]), ("ij->", [(2, 3)]),
                           ("i,j->ij", [(2,), (3,)]), ("...ij,...jk->...ik", [(2, 2, 3), (3, 2)]), ("ii->i", [(3, 3)]), ("ii->", [(3, 3)]),
                           ("abc,cd->abd", [(2, 3, 4), (4, 2)]), ("ij,j->i", [(2, 3), (3,)]), ("bhqd,bhkd->bhqk", [(1, 2, 3, 2), (1, 2, 4, 2)])):
    case(f"Einsum {_equation}", lambda tf, *xs, _e=_equation: tf.einsum(_e, *xs), *[normal(*s) for s in _shapes])
case("Einsum dtypes", lambda tf, a, b: tf.einsum("ij,jk->ik", a, b), normal(2, 3), normal(3, 4), dtypes=("float64", "bfloat16", "int32", "complex64"))
case("Cross", lambda tf, a, b: tf.linalg.cross(a, b), normal(2, 3), normal(2, 3), dtypes=FLOATS + INTS)

# --- decompositions and solvers

case("Cholesky", lambda tf, x: tf.linalg.cholesky(x), spd(2, 3, 3), dtypes=FLOATS, loose=DECOMPOSED)
case("CholeskyGrad", lambda tf, l, g: raw(tf, "CholeskyGrad", l=tf.linalg.cholesky(l), grad=g), spd(3, 3), normal(3, 3), dtypes=FLOATS, grad=False,
     loose=DECOMPOSED)
case("MatrixInverse", lambda tf, x: tf.linalg.inv(x), regular(2, 3, 3), dtypes=FLOATS + COMPLEX, loose=DECOMPOSED)
case("MatrixInverse adjoint", lambda tf, x: tf.linalg.inv(x, adjoint=True), regular(3, 3), dtypes=("float32", "complex64"), loose=DECOMPOSED)
case("MatrixSolve", lambda tf, a, b: tf.linalg.solve(a, b), regular(2, 3, 3), normal(2, 3, 2), dtypes=FLOATS + COMPLEX, loose=DECOMPOSED)
case("MatrixSolve adjoint", lambda tf, a, b: tf.linalg.solve(a, b, adjoint=True), regular(3, 3), normal(3, 2), dtypes=("float32", "complex64"), loose=DECOMPOSED)
for _lower in (True, False):
    for _adjoint in (True, False):
        case(f"MatrixTriangularSolve {'lower' if _lower else 'upper'}{' adjoint' if _adjoint else ''}",
             lambda tf, a, b, _l=_lower, _a=_adjoint: tf.linalg.triangular_solve(a, b, lower=_l, adjoint=_a), regular(3, 3), normal(3, 2),
             dtypes=("float32", "complex64"), loose=DECOMPOSED)
case("TridiagonalMatMul", lambda tf, d, b: tf.linalg.tridiagonal_matmul(d, b), normal(3, 4), normal(4, 2), dtypes=FLOATS + COMPLEX)
case("TridiagonalMatMul batch", lambda tf, d, b: tf.linalg.tridiagonal_matmul(d, b), normal(2, 3, 4), normal(2, 4, 2))
case("TridiagonalMatMul matrix", lambda tf, a, b: tf.linalg.tridiagonal_matmul(a, b, diagonals_format="matrix"), normal(4, 4), normal(4, 2))
case("TridiagonalSolve", lambda tf, d, b: tf.linalg.tridiagonal_solve(d, b), regular(3, 3), normal(3, 2), dtypes=FLOATS, loose=DECOMPOSED)
case("TridiagonalSolve vector", lambda tf, d, b: tf.linalg.tridiagonal_solve(d, b), regular(3, 3), normal(3), loose=DECOMPOSED)
for _lower in (True, False):
    for _adjoint in (True, False):
        case(f"MatrixTriangularSolve banded {'lower' if _lower else 'upper'}{' adjoint' if _adjoint else ''}",
             lambda tf, a, b, _l=_lower, _a=_adjoint: tf.linalg.banded_triangular_solve(tf.abs(a) + 1.0, b, lower=_l, adjoint=_a), normal(2, 4), normal(4, 2), loose=DECOMPOSED)
case("SelfAdjointEigV2 tridiagonal", lambda tf, a, b: tf.linalg.eigh_tridiagonal(a, b), normal(4), normal(3), grad=False, loose=DECOMPOSED)
case("MatrixTriangularSolve broadcast", lambda tf, a, b: tf.linalg.triangular_solve(a, b), regular(3, 3), normal(2, 3, 1), loose=DECOMPOSED)
case("MatrixDeterminant", lambda tf, x: tf.linalg.det(x), regular(2, 3, 3), dtypes=FLOATS + COMPLEX, loose=DECOMPOSED)
case("LogMatrixDeterminant", lambda tf, x: tf.linalg.slogdet(x), regular(2, 3, 3), dtypes=FLOATS + COMPLEX, loose=DECOMPOSED)
case("Qr", lambda tf, x: [abs(t) for t in tf.linalg.qr(x)], regular(3, 3), dtypes=FLOATS + COMPLEX, loose=DECOMPOSED)
case("Qr tall", lambda tf, x: [abs(t) for t in tf.linalg.qr(x)], regular(4, 3), dtypes=FLOATS, loose=DECOMPOSED)
case("Qr full", lambda tf, x: [abs(t) for t in tf.linalg.qr(x, full_matrices=True)], regular(4, 3), grad=False, loose=DECOMPOSED)
case("Svd values", lambda tf, x: tf.linalg.svd(x, compute_uv=False), regular(2, 3, 4), dtypes=FLOATS, loose=DECOMPOSED)
case("Svd", lambda tf, x: (lambda s, u, v: [s, tf.abs(u), tf.abs(v)])(*tf.linalg.svd(x)), regular(4, 3), dtypes=FLOATS + COMPLEX[:1], loose=DECOMPOSED)
case("Svd product", lambda tf, x: (lambda s, u, v: tf.matmul(u * s, v, adjoint_b=True))(*tf.linalg.svd(x)), regular(3, 3), loose=DECOMPOSED)
case("Svd full", lambda tf, x: tf.linalg.svd(x, full_matrices=True)[0], regular(3, 4), loose=DECOMPOSED)
case("SelfAdjointEigV2", lambda tf, x: (lambda e, v: [e, tf.abs(v)])(*tf.linalg.eigh(x)), spd(2, 3, 3), dtypes=FLOATS, loose=DECOMPOSED)
case("SelfAdjointEigV2 values", lambda tf, x: tf.linalg.eigvalsh(x), spd(3, 3), dtypes=FLOATS, loose=DECOMPOSED)
case("Eig values", lambda tf, x: tf.sort(tf.math.real(tf.linalg.eigvals(x))), spd(3, 3), dtypes=FLOATS, loose=DECOMPOSED)
case("Lu", lambda tf, x: tf.linalg.lu(x), regular(3, 3), dtypes=FLOATS, grad=False, loose=DECOMPOSED)
case("Cholesky lstsq", lambda tf, a, b: tf.linalg.lstsq(a, b, fast=True), regular(4, 3), normal(4, 2), loose=DECOMPOSED)
case("Sum norm", lambda tf, x: [tf.norm(x), tf.norm(x, 1, axis=0), tf.norm(x, float("inf"), axis=1)], normal(2, 3))
case("MatrixDiagPartV3 trace", lambda tf, x: tf.linalg.trace(x), normal(2, 3, 3))

# --- diagonals

case("MatrixDiagV3", lambda tf, x: tf.linalg.diag(x), normal(2, 3), dtypes=FLOATS + INTS + COMPLEX[:1])
case("MatrixDiagV3 k", lambda tf, x: tf.linalg.diag(x, k=1), normal(3))
case("MatrixDiagV3 band", lambda tf, x: tf.linalg.diag(x, k=(-1, 0), num_rows=4, padding_value=9.0), normal(2, 3))
case("MatrixDiagPartV3", lambda tf, x: tf.linalg.diag_part(x), normal(2, 3, 4), dtypes=FLOATS + INTS)
case("MatrixDiagPartV3 k", lambda tf, x: tf.linalg.diag_part(x, k=-1), normal(3, 4))
case("MatrixDiagPartV3 band", lambda tf, x: tf.linalg.diag_part(x, k=(-1, 1)), normal(3, 4))
case("MatrixSetDiagV3", lambda tf, x, d: tf.linalg.set_diag(x, d), normal(2, 3, 3), normal(2, 3), dtypes=FLOATS)
case("MatrixSetDiagV3 k", lambda tf, x, d: tf.linalg.set_diag(x, d, k=1), normal(3, 4), normal(3))
case("MatrixDiag", lambda tf, x: raw(tf, "MatrixDiag", diagonal=x), normal(2, 3))
case("MatrixDiagV2", lambda tf, x: raw(tf, "MatrixDiagV2", diagonal=x, k=0, num_rows=-1, num_cols=-1, padding_value=0.0), normal(2, 3))
case("MatrixDiagPart", lambda tf, x: raw(tf, "MatrixDiagPart", input=x), normal(2, 3, 3))
case("MatrixDiagPartV2", lambda tf, x: raw(tf, "MatrixDiagPartV2", input=x, k=0, padding_value=0.0), normal(2, 3, 3))
case("MatrixSetDiag", lambda tf, x, d: raw(tf, "MatrixSetDiag", input=x, diagonal=d), normal(2, 3, 3), normal(2, 3))
case("MatrixSetDiagV2", lambda tf, x, d: raw(tf, "MatrixSetDiagV2", input=x, diagonal=d, k=0), normal(2, 3, 3), normal(2, 3))
case("MatrixBandPart", lambda tf, x: tf.linalg.band_part(x, 1, 0), normal(2, 3, 4), dtypes=FLOATS + INTS + COMPLEX[:1])
case("MatrixBandPart upper", lambda tf, x: tf.linalg.band_part(x, 0, -1), normal(3, 4))
case("Diag", lambda tf, x: tf.linalg.tensor_diag(x), normal(2, 2), dtypes=FLOATS)
case("DiagPart", lambda tf, x: tf.linalg.tensor_diag_part(x), normal(3, 3), dtypes=FLOATS)

# --- Fourier transforms

for _suffix, _name, _shape in (("", "", (2, 6)), ("2D", "2d", (4, 6)), ("3D", "3d", (2, 4, 4))):
    case(f"FFT{_suffix}", lambda tf, x, _n=_name: getattr(tf.signal, f"fft{_n}")(x), normal(*_shape), dtypes=COMPLEX)
    case(f"IFFT{_suffix}", lambda tf, x, _n=_name: getattr(tf.signal, f"ifft{_n}")(x), normal(*_shape), dtypes=COMPLEX)
    case(f"RFFT{_suffix}", lambda tf, x, _n=_name: getattr(tf.signal, f"rfft{_n}")(x), normal(*_shape), dtypes=FLOATS, grad=_suffix != "3D")
    case(f"IRFFT{_suffix}", lambda tf, x, _n=_name: getattr(tf.signal, f"irfft{_n}")(x), normal(*_shape[:-1], 4), dtypes=COMPLEX, grad=_suffix != "3D")
case("RFFT length", lambda tf, x: tf.signal.rfft(x, [8]), normal(2, 6))
case("IRFFT odd", lambda tf, x: tf.signal.irfft(x, [5]), normal(2, 3), dtypes=("complex64",))
case("MatMul band", lambda tf, x: tf.linalg.matmul(tf.linalg.band_part(x, -1, 0), x, transpose_b=True), normal(3, 3))
case("MatMul const", lambda tf, x: tf.matmul(x, tf.constant([[1.0], [2.0], [3.0]])), const([[1.0, 2.0, 3.0]]))
case("MatrixExponential", lambda tf, x: raw(tf, "MatrixExponential", input=x), normal(3, 3), reference=lambda tf, x: tf.linalg.expm(x), grad=False, loose=DECOMPOSED)
case("MatrixLogarithm", lambda tf, x: tf.linalg.logm(x), spd(3, 3), dtypes=COMPLEX, grad=False, loose=(200.0, "iterated square roots"))
case("MatrixSquareRoot", lambda tf, x: tf.linalg.sqrtm(x), spd(3, 3), dtypes=FLOATS, loose=DECOMPOSED)
case("MatrixSolveLs", lambda tf, a, b, l2: raw(tf, "MatrixSolveLs", matrix=a, rhs=b, l2_regularizer=l2), regular(2, 4, 3), normal(2, 4, 2), const(0.5, "float64"), dtypes=FLOATS, loose=(4.0, "normal equations"))
case("MatrixSolveLs wide", lambda tf, a, b, l2: raw(tf, "MatrixSolveLs", matrix=a, rhs=b, l2_regularizer=l2), regular(2, 3), normal(2, 2), const(0.5, "float64"), dtypes=FLOATS, loose=(4.0, "normal equations"))
case("MatrixSolveLs slow", lambda tf, a, b, l2: raw(tf, "MatrixSolveLs", matrix=a, rhs=b, l2_regularizer=l2, fast=False), regular(4, 3), normal(4, 2), const(0.0, "float64"), dtypes=FLOATS, grad=False, loose=(4.0, "another factorisation"))
for _lower in (True, False):
    case(f"BandedTriangularSolve {'lower' if _lower else 'upper'}", lambda tf, a, b, lower=_lower: [raw(tf, "BandedTriangularSolve", matrix=a, rhs=b, lower=lower, adjoint=adjoint) for adjoint in (False, True)],
         above_one(2, 2, 4), normal(2, 4, 3), dtypes=("float32", "float64", "complex64"), loose=(4.0, "another order of sums"))
