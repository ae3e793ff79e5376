"""`tensorflow.python.ops.linalg.linear_operator_addition`: sums of operators, of the most special kind that holds them.

An *adder* adds two operators to one of its kind. Adders stand in *tiers*, special kinds first; a tier is left when none
of its adders can add any two of the operators that remain.
"""

import abc
import itertools

from reflow.api.array.arrange import broadcast_static_shape
from reflow.api.linalg.operators.addition import KINDS, add_two
from reflow.api.linalg.operators.base import LinearOperator
from reflow.api.linalg.operators.hints import Hints


class _Hints:
    """What is known of a sum; None is not known."""

    def __init__(self, is_non_singular=None, is_positive_definite=None, is_self_adjoint=None):
        self.is_non_singular = is_non_singular
        self.is_positive_definite = is_positive_definite
        self.is_self_adjoint = is_self_adjoint

    def completed(self, op1, op2) -> Hints:
        """The hints with what follows from the two operators."""
        adjoint = self.is_self_adjoint
        if adjoint is None and op1.is_self_adjoint and op2.is_self_adjoint:
            adjoint = True
        positive = self.is_positive_definite
        if positive is None and op1.is_positive_definite and op2.is_positive_definite:
            positive = True
        regular = True if positive and self.is_non_singular is None else self.is_non_singular
        return Hints(regular, adjoint, positive, None)


class _Adder(abc.ABC):
    """Adds two operators."""

    name = property(lambda self: type(self).__name__)

    @abc.abstractmethod
    def can_add(self, op1, op2) -> bool:
        """Whether the sum of two operators is of this adder's kind."""

    @abc.abstractmethod
    def _add(self, op1, op2, operator_name, hints):
        """The sum."""

    def add(self, op1, op2, operator_name=None, hints=None):
        """The sum of two operators."""
        name = operator_name or f"Add/{op1.name}__{op2.name}/"
        return self._add(op1, op2, name, (hints or _Hints()).completed(op1, op2))


class _ByKind(_Adder):
    """Operators up to a kind become one of it; `kind` is its number in `KINDS`, the last of which are any matrices."""

    kind = len(KINDS)

    def can_add(self, op1, op2) -> bool:
        kinds = (*KINDS[1:], LinearOperator)[: self.kind]
        return isinstance(op1, kinds) and isinstance(op2, kinds)

    def _add(self, op1, op2, operator_name, hints):
        return add_two(op1, op2, hints, operator_name, self.kind)


class _AddAndReturnScaledIdentity(_ByKind):
    """Identities become a scaled identity."""

    kind = 2


class _AddAndReturnDiag(_ByKind):
    """Operators with nothing beside their diagonals become a diagonal one."""

    kind = 3


class _AddAndReturnTriL(_ByKind):
    """Operators with nothing above their diagonals become a lower triangular one."""

    kind = 4


class _AddAndReturnMatrix(_ByKind):
    """Any two operators become a matrix."""


_DEFAULT_ADDITION_TIERS = [
    [_AddAndReturnScaledIdentity()],
    [_AddAndReturnDiag()],
    [_AddAndReturnTriL()],
    [_AddAndReturnMatrix()],
]


def add_operators(operators, operator_name=None, addition_tiers=None, name=None) -> list:
    """The sum of operators, as a list of as few as the tiers can make: one, with the default tiers."""
    left = list(operators)[::-1]
    if not left:
        raise ValueError("Argument `operators` must contain at least one operator.")
    if not all(isinstance(op, LinearOperator) for op in left):
        raise TypeError(f"Argument `operators` must contain only LinearOperator instances. Found: {left}")
    _check_shapes(left)
    for tier in _DEFAULT_ADDITION_TIERS if addition_tiers is None else addition_tiers:
        if len(left) == 1:
            break
        left = _added_in(tier, left, operator_name)
    return left


def _added_in(tier, operators: list, operator_name) -> list:
    """The operators with all sums that a tier's adders can make."""
    done = []
    waiting = list(operators)
    while waiting:
        first = waiting.pop()
        places = range(len(waiting) - 1, -1, -1)
        found = next(((i, a) for i, a in itertools.product(places, tier) if a.can_add(first, waiting[i])), None)
        if found is None:
            done.append(first)
        else:
            place, adder = found
            waiting.append(adder.add(first, waiting.pop(place), operator_name))
    return done


def _check_shapes(operators: list) -> None:
    """Refuse operators whose sum has no shape."""
    for dimension in ("domain_dimension", "range_dimension"):
        sizes = (
            {size.value if hasattr(size, "value") else size for size in (getattr(op, dimension) for op in operators)}
            - {None}
        )
        if len(sizes) > 1:
            raise ValueError(f"Argument `operators` must all have the same `{dimension}`. Found: {sorted(sizes)}.")
    batch = operators[0].batch_shape
    for operator in operators[1:]:
        batch = broadcast_static_shape(batch, operator.batch_shape)
