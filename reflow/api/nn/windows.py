"""Helpers for convolutions and pooling: convert strides, windows, dilations and paddings to op attributes.

As in TensorFlow, one spatial axis is treated as two with a height of 1. Dilation and groups are attributes of the op
itself, where TensorFlow moves space to the batch. Strides, window sizes and dilations are one number, one per spatial
axis, or one per axis. Tensors are [batch, …, channels], or [batch, channels, …] for the formats that begin with "NC".
"""

from __future__ import annotations

import numpy as np

from reflow.api.call import call
from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.errors import InvalidArgumentError
from reflow.core.tensor import Tensor
from reflow.ops.convert import constant, convert_to_tensor

_FORMATS = {1: ("NWC", "NCW"), 2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}


#: what docstrings say of the padding of one- and two-dimensional windows, and of three-dimensional ones
PADDING = '`"SAME"`, `"VALID"`, or a list of pairs of numbers, one pair for each axis, batch and channels included'
PADDING_3D = '`"SAME"` or `"VALID"`'


def channels_first(data_format) -> bool:
    """Whether the channels are the second axis, rather than the last."""
    return data_format is not None and data_format.startswith("NC")


def full_format(data_format, spatial) -> str:
    """The data format for a number of spatial axes; None, and the names for two axes, are allowed everywhere."""
    last, first = _FORMATS[spatial]
    if data_format in (None, last, _FORMATS[2][0]):
        return last
    if data_format in (first, _FORMATS[2][1]):
        return first
    raise ValueError(f"`data_format` must be {last!r} or {first!r}. Received: data_format={data_format}")


def per_axis(value, spatial, first, what) -> list:
    """One number for each axis, batch and channels included."""
    if value is None:
        return [1] * (spatial + 2)
    value = [int(v) for v in (value if isinstance(value, (list, tuple, np.ndarray)) else [value])]
    if len(value) == spatial + 2:
        return value
    if len(value) == 1:
        value = value * spatial
    if len(value) != spatial:
        raise ValueError(
            f"{what} should be of length 1, {spatial} or {spatial + 2}. Received: {what}={value} of length {len(value)}"
        )
    return [1, 1, *value] if first else [1, *value, 1]


def padding_attrs(padding, axes=4) -> dict:
    """`padding` as attributes: a name, or explicit pairs for each axis."""
    if isinstance(padding, (list, tuple)):
        for i, pair in enumerate(padding):
            if not isinstance(pair, (list, tuple)) or len(pair) != 2:
                raise ValueError(
                    f"When `padding` is a list, each element of `padding` must be a list/tuple of size 2. Received: "
                    f"padding={padding} with element at index {i} of type {type(pair)}"
                )
        if len(padding) != axes:
            raise ValueError(
                f"When padding is a list, it must be of size {axes}. Received: padding={padding} of size {len(padding)}"
            )
        return {"padding": "EXPLICIT", "explicit_paddings": [int(n) for pair in padding for n in pair]}
    name = str(padding).upper()
    if name == "EXPLICIT":
        raise ValueError(
            "'EXPLICIT' is not a valid value for `padding`. To use explicit padding, `padding` must be a list."
        )
    if name not in ("SAME", "VALID") and state.graph is None:  # a graph says it in its own way
        raise InvalidArgumentError(
            None, None,
            f'Value for attr \'padding\' of "{padding}" is not in the list of allowed values: '
            '"SAME", "VALID", "EXPLICIT"',
        )
    return {"padding": name}


def window_attrs(spatial, padding, data_format, **lists) -> dict:
    """The attributes of an op over `spatial` axes; for one axis, those of the op over two.

    >>> window_attrs(2, "SAME", "NCHW", strides=3)
    {'strides': [1, 1, 3, 3], 'data_format': 'NCHW', 'padding': 'SAME'}
    """
    data_format = full_format(data_format, spatial)
    first = channels_first(data_format)
    lists = {what: per_axis(value, spatial, first, what) for what, value in lists.items()}
    if spatial == 1:
        lists = {what: _with_height(value, 1, first) for what, value in lists.items()}
        data_format = _FORMATS[2][first]
        padding = _with_height(list(padding), (0, 0), first) if isinstance(padding, (list, tuple)) else padding
    return {**lists, "data_format": data_format, **padding_attrs(padding, max(spatial, 2) + 2)}


def _with_height(values: list, height, first: bool) -> list:
    """A list over the axes of a sequence as one over those of an image: the height comes before the width."""
    at = 2 if first else 1
    return [*values[:at], height, *values[at:]]


def expand(x, axis):
    """A sequence as an image of height 1: another axis at `axis`."""
    return call("ExpandDims", (x, constant(axis)))


def squeeze(x, axis):
    """Take the axis of the height away again."""
    return call("Squeeze", (x,), {"squeeze_dims": [axis]})


def sizes_operand(shape):
    """A shape of numbers, or of numbers and tensors, as an operand."""
    if isinstance(shape, Tensor):
        return shape if shape.dtype is dtypes.int32 else call("Cast", (shape,), {"DstT": dtypes.int32})
    if hasattr(shape, "as_list"):
        shape = shape.as_list()
    return convert_to_tensor([int(s) if isinstance(s, np.integer) else s for s in shape], dtypes.int32)
