"""`tf.linalg.LinearOperatorAdjoint`: the adjoint of an operator without a more specific adjoint."""

from __future__ import annotations

from reflow.api.array import arrange
from reflow.api.export import export
from reflow.api.linalg.diag import adjoint as matrix_adjoint
from reflow.api.linalg.operators.derived import DerivedOperator
from reflow.api.linalg.operators.hints import Hints, shared_with
from reflow.api.linalg.operators.spec import make_composite_tensor
from reflow.api.math import unary


@export("linalg.LinearOperatorAdjoint")
@make_composite_tensor
class LinearOperatorAdjoint(DerivedOperator):
    """The operator of the adjoint matrix; it delegates everything to the original operator.

    Args:
      operator: the operator whose adjoint this is.

    >>> operator = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.linalg.LinearOperatorAdjoint(operator).to_dense().numpy().tolist()
    [[1.0, 3.0], [2.0, 4.0]]
    """

    def __init__(
        self, operator, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None, name=None
    ):
        self._operator = operator
        given = Hints(is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        hints = shared_with(operator, given, "adjoint")
        super().__init__(operator.dtype, None, *hints, name or f"{operator.name}_adjoint")

    def _linop_adjoint(self):
        return self._operator

    def _shape(self):
        shape = self._operator.shape
        return shape[:-2].concatenate([shape[-1], shape[-2]])

    def _shape_tensor(self):
        shape = self._operator.shape_tensor()
        return arrange.concat([shape[:-2], shape[-1:], shape[-2:-1]], 0)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self._operator.matmul(x, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _matvec(self, x, adjoint=False):
        return self._operator.matvec(x, adjoint=not adjoint)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._operator.solve(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _solvevec(self, rhs, adjoint=False):
        return self._operator.solvevec(rhs, adjoint=not adjoint)

    def _conj(self, x):
        return x if self.is_self_adjoint else unary.conj(x)

    def _determinant(self):
        return self._conj(self._operator.determinant())

    def _log_abs_determinant(self):
        return self._operator.log_abs_determinant()

    def _trace(self):
        return self._conj(self._operator.trace())

    def _to_dense(self):
        dense = self._operator.to_dense()
        return dense if self.is_self_adjoint else matrix_adjoint(dense)

    def _eigvals(self):
        return self._conj(self._operator.eigvals())

    def _cond(self):
        return self._operator.cond()

    _composite_tensor_fields = ("operator",)
    _experimental_parameter_ndims_to_matrix_ndims = {"operator": 0}
