"""Sparse gradients whose rows occur several times."""

from __future__ import annotations

from reflow.api.array import sorting
from reflow.core import dtypes
from reflow.core.indexed_slices import IndexedSlices
from reflow.core.tensor import Tensor
from reflow.ops.convert import constant, convert_to_tensor
from reflow.ops.dispatch import run


def summed_rows(grad: IndexedSlices) -> tuple[Tensor, Tensor]:
    """The indices of slices in order, and for each the sum of its rows; an index that occurs twice is there twice.

    Other than those of `Unique`, the shapes do not depend on the values: one program serves every step.

    >>> rows, sums = summed_rows(IndexedSlices(constant([1.0, 2.0, 4.0]), constant([3, 0, 3])))
    >>> rows.numpy().tolist(), sums.numpy().tolist()
    ([0, 3, 3], [2.0, 5.0, 5.0])
    """
    indices, values = convert_to_tensor(grad.indices), convert_to_tensor(grad.values)
    order, zero = sorting.argsort(indices, stable=True), constant(0)
    rows = run("GatherV2", indices, order, zero)
    before = run("ConcatV2", rows[:1] - 1, rows[:-1], zero, N=2)
    places = run("Cumsum", run("Cast", run("NotEqual", rows, before), DstT=dtypes.int32), zero)  # from 1
    sums = run("UnsortedSegmentSum", run("GatherV2", values, order, zero), places, run("Size", rows) + 1)
    return rows, run("GatherV2", sums, places, zero)
