"""Color spaces: RGB to HSV and back. Channels are the last axis."""

from __future__ import annotations

from reflow.core.errors import FailedPreconditionError
from reflow.ops import trace_checks as traced
from reflow.ops.registry import NO_GRADIENT, op


def _colours_shape(f):
    return [f.shapes[0] and (*f.shapes[0][:-1], 3)]


def _channels(xp, images):
    if images.shape[-1] != 3:
        raise FailedPreconditionError(
            None, None, f"input must have 3 channels but input only has {images.shape[-1]} channels."
        )
    return xp.unstack(images, 3, -1)


def _rgb_to_hsv_grad(xp, attrs, inputs, outputs, cts, wanted):
    """Hue is (a - b) / (6 range) plus a constant, where a and b are the two channels below the largest; ties as in
    TensorFlow."""
    r, g, b = xp.unstack(inputs[0], 3, -1)
    hue, saturation, value = xp.unstack(cts[0], 3, -1)
    one = xp.const(1, r)

    def number(condition):
        return xp.cast(condition, r.dtype)

    def both(x, y):
        return number(xp.logical_and(x, y))

    largest = (
        both(xp.greater_equal(r, b), xp.greater_equal(r, g)),
        both(xp.greater(g, r), xp.greater_equal(g, b)),
        both(xp.greater(b, r), xp.greater(b, g)),
    )
    smallest = (
        both(xp.less(r, b), xp.less(r, g)),
        both(xp.less_equal(g, r), xp.less(g, b)),
        both(xp.less_equal(b, r), xp.less_equal(b, g)),
    )
    top, low = xp.maximum(xp.maximum(r, g), b), xp.minimum(xp.minimum(r, g), b)

    def reciprocal(x):
        some = xp.not_equal(x, xp.const(0, x))
        return xp.select(some, xp.divide(one, xp.select(some, x, one)), xp.const(0, x))

    per_top, per_range = reciprocal(top), reciprocal(xp.subtract(top, low))
    sixth = xp.multiply(per_range, xp.const(1 / 6, r))
    above = [xp.subtract(g, b), xp.subtract(b, r), xp.subtract(r, g)]
    ahead = xp.add(
        xp.add(*[xp.multiply(m, d) for m, d in zip(largest[:2], above[:2])]), xp.multiply(largest[2], above[2])
    )
    bend = xp.multiply(xp.multiply(ahead, sixth), per_range)
    bent = xp.multiply(hue, bend)
    to_top, to_low = xp.subtract(value, bent), bent
    richer = xp.multiply(saturation, xp.multiply(low, xp.multiply(per_top, per_top)))
    paler = xp.multiply(saturation, per_top)
    out = []
    for i, channel in enumerate((r, g, b)):
        # channel i counts for hue when the one before it is the largest, against when the one after it is
        turn = xp.multiply(xp.multiply(hue, sixth), xp.subtract(largest[(i + 2) % 3], largest[(i + 1) % 3]))
        shade = xp.subtract(xp.multiply(largest[i], richer), xp.multiply(smallest[i], paler))
        shade = xp.multiply(shade, number(xp.greater(channel, xp.const(0, channel))))
        level = xp.add(xp.multiply(largest[i], to_top), xp.multiply(smallest[i], to_low))
        out.append(xp.add(turn, xp.add(level, shade)))
    return (xp.stack(out, -1),)


@op("RGBToHSV", shape=_colours_shape, grad=_rgb_to_hsv_grad, needs=("images",), trace_check=traced.three_channels)
def rgb_to_hsv(xp, images):
    r, g, b = _channels(xp, images)
    zero, one = xp.const(0, r), xp.const(1, r)
    value = xp.maximum(xp.maximum(r, g), b)
    reach = xp.subtract(value, xp.minimum(xp.minimum(r, g), b))
    some, light = xp.greater(reach, zero), xp.greater(value, zero)
    saturation = xp.select(light, xp.divide(reach, xp.select(light, value, one)), zero)
    norm = xp.divide(one, xp.multiply(xp.const(6, r), xp.select(some, reach, one)))
    hue = xp.select(
        xp.equal(r, value),
        xp.multiply(norm, xp.subtract(g, b)),
        xp.select(
            xp.equal(g, value),
            xp.add(xp.multiply(norm, xp.subtract(b, r)), xp.const(2 / 6, r)),
            xp.add(xp.multiply(norm, xp.subtract(r, g)), xp.const(4 / 6, r)),
        ),
    )
    hue = xp.select(some, hue, zero)
    return xp.stack([xp.select(xp.less(hue, zero), xp.add(hue, one), hue), saturation, value], -1)


def hue_weights(xp, hue):
    """Red, green and blue of a hue, on a scale from the smallest channel (0) to the largest (1)."""
    one, two = xp.const(1, hue), xp.const(2, hue)
    sixths = xp.multiply(hue, xp.const(6, hue))

    def clipped(x):
        return xp.minimum(xp.maximum(x, xp.const(0, x)), one)

    return (
        clipped(xp.subtract(xp.abs(xp.subtract(sixths, xp.const(3, hue))), one)),
        clipped(xp.subtract(two, xp.abs(xp.subtract(sixths, two)))),
        clipped(xp.subtract(two, xp.abs(xp.subtract(sixths, xp.const(4, hue))))),
    )


@op("HSVToRGB", shape=_colours_shape, grad=NO_GRADIENT, trace_check=traced.three_channels)
def hsv_to_rgb(xp, images):
    h, s, v = _channels(xp, images)
    rest = xp.subtract(xp.const(1, h), s)
    return xp.stack([xp.multiply(xp.add(rest, xp.multiply(s, c)), v) for c in hue_weights(xp, h)], -1)
