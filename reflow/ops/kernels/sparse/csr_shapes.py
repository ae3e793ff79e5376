"""Static knowledge about CSR matrices while a graph is built: their sizes, and the shapes of results."""

from __future__ import annotations

from typing import Any

from reflow.core.resources import LocalFacts
from reflow.core.types import Dims
from reflow.ops import shape_rules as rules
from reflow.ops.shape_facts import NodeFacts, PartialValue, Shapes


class MatrixFacts(LocalFacts):
    """The partial value of a symbolic matrix: its partial shape, of two or three sizes."""

    __slots__ = ("dims",)

    def __init__(self, dims: Dims | None) -> None:
        self.dims = dims


def dims_of(f: NodeFacts, index: int = 0) -> Dims | None:
    """The shape of the matrix that is an input, as far as it is known."""
    facts = f.values[index]
    return facts.dims if isinstance(facts, MatrixFacts) else None


# --- facts about the results ------------------------------------------------------------------------------------------


def of_shape(index: int) -> Any:
    """A matrix of the shape that an operand holds."""
    return lambda f: [MatrixFacts(rules.as_shape(f.values[index], f.shapes[index]))]


def of_dense(f: NodeFacts) -> list[PartialValue]:
    """A matrix of the shape of a dense one."""
    return [MatrixFacts(f.shapes[0])]


def same(f: NodeFacts) -> list[PartialValue]:
    """A matrix of the shape of the first."""
    return [MatrixFacts(dims_of(f))]


def turned(f: NodeFacts) -> list[PartialValue]:
    return [MatrixFacts(_turned(dims_of(f)))]


def of_product(f: NodeFacts) -> list[PartialValue]:
    """The product of two sparse matrices."""
    return [MatrixFacts(_product(f, dims_of(f, 0), dims_of(f, 1)))]


# --- shapes -----------------------------------------------------------------------------------------------------------


def dense(f: NodeFacts) -> Shapes:
    return [dims_of(f)]


def entries(f: NodeFacts) -> Shapes:
    """Indices, values and shape of a sparse tensor."""
    dims = dims_of(f)
    rank = None if dims is None else len(dims)
    return [(None, rank), (None,), (rank,)]


def batch(f: NodeFacts) -> Shapes:
    """One number for each matrix."""
    dims = dims_of(f)
    return [None if dims is None else dims[:-2]]


def rows(f: NodeFacts) -> Shapes:
    """One number for each row."""
    dims = dims_of(f)
    return [None if dims is None else dims[:-1]]


def product(f: NodeFacts) -> Shapes:
    """A sparse matrix times a dense one."""
    dims = _product(f, dims_of(f), f.shapes[1])
    return [_turned(dims) if f.attr("transpose_output") else dims]


def _turned(dims: Dims | None) -> Dims | None:
    return None if dims is None else (*dims[:-2], dims[-1], dims[-2])


def _product(f: NodeFacts, a: Dims | None, b: Dims | None) -> Dims | None:
    if a is None or b is None:
        return None
    if f.attr("transpose_a") or f.attr("adjoint_a"):
        a = _turned(a)
    if f.attr("transpose_b") or f.attr("adjoint_b"):
        b = _turned(b)
    assert a is not None and b is not None
    return (*a[:-1], b[-1])
