"""What ops of this folder reject while a graph is built (see `reflow/ops/trace_checks.py`): windows, channels,
normalization.

Records refer to these, and to those of all ops, as `traced.…`.
"""

from __future__ import annotations

from reflow.ops.kernels.nn.windows import INT32, MOST_SIZE, Layout
from reflow.ops.trace_checks import *  # noqa: F403
from reflow.ops.trace_words import Misfit, equal, rank, rank_at_least, same_shape


def _channels_last(f) -> bool:
    return not f.attrs.get("data_format", "NHWC").startswith("NC")


def _spatial(f, values) -> tuple:
    """The part of a shape, or of strides, that belongs to space."""
    return tuple(values[1:-1] if _channels_last(f) else values[2:])


def _in_32_bits(f, *names):
    for name in names:
        for value in f.attrs.get(name) or ():
            if value not in INT32:
                raise Misfit(f"Attr {name} has value {value} out of range for an int32")


def _explicit_padding(f, sizes):
    if f.attrs["padding"] != "EXPLICIT":
        return
    layout = Layout(f.attrs.get("data_format", "NHWC"), 2)
    try:
        pairs = layout.explicit(f.attrs["explicit_paddings"])
    except ValueError as error:
        raise Misfit(str(error)) from None
    for size, pair in zip(sizes, pairs, strict=True):
        if size is not None and size + sum(pair) > MOST_SIZE:
            raise Misfit(f"Dimension size overflow from adding {size} and {sum(pair) - 2**64}")


def _window(f, sizes, window, dilations):
    strides = _spatial(f, f.attrs["strides"])
    for size, taps, stride, dilation in zip(sizes, window, strides, dilations, strict=True):
        if stride <= 0:
            raise Misfit(f"Stride must be > 0, but got {stride}")
        if dilation <= 0:
            raise Misfit(f"Dilation rate must be >= 1, but got {dilation}")
        if f.attrs["padding"] == "VALID" and size is not None and taps is not None:
            wide = (taps - 1) * dilation + 1
            if size < wide:
                raise Misfit(f"Negative dimension size caused by subtracting {wide} from {size}")


def conv(f):
    """A convolution over two or three axes, perhaps in groups."""
    if not _images_and_filters(f):
        return
    depth, given, made = f.shapes[0][-1 if _channels_last(f) else 1], f.shapes[1][-2], f.shapes[1][-1]
    if depth is not None and given:
        if depth % given:
            raise Misfit(f"Depth of input ({depth}) is not a multiple of input depth of filter ({given})")
        if made is not None and made % (depth // given or 1):
            raise Misfit(f"Depth of output ({made}) is not a multiple of the number of groups ({depth // given})")
    _conv_windows(f)


def depthwise_conv(f):
    if _images_and_filters(f):
        equal(f.shapes[0][-1 if _channels_last(f) else 1], f.shapes[1][-2])
        _conv_windows(f)


def _images_and_filters(f) -> bool:
    """Whether both ranks are known; they are those of the strides."""
    _in_32_bits(f, "strides", "dilations")
    for dims in f.shapes:
        rank(dims, len(f.attrs["strides"]))
    return None not in f.shapes


def _conv_windows(f):
    dims, taps = f.shapes
    dilations = _spatial(f, f.attrs.get("dilations", (1,) * len(dims)))
    _window(f, _spatial(f, dims), taps[: len(dims) - 2], dilations)
    _explicit_padding(f, _spatial(f, dims))


def conv_input(f):
    given, taps, out = f.shapes
    rank(given, 1)
    sizes = f.values[0]
    rank(taps, 4)
    rank(out, 4)
    if out is not None and sizes and sizes[0] != -1:  # -1 is unknown, as everywhere in shapes
        equal(sizes[0], out[0])
    if taps is not None and out is not None:
        equal(out[-1 if _channels_last(f) else 1], taps[3])


def pool(f):
    """Windows over two or three axes: the window has one size for each axis of the images."""
    _in_32_bits(f, "strides", "ksize")
    window = f.attrs["ksize"]
    rank(f.shapes[0], len(window))
    if f.shapes[0] is not None:
        _window(f, _spatial(f, f.shapes[0]), _spatial(f, window), (1,) * (len(window) - 2))


def pool_second_gradient(f):
    same_shape(f.shapes[0], f.shapes[2])


def bias(f):
    dims, bias = f.shapes
    last = _channels_last(f)
    rank_at_least(dims, 2 if last else 3)
    rank(bias, 1)
    if dims is not None and bias is not None:
        equal(dims[-1 if last else 1], bias[0])


def batch_norm(f):
    dims, *others = f.shapes
    rank(dims, len(f.attrs.get("data_format", "NHWC")))
    if dims is None:
        return
    depth = dims[-1 if _channels_last(f) else 1]
    for other in others[: 2 if f.attrs.get("is_training", True) else 4]:
        rank(other, 1)
        if other is not None:
            equal(depth, other[0])


def batch_norm_gradient(f):
    dy, dx, *others = f.shapes[:5]
    for dims in (dy, dx):
        rank(dims, len(f.attrs.get("data_format", "NHWC")))
    for dims in others:
        rank(dims, 1)
    channel = -1 if _channels_last(f) else 1
    depths = [dims[channel] for dims in (dy, dx) if dims is not None] + [d[0] for d in others if d is not None]
    for depth in depths[1:]:
        equal(depths[0], depth)


def dilation(f):
    _in_32_bits(f, "strides", "rates")
    rank(f.shapes[0], 4)
    rank(f.shapes[1], 3)
    if None not in f.shapes:
        equal(f.shapes[0][3], f.shapes[1][2])
