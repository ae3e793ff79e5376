"""Gradient helpers on tensors: a part of `xp.tensor`."""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence

import numpy as np

from reflow.core import dtypes
from reflow.core.tensor import Tensor
from reflow.core.types import Array, Static
from reflow.ops.slice_spec import MASKS
from reflow.ops.xp.tensor.arrays import (
    const,
    expand_dims,
    ndim,
    ones_like,
    reshape,
    split,
    static_int,
    transpose,
    unsorted_segment,
)
from reflow.ops.xp.tensor.base import (
    cast,
    concat_shapes,
    dims_of,
    operand,
    rank_tensor,
    run,
    shape_tensor,
    static_value,
)
from reflow.ops.xp.tensor.math import sum

# --- gradient helpers: undoing shape changes of a forward op ----------------------------------------------------------


def sum_to_like(g: Array, x: Array) -> Array:
    """Sums g down to x's shape. If all sizes of x are known, so are the axes."""
    to, have = dims_of(x), dims_of(g)
    if to is not None and None not in to and have is not None:
        if have == to:
            return g
        extra = len(have) - len(to)
        axes = (*range(extra), *[extra + i for i, n in enumerate(to) if n == 1 and have[extra + i] != 1])
        if not axes:
            return g
        return reshape(sum(g, axes), to) if 1 in to else sum(g, axes)
    dims = run("Shape", x)
    axes, _ = run("BroadcastGradientArgs", dims, shape_tensor(g))
    return reshape(run("Sum", g, axes, keep_dims=False), dims)


def _same_known_shape(g: Array, x: Array) -> bool:
    to = dims_of(x)
    return to is not None and None not in to and dims_of(g) == to


def broadcast_like(g: Array, x: Array) -> Array:
    return g if _same_known_shape(g, x) else run("BroadcastTo", g, shape_tensor(x))


def reshape_like(g: Array, x: Array) -> Array:
    return g if _same_known_shape(g, x) else run("Reshape", g, shape_tensor(x))


def keep_axes(y: Array, x: Array, axes: Static, keepdims: bool) -> Array:
    """y, a reduction of x over `axes`, with size 1 at the reduced axes."""
    if keepdims:
        return y
    value, dims = static_value(axes), dims_of(x)
    if value is not None and dims is not None:
        value = value if isinstance(value, tuple) else (value,)
        return expand_dims(y, tuple({a % len(dims): None for a in value})) if value else y
    rank = rank_tensor(x)
    places = run("FloorMod", run("Reshape", cast(operand(axes), dtypes.int32), operand((-1,))), rank)
    kept = run("TensorScatterUpdate", shape_tensor(x), run("ExpandDims", places, operand(1)), ones_like(places))
    return run("Reshape", y, kept)


def size_ratio(x: Array, y: Array) -> Array:
    """The number of elements of x per element of y, as a scalar of x's dtype."""
    many, few = dims_of(x), dims_of(y)
    if many is not None and few is not None and None not in many and None not in few:
        return const(math.prod(many) // (math.prod(few) or 1), x)
    count = run("Maximum", run("Size", y, out_type=dtypes.int64), operand(1, np.int64))
    return cast(run("FloorDiv", run("Size", x, out_type=dtypes.int64), count), x._dtype)


def _ones_to_rank(x: Array, y: Array) -> Array:
    """As many ones as x has more axes than y."""
    if dims_of(x) is not None and dims_of(y) is not None:
        return (1,) * (len(dims_of(x)) - len(dims_of(y)))
    missing = run("Sub", rank_tensor(x), rank_tensor(y))
    return run("Fill", run("Reshape", missing, operand((1,))), operand(1))


def broadcast_prefix(mask: Array, x: Array) -> Array:
    """A mask over the first axes of x, in a shape that broadcasts with x."""
    dims = dims_of(mask)
    own = dims if dims is not None and None not in dims else shape_tensor(mask)
    return reshape(mask, concat_shapes(own, _ones_to_rank(x, mask)))


def broadcast_rows(condition: Array, x: Array) -> Array:
    dims = dims_of(condition)
    if dims is not None and dims_of(x) is not None and len(dims) in (0, len(dims_of(x))):
        return condition
    return broadcast_prefix(condition, x)


def segment_sum_like(data: Array, ids: Array, y: Array) -> Array:
    return unsorted_segment("sum", data, ids, _first_size(y))


def segment_prod_like(data: Array, ids: Array, y: Array) -> Array:
    return unsorted_segment("prod", data, ids, _first_size(y))


def _first_size(y: Array) -> Array:
    dims = dims_of(y)
    if dims and dims[0] is not None:
        return dims[0]
    return run("StridedSlice", run("Shape", y), operand([0]), operand([1]), operand([1]), shrink_axis_mask=1)


# --- gradient helpers of array ops ----------------------------------------------------------------------------------


def transpose_back(g: Array, perm: Static) -> Array:
    value = static_value(perm)
    if value is not None:
        return transpose(g, tuple(np.argsort(np.array(value, int) % builtins.max(1, len(value))).tolist()))
    return run("Transpose", g, run("InvertPermutation", perm))


def concat_grads(g: Array, xs: Sequence[Array], axis: Static) -> Array:
    """The pieces of g that belong to each of `xs`."""
    axis = static_int(axis)
    sizes = [None if dims_of(x) is None or isinstance(axis, Tensor) else dims_of(x)[axis] for x in xs]
    if None not in sizes:
        return split(g, sizes, axis)
    shapes = run("ShapeN", *xs, N=len(xs))
    if isinstance(axis, Tensor):
        axis = run("FloorMod", axis, rank_tensor(g))
    elif axis < 0:
        axis = run("FloorMod", operand(axis), rank_tensor(g))
    starts = run("ConcatOffset", cast(operand(axis), dtypes.int32), *shapes, N=len(xs))
    return [run("Slice", g, start, dims) for start, dims in zip(starts, shapes, strict=True)]


def tile_grad_like(g: Array, x: Array, multiples: Static) -> Array:
    """Sums the copies: reshape to (multiple, size, multiple, size, ...) and sum over the even axes."""
    times, dims = static_value(multiples), dims_of(x)
    if times is not None and dims is not None and None not in dims:
        pairs = tuple([n for pair in zip(times, dims, strict=True) for n in pair])
        return sum(reshape(g, pairs), tuple(range(0, len(pairs), 2)))
    sizes = shape_tensor(x)
    both = run("Pack", cast(operand(multiples), dtypes.int32), sizes, axis=1)
    pairs = run("Reshape", both, operand((-1,)))
    axes = run("Range", operand(0), run("Size", pairs, out_type=dtypes.int32), operand(2))
    return run("Reshape", run("Sum", run("Reshape", g, pairs), axes, keep_dims=False), sizes)


def pad_grad_like(g: Array, x: Array, paddings: Static) -> Array:
    value = static_value(paddings)
    if value is not None:
        before = operand(tuple(p[0] for p in value)) if value else operand(np.zeros(0, np.int32))
    else:
        before = run(
            "StridedSlice", paddings, operand([0, 0]), operand([0, 1]), operand([1, 1]), begin_mask=1, end_mask=1,
            shrink_axis_mask=2,
        )
    return run("Slice", g, before, shape_tensor(x, before._dtype))


def slice_grad_like(g: Array, x: Array, begin: Static) -> Array:
    """g padded with zeros to x's shape."""
    before = operand(begin)
    kind = before._dtype
    after = run("Sub", run("Sub", shape_tensor(x, kind), shape_tensor(g, kind)), before)
    return run("Pad", g, run("Pack", before, after, axis=1))


def _masks(masks: Static) -> dict:
    return dict(zip(MASKS, masks, strict=True))


def _bounds(*operands: Array) -> list[Array]:
    """Operands of a StridedSlice as tensors of one dtype."""
    tensors = [operand(o) for o in operands]
    kind = dtypes.int64 if builtins.any(t._dtype is dtypes.int64 for t in tensors) else tensors[0]._dtype
    return [cast(t, kind) for t in tensors]


def strided_slice_by(x: Array, begin: Static, end: Static, strides: Static, masks: Static) -> Array:
    return run("StridedSlice", x, *_bounds(begin, end, strides), **_masks(masks))


def strided_slice_grad_of(g: Array, shape: Static, begin: Static, end: Static, strides: Static, masks: Static) -> Array:
    return run("StridedSliceGrad", *_bounds(shape, begin, end, strides), g, **_masks(masks))


def strided_slice_grad_like(g: Array, x: Array, begin: Static, end: Static, strides: Static, masks: Static) -> Array:
    begin, end, strides = _bounds(begin, end, strides)
    return strided_slice_grad_of(g, shape_tensor(x, begin._dtype), begin, end, strides, masks)


def strided_slice_update(x: Array, begin: Static, end: Static, strides: Static, masks: Static, value: Array) -> Array:
    return run("TensorStridedSliceUpdate", x, *_bounds(begin, end, strides), value, **_masks(masks))


def take_grad_like(g: Array, x: Array, indices: Array, axis: Static, batch_dims: int) -> Array:
    """The dense gradient of a gather: UnsortedSegmentSum of rows, with batches folded into the ids."""
    count, inner = ndim(x), ndim(indices) - batch_dims
    axis = static_int(axis) % count
    size = _axis_size(x, axis)
    after = range(axis + inner, count - 1 + inner)
    order = (*range(batch_dims), *range(axis, axis + inner), *range(batch_dims, axis), *after)
    if order != tuple(range(len(order))):
        g = transpose(g, order)
    ids = cast(indices, dtypes.int64)
    total = size
    for i in reversed(range(batch_dims)):  # ids += index along batch axis i, times the size of the axes below
        places = run("Range", operand(0, np.int64), _axis_size(x, i), operand(1, np.int64))
        places = reshape(run("Mul", places, total), [-1 if j == i else 1 for j in range(batch_dims + inner)])
        ids = run("AddV2", ids, places)
        total = run("Mul", total, _axis_size(x, i))
    rows = run("UnsortedSegmentSum", g, ids, total)
    lead = [_axis_size(x, i) for i in (*range(batch_dims), axis, *range(batch_dims, axis), *range(axis + 1, count))]
    rows = run("Reshape", rows, run("Pack", *lead, axis=0))
    back = [*range(batch_dims), *range(batch_dims + 1, axis + 1), batch_dims, *range(axis + 1, count)]
    return rows if back == list(range(count)) else transpose(rows, back)


def _axis_size(x: Array, axis: Static) -> Array:
    """The size of an axis as an int64 scalar."""
    dims = dims_of(x)
    if dims is not None and dims[axis] is not None:
        return operand(dims[axis], np.int64)
    return run(
        "StridedSlice", run("Shape", x, out_type=dtypes.int64), operand([axis]), operand([axis + 1]), operand([1]),
        shrink_axis_mask=1,
    )


def top_k_grad_like(g: Array, x: Array, indices: Array) -> Array:
    """g at the positions along the last axis given by `indices`: a scatter into flat rows."""
    sizes = shape_tensor(x)
    width = _axis_size(x, -1 if dims_of(x) is None else ndim(x) - 1)
    k = run("Shape", indices, out_type=dtypes.int64)
    last = run("StridedSlice", k, operand([-1]), operand([0]), operand([1]), end_mask=1)
    flat = run("Reshape", cast(indices, dtypes.int64), run("ConcatV2", operand(np.array([-1])), last, operand(0), N=2))
    rows = _axis_size(flat, 0)
    starts = run("Mul", run("Range", operand(0, np.int64), rows, operand(1, np.int64)), width)
    places = run("AddV2", flat, run("ExpandDims", starts, operand(1)))
    total = run("Reshape", run("Mul", rows, width), operand((1,)))
    out = run("ScatterNd", run("Reshape", places, operand((-1, 1))), run("Reshape", g, operand((-1,))), total)
    return run("Reshape", out, sizes)


def space_to_batch_by(x: Array, block: Static, paddings: Static) -> Array:
    return run("SpaceToBatchND", x, operand(block), operand(paddings))


def batch_to_space_by(x: Array, block: Static, crops: Static) -> Array:
    return run("BatchToSpaceND", x, operand(block), operand(crops))


def space_to_depth(x: Array, block: Static, data_format: str) -> Array:
    return run("SpaceToDepth", x, block_size=block, data_format=data_format)


def depth_to_space(x: Array, block: Static, data_format: str) -> Array:
    return run("DepthToSpace", x, block_size=block, data_format=data_format)


def reverse_sequence(x: Array, lengths: Static, seq: Static, batch: Static) -> Array:
    return run("ReverseSequence", x, lengths, seq_dim=seq, batch_dim=batch)
