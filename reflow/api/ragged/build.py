"""`tf.RaggedTensor.from_…`: ragged tensors from values and row boundaries, from dense and from sparse tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from reflow.api.array import arrange, creation, indexing
from reflow.api.control.printing import assert_ as assertion
from reflow.api.debugging import asserts
from reflow.api.export import export_value
from reflow.api.math import arithmetic, reduce
from reflow.api.ragged.constants import RaggedTensorValue
from reflow.api.ragged.row_partition import RowPartition, guarded, partition_tensor
from reflow.core import dtypes
from reflow.core.ragged import VALUE_TYPES, RaggedTensor, RaggedTensorSpec
from reflow.core.sparse import SparseTensor
from reflow.core.tensor import Tensor
from reflow.ops.convert import constant, convert_to_tensor

export_value(RaggedTensor, "RaggedTensor")
export_value(RaggedTensorSpec, "RaggedTensorSpec")


def as_values(x):
    """Values of rows: a ragged tensor or another composite stays one, a ragged value of arrays becomes one,
    everything else a tensor."""
    if isinstance(x, (RaggedTensor, *VALUE_TYPES)):
        return x
    return x.as_tensor() if isinstance(x, RaggedTensorValue) else convert_to_tensor(x)


def rows_of(x, kind=dtypes.int64):
    """The length of the first axis, as a scalar."""
    return x.nrows(out_type=kind) if isinstance(x, RaggedTensor) else arrange.shape(x, out_type=kind)[0]


def partitioned(values, partition, validate=True):
    """Values cut into rows by a partition of as many values."""
    if not isinstance(partition, RowPartition):
        raise TypeError(f"Argument `row_partition` must be a RowPartition. Received {partition}.")
    if not isinstance(validate, bool):
        raise TypeError(f"Argument `validate` must have type bool. Received {validate}.")
    values = as_values(values)
    if isinstance(values, RaggedTensor) and values.row_splits.dtype is not partition.dtype:
        raise ValueError(
            "Argument `row_partition` of RaggedTensor must have the dtype of the row splits inside `values`. "
            f"({partition.dtype} vs. {values.row_splits.dtype})."
        )
    if partition._has_precomputed_value_rowids():
        values.shape[:1].assert_is_compatible_with(partition._value_rowids.shape)
    values.shape.with_rank_at_least(1)
    if validate:
        what = "Arguments to _from_row_partition do not form a valid RaggedTensor"
        check = asserts.assert_equal(partition.nvals(), rows_of(values, partition.dtype), message=what)
        partition = partition._with(0, guarded([check], partition.row_splits()))
    return RaggedTensor(values, partition, internal=True)


def _check_bool(validate):
    if not isinstance(validate, bool):
        raise TypeError(f"Argument `validate` must have type bool. Received {validate}.")


def _hint(values):
    """The type in which rows are counted where the borders do not say it: that of the values' own rows."""
    return values.row_splits.dtype if isinstance(values, RaggedTensor) else None


def _from_partition(cls, values, row_partition, validate=True):
    """Values cut into rows by a `RowPartition`."""
    return partitioned(values, row_partition, validate)


def _in_rows(values, validate, partition):
    """Values cut into rows by `partition(hint)`, where `hint` is the type in which the values' own rows are counted."""
    _check_bool(validate)
    values = as_values(values)
    return partitioned(values, partition(_hint(values)), validate)


def _from_splits(cls, values, row_splits, name=None, validate=True):
    """Row i is `values[row_splits[i]:row_splits[i + 1]]`."""
    return _in_rows(values, validate, lambda hint: RowPartition.from_row_splits(row_splits, validate, dtype_hint=hint))


def _from_lengths(cls, values, row_lengths, name=None, validate=True):
    """Rows of the given lengths."""
    return _in_rows(
        values, validate, lambda hint: RowPartition.from_row_lengths(row_lengths, validate, dtype_hint=hint)
    )


def _from_ids(cls, values, value_rowids, nrows=None, name=None, validate=True):
    """Value i belongs to row `value_rowids[i]`; the ids never fall."""
    return _in_rows(
        values, validate, lambda hint: RowPartition.from_value_rowids(value_rowids, nrows, validate, dtype_hint=hint)
    )


def _from_starts(cls, values, row_starts, name=None, validate=True):
    """Rows that start at the given positions; the last ends where the values end."""
    _check_bool(validate)
    values = as_values(values)
    starts = partition_tensor(row_starts, "row_starts", dtype_hint=_hint(values))
    rows = RowPartition.from_row_starts(starts, rows_of(values, starts.dtype), validate=validate)
    return partitioned(values, rows, validate)


def _from_limits(cls, values, row_limits, name=None, validate=True):
    """Rows that end at the given positions."""
    return _in_rows(values, validate, lambda hint: RowPartition.from_row_limits(row_limits, validate, dtype_hint=hint))


def _from_uniform(cls, values, uniform_row_length, nrows=None, validate=True, name=None):
    """Rows that all have one length."""
    _check_bool(validate)
    values = as_values(values)
    kind = next((x.dtype for x in (uniform_row_length, nrows) if isinstance(x, Tensor)), None) or _hint(values)
    kind = kind if kind in (dtypes.int32, dtypes.int64) else dtypes.int64
    count = values.shape[0] if values.shape.rank else None
    nvals = rows_of(values, kind) if count is None else count
    rows = RowPartition.from_uniform_row_length(
        uniform_row_length, nvals=nvals, nrows=nrows, validate=validate, dtype_hint=kind
    )
    return partitioned(values, rows, validate)


def _nested(cls, single, name, flat_values, nested, validate):
    """Several ragged axes, the innermost made first."""
    _check_bool(validate)
    if isinstance(nested, Tensor):
        raise TypeError(f"Argument `{name}` must be a list of Tensors. Received {nested}.")
    result = as_values(flat_values)
    for partition in reversed(list(nested)):
        result = getattr(cls, single)(result, partition, validate=validate)
    return result


def _from_nested_splits(cls, flat_values, nested_row_splits, name=None, validate=True):
    """Several ragged axes, by their row splits from the outermost in."""
    return _nested(cls, "from_row_splits", "nested_row_splits", flat_values, nested_row_splits, validate)


def _from_nested_lengths(cls, flat_values, nested_row_lengths, name=None, validate=True):
    """Several ragged axes, by their row lengths from the outermost in."""
    return _nested(cls, "from_row_lengths", "nested_row_lengths", flat_values, nested_row_lengths, validate)


def _from_nested_partitions(cls, flat_values, nested_row_partitions, name=None, validate=True):
    """Several ragged axes, by their row partitions from the outermost in."""
    return _nested(cls, "_from_row_partition", "nested_row_partitions", flat_values, nested_row_partitions, validate)


def _from_nested_ids(cls, flat_values, nested_value_rowids, nested_nrows=None, name=None, validate=True):
    """Several ragged axes, by their row ids from the outermost in."""
    _check_bool(validate)
    for name, given in (("nested_value_rowids", nested_value_rowids), ("nested_nrows", nested_nrows)):
        if isinstance(given, Tensor):
            raise TypeError(f"Argument `{name}` must be a list of Tensors. Received {given}.")
    counts = list(nested_nrows) if nested_nrows is not None else [None] * len(nested_value_rowids)
    if len(counts) != len(nested_value_rowids):
        raise ValueError(
            "Argument `nested_nrows` must have the same length as argument `nested_value_rowids`. len(nested_nrows) = "
            f"{len(counts)} vs. len(nested_values_rowids) = {len(nested_value_rowids)}."
        )
    result = as_values(flat_values)
    for ids, nrows in zip(reversed(list(nested_value_rowids)), reversed(counts), strict=True):
        result = cls.from_value_rowids(result, ids, nrows, validate=validate)
    return result


def _from_tensor(
    cls, tensor, lengths=None, padding=None, ragged_rank=1, name=None, row_splits_dtype: Any = dtypes.int64
):
    """The rows of a dense tensor; `lengths` or trailing `padding` say where each ends."""
    if lengths is not None and padding is not None:
        raise ValueError("Specify argument `lengths` or `padding`, but not both.")
    if not isinstance(ragged_rank, int):
        raise TypeError(f"Argument `ragged_rank` must be an int. Received {ragged_rank}.")
    if ragged_rank <= 0:
        raise ValueError(f"Argument `ragged_rank` must be greater than 0. Received {ragged_rank}.")
    tensor, kind = convert_to_tensor(tensor), dtypes.as_dtype(row_splits_dtype)
    if lengths is not None and _is_nested(lengths):
        if ragged_rank not in (1, len(lengths)):
            raise ValueError(
                "If Argument `lengths` is a tuple of row_lengths, argument `ragged_rank` must be len(lengths): "
                f"{len(lengths)}. Received ragged_rank: {ragged_rank}."
            )
        return _cut_axes(tensor, list(lengths), kind)
    tensor.shape.with_rank_at_least(ragged_rank + 1)
    if ragged_rank == 1:
        return _cut(tensor, lengths, padding, kind)
    static, dims = tensor.shape, arrange.shape(tensor, out_type=kind)
    flat = arrange.reshape(tensor, arrange.concat([arrange.reshape(dims[0] * dims[1], [1]), dims[2:]], 0))
    inner = cls.from_tensor(flat, lengths, padding, ragged_rank - 1, row_splits_dtype=kind)
    return _uniform_rows(inner, static, dims)


def _uniform_rows(values, static, dims):
    """Values as rows of the first two sizes of a tensor: known ones where they are known."""
    known = [None, None] if static.rank is None else list(static[:2])
    rows, columns = (dims[i] if size is None else constant(size, dims.dtype) for i, size in enumerate(known))
    return RaggedTensor.from_uniform_row_length(values, columns, nrows=rows, validate=False)


def _is_nested(lengths) -> bool:
    """Whether `lengths` holds the lengths of several axes, rather than of one."""
    if not isinstance(lengths, (list, tuple)) or not lengths:
        return False
    return all(isinstance(x, (list, tuple, np.ndarray)) or getattr(x, "shape", None) not in (None, ()) for x in lengths)


def _cut_axes(tensor, lengths, kind):
    """Each of `lengths` cuts the rows that the one before it has kept."""
    tensor.shape.with_rank_at_least(len(lengths) + 1)
    outer = _cut(tensor, lengths[0], None, kind)
    return outer if len(lengths) == 1 else outer.with_values(_cut_axes(outer.values, lengths[1:], kind))


def _cut(tensor, lengths, padding, kind):
    """The rows of a tensor, as long as `lengths` says or as there is something else than `padding`."""
    static, dims = tensor.shape, arrange.shape(tensor, out_type=kind)
    if padding is not None:
        lengths = _unpadded_lengths(tensor, convert_to_tensor(padding, tensor.dtype), dims, kind)
    if lengths is None:
        flat = arrange.reshape(tensor, arrange.concat([arrange.reshape(dims[0] * dims[1], [1]), dims[2:]], 0))
        return _uniform_rows(flat, static, dims)
    lengths = convert_to_tensor(lengths, dtype_hint=kind)
    if not lengths.dtype.is_integer and not (lengths.shape == (0,)):
        raise TypeError(f"Argument `tensor` (name: lengths) must be of type integer. Received {lengths!r}.")
    lengths.shape.with_rank(1)
    lengths = arithmetic.minimum(arithmetic.cast(lengths, kind), dims[1])
    mask = creation.sequence_mask(lengths, dims[1])
    return RaggedTensor.from_row_lengths(indexing.boolean_mask(tensor, mask), lengths, validate=False)


def _unpadded_lengths(tensor, padding, dims, kind):
    """The number of columns of each row before the padding at its end."""
    padding.shape.assert_is_compatible_with(tensor.shape[2:])
    pads = arithmetic.equal(tensor, padding)
    for _ in range(tensor.shape.rank - 2):
        pads = reduce.reduce_all(pads, -1)
    columns = creation.range(dims[1]) + 1
    kept = arithmetic.where(pads, creation.zeros_like(pads, dtype=kind), arrange.broadcast_to(columns, dims[:2]))
    return arithmetic.maximum(reduce.reduce_max(kept, 1), constant(0, kind))


def _from_sparse(cls, st_input, name=None, row_splits_dtype: Any = dtypes.int64):
    """The rows of a sparse matrix whose entries fill each row from the left."""
    if not isinstance(st_input, SparseTensor):
        raise TypeError(f"Argument `st_input` must be of type SparseTensor, but is of type {type(st_input).__name__}.")
    kind = dtypes.as_dtype(row_splits_dtype)
    st_input.shape.assert_has_rank(2) if st_input.shape.rank is not None else None
    rows, columns = st_input.indices[:, 0], st_input.indices[:, 1]
    # each entry is at the left edge, or directly to the right of the previous one
    first = arrange.concat([[True], arithmetic.not_equal(rows[1:], rows[:-1])], 0)[: arrange.shape(rows)[0]]
    before = arrange.concat([[-1], columns[:-1]], 0)[: arrange.shape(rows)[0]]
    fits = arithmetic.equal(columns, arithmetic.where(first, creation.zeros_like(columns), before + 1))
    data = ["SparseTensor is not right-ragged", "SparseTensor.indices =", st_input.indices]
    check = assertion(reduce.reduce_all(fits), data)
    ids = guarded([check], arithmetic.cast(rows, kind))
    return cls.from_value_rowids(st_input.values, ids, arithmetic.cast(st_input.dense_shape[0], kind), validate=False)


for _name, _function in {
    "_from_row_partition": _from_partition,
    "_from_nested_row_partitions": _from_nested_partitions,
    "from_row_splits": _from_splits,
    "from_row_lengths": _from_lengths,
    "from_value_rowids": _from_ids,
    "from_row_starts": _from_starts,
    "from_row_limits": _from_limits,
    "from_uniform_row_length": _from_uniform,
    "from_nested_row_splits": _from_nested_splits,
    "from_nested_row_lengths": _from_nested_lengths,
    "from_nested_value_rowids": _from_nested_ids,
    "from_tensor": _from_tensor,
    "from_sparse": _from_sparse,
}.items():
    setattr(RaggedTensor, _name, classmethod(_function))  # type: ignore[arg-type]
