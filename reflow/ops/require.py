"""Shape requirements of kernels, one line each: `require.scalar("delta", delta)`.

Shapes are known wherever a kernel runs, also in a program under construction, so the same inputs are rejected in every
mode. The code that runs kernels turns the ValueError into TensorFlow's InvalidArgumentError, with the op's name.
"""

from __future__ import annotations

import math
from typing import Any

from reflow.ops.shape_facts import text

ROWS_DIFFER = "indices and values rows (indexing dimension) must match. (indices = {}, values = {})"
RANKS_DIFFER = "Index rank ({}) and shape rank ({}) do not match"


def scalar(name: str, x: Any) -> None:
    """A scalar."""
    if x.ndim:
        raise ValueError(f"{name} must be a scalar, but got shape {text(x.shape)}")


def rank_zero(**inputs: Any) -> None:
    """A scalar, for the ends of ranges: TensorFlow says "rank 0" of them, and "a scalar" of other numbers."""
    for name, x in inputs.items():
        if x.ndim:
            raise ValueError(f"`{name}` must be rank 0 but is rank {x.ndim}")


def single(name: str, x: Any) -> Any:
    """The one element of an array of any shape."""
    if x.size != 1:
        raise ValueError(f"{name} must be one number, but got shape {text(x.shape)}")
    return x.reshape(()).item()


def scalars(**inputs: Any) -> None:
    for name, x in inputs.items():
        scalar(name, x)


def vector(name: str, x: Any, size: int | None = None) -> None:
    """A vector; of this size, if given."""
    if x.ndim != 1:
        raise ValueError(f"{name} must be a vector, but got shape {text(x.shape)}")
    if size is not None and x.shape[0] != size:
        raise ValueError(f"{name} must have shape [{size}], but got shape {text(x.shape)}")


def vectors(size: int | None = None, /, **inputs: Any) -> None:
    for name, x in inputs.items():
        vector(name, x, size)


def matrix(name: str, x: Any) -> None:
    rank(2, **{name: x})


def rank(number: int, /, **inputs: Any) -> None:
    """This number of dimensions."""
    for name, x in inputs.items():
        if x.ndim != number:
            raise ValueError(f"{name} must be {number}-dimensional, but got shape {text(x.shape)}")


def equal_shapes(**inputs: Any) -> None:
    """All of the same shape."""
    (first, x), *others = inputs.items()
    for name, other in others:
        if tuple(other.shape) != tuple(x.shape):
            raise ValueError(
                f"{first} and {name} must have the same shape, got {text(x.shape)} and {text(other.shape)}"
            )


def word(name: str, value: str, *allowed: str) -> None:
    """An attribute with one of some values."""
    if value not in allowed:
        raise ValueError(f"Unknown {name}: {value!r}. It is one of {', '.join(map(repr, allowed))}")


def paired(**lists: Any) -> list[tuple]:
    """The lists in parallel, as `zip` returns them; they must have equal lengths."""
    names, columns = list(lists), [list(column) for column in lists.values()]
    for name, column in zip(names[1:], columns[1:]):
        if len(column) != len(columns[0]):
            raise ValueError(f"len({names[0]}) != len({name}): {len(columns[0])} vs. {len(column)}")
    return list(zip(*columns))


def sparse_parts(indices: Any, values: Any, shape: Any) -> None:
    """A matrix and two vectors, which form a sparse tensor."""
    for name, x, rank, word in (
        ("indices", indices, 2, "matrix"), ("values", values, 1, "vector"), ("shape", shape, 1, "vector")
    ):
        if x.ndim != rank:
            raise ValueError(f"Input {name} should be a {word} but received shape {text(x.shape)}")


def entries(
    indices: Any, values: Any, shape: Any, words: str = ROWS_DIFFER, prefix: str = "", ranks: str = RANKS_DIFFER
) -> None:
    """The three parts of a sparse tensor, checked for consistency.

    `words` are the message for different numbers of index rows and values, `ranks` for indices of another rank than the
    shape; `prefix` is that of their names.
    """
    matrix(f"{prefix}indices", indices)
    vectors(**{f"{prefix}values": values, f"{prefix}shape": shape})
    if len(indices) != len(values):
        raise ValueError(words.format(len(indices), len(values)))
    if indices.shape[1] != len(shape):
        raise ValueError(ranks.format(indices.shape[1], len(shape)))


def sparse_shape(shape: Any) -> None:
    """The shape of a sparse tensor: no size is negative, and 63 bits can count its elements."""
    sizes = shape.tolist()
    if min(sizes, default=0) < 0:
        raise ValueError(f"Expected shape dimensions to be non-negative, got {min(sizes)}")
    if math.prod(sizes) >= 2**63:
        raise ValueError(f"Encountered overflow when multiplying the sizes {text(tuple(sizes))}")
