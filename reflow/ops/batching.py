"""Batching rules: how an op runs for all rows of a batch at once, on the host.

A rule takes the op's record, its attributes, its flat operands, and for each of them whether it has rows (as its first
axis). It returns how to compute all rows in one call, as (record, attributes, operands), or None if these operands must
be processed row by row. Records name a rule as `batch`; elementwise ops have the first. In programs `jax.vmap` does all
of this.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from reflow.core.types import Attrs
from reflow.ops.slice_spec import MASKS

if TYPE_CHECKING:
    from reflow.ops.record import Op

#: how to compute all rows in one call: a record, its attributes and operands
Batched: TypeAlias = "tuple[Op, Attrs, Sequence[np.ndarray]]"


def aligned(op: Op, attrs: Attrs, values: Sequence[np.ndarray], flags: Sequence[bool]) -> Batched:
    """Elementwise ops, and ops that treat every leading axis as a batch: axes of size one are inserted after the rows
    of operands with fewer axes.
    """
    depth = max(v.ndim - f for v, f in zip(values, flags, strict=True))
    values = [_deeper(v, depth) if f and v.ndim - 1 < depth else v for v, f in zip(values, flags, strict=True)]
    return op, attrs, values


def _deeper(value: np.ndarray, depth: int) -> np.ndarray:
    return value.reshape(len(value), *(1,) * (depth - value.ndim + 1), *value.shape[1:])


def equal_shapes(op: Op, attrs: Attrs, values: Sequence[np.ndarray], flags: Sequence[bool]) -> Batched:
    """Elementwise ops that do not broadcast: operands without rows are repeated for each row."""
    op, attrs, values = aligned(op, attrs, values, flags)
    return op, attrs, np.broadcast_arrays(*values)


def along_axes(op: Op, attrs: Attrs, values: Sequence[np.ndarray], flags: Sequence[bool]) -> Batched | None:
    """Ops whose second operand is axes of the first: axes counted from the front shift by one."""
    if list(flags) != [True, False]:
        return None
    x, axes = values
    return op, attrs, [x, np.where(axes < 0, axes, axes + 1).astype(axes.dtype)]


def reshaped(op: Op, attrs: Attrs, values: Sequence[np.ndarray], flags: Sequence[bool]) -> Batched | None:
    """Ops whose second operand is the shape of the result."""
    if list(flags) != [True, False] or not len(values[0]):
        return None
    x, shape = values
    return op, attrs, [x, np.concatenate([[len(x)], shape]).astype(shape.dtype)]


def permuted(op: Op, attrs: Attrs, values: Sequence[np.ndarray], flags: Sequence[bool]) -> Batched | None:
    """Ops whose second operand is a permutation of all axes of the first."""
    if list(flags) != [True, False]:
        return None
    x, order = values
    return op, attrs, [x, np.concatenate([[0], order % max(x.ndim - 1, 1) + 1]).astype(order.dtype)]


def along_attribute(name: str, default: int) -> Callable[..., Batched | None]:
    """Ops with an attribute that is an axis of the result.

    Operands without rows are repeated if all operands are joined; otherwise they must come after the first.
    """

    def rule(op: Op, attrs: Attrs, values: Sequence[np.ndarray], flags: Sequence[bool]) -> Batched | None:
        axis = attrs.get(name, default)
        moved = {**attrs, name: axis if axis < 0 else axis + 1}
        if op.has_lists:
            return op, moved, repeated(values, flags)
        return (op, moved, values) if flags[0] and not any(flags[1:]) else None

    return rule


def repeated(values: Sequence[np.ndarray], flags: Sequence[bool]) -> list[np.ndarray]:
    """The operands; those without rows are repeated for each row."""
    count = next(len(v) for v, f in zip(values, flags, strict=True) if f)
    return [v if f else np.broadcast_to(v, (count, *v.shape)) for v, f in zip(values, flags, strict=True)]


def concatenated(op: Op, attrs: Attrs, values: Sequence[np.ndarray], flags: Sequence[bool]) -> Batched | None:
    """Ops that join operands along the axis given by the last operand."""
    if flags[-1]:
        return None
    *parts, axis = values
    return op, attrs, [*repeated(parts, flags[:-1]), np.where(axis < 0, axis, axis + 1).astype(axis.dtype)]


def sliced(op: Op, attrs: Attrs, values: Sequence[np.ndarray], flags: Sequence[bool]) -> Batched | None:
    """The same slice of all rows: the first axis is kept whole."""
    if list(flags) != [True, False, False, False]:
        return None
    x, *places = values
    whole = {m: attrs.get(m, 0) << 1 | (m in ("begin_mask", "end_mask")) for m in MASKS}
    return op, {**attrs, **whole}, [x, *(np.concatenate([[1], p]).astype(p.dtype) for p in places)]
