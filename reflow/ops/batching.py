"""Batching rules: how an op runs for all rows of a batch at once, on the host.

A rule takes the op's record, its attributes, its flat operands and for each of them whether it has rows (as its first axis). It
returns what computes all rows in one call, as (record, attributes, operands), or None if these operands must be taken row by
row. Records name a rule as `batch`; elementwise ops have the first. In programs `jax.vmap` does all of this.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from reflow.core.types import Attrs

if TYPE_CHECKING:
    from reflow.ops.record import Op

#: what computes all rows in one call: a record, its attributes and operands
Batched: TypeAlias = "tuple[Op, Attrs, Sequence[np.ndarray]]"


def aligned(op: Op, attrs: Attrs, values: Sequence[np.ndarray], flags: Sequence[bool]) -> Batched:
    """Elementwise ops, and ops of which every leading axis is a batch already: axes of size one are put in behind the rows where
    one operand has fewer axes than another."""
    depth = max(v.ndim - f for v, f in zip(values, flags, strict=True))
    values = [_deeper(v, depth) if f and v.ndim - 1 < depth else v for v, f in zip(values, flags, strict=True)]
    return op, attrs, values


def _deeper(value: np.ndarray, depth: int) -> np.ndarray:
    return value.reshape(len(value), *(1,) * (depth - value.ndim + 1), *value.shape[1:])


def equal_shapes(op: Op, attrs: Attrs, values: Sequence[np.ndarray], flags: Sequence[bool]) -> Batched:
    """Elementwise ops that do not broadcast: what has no rows is repeated for each."""
    op, attrs, values = aligned(op, attrs, values, flags)
    return op, attrs, np.broadcast_arrays(*values)


def along_axes(op: Op, attrs: Attrs, values: Sequence[np.ndarray], flags: Sequence[bool]) -> Batched | None:
    """Ops whose second operand counts axes of the first: those from the front are one further behind."""
    if list(flags) != [True, False]:
        return None
    x, axes = values
    return op, attrs, [x, np.where(axes < 0, axes, axes + 1).astype(axes.dtype)]
