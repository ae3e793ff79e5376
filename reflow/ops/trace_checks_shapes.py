"""The checks of `trace_checks.py` for variables, matrices and images."""

from __future__ import annotations

from collections.abc import Callable

from reflow.core.resources import HandleFacts
from reflow.ops.shape_facts import NodeFacts
from reflow.ops.trace_words import (
    Misfit,
    broadcastable,
    equal,
    is_value,
    numbers,
    rank,
    rank_at_least,
    same_shape,
)

# --- variables ------------------------------------------------------------------------------------------------------


def update_of_variable(f: NodeFacts) -> None:
    if isinstance(f.values[0], HandleFacts):
        same_shape(f.values[0].dims, f.shapes[1])


# --- images ---------------------------------------------------------------------------------------------------------


def three_channels(f: NodeFacts) -> None:
    rank_at_least(f.shapes[0], 1)
    if f.shapes[0]:
        is_value(f.shapes[0][-1], 3)


# --- matrices -------------------------------------------------------------------------------------------------------


def square(f: NodeFacts) -> None:
    rank_at_least(f.shapes[0], 2)
    if f.shapes[0] is not None:
        equal(f.shapes[0][-2], f.shapes[0][-1])


def determinant(f: NodeFacts) -> None:
    rank_at_least(f.shapes[0], 2)
    if f.shapes[0] is not None:
        equal(f.shapes[0][-1], f.shapes[0][-2])


def solve(f: NodeFacts) -> None:
    """Square matrices, and matching right-hand sides."""
    square(f)
    right_sides(f)


def least_squares(f: NodeFacts) -> None:
    """Matrices, matching right-hand sides, and a scalar."""
    rank(f.shapes[2], 0)
    rank_at_least(f.shapes[0], 2)
    right_sides(f)


def banded(f: NodeFacts) -> None:
    """Diagonals of square matrices, and right-hand sides, with broadcast batches."""
    for dims in f.shapes:
        rank_at_least(dims, 2)
    if f.shapes[0] is not None:
        bands, size = f.shapes[0][-2:]
        if bands == 0:
            raise Misfit("Number of bands must be positive, but is 0")
        if None not in (bands, size) and bands > size:
            raise Misfit(f"Number of bands {bands} cannot exceed the size of the matrix {size}")
    if None not in f.shapes:
        equal(f.shapes[0][-1], f.shapes[1][-2])
        broadcastable([f.shapes[0][:-2], f.shapes[1][:-2]])


def sparse_to_dense(f: NodeFacts) -> None:
    rank(f.shapes[1], 1)


def filter_sizes(f: NodeFacts) -> None:
    """The gradient of a filter: its sizes must be a vector."""
    rank(f.shapes[1], 1)


def input_sizes(f: NodeFacts) -> None:
    rank(f.shapes[0], 1)


def right_sides(f: NodeFacts) -> None:
    """One right-hand side per matrix, with as many rows."""
    rank_at_least(f.shapes[1], 2)
    if None not in f.shapes[:2]:
        same_shape(f.shapes[0][:-2], f.shapes[1][:-2])
        equal(f.shapes[0][-2], f.shapes[1][-2])


def solve_broadcast(f: NodeFacts) -> None:
    """Square matrices and right-hand sides, with broadcast batches."""
    square(f)
    rank_at_least(f.shapes[1], 2)
    if None not in f.shapes:
        equal(f.shapes[0][-2], f.shapes[1][-2])


def set_diagonal(f: NodeFacts) -> None:
    """Matrices and their main diagonal."""
    dims, diagonal = f.shapes
    rank_at_least(dims, 2)
    if dims is None:
        return
    rank(diagonal, len(dims) - 1)
    if diagonal is not None and None not in dims[-2:]:
        equal(min(dims[-2:]), diagonal[-1])


def set_diagonals(f: NodeFacts) -> None:
    """Matrices and some of their diagonals."""
    dims, diagonal = f.shapes[:2]
    rank_at_least(dims, 2)
    k = numbers(f.values[2])
    if dims is not None and k is not None:
        wanted = len(dims) - (k[0] == k[-1])
        rank_at_least(diagonal, wanted)
        rank(diagonal, wanted)


def diag_part(f: NodeFacts) -> None:
    dims = f.shapes[0]
    if dims is not None:
        if not dims or len(dims) % 2:
            raise Misfit(f"Input must have even and non-zero rank, input rank is {len(dims)}")
        half = len(dims) // 2
        for a, b in zip(dims[:half], dims[half:], strict=True):
            equal(a, b)


def sparse_product(f: NodeFacts) -> None:
    sparse, dense = f.values[2], f.shapes[3]
    for dims, number in zip(f.shapes, (2, 1, 1, 2), strict=True):
        rank(dims, number)
    if sparse is not None and dense is not None:
        equal(sparse[0 if f.attrs.get("adjoint_a") else 1], dense[1 if f.attrs.get("adjoint_b") else 0])


def sparse_tensors(*firsts: int) -> Callable[[NodeFacts], None]:
    """A check of sparse tensors among the inputs, each given as indices, values and shape.

    `firsts` are the places of the indices.
    """

    def check(f: NodeFacts) -> None:
        for first in firsts:
            indices, values, shape = f.shapes[first : first + 3]
            for dims, wanted in ((indices, 2), (values, 1), (shape, 1)):
                rank(dims, wanted)
            if indices and values and None not in (indices[0], values[0]) and indices[0] != values[0]:
                raise Misfit(f"Number of elements in index ({indices[0]}) and values ({values[0]}) do not match.")
            if indices and shape and None not in (indices[1], shape[0]) and indices[1] != shape[0]:
                raise Misfit(f"Index rank ({indices[1]}) and shape rank ({shape[0]}) do not match.")

    return check


def equal_shapes(f: NodeFacts) -> None:
    for other in f.shapes[1:]:
        same_shape(f.shapes[0], other)


def equal_shapes_or_scalars(f: NodeFacts) -> None:
    shapes = [s for s in f.shapes if s != ()]
    for other in shapes[1:]:
        same_shape(shapes[0], other)


def equal_images(f: NodeFacts) -> None:
    rank(f.shapes[0], 4)
    equal_shapes(f)


def first_two_equal(f: NodeFacts) -> None:
    same_shape(*f.shapes[:2])


def default_value(f: NodeFacts) -> None:
    if f.inputs:  # a node; an eager tensor cannot be fed
        same_shape(f.shapes[0], f.attrs["shape"])


def per_channel(f: NodeFacts) -> None:
    rank_at_least(f.shapes[0], 1)
    for dims in f.shapes[1:]:
        rank(dims, 1)
        if f.shapes[0] is not None and dims is not None:
            equal(f.shapes[0][-1], dims[0])


def select(f: NodeFacts) -> None:
    condition, dims, other = f.shapes
    same_shape(dims, other)
    if condition is not None and len(condition) == 1 and dims:
        same_shape(condition, dims[:1])
    elif condition:
        same_shape(dims, condition)


def table_entries(f: NodeFacts) -> None:
    rank(f.shapes[1], 1)
    same_shape(f.shapes[1], f.shapes[2])


# --- boxes ----------------------------------------------------------------------------------------------------------


def scored_boxes_of_classes(f: NodeFacts) -> None:
    """A box is shared by all classes, or there is one per class."""
    boxes, scores = f.shapes[:2]
    if (
        boxes is not None and scores is not None and None not in (boxes[2], scores[2])
        and boxes[2] not in (1, scores[2])
    ):
        raise Misfit("third dimension of boxes must be either 1 or equal to the third dimension of scores")


def drawn_boxes(f: NodeFacts) -> None:
    if f.shapes[0] is not None and f.shapes[0][3] not in (None, 1, 3, 4):
        raise Misfit("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)")
