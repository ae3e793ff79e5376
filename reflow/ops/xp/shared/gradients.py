"""Helpers for gradients on arrays, for `xp.host` and `xp.xla`.

A gradient never reads a shape, because that of a symbolic tensor may be unknown. So each use of a shape is a function
here: `unreduce` undoes a reduction, `size_ratio` counts the elements of a mean. Many take an operand of the op (a
permutation, paddings, the begin of a slice) in the op's form: an array, not Python ints. So the same gradient also runs
on tensors whose operands are unknown (`xp.tensor`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from reflow.core.types import Array, Static
from reflow.ops.protocols import Xp
from reflow.ops.xp.shapes import axes_of, axes_to_sum, axis_of, reduced_shape, static_axes, static_int

INT64 = np.dtype(np.int64)


def sum_to_like(xp: Xp, g: Array, x: Array) -> Array:
    """Sums g down to x's shape, which undoes broadcasting."""
    to = x.shape
    if g.shape == to:
        return g
    summed = xp.sum(g, axes_to_sum(g.shape, to))
    return summed if summed.shape == to else xp.reshape(summed, to)


def broadcast_like(xp: Xp, g: Array, x: Array) -> Array:
    return xp.broadcast_to(g, x.shape)


def reshape_like(xp: Xp, g: Array, x: Array) -> Array:
    return xp.reshape(g, x.shape)


def keep_axes(xp: Xp, y: Array, x: Array, axes: Static, keepdims: bool) -> Array:
    """y, a reduction of x over `axes` (a static array or ints), with size 1 at the reduced axes."""
    if keepdims or y.ndim == x.ndim:
        return y
    return xp.reshape(y, reduced_shape(x.shape, static_axes(axes), True))


def size_ratio(xp: Xp, x: Array, y: Array) -> Array:
    """The number of elements of x per element of y, as a 0-d array of x's dtype."""
    return np.array(x.size // (y.size or 1), x.dtype)


def broadcast_rows(xp: Xp, condition: Array, x: Array) -> Array:
    """A condition per element, per row (a vector), or for all of x, in a shape that broadcasts with x."""
    if condition.ndim == 1 and x.ndim > 1:
        return xp.broadcast_prefix(condition, x)
    return condition


def broadcast_prefix(xp: Xp, mask: Array, x: Array) -> Array:
    """A mask over the first axes of x, in a shape that broadcasts with x."""
    return xp.reshape(mask, mask.shape + (1,) * (x.ndim - mask.ndim))


def segment_sum_like(xp: Xp, data: Array, ids: Array, y: Array) -> Array:
    """The sums of the rows of data with each id, as many as y has rows."""
    return xp.unsorted_segment("sum", data, ids, y.shape[0])


def segment_prod_like(xp: Xp, data: Array, ids: Array, y: Array) -> Array:
    """The products of the rows of data with each id, as many as y has rows."""
    return xp.unsorted_segment("prod", data, ids, y.shape[0])


# --- operands as arrays ---------------------------------------------------------------------------


def transpose_back(xp: Xp, g: Array, perm: Static) -> Array:
    """The inverse of `transpose` by the array `perm`."""
    return xp.transpose(g, np.argsort(perm % max(1, g.ndim)).tolist())


def flip_by(xp: Xp, x: Array, axis: Static) -> Array:
    """`flip` over the array of axes `axis`."""
    return xp.flip(x, tuple(axis.tolist()))


def roll_by(xp: Xp, x: Array, shift: Static, axis: Static) -> Array:
    """`roll` by arrays (scalars or vectors) of shifts and axes."""
    return xp.roll(x, xp.scalars(shift), axes_of(static_axes(axis), x.ndim))


def mirror_pad_back(xp: Xp, g: Array, paddings: Static, mode: str) -> Array:
    return xp.mirror_pad_grad(g, paddings.tolist(), mode)


def mirror_pad_by(xp: Xp, x: Array, paddings: Static, mode: str) -> Array:
    return xp.mirror_pad(x, paddings.tolist(), mode)


def pad_grad_like(xp: Xp, g: Array, x: Array, paddings: Static) -> Array:
    """The part of g that corresponds to x before padding."""
    return xp.slice(g, paddings[:, 0].tolist() if g.ndim else [], x.shape)


def concat_grads(xp: Xp, g: Array, xs: Sequence[Array], axis: Static) -> Array:
    """The pieces of g that belong to each of `xs`, which were concatenated along the scalar `axis`."""
    axis = axis_of(static_int(axis), g.ndim)
    return xp.split(g, [x.shape[axis] for x in xs], axis)


def tile_grad_like(xp: Xp, g: Array, x: Array, multiples: Static) -> Array:
    """Sums the copies of x created by `multiples`."""
    split = [n for pair in zip(multiples.tolist(), x.shape, strict=True) for n in pair]
    return xp.reshape(xp.sum(xp.reshape(g, split), tuple(range(0, len(split), 2))), x.shape)


def strided_slice_grad_like(
    xp: Xp, g: Array, x: Array, begin: Static, end: Static, strides: Static, masks: Static
) -> Array:
    return xp.strided_slice_grad_of(g, x.shape, begin, end, strides, masks)


def take_grad_like(xp: Xp, g: Array, x: Array, indices: Array, axis: Static, batch_dims: int) -> Array:
    """The dense gradient of `take`: rows of g added to the positions in x they were taken from."""
    ndim, inner = x.ndim, indices.ndim - batch_dims
    axis = axis_of(static_int(axis), ndim)
    batch, between, size = x.shape[:batch_dims], x.shape[batch_dims:axis], x.shape[axis]
    row = between + x.shape[axis + 1 :]
    middle, taken = tuple(range(batch_dims, axis)), tuple(range(axis, axis + inner))
    g = xp.transpose(g, (*range(batch_dims), *taken, *middle, *range(axis + inner, g.ndim)))
    flat = xp.reshape(indices, (math.prod(indices.shape),))
    if batch_dims:
        flat = _in_all_batches(xp, flat, math.prod(batch), size)
    zeros = xp.zeros((math.prod(batch) * size, *row), g.dtype)
    rows = xp.scatter_rows("add", zeros, flat, xp.reshape(g, (*flat.shape, *row)))
    rows = xp.reshape(rows, (*batch, size, *row))
    back = (*range(batch_dims), *range(batch_dims + 1, axis + 1), batch_dims, *range(axis + 1, ndim))
    return xp.transpose(rows, back)


def _in_all_batches(xp: Xp, flat: Static, count: int, size: Static) -> Array:
    """Indices into `count` consecutive batches of `size` rows, as indices into all rows; -1 if out of bounds."""
    within = xp.reshape(xp.cast(flat, INT64), (count, flat.shape[0] // (count or 1)))
    inside = xp.logical_and(xp.greater_equal(within, np.array(0, INT64)), xp.less(within, np.array(size, INT64)))
    first = np.arange(count, dtype=INT64)[:, None] * size
    return xp.reshape(xp.select(inside, xp.add(within, first), np.array(-1, INT64)), flat.shape)
