"""`tf.RaggedTensor` and `tf.ragged`: making ragged tensors, taking them apart, and what needs ops to do so."""

from __future__ import annotations

import numpy as np

from reflow.api.export import TABLE, export, export_value
from reflow.core import dtypes
from reflow.core import ragged as core_ragged
from reflow.core.ragged import RaggedTensor, RaggedTensorSpec
from reflow.core.sparse import SparseTensor
from reflow.core.tensor import EagerTensor, Tensor
from reflow.eager.variables import Variable
from reflow.ops.convert import constant, convert_to_tensor
from reflow.ops.kernels.format import ragged_lists

export_value(RaggedTensor, "RaggedTensor")
export_value(RaggedTensorSpec, "RaggedTensorSpec")


def _values(x):
    return x if isinstance(x, RaggedTensor) else convert_to_tensor(x)


def _partition(x):
    """Row splits, lengths or ids as an integer tensor: int64 unless it is int32 already."""
    if isinstance(x, Tensor) and x.dtype in (dtypes.int32, dtypes.int64):
        return x
    if isinstance(x, np.ndarray) and x.dtype == np.int32:
        return convert_to_tensor(x)
    return (
        convert_to_tensor(x, dtypes.int64) if not isinstance(x, (Tensor, Variable)) else TABLE["cast"](x, dtypes.int64)
    )


def _rows(x):
    """The length of the first axis, as an int64 scalar."""
    return x.nrows() if isinstance(x, RaggedTensor) else TABLE["shape"](x, out_type=dtypes.int64)[0]


def _from_splits(cls, values, row_splits, name=None, validate=True):
    """Row i is `values[row_splits[i]:row_splits[i + 1]]`."""
    values, splits = _values(values), _partition(row_splits)
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
    lengths = _partition(row_lengths)
    zero = constant([0], lengths.dtype)
    return cls.from_row_splits(values, TABLE["concat"]([zero, TABLE["math.cumsum"](lengths)], 0), validate=validate)


def _from_ids(cls, values, value_rowids, nrows=None, name=None, validate=True):
    """Value i belongs to row `value_rowids[i]`; the ids never fall."""
    ids = _partition(value_rowids)
    if nrows is None:
        count = TABLE["shape"](ids)[0]
        nrows = TABLE["cond"](count > 0, lambda: ids[-1] + 1, lambda: constant(0, ids.dtype))
    nrows = TABLE["cast"](convert_to_tensor(nrows), dtypes.int64)
    lengths = TABLE["math.unsorted_segment_sum"](TABLE["ones_like"](ids), ids, nrows)
    return cls.from_row_lengths(values, lengths, validate=validate)


def _from_starts(cls, values, row_starts, name=None, validate=True):
    """Rows that start at the given positions; the last ends where the values end."""
    values, starts = _values(values), _partition(row_starts)
    end = TABLE["cast"](TABLE["reshape"](_rows(values), [1]), starts.dtype)
    return cls.from_row_splits(values, TABLE["concat"]([starts, end], 0), validate=validate)


def _from_limits(cls, values, row_limits, name=None, validate=True):
    """Rows that end at the given positions."""
    limits = _partition(row_limits)
    return cls.from_row_splits(values, TABLE["concat"]([constant([0], limits.dtype), limits], 0), validate=validate)


def _from_uniform(cls, values, uniform_row_length, nrows=None, validate=True, name=None):
    """Rows that all have one length."""
    values = _values(values)
    length = TABLE["cast"](convert_to_tensor(uniform_row_length), dtypes.int64)
    if nrows is None:
        nrows = _rows(values) // TABLE["maximum"](length, constant(1, dtypes.int64))
    nrows = TABLE["cast"](convert_to_tensor(nrows), dtypes.int64)
    splits = TABLE["range"](constant(0, dtypes.int64), nrows + 1) * length
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
        dims = TABLE["shape"](tensor, out_type=kind)
        flat = TABLE["reshape"](tensor, TABLE["concat"]([TABLE["reshape"](dims[0] * dims[1], [1]), dims[2:]], 0))
        inner = cls.from_tensor(flat, ragged_rank=ragged_rank - 1, row_splits_dtype=kind)
        return cls.from_uniform_row_length(inner, dims[1], nrows=dims[0])
    if ragged_rank != 1:
        raise NotImplementedError(
            "RaggedTensor.from_tensor takes `lengths` or `padding` with ragged_rank=1 only so far."
        )
    dims = TABLE["shape"](tensor, out_type=kind)
    if padding is not None:
        pads = TABLE["equal"](tensor, convert_to_tensor(padding, tensor.dtype))
        for _ in range(tensor.shape.rank - 2):
            pads = TABLE["reduce_all"](pads, -1)
        columns = TABLE["range"](dims[1]) + 1
        kept = TABLE["where"](pads, TABLE["zeros_like"](pads, dtype=kind), TABLE["broadcast_to"](columns, dims[:2]))
        lengths = TABLE["reduce_max"](kept, 1)
    if lengths is None:
        flat = TABLE["reshape"](tensor, TABLE["concat"]([[-1], TABLE["shape"](tensor)[2:]], 0))
        splits = TABLE["range"](constant(0, kind), dims[0] + 1) * dims[1]
        return cls._of(flat, splits, dims[1])
    lengths = TABLE["minimum"](TABLE["cast"](convert_to_tensor(lengths), kind), dims[1])
    mask = TABLE["sequence_mask"](lengths, dims[1])
    return cls.from_row_lengths(TABLE["boolean_mask"](tensor, mask), lengths, validate=False)


def _from_sparse(cls, st_input, name=None, row_splits_dtype=dtypes.int64):
    """The rows of a sparse matrix whose entries fill each row from the left."""
    if not isinstance(st_input, SparseTensor):
        raise TypeError(f"Argument `st_input` must be of type SparseTensor, but is of type {type(st_input).__name__}.")
    kind = dtypes.as_dtype(row_splits_dtype)
    ids = TABLE["cast"](st_input.indices[:, 0], kind)
    return cls.from_value_rowids(st_input.values, ids, TABLE["cast"](st_input.dense_shape[0], kind), validate=False)


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


# --- taking apart ---------------------------------------------------------------------------------------------------


def _nrows(self, out_type=None, name=None):
    """How many rows there are."""
    kind = self.row_splits.dtype if out_type is None else dtypes.as_dtype(out_type)
    return TABLE["shape"](self.row_splits, out_type=kind)[0] - 1


def _row_starts(self, name=None):
    """Where each row starts."""
    return self.row_splits[:-1]


def _row_limits(self, name=None):
    """Where each row ends."""
    return self.row_splits[1:]


def _row_lengths(self, axis=1, name=None):
    """The length of each row."""
    if axis == 0:
        return self.nrows()
    if axis == 1:
        return self.row_splits[1:] - self.row_splits[:-1]
    if isinstance(self.values, RaggedTensor):
        return self.with_values(self.values.row_lengths(axis - 1))
    lengths = TABLE["shape"](self.values, out_type=self.row_splits.dtype)
    return self.with_values(TABLE["ones"](lengths[: axis - 1], self.row_splits.dtype) * lengths[axis - 1])


def _nested_row_lengths(self, name=None) -> tuple:
    """The lengths of the rows of each ragged axis."""
    inner = self.values.nested_row_lengths() if isinstance(self.values, RaggedTensor) else ()
    return (self.row_lengths(), *inner)


def _value_rowids(self, name=None):
    """The row of each value."""
    rows = TABLE["range"](self.nrows())
    return TABLE["repeat"](rows, self.row_lengths())


def _nested_value_rowids(self, name=None) -> tuple:
    """The row of each value, for each ragged axis."""
    inner = self.values.nested_value_rowids() if isinstance(self.values, RaggedTensor) else ()
    return (self.value_rowids(), *inner)


def _bounding_shape(self, axis=None, name=None, out_type=None):
    """The shape of the smallest dense tensor that holds all rows."""
    kind = self.row_splits.dtype if out_type is None else dtypes.as_dtype(out_type)
    lengths = TABLE["concat"]([self.row_lengths(), constant([0], self.row_splits.dtype)], 0)
    longest = TABLE["reduce_max"](lengths)
    inner = (
        self.values.bounding_shape(out_type=kind)
        if isinstance(self.values, RaggedTensor)
        else TABLE["shape"](self.values, out_type=kind)
    )
    first = TABLE["stack"]([self.nrows(out_type=kind), TABLE["cast"](longest, kind)])
    full = TABLE["concat"]([first, inner[1:]], 0)
    return full if axis is None else TABLE["gather"](full, axis)


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
    columns = TABLE["range"](_as(_rows(values), kind)) - TABLE["gather"](self.row_splits, ids)
    inside = columns < width
    where = TABLE["boolean_mask"](TABLE["stack"]([ids, columns], 1), inside)
    inner = TABLE["shape"](values, out_type=kind)[1:]
    full = TABLE["concat"]([TABLE["stack"]([rows, width]), inner], 0)
    if default_value is None:
        default_value = b"" if self.dtype is dtypes.string else 0
    filled = TABLE["broadcast_to"](convert_to_tensor(default_value, self.dtype), full)
    result = TABLE["tensor_scatter_nd_update"](filled, where, TABLE["boolean_mask"](values, inside))
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
    missing = TABLE["maximum"](rows - TABLE["shape"](dense)[0], 0)
    shape = TABLE["concat"]([TABLE["reshape"](missing, [1]), TABLE["shape"](dense)[1:]], 0)
    more = TABLE["broadcast_to"](convert_to_tensor(default_value, dense.dtype), shape)
    return TABLE["concat"]([dense[:rows], more], 0)


def _as(x, kind):
    return TABLE["cast"](x, kind)


def _to_sparse(self, name=None) -> SparseTensor:
    """The entries with their places."""
    kind = self.row_splits.dtype
    if isinstance(self.values, RaggedTensor):
        inner = self.values.to_sparse()
        ids, rest, values = (
            TABLE["gather"](self.value_rowids(), inner.indices[:, 0]),
            inner.indices[:, 1:],
            inner.values,
        )
        first = _as(inner.indices[:, 0], kind)
    else:
        if self.values.shape.rank not in (None, 1):
            flat = RaggedTensor.from_tensor(self.values, ragged_rank=self.values.shape.rank - 1)
            return self.with_values(flat).to_sparse()
        ids, values, rest = self.value_rowids(), self.values, None
        first = TABLE["range"](_as(_rows(values), kind))
    columns = first - TABLE["gather"](self.row_splits, ids)
    indices = _as(TABLE["stack"]([ids, columns], 1), dtypes.int64)
    if rest is not None:
        indices = TABLE["concat"]([indices, rest], 1)
    return SparseTensor(indices, values, self.bounding_shape(out_type=dtypes.int64))


def _to_list(self) -> list:
    """Nested Python lists."""
    return _python(ragged_lists(self.flat_values._host(), [s._host() for s in self.nested_row_splits]))


def _python(x):
    return [_python(v) for v in x] if isinstance(x, list) else (x if isinstance(x, bytes) else x.item())


def _numpy(self):
    """A NumPy array of rows; of dtype object if their lengths differ. Inner rows are made first, all of them at once."""
    values, splits = self.values.numpy(), self.row_splits._host().tolist()
    rows = [values[start:end] for start, end in zip(splits[:-1], splits[1:], strict=True)]
    if not rows:
        return np.zeros((0, 0, *values.shape[1:]), values.dtype)
    if all(len(row) == len(rows[0]) for row in rows):
        return np.stack(rows)
    out = np.empty(len(rows), object)
    for i, row in enumerate(rows):
        out[i] = row
    return out


def _merge_dims(self, outer_axis, inner_axis):
    """Axes `outer_axis` to `inner_axis` as one."""
    rank = self.shape.rank
    outer, inner = (a if a >= 0 else a + rank for a in (outer_axis, inner_axis))
    if outer > inner:
        raise ValueError(f"Expected outer_axis ({outer_axis}) to be less than or equal to inner_axis ({inner_axis})")
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
        joined = RaggedTensor._of(values.values, TABLE["gather"](values.row_splits, self.row_splits))
    else:
        width = TABLE["shape"](values, out_type=self.row_splits.dtype)[1]
        joined = RaggedTensor._of(_merge_dense(values, 0, 1), self.row_splits * width)
    return joined.merge_dims(1, inner - 1)


def _merge_dense(x, outer, inner):
    if outer == inner:
        return x
    dims = TABLE["shape"](x)
    return TABLE["reshape"](x, TABLE["concat"]([dims[:outer], [-1], dims[inner + 1 :]], 0))


def _with_row_splits_dtype(self, dtype):
    """The same tensor with row splits of another integer type."""
    kind = dtypes.as_dtype(dtype)
    if kind not in (dtypes.int32, dtypes.int64):
        raise ValueError(f"Argument `row_splits` dtype must be int32 or int64. Received {kind}.")
    inner = self.values.with_row_splits_dtype(kind) if isinstance(self.values, RaggedTensor) else self.values
    return RaggedTensor._of(inner, _as(self.row_splits, kind), self._uniform)


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
        count = TABLE["size"](starts, out_type=starts.dtype)
        low = TABLE["cond"](count > 0, lambda: starts[0], lambda: constant(0, starts.dtype))
        high = TABLE["cond"](count > 0, lambda: limits[-1], lambda: constant(0, starts.dtype))
        splits = TABLE["concat"]([TABLE["reshape"](low, [1]), limits], 0) - low
        return RaggedTensor._of(self.values[low:high], splits, self._uniform)
    lengths = limits - starts
    return RaggedTensor.from_row_lengths(
        TABLE["gather"](self.values, range_(starts, limits).values), lengths, validate=False
    )


def _inside_rows(self, keys):
    first, rest = keys[0], keys[1:]
    if isinstance(first, slice):
        if first == slice(None):
            if not rest:
                return self
            values = self.values
            if isinstance(values, RaggedTensor):
                return self.with_values(values[(slice(None), *rest)])
            return self.with_values(values[(slice(None), *rest)])
        if first.step not in (None, 1):
            raise NotImplementedError("Steps inside the rows of a RaggedTensor are not there yet.")
        lengths = self.row_lengths()
        low, high = (_clipped(bound, lengths) for bound in (first.start, first.stop))
        low = TABLE["zeros_like"](lengths) if low is None else low
        high = TABLE["maximum"](low, lengths if high is None else high)
        picked = range_(self.row_starts() + low, self.row_starts() + high)
        result = RaggedTensor._of(TABLE["gather"](self.values, picked.values), picked.row_splits)
        return result if not rest else _inside_rows(result, (slice(None), *rest))
    if isinstance(first, int):
        raise ValueError("Cannot index into an inner ragged dimension.")
    raise TypeError(f"Key {first!r} is not supported for a RaggedTensor.")


def _clipped(bound, lengths):
    if bound is None:
        return None
    value = constant(bound, lengths.dtype) if isinstance(bound, int) else TABLE["cast"](bound, lengths.dtype)
    value = TABLE["where"](value < 0, value + lengths, value * TABLE["ones_like"](lengths))
    return TABLE["clip_by_value"](value, TABLE["zeros_like"](lengths), lengths)


def _iterate(self):
    rows = self.shape[0]
    if rows is None:
        raise TypeError(
            "Cannot iterate over a RaggedTensor whose number of rows is not known while the function is traced."
        )
    return (self[i] for i in range(rows))


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
    "__getitem__": _getitem,
    "__iter__": _iterate,
}.items():
    setattr(RaggedTensor, _name, _function)


# --- elementwise ----------------------------------------------------------------------------------------------------


@export("ragged.map_flat_values")
def map_flat_values(op, *args, **kwargs):
    """Apply `op` to the innermost values of ragged arguments, which must have the same rows.

    >>> import reflow as tf
    >>> tf.ragged.map_flat_values(tf.negative, tf.ragged.constant([[1], [2, 3]]))
    <tf.RaggedTensor [[-1], [-2, -3]]>
    """
    ragged = [x for x in (*args, *kwargs.values()) if isinstance(x, RaggedTensor)]
    if not ragged:
        return op(*args, **kwargs)

    for other in ragged[1:]:
        _check_same_rows(ragged[0], other)

    def bare(x):
        return x.flat_values if isinstance(x, RaggedTensor) else x

    return ragged[0].with_flat_values(op(*map(bare, args), **{k: bare(v) for k, v in kwargs.items()}))


def _check_same_rows(a, b):
    """Values meet one by one only in rows of the same lengths."""
    for x, y in zip(a.nested_row_splits, b.nested_row_splits, strict=False):
        if x is not y:
            TABLE["debugging.assert_equal"](x, y)


def _map_pairs(self, function, x, y):
    """A function of two tensors, applied to the values of two ragged tensors, or of one and what is broadcast to it."""
    x, y = (v if isinstance(v, RaggedTensor) else _meeting(v, self) for v in (x, y))
    return map_flat_values(function, x, y)


def _meeting(value, ragged):
    """A dense operand as it meets the innermost values of a ragged one."""
    dense = convert_to_tensor(value) if hasattr(value, "dtype") else convert_to_tensor(value, dtype_hint=ragged.dtype)
    return _spread(dense, ragged) if dense.shape.rank else dense


core_ragged.install_as_values(lambda v: v if hasattr(v, "dtype") else convert_to_tensor(v))
setattr(RaggedTensor, "map_pairs", _map_pairs)  # noqa: B010 - as above


def _operator(name, flip=False):
    def method(self, other):
        return self.map_pairs(TABLE[name], *((other, self) if flip else (self, other)))

    return method


def _spread(dense, like):
    """A dense operand of one column as the values that meet `like`'s: each row repeated."""
    if dense.shape.rank == 2 and dense.shape[1] == 1:
        return TABLE["gather"](dense[:, 0], like.value_rowids())
    raise ValueError(
        f"A dense operand of shape {dense.shape} does not broadcast to the ragged shape {like.shape} here; "
        "use a ragged one."
    )


for _dunder, _public in {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "truediv",
    "floordiv": "math.floordiv",
    "mod": "math.floormod",
    "pow": "pow",
}.items():
    setattr(RaggedTensor, f"__{_dunder}__", _operator(_public))
    setattr(RaggedTensor, f"__r{_dunder}__", _operator(_public, flip=True))
for _dunder, _public in {
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
    "eq": "equal",
    "ne": "not_equal",
}.items():
    setattr(RaggedTensor, f"__{_dunder}__", _operator(_public))


def _unary(name):
    return lambda self: map_flat_values(TABLE[name], self)


for _dunder, _public in {"neg": "negative", "abs": "abs", "invert": "math.logical_not"}.items():
    setattr(RaggedTensor, f"__{_dunder}__", _unary(_public))


# --- tf.ragged ------------------------------------------------------------------------------------------------------


@export("ragged.constant")
def constant_(pylist, dtype=None, ragged_rank=None, inner_shape=None, name=None, row_splits_dtype=dtypes.int64):
    """A ragged tensor from nested lists.

    >>> import reflow as tf
    >>> tf.ragged.constant([[1, 2], []])
    <tf.RaggedTensor [[1, 2], []]>
    """
    kind = dtypes.as_dtype(row_splits_dtype)
    if isinstance(pylist, np.ndarray):
        pylist = (
            pylist.tolist()
            if pylist.dtype != object
            else [x.tolist() if isinstance(x, np.ndarray) else x for x in pylist]
        )
    depth, empty = _depth(pylist), _has_empty(pylist)
    _check_depth(pylist, depth)
    if depth == 0:
        if ragged_rank:
            raise ValueError(f"Invalid pylist={pylist!r}: incompatible with ragged_rank={ragged_rank}")
        return constant(pylist, dtype)
    if ragged_rank is None:
        ragged_rank = (
            max(1, depth - 1) - (len(inner_shape) if inner_shape else 0)
            if depth > 1
            else (1 if empty and depth > 1 else 0)
        )
        ragged_rank = max(ragged_rank, 0)
    elif ragged_rank >= max(1, depth) and not empty:
        raise ValueError(f"Invalid pylist={pylist!r}: incompatible with ragged_rank={ragged_rank}")
    splits, rows = [], list(pylist)
    for _ in range(ragged_rank):
        lengths = [len(r) for r in rows]
        splits.append(np.concatenate([[0], np.cumsum(lengths)]).astype(kind.np_dtype))
        rows = [x for r in rows for x in r]
    if rows or inner_shape:
        values = constant(rows, dtype) if rows else constant(np.zeros((0, *inner_shape), np.float32), dtype)
    else:
        values = constant(np.zeros((0,), dtypes.as_dtype(dtype or dtypes.float32).np_dtype), dtype)
    for split in reversed(splits):
        values = RaggedTensor._of(values, constant(split))
    return values


def _depth(x) -> int:
    if not isinstance(x, (list, tuple, np.ndarray)):
        return 0
    return 1 + max((_depth(v) for v in x), default=0)


def _check_depth(x, depth):
    """All scalars must stand at one depth."""
    if not isinstance(x, (list, tuple, np.ndarray)):
        if depth:
            raise ValueError("all scalar values must have the same nesting depth")
        return
    for v in x:
        _check_depth(v, depth - 1)


def _has_empty(x) -> bool:
    return isinstance(x, (list, tuple)) and (not x or any(map(_has_empty, x)))


@export("ragged.range")
def range_(starts, limits=None, deltas=1, dtype=None, name=None, row_splits_dtype=dtypes.int64):
    """A row of numbers from each start to its limit.

    >>> import reflow as tf
    >>> tf.ragged.range([0, 2], [3, 4])
    <tf.RaggedTensor [[0, 1, 2], [2, 3]]>
    """
    if limits is None:
        starts, limits = 0, starts
    limits = convert_to_tensor(limits, dtype)
    starts = convert_to_tensor(starts, limits.dtype) if not isinstance(starts, Tensor) else starts
    deltas = convert_to_tensor(deltas, limits.dtype) if not isinstance(deltas, Tensor) else deltas
    kind = dtypes.as_dtype(row_splits_dtype)
    steps = TABLE["math.ceil"](_as(limits - starts, dtypes.float64) / _as(deltas, dtypes.float64))
    lengths = TABLE["reshape"](_as(TABLE["maximum"](steps, constant(0, dtypes.float64)), kind), [-1])
    shape = TABLE["shape"](lengths)
    starts, deltas = (TABLE["broadcast_to"](x, shape) for x in (starts, deltas))
    result = RaggedTensor.from_row_lengths(TABLE["range"](TABLE["reduce_sum"](lengths)), lengths, validate=False)
    ids = result.value_rowids()
    offsets = result.values - TABLE["gather"](result.row_splits, ids)
    values = TABLE["gather"](starts, ids) + _as(offsets, starts.dtype) * TABLE["gather"](deltas, ids)
    return result.with_values(values)


@export("ragged.row_splits_to_segment_ids")
def row_splits_to_segment_ids(splits, name=None, out_type=None):
    """The row of each value, from row splits."""
    splits = _partition(splits)
    ids = TABLE["repeat"](
        TABLE["range"](TABLE["shape"](splits, out_type=splits.dtype)[0] - 1), splits[1:] - splits[:-1]
    )
    return ids if out_type is None else _as(ids, dtypes.as_dtype(out_type))


@export("ragged.segment_ids_to_row_splits")
def segment_ids_to_row_splits(segment_ids, num_segments=None, out_type=None, name=None):
    """Row splits, from the row of each value."""
    ids = _partition(segment_ids)
    splits = RaggedTensor.from_value_rowids(ids, ids, num_segments, validate=False).row_splits
    return splits if out_type is None else _as(splits, dtypes.as_dtype(out_type))


@export("ragged.boolean_mask")
def boolean_mask(data, mask, name=None):
    """The elements for which `mask` is True, row by row."""
    if not isinstance(mask, RaggedTensor):
        mask = RaggedTensor.from_tensor(convert_to_tensor(mask))
    if not isinstance(data, RaggedTensor):
        data = RaggedTensor.from_tensor(convert_to_tensor(data))
    flags = mask.flat_values
    counts = TABLE["math.unsorted_segment_sum"](_as(flags, dtypes.int64), mask.value_rowids(), mask.nrows())
    return RaggedTensor.from_row_lengths(TABLE["boolean_mask"](data.flat_values, flags), counts, validate=False)


@export("ragged.stack")
def stack(values, axis=0, name=None):
    """Tensors of one rank as the rows of a ragged tensor (axis 0)."""
    if axis != 0:
        raise NotImplementedError("tf.ragged.stack is there for axis=0 only so far.")
    parts = [v if isinstance(v, RaggedTensor) else convert_to_tensor(v) for v in values]
    flat = TABLE["concat"]([p.flat_values if isinstance(p, RaggedTensor) else p for p in parts], 0)
    lengths = TABLE["stack"]([_rows(p) for p in parts])
    if any(isinstance(p, RaggedTensor) for p in parts):
        inner = RaggedTensor.from_row_lengths(
            flat, TABLE["concat"]([p.row_lengths() for p in parts], 0), validate=False
        )
        return RaggedTensor.from_row_lengths(inner, lengths, validate=False)
    return RaggedTensor.from_row_lengths(flat, lengths, validate=False)
