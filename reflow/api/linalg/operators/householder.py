"""`tf.linalg.LinearOperatorHouseholder`: a reflection."""

from __future__ import annotations

from reflow.api.array import arrange, creation
from reflow.api.export import export
from reflow.api.linalg import diag as diagonals
from reflow.api.linalg.operators import batch
from reflow.api.linalg.operators.spec import make_composite_tensor
from reflow.api.linalg.operators.vector import VectorOperator
from reflow.api.linalg.products import matmul
from reflow.api.math import arithmetic as m
from reflow.api.math import unary
from reflow.api.nn.statistics import l2_normalize
from reflow.core.errors import InvalidArgumentError
from reflow.core.properties import read_only


@export("linalg.LinearOperatorHouseholder")
@make_composite_tensor
class LinearOperatorHouseholder(VectorOperator):
    """The operator that reflects vectors at the plane through 0 to which `reflection_axis` is perpendicular:
    `I - 2 v v^H / |v|^2`.

    Args:
      reflection_axis: a tensor of one or more axes; the last is the vector.

    >>> tf.linalg.LinearOperatorHouseholder([1.0, 0.0]).matvec([2.0, 3.0]).numpy().tolist()
    [-2.0, 3.0]
    """

    def __init__(
        self, reflection_axis, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None,
        name="LinearOperatorHouseholder",
    ):
        self._reflection_axis = batch.parameter(reflection_axis, "reflection_axis")
        if self._reflection_axis.shape.rank == 0:
            raise ValueError(
                f"Argument reflection_axis must have at least 1 dimension.  Found: {self._reflection_axis!s}"
            )
        if is_self_adjoint is False:
            raise ValueError("A Householder operator is always self adjoint.")
        if is_positive_definite is True:
            raise ValueError("A Householder operator is always non-positive definite.")
        if is_square is False:
            raise ValueError("A Householder operator is always square.")
        super().__init__(self._reflection_axis.dtype, None, is_non_singular, True, False, True, name)

    reflection_axis = _vector = read_only("_reflection_axis", "The vector that is turned around.")

    def _unit(self):
        """The axis as a column of length 1."""
        return l2_normalize(self._reflection_axis, axis=-1)[..., None]

    _assert_non_singular = batch.always("assert_non_singular")

    def _assert_positive_definite(self):
        raise InvalidArgumentError(None, None, "Householder operators are always non-positive definite.")

    _assert_self_adjoint = batch.always("assert_self_adjoint")

    def _linop_inverse(self):
        return self

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x, unit = batch.turned(x, adjoint_arg), self._unit()
        return x - 2 * unit * matmul(unit, x, adjoint_a=True)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._matmul(rhs, adjoint, adjoint_arg)

    def _determinant(self):
        return -self._filled(creation.ones)

    def _log_abs_determinant(self):
        return self._filled(creation.zeros)

    def _trace(self):
        return m.cast(self.domain_dimension_tensor() - 2, self.dtype) * self._filled(creation.ones)

    def _to_dense(self):
        unit = self._unit()
        matrix = -2 * matmul(unit, unit, adjoint_b=True)
        return diagonals.set_diag(matrix, 1.0 + diagonals.diag_part(matrix))

    def _diag_part(self):
        unit = self._unit()[..., 0]
        return 1.0 - 2 * unit * unary.conj(unit)

    def _eigvals(self):
        ones = self._filled(creation.ones, self.domain_dimension_tensor() - 1)
        return arrange.concat([-self._filled(creation.ones, 1), ones], -1)

    def _cond(self):
        return self._filled(creation.ones)

    _composite_tensor_fields = ("reflection_axis",)
    _experimental_parameter_ndims_to_matrix_ndims = {"reflection_axis": 1}
