"""Resizing images. Layout is always [batch, height, width, channels].

Resizing is separable. The output's size is known when the op runs, so the source rows and weights of each output row
are NumPy arrays, computed in float32 as in TensorFlow, and the image itself only goes through gathers and products:

- *taps*: for each output row a few source rows and their weights (nearest, bilinear, bicubic);
- *matrix*: a weight for each pair of output and source row (area, and the filters of `ScaleAndTranslate`).

Gradients are TensorFlow's ops `Resize…Grad`. They apply the transposed matrices, and their own gradient resizes again.
"""

from __future__ import annotations

import functools
import math

import numpy as np

from reflow.ops import require
from reflow.ops import shape_rules as rules
from reflow.ops.convert import constant
from reflow.ops.dispatch import run
from reflow.ops.kernels.image.taps import Taps
from reflow.ops.registry import NO_GRADIENT, op
from reflow.ops.result_memory import result_memory

F32 = np.dtype(np.float32)
_TABLE = 1024  # TensorFlow's bicubic weights come from a table of this many steps
_TINY = 1000.0 * float(np.finfo(np.float32).tiny)  # weights that sum to less are not normalised


def _resized_shape(f):
    images, size = f.shapes[0], f.values[1]
    if images is not None and len(images) != 4:
        raise ValueError(f"Shape must be rank 4 but is rank {len(images)}: {rules.text(images)}")
    batch, channels = (images[0], images[3]) if images is not None else (None, None)
    height, width = size if isinstance(size, tuple) else (None, None)
    return [(batch, height, width, channels)]


def _sizes(images, size):
    height, width = (int(n) for n in size.tolist())
    if height <= 0 or width <= 0:
        raise ValueError("output dimensions must be positive")
    if 0 in images.shape[1:3]:
        raise ValueError("input image must be of non-zero size")
    if images.shape[3] == 0:
        raise ValueError("image must have at least one channel")
    return height, width


def _scale(n_in, n_out, align_corners):
    return (
        np.float32((n_in - 1) / np.float32(n_out - 1))
        if align_corners and n_out > 1
        else np.float32(n_in / np.float32(n_out))
    )


def _one_way_to_count(align_corners, half_pixel_centers) -> None:
    if align_corners and half_pixel_centers:
        raise ValueError("If half_pixel_centers is True, align_corners must be False.")


def _positions(n_in, n_out, align_corners, half_pixel_centers):
    """The positions of the output's rows in the source, as float32."""
    at, scale = np.arange(n_out, dtype=np.float32), _scale(n_in, n_out, align_corners)
    return (at + np.float32(0.5)) * scale - np.float32(0.5) if half_pixel_centers else at * scale


def sides_of(x):
    """Height and width of a batch of images, as a tensor."""
    return run("StridedSlice", run("Shape", x), constant([1]), constant([3]), constant([1]))


def _options(attrs):
    return {name: bool(attrs.get(name)) for name in ("align_corners", "half_pixel_centers")}


def _nearest_back(attrs, inputs, outputs, cts, wanted):
    return run("ResizeNearestNeighborGrad", cts[0], sides_of(inputs[0]), **_options(attrs)), None


def _resize_back(name):
    def grad(attrs, inputs, outputs, cts, wanted):
        return run(name, cts[0], inputs[0], **_options(attrs)), None

    return grad


def _scale_back(attrs, inputs, outputs, cts, wanted):
    images, _, scale, translation = inputs
    options = {"kernel_type": attrs.get("kernel_type", "lanczos3"), "antialias": bool(attrs.get("antialias", True))}
    return run("ScaleAndTranslateGrad", cts[0], images, scale, translation, **options), None, None, None


def _nearest_rows(n_in, n_out, align_corners, half_pixel_centers):
    at = np.arange(n_out, dtype=np.float32) + np.float32(0.5 if half_pixel_centers else 0)
    at = at * _scale(n_in, n_out, align_corners)
    nearest = np.floor(at + np.float32(0.5)) if align_corners else np.floor(at)
    return np.clip(nearest, 0, n_in - 1).astype(np.int32)


@op(
    "ResizeNearestNeighbor", fits="4 [2]", shape=_resized_shape, static=("size",), grad_tensors=_nearest_back,
    needs=("images",),
)
def resize_nearest_neighbor(xp, images, size, align_corners=False, half_pixel_centers=False):
    _one_way_to_count(align_corners, half_pixel_centers)
    for axis, n_out in enumerate(_sizes(images, size), 1):
        images = xp.take(images, _nearest_rows(images.shape[axis], n_out, align_corners, half_pixel_centers), axis)
    return images


_LEAST = 1 << 14  # numbers in images from which on a call out of Python is worth it


@functools.lru_cache(64)  # 13 us: as much as the rest of a small picture takes
def _linear_taps(n_in, n_out, align_corners, half_pixel_centers) -> Taps:
    """The source rows between which the output's are interpolated. (The last of 2**24 is rounded to `n_in`.)"""
    at = _positions(n_in, n_out, align_corners, half_pixel_centers)
    lower = np.clip(np.floor(at), 0, n_in - 1).astype(np.int32)
    upper = np.minimum(np.ceil(at), n_in - 1).astype(np.int32)
    return Taps(lower, upper, at - np.floor(at))


@op(
    "ResizeBilinear", fits="4 [2]", shape=_resized_shape, static=("size",),
    grad_tensors=_resize_back("ResizeBilinearGrad"), needs=("images",), overlaps=True,
)
def resize_bilinear(xp, images, size, align_corners=False, half_pixel_centers=False):
    _one_way_to_count(align_corners, half_pixel_centers)
    return between_pixels(xp, images, size, align_corners, half_pixel_centers)


def between_pixels(xp, images, size, align_corners, half_pixel_centers):
    """Images resized with weights that fall off linearly; quantized ones may be counted both ways at once."""
    sizes = _sizes(images, size)
    taps = [_linear_taps(images.shape[i + 1], sizes[i], align_corners, half_pixel_centers) for i in (0, 1)]
    if isinstance(images, np.ndarray) and images.size >= _LEAST:
        from reflow import native  # not at the top: it imports JAX, which programs that compile nothing do without

        out = result_memory((len(images), *sizes, images.shape[-1]), F32)
        if native.resize_bilinear(images, taps[0].addresses + taps[1].addresses, out):
            return out
    images = xp.cast(images, F32)
    for axis in (2, 1):
        along = taps[axis - 1]
        first, second = (xp.take(images, rows, axis) for rows in (along.first, along.second))
        part = along.share.reshape((-1, 1) if axis == 2 else (-1, 1, 1))
        images = xp.add(first, xp.multiply(xp.subtract(second, first), part))
    return images


def _cubic_table(a):
    x = np.arange(_TABLE + 1, dtype=np.float32) * np.float32(1 / _TABLE)
    y = x + np.float32(1)
    inner = ((a + 2) * x.astype(np.float64) - (a + 3)) * x * x + 1
    outer = ((a * y.astype(np.float64) - 5 * a) * y + 8 * a) * y - 4 * a
    return inner.astype(np.float32), outer.astype(np.float32)


def _cubic_taps(n_in, n_out, align_corners, half_pixel_centers):
    """Four source rows and weights for each output row.

    With half pixel centers: Keys' kernel, nothing beyond the edge.
    """
    inner, outer = _cubic_table(-0.5 if half_pixel_centers else -0.75)
    at = _positions(n_in, n_out, align_corners, half_pixel_centers)
    base = np.floor(at)
    offset = np.rint((at - base) * np.float32(_TABLE)).astype(np.int64)
    rows = base.astype(np.int64) + np.arange(-1, 3)[:, None]
    weights = np.stack([outer[offset], inner[offset], inner[_TABLE - offset], outer[_TABLE - offset]])
    inside = np.clip(rows, 0, n_in - 1)
    if half_pixel_centers:
        weights = np.where(inside == rows, weights, np.float32(0))
        total = weights.sum(0)
        weights = np.where(np.abs(total) >= _TINY, weights / np.where(total == 0, np.float32(1), total), weights)
    return inside.astype(np.int32), weights.astype(np.float32)


@op(
    "ResizeBicubic", fits="4 [2]", shape=_resized_shape, static=("size",),
    grad_tensors=_resize_back("ResizeBicubicGrad"), needs=("images",), overlaps=True,
)
def resize_bicubic(xp, images, size, align_corners=False, half_pixel_centers=False):
    _one_way_to_count(align_corners, half_pixel_centers)
    sizes = _sizes(images, size)
    images = xp.cast(images, F32)
    for axis in (1, 2):
        rows, weights = _cubic_taps(images.shape[axis], sizes[axis - 1], align_corners, half_pixel_centers)
        trail = (-1, 1) if axis == 2 else (-1, 1, 1)
        parts = [xp.multiply(xp.take(images, rows[i], axis), weights[i].reshape(trail)) for i in range(4)]
        images = xp.add(xp.add(parts[0], parts[1]), xp.add(parts[2], parts[3]))
    return images


def _weighted(xp, images, by_height, by_width):
    """Apply a matrix [output, source] to the rows, and one to the columns."""
    images = xp.einsum("bhwc,yh->bywc", xp.cast(images, F32), by_height)
    return xp.einsum("bywc,xw->byxc", images, by_width)


def _area_matrix(n_in, n_out, align_corners):
    """The overlap of each source row with each output row."""
    scale = _scale(n_in, n_out, align_corners)
    begin = np.arange(n_out, dtype=np.float32) * scale
    end = np.arange(1, n_out + 1, dtype=np.float32) * scale
    weights = np.zeros((n_out, n_in), np.float32)
    for row in range(n_out):
        first, last = math.floor(begin[row]), math.ceil(end[row])
        for j in range(first, last):
            within = min(j + 1, end[row]) - max(j, begin[row])
            weights[row, min(max(j, 0), n_in - 1)] += np.float32(within) / scale
    return weights


@op("ResizeArea", fits="4 [2]", shape=_resized_shape, static=("size",), grad=NO_GRADIENT, overlaps=True)
def resize_area(xp, images, size, align_corners=False):
    height, width = _sizes(images, size)
    if not images.shape[3]:
        raise ValueError("image must have at least one channel")
    return _weighted(
        xp, images, _area_matrix(images.shape[1], height, align_corners),
        _area_matrix(images.shape[2], width, align_corners),
    )


def _lanczos(radius):
    def kernel(x):
        safe = np.where(x <= 1e-3, 1.0, x)
        value = radius * np.sin(np.pi * safe) * np.sin(np.pi * safe / radius) / (np.pi * np.pi * safe * safe)
        return np.where(x > radius, 0.0, np.where(x <= 1e-3, 1.0, value))

    return radius, kernel


def _keys_cubic(x):
    outer = ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0
    return np.where(x >= 2, 0.0, np.where(x >= 1, outer, ((1.5 * x - 2.5) * x) * x + 1.0))


def _mitchell_cubic(x):
    outer = (((-7.0 / 18.0) * x + 2.0) * x - 10.0 / 3.0) * x + 16.0 / 9.0
    return np.where(x >= 2, 0.0, np.where(x >= 1, outer, (((7.0 / 6.0) * x - 2.0) * x) * x + 8.0 / 9.0))


#: name -> radius, weight as a function of the distance
_FILTERS = {
    "lanczos1": _lanczos(1.0),
    "lanczos3": _lanczos(3.0),
    "lanczos5": _lanczos(5.0),
    "gaussian": (1.5, lambda x: np.where(x >= 1.5, 0.0, np.exp(-x * x / (2.0 * 0.5 * 0.5)))),
    "box": (1.0, lambda x: np.where(x < 0.5, 1.0, np.where(x == 0.5, 0.5, 0.0))),
    "triangle": (1.0, lambda x: np.where(x < 1, 1.0 - x, 0.0)),
    "keyscubic": (2.0, _keys_cubic),
    "mitchellcubic": (2.0, _mitchell_cubic),
}


def _filter_matrix(n_in, n_out, scale, translation, kernel_type, antialias):
    """Normalised weights [output, source] of a filter; when the image shrinks, `antialias` widens the filter."""
    radius, kernel = _FILTERS[kernel_type]
    inverse = np.float32(1) / np.float32(scale)
    shift = -inverse * np.float32(translation)
    wide = max(inverse, np.float32(1)) if antialias else np.float32(1)
    sample = (np.arange(n_out, dtype=np.float32) + np.float32(0.5)) * inverse + shift
    first = np.clip(np.ceil(sample - np.float32(radius) * wide - np.float32(0.5)), 0, n_in - 1)
    last = np.clip(np.floor(sample + np.float32(radius) * wide - np.float32(0.5)), 0, n_in - 1)
    source = np.arange(n_in, dtype=np.float32)
    distance = np.abs(source + np.float32(0.5) - sample[:, None]) * (np.float32(1) / wide)
    weights = kernel(distance.astype(np.float64))
    weights = np.where((source >= first[:, None]) & (source <= last[:, None]), weights, 0.0)
    total = weights.sum(1, keepdims=True)
    weights = np.where(np.abs(total) >= _TINY, weights / np.where(total == 0, 1.0, total), weights)
    outside = (sample < 0) | (sample > n_in)
    return np.where(outside[:, None], 0.0, weights).astype(np.float32)


@op(
    "ScaleAndTranslate", fits="4 [2]", shape=_resized_shape, static=("size", "scale", "translation"),
    nondiff=("scale", "translation"), grad_tensors=_scale_back,
)
def scale_and_translate(xp, images, size, scale, translation, kernel_type="lanczos3", antialias=True):
    if kernel_type not in _FILTERS:
        raise ValueError(f"Unrecognized kernel type: {kernel_type}")
    require.vectors(2, scale=scale, translation=translation)
    if not (scale > 0).all():
        raise ValueError("Scale must be greater than zero.")
    matrices = [
        _filter_matrix(images.shape[i + 1], n, scale[i], translation[i], kernel_type, antialias)
        for i, n in enumerate(_sizes(images, size))
    ]
    return _weighted(xp, images, *matrices)


def _as_matrix(n_in, n_out, rows, weights):
    """Taps [count, output] as a matrix [output, source]."""
    matrix = np.zeros((n_out, n_in), np.float32)
    for r, w in zip(rows, weights, strict=True):
        np.add.at(matrix, (np.arange(n_out), r), w)
    return matrix


def _nearest_matrix(n_in, n_out, **options):
    return _as_matrix(n_in, n_out, [_nearest_rows(n_in, n_out, **options)], [np.float32(1)])


def _linear_matrix(n_in, n_out, **options):
    taps = _linear_taps(n_in, n_out, **options)
    lower, upper, part = taps.first, taps.second, taps.share
    return _as_matrix(n_in, n_out, [lower, upper], [1 - part, part])


def _cubic_matrix(n_in, n_out, **options):
    return _as_matrix(n_in, n_out, *_cubic_taps(n_in, n_out, **options))


def _transposed(xp, grads, sides, matrix, dtype, **options):
    """Cotangents of an image of size `sides` from those of its resized form."""
    wide = np.dtype(np.float64) if dtype == np.float64 else F32
    parts = [matrix(n, out, **options).T.astype(wide) for n, out in zip(sides, grads.shape[1:3], strict=True)]
    grads = xp.einsum("bhwc,yh->bywc", xp.cast(grads, wide), parts[0])
    return xp.cast(xp.einsum("bywc,xw->byxc", grads, parts[1]), dtype)


def _linear_in_grads(name, resize, matrix):
    def again(attrs, inputs, outputs, cts, wanted):
        return run(resize, cts[0], sides_of(inputs[0]), **_options(attrs)), None

    @op(name, shape=lambda f: [f.shapes[1]], grad_tensors=again, nondiff=("original_image",))
    def kernel(xp, grads, original_image, align_corners=False, half_pixel_centers=False):
        require.rank(4, input=grads, original_image=original_image)
        if 0 in grads.shape[1:3]:
            raise ValueError("resized dimensions must be positive")
        _one_way_to_count(align_corners, half_pixel_centers)
        options = {"align_corners": align_corners, "half_pixel_centers": half_pixel_centers}
        return _transposed(xp, grads, original_image.shape[1:3], matrix, original_image.dtype, **options)


_linear_in_grads("ResizeBilinearGrad", "ResizeBilinear", _linear_matrix)
_linear_in_grads("ResizeBicubicGrad", "ResizeBicubic", _cubic_matrix)


def _nearest_again(attrs, inputs, outputs, cts, wanted):
    return run("ResizeNearestNeighbor", cts[0], sides_of(inputs[0]), **_options(attrs)), None


@op("ResizeNearestNeighborGrad", fits="4 [2]", shape=_resized_shape, static=("size",), grad_tensors=_nearest_again)
def resize_nearest_neighbor_grad(xp, grads, size, align_corners=False, half_pixel_centers=False):
    options = {"align_corners": align_corners, "half_pixel_centers": half_pixel_centers}
    return _transposed(xp, grads, size.tolist(), _nearest_matrix, grads.dtype, **options)


def _scale_again(attrs, inputs, outputs, cts, wanted):
    grads, _, scale, translation = inputs
    options = {"kernel_type": attrs.get("kernel_type", "lanczos3"), "antialias": bool(attrs.get("antialias", True))}
    return run("ScaleAndTranslate", cts[0], sides_of(grads), scale, translation, **options), None, None, None


@op(
    "ScaleAndTranslateGrad", shape=lambda f: [f.shapes[1]], static=("scale", "translation"),
    nondiff=("original_image", "scale", "translation"), grad_tensors=_scale_again,
)
def scale_and_translate_grad(xp, grads, original_image, scale, translation, kernel_type="lanczos3", antialias=True):
    require.vectors(2, scale=scale, translation=translation)
    by_height, by_width = (
        _filter_matrix(n, out, scale[i], translation[i], kernel_type, antialias)
        for i, (n, out) in enumerate(zip(original_image.shape[1:3], grads.shape[1:3], strict=True))
    )
    return _weighted(xp, grads, by_height.T, by_width.T)
