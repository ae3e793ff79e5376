"""`tf.linalg.LinearOperatorLowRankUpdate`: an operator plus a matrix of low rank.

For `A = L + U D V^H` with few columns in U and V, solutions and determinants of A follow from those of L and of the
small *capacitance* `C = D^-1 + V^H L^-1 U`, by the Woodbury identity and the matrix determinant lemma.
"""

from __future__ import annotations

from reflow.api.array import arrange
from reflow.api.export import export
from reflow.api.linalg import solve as solvers
from reflow.api.linalg.diag import diag_part as matrix_diag_part
from reflow.api.linalg.operators import batch
from reflow.api.linalg.operators.base import LinearOperator
from reflow.api.linalg.operators.diag import LinearOperatorDiag
from reflow.api.linalg.operators.identity import LinearOperatorIdentity
from reflow.api.linalg.operators.spec import make_composite_tensor
from reflow.api.linalg.products import matmul
from reflow.api.math import arithmetic as m
from reflow.api.math import unary
from reflow.api.math.reduce import reduce_sum
from reflow.core.properties import read_only
from reflow.ops.convert import convert_to_tensor


@export("linalg.LinearOperatorLowRankUpdate")
@make_composite_tensor
class LinearOperatorLowRankUpdate(LinearOperator):
    """The operator `L + U D V^H`.

    Args:
      base_operator: L, an operator that is cheap to solve.
      u: U, a tensor of shape `[..., rows, k]`.
      diag_update: the diagonal of D; ones if it is not given.
      v: V; the same as U if it is not given.
      is_diag_update_positive: whether D is positive; None if that is not known.

    >>> base = tf.linalg.LinearOperatorDiag([1.0, 2.0], is_positive_definite=True)
    >>> operator = tf.linalg.LinearOperatorLowRankUpdate(base, u=[[1.0], [1.0]])
    >>> operator.to_dense().numpy().tolist(), round(operator.determinant().numpy().item(), 4)
    ([[2.0, 1.0], [1.0, 3.0]], 5.0)
    """

    def __init__(
        self, base_operator, u, diag_update=None, v=None, is_diag_update_positive=None, is_non_singular=None,
        is_self_adjoint=None, is_positive_definite=None, is_square=None, name="LinearOperatorLowRankUpdate",
    ):
        dtype = base_operator.dtype
        if diag_update is None:
            if is_diag_update_positive is False:
                raise ValueError(
                    "Default diagonal is the identity, which is positive.  However, user set "
                    "'is_diag_update_positive' to False."
                )
            is_diag_update_positive = True
        symmetric = base_operator.is_self_adjoint and v is None
        self._use_cholesky = bool(symmetric and base_operator.is_positive_definite and is_diag_update_positive)
        if symmetric and not dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError(
                    "A = L + UDU^H, with L self-adjoint and D real diagonal.  Since UDU^H is self-adjoint, this must "
                    "be a self-adjoint operator."
                )
            is_self_adjoint = True
        if self._use_cholesky:
            if False in (is_positive_definite, is_self_adjoint, is_non_singular):
                raise ValueError("Arguments imply this is self-adjoint positive-definite operator.")
            is_positive_definite = is_self_adjoint = True
        self._base_operator = base_operator
        self._u = batch.parameter(u, "u")
        self._v = self._u if v is None else batch.parameter(v, "v")
        self._diag_update = batch.parameter(diag_update, "diag_update")
        self._is_diag_update_positive = is_diag_update_positive
        super().__init__(dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name)
        self._diag_operator = self._made_diag_operator()
        self._check_shapes()

    def _made_diag_operator(self):
        if self._diag_update is not None:
            return LinearOperatorDiag(self._diag_update, is_positive_definite=self._is_diag_update_positive)
        columns = None if self._u.shape.rank is None else self._u.shape[-1]
        return LinearOperatorIdentity(arrange.shape(self._u)[-1] if columns is None else columns, dtype=self.dtype)

    def _check_shapes(self):
        shape = arrange.broadcast_static_shape(self._u.shape, self._v.shape)
        arrange.broadcast_static_shape(self._base_operator.batch_shape, shape[:-2])
        if shape.rank is not None:
            self._base_operator.domain_dimension.assert_is_compatible_with(shape[-2])
            self._diag_operator.domain_dimension.assert_is_compatible_with(shape[-1])

    u = read_only("_u", "U of the update.")
    v = read_only("_v", "V of the update.")
    is_diag_update_positive = read_only("_is_diag_update_positive", "Whether D is positive; None if that is not known.")
    diag_update = read_only("_diag_update", "The diagonal of D, or None for ones.")
    diag_operator = read_only("_diag_operator", "D as an operator.")
    base_operator = read_only("_base_operator", "L, the operator that is updated.")

    def _assert_self_adjoint(self):
        if self._u is self._v and self._diag_update is None:
            return self._base_operator.assert_self_adjoint()
        return super()._assert_self_adjoint()

    def _shape(self):
        batches = (
            self._base_operator.batch_shape,
            self._diag_operator.batch_shape,
            self._u.shape[:-2],
            self._v.shape[:-2],
        )
        return batch.static_batch(batches).concatenate(self._base_operator.shape[-2:])

    def _shape_tensor(self):
        batches = [op.batch_shape_tensor() for op in (self._base_operator, self._diag_operator)]
        batches += [arrange.shape(x)[:-2] for x in (self._u, self._v)]
        return arrange.concat([batch.dynamic_batch(batches), self._base_operator.shape_tensor()[-2:]], 0)

    def _factors(self, adjoint: bool):
        """U and V, or V and U for the adjoint."""
        return (self._v, self._u) if adjoint else (self._u, self._v)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        u, v = self._factors(adjoint)
        inner = matmul(v, x, adjoint_a=True, adjoint_b=adjoint_arg)
        update = matmul(u, self._diag_operator.matmul(inner, adjoint=adjoint))
        return self._base_operator.matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg) + update

    def _capacitance(self):
        inner = matmul(self._v, self._base_operator.solve(self._u), adjoint_a=True)
        return self._diag_operator.inverse().add_to_tensor(inner)

    def _determinant(self):
        if self.is_positive_definite:
            return unary.exp(self.log_abs_determinant())
        return solvers.det(self._capacitance()) * self._diag_operator.determinant() * self._base_operator.determinant()

    def _log_abs_determinant(self):
        parts = self._diag_operator.log_abs_determinant() + self._base_operator.log_abs_determinant()
        if self._use_cholesky:
            roots = matrix_diag_part(solvers.cholesky(self._capacitance()))
            return 2 * reduce_sum(unary.log(roots), -1) + parts
        return m.cast(unary.log(unary.abs(solvers.det(self._capacitance()))), self.dtype) + parts

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        if self._base_operator.is_non_singular is False:
            raise ValueError("Solve not implemented unless this is a perturbation of a non-singular LinearOperator.")
        u, v = self._factors(adjoint)
        first = self._base_operator.solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        inner, capacitance = matmul(v, first, adjoint_a=True), self._capacitance()
        if self._use_cholesky:
            inner = batch.cholesky_solve(solvers.cholesky(capacitance), inner)
        else:
            inner = batch.solve(capacitance, inner, adjoint=adjoint)
        return first - self._base_operator.solve(matmul(u, inner), adjoint=adjoint)

    def _diag_part(self):
        product = convert_to_tensor(self._u) * unary.conj(self._v)
        if self._diag_update is not None:
            product *= arrange.expand_dims(self._diag_update, -2)
        return reduce_sum(product, -1) + self._base_operator.diag_part()

    _composite_tensor_fields = ("base_operator", "u", "diag_update", "v", "is_diag_update_positive")
    _experimental_parameter_ndims_to_matrix_ndims = {"base_operator": 0, "u": 2, "diag_update": 1, "v": 2}
