"""Creation, dtypes, shapes, gathering and scattering on NumPy: a part of `xp.host`.

Results may be views of inputs (reshape, transpose, slice, broadcast_to, cast to the same dtype); inputs are never
written. As in XLA, indices out of bounds are clamped when gathering and dropped when scattering: TensorFlow's error
comes from the op's check.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from reflow.core.types import Array, Static
from reflow.ops.xp.dtype_facts import FLOAT32, is_narrow
from reflow.ops.xp.host.rows import take_rows
from reflow.ops.xp.names import ARRAYS
from reflow.ops.xp.shapes import arange_length, axis_of, mirror_indices

__all__ = ARRAYS


_slice = slice
_OBJECT = np.dtype(object)
#: so many copies of a number take 0.4 to 1 µs; `np.broadcast_to` takes 1.8 to make a view
_SMALL = 4096

# --- creation -------------------------------------------------------------------------------------


def asarray(value: Array, dtype: Static) -> Array:
    return np.asarray(value, dtype)


def zeros(shape: Static, dtype: Static) -> Array:
    """For strings, empty ones."""
    return np.full(shape, b"", object) if dtype == _OBJECT else np.zeros(shape, dtype)


def ones(shape: Static, dtype: Static) -> Array:
    return np.ones(shape, dtype)


def full(shape: Static, value: Array, dtype: Static) -> Array:
    """`value` is a Python number or a 0-d array."""
    return np.full(shape, value, dtype)


def zeros_like(x: Array) -> Array:
    return np.zeros(x.shape, x.dtype)


def ones_like(x: Array) -> Array:
    ones = np.empty(x.shape, x.dtype)  # every element is set next; `np.ones` takes 0.3 µs more
    ones.fill(1)
    return ones


def iota(n: int, dtype: Static) -> Array:
    return np.arange(n).astype(dtype)


def arange(start: Static, stop: Static, step: Static, dtype: Static) -> Array:
    """Python numbers start, start + step, ... before stop.

    As in TensorFlow, floats are counted and added in their own dtype.
    """
    count = arange_length(start, stop, step, dtype)
    return dtype.type(start) + np.arange(count).astype(dtype) * dtype.type(step)


def eye(rows: Static, cols: Static, dtype: Static) -> Array:
    return np.eye(rows, cols, dtype=dtype)


# --- dtypes ---------------------------------------------------------------------------------------


def cast(x: Array, dtype: Static) -> Array:
    """TensorFlow's Cast: floats truncate, complex numbers lose their imaginary part (also to bool)."""
    if x.dtype == dtype:
        return x
    if x.dtype.kind == "c" and dtype.kind != "c":
        x = x.real
    return x.astype(dtype)


def bitcast(x: Array, dtype: Static) -> Array:
    """The same bits: a narrower dtype adds a last axis, a wider one removes it."""
    old, new = x.dtype.itemsize, dtype.itemsize
    if old == new:
        return x.view(dtype)
    x = np.ascontiguousarray(x).reshape(x.shape)  # ascontiguousarray makes 0-d arrays 1-d
    if old > new:
        return x.reshape((*x.shape, 1)).view(dtype)
    return x.view(dtype).reshape(x.shape[:-1])


# --- shape ----------------------------------------------------------------------------------------


def reshape(x: Array, shape: Static) -> Array:
    return x.reshape(shape)


def transpose(x: Array, perm: Static) -> Array:
    return x.transpose(perm)


def matrix_transpose(x: Array) -> Array:
    """Swaps the last two axes."""
    return x.swapaxes(-1, -2)


def broadcast_to(x: Array, shape: Static) -> Array:
    if x.shape == tuple(shape):
        return x
    if x.size != 1 or x.ndim > len(shape) or math.prod(shape) > _SMALL:
        return np.broadcast_to(x, shape)
    out = np.empty(shape, x.dtype)  # every element is set next
    out[...] = x
    return out


def expand_dims(x: Array, axes: Static) -> Array:
    """Adds axes of size 1 at the given positions of the result."""
    return np.expand_dims(x, axes)


def squeeze(x: Array, axes: Static) -> Array:
    return x.squeeze(axes)


def concat(xs: Sequence[Array], axis: Static) -> Array:
    return np.concatenate(xs, axis)


def stack(xs: Sequence[Array], axis: Static) -> Array:
    return np.stack(xs, axis)


def split(x: Array, sizes: Static, axis: Static) -> Array:
    """Pieces of the given sizes along an axis, as a list."""
    axis = axis_of(axis, x.ndim)
    before = (_slice(None),) * axis
    pieces, start = [], 0
    for n in sizes:
        pieces.append(x[(*before, _slice(start, start + n))])
        start += n
    return pieces


def pad(x: Array, paddings: Static, value: Array) -> Array:
    """Adds (before, after) copies of the 0-d array `value` to each axis."""
    shape = tuple([n + before + after for n, (before, after) in zip(x.shape, paddings, strict=True)])
    result = np.full(shape, value, x.dtype) if value != 0 else zeros(shape, x.dtype)
    inner = tuple([_slice(before, before + n) for n, (before, _) in zip(x.shape, paddings, strict=True)])
    result[inner] = x
    return result


def mirror_pad(x: Array, paddings: Static, mode: str) -> Array:
    """Pads with mirrored elements: "REFLECT" omits the edge, "SYMMETRIC" repeats it."""
    for axis, (before, after) in enumerate(paddings):
        if before or after:
            x = x.take(mirror_indices(x.shape[axis], before, after, mode), axis)
    return x


def mirror_pad_grad(g: Array, paddings: Static, mode: str) -> Array:
    """The adjoint of mirror_pad: the gradient of padding is added to the elements it was copied from."""
    for axis, (before, after) in enumerate(paddings):
        if before or after:
            n = g.shape[axis] - before - after
            rows = scatter_rows(
                "add", np.zeros((n, *g.shape[:axis], *g.shape[axis + 1 :]), g.dtype),
                mirror_indices(n, before, after, mode), np.moveaxis(g, axis, 0),
            )
            g = np.moveaxis(rows, 0, axis)
    return g


def flip(x: Array, axes: Static) -> Array:
    return np.flip(x, axes) if x.ndim else x


def tile(x: Array, multiples: Static) -> Array:
    return np.tile(x, multiples)


def roll(x: Array, shift: Static, axes: Static) -> Array:
    """Rotates along axes (a tuple) by as many ints or 0-d integer arrays."""
    return np.roll(x, [int(s) for s in shift], axes)


_MANY = 1 << 13
_BITS = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64}


def select(c: Array, x: Array, y: Array) -> Array:
    """x where c, else y; all three broadcast."""
    if c.size < _MANY or x.itemsize not in _BITS or x.dtype.hasobject or x.dtype != y.dtype:
        return np.where(c, x, y)
    return _select_bits(c, x, y)


def _select_bits(c: Array, x: Array, y: Array) -> Array:
    """`np.where` with bit operations.

    NumPy's loop branches for each element, and if c has no pattern the processor mispredicts half of them: 1400 µs for
    400,000 float32 numbers; 160 here, and 90 if y is 0.
    """
    bits = _BITS[x.itemsize]
    mask = np.negative(c.view(np.int8), dtype=bits)
    x_bits, y_bits = x.view(bits), y.view(bits)
    if not y.ndim and not y_bits:
        return np.bitwise_and(x_bits, mask).view(x.dtype)
    differing = np.bitwise_and(np.bitwise_xor(x_bits, y_bits), mask)
    return np.bitwise_xor(differing, y_bits, out=differing if differing.shape == y.shape else None).view(x.dtype)


def materialize(x: Array) -> Array:
    """x itself, or a copy if it is a broadcast view: a tensor owns its memory."""
    return np.array(x) if 0 in x.strides and x.size > 1 else x


def compact(view: Array, base: Array) -> Array:
    """A slice of `base`, copied if it is small: four bytes must not keep a gigabyte alive."""
    return view.copy() if view.nbytes * 4 < base.nbytes else view


def zeros_like_any(x: Array) -> Array:
    """zeros_like that also accepts strings (empty ones)."""
    return zeros(x.shape, x.dtype)


def unstack(x: Array, count: int, axis: Static) -> list[Array]:
    """The `count` slices of x along an axis, without that axis, as a list."""
    axis = axis_of(axis, x.ndim)
    before = (_slice(None),) * axis
    return [compact(x[(*before, i, ...)], x) for i in range(count)]


def scan(step: Callable[[Any, Any], tuple[Any, Any]], carry: Any, xs: Any) -> tuple[Any, Any]:
    """`carry, y = step(carry, x)` for the slices x of xs along the first axis; the last carry, and the stacked ys.

    All three are nests of tuples of arrays; xs has at least one slice.
    """
    found = []
    for i in range(_leaf(xs).shape[0]):
        carry, y = step(carry, _sliced(xs, i))
        found.append(y)
    return carry, _stacked(found)


def _leaf(nest: Any) -> Array:
    return _leaf(nest[0]) if isinstance(nest, tuple) else nest


def _sliced(nest: Any, i: int) -> Any:
    return tuple([_sliced(part, i) for part in nest]) if isinstance(nest, tuple) else nest[i]


def _stacked(nests: list[Any]) -> Any:
    if isinstance(nests[0], tuple):
        return tuple([_stacked(list(parts)) for parts in zip(*nests, strict=True)])
    return np.stack(nests)


# --- gathering ------------------------------------------------------------------------------------


def take(x: Array, indices: Array, axis: Static, batch_dims: int = 0) -> Array:
    """TensorFlow's Gather: x[..., indices, ...]; the first `batch_dims` axes of both are batch axes."""
    axis = axis_of(axis, x.ndim)
    if x.shape[axis] == 0:
        inner = indices.shape[batch_dims:]
        return np.zeros(x.shape[:axis] + inner + x.shape[axis + 1 :], x.dtype)
    if not batch_dims:
        if axis == 0 and indices.ndim == 1 and len(indices):
            return take_rows(x, indices)
        return np.asarray(x.take(indices, axis, mode="clip"), x.dtype)  # a single string comes as bytes
    indices = np.clip(indices, 0, x.shape[axis] - 1)
    extra = indices.ndim - batch_dims
    grid = np.ogrid[tuple([_slice(n) for n in x.shape[:batch_dims]])]
    rows = [i.reshape(i.shape + (1,) * extra) for i in grid]
    gathered = np.moveaxis(x, axis, batch_dims)[(*rows, indices)]
    between = axis - batch_dims
    first = list(range(batch_dims))
    inner = list(range(batch_dims, batch_dims + extra))
    middle = list(range(batch_dims + extra, batch_dims + extra + between))
    rest = list(range(batch_dims + extra + between, gathered.ndim))
    return gathered.transpose(first + middle + inner + rest)


def take_along_axis(x: Array, indices: Array, axis: Static) -> Array:
    """Elements of x at indices along one axis; the other axes of both are equal."""
    return np.take_along_axis(x, indices, axis)


def gather_nd(x: Array, indices: Array) -> Array:
    """x[indices[..., 0], ..., indices[..., k - 1]]."""
    k = indices.shape[-1]
    if k == 0:
        return np.broadcast_to(x, indices.shape[:-1] + x.shape)
    rows, flat = _flat_rows(x, indices, clip=True)
    return take(rows, flat, 0).reshape(indices.shape[:-1] + x.shape[k:])


def _flat_rows(x: Array, indices: Array, clip: bool = False) -> tuple[Array, ...]:
    """x with its first k axes flattened, and indices[..., k] as positions on that axis (-1 if out of bounds)."""
    k = indices.shape[-1]
    lead = x.shape[:k]
    indices = indices.astype(np.int64)
    if clip:
        indices = np.clip(indices, 0, np.array(lead) - 1)
    strides = np.array([math.prod(lead[i + 1 :]) for i in range(k)], np.int64)
    flat = (indices * strides).sum(-1)
    if not clip:
        inside = ((indices >= 0) & (indices < np.array(lead))).all(-1)
        flat = np.where(inside, flat, -1)
    return x.reshape((math.prod(lead), *x.shape[k:])), np.asarray(flat)


def top_k_grad_like(g: Array, x: Array, indices: Array) -> Array:
    """g at the positions along the last axis of x given by `indices`, zero elsewhere."""
    result = np.zeros(x.shape, g.dtype)
    np.put_along_axis(result, indices, g, -1)
    return result


# --- scattering -----------------------------------------------------------------------------------

_SCATTER = {
    "add": np.add,
    "sum": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "prod": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
}


def scatter_rows(mode: str, x: Array, indices: Array, updates: Array) -> Array:
    """x with updates[i] combined into row indices[i].

    Indices have any rank; updates.shape = indices.shape + x.shape[1:].
    `mode` is "set" (the last one wins), "add", "sub", "mul", "max" or "min".
    """
    ids = indices.reshape(-1)
    row = x.shape[1:]
    updates = np.broadcast_to(updates, indices.shape + row).reshape((ids.size, *row))
    inside = (ids >= 0) & (ids < x.shape[0])
    if not inside.all():
        ids, updates = ids[inside], updates[inside]
    if mode == "set":
        result = np.array(x)
        result[ids] = updates
        return result
    dtype = x.dtype
    wide = FLOAT32 if is_narrow(dtype) else dtype
    width = math.prod(row)
    result = np.array(x, wide, order="C").reshape(-1)
    # ufunc.at is about ten times faster on flat arrays than on rows
    flat = (ids.astype(np.intp)[:, None] * width + np.arange(width)).reshape(-1)
    _SCATTER[mode].at(result, flat, np.ascontiguousarray(updates, wide).reshape(-1))
    return result.reshape(x.shape).astype(dtype, copy=False)


def scatter_nd(mode: str, x: Array, indices: Array, updates: Array) -> Array:
    """x with updates combined into x[indices[..., 0], ..., indices[..., k - 1]]; modes as in scatter_rows."""
    k = indices.shape[-1]
    rows, flat = _flat_rows(x, indices)
    updates = np.broadcast_to(updates, indices.shape[:-1] + x.shape[k:])
    return scatter_rows(mode, rows, flat, updates).reshape(x.shape)
