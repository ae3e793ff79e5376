"""Projective transforms of images [batch, height, width, channels]: the transform says where each output pixel is read.

Positions outside the image are mapped into it (the modes REFLECT, WRAP, NEAREST) or have the fill value (CONSTANT).
"""

from __future__ import annotations

import numpy as np

from reflow.ops import require
from reflow.ops.convert import constant
from reflow.ops.dispatch import run
from reflow.ops.kernels.image.resize import sides_of
from reflow.ops.registry import op

F32 = np.dtype(np.float32)
I32 = np.dtype(np.int32)


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


def transformed_shape(f):
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


def _columns(x, begin: int, end: int):
    """The columns of a matrix from `begin` to `end`, as a matrix."""
    places = (constant(v) for v in ([0, begin], [0, end], [1, 1]))
    return run("StridedSlice", x, *places, begin_mask=1 if begin else 3, end_mask=1)


def _inverse(transforms):
    """The transforms that undo the given ones, divided so that their ninth entry is 1, which is left out."""
    ones = run("OnesLike", _columns(transforms, 0, 1))
    square = run("Reshape", run("ConcatV2", transforms, ones, constant(1), N=2), constant([-1, 3, 3]))
    inverse = run("Reshape", run("MatrixInverse", square), constant([-1, 9]))
    return _columns(run("RealDiv", inverse, _columns(inverse, 8, 9)), 0, 8)


def projective_grad(attrs, inputs, outputs, cotangents, wanted):
    """TensorFlow's: the cotangent through the inverse transform (not the adjoint of the interpolation)."""
    images, transforms, _, _ = inputs
    modes = {"interpolation": attrs["interpolation"], "fill_mode": attrs.get("fill_mode", "CONSTANT")}
    places = _inverse(transforms), sides_of(images), constant(0.0)
    return run("ImageProjectiveTransformV3", cotangents[0], *places, **modes), None, None, None


@op(
    "ImageProjectiveTransformV3", fits="4 * [2]", shape=transformed_shape, static=("output_shape",),
    nondiff=("transforms", "fill_value"), grad_tensors=projective_grad,
)
def image_projective_transform(xp, images, transforms, output_shape, fill_value, interpolation, fill_mode="CONSTANT"):
    """Each output pixel (x, y) is read at ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k) with k = c0 x + c1 y + 1."""
    if images.ndim != 4:
        raise ValueError("Input images must have rank 4")
    require.scalar("fill_value", fill_value)
    require.word("fill mode", fill_mode, "CONSTANT", "REFLECT", "WRAP", "NEAREST")
    if transforms.ndim != 2 or transforms.shape[1] != 8 or transforms.shape[0] not in (1, images.shape[0]):
        raise ValueError("Input transform should be num_images x 8 or 1 x 8")
    height, width = (int(n) for n in output_shape.tolist())
    if height <= 0 or width <= 0:
        raise ValueError("output dimensions must be positive")
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
