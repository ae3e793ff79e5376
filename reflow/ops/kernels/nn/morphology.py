"""Grayscale dilation, a "convolution" with sums for products and a maximum for the sum, and its two gradients.

As in max pooling, the cotangent of a maximum goes to the first one in its window, in row-major order. Positions outside
the image are excluded.
"""

from __future__ import annotations

import numpy as np

from reflow.ops import shape_rules as rules
from reflow.ops.dispatch import run
from reflow.ops.kernels.nn import trace_checks as traced
from reflow.ops.kernels.nn.windows import Layout, output_size, rank_of, same_padding
from reflow.ops.registry import NO_GRADIENT, op
from reflow.ops.xp.dtype_facts import extremes

_LAYOUT = Layout("NHWC", 2)


class _Taps:
    """The places of the filter.

    At each, some of the windows see a pixel of the image: an interval of them on each axis.
    """

    def __init__(self, dims, filter_dims, strides, rates, padding):
        self.strides, self.rates = _LAYOUT.numbers("strides", strides), _LAYOUT.numbers("rates", rates)
        window = tuple(filter_dims[:2])
        spatial = list(zip(dims[1:3], window, self.strides, self.rates, strict=True))
        self.pairs = tuple(same_padding(*axis) if padding == "SAME" else (0, 0) for axis in spatial)
        self.sizes = [output_size(*axis, padding) for axis in spatial]
        if dims[3] != filter_dims[2]:
            raise ValueError(f"input and filter must have the same depth: {dims[3]} vs {filter_dims[2]}")
        self.places = [(i, j) for i in range(window[0]) for j in range(window[1])]
        self.dims = tuple(dims)

    def seen(self, place) -> list:
        """For each axis (first window, one past the last window, first pixel) of what is seen at this place."""
        out = []
        for p, n, size, s, r, (before, _) in zip(
            place, self.dims[1:3], self.sizes, self.strides, self.rates, self.pairs
        ):
            shift = before - p * r
            first, last = max(0, -(-shift // s)), min(size, (n - 1 + shift) // s + 1)
            out.append((first, max(first, last), first * s - shift))
        return out

    def slice(self, seen):
        """The pixels inside the window."""
        begin = [at for _, _, at in seen]
        end = [at + (last - first - 1) * s + 1 for (first, last, at), s in zip(seen, self.strides, strict=True)]
        return (0, *begin, 0), (self.dims[0], *end, self.dims[3]), (1, *self.strides, 1)

    def sums(self, xp, image, weights):
        """Pixel plus weight at each position, for every window; the lowest number outside the image."""
        lowest = xp.asarray(extremes(np.dtype(image.dtype))[0], np.dtype(image.dtype))
        out = []
        for i, j in self.places:
            seen = self.seen((i, j))
            if any(first == last for first, last, _ in seen):
                out.append(xp.full((self.dims[0], *self.sizes, self.dims[3]), lowest, np.dtype(image.dtype)))
                continue
            weight = xp.reshape(xp.slice(weights, (i, j, 0), (1, 1, self.dims[3])), (1, 1, 1, self.dims[3]))
            total = xp.add(xp.strided_slice(image, *self.slice(seen)), weight)
            rest = [(first, size - last) for (first, last, _), size in zip(seen, self.sizes, strict=True)]
            out.append(xp.pad(total, ((0, 0), *rest, (0, 0)), lowest) if any(map(any, rest)) else total)
        return out

    def shares(self, xp, image, weights, g):
        """The part of the cotangent that each place of the filter gets: a list of arrays of the output's shape."""
        sums = self.sums(xp, image, weights)
        best, free, zero, out = _largest(xp, sums), None, xp.const(0, g), []
        for total in sums:
            hit = xp.equal(total, best)
            if free is not None:
                hit = xp.logical_and(hit, free)
            free = xp.logical_not(hit) if free is None else xp.logical_and(free, xp.logical_not(hit))
            out.append(xp.select(hit, g, zero))
        return out


def _largest(xp, arrays):
    best = arrays[0]
    for a in arrays[1:]:
        best = xp.maximum(best, a)
    return best


def _shape(f):
    dims, window = rank_of(f, 0, 2), f.shapes[1]
    if window is not None and len(window) != 3:
        raise ValueError(f"Shape must be rank 3 but is rank {len(window)}: {rules.text(window)}")
    window = window or (None, None, None)
    strides, rates = (_LAYOUT.numbers(name, f.attrs[name]) for name in ("strides", "rates"))
    padding = f.attrs["padding"]
    sizes = [output_size(*axis, padding) for axis in zip(dims[1:3], window[:2], strides, rates, strict=True)]
    return [(dims[0], *sizes, dims[3] if dims[3] is not None else window[2])]


def _grad(attrs, inputs, outputs, cotangents, wanted):
    own = {k: attrs[k] for k in ("strides", "rates", "padding")}
    return [
        run(name, *inputs, cotangents[0], **own) if w else None
        for name, w in zip(("Dilation2DBackpropInput", "Dilation2DBackpropFilter"), wanted, strict=True)
    ]


def _on_arrays(xp, attrs, inputs, outputs, cts, wanted):
    own = {k: attrs[k] for k in ("strides", "rates", "padding")}
    image, filter = inputs
    return tuple(
        kernel(xp, image, filter, cts[0], **own) if w else None
        for kernel, w in zip((_of_input, _of_filter), wanted, strict=True)
    )


@op("Dilation2D", shape=_shape, grad=_on_arrays, grad_tensors=_grad, trace_check=traced.dilation)
def dilation_2d(xp, input, filter, strides, rates, padding):
    taps = _Taps(input.shape, filter.shape, strides, rates, padding)
    return _largest(xp, taps.sums(xp, input, filter))


def _of_input(xp, input, filter, out_backprop, strides, rates, padding):
    taps = _Taps(input.shape, filter.shape, strides, rates, padding)
    total = xp.zeros(taps.dims, np.dtype(out_backprop.dtype))
    for place, part in zip(taps.places, taps.shares(xp, input, filter, out_backprop), strict=True):
        seen = taps.seen(place)
        if any(first == last for first, last, _ in seen):
            continue
        (top, bottom, _), (left, right, _) = seen
        part = xp.slice(part, (0, top, left, 0), (taps.dims[0], bottom - top, right - left, taps.dims[3]))
        total = xp.add(total, xp.strided_slice_grad(part, taps.dims, *taps.slice(seen)))
    return total


def _of_filter(xp, input, filter, out_backprop, strides, rates, padding):
    taps = _Taps(input.shape, filter.shape, strides, rates, padding)
    sums = [xp.sum(part, (0, 1, 2)) for part in taps.shares(xp, input, filter, out_backprop)]
    return xp.reshape(xp.stack(sums, 0), tuple(filter.shape))


op("Dilation2DBackpropInput", shape=lambda f: [f.shapes[0]], grad=NO_GRADIENT)(_of_input)
op("Dilation2DBackpropFilter", shape=lambda f: [f.shapes[1]], grad=NO_GRADIENT)(_of_filter)
