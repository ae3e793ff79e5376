"""Patterns: what the inputs of a node look like, as its record says in `fits`.

    fits="[n,r] [n] [r] 0"      # the parts of a sparse tensor, and a scalar

A word stands for each argument of the OpDef, or for each tensor of a list; arguments behind the last word may be anything.

- `*`: anything; `2`, `2+`, `1-`: two axes, at least two, at most one;
- `[n,3,_]`: three axes: one called n, one of size 3, one of any size. Axes of one name are equally long;
- `<4>`: a vector, which is the shape of something with four axes.

TensorFlow's shape functions refuse other inputs, whose kernels often take them: so eager code does not ask.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from reflow.core.types import Dims
from reflow.ops.shape_facts import NodeFacts
from reflow.ops.trace_words import equal, is_value, rank, rank_at_least, rank_at_most

_TESTS: dict[str, Callable[[Dims | None, int], None]] = {"+": rank_at_least, "-": rank_at_most}


def check_pattern(f: NodeFacts) -> None:
    """Raise a `Misfit` if the inputs are not as the record says: for their ranks and fixed sizes first, then for axes that differ."""
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
    """A test of one shape, which gives the sizes of axes with names."""
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
