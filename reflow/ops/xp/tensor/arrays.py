"""Creation, shapes, gathering and scattering on tensors: a part of `xp.tensor`."""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence

import numpy as np

from reflow.core.tensor import Tensor
from reflow.core.types import Array, Static
from reflow.ops.convert import from_array
from reflow.ops.xp.dtype_facts import limits
from reflow.ops.xp.tensor.base import as_dtype, cast, dims_of, operand, run, static_value

# --- creation ---------------------------------------------------------------------------------------------------------


def const(value: Array, like: Array) -> Array:
    return from_array(np.array(value, like._dtype.np_dtype))


def asarray(value: Array, dtype: Static) -> Array:
    return value if isinstance(value, Tensor) else from_array(np.asarray(value, as_dtype(dtype).np_dtype))


def full(shape: Static, value: Array, dtype: Static) -> Array:
    return run("Fill", operand(shape), value if isinstance(value, Tensor) else asarray(value, dtype))


def zeros(shape: Static, dtype: Static) -> Array:
    return full(shape, 0, dtype)


def ones(shape: Static, dtype: Static) -> Array:
    return full(shape, 1, dtype)


def zeros_like(x: Array) -> Array:
    return run("ZerosLike", x)


def ones_like(x: Array) -> Array:
    return run("OnesLike", x)


zeros_like_any = zeros_like


def iota(n: int, dtype: Static) -> Array:
    return cast(run("Range", operand(0), operand(n), operand(1)), dtype)


def arange(start: Static, stop: Static, step: Static, dtype: Static) -> Array:
    return run("Range", *[asarray(v, dtype) for v in (start, stop, step)])


def eye(rows: Static, cols: Static, dtype: Static) -> Array:
    return asarray(np.eye(rows, cols), dtype)


def lowest(dtype: Static) -> Array:
    return from_array(limits(as_dtype(dtype).np_dtype)[0])


def highest(dtype: Static) -> Array:
    return from_array(limits(as_dtype(dtype).np_dtype)[1])


def lowest_like(x: Array) -> Array:
    return lowest(x._dtype)


def bitcast(x: Array, dtype: Static) -> Array:
    return run("Bitcast", x, type=as_dtype(dtype))


# --- shape ------------------------------------------------------------------------------------------------------------


def shape(x: Array) -> Array:
    """The static shape; ValueError unless all of it is known."""
    dims = dims_of(x)
    if dims is None or None in dims:
        raise ValueError(f"This gradient needs the static shape of {x!r}.")
    return dims


def ndim(x: Array) -> int:
    dims = dims_of(x)
    if dims is None:
        raise ValueError(f"This gradient needs the rank of {x!r}.")
    return len(dims)


def size(x: Array) -> int:
    return math.prod(shape(x))


def reshape(x: Array, shape: Static) -> Array:
    return run("Reshape", x, operand(shape))


def transpose(x: Array, perm: Static) -> Array:
    return run("Transpose", x, operand(perm))


def matrix_transpose(x: Array) -> Array:
    dims = dims_of(x)
    if dims is not None:
        return transpose(x, (*range(len(dims) - 2), len(dims) - 1, len(dims) - 2))
    rank = run("Rank", x)
    lead = run("Range", operand(0), run("Sub", rank, operand(2)), operand(1))
    last = run("Sub", run("Pack", rank, rank, axis=0), operand((1, 2)))
    return transpose(x, run("ConcatV2", lead, last, operand(0), N=2))


def broadcast_to(x: Array, shape: Static) -> Array:
    return run("BroadcastTo", x, operand(shape))


def expand_dims(x: Array, axes: Static) -> Array:
    """Axes are positions in the result, and may be negative."""
    axes = (axes,) if isinstance(axes, int) else tuple(axes)
    if builtins.all(a >= 0 for a in axes):
        for axis in sorted(axes):
            x = run("ExpandDims", x, operand(axis))
        return x
    if builtins.all(a < 0 for a in axes):
        for axis in sorted(axes, reverse=True):
            x = run("ExpandDims", x, operand(axis))
        return x
    total = ndim(x) + len(axes)
    return expand_dims(x, tuple(a % total for a in axes))


def squeeze(x: Array, axes: Static) -> Array:
    return run("Squeeze", x, squeeze_dims=[axes] if isinstance(axes, int) else list(axes))


def concat(xs: Sequence[Array], axis: Static) -> Array:
    return run("ConcatV2", *xs, operand(axis), N=len(xs)) if len(xs) > 1 else xs[0]


def stack(xs: Sequence[Array], axis: Static) -> Array:
    return run("Pack", *xs, axis=axis)


def unstack(x: Array, count: int, axis: Static) -> Array:
    return run("Unpack", x, num=count, axis=axis)


def split(x: Array, sizes: Static, axis: Static) -> Array:
    return run("SplitV", x, operand(tuple(sizes)), operand(axis), num_split=len(sizes))


def pad(x: Array, paddings: Static, value: Array) -> Array:
    return run("PadV2", x, operand(paddings), value)


def mirror_pad(x: Array, paddings: Static, mode: str) -> Array:
    return run("MirrorPad", x, operand(paddings), mode=mode)


def mirror_pad_grad(g: Array, paddings: Static, mode: str) -> Array:
    return run("MirrorPadGrad", g, operand(paddings), mode=mode)


mirror_pad_back, mirror_pad_by = mirror_pad_grad, mirror_pad


def flip(x: Array, axes: Static) -> Array:
    return run("ReverseV2", x, operand((axes,) if isinstance(axes, int) else axes))


flip_by = flip


def tile(x: Array, multiples: Static) -> Array:
    return run("Tile", x, operand(multiples))


def roll(x: Array, shift: Static, axes: Static) -> Array:
    shifts = run("Pack", *shift, axis=0) if isinstance(shift[0], Tensor) else operand(tuple(shift))
    return run("Roll", x, shifts, operand(tuple(axes)))


def roll_by(x: Array, shift: Static, axis: Static) -> Array:
    return run("Roll", x, operand(shift), operand(axis))


def slice(x: Array, starts: Static, sizes: Static) -> Array:
    return run("Slice", x, operand(tuple(starts)), operand(tuple(sizes)))


def static_int(x: Array) -> int:
    """A scalar operand: an int if it is known, else the tensor itself, which all functions here also accept."""
    value = static_value(x)
    return x if value is None else value[0] if isinstance(value, tuple) else value


def static_axes(axes: Static) -> Array:
    """Axes that must be known, as a tuple of ints."""
    value = static_value(axes)
    if value is None:
        raise ValueError(f"This gradient needs the value of the axes {axes!r}.")
    return value if isinstance(value, tuple) else (value,)


def materialize(x: Array) -> Array:
    return x


def compact(view: Array, base: Array) -> Array:
    return view


# --- gathering and scattering -----------------------------------------------------------------------------------------


def take(x: Array, indices: Array, axis: Static, batch_dims: int = 0) -> Array:
    return run("GatherV2", x, indices, operand(axis), batch_dims=batch_dims)


def gather_nd(x: Array, indices: Array) -> Array:
    return run("GatherNd", x, indices)


_SCATTER = {
    "set": "TensorScatterUpdate",
    "add": "TensorScatterAdd",
    "sub": "TensorScatterSub",
    "max": "TensorScatterMax",
    "min": "TensorScatterMin",
}
_SEGMENT = {
    "sum": "UnsortedSegmentSum",
    "prod": "UnsortedSegmentProd",
    "max": "UnsortedSegmentMax",
    "min": "UnsortedSegmentMin",
}


def scatter_nd(mode: str, x: Array, indices: Array, updates: Array) -> Array:
    return run(_SCATTER[mode], x, indices, updates)


def scatter_rows(mode: str, x: Array, indices: Array, updates: Array) -> Array:
    return scatter_nd(mode, x, run("ExpandDims", indices, operand(-1)), updates)


def unsorted_segment(mode: str, data: Array, ids: Array, num: int) -> Array:
    return run(_SEGMENT[mode], data, ids, operand(num))


def take_along_axis(x: Array, indices: Array, axis: Static) -> Array:
    """Elements at indices along one axis: a gather with all other axes as batch axes."""
    count = ndim(x)
    axis = axis % count
    order = [i for i in range(count) if i != axis] + [axis]
    moved = take(transpose(x, order), transpose(indices, order), count - 1, count - 1)
    return transpose(moved, [order.index(i) for i in range(count)])
