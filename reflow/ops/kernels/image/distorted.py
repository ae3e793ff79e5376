"""Random boxes for data augmentation, with TensorFlow's numbers. On the host: the number of draws depends on their
values.

An attempt draws an aspect ratio, a height, and a position; it succeeds if the box covers enough of one of the given
objects. After `max_attempts` the box is the whole image.
"""

from __future__ import annotations

import numpy as np

from reflow.ops import philox, random_state
from reflow.ops import shape_rules as rules
from reflow.ops.kernels.image.crops import no_gradient, refuse
from reflow.ops.registry import NO_GRADIENT, op
from reflow.ops.xp import host as host_xp

F32 = np.float32


class _Words:
    """The words of a stream, one after the other."""

    def __init__(self, key, counter):
        self.key, self.counter = key, counter
        self.block, self.ready = 0, []

    def word(self) -> int:
        if not self.ready:
            words = philox.stream(host_xp, self.key, self.counter, 1, first=self.block)
            self.ready = [int(w[0]) for w in words]
            self.block += 1
        return self.ready.pop(0)

    def below(self, n: int) -> int:
        return self.word() % n

    def unit(self) -> np.float32:
        bits = np.array(self.word(), np.uint32)
        return philox.unit_float(host_xp, bits, np.dtype(F32))[()]


def _near(x) -> int:
    """The nearest integer, halves to the even one, of a float32."""
    return int(np.rint(F32(x)))


def _highest(width: int, height: int, area, ratio) -> int:
    """The largest height of a box of at most this area, whose width still fits."""
    most = _near(np.sqrt(area / ratio))
    if _near(F32(most) * ratio) > width:
        most = int((width + 0.5 - float(F32(1e-7))) / float(ratio))
        if _near(F32(most) * ratio) > width:
            most -= 1
    return min(most, height)


def _random_box(words: _Words, width: int, height: int, areas, ratio):
    """(top, left, bottom, right) of a box of this aspect ratio with an area in the range; None if there is none."""
    if areas[1] <= 0 or ratio <= 0 or width <= 0 or height <= 0 or areas[0] > areas[1]:
        return None
    least, most = (F32(F32(a * F32(width)) * F32(height)) for a in areas)
    highest = _highest(width, height, most, ratio)
    h = min(_near(np.sqrt(least / ratio)), highest)
    if h < highest:
        h += words.below(highest - h + 1)
    w = _near(F32(h) * ratio)
    if F32(w * h) < least:  # rounding may leave the range by a little: one row more, or one less
        h += 1
        w = _near(F32(h) * ratio)
    if F32(w * h) > most:
        h -= 1
        w = _near(F32(h) * ratio)
    if not least <= F32(w * h) <= most or not 0 < w <= width or not 0 < h <= height:
        return None
    top = words.below(height - h) if h < height else 0
    left = words.below(width - w) if w < width else 0
    return top, left, top + h, left + w


def _area(box) -> int:
    return max(box[2] - box[0], 0) * max(box[3] - box[1], 0)


def _covers(box, objects, share) -> bool:
    """Whether the box holds at least this share of one of the objects; objects of less than a pixel do not count."""
    for other in objects:
        if _area(other) < 1:
            continue
        both = (*map(max, box[:2], other[:2]), *map(min, box[2:], other[2:]))
        if F32(_area(both)) / F32(_area(other)) >= share:
            return True
    return False


def _range_text(pair) -> str:
    return "[" + ", ".join(f"{v:g}" for v in pair) + "]"


def _objects(boxes, width: int, height: int, use_image: bool):
    """The given boxes in pixels."""
    refuse(boxes.ndim != 3, f"input boxes must be 3-dimensional [batch, num_boxes, coords]: {rules.text(boxes.shape)}")
    refuse(boxes.shape[-1] != 4, f"bounding boxes must have shape [4] {rules.text(boxes.shape)}")
    flat = boxes.reshape(-1, 4)
    if not len(flat):
        refuse(
            not use_image,
            "No bounding boxes provided as input. One must enable use_image_if_no_bounding_boxes if you wish to not "
            "provide any bounding boxes.",
        )
        return [(0, 0, height, width)]
    for row in flat:
        for value in row:
            refuse(not 0 <= value <= 1, f"All bounding box coordinates must be in [0.0, 1.0]: {value:g}")
    sides = np.array([height, width, height, width], F32)
    return [tuple(int(v) for v in row * sides) for row in flat]


def _sampled(words, image_size, boxes, share, ratios, areas, attempts, use_image):
    refuse(image_size.shape != (3,), f"image_size must contain 3 elements{rules.text(image_size.shape)}")
    refuse(
        len(ratios) != 2 or not (0 < ratios[0] and 0 < ratios[1]),
        f"Aspect ratio range must be non-negative: {_range_text(ratios)}",
    )
    refuse(
        len(areas) != 2 or not (0 < areas[0] <= 1 and 0 < areas[1] <= 1),
        f"Area range must be non-negative: {_range_text(areas)}",
    )
    refuse(attempts <= 0, f"Max attempts must be non-negative: {attempts}")
    refuse(not share >= 0, f"Min object covered must be non-negative: {float(share):g}")
    height, width = (int(n) for n in image_size[:2])
    for side, pixels in (("height", height), ("width", width)):
        refuse(not 0 <= pixels < 2**31 - 1, f"image {side} must be in [0, 2^31 - 1), got {pixels}")
    objects = _objects(boxes, width, height, use_image)
    found = None
    low, high = (F32(r) for r in ratios)
    for _ in range(attempts):
        ratio = words.unit() * (high - low) + low
        found = _random_box(words, width, height, [F32(a) for a in areas], ratio)
        if found is not None and _covers(found, objects, share):
            break
        found = None
    top, left, bottom, right = found or (0, 0, height, width)
    begin = np.array([top, left, 0], image_size.dtype)
    size = np.array([bottom - top, right - left, -1], np.int64).astype(image_size.dtype)
    # without rows nan, as in TensorFlow
    ends = np.array([top, left, bottom, right], F32) / np.array([height, width, height, width], F32)
    return begin, size, ends.reshape(1, 1, 4)


def box_shapes(f):
    return [(3,), (3,), (1, 1, 4)]


@op(
    "StatelessSampleDistortedBoundingBox", fits="[3] [_,_,4] 0 [2]", shape=box_shapes,
    grad=no_gradient("StatelessSampleDistortedBoundingBox"), host=True,
)
def stateless_sample_distorted_bounding_box(
    _, image_size, bounding_boxes, min_object_covered, seed, aspect_ratio_range=(0.75, 1.33), area_range=(0.05, 1.0),
    max_attempts=100, use_image_if_no_bounding_boxes=False,
):
    words = _Words(*philox.scramble(host_xp, seed))
    options = aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes
    return _sampled(words, image_size, bounding_boxes, min_object_covered, *options)


@op("SampleDistortedBoundingBoxV2", fits="[3] [_,_,4] 0", shape=box_shapes, grad=NO_GRADIENT, host=True)
def sample_distorted_bounding_box(_, image_size, bounding_boxes, min_object_covered, **attrs):
    options = [attrs[n] for n in ("aspect_ratio_range", "area_range", "max_attempts", "use_image_if_no_bounding_boxes")]
    cell = attrs.get("_counter") or random_state.eager_cell("SampleDistortedBoundingBoxV2", attrs)
    words = _Words(*cell.take(options[2]))  # an attempt takes at most four words: a block
    return _sampled(words, image_size, bounding_boxes, min_object_covered, *options)
