"""Convolutions and normalizations."""

from __future__ import annotations

from typing import Any

import numpy as np

import reflow as tf
from reflow.core.tensor import EagerTensor
from reflow.onnx.node import Node, OnnxError, channels_first, channels_last, dim, joined, positive, rank, scalar
from reflow.onnx.operators.windows import Windows, pad_space, space_of, windows_of
from reflow.onnx.table import operator


def in_advance(function: Any, *tensors: Any) -> Any:
    """`function` of tensors; computed now if all of them are known.

    So weights are rearranged once, when a model is read.
    """
    if all(isinstance(t, EagerTensor) for t in tensors):
        with tf.init_scope():
            return function(*tensors)
    return function(*tensors)


@operator("Conv")
def conv(node: Node, x: Any, w: Any, bias: Any = None) -> Any:
    y = convolution(node, x, w, node.get("group", 1))
    return y if bias is None else y + _per_channel(bias, rank(y))


def _per_channel(t: Any, of_rank: int) -> Any:
    """A vector with an entry for each channel, to go with [batch, channels, *space]."""
    return in_advance(lambda v: tf.reshape(v, [-1] + [1] * (of_rank - 2)), t)


def convolution(node: Node, x: Any, w: Any, groups: int) -> Any:
    """[batch, channels, *space] with filters [out, in / groups, *window]. Our kernels want channels last: the
    transpositions around neighbouring convolutions cancel in the compiler."""
    if rank(x) == 3:
        y = convolution_2d(
            tf.expand_dims(x, 2), tf.expand_dims(w, 2), _flat_2d(windows_of(node, x, w.shape.as_list()[2:])), groups
        )
        return tf.squeeze(y, 2)
    windows = windows_of(node, x, w.shape.as_list()[2:])
    if rank(x) == 4:
        return convolution_2d(x, w, windows, groups)
    if rank(x) == 5:
        return convolution_3d(x, w, windows)
    raise OnnxError(f"{node}: convolutions have one to three axes in space; the input's shape is {x.shape}.")


def _flat_2d(windows: Windows) -> Windows:
    return Windows([1, *windows.kernel], [1, *windows.strides], [1, *windows.dilations], [(0, 0), *windows.pads])


def convolution_2d(x: Any, w: Any, windows: Windows, groups: int) -> Any:
    filters = in_advance(lambda t: tf.transpose(t, [2, 3, 1, 0]), w)
    pads = [[0, 0], *[list(p) for p in windows.pads], [0, 0]] if windows.is_padded else "VALID"
    images = channels_last(x)
    if groups > 1 and groups == x.shape[1] and windows.dilations == [1, 1] and windows.strides[0] == windows.strides[1]:
        filters = in_advance(lambda t: tf.reshape(t, [*windows.kernel, groups, -1]), filters)
        y = tf.nn.depthwise_conv2d(images, filters, [1, *windows.strides, 1], pads)
    else:
        y = tf.nn.conv2d(images, filters, windows.strides, pads, dilations=windows.dilations)
    return channels_first(y)


def convolution_3d(x: Any, w: Any, windows: Windows) -> Any:
    filters = in_advance(lambda t: tf.transpose(t, [2, 3, 4, 1, 0]), w)
    padded = pad_space(x, windows.pads, 0)
    return channels_first(tf.nn.conv3d(
        channels_last(padded), filters, [1, *windows.strides, 1], "VALID", dilations=[1, *windows.dilations, 1]
    ))


@operator("ConvTranspose")
def conv_transpose(node: Node, x: Any, w: Any, bias: Any = None) -> Any:
    """The gradient of a convolution: zeros between the cells, then a convolution with turned filters [in,
    out / groups, *window]."""
    kernel = w.shape.as_list()[2:]
    count = len(kernel)
    windows = Windows(
        kernel, node.get("strides") or [1] * count, node.get("dilations") or [1] * count, [(0, 0)] * count
    )
    extra = node.get("output_padding") or [0] * count
    windows = windows._replace(pads=_transposed_pads(node, x, windows.strides, windows.span, extra))
    y = transposed(x, w, windows, extra, node.get("group", 1))
    return y if bias is None else y + _per_channel(bias, rank(y))


def transposed(x: Any, w: Any, forward: Windows, extra: list[int], groups: int) -> Any:
    """The gradient of a convolution with the windows `forward`; `extra` cells at the end of each axis of the result."""
    kernel, count = forward.kernel, len(forward.kernel)
    around = [(s - 1 - a, s - 1 - b + e) for s, (a, b), e in zip(forward.span, forward.pads, extra)]
    spread = _spread(x, forward.strides)
    turned = in_advance(lambda t: _turned(t, groups), w)
    cut = [(max(-a, 0), max(-b, 0)) for a, b in around]
    windows = Windows(kernel, [1] * count, forward.dilations, [(max(a, 0), max(b, 0)) for a, b in around])
    if count == 1:
        y = tf.squeeze(
            convolution_2d(tf.expand_dims(spread, 2), tf.expand_dims(turned, 2), _flat_2d(windows), groups), 2
        )
    else:
        y = convolution_2d(spread, turned, windows, groups) if count == 2 else convolution_3d(spread, turned, windows)
    return y[(slice(None), slice(None), *(slice(a, -b or None) for a, b in cut))]


def _turned(w: Any, groups: int) -> Any:
    """[in, out / groups, *window] as filters [out, in / groups, *window] of a convolution, windows turned around."""
    space = list(range(2, rank(w)))
    w = tf.reverse(w, space)
    apart = tf.reshape(w, [groups, w.shape[0] // groups, *w.shape.as_list()[1:]])
    swapped = tf.transpose(apart, [0, 2, 1, *[i + 1 for i in space]])
    return tf.reshape(swapped, [groups * w.shape[1], w.shape[0] // groups, *w.shape.as_list()[2:]])


def _spread(x: Any, strides: list[int]) -> Any:
    """Zeros between the cells of each axis in space: `stride - 1` of them."""
    for i, stride in enumerate(strides):
        if stride > 1:
            axis = 2 + i
            wide = tf.pad(
                tf.expand_dims(x, axis + 1), [[0, 0]] * (axis + 1) + [[0, stride - 1]] + [[0, 0]] * (rank(x) - axis - 1)
            )
            lengths = [dim(x, j) for j in range(rank(x))]
            wide = tf.reshape(wide, joined([n * stride if j == axis else n for j, n in enumerate(lengths)]))
            x = wide[(slice(None),) * axis + (slice(0, 1 - stride),)]
    return x


def _transposed_pads(
    node: Node, x: Any, strides: list[int], spans: list[int], extra: list[int]
) -> list[tuple[int, int]]:
    """What is cut from both ends of each axis of the result."""
    count = len(strides)
    wanted, automatic = node.get("output_shape"), node.get("auto_pad", "NOTSET")
    if wanted is None and automatic in ("NOTSET", "VALID"):
        flat = node.get("pads") or [0] * 2 * count
        return list(zip(flat[:count], flat[count:]))
    pads = []
    for i, n in enumerate(space_of(node, x)):
        target = n * strides[i] if wanted is None else wanted[len(wanted) - count + i]
        total = strides[i] * (n - 1) + extra[i] + spans[i] - target
        small, large = total // 2, total - total // 2
        pads.append((small, large) if automatic == "SAME_UPPER" else (large, small))
    return pads


@operator("Col2Im")
def columns_to_image(node: Node, x: Any, shape: Any, block: Any) -> Any:
    """Blocks are added at their positions in the image: the inverse of extracting them."""
    image = [int(n) for n in node.value(shape, "image_shape")]
    kernel = [int(n) for n in node.value(block, "block_shape")]
    count = len(kernel)
    flat = node.get("pads") or [0] * 2 * count
    windows = Windows(
        kernel, node.get("strides") or [1] * count, node.get("dilations") or [1] * count,
        list(zip(flat[:count], flat[count:])),
    )
    padded = [n + a + b for n, (a, b) in zip(image, windows.pads)]
    cells = [c + a for c, (a, _) in zip(windows.cells(image), windows.pads)]
    places = np.zeros((1, 1), np.int64)  # [kernel cells, windows]
    for c, n in zip(cells, padded):
        k, w = places.shape
        places = (places[:, None, :, None] * n + c.T[None, :, None, :]).reshape(k * c.shape[1], w * c.shape[0])
    batch, taps = dim(x, 0), int(np.prod(kernel))
    channels = x.shape[1] // taps
    rows = tf.transpose(tf.reshape(x, joined([batch, channels, places.size])), [2, 0, 1])
    summed = tf.math.unsorted_segment_sum(rows, tf.constant(places.ravel()), int(np.prod(padded)))
    full = tf.reshape(tf.transpose(summed, [1, 2, 0]), joined([batch, channels, *padded]))
    return full[(slice(None), slice(None), *(slice(a, a + n) for n, (a, _) in zip(image, windows.pads)))]


# --- normalisations


@operator("BatchNormalization")
def batch_normalization(node: Node, x: Any, scale: Any, shift: Any, mean: Any, variance: Any) -> Any:
    """Of known statistics a product and a sum; with `training_mode` by the batch's, and the running ones moved."""
    epsilon = node.get("epsilon", 1e-5)
    if not node.get("training_mode", 0):
        factor = in_advance(lambda s, v: s / tf.sqrt(v + scalar(epsilon, v)), scale, variance)
        offset = in_advance(lambda b, m, f: b - m * f, shift, mean, factor)
        return x * tf.cast(_per_channel(factor, rank(x)), x.dtype) + tf.cast(_per_channel(offset, rank(x)), x.dtype)
    axes = [0, *range(2, rank(x))]
    batch_mean, batch_variance = tf.reduce_mean(x, axes), tf.math.reduce_variance(x, axes)
    m, v, offset, scale = (_per_channel(t, rank(x)) for t in (batch_mean, batch_variance, shift, scale))
    y = tf.nn.batch_normalization(x, m, v, offset, scale, epsilon)
    keep = scalar(node.get("momentum", 0.9), mean)
    one = scalar(1, mean)
    return y, mean * keep + batch_mean * (one - keep), variance * keep + batch_variance * (one - keep)


@operator("InstanceNormalization")
def instance_normalization(node: Node, x: Any, scale: Any, shift: Any) -> Any:
    axes = list(range(2, rank(x)))
    mean, variance = tf.nn.moments(x, axes, keepdims=True)
    return tf.nn.batch_normalization(
        x, mean, variance, _per_channel(shift, rank(x)), _per_channel(scale, rank(x)), node.get("epsilon", 1e-5)
    )


@operator("LayerNormalization")
def layer_normalization(node: Node, x: Any, scale: Any, shift: Any = None) -> Any:
    """Also returns the means and the inverse deviations, which are not computed if unused."""
    axes = list(range(positive(node.get("axis", -1), rank(x)), rank(x)))
    wide = tf.cast(x, tf.float32) if x.dtype.size < 4 else x
    mean = tf.reduce_mean(wide, axes, keepdims=True)
    centred = wide - mean
    inverse = tf.math.rsqrt(
        tf.reduce_mean(tf.square(centred), axes, keepdims=True) + scalar(node.get("epsilon", 1e-5), wide)
    )
    y = tf.cast(centred * inverse, x.dtype) * scale
    return (y if shift is None else y + shift), mean, inverse


@operator("LRN")
def local_response(node: Node, x: Any) -> Any:
    """Each channel divided by a sum over the channels around it."""
    size = node.get("size")
    before = (size - 1) // 2
    squares = tf.pad(tf.square(x), [[0, 0], [before, size - 1 - before]] + [[0, 0]] * (rank(x) - 2))
    channels = dim(x, 1)
    total = sum((squares[:, i : i + channels] for i in range(1, size)), start=squares[:, :channels])
    divisor = scalar(node.get("bias", 1.0), x) + scalar(node.get("alpha", 1e-4) / size, x) * total
    return x / tf.pow(divisor, scalar(node.get("beta", 0.75), x))
