"""Shape arithmetic for `xp.host` and `xp.xla`: plain Python on ints and tuples, no arrays of data.

- An *axis argument* may be negative; `axes` may be a tuple, one int or None (all axes).
- *Slice bounds* are those of TensorFlow's StridedSlice after masks were applied: with a positive stride they
  mean what they mean in Python; with a negative stride a negative `end` means "before the first element".
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from reflow.ops.xp.dtype_facts import FLOATS

Shape: TypeAlias = tuple[int, ...]
Axes: TypeAlias = int | Sequence[int] | None  # None: all of them


def arange_length(start: Any, stop: Any, step: Any, dtype: np.dtype) -> int:
    """The number of elements of `arange`: in float32 (1.1 - 0.1) / 0.1 is 10, exactly it is more."""
    if dtype.kind not in FLOATS:
        return len(range(start, stop, step))
    kind = dtype.type
    return max(0, math.ceil(float((kind(stop) - kind(start)) / kind(step))))


def static_int(x: np.ndarray) -> int:
    """A scalar operand as a Python int."""
    return int(x.reshape(()))


def static_axes(axes: Any) -> tuple[int, ...]:
    """An operand that holds axes (0-d or a vector) as Python ints."""
    vector = axes if isinstance(axes, np.ndarray) else np.array(axes)  # np.reshape takes 1 µs more than the method
    return tuple(vector.reshape(-1).tolist())


def axis_of(axis: int, ndim: int) -> int:
    return axis + ndim if axis < 0 else axis


def axes_of(axes: Axes, ndim: int) -> tuple[int, ...]:
    """Axes as a tuple of ints in [0, ndim)."""
    if axes is None:
        return tuple(range(ndim))
    if isinstance(axes, int):
        axes = (axes,)
    return tuple([axis + ndim if axis < 0 else axis for axis in axes])


def reduced_shape(shape: Shape, axes: Axes, keepdims: bool) -> Shape:
    axes = axes_of(axes, len(shape))
    if keepdims:
        return tuple([1 if i in axes else n for i, n in enumerate(shape)])
    return tuple([n for i, n in enumerate(shape) if i not in axes])


def reduced_count(shape: Shape, axes: Axes) -> int:
    return math.prod([shape[i] for i in axes_of(axes, len(shape))])


def broadcast_shape(*shapes: Shape) -> Shape:
    """NumPy's broadcasting rule (np.broadcast_shapes is ten times slower)."""
    result = []
    for dims in itertools.zip_longest(*[reversed(shape) for shape in shapes], fillvalue=1):
        sizes = {d for d in dims if d != 1}
        if len(sizes) > 1:
            raise ValueError(f"Incompatible shapes: {' and '.join(map(str, shapes))}")
        result.append(sizes.pop() if sizes else 1)
    return tuple(reversed(result))


def axes_to_sum(from_shape: Shape, to_shape: Shape) -> tuple[int, ...]:
    """The axes over which a gradient of `from_shape` is summed to undo broadcasting from `to_shape`."""
    extra = len(from_shape) - len(to_shape)
    ones = [extra + i for i, n in enumerate(to_shape) if n == 1 and from_shape[extra + i] != 1]
    return tuple(range(extra)) + tuple(ones)


class Bounds(NamedTuple):
    """One axis of a strided slice: `size` elements from `first` in steps of `stride`."""

    first: int
    size: int
    stride: int

    @property
    def slice(self) -> slice:
        if not self.size:
            return slice(0, 0, 1)
        end = self.first + self.size * self.stride
        return slice(self.first, end if end >= 0 else None, self.stride)


def slice_bounds(begin: int | None, end: int | None, stride: int, n: int) -> Bounds:
    if stride > 0:
        first, last, _ = slice(begin, end, stride).indices(n)
        return Bounds(first, max(0, -((first - last) // stride)), stride)
    first = n - 1 if begin is None else min(begin, n - 1)
    last = -1 if end is None or end < 0 else end
    return Bounds(first, max(0, -((last - first) // -stride)) if first >= 0 else 0, stride)


def all_slice_bounds(
    shape: Shape, begin: Sequence[int | None], end: Sequence[int | None], strides: Sequence[int]
) -> list[Bounds]:
    """The bounds of a strided slice for every axis of `shape`; unmentioned axes are taken whole."""
    strides = fill_to(strides, len(shape), 1)
    begin, end = fill_to(begin, len(shape), None), fill_to(end, len(shape), None)
    return [slice_bounds(*of_axis) for of_axis in zip(begin, end, strides, shape, strict=True)]


def fill_to(axes_values: Sequence[Any], ndim: int, default: Any) -> tuple[Any, ...]:
    """A per-axis tuple extended to all axes."""
    return tuple(axes_values) + (default,) * (ndim - len(axes_values))


def mirror_indices(n: int, before: int, after: int, mode: str) -> np.ndarray:
    """The source index for each position of a mirror-padded axis."""
    edge = 1 if mode == "REFLECT" else 0
    left = range(before - 1 + edge, edge - 1, -1)
    right = range(n - 1 - edge, n - 1 - edge - after, -1)
    return np.array([*left, *range(n), *right], np.int32)
