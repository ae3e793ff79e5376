"""Sorting, searching and unique values."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np

from reflow.api.array.arrange import concat, reshape, shape, transpose
from reflow.api.call import call
from reflow.api.export import export, with_sections
from reflow.api.scoped import scoped
from reflow.core import dtypes, errors
from reflow.core.context import state
from reflow.ops import convert
from reflow.ops.convert import convert_to_tensor
from reflow.ops.shape_facts import known

TopKV2 = collections.namedtuple("TopKV2", "values indices")
Unique = collections.namedtuple("Unique", "y idx")
UniqueWithCounts = collections.namedtuple("UniqueWithCounts", "y idx count")
for _class in (TopKV2, Unique, UniqueWithCounts):
    _class.__module__ = "tensorflow"


def _count(k):
    """The operand `k`: an integer of any dtype. A Python float is a TypeError."""
    return convert_to_tensor(k, dtypes.int32 if isinstance(k, float) else None, dtype_hint=dtypes.int32)


@export("math.top_k", "nn.top_k")
def top_k(input, k: Any = 1, sorted=True, index_type: Any = dtypes.int32, name=None):
    """Finds the k largest entries along the last axis, largest first, and their indices.

    Args:
      input: A tensor of a float or integer dtype, of rank 1 or more.
      k: How many entries to find.
      sorted: Ignored: the entries are always sorted.
      index_type: The dtype of the indices.
      name: A name for the operation.

    Returns:
      A named tuple `(values, indices)`, whose last axis has size `k`; of equal entries the first come first.

    Raises:
      InvalidArgumentError: The last axis is shorter than `k`.

    >>> values, indices = tf.math.top_k([3, 1, 2], k=2)
    >>> values.numpy().tolist(), indices.numpy().tolist()
    ([3, 2], [0, 2])
    """
    attrs = {"sorted": bool(sorted), "index_type": dtypes.as_dtype(index_type)}
    return TopKV2(
        *call("TopKV2", (convert_to_tensor(input), _count(k)), attrs, name)
    )


def _last_axis_first(values, axis):
    """`values` with `axis` moved to the end, and the permutation back (None if nothing moved)."""
    count = values.shape.rank
    if isinstance(axis, (int, np.integer)):
        where = int(axis)
    else:
        static = convert_to_tensor(axis)
        if static._is_symbolic or static.shape.rank:
            raise ValueError(f"Argument `axis` must be a constant scalar. Received: axis={axis}.")
        where = int(static._host())
    if count is None:
        if where == -1:
            return values, None
        swap = _swapped_axes(values, where)
        return transpose(values, swap), swap
    if not -count <= where < count:
        words = f"slice index {where if where >= 0 else where + count} of dimension 0 out of bounds."
        raise ValueError(words) if state.graph is not None else errors.InvalidArgumentError(None, None, words)
    where %= count
    if where == count - 1:
        return values, None
    swap = list(range(count))
    swap[where], swap[-1] = swap[-1], swap[where]
    order = convert.constant(swap, name="transposition")
    return transpose(values, order), order


def _swapped_axes(values, axis):
    """The permutation that swaps an axis and the last one, as a tensor: the rank is not known."""
    zero, one = convert.constant(0), convert.constant(1)
    rank = call("Rank", (values,))
    last = call("Sub", (rank, one))
    place = convert.constant(axis) if axis >= 0 else call("AddV2", (rank, convert.constant(axis)))
    axes = call("Range", (zero, rank, one))
    places = reshape(call("Pack", [place, last]), [2, 1])
    return call("TensorScatterUpdate", (axes, places, call("Pack", [last, place])))


def _reversed_order(values):
    """A tensor that sorts in the opposite order; applied twice it gives the values back."""
    dtype = values._dtype
    if dtype.kind == "u":
        return call("Sub", (convert.constant(np.array(dtype.max, dtype.np_dtype)), values))
    if dtype.kind == "i":
        return call("Sub", (convert.constant(np.array(-1, dtype.np_dtype)), values))
    return call("Neg", (values,))


def _sorted(values, axis, direction, which, name):
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(
            f"Argument `direction` should be one of ASCENDING, DESCENDING. Received: direction={direction}"
        )
    values = convert_to_tensor(values)
    keys = _reversed_order(values) if direction == "ASCENDING" else values
    keys, back = _last_axis_first(keys, axis)
    last = keys.shape[-1] if keys.shape.rank is not None else None
    k = convert.constant(last) if last is not None else _last_size(keys)
    result = call("TopKV2", (keys, k), {"sorted": True, "index_type": dtypes.int32}, name)[which]
    if which == 0 and direction == "ASCENDING":
        result = _reversed_order(result)
    return result if back is None else transpose(result, back)


def _last_size(x):
    dims = shape(x)
    static = dims._static if hasattr(dims, "_static") else None
    if static is not None and known(static):
        return convert.constant(static[-1])
    bounds = [convert.constant([k]) for k in (-1, 0, 1)]
    return call("StridedSlice", (dims, *bounds), {"shrink_axis_mask": 1})


_SORTED = """\
Args:
  values: A tensor of a float or integer dtype.
  axis: The axis.
  direction: "ASCENDING" or "DESCENDING".
  name: A name for the operation.

Returns:
  {result} of `values`.

Raises:
  ValueError: `direction` is another word.
  InvalidArgumentError: There is no such axis, or the dtype has no order.
"""


@export("sort")
@with_sections(_SORTED, result="A tensor of the shape and dtype")
@scoped("sort")
def sort(values, axis=-1, direction="ASCENDING", name=None):
    """Sorts a tensor along an axis.

    >>> tf.sort([3, 1, 2]).numpy().tolist()
    [1, 2, 3]
    """
    return _sorted(values, axis, direction, 0, name)


@export("argsort")
@with_sections(_SORTED, result="An int32 tensor of the shape")
@scoped("argsort")
def argsort(values, axis=-1, direction="ASCENDING", stable=False, name=None):
    """Finds the indices that sort a tensor along an axis.

    Args:
      stable: Ignored: equal elements always keep their order.

    >>> tf.argsort([3, 1, 2]).numpy().tolist()
    [1, 2, 0]
    """
    return _sorted(values, axis, direction, 1, name)


@export("searchsorted")
def searchsorted(sorted_sequence, values, side="left", out_type: Any = dtypes.int32, name=None):
    """Finds where each value would be inserted into a sorted sequence (along the last axis).

    Args:
      sorted_sequence: A tensor whose last axis is sorted in ascending order.
      values: The values, of the same dtype; all axes but the last are those of `sorted_sequence`.
      side: "left" for the place before equal elements, "right" for the one after them.
      out_type: The dtype of the result, int32 or int64.
      name: A name for the operation.

    Returns:
      A tensor of the shape of `values`.

    Raises:
      ValueError: `side` is another word.
      InvalidArgumentError: The leading axes differ.

    >>> tf.searchsorted([1, 3, 5], [2, 3]).numpy().tolist()
    [1, 1]
    """
    if side not in ("left", "right"):
        raise ValueError(f"Argument `side` must be either 'right' or 'left'. Received: `side` = '{side}'.")
    sequence = convert_to_tensor(sorted_sequence)
    values = convert_to_tensor(values, dtype_hint=sequence._dtype)
    rows = [_as_matrix(t) for t in (sequence, values)]
    op = "LowerBound" if side == "left" else "UpperBound"
    found = call(op, rows, {"out_type": dtypes.as_dtype(out_type)}, name)
    return reshape(found, shape(values))


def _as_matrix(t):
    """t with all axes but the last as one."""
    dims = t.shape._dims
    if not dims or dims[-1] is None:
        return reshape(t, concat([[-1], reshape(_last_size(t), [1])], 0))
    return reshape(t, [-1 if None in dims else int(np.prod(dims[:-1])), dims[-1]])


@export("unique")
def unique(x, out_idx: Any = dtypes.int32, name=None):
    """Finds the distinct values of a vector in order of appearance, and the index of each element among them.

    Args:
      x: A vector.
      out_idx: The dtype of the indices, int32 or int64.
      name: A name for the operation.

    Returns:
      A named tuple `(y, idx)`: the distinct values, and for each element of `x` its place in `y`.

    Raises:
      InvalidArgumentError: `x` is not a vector.

    >>> y, idx = tf.unique([5, 7, 5])
    >>> y.numpy().tolist(), idx.numpy().tolist()
    ([5, 7], [0, 1, 0])
    """
    return Unique(*call("Unique", (convert_to_tensor(x),), {"out_idx": dtypes.as_dtype(out_idx)}, name))


@export("unique_with_counts")
def unique_with_counts(x, out_idx: Any = dtypes.int32, name=None):
    """Finds the distinct values of a vector like `unique`, with the number of occurrences of each.

    Args:
      x: A vector.
      out_idx: The dtype of the indices and counts, int32 or int64.
      name: A name for the operation.

    Returns:
      A named tuple `(y, idx, count)`: the distinct values, for each element of `x` its place in `y`, and the counts.

    Raises:
      InvalidArgumentError: `x` is not a vector.

    >>> [t.numpy().tolist() for t in tf.unique_with_counts([5, 7, 5])]
    [[5, 7], [0, 1, 0], [2, 1]]
    """
    return UniqueWithCounts(
        *call("UniqueWithCounts", (convert_to_tensor(x),), {"out_idx": dtypes.as_dtype(out_idx)}, name)
    )
