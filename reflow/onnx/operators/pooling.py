"""Poolings."""

from __future__ import annotations

from typing import Any

import numpy as np

import reflow as tf
from reflow.onnx.node import Node, channels_first, channels_last, dim, joined, rank, scalar
from reflow.onnx.operators.windows import Windows, pad_space, patches, space_of, windows_of
from reflow.onnx.table import operator


def _axes(windows: Windows) -> list[int]:
    """The axes of `patches` that are a window's own."""
    count = len(windows.kernel)
    return list(range(2 + count, 2 + 2 * count))


def _pooled(x: Any, windows: Windows, kind: str) -> Any:
    """Pooling without padding by our own kernels; more axes in space than two are taken as they come."""
    flat = len(windows.kernel) == 1
    images = tf.expand_dims(x, 2) if flat else x
    kernel, strides = ([1, *windows.kernel], [1, *windows.strides]) if flat else (windows.kernel, windows.strides)
    y = channels_first(tf.nn.pool(channels_last(images), kernel, kind, strides, "VALID"))
    return tf.squeeze(y, 2) if flat else y


def _lowest(x: Any) -> Any:
    return -np.inf if x.dtype.is_floating else x.dtype.min


@operator("MaxPool")
def max_pool(node: Node, x: Any) -> Any:
    windows = windows_of(node, x, node.get("kernel_shape"))
    if node.wants(1):
        return _max_with_places(node, x, windows)
    if x.dtype.is_integer:  # 8 bits, which float32 holds exactly
        return tf.cast(maxima(tf.cast(x, tf.float32), windows), x.dtype)
    return maxima(x, windows)


def maxima(x: Any, windows: Windows) -> Any:
    """The largest number of each window."""
    if any(d > 1 for d in windows.dilations) or len(windows.kernel) > 3:
        return tf.reduce_max(patches(x, windows, space_of("max pooling", x), _lowest(x)), _axes(windows))
    return _pooled(pad_space(x, windows.pads, _lowest(x)), windows, "MAX")


def _max_with_places(node: Node, x: Any, windows: Windows) -> tuple[Any, Any]:
    """The maxima, and where in the flat input each stands."""
    space = space_of(node, x)
    lengths = windows.lengths(space)
    seen = patches(x, windows, space, _lowest(x))
    taps = int(np.prod(windows.kernel))
    seen = tf.reshape(seen, joined([dim(x, 0), dim(x, 1), *lengths, taps]))
    best = tf.argmax(seen, -1)
    places = np.zeros((1, 1), np.int64)  # [windows, taps]
    order = node.get("storage_order", 0)
    for axis in reversed(range(len(space))) if order else range(len(space)):
        cells = windows.cells(space)[axis]
        if order:  # the first axis runs fastest, so windows and taps are put in front
            w, k = places.shape
            places = (
                places[None, :, None, :] * space[axis] + cells[:, None, :, None]
            ).reshape(w * cells.shape[0], k * cells.shape[1])
        else:
            w, k = places.shape
            places = (
                places[:, None, :, None] * space[axis] + cells[None, :, None, :]
            ).reshape(w * cells.shape[0], k * cells.shape[1])
    table = tf.reshape(tf.constant(places), [*lengths, taps])
    inside = tf.reduce_sum(tf.one_hot(best, taps, dtype=tf.int64) * table, -1)
    image = int(np.prod(space))
    number = tf.range(tf.cast(dim(x, 0), tf.int64) * dim(x, 1)) * image
    offset = tf.reshape(number, joined([dim(x, 0), dim(x, 1), *[1] * len(space)]))
    return tf.reduce_max(seen, -1), inside + offset


@operator("AveragePool")
def average_pool(node: Node, x: Any) -> Any:
    """Padding cells count if `count_include_pad`; those beyond it, where the last window is cut off, never do."""
    windows = windows_of(node, x, node.get("kernel_shape"))
    flat = node.get("pads") or [0] * 2 * len(windows.kernel)
    given = (
        list(zip(flat[: len(flat) // 2], flat[len(flat) // 2 :])) if node.get("auto_pad", "NOTSET") == "NOTSET"
        else windows.pads
    )
    return averages(x, windows, bool(node.get("count_include_pad", 0)), given)


def averages(x: Any, windows: Windows, include_pads: bool, given: list[tuple[int, int]] | None = None) -> Any:
    """The mean of each window; `given` is the padding that may count."""
    if any(d > 1 for d in windows.dilations):
        total = tf.reduce_sum(patches(x, windows, space_of("average pooling", x), 0), _axes(windows))
    elif not windows.is_padded:
        return _pooled(x, windows, "AVG")
    else:
        total = _pooled(pad_space(x, windows.pads, 0), windows, "AVG") * scalar(int(np.prod(windows.kernel)), x)
    counts = np.ones(())
    space = space_of("average pooling", x)
    for cells, n, (before, after) in zip(windows.cells(space), space, given or windows.pads):
        low, high = (-before, n + after) if include_pads else (0, n)
        counts = np.multiply.outer(counts, np.sum((cells >= low) & (cells < high), 1))
    return total / tf.constant(counts, x.dtype)


@operator("LpPool")
def lp_pool(node: Node, x: Any) -> Any:
    windows = windows_of(node, x, node.get("kernel_shape"))
    p = scalar(node.get("p", 2), x)
    powers = tf.pow(tf.abs(patches(x, windows, space_of(node, x), 0)), p)
    return tf.pow(tf.reduce_sum(powers, _axes(windows)), scalar(1, x) / p)


def _space(x: Any) -> list[int]:
    return list(range(2, rank(x)))


@operator("GlobalAveragePool")
def global_average_pool(node: Node, x: Any) -> Any:
    return tf.reduce_mean(x, _space(x), keepdims=True)


@operator("GlobalMaxPool")
def global_max_pool(node: Node, x: Any) -> Any:
    return tf.reduce_max(x, _space(x), keepdims=True)


@operator("GlobalLpPool")
def global_lp_pool(node: Node, x: Any) -> Any:
    p = scalar(node.get("p", 2), x)
    return tf.pow(tf.reduce_sum(tf.pow(tf.abs(x), p), _space(x), keepdims=True), scalar(1, x) / p)


@operator("MaxUnpool")
def max_unpool(node: Node, x: Any, places: Any, shape: Any = None) -> Any:
    """Each maximum back to its place; zeros elsewhere. The places are those in the image that the windows cover."""
    kernel = node.get("kernel_shape")
    count = len(kernel)
    strides, flat = node.get("strides") or [1] * count, node.get("pads") or [0] * 2 * count
    space = [
        (n - 1) * s + k - flat[i] - flat[i + count]
        for i, (n, s, k) in enumerate(zip(space_of(node, x), strides, kernel))
    ]
    lengths = [int(n) for n in x.shape.as_list()[:2]] + space
    total = int(np.prod(lengths))
    full = tf.reshape(tf.scatter_nd(tf.reshape(places, [-1, 1]), tf.reshape(x, [-1]), [total]), lengths)
    if shape is None:
        return full
    wanted = [int(n) for n in node.value(shape, "output_shape")]
    return tf.pad(full, [[0, max(w - n, 0)] for w, n in zip(wanted, lengths)])[tuple(slice(0, w) for w in wanted)]
