"""Helpers for convolution and pooling: attributes of all axes and of the spatial ones, layouts, paddings, shapes.

The functions of `xp` work channels last, on spatial axes only. A `Layout` reads TensorFlow's attributes, which list
every axis in the order of `data_format`, and converts tensors between that order and channels last.

Attributes may come from a file, so they are checked wherever they are read: strides, dilations and window sizes are
positive 32-bit numbers, paddings are not negative. `padded` rejects sizes that need more than 63 bits.
"""

from __future__ import annotations

import functools
import inspect

from reflow.core import dtypes
from reflow.core.errors import UnimplementedError
from reflow.ops import opdef
from reflow.ops import shape_rules as rules
from reflow.ops.dispatch import run
from reflow.ops.registry import op

INT32 = range(-(2**31), 2**31)
MOST_SIZE = 2**63 - 1
#: what TensorFlow says about a number that is not positive, by the name of its attribute
_NOT_POSITIVE = {
    "strides": "Stride must be > 0, but got {}",
    "dilations": "Dilated rates should be larger than 0.",
    "rates": "Dilated rates should be larger than 0.",
    "ksize": "Sliding window ksize must be positive. The specified or inferred ksize is: {}",
    "ksizes": "Sliding window ksizes must be positive. Received: {}",
}


@functools.lru_cache(maxsize=1024)
def _checked(name: str, values: tuple, axes: int, words: str | None) -> tuple:
    if len(values) != axes:
        raise ValueError(f"Sliding window {name} field must specify {axes} dimensions. Received: {name}={list(values)}")
    for value in values:
        if value not in INT32:
            raise ValueError(f"Attr {name} has value {value} out of range for an int32")
        if value <= 0:
            all_of_them = ",".join(map(str, values))
            raise ValueError((words or _NOT_POSITIVE[name]).format(all_of_them if "ksize" in name else value))
    return values


@functools.lru_cache(maxsize=1024)
def _checked_pairs(values: tuple, axes: int, first: bool) -> tuple:
    if len(values) != 2 * axes:
        raise ValueError(f"explicit_paddings attribute must contain {2 * axes} values, but got: {len(values)}")
    if min(values) < 0:
        raise ValueError("All elements of explicit_paddings must be nonnegative")
    pairs = tuple(zip(values[::2], values[1::2]))
    if any(pairs[0]) or any(pairs[1 if first else -1]):
        raise ValueError("Nonzero explicit padding in the batch or depth dimensions is not supported")
    return pairs


class Layout:
    """The order of axes of one op: `data_format` "NHWC" or "NCHW", or with one or three spatial axes."""

    def __init__(self, data_format: str, spatial: int):
        self.first = data_format is not None and data_format.startswith("NC")
        if data_format == "NCHW_VECT_C":
            raise UnimplementedError(None, None, "data_format NCHW_VECT_C exists on GPUs only.")
        self.spatial = spatial
        rank = spatial + 2
        self._to_last = (0, *range(2, rank), 1)
        self._to_first = (0, rank - 1, *range(1, rank - 1))

    def inner(self, values) -> tuple:
        """The spatial part of a list with one entry per axis."""
        values = tuple(values)
        return values[2:] if self.first else values[1:-1]

    def numbers(self, name, values, words=None) -> tuple:
        """The spatial part of strides, dilations or window sizes; ValueError if one is invalid. `words` is the message
        for one that is not positive, where it differs from that of most ops."""
        return self.inner(_checked(name, tuple(values), self.spatial + 2, words))

    def last(self, xp, x):
        return xp.transpose(x, self._to_last) if self.first else x

    def back(self, xp, x):
        return xp.transpose(x, self._to_first) if self.first else x

    def last_dims(self, dims) -> tuple:
        """A shape in this layout, as channels last."""
        return tuple(dims[i] for i in self._to_last) if self.first else tuple(dims)

    def back_dims(self, dims) -> tuple:
        return tuple(dims[i] for i in self._to_first) if self.first else tuple(dims)

    def explicit(self, pairs) -> tuple:
        """(before, after) of the spatial axes from a flat list over all axes."""
        return self.inner(_checked_pairs(tuple(pairs), self.spatial + 2, self.first))

    def only_spatial(self, values, what, op_name):
        """Refuse windows and strides over batch and channels. Pooling ignores a stride over channels."""
        rest = (values[0], values[1] if self.first else values[-1])
        if op_name == "Pooling" and values[0] != 1:
            raise UnimplementedError(None, None, "Pooling is not yet supported on the batch dimension.")
        if op_name == "Pooling" and what == "strides":
            return
        if rest != (1, 1):
            raise UnimplementedError(
                None, None, f"{op_name} supports {what} on spatial dimensions only. Received: {what}={list(values)}"
            )


def padded(layout, spatial, window, strides, dilations, padding, explicit=()):
    """(before, after) for each spatial axis; ValueError if a window does not fit."""
    if padding == "EXPLICIT":
        pairs = layout.explicit(explicit)
    elif padding == "VALID":
        pairs = ((0, 0),) * len(spatial)
    elif padding == "SAME":
        pairs = tuple(same_padding(n, k, s, d) for n, k, s, d in zip(spatial, window, strides, dilations, strict=True))
    else:
        raise ValueError(f"Unknown padding {padding!r}: expected SAME, VALID or EXPLICIT.")
    for n, k, s, d, (before, after) in zip(spatial, window, strides, dilations, pairs, strict=True):
        _count(n, n + before + after, (k - 1) * d + 1, s)
    return pairs


def _count(n, whole, reach, stride) -> int:
    """How many windows of `reach` pixels there are in `whole` ones, of which n are the image's. TensorFlow divides
    towards zero: a window that is too large by less than two strides gives none. And there a size of more than 63 bits
    has become negative."""
    whole -= 2**64 if whole > MOST_SIZE else 0
    free = whole - reach + stride
    if free > -stride:
        return max(free // stride, 0)
    raise ValueError(
        f"Computed output size would be negative: {-(-free // stride)} [input_size: {n}, effective_filter_size: "
        f"{reach}, stride: {stride}]"
    )


def same_padding(n, k, s, d=1) -> tuple:
    """TensorFlow's SAME: ceil(n / stride) outputs, an odd element of padding at the end."""
    total = max((-(-n // s) - 1) * s + (k - 1) * d + 1 - n, 0)
    return total // 2, total - total // 2


def output_size(n, k, s, d, padding, pair=(0, 0)):
    """The number of windows along one axis; None if a size is not known."""
    if n is None or k is None:
        return None
    if padding == "SAME":
        return -(-n // s)
    return _count(n, n + sum(pair), (k - 1) * d + 1, s)


def spatial_shape(f, layout, dims, window, strides, dilations):
    """Output sizes of the spatial axes for a shape rule; `dims` channels last."""
    padding = f.attr("padding")
    pairs = layout.explicit(f.attr("explicit_paddings")) if padding == "EXPLICIT" else ((0, 0),) * layout.spatial
    return tuple(
        output_size(n, k, s, d, padding, pair)
        for n, k, s, d, pair in zip(dims[1:-1], window, strides, dilations, pairs, strict=True)
    )


def rank_of(f, index, spatial, what="input"):
    """The shape of an input, which must have `spatial` + 2 axes; all unknown if its rank is not known."""
    dims = f.shapes[index]
    if dims is None:
        return (None,) * (spatial + 2)
    if len(dims) != spatial + 2:
        raise ValueError(f"{what} must be {spatial + 2}-dimensional: {rules.text(dims)}")
    return dims


def register(name, **facts):
    """Like `op`, for kernels that take attributes which some OpDefs of their family lack."""
    definition = opdef.lookup(name)
    known = {"xp", *definition.attrs, *(a.name for a in definition.inputs)}

    def register(kernel):
        @functools.wraps(kernel)
        def fitted(*args, **attrs):
            return kernel(*args, **attrs)

        signature = inspect.signature(kernel)
        known_too = [p for n, p in signature.parameters.items() if n in known]
        # types know no such attribute
        setattr(fitted, "__signature__", signature.replace(parameters=known_too))  # noqa: B010
        return op(name, **facts)(fitted)

    return register


def shape_of(x):
    return run("Shape", x, out_type=dtypes.int32)
