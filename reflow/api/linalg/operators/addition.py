"""Sums of operators: `add_operators` adds those whose sum is cheap.

The sum of two operators has the more general of their kinds: zeros, multiples of the unit matrix, diagonal, lower
triangular, any matrix.
"""

from __future__ import annotations

from reflow.api.array import arrange, creation
from reflow.api.linalg.operators.diag import LinearOperatorDiag
from reflow.api.linalg.operators.full_matrix import LinearOperatorFullMatrix
from reflow.api.linalg.operators.hints import Hints
from reflow.api.linalg.operators.identity import LinearOperatorIdentity, LinearOperatorScaledIdentity
from reflow.api.linalg.operators.triangular import LinearOperatorLowerTriangular
from reflow.api.linalg.operators.zeros import LinearOperatorZeros
from reflow.core.errors import InvalidArgumentError
from reflow.core.shapes import TensorShape

#: kinds of operators that can be added without their dense form, the special ones first
KINDS = (
    LinearOperatorZeros,
    LinearOperatorIdentity,
    LinearOperatorScaledIdentity,
    LinearOperatorDiag,
    LinearOperatorLowerTriangular,
)


def _rank(operator) -> int:
    """How general an operator's kind is."""
    return KINDS.index(type(operator)) if type(operator) in KINDS else len(KINDS)


def _sum_hints(a, b) -> Hints:
    """What is known about the sum of two operators."""
    both = {name: getattr(a, name) is True and getattr(b, name) is True for name in Hints._fields}
    positive = both["is_self_adjoint"] and both["is_positive_definite"]
    return Hints(
        True if positive else None, True if both["is_self_adjoint"] else None, True if positive else None,
        True if both["is_square"] else None,
    )


def _multiplier(operator):
    """The number on the diagonal of a multiple of the unit matrix."""
    if isinstance(operator, LinearOperatorIdentity):
        return creation.ones(operator.batch_shape_tensor(), operator.dtype)
    return operator.multiplier


def add_two(a, b, hints: Hints | None = None, name: str | None = None, least: int = 0):
    """The sum of two operators as one operator, of a kind at least as general as number `least` of `KINDS`."""
    special, general = sorted((a, b), key=_rank)
    kind = max(_rank(general), least)
    options = (hints or _sum_hints(a, b))._asdict() | ({"name": name} if name else {})
    if isinstance(special, LinearOperatorZeros) and special.batch_shape == TensorShape([]):
        return general
    if KINDS.index(LinearOperatorIdentity) <= _rank(special) and kind <= KINDS.index(LinearOperatorScaledIdentity):
        return LinearOperatorScaledIdentity(
            a.range_dimension_tensor(), _multiplier(special) + _multiplier(general), **options | {"is_square": True}
        )
    if kind <= KINDS.index(LinearOperatorDiag):
        return LinearOperatorDiag(special.diag_part() + general.diag_part(), **options)
    total = special.add_to_tensor(general.to_dense())
    if kind == KINDS.index(LinearOperatorLowerTriangular):
        return LinearOperatorLowerTriangular(total, **options)
    return LinearOperatorFullMatrix(total, **options)


def add_operators(operators) -> list:
    """The sum of operators, as a list of one operator.

    Raises:
      ValueError: if there are none, or their shapes do not broadcast.
      TypeError: if their dtypes differ.
    """
    operators = list(operators)
    if not operators:
        raise ValueError("Argument `operators` must contain at least one operator. Received: [].")
    if any(op.dtype != operators[0].dtype for op in operators):
        raise TypeError(f"Operators must have the same dtype. Received: {[op.dtype for op in operators]}.")
    shape = operators[0].shape
    for op in operators[1:]:
        try:
            shape = arrange.broadcast_static_shape(shape, op.shape)
        except (ValueError, InvalidArgumentError):
            raise ValueError(
                f"Operators must have compatible shapes. Received: {[op.shape for op in operators]}."
            ) from None
    total, *others = sorted(operators, key=_rank)
    for op in others:
        total = add_two(total, op)
    return [total]
