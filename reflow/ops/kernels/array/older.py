"""Superseded ops of older graphs: the same function with another operand, or a copy of its input."""

from __future__ import annotations

import numpy as np

from reflow.core import dtypes, errors
from reflow.ops import require
from reflow.ops import shape_rules as rules
from reflow.ops import trace_checks as traced
from reflow.ops.from_python import short_name
from reflow.ops.kernels.array import blocks
from reflow.ops.registry import NO_GRADIENT, op
from reflow.ops.shape_facts import NodeFacts

# --- the same with another operand ------------------------------------------------------------------------------------


def _axes(dims: np.ndarray) -> np.ndarray:
    return np.flatnonzero(dims).astype(np.int32)


def _reversed_shape(f):
    """The input's shape; of an input of unknown rank, as many sizes as there are entries in `dims`."""
    count = f.shapes[1] and f.shapes[1][0]
    return [f.shapes[0] if f.shapes[0] is not None or not count else (None,) * count]


@op(
    "Reverse", shape=_reversed_shape, static=("dims",), needs=("dims",),
    grad=lambda xp, attrs, inputs, outputs, cts, wanted: (xp.flip_by(cts[0], _axes(inputs[1])), None),
)
def reverse(xp, tensor, dims):
    """Flipped along the axes where `dims` is true."""
    if dims.shape != (tensor.ndim,):
        raise errors.InvalidArgumentError(
            None, None, f"'dims' must be 1-dimensional with {tensor.ndim} elements, not {rules.text(dims.shape)}"
        )
    return xp.flip_by(tensor, _axes(dims))


def _as_nd(rule):
    """The shape rule of the op whose block is an operand, for one whose block is an attribute."""

    def of_attribute(f):
        size = f.attrs["block_size"]
        if f.shapes[0] is None:
            return [(None,) * 4]
        values, shapes = [f.values[0], (size, size), f.values[1]], [f.shapes[0], (2,), f.shapes[1]]
        return rule(NodeFacts(f.op, [*f.dtypes, f.dtypes[1]], shapes, values, f.attrs))

    return of_attribute


def _undone_by(function: str):
    """The gradient of an op that moves elements, by the function of `xp` that moves them back."""

    def grad(xp, attrs, inputs, outputs, cts, wanted):
        return getattr(xp, function)(cts[0], np.full(2, attrs["block_size"], np.int32), inputs[1]), None

    return grad


def _image_op(name, pairs, inverse, shape):
    """The record of an op that moves square blocks of images; `pairs` are its paddings or crops."""
    return op(
        name, fits="4", shape=_as_nd(shape), static=(pairs,), needs=(pairs,), grad=_undone_by(inverse),
        trace_check=traced.edges_of_images,
    )


@_image_op("SpaceToBatch", "paddings", "batch_to_space_by", blocks.to_batch_shape)
def space_to_batch(xp, input, paddings, block_size):
    require.rank(4, input=input)
    return blocks.space_to_batch_nd.kernel(xp, input, np.full(2, block_size, np.int32), paddings)


@_image_op("BatchToSpace", "crops", "space_to_batch_by", blocks.to_space_shape)
def batch_to_space(xp, input, crops, block_size):
    require.rank(4, input=input)
    return blocks.batch_to_space_nd.kernel(xp, input, np.full(2, block_size, np.int32), crops)


# --- rows written into a copy -----------------------------------------------------------------------------------------


def _inplace(name: str, mode: str) -> None:
    @op(name, shape=rules.same, grad=NO_GRADIENT, static=("i",))
    def kernel(xp, x, i, v):
        if i.ndim > 1:
            raise _refused(f"i must be a vector. {rules.text(i.shape)}")
        both = f"{rules.text(x.shape)} vs. {rules.text(v.shape)}"
        if len(v.shape) != i.ndim + len(x.shape) - 1:
            raise _refused(f"x and v shape doesn't match (ranks differ): {both}")
        for axis in range(1, len(x.shape)):
            if v.shape[axis - 1 + i.ndim] != x.shape[axis]:
                raise _refused(f"x and v shape doesn't match at index {axis} : {both}")
        if i.ndim and i.shape[0] != v.shape[0]:
            raise _refused(f"i and x shape doesn't match at index 0: {rules.text(i.shape)} vs. {rules.text(v.shape)}")
        rows = np.reshape(i, -1) % x.shape[0]
        return xp.scatter_rows(mode, x, rows, xp.reshape(v, (rows.size, *x.shape[1:])))


_inplace("InplaceUpdate", "set")
_inplace("InplaceAdd", "add")
_inplace("InplaceSub", "sub")

# --- copies -----------------------------------------------------------------------------------------------------------


def _copy(name: str) -> None:
    @op(name, shape=rules.same, grad=lambda xp, attrs, inputs, outputs, cts, wanted: cts, identity=True)
    def kernel(xp, input):
        return input


for _name in ("Copy", "CopyHost", "DebugGradientIdentity"):
    _copy(_name)


# --- layouts ----------------------------------------------------------------------------------------------------------


def _refused(message: str) -> Exception:
    return errors.InvalidArgumentError(None, None, message)


def _positions(src_format: str, dst_format: str) -> list[int]:
    """The position of each letter of the source in the destination."""
    if len(src_format) not in (4, 5):
        raise _refused(f"Source format must be of length 4 or 5, received src_format = {src_format}")
    if sorted(src_format) != sorted(dst_format) or len(set(src_format)) != len(src_format):
        raise _refused(f"Destination and source format must determine a permutation, got {src_format} and {dst_format}")
    return [dst_format.index(letter) for letter in src_format]


@op("DataFormatDimMap", shape=rules.same, grad=NO_GRADIENT)
def data_format_dim_map(xp, x, src_format="NHWC", dst_format="NCHW"):
    """The axis in the destination's layout for each axis of the source's."""
    table = np.array(_positions(src_format, dst_format), x.dtype)
    wrapped = xp.select(xp.less(x, xp.const(0, x)), xp.add(x, xp.const(len(table), x)), x)
    return xp.take(xp.asarray(table, x.dtype), wrapped, 0)


@op("DataFormatVecPermute", shape=rules.same, grad=NO_GRADIENT)
def data_format_vec_permute(xp, x, src_format="NHWC", dst_format="NCHW"):
    """A vector of sizes, or of pairs, in the destination's order; sizes of the spatial axes alone are possible too."""
    if len(x.shape) not in (1, 2):
        raise _refused(f"input must be a vector or 2D tensor, but got shape {rules.text(x.shape)}")
    _positions(src_format, dst_format)
    sizes = (len(src_format) - 2, len(src_format))
    if x.shape[0] not in sizes:
        what = "1D input" if len(x.shape) == 1 else "First dimension of 2D input"
        raise _refused(f"{what} must be of size {sizes[0]} or {sizes[1]}, but got shape {rules.text(x.shape)}")
    if len(x.shape) == 2 and x.shape[1] != 2:
        raise _refused(f"Second dimension of 2D input must be of size 2, but got shape {rules.text(x.shape)}")
    letters: tuple[str, ...] = (src_format, dst_format)
    if x.shape[0] != len(src_format):
        spatial = "HW" if len(src_format) == 4 else "DHW"
        if not set(spatial) <= set(src_format):
            raise _refused(
                f"Format specifier must contain {'H and W' if spatial == 'HW' else 'D, H and W'} for 2D case"
            )
        letters = tuple("".join(c for c in letter if c not in "NC") for letter in letters)
    order = [letters[0].index(letter) for letter in letters[1]]
    return xp.take(x, xp.asarray(np.array(order, np.int32), np.dtype(np.int32)), 0)


@op("ToBool", shape=rules.scalar, grad=NO_GRADIENT, host=True)
def to_bool(_, input):
    """Whether a scalar is neither 0 nor empty text; of other tensors, whether they have elements."""
    if not input.ndim and input.dtype not in (np.float32, np.float64, np.int32, np.int64, np.bool_, object):
        raise ValueError(f"{short_name(dtypes.as_dtype(input.dtype))} cannot be converted to a boolean")
    return np.asarray(bool(input) if not input.ndim else input.size > 0)


@op("DeviceIndex", shape=rules.scalar, grad=NO_GRADIENT, host=True, pure=True)
def device_index(_, device_names):
    """The place of the device that runs the op in a list of kinds, or the list's length: this kernel is the host's."""
    return np.asarray(device_names.index("CPU") if "CPU" in device_names else len(device_names), np.int32)


# --- gradients --------------------------------------------------------------------------------------------------------


def _untiled_shape(f: NodeFacts):
    dims, times = f.shapes[0], f.values[1]
    if dims is None or not isinstance(times, tuple):
        return [None if dims is None else (None,) * len(dims)]
    return [tuple(None if None in (n, m) or not m else n // m for n, m in zip(dims, times, strict=True))]


@op(
    "TileGrad", shape=_untiled_shape, static=("multiples",), needs=("multiples",),
    grad=lambda xp, attrs, inputs, outputs, cts, wanted: (
        xp.tile(cts[0], tuple(np.reshape(inputs[1], -1).tolist())), None
    ),
)
def tile_grad(xp, input, multiples):
    """The sum of the copies that `Tile` made."""
    require.vector("multiples", multiples, input.ndim)
    pairs = [
        n for size, times in zip(input.shape, multiples.tolist(), strict=True) for n in (times, size // max(times, 1))
    ]
    return xp.sum(xp.reshape(input, tuple(pairs)), tuple(range(0, len(pairs), 2)), False)
