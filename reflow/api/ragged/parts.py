"""Accessors of a ragged tensor's rows (lengths, boundaries, ids), and conversions: dense, sparse, lists, fewer axes."""

from __future__ import annotations

import itertools

import numpy as np

from reflow.api.array import arrange, creation, indexing
from reflow.api.call import call
from reflow.api.math import arithmetic, reduce
from reflow.api.ragged.build import rows_of
from reflow.api.ragged.row_partition import RowPartition
from reflow.api.scoped import scoped
from reflow.core import dtypes
from reflow.core.ragged import RaggedTensor
from reflow.core.sparse import SparseTensor
from reflow.core.tensor import EagerTensor
from reflow.ops.convert import constant, convert_to_tensor
from reflow.ops.kernels.strings.format import ragged_lists


def _row_partition(self) -> RowPartition:
    """How the values are cut into rows."""
    if self._partition is None:
        length = self._uniform
        self._partition = RowPartition(self._row_splits, uniform_row_length=length, internal=True)
    return self._partition


def _nested_row_partitions(self) -> tuple:
    """The partitions of all ragged axes, outermost first."""
    inner = self.values._nested_row_partitions if isinstance(self.values, RaggedTensor) else ()
    return (self._row_partition, *inner)


def _nrows(self, out_type=None, name=None):
    """How many rows there are."""
    if out_type is None or dtypes.as_dtype(out_type) is self.row_splits.dtype:
        return self._row_partition.nrows()
    return arrange.shape(self.row_splits, out_type=dtypes.as_dtype(out_type))[0] - 1


def _row_starts(self, name=None):
    """Where each row starts."""
    return self._row_partition.row_starts()


def _row_limits(self, name=None):
    """Where each row ends."""
    return self._row_partition.row_limits()


def _row_lengths(self, axis=1, name=None):
    """The length of each row."""
    axis = positive_axis(axis, self.shape.rank)
    if axis == 0:
        return self.nrows()
    if axis == 1:
        return self._row_partition.row_lengths()
    if isinstance(self.values, RaggedTensor):
        return self.with_values(self.values.row_lengths(axis - 1))
    lengths = arrange.shape(self.values, out_type=self.row_splits.dtype)
    return self.with_values(creation.ones(lengths[: axis - 1], self.row_splits.dtype) * lengths[axis - 1])


def positive_axis(axis: int, rank: int | None, name: str = "axis", rank_name: str = "ndims") -> int:
    """An axis counted from the front; ValueError if it is outside of `rank`, or counted from an unknown end."""
    if not isinstance(axis, (int, np.integer)):
        raise TypeError(f"{name} must be an int; got {type(axis).__name__}")
    if rank is None:
        if axis < 0:
            raise ValueError(f"{name}={axis} may only be negative if {rank_name} is statically known.")
        return int(axis)
    if not -rank <= axis < rank:
        raise ValueError(f"{name}={axis} out of bounds: expected {-rank}<={name}<{rank}")
    return int(axis) + rank if axis < 0 else int(axis)


def _nested_row_lengths(self, name=None) -> tuple:
    """The lengths of the rows of each ragged axis."""
    inner = self.values.nested_row_lengths() if isinstance(self.values, RaggedTensor) else ()
    return (self.row_lengths(), *inner)


def _value_rowids(self, name=None):
    """The row of each value."""
    return self._row_partition.value_rowids()


def _nested_value_rowids(self, name=None) -> tuple:
    """The row of each value, for each ragged axis."""
    inner = self.values.nested_value_rowids() if isinstance(self.values, RaggedTensor) else ()
    return (self.value_rowids(), *inner)


def _bounding_shape(self, axis=None, name=None, out_type=None):
    """The shape of the smallest dense tensor that holds all rows."""
    kind = self.row_splits.dtype if out_type is None else dtypes.as_dtype(out_type)
    lengths = arrange.concat([self.row_lengths(), constant([0], self.row_splits.dtype)], 0)
    longest = reduce.reduce_max(lengths)
    inner = (
        self.values.bounding_shape(out_type=kind)
        if isinstance(self.values, RaggedTensor)
        else arrange.shape(self.values, out_type=kind)
    )
    first = arrange.stack([self.nrows(out_type=kind), arithmetic.cast(longest, kind)])
    full = arrange.concat([first, inner[1:]], 0)
    return full if axis is None else indexing.gather(full, axis)


def _to_tensor(self, default_value=None, name=None, shape=None):
    """A dense tensor: short rows are filled up with `default_value`, rows longer than `shape` says are cut."""
    values = self.values
    if isinstance(values, RaggedTensor):
        values = values.to_tensor(default_value, shape=None if shape is None else [None, *list(shape)[2:]])
    kind = self.row_splits.dtype
    rows, longest = self.nrows(), self.bounding_shape(axis=1)
    wanted = [None, None] if shape is None else [int(d) if d is not None and d != -1 else None for d in list(shape)[:2]]
    width = longest if wanted[1] is None else constant(wanted[1], kind)
    ids = self.value_rowids()
    columns = creation.range(arithmetic.cast(rows_of(values), kind)) - indexing.gather(self.row_splits, ids)
    inside = columns < width
    where = indexing.boolean_mask(arrange.stack([ids, columns], 1), inside)
    inner = arrange.shape(values, out_type=kind)[1:]
    full = arrange.concat([arrange.stack([rows, width]), inner], 0)
    if default_value is None:
        default_value = {"string": b"", "bool": False}.get(self.dtype.name, 0)
    filled = arrange.broadcast_to(convert_to_tensor(default_value, self.dtype), full)
    result = indexing.tensor_scatter_nd_update(filled, where, indexing.boolean_mask(values, inside))
    if wanted[0] is not None:
        result = _fit_rows(result, wanted[0], default_value)
    static = self.shape
    if not isinstance(result, EagerTensor) and static.rank is not None:
        result.set_shape(
            [wanted[0] or static[0], wanted[1], *static[2:]]
            if not isinstance(self.values, RaggedTensor)
            else [None] * static.rank
        )
    return result


def _fit_rows(dense, rows: int, default_value):
    missing = arithmetic.maximum(rows - arrange.shape(dense)[0], 0)
    shape = arrange.concat([arrange.reshape(missing, [1]), arrange.shape(dense)[1:]], 0)
    more = arrange.broadcast_to(convert_to_tensor(default_value, dense.dtype), shape)
    return arrange.concat([dense[:rows], more], 0)


def _as(x, kind):
    return arithmetic.cast(x, kind)


@scoped("RaggedToSparse")
def _to_sparse(self, name=None) -> SparseTensor:
    """The entries with their places."""
    splits = self.nested_row_splits
    return SparseTensor(*call("RaggedTensorToSparse", (*splits, self.flat_values), {"RAGGED_RANK": len(splits)}, name))


def _to_list(self) -> list:
    """Nested Python lists."""
    if not isinstance(self.flat_values, EagerTensor):
        return _rows_of_lists(self)
    return _python(ragged_lists(self.flat_values._host(), [s._host() for s in self.nested_row_splits]))


def _rows_of_lists(x) -> list:
    """Nested lists of values that are not tensors, but can convert themselves to a list or an array."""
    if not isinstance(x, RaggedTensor):
        if not hasattr(x, "to_list") and not hasattr(x, "numpy"):
            raise ValueError("values must be convertible to a list")
        return x.to_list() if hasattr(x, "to_list") else x.numpy().tolist()
    if not isinstance(x.row_splits, EagerTensor):
        raise ValueError("to_list can only be used in eager mode.")
    values, splits = _rows_of_lists(x.values), x.row_splits._host().tolist()
    return [values[start:end] for start, end in itertools.pairwise(splits)]


def _python(x):
    return [_python(v) for v in x] if isinstance(x, list) else (x if isinstance(x, bytes) else x.item())


def _numpy(self):
    """A NumPy array of rows; of dtype object if their lengths differ.

    Inner rows are made first, all of them at once.
    """
    if not isinstance(self.row_splits, EagerTensor) or not hasattr(self.flat_values, "numpy"):
        raise ValueError("RaggedTensor.numpy() is only supported in eager mode.")
    values, splits = self.values.numpy(), self.row_splits._host().tolist()
    rows = [values[start:end] for start, end in zip(splits[:-1], splits[1:], strict=True)]
    if not rows:
        return np.zeros((0, 0, *values.shape[1:]), values.dtype)
    if all(len(row) == len(rows[0]) for row in rows):
        return np.stack(rows)
    return np.fromiter(rows, object, len(rows))


def _merge_dims(self, outer_axis, inner_axis):
    """Axes `outer_axis` to `inner_axis` as one."""
    rank = self.shape.rank
    outer = positive_axis(outer_axis, rank, "outer_axis")
    inner = positive_axis(inner_axis, rank, "inner_axis")
    if outer > inner:
        raise ValueError(f"Expected outer_axis ({outer_axis}) to be less than or equal to inner_axis ({inner_axis}).")
    if outer == inner:
        return self
    values, ragged = self.values, isinstance(self.values, RaggedTensor)
    if outer == 0:
        if inner == 1:
            return values
        return values.merge_dims(0, inner - 1) if ragged else _merge_dense(values, 0, inner - 1)
    if outer > 1:
        return self.with_values(
            values.merge_dims(outer - 1, inner - 1) if ragged else _merge_dense(values, outer - 1, inner - 1)
        )
    if ragged:  # rows of rows become one row: their outer borders, counted in inner values
        joined = RaggedTensor._of(values.values, indexing.gather(values.row_splits, self.row_splits))
    else:
        width = arrange.shape(values, out_type=self.row_splits.dtype)[1]
        joined = RaggedTensor._of(_merge_dense(values, 0, 1), self.row_splits * width)
    return joined.merge_dims(1, inner - 1)


def _merge_dense(x, outer, inner):
    if outer == inner:
        return x
    dims = arrange.shape(x)
    return arrange.reshape(x, arrange.concat([dims[:outer], [-1], dims[inner + 1 :]], 0))


def _with_row_splits_dtype(self, dtype):
    """The same tensor with row splits of another integer type."""
    kind = dtypes.as_dtype(dtype)
    if kind not in (dtypes.int32, dtypes.int64):
        raise ValueError(f"Argument `row_splits` dtype must be int32 or int64. Received {kind}.")
    inner = self.values.with_row_splits_dtype(kind) if isinstance(self.values, RaggedTensor) else self.values
    return RaggedTensor._of(inner, arithmetic.cast(self.row_splits, kind), self._uniform)


for _name, _function in {
    "nrows": _nrows,
    "row_starts": _row_starts,
    "row_limits": _row_limits,
    "row_lengths": _row_lengths,
    "value_rowids": _value_rowids,
    "nested_row_lengths": _nested_row_lengths,
    "nested_value_rowids": _nested_value_rowids,
    "bounding_shape": _bounding_shape,
    "to_tensor": _to_tensor,
    "to_sparse": _to_sparse,
    "to_list": _to_list,
    "numpy": _numpy,
    "merge_dims": _merge_dims,
    "with_row_splits_dtype": _with_row_splits_dtype,
}.items():
    setattr(RaggedTensor, _name, _function)
RaggedTensor._row_partition = property(_row_partition)
RaggedTensor._nested_row_partitions = property(_nested_row_partitions)
