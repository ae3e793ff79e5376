"""Slices on XLA: a part of `xp.xla`.

Each function has the meaning of its namesake in `xp.host.slices`. Begins and ends may be tracers: the slice is then
dynamic, and XLA must know its sizes.
"""

from __future__ import annotations

import numpy as np
from jax import lax

from reflow.core.types import Array, Static
from reflow.ops.slice_spec import dynamic_picks, plan_of
from reflow.ops.xp.names import SLICES
from reflow.ops.xp.shapes import all_slice_bounds, fill_to
from reflow.ops.xp.xla.base import broadcast_to, filled

__all__ = SLICES


def slice(x: Array, starts: Static, sizes: Static) -> Array:
    starts = fill_to(starts, x.ndim, 0)
    sizes = (*sizes, *x.shape[len(sizes) :])
    return lax.slice(x, starts, [start + n for start, n in zip(starts, sizes, strict=True)])


def strided_slice(x: Array, begin: Static, end: Static, strides: Static) -> Array:
    starts, limits_, steps, backwards = [], [], [], []
    for axis, (first, n, stride) in enumerate(all_slice_bounds(x.shape, begin, end, strides)):
        low = first if stride > 0 else first + (n - 1) * stride
        low = low if n else 0
        starts.append(low)
        limits_.append(low + (n - 1) * abs(stride) + 1 if n else low)
        steps.append(abs(stride))
        if stride < 0:
            backwards.append(axis)
    x = lax.slice(x, starts, limits_, steps)
    return lax.rev(x, backwards) if backwards else x


def strided_slice_grad(g: Array, shape: Static, begin: Static, end: Static, strides: Static) -> Array:
    bounds = all_slice_bounds(shape, begin, end, strides)
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


def _starts(starts: Static) -> list[Array]:
    return [lax.convert_element_type(start, np.int64) for start in starts]


def dynamic_slice(x: Array, starts: Static, sizes: Static) -> Array:
    return lax.dynamic_slice(x, _starts(starts), tuple(sizes), allow_negative_indices=False)


def dynamic_update_slice(x: Array, update: Static, starts: Static) -> Array:
    return lax.dynamic_update_slice(x, update, _starts(starts), allow_negative_indices=False)


# --- slices by the operands of an op --------------------------------------------------------------


def scalars(vector: Array) -> Array:
    """Python ints where the vector is known, else 0-d tracers."""
    if isinstance(vector, np.ndarray):
        return vector.reshape(-1).tolist()
    flat = lax.reshape(vector, (vector.size,))
    return [lax.squeeze(lax.slice_in_dim(flat, i, i + 1), (0,)) for i in range(vector.size)]


def slice_grad_like(g: Array, x: Array, begin: Static) -> Array:
    if isinstance(begin, np.ndarray):
        config = [(b, n - b - k, 0) for b, n, k in zip(begin.tolist(), x.shape, g.shape, strict=True)]
        return lax.pad(g, np.zeros((), g.dtype), config)
    return dynamic_update_slice(lax.full(x.shape, 0, g.dtype), g, scalars(begin))


def wrapped_starts(begin: Static, entries: Static, dims: Static) -> list[Array]:
    begins = scalars(begin)
    return [0 if e is None else _wrapped(begins[e], n) for e, n in zip(entries, dims, strict=True)]


def _wrapped(at: Static, n: int) -> Array:
    """An index into an axis of size n, counted from the end if it is negative."""
    if isinstance(at, int):
        return at + n if at < 0 else at
    return lax.select(lax.lt(at, filled(0, at)), lax.add(at, filled(n, at)), at)


def _dynamic(dims: Static, begin: Static, strides: Static, masks: Static) -> tuple[Array, ...]:
    """(starts, sizes, final shape) of a slice whose begin is a tracer.

    Raises NeedsValue if its size depends on values.
    """
    picks = dynamic_picks(tuple(dims), tuple(strides.tolist()), masks)
    if picks is None:
        from reflow.ops.registry import NeedsValue

        raise NeedsValue(None, "begin")
    entries, sizes, final = picks
    return wrapped_starts(begin, entries, dims), sizes, final


def strided_slice_by(x: Array, begin: Static, end: Static, strides: Static, masks: Static) -> Array:
    if isinstance(begin, np.ndarray) and isinstance(end, np.ndarray):
        plan = plan_of(x.shape, begin, end, strides, masks)
        return lax.reshape(strided_slice(x, plan.begin, plan.end, plan.strides), plan.final)
    starts, sizes, final = _dynamic(x.shape, begin, strides, masks)
    return lax.reshape(dynamic_slice(x, starts, sizes), final)


def strided_slice_grad_of(g: Array, shape: Static, begin: Static, end: Static, strides: Static, masks: Static) -> Array:
    if isinstance(begin, np.ndarray) and isinstance(end, np.ndarray):
        plan = plan_of(shape, begin, end, strides, masks)
        return strided_slice_grad(lax.reshape(g, plan.sliced), shape, plan.begin, plan.end, plan.strides)
    starts, sizes, _ = _dynamic(shape, begin, strides, masks)
    return dynamic_update_slice(lax.full(tuple(shape), 0, g.dtype), lax.reshape(g, sizes), starts)


def strided_slice_update(x: Array, begin: Static, end: Static, strides: Static, masks: Static, value: Array) -> Array:
    plan = plan_of(x.shape, begin, end, strides, masks)
    value = broadcast_to(value, plan.final)
    ones = lax.full(plan.sliced, True, np.dtype(bool))
    args = (x.shape, plan.begin, plan.end, plan.strides)
    there = strided_slice_grad(ones, *args)
    return lax.select(there, strided_slice_grad(lax.reshape(value, plan.sliced), *args), x)
