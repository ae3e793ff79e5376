"""Patterns for the inputs of a node, which its record gives as `fits`.

    fits="[n,r] [n] [r] 0"      # the parts of a sparse tensor, and a scalar

There is one word per argument of the OpDef, or per tensor of a list; arguments after the last word are unconstrained.

- `*`: anything; `2`, `2+`, `1-`: two axes, at least two, at most one;
- `[n,3,_]`: three axes: one named n, one of size 3, one of any size. Axes with the same name must have equal sizes;
- `<4>`: a vector that is a shape with four axes.

TensorFlow's shape functions reject other inputs, although its kernels often accept them, so eager code skips this
check.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from reflow.core.types import Dims
from reflow.ops.shape_facts import NodeFacts
from reflow.ops.trace_words import equal, is_value, rank, rank_at_least, rank_at_most

_TESTS: dict[str, Callable[[Dims | None, int], None]] = {"+": rank_at_least, "-": rank_at_most}


def check_pattern(f: NodeFacts) -> None:
    """Raise a `Misfit` if the inputs do not match the pattern.

    First for ranks and fixed sizes, then for named axes that differ.
    """
    named: dict[str, int] = {}
    pairs = []
    for word, dims in zip(_words(f.op.fits), f.op.group(f.shapes, f.attrs)):
        for one in dims if isinstance(dims, list) else [dims]:
            pairs += word(one)
    for name, size in pairs:
        equal(named.setdefault(name, size), size)


@functools.cache
def _words(pattern: str) -> list[Callable[[Dims | None], list[tuple[str, int]]]]:
    return [_word(word) for word in pattern.split()]


def _word(word: str) -> Callable[[Dims | None], list[tuple[str, int]]]:
    """A test of one shape, which returns the sizes of named axes."""
    if word == "*":
        return lambda dims: []
    if word[0] == "[":
        return functools.partial(_axes, word[1:-1].split(","))
    if word[0] == "<":
        return functools.partial(_shape_of_rank, int(word[1:-1]))
    test, number = _TESTS.get(word[-1], rank), int(word[0])
    return lambda dims: test(dims, number) or []


def _axes(names: list[str], dims: Dims | None) -> list[tuple[str, int]]:
    rank(dims, len(names))
    if dims is None:
        return []
    for name, size in zip(names, dims, strict=True):
        if name.isdigit():
            is_value(size, int(name))
    return [(name, size) for name, size in zip(names, dims, strict=True) if name.isalpha() and size is not None]


def _shape_of_rank(number: int, dims: Dims | None) -> list[tuple[str, int]]:
    rank(dims, 1)
    if dims is not None and dims[0] is not None:
        rank((None,) * dims[0], number)
    return []
