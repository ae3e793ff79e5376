"""Ops on sparse tensors, on the host. A sparse tensor is three arrays: `indices` [n, rank], `values` [n], `shape`
[rank].

The number of entries of a result depends on values, so none of these can be part of a program.
"""

from __future__ import annotations

import math

import numpy as np

from reflow.core import errors
from reflow.ops import require
from reflow.ops import shape_rules as rules
from reflow.ops import trace_checks as traced
from reflow.ops.kernels.sparse import gradients as grads
from reflow.ops.kernels.sparse.places import places, rows_of
from reflow.ops.registry import NO_GRADIENT, op, own_op
from reflow.ops.xp import host as host_xp

COUNTS_DIFFER = "Number of elements in indices ({}) and values ({}) do not match"


def _entries(rank_of: int):
    """A shape rule: indices of unknown length, their values, and the shape vector of the input at `rank_of`."""

    def rule(f):
        dims = f.shapes[rank_of]
        rank = dims[0] if dims else None
        return [(None, rank), (None,), (rank,)][: len(f.op.definition.outputs)]

    return rule


def check_bounds(indices, shape):
    """Check that entries are inside a tensor of this shape."""
    bad = np.flatnonzero(((indices < 0) | (indices >= shape)).any(-1)) if indices.size else np.zeros(0, np.int64)
    if len(bad):
        at = int(bad[0])
        raise ValueError(
            f"indices[{at}] = [{','.join(map(str, indices[at]))}] is out of bounds: need 0 <= index < "
            f"[{','.join(map(str, shape))}]"
        )


def check_order(indices, shape):
    """Entries are sorted, and none comes twice."""
    steps = np.diff(places(indices, shape))
    for at in np.flatnonzero(steps <= 0)[:1]:
        row = ",".join(map(str, indices[at + 1]))
        what = (
            "is repeated"
            if steps[at] == 0
            else (
                "is out of order. Many sparse ops require sorted indices.\n    Use "
                "`tf.sparse.reorder` to create a correctly ordered copy.\n\n"
            )
        )
        raise ValueError(f"indices[{at + 1}] = [{row}] {what}")


# --- dense and back -------------------------------------------------------------------------------------------------


@op(
    "SparseToDense", shape=lambda f: [rules.as_shape(f.values[1], f.shapes[1])], host=True,
    grad_tensors=grads.to_dense_grad, jit="between", trace_check=traced.sparse_to_dense,
)
def sparse_to_dense(_, sparse_indices, output_shape, sparse_values, default_value, validate_indices=True):
    if default_value.ndim:
        raise ValueError("default_value should be a scalar.")
    if sparse_indices.ndim > 2:
        raise ValueError(
            f"sparse_indices should be a scalar, vector, or matrix, got shape {rules.text(sparse_indices.shape)}"
        )
    indices = sparse_indices if sparse_indices.ndim == 2 else sparse_indices.reshape(-1, 1)
    if output_shape.ndim != 1:
        raise ValueError(f"output_shape must be rank 1, got shape {rules.text(output_shape.shape)}")
    if len(output_shape) != indices.shape[1]:
        raise ValueError(
            f"output_shape has incorrect number of elements: {len(output_shape)} should be: {indices.shape[1]}"
        )
    shape = tuple(output_shape.tolist())
    check_bounds(indices, np.array(shape))
    if sparse_values.ndim and sparse_values.shape != (len(indices),):
        raise ValueError(
            f"sparse_values has incorrect shape {rules.text(sparse_values.shape)}, should be [] or [{len(indices)}]"
        )
    if validate_indices:
        check_order(indices, shape)
    out = np.full(shape, default_value, default_value.dtype)
    out[tuple(indices.T)] = sparse_values
    return out


@op(
    "SparseReorder", fits="2 1 1", shape=lambda f: [f.shapes[0], f.shapes[1]], host=True,
    grad_tensors=grads.reorder_grad,
)
def sparse_reorder(_, input_indices, input_values, input_shape):
    require.entries(input_indices, input_values, input_shape)
    order = np.argsort(places(input_indices, input_shape), kind="stable")
    return input_indices[order], input_values[order]


# --- arithmetic -----------------------------------------------------------------------------------------------------


def _ranks(indices, shape) -> np.ndarray:
    """Numbers in the order of index rows: positions, or, where some are outside, ranks (60 times as slow)."""
    if math.prod(shape.tolist()) < 2**63 and ((indices >= 0) & (indices < shape)).all():
        return places(indices, shape)
    return np.unique(indices, axis=0, return_inverse=True)[1].reshape(-1)


def _walked(a_indices, b_indices, shape) -> tuple[np.ndarray, np.ndarray]:
    """The entries of a sum: their numbers in a and in b, -1 where there is none.

    TensorFlow walks through both lists at once and takes what is smaller, so of operands that are not sorted, or name
    a place twice, it adds only what meets.
    """
    ranks = _ranks(np.concatenate([a_indices, b_indices]), shape)
    a, b = np.split(ranks, [len(a_indices)])
    if (np.diff(a) > 0).all() and (np.diff(b) > 0).all():
        union = np.unique(ranks)
        found = np.full((2, len(union)), -1)
        found[0, np.searchsorted(union, a)] = np.arange(len(a))
        found[1, np.searchsorted(union, b)] = np.arange(len(b))
        return found[0], found[1]
    at_a, at_b, pairs = 0, 0, []
    while at_a < len(a) or at_b < len(b):
        takes_a = at_b == len(b) or at_a < len(a) and a[at_a] <= b[at_b]
        takes_b = at_a == len(a) or at_b < len(b) and b[at_b] <= a[at_a]
        pairs.append((at_a if takes_a else -1, at_b if takes_b else -1))
        at_a, at_b = at_a + takes_a, at_b + takes_b
    walked = np.array(pairs, np.int64).reshape(-1, 2)
    return walked[:, 0], walked[:, 1]


def _united(a_indices, a_values, b_indices, b_values, shape):
    """The entries of both operands: their indices, values of a, values of b, and which of them are in both."""
    in_a, in_b = _walked(a_indices, b_indices, shape)

    def chosen(x, at):
        return x[at] if len(x) else np.zeros((len(at), *x.shape[1:]), x.dtype)

    def values(x, at):
        return np.where(at < 0, np.zeros((), x.dtype), chosen(x, at))

    rows = np.where(in_a[:, None] < 0, chosen(b_indices, in_b), chosen(a_indices, in_a))
    return rows, values(a_values, in_a), values(b_values, in_b), (in_a >= 0) & (in_b >= 0)


def _same_shape(a_shape, b_shape):
    if len(a_shape) != len(b_shape) or (a_shape != b_shape).any():
        raise ValueError(
            f"Operands' shapes do not match: got [{','.join(map(str, a_shape))}] and [{','.join(map(str, b_shape))}]."
        )


@op("SparseAdd", fits="* * 1", shape=_entries(2), host=True, grad_tensors=grads.add_grad)
def sparse_add(_, a_indices, a_values, a_shape, b_indices, b_values, b_shape, thresh):
    require.entries(a_indices, a_values, a_shape)
    require.entries(b_indices, b_values, b_shape)
    _same_shape(a_shape, b_shape)
    require.scalar("thresh", thresh)
    rows, a, b, both = _united(a_indices, a_values, b_indices, b_values, a_shape)
    sums = a + b
    keep = ~both | (np.abs(sums) >= thresh)  # an entry of one operand alone stays, however small
    return rows[keep], sums[keep], a_shape.copy()


def _larger(name, choose):
    @op(name, fits="2 1 1 2 1 1", shape=_entries(2), host=True, grad_tensors=grads.no_gradient_of(name))
    def kernel(_, a_indices, a_values, a_shape, b_indices, b_values, b_shape):
        require.entries(a_indices, a_values, a_shape, COUNTS_DIFFER)
        require.entries(b_indices, b_values, b_shape, COUNTS_DIFFER)
        if len(a_shape) != len(b_shape):
            both = " and ".join(" ".join(map(str, shape)) for shape in (a_shape, b_shape))
            raise ValueError(f"Operands do not have the same ranks; got shapes: {both}")
        for axis in np.flatnonzero(a_shape != b_shape)[:1]:
            sizes = f"got {a_shape[axis]} and {b_shape[axis]} for dimension {axis}"
            raise ValueError(f"Operands' shapes do not match: {sizes}")
        for indices in (a_indices, b_indices):
            for at in np.flatnonzero(((indices < 0) | (indices >= a_shape)).any(-1))[:1]:
                raise ValueError(f"Sparse index tuple indices[{at}, :] = {indices[at].tolist()} is out of bounds")
        rows, a, b, _ = _united(a_indices, a_values, b_indices, b_values, a_shape)
        return rows, choose(a, b)


_larger("SparseSparseMaximum", np.maximum)
_larger("SparseSparseMinimum", np.minimum)


@op("SparseTensorDenseAdd", shape=lambda f: [f.shapes[3]], host=True, grad_tensors=grads.dense_add_grad)
def sparse_tensor_dense_add(_, a_indices, a_values, a_shape, b):
    unlike = "Dimensions {} and {} are not compatible"
    require.entries(a_indices, a_values, a_shape, unlike, ranks=unlike)
    if tuple(a_shape) != b.shape:
        raise ValueError(
            f"Dimension 0 does not equal (no broadcasting is supported): sparse side {a_shape.tolist()} vs dense side "
            f"{list(b.shape)}"
        )
    for at, axis in np.argwhere((a_indices < 0) | (a_indices >= np.array(b.shape)))[:1].tolist():
        raise ValueError(
            f"Sparse tensor has an invalid index on dimension {axis}: a_indices({at},{axis}) = {a_indices[at, axis]}, "
            f"dense tensor shape: {' '.join(map(str, b.shape))}"
        )
    out = b.copy()
    np.add.at(out, tuple(a_indices.T), a_values)
    return out


def _cwise(name, combine, grad):
    @op(name, fits="2", shape=lambda f: [(f.shapes[0][0] if f.shapes[0] else None,)], host=True, grad_tensors=grad)
    def kernel(_, sp_indices, sp_values, sp_shape, dense):
        require.entries(sp_indices, sp_values, sp_shape, prefix="sp_")
        if ((sp_indices < 0) | (sp_indices >= sp_shape)).any():
            raise ValueError("Provided indices are out-of-bounds w.r.t. dense side with broadcasted shape")
        sizes = [int(size) for size in sp_shape]
        padded = [1] * (len(sizes) - dense.ndim) + list(dense.shape)
        if len(padded) != len(sizes) or any(d not in (1, s) for d, s in zip(padded, sizes, strict=True)):
            both = f"{rules.text(tuple(sizes))} vs. {rules.text(dense.shape)}"
            raise ValueError(
                f"SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: {both}"
            )
        there = np.broadcast_to(dense, sizes)[tuple(sp_indices.T)]
        return combine(sp_values, there)


_cwise("SparseDenseCwiseMul", np.multiply, grads.cwise_grad(divide=False))
_cwise("SparseDenseCwiseAdd", np.add, grads.no_gradient_of("SparseDenseCwiseAdd"))
def _divided(values, dense):
    if not dense.all():
        raise ValueError("SparseDenseCwiseDiv cannot divide by zero,but input dense tensor contains zero ")
    return host_xp.truncate_div(values, dense) if values.dtype.kind in "iu" else np.divide(values, dense)


_cwise("SparseDenseCwiseDiv", _divided, grads.cwise_grad(divide=True))


def _matmul_shape(f):
    shape, b = f.values[2], f.shapes[3]
    rows = None if not isinstance(shape, tuple) else shape[1 if f.attr("adjoint_a") else 0]
    return [(rows, None if b is None else b[0 if f.attr("adjoint_b") else 1])]


@op(
    "SparseTensorDenseMatMul", shape=_matmul_shape, host=True, grad_tensors=grads.matmul_grad,
    trace_check=traced.sparse_product,
)
def sparse_tensor_dense_matmul(_, a_indices, a_values, a_shape, b, adjoint_a=False, adjoint_b=False):
    for name, x in (("a_shape", a_shape), ("a_values", a_values)):
        if x.ndim != 1:
            raise ValueError(f"Tensor '{name}' is not a vector")
    if len(a_shape) != 2:
        raise ValueError("Tensor 'a_shape' must have 2 elements")
    if len(a_indices) != len(a_values):
        raise ValueError("Number of rows of a_indices does not match number of entries in a_values")
    rows, columns = a_indices.T if len(a_indices) else np.zeros((2, 0), np.int64)
    height, width = int(a_shape[0]), int(a_shape[1])
    names = ("k", "m") if adjoint_a else ("m", "k")
    for axis, (name, size) in enumerate(zip(names, (height, width), strict=True)):
        for at in np.flatnonzero((a_indices[:, axis] < 0) | (a_indices[:, axis] >= size))[:1]:
            raise ValueError(f"{name} ({a_indices[at, axis]}) from index[{at},{axis}] out of bounds (>={size})")
    if adjoint_a:
        rows, columns, height, width, a_values = columns, rows, width, height, np.conj(a_values)
    if adjoint_b:
        b = np.conj(b).T
    if b.shape[0] != width:
        raise ValueError(
            f"Cannot multiply A and B because inner dimension does not match: {width} vs. {b.shape[0]}.  Did you "
            f"forget a transpose?  Dimensions of A: [{height}, {width}).  Dimensions of B: {rules.text(b.shape)}"
        )
    summed = np.dtype(np.float32) if b.dtype == np.float16 else b.dtype  # as TensorFlow sums them
    out = np.zeros((height, b.shape[1]), summed)
    np.add.at(out, rows, a_values[:, None].astype(summed) * b[columns].astype(summed))
    return out.astype(b.dtype, copy=False)


@own_op(
    "SparseSparseMatMul", inputs="a_indices a_values a_shape b_indices b_values b_shape",
    outputs="indices values shape", shape=_entries(2), host=True, grad_tensors=grads.sparse_matmul_grad,
)
def sparse_sparse_matmul(_, a_indices, a_values, a_shape, b_indices, b_values, b_shape, **types):
    """The product of (batches of) sparse matrices: every entry of a is multiplied with the entries in its row of b."""
    rows, inner, columns = int(a_shape[-2]), int(a_shape[-1]), int(b_shape[-1])
    if inner != b_shape[-2] or (a_shape[:-2] != b_shape[:-2]).any():
        raise ValueError(f"Cannot multiply matrices of shapes {a_shape.tolist()} and {b_shape.tolist()}.")
    batch = a_shape[:-2]
    a_batch, b_batch = places(a_indices[:, :-2], batch), places(b_indices[:, :-2], batch)
    b_row = b_batch * inner + b_indices[:, -2]
    order = np.argsort(b_row, kind="stable")
    wanted = a_batch * inner + a_indices[:, -1]
    first, last = (np.searchsorted(b_row[order], wanted, side) for side in ("left", "right"))
    count = last - first
    left = np.repeat(np.arange(len(a_values)), count)
    right = order[np.arange(len(left)) - np.repeat(np.cumsum(count) - count, count) + np.repeat(first, count)]
    at = (a_batch[left] * rows + a_indices[left, -2]) * columns + b_indices[right, -1]
    unique, back = np.unique(at, return_inverse=True)
    out = np.zeros(len(unique), a_values.dtype)
    np.add.at(out, back, a_values[left] * b_values[right])
    shape = np.concatenate([a_shape[:-1], b_shape[-1:]])
    return rows_of(unique, shape), out, shape


# --- moving entries -------------------------------------------------------------------------------------------------


@op(
    "SparseReshape", fits="2 1 1", shape=lambda f: [(None, f.shapes[2] and f.shapes[2][0]), f.shapes[2]],
    host=True, grad=NO_GRADIENT,
)
def sparse_reshape(_, input_indices, input_shape, new_shape):
    require.matrix("input_indices", input_indices)
    require.vectors(input_shape=input_shape, new_shape=new_shape)
    if input_indices.shape[1] != len(input_shape):
        raise ValueError("Input tensor rank must match input shape length.")
    total = int(np.prod(input_shape))
    shape = [int(d) for d in new_shape]
    for axis, size in enumerate(shape):
        if size < -1:
            raise ValueError(f"size {axis} must be non-negative, not {size}")
    if shape.count(-1) > 1:
        raise ValueError(
            "only one output dimension may be -1, not both "
            + " and ".join(str(i) for i, d in enumerate(shape) if d == -1)
        )
    if -1 in shape:
        rest = int(np.prod([d for d in shape if d != -1]))
        if not rest or total % rest:
            raise ValueError(
                f"Input to reshape is a SparseTensor with {total} dense values, but the requested shape requires a "
                f"multiple of {rest}."
            )
        shape[shape.index(-1)] = total // rest
    if int(np.prod(shape)) != total:
        raise ValueError(
            f"Input to reshape is a tensor with {total} dense values, but the requested shape has "
            f"{int(np.prod(shape))}. input_shape={rules.text(input_shape)} output_shape={rules.text(tuple(shape))}"
        )
    return rows_of(places(input_indices, input_shape), shape), np.array(shape, np.int64)


def _concat_shape(f):
    """The rank is what the indices of any input, or its shape, say."""
    count = len(f.shapes) // 3
    found = None
    for indices, shape in zip(f.shapes[:count], f.shapes[2 * count :], strict=True):
        for rank in (indices[1] if indices else None, shape[0] if shape else None):
            if None not in (found, rank) and rank != found:
                raise ValueError(f"Dimensions must be equal, but are {found} and {rank}")
            found = rank if found is None else found
    return [(None, found), (None,), (found,)]


def _check_volumes(indices, shapes, axis):
    """Reject entries in an empty tensor, and axes with more positions than 63 bits can count."""
    if any(len(i) and 0 in s for i, s in zip(indices, shapes, strict=True)):
        raise ValueError("SparseTensor cannot have non-zero indices if dense shape has zero volume")
    if sum(int(s[axis]) for s in shapes) >= 2**63:
        raise ValueError("The size of the concatenation overflowed")


@op("SparseConcat", fits="2 1 1", shape=_concat_shape, host=True, grad=NO_GRADIENT)
def sparse_concat(_, indices, values, shapes, concat_dim):
    rank = len(shapes[0])
    for rows, entries in zip(indices, values, strict=True):
        if rows.ndim == 2 and rows.shape[1] != rank:
            raise ValueError("Order length must be SparseTensor rank.")
        if len(rows) != len(entries):
            raise ValueError(require.ROWS_DIFFER.format(len(rows), len(entries)))
    if not -rank <= concat_dim < rank:
        raise ValueError(f"Concat dimension must be in range [{-rank}, {rank}), got {concat_dim}")
    axis = concat_dim % rank
    for n, s in enumerate(shapes[1:], 1):
        if len(s) != rank or any(s[i] != shapes[0][i] for i in range(rank) if i != axis):
            raise ValueError(
                f"Input shapes must match: expected {int(shapes[0][1 - axis])} for dimension {1 - axis} but got "
                f"{int(s[1 - axis])} at position {n}"
            )
    _check_volumes(indices, shapes, axis)
    shape = shapes[0].copy()
    moved = []
    offset = 0
    for i, s in zip(indices, shapes, strict=True):
        step = np.zeros(rank, np.int64)
        step[axis] = offset
        moved.append(i + step)
        offset += int(s[axis])
    shape[axis] = offset
    every = np.concatenate(moved)
    order = np.argsort(places(every, shape), kind="stable")
    return every[order], np.concatenate(values)[order], shape


@op("SparseSlice", shape=_entries(2), host=True, grad_tensors=grads.slice_grad)
def sparse_slice(_, indices, values, shape, start, size):
    require.entries(indices, values, shape, COUNTS_DIFFER)
    require.sparse_shape(shape)
    for name, part in (("start", start), ("size", size)):
        if part.shape != shape.shape:
            found = f"to be a vector of length {shape.size} but got length {part.size}"
            raise errors.InvalidArgumentError(None, None, f"Expected {name} {found}")
    if (size < 0).any():
        raise errors.InvalidArgumentError(None, None, f"Expected a non-negative size, got {size[size < 0][0]}")
    end = np.minimum(start + size, shape)
    keep = ((indices >= start) & (indices - start < size)).all(-1)
    return indices[keep] - start, values[keep], np.maximum(end - start, 0)


def _split_shape(f):
    count = f.attrs["num_split"]
    rank = f.shapes[3][0] if f.shapes[3] else None
    return [(None, rank)] * count + [(None,)] * count + [(rank,)] * count


@op("SparseSplit", shape=_split_shape, host=True)
def sparse_split(_, split_dim, indices, values, shape, num_split):
    if split_dim.ndim:
        raise ValueError(f"Input axis should be a scalar but received shape {rules.text(split_dim.shape)}")
    for at in np.flatnonzero(((indices < 0) | (indices >= shape)).any(-1))[:1]:
        raise ValueError(f"Sparse index tuple indices[{at}, :] = {indices[at].tolist()} is out of bounds")
    require.entries(indices, values, shape)
    require.sparse_shape(shape)
    rank = len(shape)
    if not -rank <= int(split_dim) < rank:
        raise ValueError(f"Input axis should be in range [{-rank}, {rank}), got {int(split_dim)}")
    axis = int(split_dim) % rank
    if not 0 < num_split <= shape[axis]:
        raise ValueError(f"num_split must be in the interval (0, {int(shape[axis])}], got {num_split}")
    base, extra = divmod(int(shape[axis]), num_split)
    parts, first = [], 0
    for i in range(num_split):
        start, size = np.zeros(len(shape), np.int64), shape.copy()
        start[axis], size[axis] = first, base + (i < extra)
        first += int(size[axis])
        keep = ((indices >= start) & (indices < start + size)).all(-1)
        parts.append((indices[keep] - start, values[keep], size))
    return tuple(p[i] for i in range(3) for p in parts)


def _fill_shape(f):
    entries, shape = f.shapes[0] or (None, None), f.values[2]
    return [(None, entries[1]), (None,), (shape[0] if isinstance(shape, tuple) else None,), (entries[0],)]


@op(
    "SparseFillEmptyRows", fits="[n,r] [n] [r] 0", shape=_fill_shape, host=True,
    grad_tensors=grads.fill_empty_rows_grad,
)
def sparse_fill_empty_rows(_, indices, values, dense_shape, default_value):
    require.scalar("default_value", default_value)
    if indices.shape[1] != len(dense_shape):
        sizes = f"({len(dense_shape)}) must match the second dimension of `indices` ({indices.shape[1]})"
        raise ValueError(f"The length of `dense_shape` {sizes}.")
    if len(values) != len(indices):
        raise ValueError(
            f"The length of `values` ({len(values)}) must match the first dimension of `indices` ({len(indices)})."
        )
    rows = int(dense_shape[0])
    for at in np.flatnonzero((indices[:, 0] < 0) | (indices[:, 0] >= rows))[:1]:
        raise ValueError(f"indices({at}, 0) is invalid: {indices[at, 0]} >= {rows}")
    empty = np.ones(rows, bool)
    empty[indices[:, 0]] = False
    new = np.zeros((int(empty.sum()), indices.shape[1]), np.int64)
    new[:, 0] = np.flatnonzero(empty)
    every = np.concatenate([indices, new])
    order = np.argsort(every[:, 0], kind="stable")
    filled = np.concatenate([values, np.full(len(new), default_value, values.dtype)])[order]
    back = np.empty(len(every), np.int64)  # every element is written: `order` is a permutation
    back[order] = np.arange(len(every))
    return every[order], filled, empty, back[: len(indices)]


# --- reductions -----------------------------------------------------------------------------------------------------


def _axes(reduction_axes, rank):
    for axis in np.atleast_1d(reduction_axes).tolist():
        if not -rank <= axis < rank:
            raise ValueError(f"Invalid reduction dimension {axis}, for input with {rank} dimensions.")
    return tuple(sorted({a % rank for a in np.atleast_1d(reduction_axes).tolist()}))


def _reduced(indices, values, shape, reduction_axes, keep_dims, combine):
    """The places that have entries after a reduction, their values, and the result's shape."""
    require.entries(indices, values, shape)
    require.sparse_shape(shape)
    rank = len(shape)
    axes = _axes(reduction_axes, rank)
    kept = [i for i in range(rank) if i not in axes]
    sizes = [int(shape[i]) for i in kept]
    at = places(indices[:, kept], sizes)
    order = np.argsort(at, kind="stable")
    unique, first = np.unique(at[order], return_index=True)
    out = combine.reduceat(values[order], first) if len(first) else values[:0]
    full = [1 if i in axes else int(shape[i]) for i in range(rank)] if keep_dims else sizes
    return unique, out.astype(values.dtype), full


def _reduce_shape(f):
    rank = f.shapes[2][0] if f.shapes[2] else None
    axes = f.values[3]
    if rank is None:
        return [None]
    dims = f.values[2] if isinstance(f.values[2], tuple) else (None,) * rank
    if not isinstance(axes, (int, tuple)):
        return [(None,) * rank if f.attr("keep_dims") else None]
    gone = _axes(np.array(axes, np.int32), rank)
    if f.attr("keep_dims"):
        return [tuple(1 if i in gone else d for i, d in enumerate(dims))]
    return [tuple(d for i, d in enumerate(dims) if i not in gone)]


def _reduction(name, combine, grad=None):
    @op(name, shape=_reduce_shape, host=True, grad_tensors=grad)
    def dense(_, input_indices, input_values, input_shape, reduction_axes, keep_dims=False):
        at, values, shape = _reduced(input_indices, input_values, input_shape, reduction_axes, keep_dims, combine)
        out = np.zeros(int(np.prod(shape)), values.dtype)
        out[at] = values
        return out.reshape(shape)

    @op(name + "Sparse", shape=rules.unknown, host=True, grad=NO_GRADIENT)
    def sparse(_, input_indices, input_values, input_shape, reduction_axes, keep_dims=False):
        at, values, shape = _reduced(input_indices, input_values, input_shape, reduction_axes, keep_dims, combine)
        return rows_of(at, shape), values, np.array(shape, np.int64)


_reduction("SparseReduceSum", np.add, grads.reduce_sum_grad)
_reduction("SparseReduceMax", np.maximum)


@op("SparseSoftmax", fits="2 1 1", shape=lambda f: [f.shapes[1]], host=True, grad_tensors=grads.softmax_grad)
def sparse_softmax(_, sp_indices, sp_values, sp_shape):
    require.entries(sp_indices, sp_values, sp_shape)
    require.sparse_shape(sp_shape)
    rows = places(sp_indices[:, :-1], sp_shape[:-1])
    groups, inverse = np.unique(rows, return_inverse=True)
    top = np.full(len(groups), -np.inf, sp_values.dtype)
    np.maximum.at(top, inverse, sp_values)
    powers = np.exp(sp_values - top[inverse])
    total = np.zeros(len(groups), sp_values.dtype)
    np.add.at(total, inverse, powers)
    return powers / total[inverse]
