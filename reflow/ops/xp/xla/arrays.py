"""Creation, dtypes, shapes, gathering and scattering on XLA: a part of `xp.xla`.

Each function has the meaning of its namesake in `xp.host.arrays`. Constants (`const`, `asarray`, `lowest`) are
ndarrays, which every function accepts and `jit` embeds in the program as literals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from jax import lax

from reflow.core.types import Array, Static
from reflow.ops.xp.dtype_facts import is_narrow, real_dtype
from reflow.ops.xp.names import ARRAYS
from reflow.ops.xp.shapes import arange_length, axes_of, axis_of
from reflow.ops.xp.xla.base import broadcast_to, filled, match, widen

__all__ = ARRAYS


# --- creation -------------------------------------------------------------------------------------


def asarray(value: Array, dtype: Static) -> Array:
    if isinstance(value, np.ndarray) or not hasattr(value, "dtype"):
        return np.asarray(value, dtype)
    return lax.convert_element_type(value, dtype)


def zeros(shape: Static, dtype: Static) -> Array:
    return lax.full(tuple(shape), 0, dtype)


def ones(shape: Static, dtype: Static) -> Array:
    return lax.full(tuple(shape), 1, dtype)


def full(shape: Static, value: Array, dtype: Static) -> Array:
    return lax.full(tuple(shape), value, dtype)


def zeros_like(x: Array) -> Array:
    return lax.full(x.shape, 0, x.dtype)


def ones_like(x: Array) -> Array:
    return lax.full(x.shape, 1, x.dtype)


def iota(n: int, dtype: Static) -> Array:
    return lax.iota(dtype, n)


def arange(start: Static, stop: Static, step: Static, dtype: Static) -> Array:
    count = arange_length(start, stop, step, dtype)
    if is_narrow(dtype):  # XLA would round once, after both operations
        return dtype.type(start) + np.arange(count).astype(dtype) * dtype.type(step)
    steps = lax.iota(dtype, count)
    return lax.add(lax.mul(steps, filled(step, steps)), filled(start, steps))


def eye(rows: Static, cols: Static, dtype: Static) -> Array:
    shape = (rows, cols)
    same = lax.eq(lax.broadcasted_iota(np.int32, shape, 0), lax.broadcasted_iota(np.int32, shape, 1))
    return lax.convert_element_type(same, dtype)


# --- dtypes ---------------------------------------------------------------------------------------


def cast(x: Array, dtype: Static) -> Array:
    if x.dtype == dtype:
        return x
    if x.dtype.kind == "c" and dtype.kind != "c":
        x = lax.real(x)
    if dtype.kind == "b":
        return lax.ne(x, filled(0, x))
    return lax.convert_element_type(x, dtype)


def bitcast(x: Array, dtype: Static) -> Array:
    if x.dtype == dtype:
        return x
    if x.dtype.kind == "c":  # XLA cannot bitcast complex numbers: treat them as pairs
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


def reshape(x: Array, shape: Static) -> Array:
    shape = tuple(shape)
    if -1 in shape:
        known = math.prod([n for n in shape if n != -1])
        shape = tuple([x.size // known if n == -1 else n for n in shape])
    return lax.reshape(x, shape)


def transpose(x: Array, perm: Static) -> Array:
    return lax.transpose(x, axes_of(perm, x.ndim))


def matrix_transpose(x: Array) -> Array:
    last = x.ndim - 1
    return lax.transpose(x, (*range(last - 1), last, last - 1))


def expand_dims(x: Array, axes: Static) -> Array:
    axes = (axes,) if isinstance(axes, int) else tuple(axes)
    return lax.expand_dims(x, axes)


def squeeze(x: Array, axes: Static) -> Array:
    return lax.squeeze(x, axes_of(axes, x.ndim))


def concat(xs: Sequence[Array], axis: Static) -> Array:
    return lax.concatenate(xs, axis_of(axis, xs[0].ndim))


def stack(xs: Sequence[Array], axis: Static) -> Array:
    axis = axis_of(axis, xs[0].ndim + 1)
    return lax.concatenate([lax.expand_dims(x, (axis,)) for x in xs], axis)


def split(x: Array, sizes: Static, axis: Static) -> Array:
    return list(lax.split(x, tuple(sizes), axis_of(axis, x.ndim)))


def pad(x: Array, paddings: Static, value: Array) -> Array:
    return lax.pad(x, value, [(before, after, 0) for before, after in paddings])


def mirror_pad(x: Array, paddings: Static, mode: str) -> Array:
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
def mirror_pad_grad(g: Array, paddings: Static, mode: str) -> Array:
    zero = np.zeros((), g.dtype)
    for axis, (before, after) in enumerate(paddings):
        n, edge = g.shape[axis] - before - after, 1 if mode == "REFLECT" else 0

        def placed(start: Static, stop: Static, at: Static, g: Array = g, axis: Static = axis, n: int = n) -> Array:
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


def flip(x: Array, axes: Static) -> Array:
    return lax.rev(x, axes_of(axes, x.ndim))


def tile(x: Array, multiples: Static) -> Array:
    ones_between = [n for pair in zip([1] * x.ndim, x.shape, strict=True) for n in pair]
    repeated = [n for pair in zip(multiples, x.shape, strict=True) for n in pair]
    shape = [m * n for m, n in zip(multiples, x.shape, strict=True)]
    if 0 in shape:  # whatever the other sizes are: XLA's compiler counts the elements that they would have
        return lax.full(shape, 0, x.dtype)
    return lax.reshape(broadcast_to(lax.reshape(x, ones_between), repeated), shape)


def roll(x: Array, shift: Static, axes: Static) -> Array:
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


def select(c: Array, x: Array, y: Array) -> Array:
    return lax.select(*match(c, x, y))


def materialize(x: Array) -> Array:
    return x


def compact(view: Array, base: Array) -> Array:
    return view


def zeros_like_any(x: Array) -> Array:
    return lax.full(x.shape, 0, x.dtype)


def unstack(x: Array, count: int, axis: Static) -> list[Array]:
    axis = axis_of(axis, x.ndim)
    return [lax.squeeze(lax.slice_in_dim(x, i, i + 1, axis=axis), (axis,)) for i in range(count)]


def scan(step: Callable[[Any, Any], tuple[Any, Any]], carry: Any, xs: Any) -> tuple[Any, Any]:
    return lax.scan(step, carry, xs)


# --- gathering ------------------------------------------------------------------------------------


def _clip_gather(x: Array, indices: Array, numbers: Array, sizes: Static) -> Array:
    return lax.gather(x, indices, numbers, tuple(sizes), mode="clip")


def take(x: Array, indices: Array, axis: Static, batch_dims: int = 0) -> Array:
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


def take_along_axis(x: Array, indices: Array, axis: Static) -> Array:
    axis = axis_of(axis, x.ndim)
    others = tuple([i for i in range(x.ndim) if i != axis])
    numbers = lax.GatherDimensionNumbers((), (axis,), (axis,), others, others)
    return _clip_gather(x, lax.expand_dims(indices, (indices.ndim,)), numbers, (1,) * x.ndim)


def gather_nd(x: Array, indices: Array) -> Array:
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


def scatter_nd(mode: str, x: Array, indices: Array, updates: Array) -> Array:
    k, outer = indices.shape[-1], indices.ndim - 1
    updates = broadcast_to(updates, indices.shape[:-1] + x.shape[k:])
    if indices.dtype.kind == "u":
        indices = lax.convert_element_type(indices, np.int64)
    return _scatter(x, indices, updates, mode, k, outer)


@widen
def _scatter(x: Array, indices: Array, updates: Array, mode: str, k: Static, outer: Static) -> Array:
    lead = tuple(range(k))
    numbers = lax.ScatterDimensionNumbers(tuple(range(outer, outer + x.ndim - k)), lead, lead)
    return _SCATTER[mode](x, indices, updates, numbers, mode=lax.GatherScatterMode.FILL_OR_DROP)


def scatter_rows(mode: str, x: Array, indices: Array, updates: Array) -> Array:
    return scatter_nd(mode, x, lax.expand_dims(indices, (indices.ndim,)), updates)


def top_k_grad_like(g: Array, x: Array, indices: Array) -> Array:
    rows = math.prod(x.shape[:-1])
    k, n = g.shape[-1], x.shape[-1]
    first = np.broadcast_to(np.arange(rows, dtype=np.int64)[:, None] * n, (rows, k))
    places = lax.add(lax.convert_element_type(lax.reshape(indices, (rows, k)), np.int64), first)
    zeros = lax.full((rows * n,), 0, g.dtype)
    placed = scatter_rows("set", zeros, lax.reshape(places, (rows * k,)), lax.reshape(g, (rows * k,)))
    return lax.reshape(placed, x.shape)
