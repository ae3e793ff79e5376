"""Broadcasts ragged and dense operands.

As in NumPy, shapes are aligned at their last axes. An axis is broadcast if it has the size 1 *by construction*: a
uniform axis. A ragged axis whose rows happen to have one element is not.

The operands are compared axis by axis from the outermost in. For each operand we keep where, among its own slices, each
slice of the result comes from: None while the numbers are equal, so that nothing is gathered for an operand that is not
broadcast.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from reflow.api.array import arrange, creation, indexing
from reflow.api.debugging import asserts
from reflow.api.math import arithmetic, reduce
from reflow.api.ragged.constants import RaggedTensorValue
from reflow.api.ragged.row_partition import RowPartition, guarded, static_number
from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.ragged import RaggedTensor
from reflow.ops.convert import constant, convert_to_tensor


def operands(values: Sequence[Any]) -> list[Any]:
    """Arguments of an elementwise function: ragged tensors as they are, others as tensors of the same dtype."""
    values = [v.as_tensor() if isinstance(v, RaggedTensorValue) else v for v in values]
    kind = next(v.dtype for v in values if isinstance(v, RaggedTensor))
    return [
        v if isinstance(v, RaggedTensor) else convert_to_tensor(v) if hasattr(v, "dtype")
        else convert_to_tensor(v, dtype_hint=kind)
        for v in values
    ]


def same_splits_dtype(values: Sequence[Any]) -> dtypes.DType:
    """The type in which all ragged operands count their rows."""
    kinds = {v.row_splits.dtype for v in values if isinstance(v, RaggedTensor)}
    if len(kinds) > 1:
        raise ValueError(
            "Input RaggedTensors have mismatched row_splits dtypes; use RaggedTensor.with_row_splits_dtype() to "
            "convert them to compatible dtypes."
        )
    return kinds.pop() if kinds else dtypes.int64


def broadcast(values: Sequence[Any]) -> tuple[list[Any], Callable[[Any], Any]]:
    """The innermost values of the operands in one shape, and a function that makes such values ragged again."""
    kind = same_splits_dtype(values)
    inner, outer = _aligned(values, kind)
    first = outer[0]
    if all(_same_partitions(first, other) for other in outer[1:]):
        flats, partitions = [v.flat_values for v in outer], first._nested_row_partitions
    else:
        flats, partitions = _stretch(outer)
    given = iter(flats)
    result = [v if i else next(given) for v, i in zip(values, inner, strict=True)]
    return result, lambda flat: RaggedTensor._from_nested_row_partitions(flat, partitions, validate=False)


def _aligned(values: Sequence[Any], kind) -> tuple[list[bool], list[Any]]:
    """Which operands fit the innermost values unchanged, and the others with equal numbers of axes and partitions."""
    scalars = [not isinstance(v, RaggedTensor) and v.shape.rank == 0 for v in values]
    rest = [v for v, scalar in zip(values, scalars, strict=True) if not scalar]
    if len(rest) == 1:
        return scalars, rest
    ranks = [v.shape.rank for v in rest]
    if None in ranks:
        if len({v.ragged_rank if isinstance(v, RaggedTensor) else 0 for v in rest}) > 1:
            raise ValueError("Unable to broadcast: unknown rank")
        return scalars, rest
    rank = max(ranks)
    depth = max(v.ragged_rank + rank - v.shape.rank for v in rest if isinstance(v, RaggedTensor))
    inner = [not isinstance(v, RaggedTensor) and _meets_flat_values(v, rank - depth) for v in values]
    return inner, [_partitioned(v, rank, depth, kind) for v, i in zip(values, inner, strict=True) if not i]


def _meets_flat_values(dense, flat_rank: int) -> bool:
    """Whether a dense operand is only broadcast inside the innermost values."""
    rank = dense.shape.rank
    return rank < flat_rank or rank == flat_rank and dense.shape[0] == 1


def _partitioned(value, rank: int, depth: int, kind):
    """An operand with `rank` axes, the outer of which are `depth` row partitions.

    Axes of size 1 first, uniform ones last.
    """
    for _ in range(rank - value.shape.rank):
        value = arrange.expand_dims(value, 0)
    if not isinstance(value, RaggedTensor):
        return RaggedTensor.from_tensor(value, ragged_rank=depth, row_splits_dtype=kind)
    missing = depth - value.ragged_rank
    if missing:
        value = value.with_flat_values(
            RaggedTensor.from_tensor(value.flat_values, ragged_rank=missing, row_splits_dtype=kind)
        )
    return value


def _same_partitions(x, y) -> bool:
    """Whether two operands have the same rows, as far as that is known without an op."""
    for a, b in zip(x.nested_row_splits, y.nested_row_splits, strict=True):
        if a is not b and (state.graph is not None or a.shape != b.shape or not (a._host() == b._host()).all()):
            return False
    return all((a is None) == (b is None) for a, b in zip(x._uniform_lengths(), y._uniform_lengths(), strict=True))


def _stretch(outer: list[Any]) -> tuple[list[Any], list[RowPartition]]:
    """The innermost values of operands with equally many partitions, gathered into the shape of the result."""
    checks: list[Any] = []
    count, places = first_axis([v.nrows() for v in outer], checks)
    partitions = []
    for level in zip(*(v._nested_row_partitions for v in outer), strict=True):
        partition, places = next_axis(level, places, count, checks)
        partitions.append(partition)
        count = partition.nvals()
    flats = [
        v.flat_values if p is None else indexing.gather(v.flat_values, p) for v, p in zip(outer, places, strict=True)
    ]
    return [guarded(checks, flat) for flat in flats], partitions


def is_one(size) -> Any:
    """Whether a size is 1: a bool if that is known, else a tensor."""
    known = static_number(size)
    return arithmetic.equal(size, constant(1, size.dtype)) if known is None else known == 1


def _choose(sizes: Sequence[Any], ones: Sequence[Any]) -> Any:
    """The size that an axis gets: that of the operands that are not stretched."""

    def pick(a, b):
        (size, one), (other, other_one) = a, b
        if one is True or other_one is True:
            return (other, other_one) if one is True else (size, one)
        if one is False or other_one is False:
            return (size, False) if one is False else (other, False)
        return arithmetic.where(one, other, size), arithmetic.logical_and(one, other_one)

    return functools.reduce(pick, zip(sizes, ones, strict=True))[0]


def check(one, size, chosen, message: str | None = None) -> Any:
    """Operands that are not stretched must agree; None if that is known, or was found to be so just now."""
    if one is True or size is chosen:
        return None
    if one is False:
        if size.shape.rank == 0:  # numbers of rows: TensorFlow's message shows only whether they agree
            return asserts.assert_equal(arithmetic.equal(size, chosen), constant(True), message)
        return asserts.assert_equal(size, chosen, message)
    fits = arithmetic.logical_or(one, reduce.reduce_all(arithmetic.equal(size, chosen)))
    return asserts.assert_equal(fits, constant(True), message)


def _ones(sizes: Sequence[Any]) -> list[Any]:
    """Which operands are stretched; none if all of them have the size 1."""
    ones = [False if size is None else is_one(size) for size in sizes]
    return [False] * len(ones) if all(one is True for one in ones) else ones


def first_axis(rows: list[Any], checks: list[Any]) -> tuple[Any, list[Any]]:
    """How many slices the result has, and where each operand's come from: None where they are its own."""
    ones = _ones(rows)
    count = _choose(rows, ones)
    checks.extend(check(one, n, count) for one, n in zip(ones, rows, strict=True))
    numbers = creation.range(count)
    return count, [stretched(one, creation.zeros_like(numbers), numbers, None) for one in ones]


def stretched(one, zeros, numbers, identity) -> Any:
    """The places of an operand's slices: all the first, or each its own."""
    if one is False:
        return identity
    return zeros if one is True else arithmetic.where(one, zeros, numbers)


def next_axis(level: Sequence[RowPartition], places: list[Any], count, checks: list) -> tuple[RowPartition, list[Any]]:
    """The partition of the result's next axis, and where the slices below it come from."""
    ones = _ones([p.uniform_row_length() for p in level])
    uniform = all(p.is_uniform() for p in level)
    if uniform:
        lengths = [p.uniform_row_length() for p in level]
    else:
        lengths = [
            p.row_lengths() if place is None else indexing.gather(p.row_lengths(), place)
            for p, place in zip(level, places, strict=True)
        ]
    chosen = _choose(lengths, ones)
    kept = [p for p, place, size in zip(level, places, lengths, strict=True) if place is None and size is chosen]
    for one, size, p, place in zip(ones, lengths, level, places, strict=True):
        if kept and place is None and one is False and not uniform:
            checks.append(check(one, kept[0].row_splits(), p.row_splits()))
        else:
            checks.append(check(one, size, chosen))
    if kept and (not uniform or kept[0].uniform_row_length() is chosen):
        partition = kept[0]
    elif uniform:
        partition = RowPartition.from_uniform_row_length(chosen, nrows=count, validate=False)
    else:
        partition = RowPartition.from_row_lengths(chosen, validate=False)
    if (
        all(place is None for place in places)
        and all(one is False or p is partition for one, p in zip(ones, level, strict=True))
    ):
        return partition, places
    rows, offsets = partition.value_rowids(), partition.offsets_in_rows()
    found: list[Any] = []
    for p, place, one in zip(level, places, ones, strict=True):
        if place is None and (one is False or p is partition):
            found.append(None)
            continue
        starts = p.row_starts() if place is None else indexing.gather(p.row_starts(), place)
        starts = indexing.gather(starts, rows)
        found.append(stretched(one, starts, starts + offsets, starts + offsets))
    return partition, found
