"""The meaning of a StridedSlice: begin, end and strides after applying TensorFlow's five masks.

Each entry of begin, end and strides describes one input axis, unless a mask says otherwise (bit i is about entry i):
`ellipsis_mask` covers as many axes as are left over, `new_axis_mask` adds an axis of size 1, `shrink_axis_mask` takes
one element and drops the axis, `begin_mask` and `end_mask` ignore the bound. Bounds wrap once and clamp, as in Python.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from reflow.core.types import Attrs, Dims
from reflow.ops.shape_facts import PartialValue, text
from reflow.ops.trace_words import Misfit

MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")
UNKNOWN = "?"  # a bound whose value is not known (None means: no bound)


class SliceSpec(NamedTuple):
    """A StridedSlice of an input of shape `dims`.

    `picks[i]` is (begin, end, stride) of input axis i: begin and end as in a Python slice, or `UNKNOWN`; stride None if
    unknown. `out` lists for each output axis an input axis, or "new"; `shrunk` the axes that disappear.
    """

    dims: tuple
    picks: list
    out: list
    shrunk: list

    def length(self, axis: int) -> int | None:
        """The number of elements taken from an axis, or None if unknown."""
        begin, end, stride = self.picks[axis]
        dim = self.dims[axis]
        if dim is None or stride is None or begin == UNKNOWN or end == UNKNOWN:
            return None
        return len(range(*slice(begin, end, stride).indices(dim)))

    def final_shape(self) -> tuple:
        return tuple([1 if axis == "new" else self.length(axis) for axis in self.out])


def slice_spec(
    attrs: Attrs, dims: Dims, begin: PartialValue, end: PartialValue, strides: PartialValue, begin_shape: Dims | None
) -> SliceSpec | None:
    """Apply the masks to an input of shape `dims` (sizes may be None); None if the number of entries is unknown.

    begin, end and strides are partial values: tuples of ints and Nones, or None.
    """
    count = len(begin) if isinstance(begin, tuple) else (begin_shape[0] if begin_shape else None)
    if count is None:
        return None
    begin, end, strides = [v if isinstance(v, tuple) else (None,) * count for v in (begin, end, strides)]
    begin_mask, end_mask, ellipsis, new, shrink = [attrs.get(m) or 0 for m in MASKS]
    if ellipsis & (ellipsis - 1):
        raise Misfit("Multiple ellipses in slice spec not allowed", (3,))
    has_ellipsis = ellipsis != 0 and ellipsis < 1 << count
    added = sum(1 for i in range(count) if new >> i & 1 and not ellipsis >> i & 1)
    covered = len(dims) - (count - added - has_ellipsis)
    if covered < 0:
        if not dims:
            raise Misfit("Attempting to slice scalar input.", (3,))
        raise Misfit(f"Index out of range using input dim {len(dims)}; input has only {len(dims)} dims", (3,))
    picks: list = []
    out: list = []
    shrunk: list = []

    def cover(axes: int) -> None:
        for _ in range(axes):
            out.append(len(picks))
            picks.append((None, None, 1))

    for i in range(count):
        if ellipsis >> i & 1:
            cover(covered)
        elif new >> i & 1:
            out.append("new")
        elif shrink >> i & 1:
            shrunk.append(len(picks))
            picks.append(_one(begin[i], strides[i], len(picks), dims[len(picks)]))
        else:
            if strides[i] == 0:
                raise Misfit(f"strides[{i}] must be non-zero", (3,))
            out.append(len(picks))
            picks.append((_bound(begin[i], begin_mask >> i & 1), _bound(end[i], end_mask >> i & 1), strides[i]))
    cover(len(dims) - len(picks))
    return SliceSpec(dims, picks, out, shrunk)


def _bound(value: int | None, masked: int) -> int | str | None:
    return None if masked else (UNKNOWN if value is None else value)


def _one(at: int | None, stride: int | None, axis: int, dim: int | None) -> tuple[Any, Any, int]:
    """The pick of a single element."""
    if stride is not None and stride <= 0:
        raise Misfit("only stride 1 allowed on non-range indexing.", (3,))
    if at is None:
        return UNKNOWN, UNKNOWN, 1
    if dim is not None and not -dim <= at < dim:
        place = at + dim if at < 0 else at  # at this point TensorFlow counts from the front
        raise Misfit(f"slice index {place} of dimension {axis} out of bounds.", (1, 2, 3))
    return at, at + 1 if at != -1 else None, 1


class Plan(NamedTuple):
    """A StridedSlice with known bounds, as `xp.strided_slice` takes it, and the shapes before and after axes are
    removed and added."""

    begin: tuple
    end: tuple
    strides: tuple
    sliced: tuple  # the shape before axes are removed and added
    final: tuple


@functools.lru_cache(maxsize=4096)
def plan(dims: tuple, begin: tuple, end: tuple, strides: tuple, masks: tuple) -> Plan:
    """The plan of a slice with known bounds; ValueError with TensorFlow's message if it is invalid."""
    spec = slice_spec(dict(zip(MASKS, masks, strict=True)), dims, begin, end, strides, (len(begin),))
    assert spec is not None  # the number of entries is known
    bounds = [slice(b, e, s).indices(n) for (b, e, s), n in zip(spec.picks, dims, strict=True)]
    begins, ends, steps = zip(*bounds, strict=True) if dims else ((), (), ())
    return Plan(begins, ends, steps, tuple(map(spec.length, range(len(dims)))), spec.final_shape())


def plan_of(dims: tuple[int, ...], begin: Any, end: Any, strides: Any, masks: tuple) -> Plan:
    """`plan` for operands that are host arrays."""
    if not begin.shape == end.shape == strides.shape or begin.ndim != 1:
        given = [text(bound.shape) for bound in (begin, end, strides)]
        both = f"but got shapes {given[0]}, {given[1]}, and {given[2]} instead."
        raise ValueError(f"Expected begin, end, and strides to be 1D equal size tensors, {both}")
    return plan(tuple(dims), tuple(begin.tolist()), tuple(end.tolist()), tuple(strides.tolist()), masks)


def dynamic_picks(dims: tuple, strides: tuple, masks: tuple) -> tuple[list[int | None], tuple, tuple] | None:
    """How a slice with unknown bounds can still have a fixed size: every axis is whole, or a single element of it is
    taken.

    Returns (entry of begin or None per input axis, sizes, final shape), or None if another axis is sliced.
    """
    begin_mask, end_mask, ellipsis, new, shrink = masks
    count = len(strides)
    spec = slice_spec(dict(zip(MASKS, masks, strict=True)), dims, None, None, strides, (count,))
    assert spec is not None  # the number of entries is known
    entries: list = [None] * len(dims)
    axis = 0
    for i in range(count):
        if ellipsis >> i & 1:
            axis += len(dims) - sum(1 for j in range(count) if not (new | ellipsis) >> j & 1)
        elif not new >> i & 1:
            if shrink >> i & 1:
                entries[axis] = i
            elif not (begin_mask & end_mask) >> i & 1 or strides[i] != 1:
                return None
            axis += 1
    sizes = tuple([1 if i in spec.shrunk else n for i, n in enumerate(dims)])
    return entries, sizes, tuple([1 if axis == "new" else dims[axis] for axis in spec.out])
