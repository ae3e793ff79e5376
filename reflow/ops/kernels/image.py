"""Images: resizing, patches, projective transforms, colour spaces. Layout is always [batch, height, width, channels].

Resizing is separable. The output's size is a value when the op runs, so the source rows and weights of each output row are
NumPy arrays, computed in float32 as TensorFlow does, and the image itself only meets gathers and products:

- *taps*: for each output row a few source rows and their weights (nearest, bilinear, bicubic);
- *matrix*: a weight for each pair of output and source row (area, and the filters of `ScaleAndTranslate`).

Gradients are TensorFlow's ops `Resize…Grad`. They apply the transposed matrices, and their own gradient resizes again.
"""

from __future__ import annotations

import math

import numpy as np

from reflow.ops import registry
from reflow.ops import shape_rules as rules
from reflow.ops.door import dispatch
from reflow.ops.kernels.windows import output_size, same_padding
from reflow.ops.registry import NO_GRADIENT, op, own_op

F32 = np.dtype(np.float32)
I32 = np.dtype(np.int32)
_TABLE = 1024  # TensorFlow's bicubic weights come from a table of this many steps
_TINY = 1000.0 * float(np.finfo(np.float32).tiny)  # weights that sum to less are not normalised


# --- resizing -----------------------------------------------------------------------------------------------------------------


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
    return height, width


def _scale(n_in, n_out, align_corners):
    return (
        np.float32((n_in - 1) / np.float32(n_out - 1))
        if align_corners and n_out > 1
        else np.float32(n_in / np.float32(n_out))
    )


def _positions(n_in, n_out, align_corners, half_pixel_centers):
    """Where the output's rows lie in the source, as float32."""
    at, scale = np.arange(n_out, dtype=np.float32), _scale(n_in, n_out, align_corners)
    return (at + np.float32(0.5)) * scale - np.float32(0.5) if half_pixel_centers else at * scale


def _run(name, *tensors, **attrs):
    return dispatch(registry.get(name), tensors, attrs)


def _vector(*numbers):
    from reflow.ops.convert import constant

    return constant(list(numbers), "int32")


def _sides(x):
    """Height and width of a batch of images, as a tensor."""
    return _run("StridedSlice", _run("Shape", x), _vector(1), _vector(3), _vector(1))


def _options(attrs):
    return {name: bool(attrs.get(name)) for name in ("align_corners", "half_pixel_centers")}


def _nearest_back(attrs, inputs, outputs, cts, wanted):
    return _run("ResizeNearestNeighborGrad", cts[0], _sides(inputs[0]), **_options(attrs)), None


def _resize_back(name):
    def grad(attrs, inputs, outputs, cts, wanted):
        return _run(name, cts[0], inputs[0], **_options(attrs)), None

    return grad


def _scale_back(attrs, inputs, outputs, cts, wanted):
    images, _, scale, translation = inputs
    options = {"kernel_type": attrs.get("kernel_type", "lanczos3"), "antialias": bool(attrs.get("antialias", True))}
    return _run("ScaleAndTranslateGrad", cts[0], images, scale, translation, **options), None, None, None


def _nearest_rows(n_in, n_out, align_corners, half_pixel_centers):
    at = np.arange(n_out, dtype=np.float32) + np.float32(0.5 if half_pixel_centers else 0)
    at = at * _scale(n_in, n_out, align_corners)
    nearest = np.floor(at + np.float32(0.5)) if align_corners else np.floor(at)
    return np.clip(nearest, 0, n_in - 1).astype(np.int32)


@op("ResizeNearestNeighbor", shape=_resized_shape, static=("size",), grad_tensors=_nearest_back, needs=("images",))
def resize_nearest_neighbor(xp, images, size, align_corners=False, half_pixel_centers=False):
    for axis, n_out in enumerate(_sizes(images, size), 1):
        images = xp.take(images, _nearest_rows(images.shape[axis], n_out, align_corners, half_pixel_centers), axis)
    return images


def _linear_taps(n_in, n_out, align_corners, half_pixel_centers):
    """Two source rows for each output row, and the weight of the second."""
    at = _positions(n_in, n_out, align_corners, half_pixel_centers)
    lower = np.maximum(np.floor(at), 0).astype(np.int32)
    upper = np.minimum(np.ceil(at), n_in - 1).astype(np.int32)
    return lower, upper, at - np.floor(at)


@op(
    "ResizeBilinear",
    shape=_resized_shape,
    static=("size",),
    grad_tensors=_resize_back("ResizeBilinearGrad"),
    needs=("images",),
)
def resize_bilinear(xp, images, size, align_corners=False, half_pixel_centers=False):
    sizes = _sizes(images, size)
    images = xp.cast(images, F32)
    for axis in (2, 1):
        lower, upper, part = _linear_taps(images.shape[axis], sizes[axis - 1], align_corners, half_pixel_centers)
        first, second = (xp.take(images, rows, axis) for rows in (lower, upper))
        part = part.reshape((-1, 1) if axis == 2 else (-1, 1, 1))
        images = xp.add(first, xp.multiply(xp.subtract(second, first), part))
    return images


def _cubic_table(a):
    x = np.arange(_TABLE + 1, dtype=np.float32) * np.float32(1 / _TABLE)
    y = x + np.float32(1)
    inner = ((a + 2) * x.astype(np.float64) - (a + 3)) * x * x + 1
    outer = ((a * y.astype(np.float64) - 5 * a) * y + 8 * a) * y - 4 * a
    return inner.astype(np.float32), outer.astype(np.float32)


def _cubic_taps(n_in, n_out, align_corners, half_pixel_centers):
    """Four source rows and weights for each output row. With half pixel centers: Keys' kernel, nothing beyond the edge."""
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
    "ResizeBicubic",
    shape=_resized_shape,
    static=("size",),
    grad_tensors=_resize_back("ResizeBicubicGrad"),
    needs=("images",),
)
def resize_bicubic(xp, images, size, align_corners=False, half_pixel_centers=False):
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
    """How much of each source row lies within each output row."""
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


@op("ResizeArea", shape=_resized_shape, static=("size",), grad=NO_GRADIENT)
def resize_area(xp, images, size, align_corners=False):
    height, width = _sizes(images, size)
    return _weighted(
        xp,
        images,
        _area_matrix(images.shape[1], height, align_corners),
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
    "ScaleAndTranslate",
    shape=_resized_shape,
    static=("size", "scale", "translation"),
    nondiff=("scale", "translation"),
    grad_tensors=_scale_back,
)
def scale_and_translate(xp, images, size, scale, translation, kernel_type="lanczos3", antialias=True):
    if kernel_type not in _FILTERS:
        raise ValueError(f"Unrecognized kernel type: {kernel_type}")
    matrices = [
        _filter_matrix(images.shape[i + 1], n, scale[i], translation[i], kernel_type, antialias)
        for i, n in enumerate(_sizes(images, size))
    ]
    return _weighted(xp, images, *matrices)


# --- the transposed resizing ------------------------------------------------------------------------------------------


def _as_matrix(n_in, n_out, rows, weights):
    """Taps [count, output] as a matrix [output, source]."""
    matrix = np.zeros((n_out, n_in), np.float32)
    for r, w in zip(rows, weights, strict=True):
        np.add.at(matrix, (np.arange(n_out), r), w)
    return matrix


def _nearest_matrix(n_in, n_out, **options):
    return _as_matrix(n_in, n_out, [_nearest_rows(n_in, n_out, **options)], [np.float32(1)])


def _linear_matrix(n_in, n_out, **options):
    lower, upper, part = _linear_taps(n_in, n_out, **options)
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
        return _run(resize, cts[0], _sides(inputs[0]), **_options(attrs)), None

    @op(name, shape=lambda f: [f.shapes[1]], grad_tensors=again, nondiff=("original_image",))
    def kernel(xp, grads, original_image, align_corners=False, half_pixel_centers=False):
        options = {"align_corners": align_corners, "half_pixel_centers": half_pixel_centers}
        return _transposed(xp, grads, original_image.shape[1:3], matrix, original_image.dtype, **options)


_linear_in_grads("ResizeBilinearGrad", "ResizeBilinear", _linear_matrix)
_linear_in_grads("ResizeBicubicGrad", "ResizeBicubic", _cubic_matrix)


def _nearest_again(attrs, inputs, outputs, cts, wanted):
    return _run("ResizeNearestNeighbor", cts[0], _sides(inputs[0]), **_options(attrs)), None


@op("ResizeNearestNeighborGrad", shape=_resized_shape, static=("size",), grad_tensors=_nearest_again)
def resize_nearest_neighbor_grad(xp, grads, size, align_corners=False, half_pixel_centers=False):
    options = {"align_corners": align_corners, "half_pixel_centers": half_pixel_centers}
    return _transposed(xp, grads, size.tolist(), _nearest_matrix, grads.dtype, **options)


def _scale_again(attrs, inputs, outputs, cts, wanted):
    grads, _, scale, translation = inputs
    options = {"kernel_type": attrs.get("kernel_type", "lanczos3"), "antialias": bool(attrs.get("antialias", True))}
    return _run("ScaleAndTranslate", cts[0], _sides(grads), scale, translation, **options), None, None, None


@op(
    "ScaleAndTranslateGrad",
    shape=lambda f: [f.shapes[1]],
    static=("scale", "translation"),
    nondiff=("original_image", "scale", "translation"),
    grad_tensors=_scale_again,
)
def scale_and_translate_grad(xp, grads, original_image, scale, translation, kernel_type="lanczos3", antialias=True):
    by_height, by_width = (
        _filter_matrix(n, out, scale[i], translation[i], kernel_type, antialias)
        for i, (n, out) in enumerate(zip(original_image.shape[1:3], grads.shape[1:3], strict=True))
    )
    return _weighted(xp, grads, by_height.T, by_width.T)


# --- patches ------------------------------------------------------------------------------------------------------------------


def _patches_shape(f):
    dims = f.shapes[0]
    if dims is None:
        return [(None,) * 4]
    (kh, kw), (sh, sw), (rh, rw) = (tuple(f.attrs[a])[1:3] for a in ("ksizes", "strides", "rates"))
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
    (kh, kw), (sh, sw), (rh, rw) = (tuple(a)[1:3] for a in (ksizes, strides, rates))
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
    return (_run("Reflow>ExtractImagePatchesGrad", cts[0], inputs[0], **_window(attrs), **types),)


@op("ExtractImagePatches", shape=_patches_shape, grad_tensors=_patches_back)
def extract_image_patches(xp, images, ksizes, strides, rates, padding):
    """Every window's pixels, one after the other, in the channels."""
    batch, height, width, channels = images.shape
    pairs, slices = _taps(height, width, ksizes, strides, rates, padding)
    if padding == "SAME":
        images = xp.pad(images, ((0, 0), *pairs, (0, 0)), xp.const(0, images))
    taps = [
        xp.strided_slice(images, (0, *begin, 0), (batch, *end, channels), (1, *steps, 1))
        for begin, end, steps in slices
    ]
    return xp.concat(taps, 3)


def _patches_again(attrs, inputs, outputs, cts, wanted):
    return _run("ExtractImagePatches", cts[0], **_window(attrs)), None


@own_op(
    "ExtractImagePatchesGrad",
    inputs="grads images",
    outputs="output",
    attrs=("ksizes", "strides", "rates", "padding"),
    shape=lambda f: [f.shapes[1]],
    grad_tensors=_patches_again,
    nondiff=("images",),
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


# --- projective transforms
# ------------------------------------------------------------------------------------------------------


def _reflected(xp, at, n):
    """Positions mapped into dcba|abcd|dcba."""
    length, double = xp.const(n, at), xp.const(2 * n, at)
    one, zero = xp.const(1, at), xp.const(0, at)
    low = xp.add(at, xp.multiply(double, xp.trunc(xp.divide(xp.negative(at), double))))
    low = xp.select(xp.less(low, xp.negative(length)), xp.add(low, double), xp.subtract(xp.negative(low), one))
    high = xp.subtract(at, xp.multiply(double, xp.trunc(xp.divide(at, double))))
    high = xp.select(xp.greater_equal(high, length), xp.subtract(xp.subtract(double, high), one), high)
    return xp.select(xp.less(at, zero), low, xp.select(xp.greater(at, xp.const(n - 1, at)), high, at))


def _wrapped(xp, at, n):
    """Positions mapped into abcd|abcd|abcd."""
    length, gap = xp.const(n, at), xp.const(n - 1, at)
    low = xp.add(at, xp.multiply(length, xp.add(xp.trunc(xp.divide(xp.negative(at), gap)), xp.const(1, at))))
    high = xp.subtract(at, xp.multiply(length, xp.trunc(xp.divide(at, gap))))
    return xp.select(xp.less(at, xp.const(0, at)), low, xp.select(xp.greater(at, gap), high, at))


def _mapped(xp, at, n, fill_mode):
    """Source positions of one axis, brought into the image unless the mode is CONSTANT."""
    if fill_mode == "CONSTANT":
        return at
    if n > 1 and fill_mode != "NEAREST":
        at = (_reflected if fill_mode == "REFLECT" else _wrapped)(xp, at, n)
    return xp.minimum(xp.maximum(at, xp.const(0, at)), xp.const(n - 1, at))


def _transformed_shape(f):
    images, size = f.shapes[0], f.values[2]
    batch, channels = (images[0], images[3]) if images is not None else (None, None)
    height, width = size if isinstance(size, tuple) else (None, None)
    return [(batch, height, width, channels)]


def _pixels(xp, images, y, x, fill):
    """images[b, y, x] for integral float positions [b, h, w]; `fill` outside."""
    height, width = images.shape[1:3]
    inside = xp.logical_and(
        xp.logical_and(xp.greater_equal(y, xp.const(0, y)), xp.less(y, xp.const(height, y))),
        xp.logical_and(xp.greater_equal(x, xp.const(0, x)), xp.less(x, xp.const(width, x))),
    )
    row = xp.cast(xp.minimum(xp.maximum(y, xp.const(0, y)), xp.const(height - 1, y)), I32)
    column = xp.cast(xp.minimum(xp.maximum(x, xp.const(0, x)), xp.const(width - 1, x)), I32)
    batch, channels = images.shape[0], images.shape[3]
    flat = xp.reshape(images, (batch, height * width, channels))
    at = xp.reshape(xp.add(xp.multiply(row, xp.const(width, row)), column), (batch, -1))
    found = xp.reshape(xp.take(flat, at, 1, 1), (*row.shape, channels))
    return xp.select(xp.expand_dims(inside, (3,)), found, fill)


def _projective_grad(attrs, inputs, outputs, cotangents, wanted):
    """TensorFlow's: the cotangent through the inverse transform (not the adjoint of the interpolation)."""
    from reflow.ops.convert import constant

    def run(name, *tensors, **given):
        return dispatch(registry.get(name), tensors, given)

    images, transforms, _, _ = inputs
    ones = run(
        "OnesLike",
        run(
            "StridedSlice",
            transforms,
            *(constant(v, "int32") for v in ([0, 0], [0, 1], [1, 1])),
            begin_mask=3,
            end_mask=1,
        ),
    )
    square = run("Reshape", run("ConcatV2", transforms, ones, constant(1, "int32"), N=2), constant([-1, 3, 3], "int32"))
    inverse = run("Reshape", run("MatrixInverse", square), constant([-1, 9], "int32"))
    last = run(
        "StridedSlice", inverse, *(constant(v, "int32") for v in ([0, 8], [0, 9], [1, 1])), begin_mask=1, end_mask=1
    )
    flat = run(
        "StridedSlice",
        run("RealDiv", inverse, last),
        *(constant(v, "int32") for v in ([0, 0], [0, 8], [1, 1])),
        begin_mask=3,
        end_mask=1,
    )
    size = run("StridedSlice", run("Shape", images), *(constant(v, "int32") for v in ([1], [3], [1])))
    return (
        run(
            "ImageProjectiveTransformV3",
            cotangents[0],
            flat,
            size,
            constant(0.0),
            interpolation=attrs["interpolation"],
            fill_mode=attrs.get("fill_mode", "CONSTANT"),
        ),
        None,
        None,
        None,
    )


@op(
    "ImageProjectiveTransformV3",
    shape=_transformed_shape,
    static=("output_shape",),
    nondiff=("transforms", "fill_value"),
    grad_tensors=_projective_grad,
)
def image_projective_transform(xp, images, transforms, output_shape, fill_value, interpolation, fill_mode="CONSTANT"):
    """Each output pixel (x, y) is read at ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k) with k = c0 x + c1 y + 1."""
    height, width = (int(n) for n in output_shape.tolist())
    column = xp.reshape(xp.iota(width, F32), (1, 1, width))
    row = xp.reshape(xp.iota(height, F32), (1, height, 1))
    t = [xp.reshape(part, (-1, 1, 1)) for part in xp.unstack(transforms, 8, 1)]

    def line(a, b, c):
        return xp.add(xp.add(xp.multiply(a, column), xp.multiply(b, row)), c)

    k = line(t[6], t[7], xp.const(1, column))
    full = (images.shape[0], height, width)
    x = xp.broadcast_to(_mapped(xp, xp.divide(line(t[0], t[1], t[2]), k), images.shape[2], fill_mode), full)
    y = xp.broadcast_to(_mapped(xp, xp.divide(line(t[3], t[4], t[5]), k), images.shape[1], fill_mode), full)
    fill = xp.cast(fill_value, images.dtype)
    if interpolation == "NEAREST":
        out = _pixels(xp, images, _away(xp, y), _away(xp, x), fill)
    elif interpolation == "BILINEAR":
        out = _bilinear_pixels(xp, images, y, x, fill_value)
    else:
        raise ValueError(f"Invalid interpolation {interpolation}: expected NEAREST or BILINEAR.")
    return xp.select(xp.expand_dims(xp.broadcast_to(xp.equal(k, xp.const(0, k)), full), (3,)), fill, out)


def _away(xp, x):
    """Rounded, halves away from zero."""
    return xp.multiply(xp.sign(x), xp.floor(xp.add(xp.abs(x), xp.const(0.5, x))))


def _bilinear_pixels(xp, images, y, x, fill):
    y0, x0 = xp.floor(y), xp.floor(x)
    y1, x1 = xp.add(y0, xp.const(1, y)), xp.add(x0, xp.const(1, x))
    floats = xp.cast(images, F32)

    def mixed(row):
        left = xp.multiply(xp.expand_dims(xp.subtract(x1, x), (3,)), _pixels(xp, floats, row, x0, fill))
        return xp.add(left, xp.multiply(xp.expand_dims(xp.subtract(x, x0), (3,)), _pixels(xp, floats, row, x1, fill)))

    upper = xp.multiply(xp.expand_dims(xp.subtract(y1, y), (3,)), mixed(y0))
    return xp.cast(xp.add(upper, xp.multiply(xp.expand_dims(xp.subtract(y, y0), (3,)), mixed(y1))), images.dtype)


# --- colour spaces --------------------------------------------------------------------------------------------------------------


def _colours_shape(f):
    return [f.shapes[0] and (*f.shapes[0][:-1], 3)]


def _channels(xp, images):
    if images.shape[-1] != 3:
        raise ValueError(f"input must have 3 channels but input only has {images.shape[-1]} channels.")
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


@op("RGBToHSV", shape=_colours_shape, grad=_rgb_to_hsv_grad, needs=("images",))
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


@op("HSVToRGB", shape=_colours_shape, grad=NO_GRADIENT)
def hsv_to_rgb(xp, images):
    h, s, v = _channels(xp, images)
    one, two = xp.const(1, h), xp.const(2, h)
    sixths = xp.multiply(h, xp.const(6, h))

    def clipped(x):
        return xp.minimum(xp.maximum(x, xp.const(0, x)), one)

    red = clipped(xp.subtract(xp.abs(xp.subtract(sixths, xp.const(3, h))), one))
    green = clipped(xp.subtract(two, xp.abs(xp.subtract(sixths, two))))
    blue = clipped(xp.subtract(two, xp.abs(xp.subtract(sixths, xp.const(4, h)))))
    rest = xp.subtract(one, s)
    return xp.stack([xp.multiply(xp.add(rest, xp.multiply(s, c)), v) for c in (red, green, blue)], -1)
