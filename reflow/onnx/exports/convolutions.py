"""Convolutions, their transpositions, and pooling."""

from __future__ import annotations

from typing import Any

import reflow as tf
from reflow.graph.graph import Node
from reflow.onnx.export_table import Unexportable, exports
from reflow.onnx.exports.layouts import first, is_first, last, spatial
from reflow.onnx.writer import Scope, Value


def _layout(node: Node) -> str:
    return node.attrs.get("data_format") or ("NDHWC" if "3D" in node.type else "NHWC")


def _per_axis(node: Node, name: str, layout: str, rank: int) -> list[int]:
    """A list attribute's numbers for the axes of space; ones if it is left out."""
    given = list(node.attrs.get(name) or [1] * rank)
    return [int(n) for n in spatial(given, layout)]


def _padding(
    node: Node, layout: str, kernel: list[int], strides: list[int], dilations: list[int], sizes: list[int | None]
) -> dict[str, Any]:
    """ONNX' attributes for a padding, as numbers where they do not depend on an open length."""
    kind = node.attrs["padding"]
    if kind == "VALID":
        return {}
    if kind == "EXPLICIT":
        pairs = node.attrs["explicit_paddings"]
        wanted = spatial([tuple(pairs[i : i + 2]) for i in range(0, len(pairs), 2)], layout)
        return {"pads": [int(p[0]) for p in wanted] + [int(p[1]) for p in wanted]}
    totals = []
    for k, step, dilation, size in zip(kernel, strides, dilations, sizes):
        reach = (k - 1) * dilation + 1
        if step == 1:
            totals.append(reach - 1)
        elif size is None:
            return {"auto_pad": "SAME_UPPER"}
        else:
            totals.append(max((-(-size // step) - 1) * step + reach - size, 0))
    return {"pads": [t // 2 for t in totals] + [t - t // 2 for t in totals]}


def _sizes(x: Value, layout: str) -> list[int | None]:
    return spatial(list(x.dims or ()), layout)


@exports("Conv2D", "Conv3D")
def convolution(s: Scope, node: Node, x: Value, kernel: Value) -> Value:
    layout, rank = _layout(node), kernel.rank
    if kernel.dims is None or None in kernel.dims:
        raise Unexportable("the shape of the kernel is not known")
    lengths = [int(n) for n in kernel.dims[:-2] if n is not None]
    strides, dilations = _per_axis(node, "strides", layout, rank), _per_axis(node, "dilations", layout, rank)
    channels = (x.dims or (None,) * rank)[1 if is_first(layout) else -1]
    groups = 1 if channels is None else channels // (kernel.dims[-2] or 1)
    pads = _padding(node, layout, lengths, strides, dilations, _sizes(x, layout))
    weights = s.transpose(kernel, [rank - 1, rank - 2, *range(rank - 2)])
    y = s.op(
        "Conv", first(s, x, layout), weights, strides=strides, dilations=dilations, group=groups, kernel_shape=lengths,
        **pads,
    )
    return last(s, y, layout, rank)


@exports("DepthwiseConv2dNative")
def depthwise(s: Scope, node: Node, x: Value, kernel: Value) -> Value:
    """A convolution with a group for each channel; the results of a channel stand side by side."""
    layout = _layout(node)
    height, width, channels, _ = (int(n) for n in _known_dims(kernel))
    strides, dilations = _per_axis(node, "strides", layout, 4), _per_axis(node, "dilations", layout, 4)
    pads = _padding(node, layout, [height, width], strides, dilations, _sizes(x, layout))
    weights = s.reshape(s.transpose(kernel, [2, 3, 0, 1]), [-1, 1, height, width])
    y = s.op(
        "Conv", first(s, x, layout), weights, strides=strides, dilations=dilations, group=channels,
        kernel_shape=[height, width], **pads,
    )
    return last(s, y, layout, 4)


def _known_dims(value: Value) -> list[int]:
    if value.dims is None or None in value.dims:
        raise Unexportable("the shape of the kernel is not known")
    return [n for n in value.dims if n is not None]


@exports("Conv2DBackpropInput", "Conv3DBackpropInputV2")
def transposed(s: Scope, node: Node, sizes: Value, kernel: Value, x: Value) -> Value:
    """The convolution that made images of `sizes` smaller, backwards. If these are open they are what Keras asks for:
    the lengths times the strides, or as much as the kernel reaches."""
    layout, rank = _layout(node), kernel.rank
    lengths = _known_dims(kernel)[:-2]
    strides, dilations = _per_axis(node, "strides", layout, rank), _per_axis(node, "dilations", layout, rank)
    made = spatial(list(node.outputs[0]._dims or (None,) * rank), layout)
    pads, extra = [], []
    for i, (k, step, dilation, have, want) in enumerate(zip(lengths, strides, dilations, _sizes(x, layout), made)):
        reach = (k - 1) * dilation + 1
        if node.attrs["padding"] == "EXPLICIT":
            total = sum(spatial(list(_pairs(node)), layout)[i])
        elif node.attrs["padding"] == "VALID":
            total = 0
        elif have is None or want is None:
            total = max(reach - step, 0)
        else:
            total = max((have - 1) * step + reach - want, 0)
        before = spatial(list(_pairs(node)), layout)[i][0] if node.attrs["padding"] == "EXPLICIT" else total // 2
        pads.append((before, total - before))
        extra.append(
            max(step - reach, 0) if have is None or want is None else want - ((have - 1) * step + reach - total)
        )
    channels = (x.dims or (None,) * rank)[1 if is_first(layout) else -1]
    groups = 1 if channels is None else max(channels // _known_dims(kernel)[-1], 1)
    weights = s.transpose(kernel, [rank - 1, rank - 2, *range(rank - 2)])
    y = s.op(
        "ConvTranspose", first(s, x, layout), weights, strides=strides, dilations=dilations, group=groups,
        kernel_shape=lengths, pads=[b for b, _ in pads] + [e for _, e in pads], output_padding=extra,
    )
    return last(s, y, layout, rank)


def _pairs(node: Node) -> list[tuple[int, int]]:
    numbers = [int(n) for n in node.attrs["explicit_paddings"]]
    return [(numbers[i], numbers[i + 1]) for i in range(0, len(numbers), 2)]


@exports("MaxPool", "MaxPool3D", "AvgPool", "AvgPool3D", "MaxPoolV2")
def pooling(s: Scope, node: Node, x: Value, size: Value | None = None, steps: Value | None = None) -> Value:
    layout = _layout(node)
    window = _per_axis(node, "ksize", layout, x.rank) if size is None else spatial(size.ints(), layout)
    strides = _per_axis(node, "strides", layout, x.rank) if steps is None else spatial(steps.ints(), layout)
    whole = node.attrs.get("ksize") if size is None else size.ints()
    if whole is not None and whole[1 if is_first(layout) else -1] != 1:
        raise Unexportable("it pools over channels")
    pads = _padding(node, layout, window, strides, [1] * len(window), _sizes(x, layout))
    operator = "MaxPool" if node.type.startswith("Max") else "AveragePool"
    y = s.op(operator, first(s, x, layout), kernel_shape=window, strides=strides, **pads)
    return last(s, y, layout, x.rank)


@exports("DepthToSpace", "SpaceToDepth")
def blocks(s: Scope, node: Node, x: Value) -> Value:
    layout = node.attrs.get("data_format", "NHWC")
    y = s.op(node.type, first(s, x, layout), blocksize=int(node.attrs["block_size"]))
    return last(s, y, layout, 4)


@exports("ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic")
def resize(s: Scope, node: Node, x: Value, size: Value) -> Value:
    """ONNX' names for the ways in which TensorFlow counts pixels.

    With centres at a half the nearest pixel is the rounded place.
    """
    centred, corners = bool(node.attrs.get("half_pixel_centers", False)), bool(node.attrs.get("align_corners", False))
    extra: dict[str, Any] = {}
    if node.type == "ResizeNearestNeighbor":
        extra = {"mode": "nearest", "nearest_mode": "round_prefer_ceil" if centred or corners else "floor"}
    elif node.type == "ResizeBilinear":
        extra = {"mode": "linear"}
    else:
        extra = {"mode": "cubic", "cubic_coeff_a": -0.5 if centred else -0.75, "exclude_outside": int(centred)}
    ways = "half_pixel" if centred else "align_corners" if corners else "asymmetric"
    whole = s.op("Concat", s.op("Gather", s.shape(x), [0, 3], dtype=tf.int64), s.cast(size, tf.int64), axis=0)
    kind = x.dtype if node.type == "ResizeNearestNeighbor" else tf.float32
    y = s.op(
        "Resize", first(s, s.cast(x, kind), "NHWC"), None, None, whole, coordinate_transformation_mode=ways, **extra
    )
    return last(s, y, "NHWC", 4)
