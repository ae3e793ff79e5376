"""Rows of ragged tensors: `ragged[...]` and iteration."""

from __future__ import annotations

from reflow.api.array import arrange, creation, indexing
from reflow.api.math import arithmetic, clip
from reflow.api.ragged import factories
from reflow.core.ragged import RaggedTensor
from reflow.function.control_flow import cond
from reflow.ops.convert import constant


def _getitem(self, key):
    """A row, or a range of rows; further keys go to the rows."""
    if not isinstance(key, tuple):
        key = (key,)
    if any(k is Ellipsis for k in key):
        at = next(i for i, k in enumerate(key) if k is Ellipsis)
        missing = self.shape.rank - sum(k is not None for k in key) + 1
        key = key[:at] + (slice(None),) * missing + key[at + 1 :]
    first, rest = key[0], key[1:]
    if isinstance(first, slice):
        result = self if first == slice(None) else _some_rows(self, first)
        return result if not rest else _inside_rows(result, rest)
    rows = self.shape[0]
    if isinstance(first, int) and rows is not None and not -rows <= first < rows:
        raise IndexError(f"Row key {first} out of bounds")
    row = self.values[self.row_starts()[first] : self.row_limits()[first]]
    if not rest:
        return row
    return row[rest if len(rest) > 1 else rest[0]]


def _some_rows(self, rows: slice):
    starts, limits = self.row_starts()[rows], self.row_limits()[rows]
    if rows.step in (None, 1):
        count = arrange.size(starts, out_type=starts.dtype)
        low = cond(count > 0, lambda: starts[0], lambda: constant(0, starts.dtype))
        high = cond(count > 0, lambda: limits[-1], lambda: constant(0, starts.dtype))
        splits = arrange.concat([arrange.reshape(low, [1]), limits], 0) - low
        return RaggedTensor._of(self.values[low:high], splits, self._uniform)
    lengths = limits - starts
    return RaggedTensor.from_row_lengths(
        indexing.gather(self.values, factories.range_(starts, limits).values), lengths, validate=False
    )


def _inside_rows(self, keys):
    first, rest = keys[0], keys[1:]
    if isinstance(first, slice):
        if first == slice(None):
            return self.with_values(self.values[(slice(None), *rest)]) if rest else self
        if first.step not in (None, 1):
            raise NotImplementedError("Steps inside the rows of a RaggedTensor are not there yet.")
        lengths = self.row_lengths()
        low, high = (_clipped(bound, lengths) for bound in (first.start, first.stop))
        low = creation.zeros_like(lengths) if low is None else low
        high = arithmetic.maximum(low, lengths if high is None else high)
        picked = factories.range_(self.row_starts() + low, self.row_starts() + high)
        result = RaggedTensor._of(indexing.gather(self.values, picked.values), picked.row_splits)
        return result if not rest else _inside_rows(result, (slice(None), *rest))
    if isinstance(first, int):
        raise ValueError("Cannot index into an inner ragged dimension.")
    raise TypeError(f"Key {first!r} is not supported for a RaggedTensor.")


def _clipped(bound, lengths):
    if bound is None:
        return None
    value = constant(bound, lengths.dtype) if isinstance(bound, int) else arithmetic.cast(bound, lengths.dtype)
    value = arithmetic.where(value < 0, value + lengths, value * creation.ones_like(lengths))
    return clip.clip_by_value(value, creation.zeros_like(lengths), lengths)


def _iterate(self):
    rows = self.shape[0]
    if rows is None:
        raise TypeError(
            "Cannot iterate over a RaggedTensor whose number of rows is not known while the function is traced."
        )
    return (self[i] for i in range(rows))


for _name, _function in {"__getitem__": _getitem, "__iter__": _iterate}.items():
    setattr(RaggedTensor, _name, _function)
