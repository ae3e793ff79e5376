"""Ragged tensors in the form that ops take: *splits* (where the rows of a level begin, and where the last one ends) and
flat values.

The public functions of `tf.ragged` are composed of plain ops (`reflow/api/ragged/`); these are for graphs that contain
the ops.
"""

from __future__ import annotations

import math

import numpy as np

from reflow.core import errors
from reflow.core.types import Array
from reflow.ops import require
from reflow.ops import shape_rules as rules
from reflow.ops.convert import constant
from reflow.ops.dispatch import run
from reflow.ops.kernels.array.gather import rows_at
from reflow.ops.kernels.math.segment import count_bins
from reflow.ops.kernels.sparse import crosses, sets
from reflow.ops.kernels.strings.elementwise import invalid, vector
from reflow.ops.registry import NO_GRADIENT, op
from reflow.ops.xp import host as host_xp

# --- ranges -----------------------------------------------------------------------------------------------------------


def _range_shape(f):
    counts = [dims[0] for dims in f.shapes if dims]
    known = next((n for n in counts if n is not None), None)
    if known is None and all(dims == () for dims in f.shapes):
        known = 1
    return [(None if known is None else known + 1,), (None,)]


def _range(start, limit, delta, dtype) -> Array:
    if delta == 0:
        raise invalid("Requires delta != 0")
    if (delta > 0 and limit < start) or (delta < 0 and limit > start):
        return np.zeros(0, dtype)
    if dtype.kind == "f":
        size = int(np.ceil(np.abs((limit - start) / delta)))
    else:
        size = (abs(int(limit) - int(start)) + abs(int(delta)) - 1) // abs(int(delta))
    steps = np.full(size, delta, dtype)
    steps[:1] = start
    return np.cumsum(steps, dtype=dtype)  # one addition after the other, as TensorFlow's


@op("RaggedRange", fits="1- 1- 1-", shape=_range_shape, grad=NO_GRADIENT, host=True)
def ragged_range(_, starts, limits, deltas, Tsplits=None):
    """A row from start to limit for each row of the operands."""
    operands = {"starts": starts, "limits": limits, "deltas": deltas}
    for name, x in operands.items():
        if x.ndim > 1:
            raise invalid(f"{name} must be a scalar or vector")
    sizes = {x.size for x in operands.values() if x.ndim}
    if len(sizes) > 1:
        raise invalid("starts, limits, and deltas must have the same shape")
    columns = np.broadcast_arrays(*map(np.atleast_1d, operands.values()))
    rows = [_range(start, limit, delta, starts.dtype) for start, limit, delta in zip(*columns, strict=True)]
    splits = np.cumsum([0, *map(len, rows)]).astype(Tsplits.np_dtype)
    return splits, np.concatenate(rows) if rows else np.zeros(0, starts.dtype)


# --- rows -------------------------------------------------------------------------------------------------------------


def _gathered_shape(f):
    values, inner = f.shapes[-2], [(None,)] * f.attrs["OUTPUT_RAGGED_RANK"]
    return [*inner, None if values is None else (None, *values[1:])]


def _numbers(count):
    """0, 1, 2…: as many as there are values."""
    return run("Range", constant(0), count, constant(1))


def _count(values):
    return run("GatherV2", run("Shape", values), constant(0), constant(0))


def _gathered_back(attrs, inputs, outputs, cts, wanted):
    """The rows of the values that were read: found by gathering their numbers."""
    *splits, values, indices = inputs
    numbers = _numbers(_count(values))
    facts = {k: attrs[k] for k in ("PARAMS_RAGGED_RANK", "OUTPUT_RAGGED_RANK")}
    read = run("RaggedGather", *splits, numbers, indices, **facts)[-1]
    return (*[None] * len(splits), rows_at(cts[-1], values, read), None)


@op("RaggedGather", fits="1 1+", shape=_gathered_shape, grad_tensors=_gathered_back, host=True)
def ragged_gather(_, params_nested_splits, params_dense_values, indices, OUTPUT_RAGGED_RANK):
    """Rows of a ragged tensor, in the shape of the indices."""
    first = params_nested_splits[0]
    rows, chosen = first.size - 1, indices.reshape(-1)
    if indices.ndim + len(params_nested_splits) - 1 != OUTPUT_RAGGED_RANK:
        raise invalid("output_ragged_rank must be indices.shape.ndims + params_ragged_rank - 1")
    for splits, n in zip(
        params_nested_splits, [*(s.size - 1 for s in params_nested_splits[1:]), len(params_dense_values)], strict=True
    ):
        _check_splits(splits, n)
    bad = np.flatnonzero((chosen < 0) | (chosen >= rows))
    if bad.size:
        place = "".join(f"[{i}]" for i in np.unravel_index(bad[0], indices.shape))
        raise invalid(f"indices{place} = {chosen[bad[0]]} is not in [0, {rows})")
    out = [
        np.arange(0, int(np.prod(indices.shape[: i + 1])) + 1, indices.shape[i]).astype(first.dtype) if indices.shape[i]
        else np.zeros(int(np.prod(indices.shape[:i])) + 1, first.dtype)
        for i in range(1, indices.ndim)
    ]
    at = chosen.astype(np.int64)
    for splits in params_nested_splits:
        lengths = splits[at + 1] - splits[at]
        out.append(np.concatenate([[0], np.cumsum(lengths)]).astype(first.dtype))
        at = (
            np.concatenate([np.arange(splits[i], splits[i + 1]) for i in at.tolist()]).astype(np.int64) if at.size
            else at
        )
    return *out, params_dense_values[at]


def _check_splits(splits: Array, count: int) -> None:
    if not splits.size:
        raise invalid("Invalid nested splits: splits may not be empty")
    if splits[0] != 0:
        raise invalid("First value of ragged splits must be 0.")
    if (np.diff(splits) < 0).any():
        raise invalid("Ragged splits must be sorted")
    if splits[-1] != count:
        raise invalid(f"Ragged splits must be consistent with the values: the last is {splits[-1]}, there are {count}")


def _check_partition(splits: Array, count: int) -> None:
    """`_check_splits` in the words of the op that makes a sparse tensor."""
    if not splits.size:
        raise invalid("ragged splits may not be empty.")
    if splits[0] != 0:
        raise invalid("First value of ragged splits must be 0.")
    falls = np.flatnonzero(np.diff(splits) < 0)
    if falls.size:
        both = f"{splits[falls[0]]} followed by {splits[falls[0] + 1]}"
        raise invalid(f"Ragged splits should be non decreasing, but we got {both}")
    if splits[-1] != count:
        raise invalid("Final value of ragged splits must match the length the corresponding ragged values.")


# --- other forms ------------------------------------------------------------------------------------------------------


def _sparse_shape(f):
    values = f.shapes[-1]
    rank = None if values is None else len(values) + f.attrs["RAGGED_RANK"]
    count = None if values is None or None in values else math.prod(values)
    return [(count, rank), (count,), (rank,)]


def _coordinates(splits: list[Array], count: int) -> Array:
    """[values, levels]: the row of each value, then its place in the rows of each level."""
    at, columns = np.arange(count), []
    for level in reversed(splits):
        row = np.searchsorted(level, at, side="right") - 1
        columns.append(at - level[row])
        at = row
    return np.stack([at, *reversed(columns)], 1).astype(np.int64)


def _to_sparse_back(xp, attrs, inputs, outputs, cts, wanted):
    return (*[None] * (len(inputs) - 1), xp.reshape_like(cts[1], inputs[-1]))


@op(
    "RaggedTensorToSparse", fits="1 1+", shape=_sparse_shape, grad=_to_sparse_back, shape_only=("rt_dense_values",),
    host=True,
)
def ragged_tensor_to_sparse(_, rt_nested_splits, rt_dense_values):
    if not rt_nested_splits:
        raise invalid("Expected RAGGED_RANK > 0")
    for splits, n in zip(
        rt_nested_splits, [*(s.size - 1 for s in rt_nested_splits[1:]), len(rt_dense_values)], strict=True
    ):
        _check_partition(splits, n)
    inner = rt_dense_values.shape[1:]
    outer = _coordinates(rt_nested_splits, len(rt_dense_values))
    places = (
        np.stack(np.meshgrid(*map(np.arange, inner), indexing="ij"), -1).reshape(-1, len(inner)) if inner
        else np.zeros((1, 0), np.int64)
    )
    indices = np.concatenate([np.repeat(outer, len(places), 0), np.tile(places, (len(outer), 1))], 1).astype(np.int64)
    widths = [int(np.diff(s).max(initial=0)) for s in rt_nested_splits]
    return indices, rt_dense_values.reshape(-1), np.array([rt_nested_splits[0].size - 1, *widths, *inner], np.int64)


def _dense_splits(partitions: list[Array], kinds: list[str]) -> list[Array]:
    for kind in kinds:
        if kind not in ("FIRST_DIM_SIZE", "VALUE_ROWIDS", "ROW_SPLITS"):
            raise invalid(f"Unknown string for partition info type: {kind}")
    if len(partitions) != len(kinds):
        raise invalid(f"There are {len(partitions)} row partitions of {len(kinds)} types.")
    if kinds[0] == "ROW_SPLITS":
        if any(splits.ndim != 1 or splits[:1].any() or (np.diff(splits) < 0).any() for splits in partitions):
            raise invalid("Invalid row split size.")
        return partitions
    rows, out = int(partitions[0]), []
    if rows < 0:
        raise invalid(f"Dimension {rows} must be >= 0")
    for ids in partitions[1:]:
        for at in np.flatnonzero((ids < 0) | (ids >= rows))[:1]:
            raise invalid(f"Got {'next' if at else 'current'}_value_rowid={ids[at]} which is not less than {rows}")
        out.append(np.concatenate([[0], np.cumsum(np.bincount(ids, minlength=rows))]).astype(np.int64))
        rows = ids.size
    return out


def _to_dense_shape(f):
    wanted = f.values[0]
    return [tuple(None if d is None or d < 0 else d for d in wanted) if isinstance(wanted, tuple) else None]


def _to_dense_back(attrs, inputs, outputs, cts, wanted):
    """The elements are moved: their numbers, moved in the same way, say where each cotangent came from."""
    shape, values, default, *partitions = inputs
    count = run("Size", values)
    numbers = run("Reshape", _numbers(count), run("Shape", values))
    facts = {"row_partition_types": attrs["row_partition_types"]}
    moved = run("RaggedTensorToTensor", shape, numbers, constant(-1), *partitions, **facts)
    found = run("UnsortedSegmentSum", cts[0], moved, count)
    rest = run("SelectV2", run("Less", moved, constant(0)), cts[0], run("ZerosLike", cts[0]))
    axes = run("BroadcastGradientArgs", run("Shape", rest), run("Shape", default))[1]
    for_default = run("Reshape", run("Sum", rest, axes), run("Shape", default))
    every = run("Reshape", found, run("Shape", values))
    return (None, rows_at(every, values, _numbers(_count(values))), for_default, *[None] * len(partitions))


@op("RaggedTensorToTensor", fits="1-", shape=_to_dense_shape, grad_tensors=_to_dense_back, host=True)
def ragged_tensor_to_tensor(_, shape, values, default_value, row_partition_tensors, row_partition_types):
    """A dense tensor: rows are cut, or filled with the default value, to the sizes of `shape` or the longest row's."""
    splits = _dense_splits(row_partition_tensors, row_partition_types)
    if not shape.ndim and shape != -1:
        raise invalid("The only valid scalar shape tensor is the fully unknown shape specified as -1.")
    if (shape < -1).any():
        raise invalid(f"Dimension {shape[shape < -1][0]} must be >= -1")
    for outer, own in zip(splits, [len(s) - 1 for s in splits[1:]]):
        if own > outer[-1]:
            raise invalid(f"Row partition size is greater than output size: {own} > {outer[-1]}")
    inner = values.shape[1:]
    if default_value.ndim >= values.ndim > 0:
        shapes = (
            f"default_value.shape={rules.text(default_value.shape)} and "
            f"rt_input.flat_values.shape={rules.text(values.shape)}"
        )
        ranks = f"default_value.rank = {default_value.ndim} must be less than rt_input.flat_values.rank = {values.ndim}"
        raise invalid(f"{shapes} are incompatible: {ranks}")
    dims = [splits[0].size - 1, *(int(np.diff(s).max(initial=0)) for s in splits), *inner]
    if shape.ndim:
        if shape.size != len(dims):
            raise invalid(f"ragged tensor's shape {shape.tolist()} has a different rank than the values: {len(dims)}")
        if any(0 <= a != b for a, b in zip(shape[len(dims) - len(inner) :].tolist(), inner, strict=True)):
            raise invalid(f"Inner dimensions of shape {shape.tolist()} do not match those of the values {list(inner)}")
        dims = [b if a < 0 else a for a, b in zip(shape.tolist(), dims, strict=True)]
    out = np.array(np.broadcast_to(default_value, dims))
    levels = len(splits) + 1
    at = _coordinates(splits, len(values))
    inside = (at < dims[:levels]).all(1)
    out[tuple(at[inside].T)] = values[inside]
    return out


# --- counts -----------------------------------------------------------------------------------------------------------


def _bins(rows: Array, count: int, values: Array, size: Array, weights: Array, binary: bool) -> Array:
    width = int(size)
    if width < 0:
        raise invalid(f"size ({width}) must be non-negative")
    if (values < 0).any():
        raise invalid("Input must be non-negative")
    flat = np.where(values < width, rows * width + values, -1)
    return count_bins(host_xp, flat, count * width, weights, binary).reshape(count, width)


@op(
    "RaggedBincount", shape=lambda f: [(None, f.values[2] if isinstance(f.values[2], int) else None)], grad=NO_GRADIENT,
    host=True,
)
def ragged_bincount(_, splits, values, size, weights, binary_output=False):
    """A row of counts for each row of numbers."""
    _check_splits(splits, values.size)
    rows = np.repeat(np.arange(splits.size - 1), np.diff(splits))
    return _bins(rows, splits.size - 1, values, size, weights, binary_output)


def _sparse_bins_shape(f):
    size = f.values[3] if isinstance(f.values[3], int) else None
    rank = f.shapes[2] and f.shapes[2][0]
    return [None if rank is None else (size,) if rank == 1 else (None, size)]


@op("SparseBincount", fits="* * * 0", shape=_sparse_bins_shape, grad=NO_GRADIENT, host=True)
def sparse_bincount(_, indices, values, dense_shape, size, weights, binary_output=False):
    """A vector of counts, or a row of them for each row."""
    require.entries(indices, values, dense_shape)
    for row in np.flatnonzero(((indices < 0) | (indices >= dense_shape)).any(1))[:1]:
        raise invalid(f"Sparse index tuple indices[{row}, :] = {indices[row].tolist()} is out of bounds")
    matrix = dense_shape.size > 1
    rows = indices[:, 0] if matrix else np.zeros(values.size, np.int64)
    found = _bins(rows, int(dense_shape[0]) if matrix else 1, values, size, weights, binary_output)
    return found if matrix else found[0]


@op("RaggedCountSparseOutput", shape=lambda f: [(None, 2), (None,), (2,)], grad=NO_GRADIENT, host=True)
def ragged_count_sparse_output(_, splits, values, weights, binary_output, minlength=-1, maxlength=-1):
    if weights.size and weights.size != values.size:
        raise invalid(
            f"Weights and values must have the same shape. Weight shape: {list(weights.shape)}; values "
            f"shape: {list(values.shape)}"
        )
    splits = splits.reshape(-1)
    if splits.size < 2:
        raise invalid("Must provide at least 2 elements for the splits argument")
    if splits[0] != 0:
        raise invalid(f"Splits must start with 0, not with {splits[0]}")
    if splits[-1] != values.size:
        raise invalid(f"Splits must end with the number of values, got {splits[-1]} instead of {values.size}")
    cut = lambda x: dict(enumerate(np.split(x, splits[1:-1])))
    rows = splits.size - 1
    return sets.count(
        cut(values), cut(weights) if weights.size else {}, (rows,), minlength, maxlength, binary_output, weights.dtype
    )


# --- empty rows -------------------------------------------------------------------------------------------------------


def _filled_back(attrs, inputs, outputs, cts, wanted):
    d_values, d_default = run("RaggedFillEmptyRowsGrad", outputs[3], cts[1])
    return None, d_values, None, d_default


@op(
    "RaggedFillEmptyRows", fits="[n] [n] 0 0", grad_tensors=_filled_back, host=True,
    shape=lambda f: [(None,), (None,), (f.values[2] if isinstance(f.values[2], int) else None,), f.shapes[0]],
)
def ragged_fill_empty_rows(_, value_rowids, values, nrows, default_value):
    """The same rows, with the default value in those that were empty."""
    if len(values) != len(value_rowids):
        raise invalid(
            f"The length of `values` ({len(values)}) must match the first dimension of `value_rowids` "
            f"({len(value_rowids)})."
        )
    require.scalar("default_value", default_value)
    rows = int(nrows)
    bad = np.flatnonzero((value_rowids < 0) | (value_rowids >= rows))
    if bad.size:
        raise invalid(f"value_rowids({bad[0]}) is invalid: {value_rowids[bad[0]]} is not in [0, {rows})")
    empty = np.bincount(value_rowids, minlength=rows) == 0
    every = np.concatenate([value_rowids, np.flatnonzero(empty)])
    order = np.argsort(every, kind="stable")
    filled = np.concatenate([values, np.full(int(empty.sum()), default_value, values.dtype)])[order]
    return every[order], filled, empty, np.argsort(order, kind="stable")[: value_rowids.size].astype(np.int64)


@op("RaggedFillEmptyRowsGrad", shape=lambda f: [f.shapes[0], ()], grad=NO_GRADIENT, host=True)
def ragged_fill_empty_rows_grad(_, reverse_index_map, grad_values):
    """What the values get, and what the default value gets: all the rest."""
    if ((reverse_index_map < 0) | (reverse_index_map >= grad_values.size)).any():
        raise invalid(f"Elements in reverse index must be in [0, {grad_values.size})")
    rest = np.ones(grad_values.size, bool)
    rest[reverse_index_map] = False
    return grad_values[reverse_index_map], np.asarray(grad_values[rest].sum(), grad_values.dtype)


# --- crosses ----------------------------------------------------------------------------------------------------------


@op("RaggedCross", shape=lambda f: [(None,), (None,)], grad=NO_GRADIENT, host=True)
def ragged_cross(
    _, ragged_values, ragged_row_splits, sparse_indices, sparse_values, sparse_shape, dense_inputs, input_order,
    hashed_output, num_buckets, hash_key, out_values_type, out_row_splits_type,
):
    """Every combination of the values in each row. `input_order` says of which kind each column is: "R", "S" or "D".
    They are hashes if `out_values_type` is an integer, whatever `hashed_output` says."""
    if sorted(input_order) != sorted("R" * len(ragged_values) + "S" * len(sparse_indices) + "D" * len(dense_inputs)):
        raise errors.InvalidArgumentError(None, None, "Invalid length for input_order")
    if any(v.ndim != 1 for v in ragged_values) or any(d.ndim != 2 for d in dense_inputs):
        raise errors.InvalidArgumentError(None, None, "tf.ragged.cross only supports inputs with rank=2.")
    for values, splits in zip(ragged_values, ragged_row_splits, strict=True):
        _check_splits(splits, len(values))
    ragged = [
        crosses.Column(len(s) - 1, enumerate(row.tolist() for row in np.split(v, s[1:-1])))
        for v, s in zip(ragged_values, ragged_row_splits, strict=True)
    ]
    others = crosses.columns(sparse_indices, sparse_values, sparse_shape, dense_inputs)
    kinds = {"R": iter(ragged), "S": iter(others[: len(sparse_indices)]), "D": iter(others[len(sparse_indices) :])}
    chosen = [next(kinds[kind]) for kind in input_order]
    if len({column.rows for column in chosen}) > 1:
        raise errors.InvalidArgumentError(None, None, "inputs must all have the same batch dimension size.")
    hashed = out_values_type.is_integer
    join = crosses.hashed(hash_key, num_buckets) if hashed else crosses.joined
    rows = crosses.crossed(chosen, join)
    flat = [value for row in rows.values() for value in row]
    sizes = np.zeros(1 + (chosen[0].rows if chosen else 0), np.int64)
    sizes[[row + 1 for row in rows]] = [len(row) for row in rows.values()]
    splits = np.cumsum(sizes).astype(out_row_splits_type.np_dtype)
    return np.array(flat, np.int64) if hashed else vector(flat), splits
