"""`tf.linalg.LinearOperatorDiag`: a diagonal matrix."""

from __future__ import annotations

from reflow.api.array import arrange
from reflow.api.debugging import asserts
from reflow.api.export import export
from reflow.api.linalg import diag as diagonals
from reflow.api.linalg.operators import batch
from reflow.api.linalg.operators.spec import make_composite_tensor
from reflow.api.linalg.operators.vector import VectorOperator
from reflow.api.math import arithmetic as m
from reflow.api.math import unary
from reflow.api.math.reduce import reduce_max, reduce_min, reduce_prod, reduce_sum
from reflow.core.properties import read_only
from reflow.ops.convert import convert_to_tensor


def assert_no_zeros(x, message: str | None):
    """An op that fails if one of the numbers is 0."""
    size = unary.abs(x)
    return asserts.assert_less(m.cast(0, size.dtype), size, message=message)


def assert_real(x, message: str | None):
    """An op that fails if one of the numbers has an imaginary part."""
    x = convert_to_tensor(x)
    part = unary.imag(x) if x.dtype.is_complex else x * 0
    return asserts.assert_equal(m.cast(0, part.dtype), part, message=message)


@export("linalg.LinearOperatorDiag")
@make_composite_tensor
class LinearOperatorDiag(VectorOperator):
    """The operator of a diagonal matrix; its methods work on the diagonal alone.

    Args:
      diag: a tensor of one or more axes; the last is the diagonal.

    >>> operator = tf.linalg.LinearOperatorDiag([2.0, 4.0])
    >>> operator.solvevec([1.0, 1.0]).numpy().tolist(), operator.determinant().numpy().item()
    ([0.5, 0.25], 8.0)
    """

    def __init__(
        self, diag, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None,
        name="LinearOperatorDiag",
    ):
        self._diag = batch.parameter(diag, "diag")
        if self._diag.shape.rank == 0:
            raise ValueError(f"Argument diag must have at least 1 dimension.  Found: {self._diag!s}")
        if not self._diag.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError("A real diagonal operator is always self adjoint.")
            is_self_adjoint = True
        if is_square is False:
            raise ValueError("Only square diagonal operators currently supported.")
        super().__init__(self._diag.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name)

    diag = _vector = read_only("_diag", "The diagonal.")

    def _like(self, diag):
        """A diagonal operator with the hints of this one."""
        return LinearOperatorDiag(diag, **self._all_hints(is_square=True))

    def _linop_inverse(self):
        return self._like(1.0 / self._diag)

    def _linop_adjoint(self):
        return self._like(unary.conj(self._diag))

    def _linop_cholesky(self):
        root = unary.sqrt(self._diag)
        return LinearOperatorDiag(
            root, is_non_singular=True, is_self_adjoint=True, is_positive_definite=True, is_square=True
        )

    def _assert_non_singular(self):
        return assert_no_zeros(self._diag, "Singular operator:  Diagonal contained zero values.")

    def _assert_positive_definite(self):
        if self.dtype.is_complex:
            what = "Diagonal operator had diagonal entries with non-positive real part"
        else:
            what = "Real diagonal operator had non-positive diagonal entries"
        return asserts.assert_positive(unary.real(self._diag), message=f"{what}, thus was not positive definite.")

    def _assert_self_adjoint(self):
        return assert_real(
            self._diag,
            "This diagonal operator contained non-zero imaginary values.   Thus it was not self-adjoint.",
        )

    def _factor(self, adjoint: bool):
        return unary.conj(self._diag) if adjoint else convert_to_tensor(self._diag)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return arrange.expand_dims(self._factor(adjoint), -1) * batch.turned(x, adjoint_arg)

    def _matvec(self, x, adjoint=False):
        return self._factor(adjoint) * x

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return batch.turned(rhs, adjoint_arg) * arrange.expand_dims(1.0 / self._factor(adjoint), -1)

    def _determinant(self):
        return reduce_prod(self._diag, -1)

    def _log_abs_determinant(self):
        return m.cast(reduce_sum(unary.log(unary.abs(self._diag)), -1), self.dtype)

    def _to_dense(self):
        return diagonals.diag(self._diag)

    def _diag_part(self):
        return self._diag

    def _add_to_tensor(self, x):
        return diagonals.set_diag(x, self._diag + diagonals.diag_part(x))

    def _eigvals(self):
        return convert_to_tensor(self._diag)

    def _cond(self):
        size = unary.abs(self._diag)
        return reduce_max(size, -1) / reduce_min(size, -1)

    _composite_tensor_fields = ("diag",)
    _experimental_parameter_ndims_to_matrix_ndims = {"diag": 1}
