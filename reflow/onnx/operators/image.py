"""Images: resizing, sampling at given positions, boxes."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

import reflow as tf
from reflow.onnx.node import NeedsValue, Node, OnnxError, positive, rank, scalar
from reflow.onnx.table import operator

# --- resizing: along each axis a matrix of weights, [out, in], made when the model is read; along an axis of open
# length two cells are gathered


def _coordinates(mode: str, o: Any, length: Any, out: Any, scale: Any, roi: tuple[float, float]) -> Any:
    """The input positions of the output cells `o`: float64, arrays if the lengths are known and tensors otherwise."""
    if mode == "align_corners":
        return _if_several(out, o, lambda: o * (length - 1) / (length * scale - 1))
    if mode == "asymmetric":
        return o / scale
    if mode == "pytorch_half_pixel":
        return _if_several(out, o, lambda: (o + 0.5) / scale - 0.5)
    if mode == "half_pixel_symmetric":
        shift = length / 2 * (1 - out / (scale * length))
        return shift + (o + 0.5) / scale - 0.5
    if mode == "tf_half_pixel_for_nn":
        return (o + 0.5) / scale
    if mode == "tf_crop_and_resize":
        start, end = roi
        if out > 1:
            return start * (length - 1) + o * (end - start) * (length - 1) / (out - 1)
        return np.full(out, 0.5 * (start + end) * (length - 1))
    return (o + 0.5) / scale - 0.5


def _if_several(out: Any, o: Any, places: Callable[[], Any]) -> Any:
    """The positions of several cells; a single one is at the first cell of the input."""
    if tf.is_tensor(out):
        return tf.where(out > 1, places(), tf.zeros_like(o))
    return places() if out > 1 else np.zeros_like(o)


def _kernel(mode: str, distance: np.ndarray, a: float) -> np.ndarray:
    """The weight of a cell at a distance."""
    d = np.abs(distance)
    if mode == "linear":
        return np.maximum(0, 1 - d)
    near = (a + 2) * d**3 - (a + 3) * d**2 + 1
    far = a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a
    return np.where(d <= 1, near, np.where(d < 2, far, 0))


def _weights(node: Node, mode: str, places: np.ndarray, length: int, scale: float) -> np.ndarray:
    """[out, in]: cells outside count as the nearest one inside, or not at all if `exclude_outside`."""
    wide = min(scale, 1.0) if node.get("antialias", 0) else 1.0
    reach = int(np.ceil((1 if mode == "linear" else 2) / wide)) + 1
    first = np.floor(places).astype(np.int64)[:, None] + np.arange(-reach + 1, reach + 1)[None, :]
    weights = _kernel(mode, (first - places[:, None]) * wide, node.get("cubic_coeff_a", -0.75))
    if node.get("exclude_outside", 0):
        weights = np.where((first >= 0) & (first < length), weights, 0)
    weights /= weights.sum(1, keepdims=True)
    table = np.zeros((len(places), length))
    np.add.at(table, (np.arange(len(places))[:, None], np.clip(first, 0, length - 1)), weights)
    return table


def _nearest(node: Node, places: Any, length: Any) -> Any:
    how = node.get("nearest_mode", "round_prefer_floor")
    shift = {"round_prefer_floor": -0.5, "round_prefer_ceil": 0.5}.get(how, 0.0)
    ceil, floor = (tf.math.ceil, tf.floor) if tf.is_tensor(places) else (np.ceil, np.floor)
    return _inside((ceil if how in ("round_prefer_floor", "ceil") else floor)(places + shift), length)


def _inside(cells: Any, length: Any) -> Any:
    """Numbers of cells, as integers; those outside become the nearest one inside."""
    if tf.is_tensor(cells):
        return tf.cast(tf.clip_by_value(cells, tf.zeros_like(length), length - 1), tf.int64)
    return np.clip(cells, 0, length - 1).astype(np.int64)


def _resized_open(node: Node, y: Any, axis: int, scale: float, size: Any, coordinates: str) -> Any:
    """Resize an axis of open length, by a known factor or to a size that is computed."""
    mode = node.get("mode", "nearest")
    if (
        mode not in ("nearest", "linear") or node.get("antialias", 0) or node.get("exclude_outside", 0)
        or coordinates == "tf_crop_and_resize"
    ):
        raise NeedsValue(
            f"{node}: the input's shape must be known when the model is read, for this mode; it is {y.shape}."
        )
    length = tf.cast(tf.shape(y)[axis], tf.float64)
    out = tf.floor(length * scale) if size is None else tf.cast(size, tf.float64)
    factor = tf.constant(scale, tf.float64) if size is None else out / length
    places = _coordinates(coordinates, tf.range(out, dtype=tf.float64), length, out, factor, (0.0, 1.0))
    if mode == "nearest":
        return tf.gather(y, _nearest(node, places, length), axis=axis)
    low = tf.floor(places)
    first, second = (tf.gather(y, _inside(cells, length), axis=axis) for cells in (low, low + 1))
    share = tf.reshape(tf.cast(places - low, y.dtype), [-1 if i == axis else 1 for i in range(rank(y))])
    return first + (second - first) * share


def resized(
    node: Node, x: Any, scales: dict[int, float], sizes: dict[int, int], roi: dict[int, tuple[float, float]],
    coordinates: str,
) -> Any:
    """Resize the axes that are named in `sizes`."""
    mode = node.get("mode", "nearest")
    outside = np.zeros([1] * rank(x), bool)
    source = x if mode == "nearest" or x.dtype.is_floating else tf.cast(x, tf.float32)
    y = source
    for axis, out in sizes.items():
        length, scale = x.shape[axis], scales[axis]
        if out == length and scale == 1.0 and coordinates != "tf_crop_and_resize":
            continue
        places = _coordinates(
            coordinates, np.arange(out, dtype=np.float64), length, out, scale, roi.get(axis, (0.0, 1.0))
        )
        shape = [-1 if i == axis else 1 for i in range(rank(x))]
        outside = outside | ((places < 0) | (places > length - 1)).reshape(shape)
        if mode == "nearest":
            y = tf.gather(y, _nearest(node, places, length), axis=axis)
        else:
            table = tf.constant(_weights(node, mode, places, length, scale), y.dtype)
            order = [i for i in range(rank(x)) if i != axis] + [axis]
            back = [order.index(i) for i in range(rank(x))]
            y = tf.transpose(tf.matmul(tf.transpose(y, order), table, transpose_b=True), back)
    if coordinates == "tf_crop_and_resize":
        y = tf.where(
            tf.constant(np.broadcast_to(outside, y.shape.as_list())), scalar(node.get("extrapolation_value", 0.0), y), y
        )
    return _rounded(y, x)


def _rounded(y: Any, x: Any) -> Any:
    """What was computed of an input, with its dtype."""
    if y.dtype == x.dtype:
        return y
    low, high = x.dtype.limits
    return tf.cast(tf.clip_by_value(tf.round(y), low, high), x.dtype)


def _resize_open(node: Node, x: Any, scales: Any, sizes: Any) -> Any:
    """Resize an input of open lengths: axis by axis, by factors that are known, or to sizes."""
    axes = [positive(a, rank(x)) for a in node.get("axes", range(rank(x)))]
    to_sizes = sizes is not None and sizes.shape[0]
    if to_sizes and node.get("keep_aspect_ratio_policy", "stretch") != "stretch":
        raise NeedsValue(
            f"{node}: the input's shape must be known when the model is read, to keep its "
            f"aspect ratio; it is {x.shape}."
        )
    factors = [1.0] * len(axes) if to_sizes else [float(f) for f in node.value(scales, "scales")]
    y = x if node.get("mode", "nearest") == "nearest" or x.dtype.is_floating else tf.cast(x, tf.float32)
    for i, (axis, factor) in enumerate(zip(axes, factors)):
        if to_sizes and axis > 1 or factor != 1.0:  # batch and channels stay, whatever is computed of their lengths
            y = _resized_open(
                node, y, axis, factor, sizes[i] if to_sizes else None,
                node.get("coordinate_transformation_mode", "half_pixel"),
            )
    return _rounded(y, x)


@operator("Resize")
def resize(node: Node, x: Any, roi: Any = None, scales: Any = None, sizes: Any = None) -> Any:
    if node.opset < 11:
        return upsample(node, x, roi)
    if None in x.shape.as_list()[1:]:
        return _resize_open(node, x, scales, sizes)
    axes = [positive(a, rank(x)) for a in node.get("axes", range(rank(x)))]
    coordinates = node.get("coordinate_transformation_mode", "half_pixel")
    boxes = {}
    if roi is not None and coordinates == "tf_crop_and_resize":
        flat = node.value(roi, "roi")
        boxes = {a: (float(flat[i]), float(flat[i + len(axes)])) for i, a in enumerate(axes)}
    lengths = [x.shape[a] for a in axes]
    if sizes is not None and sizes.shape[0]:
        wanted = [int(n) for n in node.value(sizes, "sizes")]
        factors = [w / n if n else 1.0 for w, n in zip(wanted, lengths)]
        policy = node.get("keep_aspect_ratio_policy", "stretch")
        if policy != "stretch":
            factor = (min if policy == "not_larger" else max)(factors)
            factors = [factor] * len(axes)
            wanted = [int(np.floor(factor * n + 0.5)) for n in lengths]
    else:
        factors = [float(f) for f in node.value(scales, "scales")]
        wanted = [int(np.floor(n * f)) if n is not None else -1 for n, f in zip(lengths, factors)]
    kept = {a for a, n, f in zip(axes, lengths, factors) if n is None and f == 1.0}
    pairs = [(a, f, w) for a, f, w in zip(axes, factors, wanted) if a not in kept]
    return resized(node, x, {a: f for a, f, _ in pairs}, {a: w for a, _, w in pairs}, boxes, coordinates)


@operator("Upsample")
def upsample(node: Node, x: Any, scales: Any = None) -> Any:
    """The older form of `Resize`: cells are counted from the first."""
    factors = node.get("scales") if scales is None else [float(f) for f in node.value(scales, "scales")]
    sizes = {i: int(np.floor(x.shape[i] * f)) for i, f in enumerate(factors) if x.shape[i] is not None}
    missing = [i for i, f in enumerate(factors) if i not in sizes and f != 1.0]
    if missing:
        raise NeedsValue(f"{node}: the input's shape must be known when the model is read; it is {x.shape}.")
    older = _Older(node)
    return resized(older, x, dict(enumerate(factors)), sizes, {}, "asymmetric")  # type: ignore[arg-type]


class _Older:
    """A node of `Upsample` with the settings by which `Resize` does the same."""

    def __init__(self, node: Node) -> None:
        self.mode = node.get("mode", "nearest")

    def get(self, name: str, default: Any = None) -> Any:
        return {"mode": self.mode, "nearest_mode": "floor"}.get(name, default)


# --- sampling


def _reflected(x: Any, low: float, high: float) -> Any:
    """Coordinates mirrored at both limits as often as needed."""
    span = high - low
    if span <= 0:
        return tf.zeros_like(x)
    d = tf.math.floormod(x - scalar(low, x), scalar(2 * span, x))
    return scalar(low, x) + tf.minimum(d, scalar(2 * span, x) - d)


@operator("GridSample")
def grid_sample(node: Node, x: Any, grid: Any) -> Any:
    """The image [batch, channels, *space] at places from -1 to 1, the last axis of the grid.

    First along the last axis in space.
    """
    mode, border = node.get("mode", "linear"), node.get("padding_mode", "zeros")
    corners = bool(node.get("align_corners", 0))
    count = rank(x) - 2
    space = x.shape.as_list()[2:]
    if None in space:
        raise NeedsValue(
            f"{node}: the lengths of the axes in space must be known when the model is read; the shape is {x.shape}."
        )
    places = []
    for axis, n in enumerate(space):
        g = grid[..., count - 1 - axis]
        half, one = scalar(0.5, g), scalar(1, g)
        places.append((g + one) * half * scalar(n - 1, g) if corners else ((g + one) * scalar(n, g) - one) * half)
    if mode == "nearest":
        return _read_cells(x, [tf.round(p) for p in places], space, border, corners)
    total = None
    taps = range(-1, 3) if mode in ("cubic", "bicubic") else range(2)
    for offsets in itertools.product(taps, repeat=count):
        weight, cells = None, []
        for p, offset in zip(places, offsets):
            cell = tf.floor(p) + scalar(offset, p)
            cells.append(cell)
            one = _sample_weight(mode, cell - p)
            weight = one if weight is None else weight * one
        part = _read_cells(x, cells, space, border, corners) * tf.expand_dims(tf.cast(weight, x.dtype), 1)
        total = part if total is None else total + part
    return total


def _sample_weight(mode: str, distance: Any) -> Any:
    d = tf.abs(distance)
    if mode not in ("cubic", "bicubic"):
        return tf.maximum(scalar(0, d), scalar(1, d) - d)
    a = -0.75
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = a * (((d - 5) * d + 8) * d - 4)
    return tf.where(d <= 1, near, tf.where(d < 2, far, tf.zeros_like(d)))


def _read_cells(x: Any, cells: list[Any], space: list[int], border: str, corners: bool) -> Any:
    """[batch, channels, *grid]: the cells at whole coordinates, by the rule for those outside."""
    inside = None
    flat = None
    for cell, n in zip(cells, space):
        if border == "reflection":
            cell = _reflected(cell, 0, n - 1) if corners else _reflected(cell, -0.5, n - 0.5)
            cell = tf.round(cell) if corners else cell
        ok = (cell >= scalar(0, cell)) & (cell <= scalar(n - 1, cell))
        inside = ok if inside is None else inside & ok
        index = tf.cast(tf.clip_by_value(cell, scalar(0, cell), scalar(n - 1, cell)), tf.int32)
        flat = index if flat is None else flat * n + index
    lengths = tf.shape(flat)
    rows = tf.reshape(tf.transpose(x, [0, *range(2, rank(x)), 1]), tf.stack([tf.shape(x)[0], -1, tf.shape(x)[1]]))
    found = tf.gather(rows, tf.reshape(flat, tf.stack([lengths[0], -1])), batch_dims=1)
    found = tf.reshape(tf.transpose(found, [0, 2, 1]), tf.concat([lengths[:1], tf.shape(x)[1:2], lengths[1:]], 0))
    if border == "zeros":
        return tf.where(tf.expand_dims(inside, 1), found, tf.zeros_like(found))
    return found


# --- boxes


@operator("NonMaxSuppression")
def non_max_suppression(
    node: Node, boxes: Any, scores: Any, most: Any = None, overlap: Any = None, lowest: Any = None
) -> Any:
    """[chosen, 3]: batch, class and box."""
    if most is None:
        return tf.zeros([0, 3], tf.int64)
    if scores.shape[0] is None or scores.shape[1] is None:
        raise NeedsValue(
            f"{node}: the numbers of images and classes must be known; the scores' shape is {scores.shape}."
        )
    limit = tf.cast(tf.reshape(most, []), tf.int32)
    iou = tf.constant(0.0) if overlap is None else tf.reshape(overlap, [])
    least = tf.constant(-np.inf, tf.float32) if lowest is None else tf.reshape(lowest, [])
    if node.get("center_point_box", 0):
        x, y, w, h = tf.split(boxes, 4, -1)
        boxes = tf.concat([y - h / 2, x - w / 2, y + h / 2, x + w / 2], -1)
    found = []
    for image, kind in itertools.product(range(scores.shape[0]), range(scores.shape[1])):
        row = scores[image, kind]
        chosen = tf.image.non_max_suppression(boxes[image], row, limit, iou, least)
        chosen = tf.cast(chosen, tf.int64)
        ones = tf.ones_like(chosen)
        found.append(tf.stack([ones * image, ones * kind, chosen], -1))
    return tf.concat(found, 0)


@operator("RoiAlign")
def roi_align(node: Node, x: Any, boxes: Any, images: Any) -> Any:
    """Each box cut into cells, and in each the mean or the maximum of samples between pixels."""
    height, width = node.get("output_height", 1), node.get("output_width", 1)
    ratio = node.get("sampling_ratio", 0)
    if ratio <= 0:
        raise OnnxError(f"{node}: sampling_ratio must be given: with 0 the number of samples depends on each box.")
    half = 0.5 if node.opset >= 16 and node.get("coordinate_transformation_mode", "half_pixel") == "half_pixel" else 0.0
    scaled = boxes * scalar(node.get("spatial_scale", 1.0), boxes) - scalar(half, boxes)
    left, top, right, bottom = (scaled[:, i : i + 1] for i in range(4))
    w, h = right - left, bottom - top
    if half == 0.0:
        w, h = tf.maximum(w, scalar(1, w)), tf.maximum(h, scalar(1, h))
    rows = top + h * tf.constant((np.arange(height * ratio) + 0.5) / (height * ratio), x.dtype)
    columns = left + w * tf.constant((np.arange(width * ratio) + 0.5) / (width * ratio), x.dtype)
    samples = _between(tf.gather(x, images), rows, columns)
    n, c = tf.shape(samples)[0], tf.shape(samples)[1]
    if node.get("mode", "avg") == "avg":
        return tf.reduce_mean(tf.reshape(samples, tf.stack([n, c, height, ratio, width, ratio])), [3, 5])
    raise OnnxError(f"{node}: the mode max, which takes the largest of weighted corners, is not converted.")


def _between(x: Any, rows: Any, columns: Any) -> Any:
    """[boxes, channels, rows, columns]: values between pixels; zero more than a pixel outside of the image."""
    tables = []
    for places, n in ((rows, tf.shape(x)[2]), (columns, tf.shape(x)[3])):
        length = tf.cast(n, x.dtype)
        outside = (places < scalar(-1, x)) | (places > length)
        at = tf.clip_by_value(places, scalar(0, x), length - scalar(1, x))
        cells = tf.cast(tf.range(n), x.dtype)
        weights = tf.maximum(scalar(0, x), scalar(1, x) - tf.abs(at[..., None] - cells))
        tables.append(tf.where(outside[..., None], tf.zeros_like(weights), weights))
    return tf.einsum("brh,bchw,bsw->bcrs", tables[0], x, tables[1])


@operator("ImageDecoder")
def decode_image(node: Node, data: Any) -> Any:
    """A file of a known format, as pixels in RGB, BGR or grey."""
    content = tf.strings.reduce_join(tf.gather(tf.constant([bytes([i]) for i in range(256)]), tf.cast(data, tf.int32)))
    grey = node.get("pixel_format", "RGB") == "Grayscale"
    pixels = tf.io.decode_image(content, channels=1 if grey else 3, expand_animations=False)
    return tf.reverse(pixels, [2]) if node.get("pixel_format", "RGB") == "BGR" else pixels
