"""Helpers that kernels and gradients of array ops share, on XLA: one part of `xla_xp`.

Each function means what its namesake in `host_gradients_array` says.
"""

import math

import numpy as np
from jax import lax

from reflow.ops.slice_spec import dynamic_picks, plan_of
from reflow.ops.xp import blocks as facade_blocks
from reflow.ops.xp.shapes import axes_of, axis_of, static_int
from reflow.ops.xp.words import GRADIENTS_ARRAY
from reflow.ops.xp.xla import arrays as xla_arrays
from reflow.ops.xp.xla import math as xla_math
from reflow.ops.xp.xla.math import sum as reduce_sum

__all__ = GRADIENTS_ARRAY


def materialize(x):
    return x


def compact(view, base):
    return view


def zeros_like_any(x):
    return lax.full(x.shape, 0, x.dtype)


def unstack(x, count, axis):
    axis = axis_of(axis, x.ndim)
    return [lax.squeeze(lax.slice_in_dim(x, i, i + 1, axis=axis), (axis,)) for i in range(count)]


def transpose_back(g, perm):
    return lax.transpose(g, np.argsort(perm % max(1, g.ndim)).tolist())


def flip_by(x, axis):
    return xla_arrays.flip(x, tuple(axis.tolist()))


def roll_by(x, shift, axis):
    axes = axes_of(tuple(axis.reshape(-1).tolist()), x.ndim)
    if isinstance(shift, np.ndarray):
        shifts = shift.reshape(-1).tolist()
    else:
        flat = lax.reshape(shift, (len(axes),))
        shifts = [lax.squeeze(lax.slice_in_dim(flat, i, i + 1), (0,)) for i in range(len(axes))]
    return xla_arrays.roll(x, shifts, axes)


def concat_grads(g, xs, axis):
    axis = axis_of(static_int(axis), g.ndim)
    return list(lax.split(g, tuple([x.shape[axis] for x in xs]), axis))


def tile_grad_like(g, x, multiples):
    split = [n for pair in zip(multiples.tolist(), x.shape, strict=True) for n in pair]
    return lax.reshape(reduce_sum(lax.reshape(g, split), tuple(range(0, len(split), 2))), x.shape)


def pad_grad_like(g, x, paddings):
    return xla_arrays.slice(g, [int(p) for p in paddings[:, 0]] if g.ndim else [], x.shape)


def mirror_pad_back(g, paddings, mode):
    return xla_arrays.mirror_pad_grad(g, paddings.tolist(), mode)


def mirror_pad_by(x, paddings, mode):
    return xla_arrays.mirror_pad(x, paddings.tolist(), mode)


def slice_grad_like(g, x, begin):
    if isinstance(begin, np.ndarray):
        config = [(b, n - b - k, 0) for b, n, k in zip(begin.tolist(), x.shape, g.shape, strict=True)]
        return lax.pad(g, np.zeros((), g.dtype), config)
    starts = [lax.squeeze(lax.slice_in_dim(begin, i, i + 1), (0,)) for i in range(len(x.shape))]
    return xla_arrays.dynamic_update_slice(lax.full(x.shape, 0, g.dtype), g, starts)


def wrapped_starts(begin, entries, dims):
    starts = []
    for entry, n in zip(entries, dims, strict=True):
        if entry is None:
            starts.append(np.zeros((), begin.dtype))
            continue
        at = lax.squeeze(lax.slice_in_dim(begin, entry, entry + 1), (0,))
        size = np.array(n, begin.dtype)
        starts.append(lax.select(lax.lt(at, np.zeros((), begin.dtype)), lax.add(at, size), at))
    return starts


def _dynamic(dims, begin, strides, masks):
    picks = dynamic_picks(tuple(dims), tuple(strides.tolist()), masks)
    if picks is None:
        from reflow.ops.registry import NeedsValue

        raise NeedsValue("StridedSlice", "begin")
    entries, sizes, final = picks
    return wrapped_starts(begin, entries, dims), sizes, final


def strided_slice_by(x, begin, end, strides, masks):
    if isinstance(begin, np.ndarray) and isinstance(end, np.ndarray):
        plan = plan_of(x.shape, begin, end, strides, masks)
        return lax.reshape(xla_arrays.strided_slice(x, plan.begin, plan.end, plan.strides), plan.final)
    starts, sizes, final = _dynamic(x.shape, begin, strides, masks)
    return lax.reshape(xla_arrays.dynamic_slice(x, starts, sizes), final)


def strided_slice_grad_of(g, shape, begin, end, strides, masks):
    if isinstance(begin, np.ndarray) and isinstance(end, np.ndarray):
        plan = plan_of(shape, begin, end, strides, masks)
        return xla_arrays.strided_slice_grad(lax.reshape(g, plan.sliced), shape, plan.begin, plan.end, plan.strides)
    starts, sizes, _ = _dynamic(shape, begin, strides, masks)
    return xla_arrays.dynamic_update_slice(lax.full(tuple(shape), 0, g.dtype), lax.reshape(g, sizes), starts)


def strided_slice_grad_like(g, x, begin, end, strides, masks):
    return strided_slice_grad_of(g, x.shape, begin, end, strides, masks)


def strided_slice_update(x, begin, end, strides, masks, value):
    plan = plan_of(x.shape, begin, end, strides, masks)
    value = xla_arrays.broadcast_to(value, plan.final)
    ones = lax.full(plan.sliced, True, np.dtype(bool))
    args = (x.shape, plan.begin, plan.end, plan.strides)
    there = xla_arrays.strided_slice_grad(ones, *args)
    return lax.select(there, xla_arrays.strided_slice_grad(lax.reshape(value, plan.sliced), *args), x)


def take_grad_like(g, x, indices, axis, batch_dims):
    ndim, inner = len(x.shape), len(indices.shape) - batch_dims
    axis = axis_of(static_int(axis), ndim)
    lead = x.shape[:batch_dims]
    count, size = math.prod(lead), x.shape[axis]
    middle = tuple(range(batch_dims, axis))
    taken = tuple(range(axis, axis + inner))
    rest = tuple(range(axis + inner, ndim - 1 + inner))
    g = lax.transpose(g, (*range(batch_dims), *taken, *middle, *rest))
    row = x.shape[batch_dims:axis] + x.shape[axis + 1 :]
    flat = lax.convert_element_type(lax.reshape(indices, (count, math.prod(indices.shape[batch_dims:]))), np.int64)
    inside = lax.bitwise_and(lax.ge(flat, np.int64(0)), lax.lt(flat, np.int64(size)))
    offsets = np.broadcast_to(np.arange(count, dtype=np.int64)[:, None] * size, flat.shape)
    flat = lax.select(inside, lax.add(flat, offsets), lax.full(flat.shape, -1, np.int64))
    flat = lax.reshape(flat, (math.prod(flat.shape),))
    zeros = lax.full((count * size, *row), 0, g.dtype)
    rows = xla_arrays.scatter_rows("add", zeros, flat, lax.reshape(g, (flat.shape[0], *row)))
    rows = lax.reshape(rows, (*lead, size, *row))
    back = [*range(batch_dims), *range(batch_dims + 1, axis + 1), batch_dims, *range(axis + 1, ndim)]
    return lax.transpose(rows, back)


def top_k_grad_like(g, x, indices):
    rows = math.prod(x.shape[:-1])
    k, n = g.shape[-1], x.shape[-1]
    flat = lax.add(
        lax.convert_element_type(lax.reshape(indices, (rows, k)), np.int64),
        np.broadcast_to(np.arange(rows, dtype=np.int64)[:, None] * n, (rows, k)),
    )
    zeros = lax.full((rows * n,), 0, g.dtype)
    placed = xla_arrays.scatter_rows("set", zeros, lax.reshape(flat, (rows * k,)), lax.reshape(g, (rows * k,)))
    return lax.reshape(placed, x.shape)


def space_to_batch_by(x, block, paddings):
    return facade_blocks.space_to_batch(xla_arrays, x, block, paddings)


def batch_to_space_by(x, block, crops):
    return facade_blocks.batch_to_space(xla_arrays, x, block, crops)


def space_to_depth(x, block, data_format):
    return facade_blocks.space_to_depth(xla_arrays, x, block, data_format)


def depth_to_space(x, block, data_format):
    return facade_blocks.depth_to_space(xla_arrays, x, block, data_format)


def reverse_sequence(x, lengths, seq, batch):
    return facade_blocks.reverse_sequence(xla_arrays, xla_math, x, lengths, seq, batch)
