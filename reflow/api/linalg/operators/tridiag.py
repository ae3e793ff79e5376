"""`tf.linalg.LinearOperatorTridiag`: a matrix with three diagonals."""

from __future__ import annotations

from typing import Any

from reflow.api.array import arrange
from reflow.api.control.printing import group
from reflow.api.debugging import asserts
from reflow.api.export import export
from reflow.api.linalg import banded
from reflow.api.linalg import diag as diagonal_ops
from reflow.api.linalg.operators import batch
from reflow.api.linalg.operators.base import LinearOperator
from reflow.api.linalg.operators.diag import assert_real
from reflow.api.linalg.operators.spec import make_composite_tensor
from reflow.api.math import unary
from reflow.core.properties import read_only
from reflow.ops.convert import convert_to_tensor

FORMATS = ("compact", "matrix", "sequence")


@export("linalg.LinearOperatorTridiag")
@make_composite_tensor
class LinearOperatorTridiag(LinearOperator):
    """The operator of a tridiagonal matrix.

    Args:
      diagonals: the diagonals above, on and below the main one, in one of three forms. All three have as many numbers
        as the matrix has rows; the last of the upper one and the first of the lower one are not used.
      diagonals_format: "compact" for a tensor of shape `[..., 3, n]`, "sequence" for a list of three tensors, "matrix"
        for a matrix of which only these diagonals are read.

    >>> operator = tf.linalg.LinearOperatorTridiag([[1.0, 0.0], [2.0, 3.0], [0.0, 4.0]])
    >>> operator.to_dense().numpy().tolist()
    [[2.0, 1.0], [4.0, 3.0]]
    """

    def __init__(
        self, diagonals, diagonals_format="compact", is_non_singular=None, is_self_adjoint=None,
        is_positive_definite=None, is_square=None, name="LinearOperatorTridiag",
    ):
        if diagonals_format not in FORMATS:
            raise ValueError(
                "Argument `diagonals_format` must be one of compact, matrix, or sequence. Received : "
                f"{diagonals_format}."
            )
        self._diagonals: Any
        if diagonals_format == "sequence":
            self._diagonals = [batch.parameter(d, f"diag_{i}") for i, d in enumerate(diagonals)]
        else:
            self._diagonals = batch.parameter(diagonals, "diagonals")
        self._diagonals_format = diagonals_format
        dtype = (self._diagonals[0] if diagonals_format == "sequence" else self._diagonals).dtype
        super().__init__(dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name)

    diagonals = read_only("_diagonals", "The diagonals in the form in which they were given.")
    diagonals_format = read_only("_diagonals_format", "The name of that form.")

    def _shape(self):
        if self._diagonals_format == "matrix":
            return self._diagonals.shape
        if self._diagonals_format == "compact":
            shape = self._diagonals.shape
            return shape[:-2].concatenate(shape[-1:]).concatenate(shape[-1:])
        main = self._diagonals[1].shape[-1:]
        return batch.static_batch(d.shape[:-1] for d in self._diagonals).concatenate(main).concatenate(main)

    def _shape_tensor(self):
        if self._diagonals_format == "matrix":
            return arrange.shape(self._diagonals)
        if self._diagonals_format == "compact":
            shape = arrange.shape(self._diagonals)
            return arrange.concat([shape[:-2], shape[-1:], shape[-1:]], 0)
        shapes = [arrange.shape(d) for d in self._diagonals]
        return arrange.concat([batch.dynamic_batch([s[:-1] for s in shapes]), shapes[1][-1:], shapes[1][-1:]], 0)

    def _rows(self) -> list:
        """The three diagonals, the upper one first, with the same batch axes."""
        if self._diagonals_format == "sequence":
            rows = batch.same_batch([convert_to_tensor(d)[..., None] for d in self._diagonals])
            return [row[..., 0] for row in rows]
        compact = self._diagonals
        if self._diagonals_format == "matrix":
            compact = diagonal_ops.diag_part(compact, k=(-1, 1), align="LEFT_RIGHT")
        return arrange.unstack(convert_to_tensor(compact), num=3, axis=-2)

    def _compact(self, adjoint: bool):
        """The diagonals of the matrix or of its adjoint, whose diagonals change sides and are moved by one place."""
        upper, main, lower = self._rows()
        if adjoint:
            upper, lower = arrange.roll(lower, -1, -1), arrange.roll(upper, 1, -1)
            upper, main, lower = (unary.conj(d) for d in (upper, main, lower))
        return arrange.stack([upper, main, lower], axis=-2)

    def _assert_self_adjoint(self):
        upper, main, lower = self._rows()
        real = assert_real(main, "This tridiagonal operator contained non-zero imaginary values on the diagonal.")
        conjugate = asserts.assert_equal(
            unary.conj(lower[..., 1:]),
            upper[..., :-1],
            message="This tridiagonal operator has non-conjugate subdiagonal and superdiagonal.",
        )
        return group(*[check for check in (real, conjugate) if check is not None])

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return banded.tridiagonal_matmul(self._compact(adjoint), batch.turned(x, adjoint_arg))

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        compact, rhs = batch.same_batch([self._compact(adjoint), batch.turned(rhs, adjoint_arg)])
        return banded.tridiagonal_solve(compact, rhs)

    def _diag_part(self):
        return self._rows()[1]

    def _to_dense(self):
        if self._diagonals_format == "matrix":
            return convert_to_tensor(self._diagonals)
        return diagonal_ops.diag(self._compact(False), k=(-1, 1), align="LEFT_RIGHT")

    _composite_tensor_fields = ("diagonals", "diagonals_format")

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self):
        return {"diagonals": [1, 1, 1] if self._diagonals_format == "sequence" else 2}
