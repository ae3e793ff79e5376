"""Ops on batches of matrices from before graph version 13: today's ops accept batches themselves.

TensorFlow runs them only in graphs of that age. `SelfAdjointEig` returned values and vectors as one matrix, the values
in its first row.
"""

from __future__ import annotations

from reflow.ops import trace_checks as traced
from reflow.ops.kernels.linalg import dense
from reflow.ops.registry import NO_GRADIENT, also_called, get, op

for _name in (
    *(
        "Cholesky", "CholeskyGrad", "MatrixBandPart", "MatrixDeterminant", "MatrixDiag", "MatrixDiagPart",
        "MatrixInverse",
    ),
    *("MatrixSetDiag", "MatrixSolve", "MatrixSolveLs", "MatrixTriangularSolve", "SelfAdjointEigV2", "Svd"),
):
    also_called("Batch" + _name, get(_name))


def _eig_shape(f):
    if f.shapes[0] is None:
        return [None]
    *batch, rows, columns = f.shapes[0]
    size = rows if columns is None else columns
    return [(*batch, None if size is None else size + 1, size)]


@op("SelfAdjointEig", shape=_eig_shape, grad=NO_GRADIENT, trace_check=traced.square, checks=dense.FINITE_TRIANGLE)
def self_adjoint_eig(xp, input):
    values, vectors = dense.self_adjoint_eig.kernel(xp, input, compute_v=True)
    return xp.concat([xp.expand_dims(values, -2), vectors], -2)


also_called("BatchSelfAdjointEig", self_adjoint_eig)
