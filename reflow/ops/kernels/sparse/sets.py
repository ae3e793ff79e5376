"""Sets and counts, on the host: the number of elements of a result depends on values.

A tensor of sets has one set in each row, along its last axis; a sparse one may have rows of different length. Counting
is per row too. Results are sparse: three arrays, indices [n, rank], values [n], shape [rank], each row in ascending
order.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from reflow.ops import require
from reflow.ops import shape_rules as rules
from reflow.ops import trace_checks as traced
from reflow.ops.kernels.sparse.places import places, rows_of
from reflow.ops.kernels.sparse.tensors import check_order
from reflow.ops.registry import NO_GRADIENT, op
from reflow.ops.trace_words import is_value, rank, rank_at_least, same_shape

_MOST_ROWS = 2**31 - 1
_OPERATIONS: dict[str, Callable] = {
    "intersection": np.intersect1d,
    "union": np.union1d,
    "a-b": np.setdiff1d,
    "b-a": lambda a, b: np.setdiff1d(b, a),
}


def _result_shape(f):
    rank = None
    if f.op.name.startswith("Dense") and f.shapes[0] is not None:
        rank = len(f.shapes[0])
    elif f.shapes[-1]:
        rank = f.shapes[-1][0]
    return [(None, rank), (None,), (rank,)]


def _rows_fit(f):
    """Two dense tensors whose rows are sets: what lies before the rows is equal."""
    a, b = f.shapes
    for one, other in ((a, b), (b, a)):
        rank_at_least(one, 2)
        if other is not None:
            rank(one, len(other))
    if a is not None and b is not None:
        same_shape(a[:-1], b[:-1])


def _rows_fit_sparse(f):
    """A dense tensor, and a sparse one of the same rank."""
    rank_at_least(f.shapes[0], 2)
    if f.shapes[0] is not None and f.shapes[3]:
        is_value(f.shapes[3][0], len(f.shapes[0]))
    traced.sparse_tensors(1)(f)


def _dense_rows(x):
    """Sets of a dense tensor: row number -> its elements; and the shape of the rows."""
    return dict(enumerate(x.reshape(math.prod(x.shape[:-1]), x.shape[-1]))), tuple(x.shape[:-1])


def _sparse_rows(indices, values, shape, in_order: bool = False):
    """Sets of a sparse tensor: row number -> its elements; and the shape of the rows.

    `in_order`: refuse entries that are not sorted.
    """
    require.entries(indices, values, shape)
    require.sparse_shape(shape)
    outside = np.flatnonzero(((indices < 0) | (indices >= shape)).any(1))
    if len(outside):
        row = outside[0]
        words = (
            f"indices[{row}] = {rules.text(indices[row].tolist())} is out of bounds: need 0 <= index < "
            f"{rules.text(shape.tolist())}"
        )
        raise ValueError(words)
    if in_order:
        check_order(indices, shape)
    groups = tuple(int(d) for d in shape[:-1])
    at = places(indices[:, :-1], groups)
    order = np.argsort(at, kind="stable")
    starts = np.flatnonzero(np.diff(at[order], prepend=-1))
    return dict(zip(at[order][starts].tolist(), np.split(values[order], starts[1:]), strict=True)) if len(
        at
    ) else {}, groups


def _operate(name, a, b, dtype):
    """Row by row; the last size of the result is that of its largest set."""
    (a_rows, a_shape), (b_rows, b_shape) = a, b
    if a_shape != b_shape:
        raise ValueError(f"Mismatched shapes {list(a_shape)} vs {list(b_shape)}")
    if name not in _OPERATIONS:
        raise ValueError(f"Invalid set_operation {name}.")
    empty = np.zeros(0, dtype)
    found = []
    for row in sorted(a_rows.keys() | b_rows.keys()):
        values = _OPERATIONS[name](a_rows.get(row, empty), b_rows.get(row, empty))
        if len(values):
            found.append((row, values))
    return _as_sparse(found, a_shape, max((len(v) for _, v in found), default=0), dtype)


def _as_sparse(found, groups, width, dtype, columns=None):
    """Rows of values as a sparse tensor of shape [*groups, width]; `columns` are their places, else 0, 1, 2…"""
    rows = np.repeat([row for row, _ in found], [len(v) for _, v in found]).astype(np.int64)
    at = np.concatenate(
        columns if columns is not None else [np.arange(len(v)) for _, v in found] or [np.zeros(0, np.int64)]
    )
    indices = np.concatenate([rows_of(rows, groups), at[:, None].astype(np.int64)], 1)
    values = np.concatenate([v for _, v in found]).astype(dtype) if found else np.zeros(0, dtype)
    return indices, values, np.array([*groups, width], np.int64)


@op("DenseToDenseSetOperation", shape=_result_shape, host=True, grad=NO_GRADIENT, trace_check=_rows_fit)
def dense_to_dense_set_operation(_, set1, set2, set_operation, validate_indices=True):
    """There are no indices to validate."""
    return _operate(set_operation, _dense_rows(set1), _dense_rows(set2), set1.dtype)


@op("DenseToSparseSetOperation", shape=_result_shape, host=True, grad=NO_GRADIENT, trace_check=_rows_fit_sparse)
def dense_to_sparse_set_operation(_, set1, set2_indices, set2_values, set2_shape, set_operation, validate_indices=True):
    rows = _sparse_rows(set2_indices, set2_values, set2_shape, validate_indices)
    return _operate(set_operation, _dense_rows(set1), rows, set1.dtype)


@op(
    "SparseToSparseSetOperation", shape=_result_shape, host=True, grad=NO_GRADIENT,
    trace_check=traced.sparse_tensors(0, 3),
)
def sparse_to_sparse_set_operation(
    _, set1_indices, set1_values, set1_shape, set2_indices, set2_values, set2_shape, set_operation,
    validate_indices=True,
):
    return _operate(
        set_operation, _sparse_rows(set1_indices, set1_values, set1_shape, validate_indices),
        _sparse_rows(set2_indices, set2_values, set2_shape, validate_indices), set1_values.dtype,
    )


@op("SetSize", shape=rules.unknown, host=True, grad=NO_GRADIENT)
def set_size(_, set_indices, set_values, set_shape, validate_indices=True):
    if set_shape.size < 2:
        raise ValueError(f"Invalid rank {set_shape.size}.")
    rows, groups = _sparse_rows(set_indices, set_values, set_shape, validate_indices)
    out = np.zeros(int(np.prod(groups)), np.int32)
    for row, values in rows.items():
        out[row] = len(np.unique(values))
    return out.reshape(groups)


# --- counts ---------------------------------------------------------------------------------------------------------


def _count_rank(f):
    rank = (
        len(f.shapes[0])
        if f.op.name == "DenseCountSparseOutput" and f.shapes[0] is not None
        else (f.shapes[2][0] if f.op.name != "DenseCountSparseOutput" and f.shapes[2] else None)
    )
    return [(None, rank), (None,), (rank,)]


def count(rows, weights, groups, minlength, maxlength, binary_output, dtype):
    """Each row's numbers, and how often they occur or what they weigh. Numbers of `maxlength` and more do not count."""
    greatest, found, columns = -1, [], []
    for row, values in sorted(rows.items()):
        if (values < 0).any():
            raise ValueError("Input values must all be non-negative")
        greatest = max(greatest, int(values.max(initial=-1)))
        weighed = weights.get(row)
        if maxlength >= 0:
            inside = values < maxlength
            values, weighed = values[inside], None if weighed is None else weighed[inside]
        numbers, back = np.unique(values, return_inverse=True)
        total = np.zeros(len(numbers), dtype)
        np.add.at(total, back, np.ones(len(values), dtype) if weighed is None else weighed)
        found.append((row, np.ones_like(total) if binary_output else total))
        columns.append(numbers)
    width = maxlength if maxlength >= 0 else max(greatest + 1, minlength)
    return _as_sparse(found, groups, width, dtype, columns or None)


@op("DenseCountSparseOutput", shape=_count_rank, host=True, grad=NO_GRADIENT)
def dense_count_sparse_output(_, values, weights, binary_output, minlength=-1, maxlength=-1):
    if weights.size and weights.shape != values.shape:
        raise ValueError(
            f"Weights and values must have the same shape. Weight shape: {list(weights.shape)}; values shape: "
            f"{list(values.shape)}"
        )
    if values.ndim not in (1, 2):
        raise ValueError(f"Input must be a 1 or 2-dimensional tensor. Got: {rules.text(values.shape)}")
    if 0 in values.shape:
        raise ValueError("Invalid input: Shapes dimension cannot be 0.")
    rows, groups = _dense_rows(values)
    weighed = _dense_rows(weights)[0] if weights.size else {}
    return count(rows, weighed, groups, minlength, maxlength, binary_output, weights.dtype)


@op("SparseCountSparseOutput", fits="2", shape=_count_rank, host=True, grad=NO_GRADIENT)
def sparse_count_sparse_output(_, indices, values, dense_shape, weights, binary_output, minlength=-1, maxlength=-1):
    rows, groups = _sparse_rows(indices, values, dense_shape)
    if any(size > _MOST_ROWS for size in groups):
        raise ValueError(f"Cannot allocate {max(groups)} batches, is the dense shape too wide?")
    weighed = _sparse_rows(indices, weights, dense_shape)[0] if weights.size else {}
    return count(rows, weighed, groups, minlength, maxlength, binary_output, weights.dtype)
