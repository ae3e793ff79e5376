"""Convolutions that consist mostly of padding.

A padding is two numbers, however large; a kernel that really pads the image would need memory for all of it. A stride
or a dilation of a million, or explicit paddings, can request that. But outputs whose whole window is in the padding are
zero, and taps of the filter that only meet padding add nothing. `trim` removes both: what remains is a convolution of
the same image by fewer taps to fewer outputs, with less padding; a negative padding crops pixels that no window reads.
"""

from __future__ import annotations

from typing import NamedTuple

from reflow.ops.xp.windows import window_of


class Axis(NamedTuple):
    """What remains of one axis: `outputs` and `taps`, each (first, one past the last), and the padding for these."""

    outputs: tuple[int, int]
    taps: tuple[int, int]
    padding: tuple[int, int]


def trimmed_axis(n, k, out, s, d, before) -> Axis:
    """Of n pixels with `before` zeros before them, k taps and `out` outputs, those that meet each other.

    >>> # the middle one of three outputs sees the image, which it does with all taps
    >>> trimmed_axis(4, 3, 3, 1000, 1, 1000)
    Axis(outputs=(1, 2), taps=(0, 3), padding=(0, -1))
    """
    first = max(0, -(((k - 1) * d - before) // s))
    last = min(out, (n - 1 + before) // s + 1)
    if first >= last:
        return Axis((0, 0), (0, 0), (0, 0))
    low = max(0, -(((last - 1) * s - before) // d))
    high = min(k, (n - 1 + before - first * s) // d + 1)
    if low >= high:
        return Axis((0, 0), (0, 0), (0, 0))
    start = before - first * s - low * d
    return Axis((first, last), (low, high), (start, (last - first - 1) * s + (high - low - 1) * d + 1 - n - start))


class Trim:
    """A convolution whose padding is worth leaving out.

    Carries operands and results between all of it and what remains.
    """

    def __init__(self, axes: list[Axis], filter_dims, out_dims):
        self.axes, self.filter_dims, self.out_dims = axes, tuple(filter_dims), tuple(out_dims)
        self.padding = tuple(axis.padding for axis in axes)
        self.few_taps = (*[axis.taps[1] - axis.taps[0] for axis in axes], *self.filter_dims[-2:])
        self.empty = any(axis.outputs[0] == axis.outputs[1] for axis in axes)

    def taps(self, xp, w):
        """The taps that remain, of a filter [*window, in, out]."""
        return xp.slice(w, (*[axis.taps[0] for axis in self.axes], 0, 0), self.few_taps)

    def outputs(self, xp, g):
        """The outputs that remain, of an array like the result, [batch, *space, channels]."""
        starts = [axis.outputs[0] for axis in self.axes]
        sizes = [axis.outputs[1] - axis.outputs[0] for axis in self.axes]
        return xp.slice(g, (0, *starts, 0), (g.shape[0], *sizes, g.shape[-1]))

    def with_all_outputs(self, xp, y):
        """A result with zeros for those that were left out."""
        rest = [(a.outputs[0], n - a.outputs[1]) for a, n in zip(self.axes, self.out_dims[1:-1], strict=True)]
        return xp.pad(y, ((0, 0), *rest, (0, 0)), xp.const(0, y))

    def with_all_taps(self, xp, w):
        """A filter's gradient with zeros for those that were left out."""
        rest = [(a.taps[0], k - a.taps[1]) for a, k in zip(self.axes, self.filter_dims[:-2], strict=True)]
        return xp.pad(w, (*rest, (0, 0), (0, 0)), xp.const(0, w))


def trim(image_dims, filter_dims, strides, dilations, padding) -> Trim | None:
    """What to remove from a convolution; None if its padding is not unusually large."""
    spatial, window = image_dims[1:-1], filter_dims[:-2]
    for n, k, (before, after) in zip(spatial, window, padding):
        if before + after > 4 * (n + k):
            break
    else:
        return None
    out = window_of(spatial, window, strides, padding, dilations).out
    axes = [
        trimmed_axis(n, k, size, s, d, before)
        for n, k, size, s, d, (before, _) in zip(spatial, window, out, strides, dilations, padding, strict=True)
    ]
    return Trim(axes, filter_dims, (image_dims[0], *out, filter_dims[-1]))
