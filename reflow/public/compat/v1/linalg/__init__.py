# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.linalg`."""

from reflow.api.array.creation import eye as eye
from reflow.api.linalg.banded import eigh_tridiagonal as eigh_tridiagonal
from reflow.api.linalg.banded import tridiagonal_matmul as tridiagonal_matmul
from reflow.api.linalg.banded import tridiagonal_solve as tridiagonal_solve
from reflow.api.linalg.diag import adjoint as adjoint
from reflow.api.linalg.diag import band_part as band_part
from reflow.api.linalg.diag import diag as diag
from reflow.api.linalg.diag import diag_part as diag_part
from reflow.api.linalg.diag import matrix_transpose as matrix_transpose
from reflow.api.linalg.diag import set_diag as set_diag
from reflow.api.linalg.diag import tensor_diag as tensor_diag
from reflow.api.linalg.diag import tensor_diag_part as tensor_diag_part
from reflow.api.linalg.diag import trace as trace
from reflow.api.linalg.lu import lu_matrix_inverse as lu_matrix_inverse
from reflow.api.linalg.lu import lu_reconstruct as lu_reconstruct
from reflow.api.linalg.lu import lu_solve as lu_solve
from reflow.api.linalg.norms import normalize as normalize
from reflow.api.linalg.operators.adjoint import LinearOperatorAdjoint as LinearOperatorAdjoint
from reflow.api.linalg.operators.base import LinearOperator as LinearOperator
from reflow.api.linalg.operators.block_diag import LinearOperatorBlockDiag as LinearOperatorBlockDiag
from reflow.api.linalg.operators.block_triangular import (
    LinearOperatorBlockLowerTriangular as LinearOperatorBlockLowerTriangular,
)
from reflow.api.linalg.operators.circulant import LinearOperatorCirculant as LinearOperatorCirculant
from reflow.api.linalg.operators.circulant import LinearOperatorCirculant2D as LinearOperatorCirculant2D
from reflow.api.linalg.operators.circulant import LinearOperatorCirculant3D as LinearOperatorCirculant3D
from reflow.api.linalg.operators.composition import LinearOperatorComposition as LinearOperatorComposition
from reflow.api.linalg.operators.diag import LinearOperatorDiag as LinearOperatorDiag
from reflow.api.linalg.operators.full_matrix import LinearOperatorFullMatrix as LinearOperatorFullMatrix
from reflow.api.linalg.operators.householder import LinearOperatorHouseholder as LinearOperatorHouseholder
from reflow.api.linalg.operators.identity import LinearOperatorIdentity as LinearOperatorIdentity
from reflow.api.linalg.operators.identity import LinearOperatorScaledIdentity as LinearOperatorScaledIdentity
from reflow.api.linalg.operators.inversion import LinearOperatorInversion as LinearOperatorInversion
from reflow.api.linalg.operators.kronecker import LinearOperatorKronecker as LinearOperatorKronecker
from reflow.api.linalg.operators.low_rank import LinearOperatorLowRankUpdate as LinearOperatorLowRankUpdate
from reflow.api.linalg.operators.permutation import LinearOperatorPermutation as LinearOperatorPermutation
from reflow.api.linalg.operators.toeplitz import LinearOperatorToeplitz as LinearOperatorToeplitz
from reflow.api.linalg.operators.triangular import LinearOperatorLowerTriangular as LinearOperatorLowerTriangular
from reflow.api.linalg.operators.tridiag import LinearOperatorTridiag as LinearOperatorTridiag
from reflow.api.linalg.operators.zeros import LinearOperatorZeros as LinearOperatorZeros
from reflow.api.linalg.products import cross as cross
from reflow.api.linalg.products import einsum as einsum
from reflow.api.linalg.products import matmul as matmul
from reflow.api.linalg.products import matvec as matvec
from reflow.api.linalg.products import tensordot as tensordot
from reflow.api.linalg.solve import cholesky as cholesky
from reflow.api.linalg.solve import cholesky_solve as cholesky_solve
from reflow.api.linalg.solve import det as det
from reflow.api.linalg.solve import eigh as eigh
from reflow.api.linalg.solve import eigvalsh as eigvalsh
from reflow.api.linalg.solve import expm as expm
from reflow.api.linalg.solve import inv as inv
from reflow.api.linalg.solve import logdet as logdet
from reflow.api.linalg.solve import logm as logm
from reflow.api.linalg.solve import lstsq as lstsq
from reflow.api.linalg.solve import lu as lu
from reflow.api.linalg.solve import matrix_rank as matrix_rank
from reflow.api.linalg.solve import pinv as pinv
from reflow.api.linalg.solve import qr as qr
from reflow.api.linalg.solve import slogdet as slogdet
from reflow.api.linalg.solve import solve as solve
from reflow.api.linalg.solve import sqrtm as sqrtm
from reflow.api.linalg.solve import svd as svd
from reflow.api.linalg.solve import triangular_solve as triangular_solve
from reflow.api.math.clip import global_norm as global_norm
from reflow.api.nn.statistics import l2_normalize as l2_normalize
from reflow.compat.older_names import matrix_transpose as transpose
from reflow.compat.reordered import norm as norm
from reflow.public.compat.v1.linalg import experimental as experimental

__all__ = [
    "LinearOperator", "LinearOperatorAdjoint", "LinearOperatorBlockDiag", "LinearOperatorBlockLowerTriangular",
    "LinearOperatorCirculant", "LinearOperatorCirculant2D", "LinearOperatorCirculant3D", "LinearOperatorComposition",
    "LinearOperatorDiag", "LinearOperatorFullMatrix", "LinearOperatorHouseholder", "LinearOperatorIdentity",
    "LinearOperatorInversion", "LinearOperatorKronecker", "LinearOperatorLowRankUpdate",
    "LinearOperatorLowerTriangular", "LinearOperatorPermutation", "LinearOperatorScaledIdentity",
    "LinearOperatorToeplitz", "LinearOperatorTridiag", "LinearOperatorZeros", "adjoint", "band_part", "cholesky",
    "cholesky_solve", "cross", "det", "diag", "diag_part", "eigh", "eigh_tridiagonal", "eigvalsh", "einsum",
    "experimental", "expm", "eye", "global_norm", "inv", "l2_normalize", "logdet", "logm", "lstsq", "lu",
    "lu_matrix_inverse", "lu_reconstruct", "lu_solve", "matmul", "matrix_rank", "matrix_transpose", "matvec", "norm",
    "normalize", "pinv", "qr", "set_diag", "slogdet", "solve", "sqrtm", "svd", "tensor_diag", "tensor_diag_part",
    "tensordot", "trace", "transpose", "triangular_solve", "tridiagonal_matmul", "tridiagonal_solve",
]
