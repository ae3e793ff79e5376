"""Creation, dtypes, shapes, slicing, gathering and scattering on XLA: one part of `xla_xp`.

Each function means what its namesake in `host_arrays` says. Constants (`const`, `asarray`, `lowest`) are
ndarrays, which every function takes and `jit` writes into the program as literals.
"""

import math

import numpy as np
from jax import lax

from reflow.ops.xp.shapes import (
    arange_length,
    axes_of,
    axes_to_sum,
    axis_of,
    fill_to,
    is_narrow,
    limits,
    real_dtype,
    slice_bounds,
)
from reflow.ops.xp.words import ARRAYS
from reflow.ops.xp.xla.base import broadcast_to, filled, match, widen
from reflow.ops.xp.xla.math import sum as reduce_sum

__all__ = ARRAYS


# --- creation -------------------------------------------------------------------------------------


def const(value, like):
    return np.array(value, like.dtype)


def asarray(value, dtype):
    if isinstance(value, np.ndarray) or not hasattr(value, "dtype"):
        return np.asarray(value, dtype)
    return lax.convert_element_type(value, dtype)


def zeros(shape, dtype):
    return lax.full(tuple(shape), 0, dtype)


def ones(shape, dtype):
    return lax.full(tuple(shape), 1, dtype)


def full(shape, value, dtype):
    return lax.full(tuple(shape), value, dtype)


def zeros_like(x):
    return lax.full(x.shape, 0, x.dtype)


def ones_like(x):
    return lax.full(x.shape, 1, x.dtype)


def iota(n, dtype):
    return lax.iota(dtype, n)


def arange(start, stop, step, dtype):
    count = arange_length(start, stop, step, dtype)
    if is_narrow(dtype):  # XLA would round once, after both operations
        return dtype.type(start) + np.arange(count).astype(dtype) * dtype.type(step)
    steps = lax.iota(dtype, count)
    return lax.add(lax.mul(steps, filled(step, steps)), filled(start, steps))


def eye(rows, cols, dtype):
    shape = (rows, cols)
    same = lax.eq(lax.broadcasted_iota(np.int32, shape, 0), lax.broadcasted_iota(np.int32, shape, 1))
    return lax.convert_element_type(same, dtype)


# --- dtypes ---------------------------------------------------------------------------------------


def cast(x, dtype):
    if x.dtype == dtype:
        return x
    if x.dtype.kind == "c" and dtype.kind != "c":
        x = lax.real(x)
    if dtype.kind == "b":
        return lax.ne(x, filled(0, x))
    return lax.convert_element_type(x, dtype)


def bitcast(x, dtype):
    if x.dtype == dtype:
        return x
    if x.dtype.kind == "c":  # XLA cannot bitcast complex numbers: take them as pairs
        pairs = lax.concatenate([lax.expand_dims(part, (x.ndim,)) for part in (lax.real(x), lax.imag(x))], x.ndim)
        half = pairs.dtype.itemsize
        if dtype.itemsize == 2 * half:
            return bitcast(pairs, dtype)
        parts = bitcast(pairs, dtype)
        return parts if dtype.itemsize == half else lax.reshape(parts, (*x.shape, math.prod(parts.shape[x.ndim :])))
    if dtype.kind == "c":
        half = real_dtype(dtype)
        if x.dtype.itemsize < half.itemsize:
            x = lax.reshape(x, (*x.shape[:-1], 2, x.shape[-1] // 2))
        pairs = bitcast(x, half)
        last = pairs.ndim - 1
        parts = [lax.squeeze(lax.slice_in_dim(pairs, i, i + 1, axis=last), (last,)) for i in (0, 1)]
        return lax.complex(*parts)
    if x.dtype.kind == "b":
        x = lax.convert_element_type(x, np.uint8)
    if dtype.kind == "b":
        return lax.ne(lax.bitcast_convert_type(x, np.uint8), np.uint8(0))
    return lax.bitcast_convert_type(x, dtype)


# --- shape ----------------------------------------------------------------------------------------


def shape(x):
    return x.shape


def ndim(x):
    return x.ndim


def size(x):
    return x.size


def reshape(x, shape):
    shape = tuple(shape)
    if -1 in shape:
        known = math.prod([n for n in shape if n != -1])
        shape = tuple([x.size // known if n == -1 else n for n in shape])
    return lax.reshape(x, shape)


def transpose(x, perm):
    return lax.transpose(x, axes_of(perm, x.ndim))


def matrix_transpose(x):
    last = x.ndim - 1
    return lax.transpose(x, (*range(last - 1), last, last - 1))


def expand_dims(x, axes):
    axes = (axes,) if isinstance(axes, int) else tuple(axes)
    return lax.expand_dims(x, axes)


def squeeze(x, axes):
    return lax.squeeze(x, axes_of(axes, x.ndim))


def concat(xs, axis):
    return lax.concatenate(xs, axis_of(axis, xs[0].ndim))


def stack(xs, axis):
    axis = axis_of(axis, xs[0].ndim + 1)
    return lax.concatenate([lax.expand_dims(x, (axis,)) for x in xs], axis)


def split(x, sizes, axis):
    return list(lax.split(x, tuple(sizes), axis_of(axis, x.ndim)))


def pad(x, paddings, value):
    return lax.pad(x, value, [(before, after, 0) for before, after in paddings])


def mirror_pad(x, paddings, mode):
    for axis, (before, after) in enumerate(paddings):
        n, edge = x.shape[axis], 1 if mode == "REFLECT" else 0
        pieces = [x]
        if before:
            pieces.insert(0, lax.rev(lax.slice_in_dim(x, edge, edge + before, axis=axis), (axis,)))
        if after:
            pieces.append(lax.rev(lax.slice_in_dim(x, n - edge - after, n - edge, axis=axis), (axis,)))
        x = lax.concatenate(pieces, axis) if len(pieces) > 1 else x
    return x


@widen
def mirror_pad_grad(g, paddings, mode):
    zero = np.zeros((), g.dtype)
    for axis, (before, after) in enumerate(paddings):
        n, edge = g.shape[axis] - before - after, 1 if mode == "REFLECT" else 0

        def placed(start, stop, at, g=g, axis=axis, n=n):
            """g[start:stop] reversed, at position `at` of an axis of n zeros."""
            piece = lax.rev(lax.slice_in_dim(g, start, stop, axis=axis), (axis,))
            config = [(0, 0, 0)] * g.ndim
            config[axis] = (at, n - at - (stop - start), 0)
            return lax.pad(piece, zero, config)

        inner = lax.slice_in_dim(g, before, before + n, axis=axis)
        if before:
            inner = lax.add(inner, placed(0, before, edge))
        if after:
            inner = lax.add(inner, placed(before + n, before + n + after, n - edge - after))
        g = inner
    return g


def flip(x, axes):
    return lax.rev(x, axes_of(axes, x.ndim))


def tile(x, multiples):
    ones_between = [n for pair in zip([1] * x.ndim, x.shape, strict=True) for n in pair]
    repeated = [n for pair in zip(multiples, x.shape, strict=True) for n in pair]
    x = broadcast_to(lax.reshape(x, ones_between), repeated)
    return lax.reshape(x, [m * n for m, n in zip(multiples, repeated[1::2], strict=True)])


def roll(x, shift, axes):
    for by, axis in zip(shift, axes_of(axes, x.ndim), strict=True):
        n = x.shape[axis]
        if n < 2:
            continue
        if isinstance(by, (int, np.integer)):
            by = int(by) % n
            parts = [lax.slice_in_dim(x, n - by, n, axis=axis), lax.slice_in_dim(x, 0, n - by, axis=axis)]
            x = lax.concatenate(parts, axis)
        else:
            by = lax.convert_element_type(by, np.int64)
            start = lax.sub(np.int64(n - 1), lax.rem(lax.add(lax.rem(by, np.int64(n)), np.int64(n - 1)), np.int64(n)))
            x = lax.dynamic_slice_in_dim(lax.concatenate([x, x], axis), start, n, axis)
    return x


def slice(x, starts, sizes):
    starts = fill_to(starts, x.ndim, 0)
    sizes = (*sizes, *x.shape[len(sizes) :])
    return lax.slice(x, starts, [start + n for start, n in zip(starts, sizes, strict=True)])


def _bounds(shape, begin, end, strides):
    strides = fill_to(strides, len(shape), 1)
    begin, end = fill_to(begin, len(shape), None), fill_to(end, len(shape), None)
    return [slice_bounds(*of_axis) for of_axis in zip(begin, end, strides, shape, strict=True)]


def strided_slice(x, begin, end, strides):
    starts, limits_, steps, backwards = [], [], [], []
    for axis, (first, n, stride) in enumerate(_bounds(x.shape, begin, end, strides)):
        low = first if stride > 0 else first + (n - 1) * stride
        low = low if n else 0
        starts.append(low)
        limits_.append(low + (n - 1) * abs(stride) + 1 if n else low)
        steps.append(abs(stride))
        if stride < 0:
            backwards.append(axis)
    x = lax.slice(x, starts, limits_, steps)
    return lax.rev(x, backwards) if backwards else x


def strided_slice_grad(g, shape, begin, end, strides):
    bounds = _bounds(shape, begin, end, strides)
    if any(not b.size for b in bounds):
        return lax.full(tuple(shape), 0, g.dtype)
    backwards = [axis for axis, b in enumerate(bounds) if b.stride < 0]
    g = lax.rev(g, backwards) if backwards else g
    config = []
    for (first, n, stride), whole in zip(bounds, shape, strict=True):
        low = first if stride > 0 else first + (n - 1) * stride
        step = abs(stride)
        config.append((low, whole - low - (n - 1) * step - 1, step - 1))
    return lax.pad(g, np.zeros((), g.dtype), config)


def _starts(starts):
    return [lax.convert_element_type(start, np.int64) for start in starts]


def dynamic_slice(x, starts, sizes):
    return lax.dynamic_slice(x, _starts(starts), tuple(sizes), allow_negative_indices=False)


def dynamic_update_slice(x, update, starts):
    return lax.dynamic_update_slice(x, update, _starts(starts), allow_negative_indices=False)


def select(c, x, y):
    return lax.select(*match(c, x, y))


# --- gathering ------------------------------------------------------------------------------------


def _clip_gather(x, indices, numbers, sizes):
    return lax.gather(x, indices, numbers, tuple(sizes), mode="clip")


def take(x, indices, axis, batch_dims=0):
    axis = axis_of(axis, x.ndim)
    inner = indices.ndim - batch_dims
    if x.shape[axis] == 0:
        return lax.full((*x.shape[:axis], *indices.shape[batch_dims:], *x.shape[axis + 1 :]), 0, x.dtype)
    # Output axes: batch, then x's axes up to `axis`, then the inner axes of indices, then the rest of x.
    offset = (*range(batch_dims, axis), *range(axis + inner, x.ndim - 1 + inner))
    batch = tuple(range(batch_dims))
    numbers = lax.GatherDimensionNumbers(offset, (axis,), (axis,), batch, batch)
    sizes = [1 if i < batch_dims or i == axis else n for i, n in enumerate(x.shape)]
    return _clip_gather(x, lax.expand_dims(indices, (indices.ndim,)), numbers, sizes)


def take_along_axis(x, indices, axis):
    axis = axis_of(axis, x.ndim)
    others = tuple([i for i in range(x.ndim) if i != axis])
    numbers = lax.GatherDimensionNumbers((), (axis,), (axis,), others, others)
    return _clip_gather(x, lax.expand_dims(indices, (indices.ndim,)), numbers, (1,) * x.ndim)


def gather_nd(x, indices):
    k, outer = indices.shape[-1], indices.ndim - 1
    if k == 0:
        return broadcast_to(x, indices.shape[:-1] + x.shape)
    if 0 in x.shape[:k]:
        return lax.full(indices.shape[:-1] + x.shape[k:], 0, x.dtype)
    lead = tuple(range(k))
    numbers = lax.GatherDimensionNumbers(tuple(range(outer, outer + x.ndim - k)), lead, lead)
    return _clip_gather(x, indices, numbers, (1,) * k + x.shape[k:])


# --- scattering -----------------------------------------------------------------------------------

_SCATTER = {
    "set": lax.scatter,
    "add": lax.scatter_add,
    "sum": lax.scatter_add,
    "sub": lax.scatter_sub,
    "mul": lax.scatter_mul,
    "prod": lax.scatter_mul,
    "max": lax.scatter_max,
    "min": lax.scatter_min,
}


def scatter_nd(mode, x, indices, updates):
    k, outer = indices.shape[-1], indices.ndim - 1
    updates = broadcast_to(updates, indices.shape[:-1] + x.shape[k:])
    if indices.dtype.kind == "u":
        indices = lax.convert_element_type(indices, np.int64)
    return _scatter(x, indices, updates, mode, k, outer)


@widen
def _scatter(x, indices, updates, mode, k, outer):
    lead = tuple(range(k))
    numbers = lax.ScatterDimensionNumbers(tuple(range(outer, outer + x.ndim - k)), lead, lead)
    return _SCATTER[mode](x, indices, updates, numbers, mode=lax.GatherScatterMode.FILL_OR_DROP)


def scatter_rows(mode, x, indices, updates):
    return scatter_nd(mode, x, lax.expand_dims(indices, (indices.ndim,)), updates)


def unsorted_segment(mode, data, ids, num):
    low, high = limits(data.dtype) if data.dtype.kind != "c" else (0, 0)
    empty = {"sum": 0, "prod": 1, "max": low, "min": high}[mode]
    start = lax.full((num, *data.shape[ids.ndim :]), empty, data.dtype)
    return scatter_rows(mode, start, ids, data)


# --- gradient helpers -----------------------------------------------------------------------------


def sum_to_like(g, x):
    to = x.shape
    if g.shape == to:
        return g
    return lax.reshape(reduce_sum(g, axes_to_sum(g.shape, to)), to)


def broadcast_like(g, x):
    return broadcast_to(g, x.shape)


def reshape_like(g, x):
    return lax.reshape(g, x.shape)
