"""Glimpses: windows of images at given positions, with noise outside the image. On the host, because of the noise."""

from __future__ import annotations

import numpy as np

from reflow.ops import shape_rules as rules
from reflow.ops.kernels.image.crops import no_gradient, refuse
from reflow.ops.registry import op


def glimpse_shape(f):
    images, size, offsets = f.shapes[0], f.values[1], f.shapes[2]
    batch, channels = (images[0], images[3]) if images is not None and len(images) == 4 else (None, None)
    if batch is None and offsets:
        batch = offsets[0]
    height, width = size if isinstance(size, tuple) else (None, None)
    return [(batch, height, width, channels)]


def corner(offset, sides, size, centered: bool, normalized: bool):
    """The first row and column of a window, cut off towards zero."""
    at = offset.astype(np.float32)
    sides, size = np.array(sides, np.float32), np.array(size, np.float32)
    if normalized:
        at = at * sides
        if centered:
            at = at / np.float32(2) + sides / np.float32(2) - size / np.float32(2)
    elif centered:
        at = at + sides / np.float32(2)
    return _whole(at)


def _whole(at):
    """Whole numbers; far outside of every image is far enough, and so is NaN."""
    return [int(v) for v in np.nan_to_num(np.clip(at, -(2.0**30), 2.0**30), nan=2.0**30)]


def corner_from_centre(offset, sides, size, centered: bool, normalized: bool):
    """The first row and column of a window in version 1 of the op, whose offsets are those of the window's centre."""
    at = offset.astype(np.float32)
    sides, size = np.array(sides, np.float32), np.array(size, np.float32)
    at = at * sides if normalized else at
    at = at / np.float32(2) + sides / np.float32(2) if centered else at
    return _whole(at - size / np.float32(2))


def _noise(random, kind: str, image, shape):
    """Numbers like those of the image: between its extremes, or normal with the moments of each channel, cut off at the
    channel's extremes."""
    if kind == "zero":
        return np.zeros(shape, np.float32)
    if kind == "uniform":
        return random.uniform(image.min(), image.max(), shape).astype(np.float32)
    low, high, mean, deviation = (f((0, 1)) for f in (image.min, image.max, image.mean, image.std))
    return np.clip(random.normal(mean, deviation, shape), low, high).astype(np.float32)


def _window(random, kind, image, top, left, shape):
    out = _noise(random, kind, image, shape)
    height, width = image.shape[:2]
    rows = slice(max(top, 0), min(top + shape[0], height))
    columns = slice(max(left, 0), min(left + shape[1], width))
    if rows.start < rows.stop and columns.start < columns.stop:
        target = out[rows.start - top : rows.stop - top, columns.start - left : columns.stop - left]
        target[...] = image[rows, columns]
    return out


@op(
    "ExtractGlimpseV2", fits="[n,_,_,_] [2] [n,2]", shape=glimpse_shape, static=("size",),
    grad=no_gradient("ExtractGlimpseV2"), host=True,
)
def extract_glimpse(_, input, size, offsets, centered=True, normalized=True, uniform_noise=True, noise="uniform"):
    return glimpses(input, size, offsets, centered, normalized, uniform_noise, noise, corner)


def glimpses(input, size, offsets, centered, normalized, uniform_noise, noise, corner):
    """The windows, where `corner` says what an offset means."""
    refuse(
        noise not in ("uniform", "gaussian", "zero"), f"The noise could only be uniform, gaussian, or zero, got{noise}"
    )
    refuse(uniform_noise and noise != "uniform", "The uniform_noise and noise could not be specified at the same time")
    refuse(input.ndim != 4, f"input must be 4-dimensional (batch_size, height, width, depth){rules.text(input.shape)}")
    refuse(size.shape != (2,), f"input must be a vector of size 2 (height, width){rules.text(size.shape)}")
    refuse(offsets.ndim != 2, f"input must be a matrix{rules.text(offsets.shape)}")
    refuse(offsets.shape[0] != len(input), f"first dimension should be batch{rules.text(offsets.shape)}")
    refuse(offsets.shape[1] != 2, f"second dimension should be of size 2 (y,x){rules.text(offsets.shape)}")
    height, width = (int(n) for n in size)
    refuse(min(height, width) < 0, f"Expected a non-negative size, got {min(height, width)}")
    random = np.random.default_rng()  # TensorFlow's noise does not obey its seeds either
    shape = (len(input), height, width, input.shape[3])
    out = np.empty(shape, np.float32)  # every element is written: all images in turn
    for image, offset, place in zip(input, offsets, out, strict=True):
        top, left = corner(offset, image.shape[:2], (height, width), centered, normalized)
        place[...] = _window(random, noise, image, top, left, place.shape)
    return out
