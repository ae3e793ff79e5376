"""`tf.RaggedTensor.from_…`: ragged tensors from values and the borders of their rows, from dense and from sparse tensors."""

from __future__ import annotations

import numpy as np

from reflow.api.array import arrange, creation, indexing
from reflow.api.export import export_value
from reflow.api.math import arithmetic, reduce, segment
from reflow.core import dtypes
from reflow.core.ragged import RaggedTensor, RaggedTensorSpec
from reflow.core.sparse import SparseTensor
from reflow.core.tensor import EagerTensor, Tensor
from reflow.eager.variables import Variable
from reflow.function.control_flow import cond
from reflow.ops.convert import constant, convert_to_tensor

export_value(RaggedTensor, "RaggedTensor")
export_value(RaggedTensorSpec, "RaggedTensorSpec")


def _values(x):
    return x if isinstance(x, RaggedTensor) else convert_to_tensor(x)


def partition_tensor(x):
    """Row splits, lengths or ids as an integer tensor: int64 unless it is int32 already."""
    if isinstance(x, Tensor) and x.dtype in (dtypes.int32, dtypes.int64):
        return x
    if isinstance(x, np.ndarray) and x.dtype == np.int32:
        return convert_to_tensor(x)
    return (
        convert_to_tensor(x, dtypes.int64) if not isinstance(x, (Tensor, Variable)) else arithmetic.cast(x, dtypes.int64)
    )


def rows_of(x):
    """The length of the first axis, as an int64 scalar."""
    return x.nrows() if isinstance(x, RaggedTensor) else arrange.shape(x, out_type=dtypes.int64)[0]


def _from_splits(cls, values, row_splits, name=None, validate=True):
    """Row i is `values[row_splits[i]:row_splits[i + 1]]`."""
    values, splits = _values(values), partition_tensor(row_splits)
    if splits.shape.rank not in (None, 1):
        raise ValueError(f"Shape {splits.shape} must have rank 1")
    if splits.shape.rank == 1 and splits.shape[0] == 0:
        raise ValueError("row_splits tensor may not be empty.")
    if validate and isinstance(splits, EagerTensor) and isinstance(values, EagerTensor):
        _check_splits(splits._host(), values._value.shape[0])
    return cls._of(values, splits)


def _check_splits(splits, count):
    from reflow.core.errors import InvalidArgumentError

    unequal = "\nCondition x == y did not hold.\nFirst 1 elements of x:\n[{}]\nFirst 1 elements of y:\n[{}]"
    if splits[0] != 0:
        what = "Arguments to from_row_splits do not form a valid RaggedTensor:zero"
        raise InvalidArgumentError(None, None, what + unequal.format(splits[0], 0))
    steps = np.diff(splits)
    if (steps < 0).any():
        shown = [str(n) for n in steps[:3]] + (["..."] if steps.size > 3 else [])
        raise InvalidArgumentError(
            None,
            None,
            "Arguments to from_row_splits do not form a valid RaggedTensor:monotonic.\nCondition x >= 0 did not hold "
            f"element-wise:\nx (shape={steps.shape} dtype={steps.dtype}) = \n{shown}",
        )
    if splits[-1] != count:
        what = "Arguments to _from_row_partition do not form a valid RaggedTensor"
        raise InvalidArgumentError(None, None, what + unequal.format(splits[-1], count))


def _from_lengths(cls, values, row_lengths, name=None, validate=True):
    """Rows of the given lengths."""
    lengths = partition_tensor(row_lengths)
    zero = constant([0], lengths.dtype)
    return cls.from_row_splits(values, arrange.concat([zero, reduce.cumsum(lengths)], 0), validate=validate)


def _from_ids(cls, values, value_rowids, nrows=None, name=None, validate=True):
    """Value i belongs to row `value_rowids[i]`; the ids never fall."""
    ids = partition_tensor(value_rowids)
    if nrows is None:
        count = arrange.shape(ids)[0]
        nrows = cond(count > 0, lambda: ids[-1] + 1, lambda: constant(0, ids.dtype))
    nrows = arithmetic.cast(convert_to_tensor(nrows), dtypes.int64)
    lengths = segment.unsorted_segment_sum(creation.ones_like(ids), ids, nrows)
    return cls.from_row_lengths(values, lengths, validate=validate)


def _from_starts(cls, values, row_starts, name=None, validate=True):
    """Rows that start at the given positions; the last ends where the values end."""
    values, starts = _values(values), partition_tensor(row_starts)
    end = arithmetic.cast(arrange.reshape(rows_of(values), [1]), starts.dtype)
    return cls.from_row_splits(values, arrange.concat([starts, end], 0), validate=validate)


def _from_limits(cls, values, row_limits, name=None, validate=True):
    """Rows that end at the given positions."""
    limits = partition_tensor(row_limits)
    return cls.from_row_splits(values, arrange.concat([constant([0], limits.dtype), limits], 0), validate=validate)


def _from_uniform(cls, values, uniform_row_length, nrows=None, validate=True, name=None):
    """Rows that all have one length."""
    values = _values(values)
    length = arithmetic.cast(convert_to_tensor(uniform_row_length), dtypes.int64)
    if nrows is None:
        nrows = rows_of(values) // arithmetic.maximum(length, constant(1, dtypes.int64))
    nrows = arithmetic.cast(convert_to_tensor(nrows), dtypes.int64)
    splits = creation.range(constant(0, dtypes.int64), nrows + 1) * length
    return cls._of(values, splits, length)


def _nested(single):
    def build(cls, flat_values, nested, validate):
        if isinstance(nested, Tensor):
            raise TypeError("Argument must be a list of Tensors.")
        result = _values(flat_values)
        for partition in reversed(list(nested)):
            result = getattr(cls, single)(result, partition, validate=validate)
        return result

    return build


def _from_nested_splits(cls, flat_values, nested_row_splits, name=None, validate=True):
    """Several ragged axes, by their row splits from the outermost in."""
    return _nested("from_row_splits")(cls, flat_values, nested_row_splits, validate)


def _from_nested_lengths(cls, flat_values, nested_row_lengths, name=None, validate=True):
    """Several ragged axes, by their row lengths from the outermost in."""
    return _nested("from_row_lengths")(cls, flat_values, nested_row_lengths, validate)


def _from_nested_ids(cls, flat_values, nested_value_rowids, nested_nrows=None, name=None, validate=True):
    """Several ragged axes, by their row ids from the outermost in."""
    counts = list(nested_nrows) if nested_nrows is not None else [None] * len(nested_value_rowids)
    result = _values(flat_values)
    for ids, nrows in zip(reversed(list(nested_value_rowids)), reversed(counts), strict=True):
        result = cls.from_value_rowids(result, ids, nrows, validate=validate)
    return result


def _from_tensor(cls, tensor, lengths=None, padding=None, ragged_rank=1, name=None, row_splits_dtype=dtypes.int64):
    """The rows of a dense tensor; `lengths` or trailing `padding` say where each ends."""
    tensor = convert_to_tensor(tensor)
    if lengths is not None and padding is not None:
        raise ValueError("Specify argument `lengths` or `padding`, but not both.")
    kind = dtypes.as_dtype(row_splits_dtype)
    if ragged_rank > 1 and lengths is None and padding is None:
        dims = arrange.shape(tensor, out_type=kind)
        flat = arrange.reshape(tensor, arrange.concat([arrange.reshape(dims[0] * dims[1], [1]), dims[2:]], 0))
        inner = cls.from_tensor(flat, ragged_rank=ragged_rank - 1, row_splits_dtype=kind)
        return cls.from_uniform_row_length(inner, dims[1], nrows=dims[0])
    if ragged_rank != 1:
        raise NotImplementedError(
            "RaggedTensor.from_tensor takes `lengths` or `padding` with ragged_rank=1 only so far."
        )
    dims = arrange.shape(tensor, out_type=kind)
    if padding is not None:
        pads = arithmetic.equal(tensor, convert_to_tensor(padding, tensor.dtype))
        for _ in range(tensor.shape.rank - 2):
            pads = reduce.reduce_all(pads, -1)
        columns = creation.range(dims[1]) + 1
        kept = arithmetic.where(pads, creation.zeros_like(pads, dtype=kind), arrange.broadcast_to(columns, dims[:2]))
        lengths = reduce.reduce_max(kept, 1)
    if lengths is None:
        flat = arrange.reshape(tensor, arrange.concat([[-1], arrange.shape(tensor)[2:]], 0))
        splits = creation.range(constant(0, kind), dims[0] + 1) * dims[1]
        return cls._of(flat, splits, dims[1])
    lengths = arithmetic.minimum(arithmetic.cast(convert_to_tensor(lengths), kind), dims[1])
    mask = creation.sequence_mask(lengths, dims[1])
    return cls.from_row_lengths(indexing.boolean_mask(tensor, mask), lengths, validate=False)


def _from_sparse(cls, st_input, name=None, row_splits_dtype=dtypes.int64):
    """The rows of a sparse matrix whose entries fill each row from the left."""
    if not isinstance(st_input, SparseTensor):
        raise TypeError(f"Argument `st_input` must be of type SparseTensor, but is of type {type(st_input).__name__}.")
    kind = dtypes.as_dtype(row_splits_dtype)
    ids = arithmetic.cast(st_input.indices[:, 0], kind)
    return cls.from_value_rowids(st_input.values, ids, arithmetic.cast(st_input.dense_shape[0], kind), validate=False)


for _name, _function in {
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
