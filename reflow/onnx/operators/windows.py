"""The windows of convolutions and poolings: kernel, strides, dilations and padding of each spatial axis."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import reflow as tf
from reflow.onnx.node import NeedsValue, Node, rank


class Windows(NamedTuple):
    """The geometry of one node; every field has an entry for each axis in space."""

    kernel: list[int]
    strides: list[int]
    dilations: list[int]
    pads: list[tuple[int, int]]

    @property
    def span(self) -> list[int]:
        """How many cells a window reaches over."""
        return [(k - 1) * d + 1 for k, d in zip(self.kernel, self.dilations)]

    @property
    def is_padded(self) -> bool:
        return any(a or b for a, b in self.pads)

    def lengths(self, space: list[int]) -> list[int]:
        """The number of windows on each axis."""
        return [
            (n + a + b - span) // stride + 1
            for n, (a, b), span, stride in zip(space, self.pads, self.span, self.strides)
        ]

    def starts(self, space: list[int]) -> list[np.ndarray]:
        """The first cell of each window on each axis; negative ones are in the padding."""
        return [np.arange(n) * s - a for n, s, (a, _) in zip(self.lengths(space), self.strides, self.pads)]

    def cells(self, space: list[int]) -> list[np.ndarray]:
        """[windows, kernel] for each axis: the cells of each window."""
        found = zip(self.starts(space), self.kernel, self.dilations)
        return [start[:, None] + np.arange(k)[None, :] * d for start, k, d in found]


def windows_of(node: Node, x: Any, kernel: list[int]) -> Windows:
    """The geometry that a node's attributes describe, for an input [batch, channels, *space]."""
    count = len(kernel)
    strides = node.get("strides") or [1] * count
    dilations = node.get("dilations") or [1] * count
    flat = node.get("pads") or [0] * 2 * count
    found = Windows(kernel, strides, dilations, list(zip(flat[:count], flat[count:])))
    automatic = node.get("auto_pad", "NOTSET")
    if automatic in ("SAME_UPPER", "SAME_LOWER"):
        found = found._replace(pads=_same(node, x, found, automatic))
    if node.get("ceil_mode", 0):
        found = found._replace(pads=_rounded_up(space_of(node, x), found))
    return found


def space_of(node: Node | str, x: Any) -> list[int]:
    """The lengths of the axes in space, which have to be known."""
    found = x.shape.as_list()[2:]
    if None in found:
        raise NeedsValue(
            f"{node}: the lengths of the axes in space must be known for this padding; the shape is {x.shape}."
        )
    return found


def _same(node: Node, x: Any, windows: Windows, how: str) -> list[tuple[int, int]]:
    """Padding so that there are as many windows as cells divided by the stride, rounded up."""
    pads = []
    for n, span, stride in zip(space_of(node, x), windows.span, windows.strides):
        total = max((-(-n // stride) - 1) * stride + span - n, 0)
        small, large = total // 2, total - total // 2
        pads.append((small, large) if how == "SAME_UPPER" else (large, small))
    return pads


def _rounded_up(space: list[int], windows: Windows) -> list[tuple[int, int]]:
    """More padding at the end, so that a partial window counts; not one that would begin in the padding."""
    pads = []
    for n, (a, b), span, stride in zip(space, windows.pads, windows.span, windows.strides):
        count = -(-(n + a + b - span) // stride) + 1
        count -= (count - 1) * stride >= n + a
        pads.append((a, max(b, (count - 1) * stride + span - n - a)))
    return pads


def pad_space(x: Any, pads: list[tuple[int, int]], fill: Any, first: int = 2) -> Any:
    """Padding around the axes in space, the first of which is `first`."""
    if not any(a or b for a, b in pads):
        return x
    before, after = [(0, 0)] * first, [(0, 0)] * (rank(x) - first - len(pads))
    return tf.pad(x, [*before, *pads, *after], constant_values=tf.constant(fill, x.dtype))


def patches(x: Any, windows: Windows, space: list[int], fill: Any) -> Any:
    """[batch, channels, *windows, *kernel]: the contents of each window, for windows that no kernel supports."""
    x = pad_space(x, windows.pads, fill)
    count = len(space)
    for axis, (cells, (before, _)) in enumerate(zip(windows.cells(space), windows.pads)):
        place = 2 + 2 * axis
        x = tf.gather(x, tf.constant(cells + before, tf.int32), axis=place)
    order = [0, 1, *range(2, 2 + 2 * count, 2), *range(3, 3 + 2 * count, 2)]
    return tf.transpose(x, order)
