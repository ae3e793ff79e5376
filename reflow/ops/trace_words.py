"""TensorFlow's error messages at trace time: `Misfit`, and the few ways in which inputs do not fit.

TensorFlow's shape functions use a handful of sentences: a rank is wrong, two dimensions differ, two shapes differ. Its
kernels, and so our shape rules, phrase the same errors differently when an op runs. The checks in `trace_checks.py` are
built from these sentences.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from reflow.core.types import Dims
from reflow.ops.shape_facts import NodeFacts, PartialValue, known, text


class Misfit(ValueError):
    """Inputs that a shape function rejects.

    `asked` are the inputs whose values it had read, `shapes` those it had read as shapes; a `bare` one is reported
    without the node.
    """

    def __init__(self, words: str, asked: Sequence[int] = (), shapes: Sequence[int] = (), bare: bool = False) -> None:
        super().__init__(words)
        self.asked, self.shapes, self.bare = asked, shapes, bare


def as_told(asked: Sequence[int] = ()) -> NoReturn:
    """The rule's own message is TensorFlow's."""
    raise Misfit("", asked)


def numbers(value: PartialValue) -> tuple | None:
    """A known vector or scalar, as a tuple."""
    if value is None or not known(value):
        return None
    return value if isinstance(value, tuple) else (value,)


def rank(dims: Dims | None, wanted: int, asked: Sequence[int] = ()) -> None:
    if dims is not None and len(dims) != wanted:
        raise Misfit(f"Shape must be rank {wanted} but is rank {len(dims)}", asked)


def rank_at_least(dims: Dims | None, wanted: int, asked: Sequence[int] = ()) -> None:
    if dims is not None and len(dims) < wanted:
        raise Misfit(f"Shape must be at least rank {wanted} but is rank {len(dims)}", asked)


def rank_at_most(dims: Dims | None, wanted: int) -> None:
    if dims is not None and len(dims) > wanted:
        raise Misfit(f"Shape must be at most rank {wanted} but is rank {len(dims)}")


def equal(a: int | None, b: int | None, asked: Sequence[int] = (), shapes: Sequence[int] = ()) -> None:
    """Two dimensions must be equal."""
    if a is not None and b is not None and a != b:
        raise Misfit(f"Dimensions must be equal, but are {a} and {b}", asked, shapes)


def is_value(dim: int | None, value: int) -> None:
    if dim is not None and dim != value:
        raise Misfit(f"Dimension must be {value} but is {dim}")


def divisible(dim: int | None, by: int, asked: Sequence[int] = (), why: str = "") -> None:
    if dim is not None and dim % by:
        raise Misfit(f"Dimension size must be evenly divisible by {by} but is {dim}{why}", asked)


def not_negative(value: PartialValue, index: int) -> None:
    """A size given by a scalar input must not be negative."""
    if isinstance(value, int) and value < 0:
        words = f"Dimension size, given by scalar input {index}, must be non-negative but is {value}"
        raise Misfit(words, (index,))


def same_shape(a: Dims | None, b: Dims | None, asked: Sequence[int] = (), why: str = "", before: str = "") -> None:
    """Two shapes must be equal, as far as they are known."""
    if a is None or b is None:
        return
    if len(a) != len(b):
        raise Misfit(f"{before}Shapes must be equal rank, but are {len(a)} and {len(b)}{why}", asked)
    for i, (x, y) in enumerate(zip(a, b, strict=True)):
        if x is not None and y is not None and x != y:
            both = f"Shapes are {text(a)} and {text(b)}."
            raise Misfit(f"{before}Dimension {i} in both shapes must be equal, but are {x} and {y}. {both}{why}", asked)


def starts_with(dims: Dims | None, first: Dims | None) -> None:
    """A shape must begin with another."""
    if dims is None or first is None:
        return
    rank_at_least(dims, len(first))
    for a, b in zip(dims, first):
        equal(a, b)


def broadcastable(shapes: Sequence[Dims | None], asked: Sequence[int] = (), as_shapes: Sequence[int] = ()) -> None:
    """Report the first pair of dimensions, from the left, that cannot be broadcast."""
    known_shapes = [s for s in shapes if s is not None]
    if len(known_shapes) < len(shapes):
        return
    most = max(map(len, known_shapes))
    for dims in zip(*[(1,) * (most - len(s)) + s for s in known_shapes], strict=True):
        sizes = [d for d in dims if d not in (1, None)]
        for other in sizes[1:]:
            equal(sizes[0], other, asked, as_shapes)


def known_inputs(misfit: Misfit, facts: NodeFacts) -> str:
    """The values that a shape function had read before it rejected the inputs."""
    found = ""
    asked = [i for i in misfit.asked if facts.values[i] is not None and known(facts.values[i])]
    if asked:
        values = ", ".join(f"input[{i}] = <{_summary(facts.values[i])}>" for i in asked)
        found += f" and with computed input tensors: {values}"
    shapes = [i for i in misfit.shapes if facts.values[i] is not None]
    if shapes:
        dims = {i: tuple(None if d == -1 else d for d in facts.values[i]) for i in shapes}
        found += (
            " and with input tensors computed as partial shapes: "
            f"{', '.join(f'input[{i}] = {text(dims[i])}' for i in shapes)}"
        )
    return found


def _summary(value: PartialValue) -> str:
    if not isinstance(value, tuple):
        return str(value)
    if value and isinstance(value[0], tuple):
        return "".join(f"[{_summary(v)}]" for v in value)
    return " ".join(map(str, value))
