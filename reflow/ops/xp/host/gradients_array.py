"""Helpers that kernels and gradients of array ops share, on NumPy: one part of `host_xp`.

They take operands (permutations, paddings, begin and end of a slice) as the op has them: arrays, not Python ints. So the
same gradient also runs on tensors whose operands are not known before (`tensor_xp`).
"""

import math

import numpy as np

from reflow.ops.shape_facts import text
from reflow.ops.slice_spec import plan_of
from reflow.ops.xp import blocks as facade_blocks
from reflow.ops.xp.host import arrays as host_arrays
from reflow.ops.xp.host import math as host_math
from reflow.ops.xp.host.math import sum as reduce_sum
from reflow.ops.xp.shapes import axes_of, axis_of, static_int
from reflow.ops.xp.words import GRADIENTS_ARRAY

__all__ = GRADIENTS_ARRAY


_slice = slice


def materialize(x):
    """x itself, or a copy if it is a broadcast view: a tensor owns its memory."""
    return np.array(x) if 0 in x.strides and x.size > 1 else x


def compact(view, base):
    """A slice of `base`, copied if it is small: four bytes must not keep a gigabyte alive."""
    return view.copy() if view.nbytes * 4 < base.nbytes else view


def zeros_like_any(x):
    """zeros_like that also takes strings (empty ones)."""
    return np.full(x.shape, b"", object) if x.dtype == object else np.zeros(x.shape, x.dtype)


def unstack(x, count, axis):
    """The `count` slices of x along an axis, without that axis, as a list."""
    axis = axis_of(axis, x.ndim)
    before = (_slice(None),) * axis
    return [compact(np.asarray(x[(*before, i)]), x) for i in range(count)]


def transpose_back(g, perm):
    """The inverse of `transpose` by the array `perm`."""
    return g.transpose(np.argsort(perm % max(1, g.ndim)).tolist())


def flip_by(x, axis):
    """`flip` over the array of axes `axis`."""
    return np.flip(x, tuple(axis.tolist()))


def roll_by(x, shift, axis):
    """`roll` by arrays (scalars or vectors) of shifts and axes."""
    return np.roll(x, shift.reshape(-1).tolist(), axes_of(tuple(axis.reshape(-1).tolist()), x.ndim))


def concat_grads(g, xs, axis):
    """The pieces of g that belong to each of `xs`, which were concatenated along the scalar `axis`."""
    axis = axis_of(static_int(axis), g.ndim)
    return host_arrays.split(g, [x.shape[axis] for x in xs], axis)


def tile_grad_like(g, x, multiples):
    """Sums the copies of x that `multiples` made."""
    split = [n for pair in zip(multiples.tolist(), x.shape, strict=True) for n in pair]
    return reduce_sum(g.reshape(split), tuple(range(0, len(split), 2))).reshape(x.shape)


def pad_grad_like(g, x, paddings):
    """The part of g that is x, which was padded."""
    return host_arrays.slice(g, [int(p) for p in paddings[:, 0]] if g.ndim else [], x.shape)


def mirror_pad_back(g, paddings, mode):
    return host_arrays.mirror_pad_grad(g, paddings.tolist(), mode)


def mirror_pad_by(x, paddings, mode):
    return host_arrays.mirror_pad(x, paddings.tolist(), mode)


def slice_grad_like(g, x, begin):
    """g in a place of zeros of x's shape, beginning at the array `begin`."""
    result = np.zeros(x.shape, g.dtype)
    result[tuple([_slice(b, b + n) for b, n in zip(begin.tolist(), g.shape, strict=True)])] = g
    return result


def wrapped_starts(begin, entries, dims):
    """Starts of a dynamic slice: per axis begin[entry], wrapped if negative, or 0 where entry is None."""
    return [0 if e is None else int(begin[e]) + (n if begin[e] < 0 else 0) for e, n in zip(entries, dims, strict=True)]


def strided_slice_by(x, begin, end, strides, masks):
    """TensorFlow's StridedSlice: operands are arrays, `masks` its five masks."""
    plan = plan_of(x.shape, begin, end, strides, masks)
    return host_arrays.strided_slice(x, plan.begin, plan.end, plan.strides).reshape(plan.final)


def strided_slice_grad_of(g, shape, begin, end, strides, masks):
    """TensorFlow's StridedSliceGrad: g at the places of an array of `shape` that the slice read."""
    plan = plan_of(shape, begin, end, strides, masks)
    return host_arrays.strided_slice_grad(g.reshape(plan.sliced), shape, plan.begin, plan.end, plan.strides)


def strided_slice_grad_like(g, x, begin, end, strides, masks):
    return strided_slice_grad_of(g, x.shape, begin, end, strides, masks)


def strided_slice_update(x, begin, end, strides, masks, value):
    """x with `value` (which broadcasts) at the places that the slice reads."""
    plan = plan_of(x.shape, begin, end, strides, masks)
    try:
        value = np.broadcast_to(value, plan.final).reshape(plan.sliced)
    except ValueError:
        raise ValueError(
            f"Cannot broadcast input shape {text(value.shape)} into final shape {text(plan.final)}"
        ) from None
    result = np.array(x)
    result[host_arrays._basic_index(x.shape, plan.begin, plan.end, plan.strides)] = value
    return result


def take_grad_like(g, x, indices, axis, batch_dims):
    """The dense gradient of `take`: rows of g added where they were taken from in x."""
    ndim, inner = len(x.shape), len(indices.shape) - batch_dims
    axis = axis_of(static_int(axis), ndim)
    lead = x.shape[:batch_dims]
    count, size = math.prod(lead), x.shape[axis]
    middle = tuple(range(batch_dims, axis))
    taken = tuple(range(axis, axis + inner))
    rest = tuple(range(axis + inner, ndim - 1 + inner))
    g = host_arrays.transpose(g, (*range(batch_dims), *taken, *middle, *rest))
    row = x.shape[batch_dims:axis] + x.shape[axis + 1 :]
    flat = indices.reshape((count, math.prod(indices.shape[batch_dims:]))).astype(np.int64)
    inside = (flat >= 0) & (flat < size)
    flat = np.where(inside, flat + np.arange(count)[:, None] * size, -1).reshape(-1)
    rows = host_arrays.scatter_rows("add", np.zeros((count * size, *row), g.dtype), flat, g.reshape((flat.size, *row)))
    rows = rows.reshape((*lead, size, *row))
    back = [*range(batch_dims), *range(batch_dims + 1, axis + 1), batch_dims, *range(axis + 1, ndim)]
    return host_arrays.transpose(rows, back)


def top_k_grad_like(g, x, indices):
    """g at the places along the last axis of x that `indices` name, zero elsewhere."""
    result = np.zeros(x.shape, g.dtype)
    np.put_along_axis(result, indices, g, -1)
    return result


def space_to_batch_by(x, block, paddings):
    return facade_blocks.space_to_batch(host_arrays, x, block, paddings)


def batch_to_space_by(x, block, crops):
    return facade_blocks.batch_to_space(host_arrays, x, block, crops)


def space_to_depth(x, block, data_format):
    return facade_blocks.space_to_depth(host_arrays, x, block, data_format)


def depth_to_space(x, block, data_format):
    return facade_blocks.depth_to_space(host_arrays, x, block, data_format)


def reverse_sequence(x, lengths, seq, batch):
    return facade_blocks.reverse_sequence(host_arrays, host_math, x, lengths, seq, batch)
