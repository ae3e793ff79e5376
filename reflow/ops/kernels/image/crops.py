"""Crops of images: boxes resampled to one size, with gradients for the image and the boxes.

A box is [y1, x1, y2, x2]; 0 is the center of the first row, 1 that of the last. The corners of a crop are the corners
of its box. A crop of height 1 reads the middle row of its box.
"""

from __future__ import annotations

import numpy as np

from reflow.core import errors
from reflow.ops import shape_rules as rules
from reflow.ops import trace_checks as traced
from reflow.ops.dispatch import run
from reflow.ops.registry import op

F32, I32 = np.dtype(np.float32), np.dtype(np.int32)


def no_gradient(name):
    """A gradient that raises: TensorFlow has none for this op."""

    def raises(*args):
        raise LookupError(f"gradient registry has no entry for: {name}")

    return raises


def refuse(wrong, message: str):
    """InvalidArgumentError, as TensorFlow's kernels say it, if something is wrong."""
    if wrong:
        raise errors.InvalidArgumentError(None, None, message)


# --- where a crop reads -----------------------------------------------------------------------------------------------


def _shares(xp, count: int, like):
    """For each position of a crop the shares of the box's two ends."""
    if count == 1:
        return xp.full((1,), 0.5, F32), xp.full((1,), 0.5, F32)
    second = xp.divide(xp.iota(count, F32), xp.const(count - 1, like))
    return xp.subtract(xp.const(1, like), second), second


def _positions(xp, first, last, n: int, count: int):
    """Source positions [boxes, count] of one axis of `n` pixels, and which are within it."""
    limit = xp.const(n - 1, first)
    first, last = xp.reshape(first, (-1, 1)), xp.reshape(last, (-1, 1))
    if count == 1:
        at = xp.multiply(xp.multiply(xp.const(0.5, first), xp.add(first, last)), limit)
    else:
        scale = xp.divide(xp.multiply(xp.subtract(last, first), limit), xp.const(count - 1, first))
        at = xp.add(xp.multiply(first, limit), xp.multiply(xp.reshape(xp.iota(count, F32), (1, count)), scale))
    inside = xp.logical_and(xp.greater_equal(at, xp.const(0, at)), xp.less_equal(at, limit))
    return xp.select(inside, at, xp.const(0, at)), inside  # the place of an outside pixel is never used


def _nearest(xp, at):
    """Rounded, halves up: positions are not negative."""
    return xp.floor(xp.add(at, xp.const(0.5, at)))


def _grid(xp, rows, columns, method, boxes, height, width):
    """Row and column taps, each a list of (places, weights), and the mask [boxes, height, width] of what is inside."""
    y1, x1, y2, x2 = xp.unstack(boxes, 4, 1)
    axes, masks = [], []
    for first, last, n, count in ((y1, y2, rows, height), (x1, x2, columns, width)):
        at, inside = _positions(xp, first, last, n, count)
        if method == "nearest":
            axes.append([(xp.cast(_nearest(xp, at), I32), xp.ones_like(at))])
        else:
            low = xp.floor(at)
            part = xp.subtract(at, low)
            axes.append(
                [
                    (xp.cast(low, I32), xp.subtract(xp.const(1, at), part)),
                    (xp.cast(xp.ceil(at), I32), part),
                ]
            )
        masks.append(inside)
    inside = xp.logical_and(xp.expand_dims(masks[0], (2,)), xp.expand_dims(masks[1], (1,)))
    return axes[0], axes[1], inside


def _places(xp, box_ind, rows, columns, row, column):
    """Places [boxes, height, width] in an image whose batch, rows and columns are one axis."""
    at = xp.add(xp.multiply(xp.reshape(box_ind, (-1, 1)), xp.const(rows, box_ind)), row)
    at = xp.multiply(at, xp.const(columns, at))
    return xp.add(xp.expand_dims(at, (2,)), xp.expand_dims(column, (1,)))


def _product(xp, row, column):
    """Weights [boxes, height, width, 1] from those of the rows and of the columns."""
    return xp.multiply(xp.expand_dims(row, (2, 3)), xp.expand_dims(column, (1, 3)))


# --- the op and its two gradients -------------------------------------------------------------------------------------


def _crops_shape(f):
    image, boxes, indices, size = f.shapes[0], f.shapes[1], f.shapes[2], f.values[3]
    if image is not None and len(image) != 4:
        raise ValueError(f"input image must be 4-D{rules.text(image)}")
    _box_columns(boxes)
    if f.shapes[3] is not None and f.shapes[3] not in ((2,), (None,)):
        raise ValueError(f"crop_size must have two elements{rules.text(f.shapes[3])}")
    count = boxes[0] if boxes else None
    if count is None and indices:
        count = indices[0]
    height, width = size if isinstance(size, tuple) else (None, None)
    return [(count, height, width, image[3] if image else None)]


def _box_columns(boxes):
    if boxes is not None and (len(boxes) != 2 or boxes[1] not in (4, None)):
        raise ValueError("boxes must have 4 columns" if len(boxes) == 2 else f"boxes must be 2-D{rules.text(boxes)}")


def _fitting(boxes, box_ind):
    if boxes.ndim != 2 or boxes.shape[1] != 4:
        raise ValueError("boxes must have 4 columns" if boxes.ndim == 2 else "boxes must be 2-D")
    if tuple(box_ind.shape) != (boxes.shape[0],):
        raise ValueError("box_index has incompatible shape")


def _outside(*_):
    raise errors.OutOfRangeError(None, None, "box_index has values outside [0, batch_size)")


def _within(xp, box_ind, batch):
    return [(xp.all_below(box_ind, batch), _outside)]


def _finite(xp, boxes):
    return [(xp.all(xp.isfinite(boxes), None), "Boxes contains at least one element that is not finite")]


def _crop_check(xp, attrs, image, boxes, box_ind, crop_size):
    places = _within(xp, box_ind, image.shape[0]) if box_ind.ndim == 1 and image.ndim else []
    return _finite(xp, boxes) + places


def _grad_image_check(xp, attrs, grads, boxes, box_ind, image_size):
    return _finite(xp, boxes) + (_within(xp, box_ind, int(image_size.tolist()[0])) if box_ind.ndim == 1 else [])


def _grad_boxes_check(xp, attrs, grads, image, boxes, box_ind):
    return _crop_check(xp, attrs, image, boxes, box_ind, None)


def _crop_grad(attrs, inputs, outputs, cts, wanted):
    image, boxes, box_ind, _ = inputs
    to_image = to_boxes = None
    if wanted[0] and image._dtype.is_floating:
        to_image = run(
            "CropAndResizeGradImage", cts[0], boxes, box_ind, run("Shape", image), T=image._dtype,
            method=attrs.get("method", "bilinear"),
        )
    if wanted[1]:
        to_boxes = run("CropAndResizeGradBoxes", cts[0], image, boxes, box_ind)
    return to_image, to_boxes, None, None


@op(
    "CropAndResize", fits="4 [n,4] [n]", shape=_crops_shape, static=("crop_size",), grad_tensors=_crop_grad,
    checks=(_crop_check,),
)
def crop_and_resize(xp, image, boxes, box_ind, crop_size, method="bilinear", extrapolation_value=0.0):
    _fitting(boxes, box_ind)
    batch, rows, columns, channels = image.shape
    height, width = (int(n) for n in crop_size.tolist())
    if height <= 0 or width <= 0:
        raise ValueError("crop dimensions must be positive")
    if rows == 0 or columns == 0:
        raise ValueError("image dimensions must be positive")
    by_row, by_column, inside = _grid(xp, rows, columns, method, boxes, height, width)
    flat = xp.reshape(xp.cast(image, F32), (batch * rows * columns, channels))
    mixed = []
    for row, _ in by_row:
        taps = [xp.take(flat, _places(xp, box_ind, rows, columns, row, column), 0) for column, _ in by_column]
        mixed.append(_lerp(xp, taps, by_column, (1, 3)))
    crops = _lerp(xp, mixed, by_row, (2, 3))
    return xp.select(xp.expand_dims(inside, (3,)), crops, xp.const(extrapolation_value, crops))


def _lerp(xp, taps, weights, axes):
    """The first tap, or between two of them."""
    if len(taps) == 1:
        return taps[0]
    return xp.add(taps[0], xp.multiply(xp.subtract(taps[1], taps[0]), xp.expand_dims(weights[1][1], axes)))


def _same_crops(boxes, grads) -> None:
    """As many cotangents as there are boxes."""
    if len(grads) != len(boxes):
        raise ValueError("boxes and grads have incompatible shape")


def _image_shape(f):
    size = f.values[3]
    _box_columns(f.shapes[1])
    return [size if isinstance(size, tuple) else (None,) * 4]


@op(
    "CropAndResizeGradImage", fits="* * * 1", shape=_image_shape, static=("image_size",),
    grad=no_gradient("CropAndResizeGradImage"), checks=(_grad_image_check,), trace_words=traced.nothing,
)
def crop_and_resize_grad_image(xp, grads, boxes, box_ind, image_size, T, method="bilinear"):
    """Each pixel of a crop gives its cotangent to the pixels it was mixed from."""
    _fitting(boxes, box_ind)
    _same_crops(boxes, grads)
    batch, rows, columns, channels = (int(n) for n in image_size.tolist())
    if rows <= 0 or columns <= 0:
        raise ValueError("image dimensions must be positive")
    height, width = grads.shape[1:3]
    if height <= 0 or width <= 0:
        raise ValueError("grads dimensions must be positive")
    by_row, by_column, inside = _grid(xp, rows, columns, method, boxes, height, width)
    grads = xp.select(xp.expand_dims(inside, (3,)), grads, xp.const(0, grads))
    total = xp.zeros((batch * rows * columns, channels), F32)
    for row, down in by_row:
        for column, across in by_column:
            at = xp.reshape(_places(xp, box_ind, rows, columns, row, column), (-1,))
            parts = xp.reshape(xp.multiply(grads, _product(xp, down, across)), (-1, channels))
            total = xp.scatter_rows("add", total, at, parts)
    return xp.cast(xp.reshape(total, (batch, rows, columns, channels)), T.np_dtype)


def _boxes_shape(f):
    _box_columns(f.shapes[2])
    return [f.shapes[2]]


@op(
    "CropAndResizeGradBoxes", shape=_boxes_shape, grad=no_gradient("CropAndResizeGradBoxes"),
    checks=(_grad_boxes_check,), trace_words=traced.nothing,
)
def crop_and_resize_grad_boxes(xp, grads, image, boxes, box_ind):
    """How a box's corners move the places it is read at, times the slope of the image there. Always as if bilinear."""
    _fitting(boxes, box_ind)
    _same_crops(boxes, grads)
    batch, rows, columns, channels = image.shape
    if rows == 0 or columns == 0:
        raise ValueError("image dimensions must be positive")
    if grads.shape[3] != channels:
        raise ValueError("image, grads depth differ")
    height, width = grads.shape[1:3]
    by_row, by_column, inside = _grid(xp, rows, columns, "bilinear", boxes, height, width)
    grads = xp.select(xp.expand_dims(inside, (3,)), grads, xp.const(0, grads))
    flat = xp.reshape(xp.cast(image, F32), (batch * rows * columns, channels))
    (top_left, top_right), (low_left, low_right) = (
        [xp.take(flat, _places(xp, box_ind, rows, columns, row, column), 0) for column, _ in by_column]
        for row, _ in by_row
    )
    slopes = (
        _lerp(xp, [xp.subtract(low_left, top_left), xp.subtract(low_right, top_right)], by_column, (1, 3)),
        _lerp(xp, [xp.subtract(top_right, top_left), xp.subtract(low_right, low_left)], by_row, (2, 3)),
    )
    per_row = xp.sum(xp.multiply(grads, slopes[0]), (2, 3), False)
    per_column = xp.sum(xp.multiply(grads, slopes[1]), (1, 3), False)
    ends = []
    for moved, n in ((per_row, rows), (per_column, columns)):
        moved = xp.multiply(moved, xp.const(n - 1, moved))
        shares = _shares(xp, moved.shape[1], moved)
        ends.append([xp.sum(xp.multiply(moved, xp.reshape(s, (1, -1))), (1,), False) for s in shares])
    (y1, y2), (x1, x2) = ends
    return xp.stack([y1, x1, y2, x2], 1)
