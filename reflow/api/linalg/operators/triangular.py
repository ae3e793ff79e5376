"""`tf.linalg.LinearOperatorLowerTriangular`: the lower triangle of a matrix."""

from __future__ import annotations

from reflow.api.array import arrange
from reflow.api.export import export
from reflow.api.linalg import diag as diagonals
from reflow.api.linalg.operators import batch
from reflow.api.linalg.operators.base import LinearOperator
from reflow.api.linalg.operators.diag import assert_no_zeros
from reflow.api.linalg.operators.spec import make_composite_tensor
from reflow.api.linalg.products import matmul
from reflow.api.math import unary
from reflow.api.math.reduce import reduce_prod, reduce_sum
from reflow.core.properties import read_only


@export("linalg.LinearOperatorLowerTriangular")
@make_composite_tensor
class LinearOperatorLowerTriangular(LinearOperator):
    """The operator of a lower triangular matrix; numbers above its diagonal are not read.

    Args:
      tril: a tensor of two or more axes.

    >>> operator = tf.linalg.LinearOperatorLowerTriangular([[2.0, 9.0], [1.0, 4.0]])
    >>> operator.to_dense().numpy().tolist(), operator.solvevec([2.0, 5.0]).numpy().tolist()
    ([[2.0, 0.0], [1.0, 4.0]], [1.0, 1.0])
    """

    def __init__(
        self, tril, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None,
        name="LinearOperatorLowerTriangular",
    ):
        if is_square is False:
            raise ValueError("Only square lower triangular operators supported at this time.")
        self._tril = batch.parameter(tril, "tril")
        if self._tril.shape.rank is not None and self._tril.shape.rank < 2:
            raise ValueError(f"Argument tril must have at least 2 dimensions.  Found: {self._tril!s}")
        super().__init__(self._tril.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name)

    tril = read_only("_tril", "The matrix as it was given.")

    def _shape(self):
        return self._tril.shape

    def _shape_tensor(self):
        return arrange.shape(self._tril)

    def _assert_non_singular(self):
        return assert_no_zeros(self._diag_part(), "Singular operator:  Diagonal contained zero values.")

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return matmul(self._to_dense(), x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return batch.triangular_solve(self._to_dense(), batch.turned(rhs, adjoint_arg), adjoint=adjoint)

    def _determinant(self):
        return reduce_prod(self._diag_part(), -1)

    def _log_abs_determinant(self):
        return reduce_sum(unary.log(unary.abs(self._diag_part())), -1)

    def _to_dense(self):
        return diagonals.band_part(self._tril, -1, 0)

    def _diag_part(self):
        return diagonals.diag_part(self._tril)

    def _eigvals(self):
        return self._diag_part()

    _composite_tensor_fields = ("tril",)
    _experimental_parameter_ndims_to_matrix_ndims = {"tril": 2}
