"""`tf.linalg.LinearOperatorInversion`: the inverse of an operator without a more specific inverse."""

from __future__ import annotations

from reflow.api.export import export
from reflow.api.linalg.operators.derived import DerivedOperator
from reflow.api.linalg.operators.hints import Hints, shared_with
from reflow.api.linalg.operators.spec import make_composite_tensor


@export("linalg.LinearOperatorInversion")
@make_composite_tensor
class LinearOperatorInversion(DerivedOperator):
    """The operator of the inverse matrix: its product is the solution, its solution the product.

    Args:
      operator: the operator whose inverse this is.

    Raises:
      ValueError: if the operator, or a hint, says that it is singular or not square.

    >>> operator = tf.linalg.LinearOperatorFullMatrix([[2.0, 0.0], [0.0, 4.0]])
    >>> tf.linalg.LinearOperatorInversion(operator).matvec([1.0, 1.0]).numpy().tolist()
    [0.5, 0.25]
    """

    def __init__(
        self, operator, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None, name=None
    ):
        self._operator = operator
        for hint, given in (("is_non_singular", is_non_singular), ("is_square", is_square)):
            known = getattr(operator, hint)
            if known is False or given is False:
                raise ValueError(
                    f"Argument `{hint}` or argument `operator` must have supplied hint `{hint}` equal to `True` or "
                    f"`None`. Found `operator.{hint}`: {known}, `{hint}`: {given}."
                )
        hints = shared_with(
            operator, Hints(is_non_singular, is_self_adjoint, is_positive_definite, is_square), "inverse"
        )
        super().__init__(operator.dtype, None, *hints, name or f"{operator.name}_inv")

    def _linop_inverse(self):
        return self._operator

    def _shape(self):
        return self._operator.shape

    def _shape_tensor(self):
        return self._operator.shape_tensor()

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self._operator.solve(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._operator.matmul(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _determinant(self):
        return 1.0 / self._operator.determinant()

    def _log_abs_determinant(self):
        return -1.0 * self._operator.log_abs_determinant()

    def _eigvals(self):
        return 1.0 / self._operator.eigvals()

    def _cond(self):
        return self._operator.cond()

    _composite_tensor_fields = ("operator",)
    _experimental_parameter_ndims_to_matrix_ndims = {"operator": 0}
