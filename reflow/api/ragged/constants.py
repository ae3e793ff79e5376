"""Ragged constants and placeholders: `tf.ragged.constant`, `tf.compat.v1.ragged.constant_value` and `placeholder`.

Nested lists have a *scalar depth*, the depth of all their scalars, and a *greatest depth*, which includes empty lists.
The outer `ragged_rank` levels become row partitions; the values inside must have equal shapes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from reflow.api.export import export
from reflow.api.framework.core_names import placeholder as dense_placeholder
from reflow.core import dtypes
from reflow.core import ragged as core_ragged
from reflow.core.context import state
from reflow.core.ragged import RaggedTensor
from reflow.ops.convert import constant, convert_to_tensor


@export("ragged.constant")
def constant_(pylist, dtype=None, ragged_rank=None, inner_shape=None, name=None, row_splits_dtype: Any = dtypes.int64):
    """Creates a ragged tensor from nested lists.

    Args:
      pylist: Lists in lists, with scalars at one depth.
      dtype: The dtype of the values; by default that of the scalars.
      ragged_rank: How many of the outer levels are rows of different lengths; by default all but the innermost.
      inner_shape: The shape of the values at the innermost level; by default that of the lists there.
      name: Has no effect.
      row_splits_dtype: The dtype of the row splits, `tf.int32` or `tf.int64`.

    Returns:
      A `RaggedTensor`, or a `Tensor` if there are no ragged levels.

    Raises:
      ValueError: Scalars stand at different depths, or the depth does not fit the other arguments.

    >>> tf.ragged.constant([[1, 2], []])
    <tf.RaggedTensor [[1, 2], []]>
    """
    kind = None if dtype is None else dtypes.as_dtype(dtype)

    def inner(values, shape):
        if shape is None:
            return constant(values, kind)
        if 0 in shape:
            return constant(np.zeros(shape, (kind or dtypes.float32).np_dtype), kind)
        result = constant(values, kind)
        return result if tuple(result.shape) == tuple(shape) else constant(np.reshape(np.array(values), shape), kind)

    def rows(values, splits):
        return RaggedTensor._of(values, constant(splits, dtypes.as_dtype(row_splits_dtype)))

    return _build(pylist, ragged_rank, inner_shape, inner, rows)


@export("compat.v1.ragged.constant_value")
def constant_value(pylist, dtype=None, ragged_rank=None, inner_shape=None, row_splits_dtype="int64"):
    """Creates a ragged value of NumPy arrays from nested lists: what a session gives for a ragged tensor.

    Args:
      pylist: Lists in lists, with scalars at one depth.
      dtype: The dtype of the values; by default that of the scalars.
      ragged_rank: How many of the outer levels are rows of different lengths; by default all but the innermost.
      inner_shape: The shape of the values at the innermost level; by default that of the lists there.
      row_splits_dtype: The dtype of the row splits, `"int32"` or `"int64"`.

    Returns:
      A `RaggedTensorValue`, or an array if there are no ragged levels.

    Raises:
      ValueError: Scalars stand at different depths, or the depth does not fit the other arguments.

    >>> tf.compat.v1.ragged.constant_value([[1, 2], [3]]).to_list()
    [[1, 2], [3]]
    """
    if isinstance(dtype, dtypes.DType):
        dtype = dtype.np_dtype
    splits_dtype = dtypes.as_dtype(row_splits_dtype).np_dtype
    if row_splits_dtype not in (dtypes.int32, dtypes.int64) and splits_dtype not in (np.int32, np.int64):
        raise TypeError("row_splits_dtype must be int32 or int64")

    def inner(values, shape):
        array = np.array(values) if dtype is None else np.array(values).astype(dtype)
        return array if shape is None else np.reshape(array, shape)

    def rows(values, splits):
        return RaggedTensorValue(values, np.array(splits, splits_dtype))

    return _build(pylist, ragged_rank, inner_shape, inner, rows)


def _build(pylist, ragged_rank, inner_shape, inner, rows) -> Any:
    """`inner(values, shape)` makes the innermost values, `rows(values, splits)` a ragged level of them."""
    if ragged_rank is not None and ragged_rank < 0:
        raise ValueError(f"Invalid ragged_rank={ragged_rank}: must be nonnegative")
    if not _is_list(pylist):
        if ragged_rank:
            raise ValueError(f"Invalid pylist={pylist!r}: incompatible with ragged_rank={ragged_rank}")
        if inner_shape:
            raise ValueError(f"Invalid pylist={pylist!r}: incompatible with dim(inner_shape)={len(inner_shape)}")
        return inner(pylist, ())
    ragged_rank = _ragged_rank(pylist, ragged_rank, inner_shape)
    splits, level = [], list(pylist)
    for _ in range(ragged_rank):
        splits.append(np.concatenate([[0], np.cumsum([len(row) for row in level], dtype=np.int64)]))
        level = [x for row in level for x in row]
    if not splits and inner_shape is None:
        return inner(_as_lists(level), None)
    shape = (len(level), *(_common_shape(level) if inner_shape is None else inner_shape))
    values = inner(_as_lists(level), shape if splits else tuple(inner_shape))
    for borders in reversed(splits):
        values = rows(values, borders)
    return values


def _ragged_rank(pylist, ragged_rank: int | None, inner_shape) -> int:
    """How many levels of lists become ragged axes. ValueError if the lists do not fit what is asked for."""
    scalars, deepest = _depths(pylist)
    if scalars is not None and deepest > scalars:
        raise ValueError(f"Invalid pylist={pylist}: empty list nesting is greater than scalar value nesting")
    if ragged_rank is not None and inner_shape is not None:
        wanted = ragged_rank + len(inner_shape) + 1
        if scalars is not None and scalars != wanted or scalars is None and deepest > wanted:
            raise ValueError(
                f"Invalid pylist={pylist}: incompatible with ragged_rank={ragged_rank} and "
                f"dim(inner_shape)={len(inner_shape)}"
            )
    if ragged_rank is None:
        return max(deepest - 1 - len(inner_shape or ()), 0)
    if scalars is not None and scalars <= ragged_rank:
        raise ValueError(
            f"pylist has scalar values depth {scalars}, but ragged_rank={ragged_rank} requires scalar value depth "
            f"greater than {ragged_rank}"
        )
    return ragged_rank


def _is_list(x) -> bool:
    """Whether a value has elements: an array without dimensions is a scalar."""
    return isinstance(x, (list, tuple)) or isinstance(x, np.ndarray) and x.ndim > 0


def _depths(x) -> tuple[int | None, int]:
    """(the depth at which all scalars stand or None if there are none, the greatest depth)."""
    if not _is_list(x):
        return 0, 0
    scalars, deepest = None, 0
    for child in x:
        inner, depth = _depths(child)
        if inner is not None and scalars is not None and inner != scalars:
            raise ValueError("all scalar values must have the same nesting depth")
        scalars, deepest = inner if scalars is None else scalars, max(deepest, depth)
    return None if scalars is None else scalars + 1, deepest + 1


def _common_shape(values) -> tuple[int, ...]:
    """The one shape that all values have."""
    shapes = {_shape(v) for v in values}
    if len(shapes) > 1:
        raise ValueError("inner values have inconsistent shape")
    return shapes.pop() if shapes else ()


def _shape(x) -> tuple[int, ...]:
    return (len(x), *_common_shape(x)) if _is_list(x) else ()


def _as_lists(x):
    if isinstance(x, np.ndarray):
        x = x.tolist()
    return [_as_lists(v) for v in x] if isinstance(x, (list, tuple)) else x


@export("compat.v1.ragged.RaggedTensorValue")
class RaggedTensorValue:
    """The value of a ragged tensor, in NumPy arrays.

    Args:
      values: The values of all rows, an array or another `RaggedTensorValue`.
      row_splits: Where the rows begin and end, a vector of int32 or int64.

    Raises:
      TypeError: An argument is of another type.
      ValueError: `values` is ragged and its rows are counted in another dtype.

    >>> tf.compat.v1.ragged.RaggedTensorValue(np.array([1, 2, 3]), np.array([0, 2, 3])).to_list()
    [[1, 2], [3]]
    """

    def __init__(self, values: Any, row_splits: Any):
        if not (
            isinstance(row_splits, (np.ndarray, np.generic)) and row_splits.dtype in (np.int64, np.int32)
            and row_splits.ndim == 1
        ):
            raise TypeError("row_splits must be a 1D int32 or int64 numpy array")
        if not isinstance(values, (np.ndarray, np.generic, RaggedTensorValue)):
            raise TypeError("values must be a numpy array or a RaggedTensorValue")
        if isinstance(values, RaggedTensorValue) and row_splits.dtype != values.row_splits.dtype:
            raise ValueError("row_splits and values.row_splits must have the same dtype")
        from reflow.api.ragged.dispatched import install_for_values  # it is built on this module

        core_ragged.prepare()
        install_for_values()
        self._values: Any = values
        self._row_splits: Any = row_splits

    row_splits = property(lambda self: self._row_splits)
    values = property(lambda self: self._values)
    dtype = property(lambda self: self._values.dtype)

    @property
    def flat_values(self):
        """The innermost values."""
        return self._values.flat_values if isinstance(self._values, RaggedTensorValue) else self._values

    @property
    def nested_row_splits(self) -> tuple:
        """The row splits of all ragged axes, outermost first."""
        inner = self._values.nested_row_splits if isinstance(self._values, RaggedTensorValue) else ()
        return (self._row_splits, *inner)

    @property
    def ragged_rank(self) -> int:
        """How many axes are ragged."""
        return len(self.nested_row_splits)

    @property
    def shape(self) -> tuple:
        """The shape, with None for axes of different lengths."""
        return (self._row_splits.shape[0] - 1, None, *self._values.shape[1:])

    @property
    def _nested_row_partitions(self) -> list:
        from reflow.api.ragged.row_partition import RowPartition

        return [RowPartition.from_row_splits(splits) for splits in self.nested_row_splits]

    def to_list(self) -> list:
        """Nested Python lists."""
        values = self._values.to_list() if isinstance(self._values, RaggedTensorValue) else self._values.tolist()
        return [values[a:b] for a, b in zip(self._row_splits[:-1], self._row_splits[1:], strict=True)]

    def __array__(self, dtype=None, copy=None):
        rows = self.to_list()
        return np.fromiter(rows, object, len(rows))

    def as_tensor(self, dtype=None) -> RaggedTensor:
        """The ragged tensor with this value."""
        flat = convert_to_tensor(self.flat_values, dtype)
        return RaggedTensor.from_nested_row_splits(flat, list(self.nested_row_splits), validate=False)

    def map_values(self, function) -> RaggedTensor:
        """A function of one tensor, applied to the innermost values."""
        return self.as_tensor().map_values(function)

    def map_pairs(self, function, x, y) -> RaggedTensor:
        """A function of two tensors, applied to the values of two ragged ones, or of one and what broadcasts to it."""
        return self.as_tensor().map_pairs(function, x, y)

    def __str__(self):
        return f"<tf.RaggedTensorValue {self.to_list()}>"

    def __repr__(self):
        return f"tf.RaggedTensorValue(values={self._values!r}, row_splits={self._row_splits!r})"


@export("compat.v1.ragged.placeholder")
def placeholder(dtype, ragged_rank, value_shape=None, name=None):
    """Creates an input of the graph under construction whose value is ragged.

    Args:
      dtype: The dtype of its values.
      ragged_rank: How many ragged axes it has.
      value_shape: The shape of the innermost values, without the axis of their rows.
      name: A name for the operation.

    Returns:
      A `RaggedTensor` that must be fed a value; a `Tensor` if `ragged_rank` is 0.

    Raises:
      RuntimeError: In eager code.

    >>> with tf.Graph().as_default():
    ...     rows = tf.compat.v1.ragged.placeholder(tf.int32, 1)
    >>> rows.ragged_rank, rows.dtype
    (1, tf.int32)
    """
    if ragged_rank == 0:
        return dense_placeholder(dtype, value_shape, name)
    if state.graph is None:
        raise RuntimeError("tf.placeholder() is not compatible with eager execution.")
    with state.graph.scope(name or "RaggedPlaceholder"):
        shape = None if value_shape is None else [None, *value_shape]
        result = dense_placeholder(dtype, shape, "flat_values")
        for i in reversed(range(ragged_rank)):
            result = RaggedTensor._of(result, dense_placeholder(dtypes.int64, [None], f"row_splits_{i}"))
        return result
