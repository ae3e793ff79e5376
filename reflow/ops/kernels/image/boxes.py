"""Boxes on images: selection among overlapping ones, and drawing. A box is [y1, x1, y2, x2].

Selection runs on the host: the number of remaining boxes depends on values. The best remaining box is taken, those that
overlap it too much are dropped (or, with a `soft_nms_sigma`, lose score in proportion to the overlap), and so on.
"""

from __future__ import annotations

import heapq
import math

import numpy as np

from reflow.ops import require
from reflow.ops import shape_rules as rules
from reflow.ops import trace_checks as traced
from reflow.ops.kernels.image.crops import no_gradient, refuse
from reflow.ops.registry import NO_GRADIENT, op

F32, I32 = np.dtype(np.float32), np.dtype(np.int32)


# --- which boxes stay -------------------------------------------------------------------------------------------------


def _areas(boxes):
    return (boxes[..., 2] - boxes[..., 0]) * (boxes[..., 3] - boxes[..., 1])


def _smaller(a, b):
    """The smaller of two numbers as C++ finds it: the first, if one of them is none."""
    return np.where(b < a, b, a)


def _larger(a, b):
    return np.where(a < b, b, a)


def _ordered(boxes):
    """The same boxes with the smaller corner first."""
    return np.concatenate([_smaller(boxes[:, :2], boxes[:, 2:]), _larger(boxes[:, :2], boxes[:, 2:])], 1)


def _overlaps(boxes):
    """A function: how much box i and each of the boxes `others` share, of the area they cover together."""
    boxes = _ordered(boxes)
    areas = _areas(boxes)
    zero = boxes.dtype.type(0)

    def of(i, others):
        low, high = _larger(boxes[i, :2], boxes[others, :2]), _smaller(boxes[i, 2:], boxes[others, 2:])
        shared = _larger(high[:, 0] - low[:, 0], zero) * _larger(high[:, 1] - low[:, 1], zero)
        some = ~((areas[i] <= 0) | (areas[others] <= 0))  # NaN is some area
        return np.where(some, shared / np.where(some, areas[i] + areas[others] - shared, 1), zero)

    return of


def _hard(similarity, scores, limit: int, threshold, lowest, keep_nan: bool = False) -> list:
    """Indices of the boxes that stay, best first; of equal scores the first. Boxes that are no numbers overlap with
    all, or with none (`keep_nan`, the older ops)."""
    left = np.flatnonzero(scores > lowest)
    left = left[np.argsort(-scores[left].astype(np.float64), kind="stable")]
    chosen: list[int] = []
    while len(left) and len(chosen) < limit:
        best, left = left[0], left[1:]
        chosen.append(int(best))
        shared = similarity(best, left)  # of -inf TensorFlow makes a score that is NaN
        left = left[~(shared > threshold) if keep_nan else (shared <= threshold) & (shared > -np.inf)]
    return chosen


def _soft(similarity, scores, limit: int, lowest, sigma) -> tuple[list, list]:
    """Indices and lowered scores. Each candidate meets each chosen box once; it is taken when its score did not change.

    No overlap is too much for TensorFlow here: it reads `iou_threshold` only without a sigma.
    """
    make = scores.dtype.type
    scale = make(-0.5) / make(sigma)
    waiting = [(-float(scores[i]), int(i), 0) for i in np.flatnonzero(scores > lowest)]
    heapq.heapify(waiting)
    chosen: list[int] = []
    final: list[float] = []
    while waiting and len(chosen) < limit:
        negative, i, met = heapq.heappop(waiting)
        score = before = make(-negative)
        for shared in similarity(i, np.array(chosen[met:], int)[::-1]):
            score = score * make(math.exp(scale * shared * shared))
            if score <= lowest:
                break
        if score == before:
            chosen.append(i)
            final.append(float(score))
        elif score > lowest:
            heapq.heappush(waiting, (-float(score), i, len(chosen)))
    return chosen, final


def _checked(boxes, scores, max_output_size, threshold, score_threshold) -> int:
    refuse(boxes.ndim != 2, f"boxes must be 2-D{rules.text(boxes.shape)}")
    refuse(boxes.shape[1] != 4, f"boxes must have 4 columns (Dimension must be 4 but is {boxes.shape[1]})")
    for name, number in (("iou_threshold", threshold), ("score_threshold", score_threshold)):
        refuse(number.ndim, f"{name} must be 0-D, got shape {rules.text(number.shape)}")
    refuse(not 0 <= threshold <= 1, "iou_threshold must be in [0, 1]")
    return _limit(boxes, scores, max_output_size)


def _limit(boxes, scores, max_output_size) -> int:
    refuse(scores.ndim != 1, f"scores must be 1-D{rules.text(scores.shape)}")
    refuse(
        len(scores) != len(boxes),
        f"scores has incompatible shape (Dimensions must be equal, but are {len(boxes)} and {len(scores)})",
    )
    refuse(max_output_size.ndim, f"max_output_size must be 0-D, got shape {rules.text(max_output_size.shape)}")
    refuse(int(max_output_size) < 0, "output size must be non-negative")
    return int(max_output_size)


def _padded(items, limit: int, dtype, pad: bool) -> np.ndarray:
    return np.array(list(items) + [0] * (limit - len(items) if pad else 0), dtype)


def _count_shape(f):
    """A vector of unknown length, or of `max_output_size` when padded; then as many scores; then how many are real."""
    size = f.values[2]
    count = size if f.attr("pad_to_max_output_size") and isinstance(size, int) else None
    outputs = [a.name for a in f.op.definition.outputs]
    return [() if name == "valid_outputs" else (count,) for name in outputs]


@op(
    "NonMaxSuppressionV3", fits="[n,4] [n] 0 0 0", shape=_count_shape, grad=no_gradient("NonMaxSuppressionV3"),
    host=True,
)
def non_max_suppression_v3(_, boxes, scores, max_output_size, iou_threshold, score_threshold):
    return kept_boxes(boxes, scores, max_output_size, iou_threshold, score_threshold)


def kept_boxes(boxes, scores, max_output_size, iou_threshold, score_threshold, keep_nan: bool = False):
    """The indices of the boxes that stay."""
    limit = _checked(boxes, scores, max_output_size, iou_threshold, score_threshold)
    return np.array(_hard(_overlaps(boxes), scores, limit, iou_threshold, score_threshold, keep_nan), I32)


@op(
    "NonMaxSuppressionV4", fits="[n,4] [n] 0 0 0", shape=_count_shape, grad=no_gradient("NonMaxSuppressionV4"),
    host=True,
)
def non_max_suppression_v4(
    _, boxes, scores, max_output_size, iou_threshold, score_threshold, pad_to_max_output_size=False
):
    limit = _checked(boxes, scores, max_output_size, iou_threshold, score_threshold)
    chosen = _hard(_overlaps(boxes), scores, limit, iou_threshold, score_threshold)
    return _padded(chosen, limit, I32, pad_to_max_output_size), np.array(len(chosen), I32)


@op(
    "NonMaxSuppressionV5", fits="[n,4] [n] 0 0 0 0", shape=_count_shape, grad=no_gradient("NonMaxSuppressionV5"),
    host=True,
)
def non_max_suppression_v5(
    _, boxes, scores, max_output_size, iou_threshold, score_threshold, soft_nms_sigma, pad_to_max_output_size=False
):
    limit = _checked(boxes, scores, max_output_size, iou_threshold, score_threshold)
    require.scalar("soft_nms_sigma", soft_nms_sigma)
    refuse(not soft_nms_sigma >= 0, "soft_nms_sigma_val must be >= 0")
    similarity = _overlaps(boxes)
    if soft_nms_sigma > 0:
        chosen, final = _soft(similarity, scores, limit, score_threshold, soft_nms_sigma)
    else:
        chosen = _hard(similarity, scores, limit, iou_threshold, score_threshold)
        final = scores[chosen].tolist()
    return (
        _padded(chosen, limit, I32, pad_to_max_output_size),
        _padded(final, limit, scores.dtype, pad_to_max_output_size),
        np.array(len(chosen), I32),
    )


@op("NonMaxSuppressionWithOverlaps", fits="[n,n] [n] 0 0 0", shape=_count_shape, grad=NO_GRADIENT, host=True)
def non_max_suppression_with_overlaps(_, overlaps, scores, max_output_size, overlap_threshold, score_threshold):
    require.scalars(
        max_output_size=max_output_size, overlap_threshold=overlap_threshold, score_threshold=score_threshold
    )
    square = overlaps.ndim == 2 and overlaps.shape[0] == overlaps.shape[1]
    refuse(not square, f"overlaps must be square{rules.text(overlaps.shape)}")
    limit = _limit(overlaps, scores, max_output_size)

    def similarity(i, others):
        return overlaps[others, i]

    return np.array(_hard(similarity, scores, limit, overlap_threshold, score_threshold), I32)


# --- several classes at once ------------------------------------------------------------------------------------------


def _combined_size(per_class: int, total: int, classes: int, pad_per_class: bool) -> int:
    return min(total, per_class * classes) if pad_per_class else total


def _combined_shape(f):
    boxes, scores, per_class, total = f.shapes[0], f.shapes[1], f.values[2], f.values[3]
    batch = boxes[0] if boxes else None
    classes = scores[2] if scores and len(scores) == 3 else None
    size = total if isinstance(total, int) else None
    if f.attr("pad_per_class") and size is not None:
        known = isinstance(per_class, int)
        size = _combined_size(per_class, size, classes, True) if known and classes is not None else None
    return [(batch, size, 4), (batch, size), (batch, size), (batch,)]


@op(
    "CombinedNonMaxSuppression", fits="[n,_,_,4] [n,_,_] 0 0 0 0", shape=_combined_shape,
    grad=no_gradient("CombinedNonMaxSuppression"), host=True, trace_check=traced.scored_boxes_of_classes,
)
def combined_non_max_suppression(
    _, boxes, scores, max_output_size_per_class, max_total_size, iou_threshold, score_threshold, pad_per_class=False,
    clip_boxes=True,
):
    """The best boxes of each class of each image, then the best of all classes; zeros after the last.

    Among boxes of one class with equal scores the first comes first; TensorFlow leaves that to its heap.
    """
    require.scalars(iou_threshold=iou_threshold, score_threshold=score_threshold)
    per_class, total = int(max_output_size_per_class), int(max_total_size)
    refuse(boxes.ndim != 4, f"boxes must be 4-D{rules.text(boxes.shape)}")
    refuse(scores.ndim != 3, f"scores must be 3-D{rules.text(scores.shape)}")
    refuse(boxes.shape[:2] != scores.shape[:2], "scores has incompatible shape")
    classes = scores.shape[2]
    refuse(boxes.shape[2] not in (1, classes), "third dimension of boxes must be either 1 or num classes")
    refuse(boxes.shape[3] != 4, "boxes must have 4 columns")
    refuse(per_class <= 0, "max_size_per_class must be positive")
    refuse(total <= 0, "max_total_size must be > 0")
    refuse(not 0 <= iou_threshold <= 1, "iou_threshold must be in [0, 1]")
    size = _combined_size(per_class, total, classes, pad_per_class)
    kept = np.zeros((len(boxes), size, 4), F32), *(np.zeros((len(boxes), size), F32) for _ in range(2))
    counts = np.zeros(len(boxes), I32)
    for b in range(len(boxes)):
        found = []
        for c in range(classes):
            own = boxes[b, :, min(c, boxes.shape[2] - 1)]
            chosen = _hard(_overlaps(own), scores[b, :, c], per_class, iou_threshold, score_threshold)
            found += [(own[i], scores[b, i, c], c) for i in chosen]
        found = sorted(found, key=lambda item: -item[1])[:size]
        counts[b] = len(found)
        for at, parts in enumerate(found):
            for out, part in zip(kept, parts, strict=True):
                out[b, at] = part
    return np.clip(kept[0], 0, 1) if clip_boxes else kept[0], kept[1], kept[2], counts


# --- drawing ----------------------------------------------------------------------------------------------------------

#: the colours of `DrawBoundingBoxes`, one box after the other: red, green, blue, opacity
_COLOURS = np.array(
    [
        [1, 1, 0, 1],
        [0, 0, 1, 1],
        [1, 0, 0, 1],
        [0, 1, 0, 1],
        [0.5, 0, 0.5, 1],
        [0.5, 0.5, 0, 1],
        [0.5, 0, 0, 1],
        [0, 0, 0.5, 1],
        [0, 1, 1, 1],
        [1, 0, 1, 1],
    ],
    np.float32,
)


def _drawable(images, boxes):
    if len(images.shape) != 4:
        raise ValueError("The rank of the images should be 4")
    if len(boxes.shape) != 3:
        raise ValueError("The rank of the boxes tensor should be 3")
    if images.shape[0] != boxes.shape[0]:
        raise ValueError("The batch sizes should be the same")
    if images.shape[3] not in (1, 3, 4):
        raise ValueError("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)")
    if boxes.shape[2] != 4:
        raise ValueError(f"The size of the third dimension of the box must be 4. Received: {boxes.shape[2]}")


def _frame(xp, box, height: int, width: int):
    """Which pixels [batch, height, width] the outline of each image's box covers."""
    sides = [xp.const(n - 1, box) for n in (height, width, height, width)]
    ends = [xp.cast(xp.multiply(e, n), I32) for e, n in zip(xp.unstack(box, 4, 1), sides, strict=True)]
    top, left, bottom, right = (xp.reshape(e, (-1, 1, 1)) for e in ends)
    y = xp.reshape(xp.iota(height, I32), (1, height, 1))
    x = xp.reshape(xp.iota(width, I32), (1, 1, width))

    def within(at, low, high):
        return xp.logical_and(xp.greater_equal(at, low), xp.less_equal(at, high))

    edge_row = xp.logical_or(xp.equal(y, top), xp.equal(y, bottom))
    edge_column = xp.logical_or(xp.equal(x, left), xp.equal(x, right))
    inside = xp.logical_and(within(y, top, bottom), within(x, left, right))
    return xp.logical_and(inside, xp.logical_or(edge_row, edge_column))


def _drawn(xp, images, boxes, colours):
    """Later boxes cover earlier ones: each pixel finds the last box on it, and takes that box's colour."""
    _, height, width, channels = images.shape
    count = boxes.shape[1]
    last = xp.full(images.shape[:3], -1, I32)
    for i, box in enumerate(xp.unstack(boxes, count, 1)):
        last = xp.select(_frame(xp, box, height, width), xp.const(i % colours.shape[0], last), last)
    paint = xp.cast(xp.strided_slice(colours, (0, 0), (colours.shape[0], channels), (1, 1)), images.dtype)
    drawn = xp.greater_equal(last, xp.const(0, last))
    return xp.select(xp.expand_dims(drawn, (3,)), xp.take(paint, xp.maximum(last, xp.const(0, last)), 0), images)


def _default_colours(xp, channels: int):
    return xp.asarray(np.ones((1, 1), F32) if channels == 1 else _COLOURS, F32)


@op("DrawBoundingBoxes", fits="4 [_,_,4]", shape=rules.same, grad=NO_GRADIENT, trace_check=traced.drawn_boxes)
def draw_bounding_boxes(xp, images, boxes):
    _drawable(images, boxes)
    return _drawn(xp, images, boxes, _default_colours(xp, images.shape[3]))


@op(
    "DrawBoundingBoxesV2", fits="3+", shape=rules.same, grad=no_gradient("DrawBoundingBoxesV2"),
    trace_words=traced.nothing,
)
def draw_bounding_boxes_v2(xp, images, boxes, colors):
    _drawable(images, boxes)
    if len(colors.shape) != 2:
        raise ValueError(f"colors must be a 2-D matrix{rules.text(colors.shape)}")
    if not colors.shape[0]:
        return _drawn(xp, images, boxes, _default_colours(xp, images.shape[3]))
    if colors.shape[1] < images.shape[3]:
        raise ValueError(f"colors must have equal or more channels than the image provided: {rules.text(colors.shape)}")
    return _drawn(xp, images, boxes, colors)
