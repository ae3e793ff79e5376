"""`tensorflow.python.ops.linalg.property_hint_util`: what is known of the product of two operators."""

from __future__ import annotations

from typing import Any

from reflow.api.linalg.operators import hints


def is_square(operator_a: Any, operator_b: Any) -> bool | None:
    """Whether the product of two operators is square."""
    return hints.square_product(operator_a, operator_b)


def combined_non_singular_hint(operator_a: Any, operator_b: Any) -> bool | None:
    """Whether the product of two square operators can be inverted."""
    return hints.non_singular_product(operator_a, operator_b)


def combined_commuting_self_adjoint_hint(operator_a: Any, operator_b: Any) -> bool | None:
    """Whether the product of two operators that commute is self-adjoint."""
    return hints.of_commuting_product(operator_a, operator_b).is_self_adjoint


def combined_commuting_positive_definite_hint(operator_a: Any, operator_b: Any) -> bool | None:
    """Whether the product of two operators that commute is positive definite."""
    return hints.of_commuting_product(operator_a, operator_b).is_positive_definite
