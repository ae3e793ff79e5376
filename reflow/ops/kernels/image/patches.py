"""Patches of images and volumes: the pixels of every window concatenated in the channels, and the gradient of that."""

from __future__ import annotations

import itertools
import math

import numpy as np

from reflow.core.errors import OutOfRangeError
from reflow.ops import shape_rules as rules
from reflow.ops.dispatch import run
from reflow.ops.kernels.nn.windows import Layout, output_size, same_padding
from reflow.ops.registry import op, own_op

_LAYOUT = Layout("NHWC", 2)
_MOST_CHANNELS = 2**31 - 1  # of a result: TensorFlow counts them in 32 bits


def _numbers(name, values) -> tuple:
    """The numbers for height and width in an attribute."""
    if min(values) <= 0:
        raise OutOfRangeError(None, None, f"{name} is out of range.")
    return _LAYOUT.numbers(name, values)


def _patches_shape(f):
    dims = f.shapes[0]
    if dims is None:
        return [(None,) * 4]
    (kh, kw), (sh, sw), (rh, rw) = (_LAYOUT.numbers(name, f.attrs[name]) for name in ("ksizes", "strides", "rates"))
    padding = f.attrs["padding"]
    return [
        (
            dims[0],
            output_size(dims[1], kh, sh, rh, padding),
            output_size(dims[2], kw, sw, rw, padding),
            None if dims[3] is None else dims[3] * kh * kw,
        )
    ]


def _taps(height, width, ksizes, strides, rates, padding):
    """Paddings, and for each pixel of the window the slice of the padded image that it sees in all windows."""
    given = {"ksizes": ksizes, "strides": strides, "rates": rates}
    (kh, kw), (sh, sw), (rh, rw) = (_numbers(name, values) for name, values in given.items())
    rows, columns = output_size(height, kh, sh, rh, padding), output_size(width, kw, sw, rw, padding)
    pairs = ((0, 0), (0, 0))
    if padding == "SAME":
        pairs = (same_padding(height, kh, sh, rh), same_padding(width, kw, sw, rw))
    slices = []
    for i in range(kh):
        for j in range(kw):
            end = (i * rh + (rows - 1) * sh + 1, j * rw + (columns - 1) * sw + 1)
            slices.append(((i * rh, j * rw), end, (sh, sw)))
    return pairs, slices


def _window(attrs):
    return {name: attrs[name] for name in ("ksizes", "strides", "rates", "padding")}


def _patches_back(attrs, inputs, outputs, cts, wanted):
    types = {"T_output": cts[0]._dtype}
    return (run("Reflow>ExtractImagePatchesGrad", cts[0], inputs[0], **_window(attrs), **types),)


@op("ExtractImagePatches", fits="4", shape=_patches_shape, grad_tensors=_patches_back)
def extract_image_patches(xp, images, ksizes, strides, rates, padding):
    """Every window's pixels, concatenated in the channels."""
    batch, height, width, channels = images.shape
    if channels * math.prod(ksizes) > _MOST_CHANNELS:
        raise ValueError(f"Output size would overflow: windows {list(ksizes)} of images with {channels} channels.")
    pairs, slices = _taps(height, width, ksizes, strides, rates, padding)
    if padding == "SAME":
        images = xp.pad(images, ((0, 0), *pairs, (0, 0)), xp.const(0, images))
    taps = [
        xp.strided_slice(images, (0, *begin, 0), (batch, *end, channels), (1, *steps, 1))
        for begin, end, steps in slices
    ]
    return xp.concat(taps, 3)


def _patches_again(attrs, inputs, outputs, cts, wanted):
    return run("ExtractImagePatches", cts[0], **_window(attrs)), None


@own_op(
    "ExtractImagePatchesGrad", inputs="grads images", outputs="output", attrs=("ksizes", "strides", "rates", "padding"),
    shape=lambda f: [f.shapes[1]], grad_tensors=_patches_again, nondiff=("images",),
)
def extract_image_patches_grad(xp, grads, images, ksizes, strides, rates, padding, **types):
    """Each window's cotangents added where its pixels came from."""
    batch, height, width, channels = images.shape
    ((top, bottom), (left, right)), slices = _taps(height, width, ksizes, strides, rates, padding)
    full = (batch, height + top + bottom, width + left + right, channels)
    total = xp.zeros(full, grads.dtype)
    for piece, (begin, end, steps) in zip(xp.split(grads, [channels] * len(slices), 3), slices, strict=True):
        total = xp.add(
            total, xp.strided_slice_grad(piece, full, (0, *begin, 0), (batch, *end, channels), (1, *steps, 1))
        )
    return xp.slice(total, (0, top, left, 0), (batch, height, width, channels))


# --- volumes ----------------------------------------------------------------------------------------------------------

_VOLUMES = Layout("NDHWC", 3)


def _volume_window(attrs) -> tuple:
    return _VOLUMES.numbers("ksizes", attrs["ksizes"]), _VOLUMES.numbers("strides", attrs["strides"])


def _volumes_shape(f):
    dims = f.shapes[0]
    if dims is None:
        return [(None,) * 5]
    sizes, strides = _volume_window(f.attrs)
    out = [output_size(n, k, s, 1, f.attrs["padding"]) for n, k, s in zip(dims[1:4], sizes, strides, strict=True)]
    return [(dims[0], *out, None if dims[4] is None else dims[4] * math.prod(sizes))]


def _volume_taps(inner, ksizes, strides, padding):
    """Paddings, and for each element of the window the slice of the padded volume that it sees in all windows."""
    sizes, steps = _volume_window({"ksizes": ksizes, "strides": strides})
    counts = [output_size(n, k, s, 1, padding) for n, k, s in zip(inner, sizes, steps, strict=True)]
    pairs: tuple = ((0, 0),) * 3
    if padding == "SAME":
        pairs = tuple(same_padding(n, k, s, 1) for n, k, s in zip(inner, sizes, steps, strict=True))
    ends = lambda place: tuple(p + (n - 1) * s + 1 for p, n, s in zip(place, counts, steps, strict=True))
    return pairs, [(place, ends(place), steps) for place in itertools.product(*map(range, sizes))]


def _volumes_back(attrs, inputs, outputs, cts, wanted):
    window = {name: attrs[name] for name in ("ksizes", "strides", "padding")}
    return (run("Reflow>ExtractVolumePatchesGrad", cts[0], inputs[0], **window, T_output=cts[0]._dtype),)


@op("ExtractVolumePatches", fits="5", shape=_volumes_shape, grad_tensors=_volumes_back)
def extract_volume_patches(xp, input, ksizes, strides, padding):
    """Every window's elements, concatenated in the channels."""
    if input.ndim != 5:
        raise ValueError(f"input must be 5-dimensional{rules.text(input.shape)}")
    if math.prod(ksizes) > _MANY_TAPS:
        return _gathered_volumes(xp, input, ksizes, strides, padding)
    pairs, slices = _volume_taps(input.shape[1:4], ksizes, strides, padding)
    if padding == "SAME":
        input = xp.pad(input, ((0, 0), *pairs, (0, 0)), xp.const(0, input))
    batch, channels = input.shape[0], input.shape[4]
    return xp.concat([xp.strided_slice(input, (0, *a, 0), (batch, *b, channels), (1, *s, 1)) for a, b, s in slices], 4)


_MANY_TAPS = 1000  # elements of a window for which a slice each takes longer than to gather them


def _gathered_volumes(xp, input, ksizes, strides, padding):
    """The same by three lookups, one for each axis."""
    sizes, steps = _volume_window({"ksizes": ksizes, "strides": strides})
    inner, counts = input.shape[1:4], []
    for axis, (n, k, s) in enumerate(zip(inner, sizes, steps, strict=True), 1):
        pair = same_padding(n, k, s, 1) if padding == "SAME" else (0, 0)
        input = xp.pad(input, tuple(pair if i == axis else (0, 0) for i in range(5)), xp.const(0, input))
        counts.append(output_size(n, k, s, 1, padding))
        input = xp.take(input, (np.arange(counts[-1])[:, None] * s + np.arange(k)).reshape(-1), axis)
    (a, b, c), (d, e, f), (batch, *_, channels) = counts, sizes, input.shape
    windows = xp.transpose(xp.reshape(input, (batch, a, d, b, e, c, f, channels)), (0, 1, 3, 5, 2, 4, 6, 7))
    return xp.reshape(windows, (batch, a, b, c, d * e * f * channels))


def _volumes_again(attrs, inputs, outputs, cts, wanted):
    window = {name: attrs[name] for name in ("ksizes", "strides", "padding")}
    return run("ExtractVolumePatches", cts[0], **window), None


@own_op(
    "ExtractVolumePatchesGrad", inputs="grads volumes", outputs="output", attrs=("ksizes", "strides", "padding"),
    shape=lambda f: [f.shapes[1]], grad_tensors=_volumes_again, nondiff=("volumes",),
)
def extract_volume_patches_grad(xp, grads, volumes, ksizes, strides, padding, **types):
    """Each window's cotangents added where its elements came from."""
    dims, (batch, channels) = volumes.shape, (volumes.shape[0], volumes.shape[4])
    pairs, slices = _volume_taps(dims[1:4], ksizes, strides, padding)
    full = (batch, *(n + a + b for n, (a, b) in zip(dims[1:4], pairs, strict=True)), channels)
    total = xp.zeros(full, grads.dtype)
    for piece, (a, b, s) in zip(xp.split(grads, [channels] * len(slices), 4), slices, strict=True):
        total = xp.add(total, xp.strided_slice_grad(piece, full, (0, *a, 0), (batch, *b, channels), (1, *s, 1)))
    return xp.slice(total, (0, *(pair[0] for pair in pairs), 0), dims)
