"""Rows of ragged tensors: `ragged[...]` and iteration."""

from __future__ import annotations

import operator

from reflow.api.array import arrange, creation, indexing
from reflow.api.debugging import asserts
from reflow.api.export import export
from reflow.api.math import arithmetic, clip
from reflow.api.ragged import factories
from reflow.api.ragged.row_partition import guarded
from reflow.core.context import state
from reflow.core.ragged import RaggedTensor
from reflow.core.tensor import Tensor
from reflow.ops.convert import constant, convert_to_tensor


@export("__operators__.ragged_getitem")
def _getitem(rt_input, key):
    """A row, or a range of rows; further keys go to the rows.

    >>> tf.__operators__.ragged_getitem(tf.ragged.constant([[1], [2, 3]]), 1).numpy().tolist()
    [2, 3]
    """
    return _rows(rt_input, list(key) if isinstance(key, (list, tuple)) else [key])


def _rows(ragged, keys: list):
    """The first key chooses among the rows, the others inside of them."""
    if not keys:
        return ragged
    first, *rest = _spread_ellipsis(keys, ragged.shape.rank)
    if first is None:
        return arrange.expand_dims(_rows(ragged, rest), 0)
    if isinstance(first, slice):
        return _columns(ragged if first == slice(None) else _some_rows(ragged, first), rest)
    count = ragged.shape[0]
    if isinstance(first, int) and count is not None and first >= count:
        raise IndexError(f"Row key {first} out of bounds")
    row = ragged.values[ragged.row_starts()[first] : ragged.row_limits()[first]]
    return row[tuple(rest)] if rest else row


def _spread_ellipsis(keys: list, rank: int | None) -> list:
    """The keys with a leading `...` replaced by as many full slices as it represents."""
    if keys[0] is not Ellipsis:
        return keys
    if rank is None:
        raise ValueError("Ellipsis not supported for unknown shape RaggedTensors")
    missing = rank - sum(k is not None for k in keys[1:])
    if missing < 0:
        raise IndexError(f"Too many indices for RaggedTensor; at most {rank} are possible")
    return [slice(None)] * missing + keys[1:] or [slice(None)]


def _some_rows(ragged, rows: slice):
    starts, limits = ragged.row_starts()[rows], ragged.row_limits()[rows]
    if rows.step is not None and not (isinstance(rows.step, int) and rows.step == 1):
        picked = factories.range_(starts, limits, row_splits_dtype=starts.dtype)
        return RaggedTensor._of(indexing.gather(ragged.values, picked.values), picked.row_splits, ragged._uniform)
    # one stretch of values; without rows it is the empty one at 0
    zero = creation.zeros([1], starts.dtype)[arrange.size(starts) :]
    borders = arrange.concat([zero, starts[:1], limits], 0)
    return RaggedTensor._of(ragged.values[borders[0] : borders[-1]], borders - borders[0], ragged._uniform)


def _columns(ragged, keys: list):
    """Keys inside all rows: slices, new axes, and for rows of one length also a column."""
    if not keys:
        return ragged
    rank = ragged.shape.rank
    first, *rest = _spread_ellipsis(keys, None if rank is None else rank - 1)
    if first is None:
        return RaggedTensor.from_uniform_row_length(_columns(ragged, rest), constant(1, ragged.row_splits.dtype))
    if not isinstance(first, slice):
        column = _one_column(ragged, first)
        return column[(slice(None), *rest)] if rest else column
    if first != slice(None):
        ragged = _column_range(ragged, first)
    if not rest:
        return ragged
    return ragged.with_values(_inner(ragged.values, rest))


def _inner(values, keys: list):
    return _columns(values, keys) if isinstance(values, RaggedTensor) else values[(slice(None), *keys)]


_OUTSIDE = "A column of a ragged tensor is out of bounds."


def _one_column(ragged, index):
    if ragged.uniform_row_length is None:
        raise ValueError("Cannot index into an inner ragged dimension.")
    length = ragged.uniform_row_length
    if state.graph is None:
        offset = creation.range(length)[index]  # an empty row says itself that the index is out of bounds
    else:  # where TensorFlow says so when the graph runs
        place = arithmetic.cast(convert_to_tensor(index), length.dtype)
        inside = [
            asserts.assert_less_equal(-length, place, message=_OUTSIDE),
            asserts.assert_less(place, length, message=_OUTSIDE),
        ]  # fmt: skip
        offset = guarded(inside, arithmetic.where(place < 0, place + length, place))
    return indexing.gather(ragged.values, ragged.row_starts() + offset)


def _column_range(ragged, columns: slice):
    """The same slice of every row, in Python's meaning."""
    start, stop = (_bound(b, "offsets") for b in (columns.start, columns.stop))
    step = _bound(columns.step, "strides")
    if ragged.uniform_row_length is not None:
        low, high, step = _limits(start, stop, step, ragged.uniform_row_length)
        lengths = arrange.broadcast_to(arrange.size(creation.range(low, high, step), out_type=low.dtype), [])
        low, high = ragged.row_starts() + low, ragged.row_starts() + high
        picked = factories.range_(low, high, step, row_splits_dtype=low.dtype)
        return RaggedTensor.from_uniform_row_length(
            indexing.gather(ragged.values, picked.values), lengths, nrows=ragged.nrows(), validate=False
        )
    low, high, step = _limits(start, stop, step, ragged.row_lengths())
    starts = ragged.row_starts()
    picked = factories.range_(starts + low, starts + high, step, row_splits_dtype=starts.dtype)
    return RaggedTensor._of(indexing.gather(ragged.values, picked.values), picked.row_splits)


def _bound(value, what: str):
    """A slice's bound or step: None, an int or an integer tensor."""
    if value is None or isinstance(value, Tensor) and value.dtype.is_integer:
        return value
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"slice {what} must be integers or None") from None


def _limits(start, stop, step, lengths):
    """The first position, the one before which to stop, and the step, for rows of the given lengths."""
    kind = lengths.dtype
    step = constant(1 if step is None else step, kind) if not isinstance(step, Tensor) else arithmetic.cast(step, kind)
    zero = creation.zeros_like(lengths)
    down = arrange.broadcast_to(step < 0, arrange.shape(lengths))
    lowest, highest = arithmetic.where(down, zero - 1, zero), arithmetic.where(down, lengths - 1, lengths)

    def place(bound, default):
        if bound is None:
            return default
        bound = arithmetic.cast(convert_to_tensor(bound), kind) + zero
        return clip.clip_by_value(arithmetic.where(bound < 0, bound + lengths, bound), lowest, highest)

    first = place(start, arithmetic.where(down, highest, lowest))
    last = place(stop, arithmetic.where(down, lowest, highest))
    # a range that would go the wrong way is empty
    last = arithmetic.where(down, arithmetic.minimum(first, last), arithmetic.maximum(first, last))
    return first, last, step


def _iterate(self):
    rows = self.shape[0]
    if rows is None:
        raise TypeError(
            "Cannot iterate over a RaggedTensor whose number of rows is not known while the function is traced."
        )
    return (self[i] for i in range(rows))


for _name, _function in {"__getitem__": _getitem, "__iter__": _iterate}.items():
    setattr(RaggedTensor, _name, _function)
