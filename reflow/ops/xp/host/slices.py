"""Slices on NumPy: a part of `xp.host`.

The bounds of `slice` and `strided_slice` are Python ints; those of `dynamic_slice` are 0-d arrays, clamped so that the
slice fits. Functions for the kernels and gradients of TensorFlow's slicing ops take the op's operands directly: vectors
of begins, ends and strides.
"""

from __future__ import annotations

import numpy as np

from reflow.core.types import Array, Static
from reflow.ops.shape_facts import text
from reflow.ops.slice_spec import plan_of
from reflow.ops.xp.host.arrays import zeros
from reflow.ops.xp.names import SLICES
from reflow.ops.xp.shapes import all_slice_bounds

__all__ = SLICES


_slice = slice


def slice(x: Array, starts: Static, sizes: Static) -> Array:
    """The part of x that starts at `starts` and has `sizes`, one int for each of the first axes."""
    return x[(*[_slice(start, start + n) for start, n in zip(starts, sizes, strict=True)], ...)]


def _basic_index(shape: Static, begin: Static, end: Static, strides: Static) -> tuple[Array, ...]:
    return (*[bounds.slice for bounds in all_slice_bounds(shape, begin, end, strides)], ...)


def strided_slice(x: Array, begin: Static, end: Static, strides: Static) -> Array:
    """Basic slicing of the leading axes; `xp.shapes` defines the bounds."""
    return x[_basic_index(x.shape, begin, end, strides)]


def strided_slice_grad(g: Array, shape: Static, begin: Static, end: Static, strides: Static) -> Array:
    """The adjoint of strided_slice: g at the positions that the slice read, zero elsewhere."""
    result = zeros(shape, g.dtype)
    result[_basic_index(shape, begin, end, strides)] = g
    return result


def _clamped(shape: Static, starts: Static, sizes: Static) -> tuple[Array, ...]:
    firsts = [int(np.clip(start, 0, n - k)) for start, n, k in zip(starts, shape, sizes, strict=True)]
    return (*[_slice(first, first + k) for first, k in zip(firsts, sizes, strict=True)], ...)


def dynamic_slice(x: Array, starts: Static, sizes: Static) -> Array:
    """A slice of static sizes at 0-d integer arrays; starts are clamped so that the slice fits."""
    return x[_clamped(x.shape, starts, sizes)]


def dynamic_update_slice(x: Array, update: Static, starts: Static) -> Array:
    result = x.copy()
    result[_clamped(x.shape, starts, update.shape)] = update
    return result


# --- slices by the operands of an op --------------------------------------------------------------


def scalars(vector: Array) -> Array:
    """The elements of a vector, or of a 0-d array, of integers as a list."""
    return vector.reshape(-1).tolist()


def slice_grad_like(g: Array, x: Array, begin: Static) -> Array:
    """g placed into zeros of x's shape, starting at the array `begin`."""
    result = np.zeros(x.shape, g.dtype)
    result[tuple([_slice(b, b + n) for b, n in zip(begin.tolist(), g.shape, strict=True)])] = g
    return result


def wrapped_starts(begin: Static, entries: Static, dims: Static) -> list[Array]:
    """Starts of a dynamic slice: per axis begin[entry], wrapped if negative, or 0 if entry is None."""
    return [0 if e is None else int(begin[e]) + (n if begin[e] < 0 else 0) for e, n in zip(entries, dims, strict=True)]


def strided_slice_by(x: Array, begin: Static, end: Static, strides: Static, masks: Static) -> Array:
    """TensorFlow's StridedSlice: operands are arrays, `masks` its five masks."""
    plan = plan_of(x.shape, begin, end, strides, masks)
    return strided_slice(x, plan.begin, plan.end, plan.strides).reshape(plan.final)


def strided_slice_grad_of(g: Array, shape: Static, begin: Static, end: Static, strides: Static, masks: Static) -> Array:
    """TensorFlow's StridedSliceGrad: g at the positions of an array of `shape` that the slice read."""
    plan = plan_of(shape, begin, end, strides, masks)
    return strided_slice_grad(g.reshape(plan.sliced), shape, plan.begin, plan.end, plan.strides)


def strided_slice_update(x: Array, begin: Static, end: Static, strides: Static, masks: Static, value: Array) -> Array:
    """x with `value` (which broadcasts) at the positions that the slice reads."""
    plan = plan_of(x.shape, begin, end, strides, masks)
    try:
        value = np.broadcast_to(value, plan.final).reshape(plan.sliced)
    except ValueError:
        raise ValueError(
            f"Cannot broadcast input shape {text(value.shape)} into final shape {text(plan.final)}"
        ) from None
    result = np.array(x)
    result[_basic_index(x.shape, plan.begin, plan.end, plan.strides)] = value
    return result
