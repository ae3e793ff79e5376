"""Axes of a ragged shape taken together, and two shapes that say different things about the same tensors as one."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from reflow.api.array import arrange, indexing
from reflow.api.math import arithmetic
from reflow.api.math import reduce as reductions
from reflow.api.ragged.parts import positive_axis
from reflow.api.ragged.row_partition import RowPartition
from reflow.core import dtypes
from reflow.core.shapes import TensorShape

if TYPE_CHECKING:
    from reflow.api.ragged.shape import DynamicRaggedShape
    from reflow.api.ragged.shape_spec import DynamicRaggedShapeSpec


def product(sizes: Any) -> Any:
    """The product of a vector of sizes, in its dtype."""
    return reductions.reduce_prod(sizes)


def merge_row_partitions(partitions: Sequence[RowPartition]) -> RowPartition:
    """The rows that rows of rows are when their inner borders are left out."""
    splits = (p.row_splits() for p in partitions)
    return RowPartition.from_row_splits(functools.reduce(lambda outer, inner: indexing.gather(inner, outer), splits))


def merge_inner_shape(inner: Any, known: TensorShape, outer_axis: int, inner_axis: int) -> tuple[Any, TensorShape]:
    """An inner shape, and what is known of it, with a range of its axes as one."""
    merged = arrange.reshape(product(inner[outer_axis : inner_axis + 1]), [1])
    count = known[outer_axis : inner_axis + 1].num_elements()
    rest = known[inner_axis + 1 :]
    return (
        arrange.concat([inner[:outer_axis], merged, inner[inner_axis + 1 :]], 0),
        known[:outer_axis].concatenate([count]).concatenate(rest),
    )


def merge_axes(shape: DynamicRaggedShape, outer_axis: int, inner_axis: int) -> DynamicRaggedShape:
    """A shape with all axes from one to another, both included, as one."""
    outer = positive_axis(outer_axis, shape.rank, "outer_axis", "rank(self)")
    inner = positive_axis(inner_axis, shape.rank, "inner_axis", "rank(self)")
    if outer > inner:
        raise ValueError(f"Expected outer_axis ({outer}) to be less than or equal to inner_axis ({inner}).")
    if outer == inner:
        return shape
    made, partitions, count = type(shape), tuple(shape.row_partitions), shape.num_row_partitions
    sizes, known = shape.inner_shape, shape.static_inner_shape
    if outer > count or not count:
        sizes, known = merge_inner_shape(sizes, known, outer - count, inner - count)
        return made(partitions, sizes, shape.dtype, static_inner_shape=known)
    if inner > count:
        if shape.rank is None:
            raise ValueError("Cannot merge_dims of the inner shape if the dimension of inner_shape is unknown")
        inside = inner - count
        values = product(sizes[1 : inside + 1])
        sizes, known = merge_inner_shape(sizes, known, 0, inside)
    else:
        inside, values = 0, None
    if outer == 0:
        return made(partitions[inner:], sizes, shape.dtype, static_inner_shape=known)
    rows = merge_row_partitions(partitions[outer - 1 : inner])
    if inside:  # a row has as many values for each of its slices
        rows = RowPartition.from_row_splits(rows.row_splits() * values)
    return made([*partitions[: outer - 1], rows, *partitions[inner:]], sizes, shape.dtype, static_inner_shape=known)


def merge_shapes(
    shape: DynamicRaggedShape, other: DynamicRaggedShape | DynamicRaggedShapeSpec
) -> DynamicRaggedShape:
    """A shape with what another one, or a spec, also says of it, and with as many row partitions as the other has."""
    count = max(shape.num_row_partitions, other.num_row_partitions)
    mine, theirs = shape._with_num_row_partitions(count), other._with_num_row_partitions(count)
    values = isinstance(other, type(shape))
    merge: Any = RowPartition._merge_precomputed_encodings if values else RowPartition._merge_with_spec
    rows = [merge(a, b) for a, b in zip(mine._row_partitions, theirs._row_partitions, strict=True)]
    kind = theirs.dtype if mine.dtype == dtypes.int32 else dtypes.int64
    known = mine.static_inner_shape.merge_with(theirs._static_inner_shape)
    return type(shape)(rows, arithmetic.cast(mine.inner_shape, kind), kind, True, known)
