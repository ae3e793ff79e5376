"""Static knowledge about an operator's matrix.

A *hint* has three values: True, False, and None for "unknown". An operator has four of them: `is_non_singular`,
`is_self_adjoint`, `is_positive_definite`, `is_square`. Algorithms trust them; `assert_…` methods verify them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

Hint = bool | None


class Hints(NamedTuple):
    """The hints of an operator, as its constructor takes them: `Operator(..., **hints._asdict())`."""

    is_non_singular: Hint = None
    is_self_adjoint: Hint = None
    is_positive_definite: Hint = None
    is_square: Hint = None


def hints_of(operator: Any) -> Hints:
    """The hints that an operator answers."""
    return Hints(*(getattr(operator, name) for name in Hints._fields))


def implied(given: Hints) -> Hints:
    """The hints, completed by what follows from them; ValueError if they contradict each other."""
    non_singular, self_adjoint, positive, square = given
    if positive:
        if non_singular is False:
            raise ValueError("A positive definite matrix is always non-singular.")
        non_singular = True
    if non_singular:
        if square is False:
            raise ValueError("A non-singular matrix is always square.")
        square = True
    if self_adjoint:
        if square is False:
            raise ValueError("A self-adjoint matrix is always square.")
        square = True
    return Hints(non_singular, self_adjoint, positive, square)


def agreed(known: Hint, given: Hint, message: str) -> Hint:
    """One hint from two sources that speak of the same property; ValueError if they contradict each other."""
    if known is not None and given is not None and bool(known) is not bool(given):
        raise ValueError(message)
    return known if known is not None else given


def shared_with(operator: Any, given: Hints, what: str) -> Hints:
    """The hints of an operator's adjoint or inverse (`what`), which has the properties of the operator itself."""
    texts = ("non-singular", "self-adjoint", "positive-definite", "square")
    known = hints_of(operator)
    return Hints(
        *(
            agreed(mine, yours, f"An operator is {text} if and only if its {what} is {text}.")
            for mine, yours, text in zip(known, given, texts, strict=True)
        )
    )


def must_hold(always: bool, given: Hint, message: str) -> Hint:
    """A hint that is known to be True if `always`; ValueError if it was given as False all the same."""
    if not always:
        return given
    if given is False:
        raise ValueError(message)
    return True


def non_singular_product(a: Any, b: Any) -> Hint:
    """Whether the product of two square operators can be inverted."""
    if a.is_non_singular is False or b.is_non_singular is False:
        return False
    return a.is_non_singular and b.is_non_singular


def square_product(a: Any, b: Any) -> Hint:
    """Whether the product of two operators is square."""
    if a.is_square and b.is_square:
        return True
    if a.is_square is False and b.is_square is False:
        return a.range_dimension == b.domain_dimension
    if None not in (a.is_square, b.is_square):
        return False
    return None


def of_commuting_product(a: Any, b: Any) -> Hints:
    """The hints of the product of two square operators that commute."""
    both = a.is_self_adjoint and b.is_self_adjoint
    one = {a.is_self_adjoint, b.is_self_adjoint} == {True, False}
    positive = both and a.is_positive_definite and b.is_positive_definite
    return Hints(non_singular_product(a, b), True if both else False if one else None, True if positive else None, True)


def of_product(a: Any, b: Any) -> Hints:
    """The hints of the product of any two operators."""
    square = square_product(a, b)
    if square is False:
        return Hints(False, False, False, False)
    return Hints(non_singular_product(a, b) if square else None, None, None, square)


def is_adjoint_pair(a: Any, b: Any) -> bool:
    """Whether one operator is known to be the adjoint of the other."""
    if a is b and a.is_self_adjoint is not None:
        return bool(a.is_self_adjoint)
    return a.H is b or b.H is a


def is_mirrored(operators: list) -> bool:
    """Whether a product is `A @ B @ … @ B.H @ A.H`: then it is self-adjoint and not negative."""
    half, odd = divmod(len(operators), 2)
    return not odd and all(is_adjoint_pair(operators[i], operators[-1 - i]) for i in range(half))
