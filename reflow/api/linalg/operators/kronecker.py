"""`tf.linalg.LinearOperatorKronecker`: the Kronecker product of operators."""

from __future__ import annotations

import operator as python

from reflow.api.array import arrange
from reflow.api.export import export
from reflow.api.linalg.diag import matrix_transpose
from reflow.api.linalg.operators import batch
from reflow.api.linalg.operators.composition import PartwiseOperator, checked_operators, together, total
from reflow.api.linalg.operators.hints import must_hold
from reflow.api.linalg.operators.spec import make_composite_tensor
from reflow.api.math import arithmetic as m
from reflow.api.math import unary
from reflow.core.errors import InvalidArgumentError
from reflow.core.properties import read_only

_NOT_SQUARE = (
    "All Kronecker factors must be square for the product to be invertible. Expected hint `is_square` to be True for "
    "every operator in argument `operators`."
)


@export("linalg.LinearOperatorKronecker")
@make_composite_tensor
class LinearOperatorKronecker(PartwiseOperator):
    """The operator of the Kronecker product: each number of the first matrix times the second, and so on.

    Args:
      operators: operators of one dtype.

    >>> left = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    >>> right = tf.linalg.LinearOperatorDiag([1.0, 10.0])
    >>> tf.linalg.LinearOperatorKronecker([left, right]).to_dense().numpy()[0].tolist()
    [1.0, 0.0, 2.0, 0.0]
    """

    def __init__(
        self, operators, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None,
        name=None,
    ):
        self._operators = operators = checked_operators(
            operators, "Argument `operators` must be a list of >=1 operators. Received: ",
            "Expected every operation in argument `operators` to have the same dtype. Received ",
        )
        given = {
            "is_non_singular": is_non_singular,
            "is_self_adjoint": is_self_adjoint,
            "is_positive_definite": is_positive_definite,
        }
        hints = []
        for hint, text in zip(given, ("non-singular", "self-adjoint", "positive-definite"), strict=True):
            message = (
                f"The Kronecker product of {text} operators is always {text}. Expected argument `{hint}` to be True. "
                f"Received: {given[hint]}."
            )
            hints.append(must_hold(all(getattr(op, hint) for op in operators), given[hint], message))
        name = name or "_x_".join(op.name for op in operators)
        non_singular, self_adjoint, positive = hints
        super().__init__(operators[0].dtype, None, non_singular, self_adjoint, positive, is_square, name)

    operators = read_only("_operators", "The factors.")

    def _shape(self):
        ends = [total((op._dimension(axis) for op in self._operators), python.mul) for axis in (-2, -1)]
        return batch.static_batch(op.batch_shape for op in self._operators).concatenate(ends)

    def _shape_tensor(self):
        ends = [total((op._dimension_tensor(axis) for op in self._operators), python.mul) for axis in (-2, -1)]
        return arrange.concat([batch.dynamic_batch([op.batch_shape_tensor() for op in self._operators]), ends], 0)

    def _applied(self, x, method: str, adjoint: bool, adjoint_arg: bool):
        """Each factor's product or solution (`method`), along its own axis of x seen as a tensor of all their axes.

        The last factor comes first. It works on the last axis, and its result is put in front; after all factors have
        done so, the axes stand in their old order, and the columns of x, which were in front, at the end.
        """
        x = batch.turned(x, adjoint_arg)
        own = -2 if adjoint == (method == "matmul") else -1
        out = matrix_transpose(x)
        for op in reversed(self._operators):
            size = op._dimension(own).value
            size = op._dimension_tensor(own) if size is None else size
            shape = batch.sizes(out)
            out = arrange.reshape(out, batch.joined(shape[:-2], [shape[-2] * shape[-1] // size, size]))
            if self.dtype.is_complex:
                out = unary.conj(out)
            out = getattr(op, method)(out, adjoint=adjoint, adjoint_arg=True)
        rows = self._dimension(-3 - own).value
        rows = self._dimension_tensor(-3 - own) if rows is None else rows
        columns = batch.sizes(x)[-1]
        out = arrange.reshape(out, batch.joined(batch.sizes(out)[:-2], [rows, columns]))
        if x.shape.is_fully_defined():
            known = batch.static_batch([x.shape[:-2], self.batch_shape])
            out.set_shape(known.concatenate([self._dimension(-3 - own), x.shape[-1]]))
        return out

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self._applied(x, "matmul", adjoint, adjoint_arg)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._applied(rhs, "solve", adjoint, adjoint_arg)

    def _powers(self):
        """For each factor how often its determinant occurs in that of the product."""
        size = self.domain_dimension_tensor()
        return [m.cast(size // op.domain_dimension_tensor(), op.dtype) for op in self._operators]

    def _determinant(self):
        pairs = zip(self._operators, self._powers(), strict=True)
        return total((op.determinant() ** power for op, power in pairs), python.mul)

    def _log_abs_determinant(self):
        pairs = zip(self._operators, self._powers(), strict=True)
        return total((op.log_abs_determinant() * power for op, power in pairs), python.add)

    def _trace(self):
        return total((op.trace() for op in self._operators), python.mul)

    def _outer(self, vectors):
        """All products of the numbers of several vectors, in the order of the Kronecker product."""
        out, *others = vectors
        for vector in others:
            product = out[..., None] * vector[..., None, :]
            out = arrange.reshape(product, batch.joined(batch.sizes(product)[:-2], [-1]))
        return out

    def _diag_part(self):
        diagonal = self._outer([op.diag_part() for op in self._operators])
        rows, columns = self.range_dimension.value, self.domain_dimension.value
        shorter = None if rows is None or columns is None else min(rows, columns)
        diagonal.set_shape(self.batch_shape.concatenate([shorter]))
        return diagonal

    def _eigvals(self):
        values = self._outer([op.eigvals() for op in self._operators])
        values.set_shape(self.shape[:-1])
        return values

    def _to_dense(self):
        out, *others = (op.to_dense() for op in self._operators)
        for matrix in others:
            product = out[..., :, None, :, None] * matrix[..., None, :, None, :]
            shape = batch.sizes(product)
            sides = [shape[-4] * shape[-3], shape[-2] * shape[-1]]
            out = arrange.reshape(product, batch.joined(shape[:-4], sides))
        out.set_shape(self.shape)
        return out

    def _all_square(self):
        if not all(op.is_square for op in self._operators):
            raise InvalidArgumentError(None, None, _NOT_SQUARE)

    def _assert_non_singular(self):
        self._all_square()
        return together(op.assert_non_singular() for op in self._operators)

    def _assert_self_adjoint(self):
        self._all_square()
        return together(op.assert_self_adjoint() for op in self._operators)

    _composite_tensor_fields = ("operators",)

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self):
        return {"operators": [0] * len(self._operators)}
