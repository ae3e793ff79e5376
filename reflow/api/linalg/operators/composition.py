"""`tf.linalg.LinearOperatorComposition`: one operator after another.

It also has helpers for operators that consist of a list of others (`checked_operators`, `together`).
"""

from __future__ import annotations

import functools
import operator as python

from reflow.api.array import arrange
from reflow.api.control.printing import group
from reflow.api.debugging.types import assert_proper_iterable
from reflow.api.export import export
from reflow.api.linalg.operators import batch
from reflow.api.linalg.operators.base import LinearOperator
from reflow.api.linalg.operators.hints import is_mirrored, must_hold
from reflow.api.linalg.operators.spec import make_composite_tensor
from reflow.api.linalg.operators.triangular import LinearOperatorLowerTriangular
from reflow.api.math import unary
from reflow.core.properties import read_only


def checked_operators(
    operators, empty="Expected a non-empty list of operators. Found: ",
    mixed="Expected all operators to have the same dtype.  Found ",
) -> list:
    """A list of operators of one dtype; `empty` and `mixed` begin the messages of the errors."""
    assert_proper_iterable(operators)
    operators = list(operators)
    if not operators:
        raise ValueError(f"{empty}{operators}")
    if any(op.dtype != operators[0].dtype for op in operators):
        raise TypeError(mixed + "   ".join(str((op.name, op.dtype)) for op in operators))
    return operators


class PartwiseOperator(LinearOperator):
    """An operator composed of others, whose adjoint, inverse and Cholesky factor are composed of theirs."""

    _operators: list

    def _linop_adjoint(self):
        return type(self)([op.adjoint() for op in self._operators], **self._all_hints())

    def _linop_inverse(self):
        return type(self)([op.inverse() for op in self._operators], **self._all_hints(is_square=True))

    def _linop_cholesky(self):
        return type(self)([op.cholesky() for op in self._operators], is_non_singular=True, is_square=True)


def together(checks):
    """One op for several assertions; eagerly they have passed already."""
    return group(*[check for check in checks if check is not None])


def total(numbers, combine):
    """A sum or a product of the numbers of several operators."""
    return functools.reduce(combine, numbers)


@export("linalg.LinearOperatorComposition")
@make_composite_tensor
class LinearOperatorComposition(LinearOperator):
    """The product of several operators; the last one is applied first.

    Args:
      operators: operators of one dtype, whose sizes fit.

    >>> twice = tf.linalg.LinearOperatorScaledIdentity(2, 2.0)
    >>> matrix = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.linalg.LinearOperatorComposition([twice, matrix]).matvec([1.0, 1.0]).numpy().tolist()
    [6.0, 14.0]
    """

    def __init__(
        self, operators, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None,
        name=None,
    ):
        self._operators = operators = checked_operators(operators)
        is_non_singular = must_hold(
            all(op.is_non_singular for op in operators),
            is_non_singular,
            "The composition of non-singular operators is always non-singular.",
        )
        mirrored = is_mirrored(operators)
        is_self_adjoint = must_hold(
            mirrored or bool(len(operators) == 1 and operators[0].is_self_adjoint),
            is_self_adjoint,
            "The composition was determined to be self-adjoint but user provided incorrect `False` hint.",
        )
        is_square = must_hold(
            mirrored,
            is_square,
            "The composition was determined have the form A @ A.H, hence it must be square. The user provided an "
            "incorrect `False` hint.",
        )
        is_positive_definite = must_hold(
            bool(mirrored and is_non_singular),
            is_positive_definite,
            "The composition was determined to be non-singular and have the form A @ A.H, hence it must be "
            "positive-definite. The user provided an incorrect `False` hint.",
        )
        name = name or "_o_".join(op.name for op in operators)
        super().__init__(
            operators[0].dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name
        )

    operators = read_only("_operators", "The operators, the one that is applied first at the end.")

    def _shape(self):
        for left, right in zip(self._operators, self._operators[1:], strict=False):
            left.domain_dimension.assert_is_compatible_with(right.range_dimension)
        ends = [self._operators[0].range_dimension, self._operators[-1].domain_dimension]
        return batch.static_batch(op.batch_shape for op in self._operators).concatenate(ends)

    def _shape_tensor(self):
        ends = [self._operators[0].range_dimension_tensor(), self._operators[-1].domain_dimension_tensor()]
        return arrange.concat([batch.dynamic_batch([op.batch_shape_tensor() for op in self._operators]), ends], 0)

    def _linop_cholesky(self):
        first = self._operators[0]
        is_factored = len(self._operators) == 2 and is_mirrored(self._operators)
        if not (is_factored and isinstance(first, LinearOperatorLowerTriangular)):
            return super()._linop_cholesky()
        if first.is_positive_definite:
            return first
        # a Cholesky factor has a positive diagonal
        signs = arrange.expand_dims(unary.sign(first.diag_part()), -2)
        return LinearOperatorLowerTriangular(first.tril / signs, first.is_non_singular, first.is_self_adjoint)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        first, *others = self._operators if adjoint else reversed(self._operators)
        x = first.matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for op in others:
            x = op.matmul(x, adjoint=adjoint)
        return x

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        first, *others = reversed(self._operators) if adjoint else self._operators
        rhs = first.solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for op in others:
            rhs = op.solve(rhs, adjoint=adjoint)
        return rhs

    def _determinant(self):
        return total((op.determinant() for op in self._operators), python.mul)

    def _log_abs_determinant(self):
        return total((op.log_abs_determinant() for op in self._operators), python.add)

    def _assert_non_singular(self):
        if all(op.is_square for op in self._operators):
            return together(op.assert_non_singular() for op in self._operators)
        return super()._assert_non_singular()

    _composite_tensor_fields = ("operators",)

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self):
        return {"operators": [0] * len(self._operators)}
