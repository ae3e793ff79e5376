"""`tf.image`: bounding boxes: selection, cropping, drawing, random distortion. A box is [y1, x1, y2, x2]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reflow.api.array import arrange, creation, indexing, sorting
from reflow.api.call import call, op_inputs, output_tuple
from reflow.api.export import export, with_sections
from reflow.api.math import arithmetic, reduce
from reflow.core import dtypes
from reflow.function.control_flow import while_loop
from reflow.ops import random_state
from reflow.ops.convert import constant, convert_to_tensor

_NONE = float("-inf")


def _floats(*values):
    return [convert_to_tensor(v, dtypes.float32) for v in values]


def _int(n):
    return convert_to_tensor(n, dtypes.int32)


# --- choosing ---------------------------------------------------------------------------------------------------------


_CHOICE = """\
Args:
  boxes: The boxes [y1, x1, y2, x2], float32 of shape [count, 4].
  scores: The scores of the boxes, float32 of shape [count].
  max_output_size: How many boxes to choose at most.
  iou_threshold: How much two boxes may overlap, as the part of their joint area that they share, from 0 to 1.
  score_threshold: Boxes with scores at or below this are not chosen.
  name: A name for the operation.
"""


@export("image.non_max_suppression")
@with_sections(_CHOICE)
def non_max_suppression(
    boxes, scores, max_output_size, iou_threshold: Any = 0.5, score_threshold: Any = float("-inf"), name=None
):
    """Chooses the boxes with the best scores, without those that overlap a better one too much.

    Returns:
      The indices of the chosen boxes, best first, an int32 vector.

    Raises:
      InvalidArgumentError: The shapes do not fit, or `iou_threshold` is not in [0, 1].

    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9], [2.0, 2.0, 3.0, 3.0]]
    >>> non_max_suppression(boxes, [0.7, 0.9, 0.8], 3).numpy().tolist()
    [1, 2]
    """
    inputs = op_inputs("NonMaxSuppressionV3", boxes, scores, max_output_size, iou_threshold, score_threshold)
    return call("NonMaxSuppressionV3", inputs, {}, name)


@export("image.non_max_suppression_with_scores")
@with_sections(_CHOICE)
def non_max_suppression_with_scores(
    boxes, scores, max_output_size, iou_threshold: Any = 0.5, score_threshold: Any = float("-inf"),
    soft_nms_sigma: Any = 0.0, name=None,
):
    """Chooses the boxes with the best scores, where overlapping a better box lowers a score.

    Args:
      soft_nms_sigma: How gently overlaps lower scores: the width of a Gaussian; 0 for the usual hard choice.

    Returns:
      The indices of the chosen boxes, best first, an int32 vector, and their lowered scores, a float32 vector.

    Raises:
      InvalidArgumentError: The shapes do not fit, or `iou_threshold` is not in [0, 1].

    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9], [2.0, 2.0, 3.0, 3.0]]
    >>> chosen, scores = non_max_suppression_with_scores(boxes, [0.7, 0.9, 0.8], 3, 1.0, soft_nms_sigma=0.5)
    >>> chosen.numpy().tolist(), scores.numpy().round(2).tolist()
    ([1, 2, 0], [0.8999999761581421, 0.800000011920929, 0.3100000023841858])
    """
    inputs = op_inputs(
        "NonMaxSuppressionV5", boxes, scores, max_output_size, iou_threshold, score_threshold, soft_nms_sigma
    )
    return tuple(call("NonMaxSuppressionV5", inputs, {"pad_to_max_output_size": False}, name)[:2])


@export("image.non_max_suppression_overlaps")
@with_sections(_CHOICE)
def non_max_suppression_overlaps(
    overlaps, scores, max_output_size, overlap_threshold: Any = 0.5, score_threshold: Any = float("-inf"), name=None
):
    """Chooses the boxes with the best scores, where a matrix says how much they overlap.

    Args:
      overlaps: float32 of shape [count, count]; `overlaps[i, j]` is how much boxes i and j overlap.
      overlap_threshold: How much two chosen boxes may overlap.

    Returns:
      The indices of the chosen boxes, best first, an int32 vector.

    >>> non_max_suppression_overlaps([[1.0, 0.9], [0.9, 1.0]], [0.2, 0.3], 2).numpy().tolist()
    [1]
    """
    inputs = (*_floats(overlaps, scores), _int(max_output_size), *_floats(overlap_threshold, score_threshold))
    return call("NonMaxSuppressionWithOverlaps", inputs, {}, name)


@export("image.combined_non_max_suppression")
@with_sections(_CHOICE)
def combined_non_max_suppression(
    boxes, scores, max_output_size_per_class, max_total_size, iou_threshold: float = 0.5,
    score_threshold: float = float("-inf"), pad_per_class: bool = False, clip_boxes: bool = True,
    name: str | None = None,
):
    """Chooses the best boxes of several classes, for a batch of images.

    Args:
      boxes: float32 of shape [batch, boxes, classes, 4], or [batch, boxes, 1, 4] for the same boxes in all classes.
      scores: float32 of shape [batch, boxes, classes].
      max_output_size_per_class: How many boxes to choose at most for each class.
      max_total_size: How many boxes to choose at most for each image.
      pad_per_class: Whether results have the size `max_output_size_per_class * classes` where that is less than
        `max_total_size`.
      clip_boxes: Whether the chosen boxes are cut off at 0 and 1.

    Returns:
      A named tuple, filled up with zeros: `nmsed_boxes` [batch, size, 4], `nmsed_scores` and `nmsed_classes` [batch,
      size], all float32; and `valid_detections` [batch], int32, how many are real.

    >>> boxes = [[[[0.0, 0.0, 1.0, 1.0]], [[0.0, 0.0, 0.3, 0.3]]]]
    >>> found = combined_non_max_suppression(boxes, [[[0.9, 0.1], [0.2, 0.8]]], 1, 3)
    >>> found[1].numpy().round(1).tolist(), found[2].numpy().tolist(), found[3].numpy().tolist()
    ([[0.8999999761581421, 0.800000011920929, 0.0]], [[0.0, 1.0, 0.0]], [2])
    """
    inputs = (
        *_floats(boxes, scores),
        _int(max_output_size_per_class),
        _int(max_total_size),
        *_floats(iou_threshold, score_threshold),
    )
    attrs = {"pad_per_class": pad_per_class, "clip_boxes": clip_boxes}
    return output_tuple("CombinedNonMaxSuppression")(*call("CombinedNonMaxSuppression", inputs, attrs, name))


# --- choosing, with results of a fixed size ---------------------------------------------------------------------------


def _ordered(boxes):
    """Boxes with the smaller corner first. As in TensorFlow, the first box decides for all which corner that is."""
    y1, x1, y2, x2 = arrange.split(boxes, 4, axis=2)

    def pair(a, b):
        right = a[0, 0, 0] <= b[0, 0, 0]
        return arithmetic.where(right, a, b), arithmetic.where(right, b, a)

    (top, bottom), (left, right) = pair(y1, y2), pair(x1, x2)
    return arrange.concat([top, left, bottom, right], axis=2)


def _overlap(a, b):
    """The shared part of the area of each pair of boxes: [batch, n, 4] and [batch, m, 4] give [batch, n, m]."""
    a, b = arrange.expand_dims(a, 2), arrange.expand_dims(b, 1)
    sides = arithmetic.minimum(a[..., 2:], b[..., 2:]) - arithmetic.maximum(a[..., :2], b[..., :2])
    shared = reduce.reduce_prod(arithmetic.maximum(sides, 0.0), -1)
    areas = [reduce.reduce_prod(x[..., 2:] - x[..., :2], -1) for x in (a, b)]
    return shared / (areas[0] + areas[1] - shared + 1e-8)


def _any(x):
    return reduce.reduce_any(x, 1)


def _survivors(own, over):
    """Which boxes of a tile no better box that stays overlaps: repeated until nothing changes."""

    def again(kept, _):
        better = own & ~_any(arrange.expand_dims(kept, 2) & over)
        return better, reduce.reduce_any(better != kept)

    shapes = [own.shape, constant(True).shape]
    return while_loop(lambda _, changed: changed, again, [own, constant(True)], shape_invariants=shapes)[0]


def _suppressed(boxes, iou_threshold, wanted, tile: int):
    """Which of the sorted boxes stay, and how many in each image.

    Tile after tile, until there are enough everywhere.
    """
    size = arrange.shape(boxes)
    order = creation.range(size[1])
    later = creation.range(tile)[:, None] < creation.range(tile)[None]

    def step(alive, counts, at):
        start = at * tile
        block = boxes[:, start : start + tile]
        before = alive & (order < start)[None]
        hit = _any(arrange.expand_dims(before, 2) & (_overlap(boxes, block) >= iou_threshold))
        own = alive[:, start : start + tile] & ~hit
        kept = _survivors(own, (_overlap(block, block) >= iou_threshold) & later[None])
        alive = arrange.concat([alive[:, :start], kept, alive[:, start + tile :]], 1)
        return alive, counts + reduce.reduce_sum(arithmetic.cast(kept, dtypes.int32), 1), at + 1

    def more(alive, counts, at):
        return (reduce.reduce_min(counts) < wanted) & (at < size[1] // tile)

    alive = reduce.reduce_any(boxes > 0, 2)
    counts = creation.zeros(size[:1], dtypes.int32)
    unknown = [type(alive.shape)(dims) for dims in ([None, None], [None], [])]
    return while_loop(more, step, [alive, counts, constant(0)], shape_invariants=unknown)[:2]


@export("image.non_max_suppression_padded")
def non_max_suppression_padded(
    boxes, scores, max_output_size, iou_threshold: float = 0.5, score_threshold: float = float("-inf"),
    pad_to_max_output_size: bool = False, name: str | None = None, sorted_input: bool = False,
    canonicalized_coordinates: bool = False, tile_size: int = 512,
):
    """Chooses the best boxes, for one image or a batch, in a result of fixed size.

    Boxes are compared `tile_size` at a time. A box whose numbers are all zero or negative is never chosen.

    Args:
      boxes: The boxes [y1, x1, y2, x2], of shape [..., count, 4].
      scores: The scores of the boxes, of shape [..., count].
      max_output_size: How many boxes to choose at most.
      iou_threshold: How much two boxes may overlap, as the part of their joint area that they share, from 0 to 1.
      score_threshold: Boxes with scores at or below this are not chosen.
      pad_to_max_output_size: Whether to fill up the indices with zeros; needed for a batch.
      name: A name for the operation.
      sorted_input: Whether the boxes come best first already.
      canonicalized_coordinates: Whether each box has its smaller corner first already.
      tile_size: How many boxes to compare at once.

    Returns:
      The indices of the chosen boxes, int32 of shape [..., `max_output_size`], or as many as there are if not padded;
      and how many are real.

    Raises:
      ValueError: There is a batch and `pad_to_max_output_size` is not set.

    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9], [2.0, 2.0, 3.0, 3.0]]
    >>> chosen, count = non_max_suppression_padded(boxes, [0.7, 0.9, 0.8], 4, pad_to_max_output_size=True)
    >>> chosen.numpy().tolist(), count.numpy().item()
    ([1, 2, 0, 0], 2)
    """
    boxes, scores, wanted = convert_to_tensor(boxes), convert_to_tensor(scores), _int(max_output_size)
    if not pad_to_max_output_size and boxes.shape.rank is not None and boxes.shape.rank > 2:
        raise ValueError(f"'pad_to_max_output_size' (value {pad_to_max_output_size}) must be True for batched input")
    lead, count = arrange.shape(boxes)[:-2], arrange.shape(boxes)[-2]
    flat, points = arrange.reshape(boxes, [-1, count, 4]), arrange.reshape(scores, [-1, count])
    if score_threshold != _NONE:
        high = points > score_threshold
        points = points * arithmetic.cast(high, points.dtype)
        flat = flat * arithmetic.cast(high, flat.dtype)[..., None]
    if not canonicalized_coordinates:
        flat = _ordered(flat)
    if not sorted_input:
        order = sorting.argsort(points, axis=1, direction="DESCENDING")
        flat = indexing.gather(flat, order, axis=1, batch_dims=1)
    total = -(-arithmetic.maximum(count, wanted) // tile_size) * tile_size
    padded = arrange.pad(arithmetic.cast(flat, dtypes.float32), [[0, 0], [0, total - count], [0, 0]])
    alive, counts = _suppressed(padded, iou_threshold, wanted, tile_size)
    real = arithmetic.minimum(counts, wanted)
    ranks = arithmetic.cast(alive, dtypes.int32) * creation.range(total, 0, -1)[None]
    chosen = arithmetic.minimum(total - sorting.top_k(ranks, wanted)[0], count - 1)
    if not sorted_input:
        chosen = indexing.gather(order, chosen, axis=1, batch_dims=1)
    chosen = arithmetic.where(creation.range(wanted)[None] < real[:, None], chosen, 0)
    real = arrange.reshape(real, lead)
    if not pad_to_max_output_size:
        return chosen[0, :real], real
    return arrange.reshape(chosen, arrange.concat([lead, wanted[None]], 0), name), real


# --- cutting out and drawing ------------------------------------------------------------------------------------------


@export("image.crop_and_resize")
def crop_and_resize(image, boxes, box_indices, crop_size, method="bilinear", extrapolation_value: Any = 0.0, name=None):
    """Crops boxes out of images and resizes them to one size.

    Args:
      image: Images [batch, height, width, channels].
      boxes: The boxes [y1, x1, y2, x2] on a scale from 0 to 1, float32 of shape [count, 4]; y1 > y2 flips.
      box_indices: The number of the image of each box, int32 of shape [count].
      crop_size: The height and width of the results.
      method: `"bilinear"` or `"nearest"`.
      extrapolation_value: What pixels outside the image become.
      name: A name for the operation.

    Returns:
      float32 crops, [count, crop height, crop width, channels].

    Raises:
      OutOfRangeError: A box index is out of range.
      InvalidArgumentError: The shapes do not fit.

    >>> x = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> crop_and_resize(x, [[0.5, 0.5, 1.0, 1.0]], [0], [2, 2])[0, ..., 0].numpy().tolist()
    [[4.0, 5.0], [7.0, 8.0]]
    """
    inputs = (convert_to_tensor(image), *_floats(boxes), _int(box_indices), _int(crop_size))
    attrs = {"method": method, "extrapolation_value": float(extrapolation_value)}
    return call("CropAndResize", inputs, attrs, name)


@export("image.extract_glimpse")
def extract_glimpse(input, size, offsets, centered=True, normalized=True, noise="uniform", name=None):
    """Cuts a window out of each image at its offset.

    Args:
      input: Images [batch, height, width, channels] of float32.
      size: The height and width of the windows.
      offsets: The place [y, x] of each window, float32 of shape [batch, 2].
      centered: Whether offsets are measured from the image's center to the window's, rather than between their upper
        left corners.
      normalized: Whether offsets are in units of the image's size, rather than in pixels.
      noise: What fills the part outside the image: `"uniform"`, `"gaussian"` or `"zero"`.
      name: A name for the operation.

    Returns:
      float32 windows, [batch, window height, window width, channels].

    >>> x = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> extract_glimpse(x, [2, 2], [[1.0, 1.0]], centered=False, normalized=False)[0, ..., 0].numpy().tolist()
    [[4.0, 5.0], [7.0, 8.0]]
    """
    attrs = {"centered": centered, "normalized": normalized, "noise": noise, "uniform_noise": False}
    image, places = _floats(input, offsets)
    return call("ExtractGlimpseV2", (image, _int(size), places), attrs, name)


@export("image.draw_bounding_boxes")
def draw_bounding_boxes(images, boxes, colors, name=None):
    """Draws the outlines of boxes on images.

    Args:
      images: Images [batch, height, width, channels], float32 or float16.
      boxes: The boxes [y1, x1, y2, x2] on a scale from 0 to 1, of shape [batch, count, 4].
      colors: The colors to cycle through, [count, channels]; None for ten default ones.
      name: A name for the operation.

    Returns:
      A tensor of the same shape and dtype.

    >>> draw_bounding_boxes(tf.zeros([1, 3, 3, 1]), [[[0.0, 0.0, 1.0, 1.0]]], [[0.5]])[0, ..., 0].numpy().tolist()
    [[0.5, 0.5, 0.5], [0.5, 0.0, 0.5], [0.5, 0.5, 0.5]]
    """
    if colors is None:
        return call("DrawBoundingBoxes", op_inputs("DrawBoundingBoxes", images, boxes), {}, name)
    return call("DrawBoundingBoxesV2", op_inputs("DrawBoundingBoxesV2", images, boxes, colors), {}, name)


# --- by lot -----------------------------------------------------------------------------------------------------------


def _options(aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes) -> dict:
    """The attributes of both ops; what is None keeps the op's default."""
    attrs = {
        "aspect_ratio_range": aspect_ratio_range,
        "area_range": area_range,
        "max_attempts": max_attempts,
        "use_image_if_no_bounding_boxes": use_image_if_no_bounding_boxes,
    }
    defaults = {
        "aspect_ratio_range": [0.75, 1.33],
        "area_range": [0.05, 1.0],
        "max_attempts": 100,
        "use_image_if_no_bounding_boxes": False,
    }
    return {k: defaults[k] if v is None else list(v) if isinstance(v, tuple) else v for k, v in attrs.items()}


_DISTORTED = """\
Args:
  min_object_covered: The part of a box that the crop must contain.
  aspect_ratio_range: The least and greatest width by height of the crop; `[0.75, 1.33]` by default.
  area_range: The least and greatest part of the image that the crop covers; `[0.05, 1.0]` by default.
  max_attempts: How many crops to try before the whole image is taken; 100 by default.
  use_image_if_no_bounding_boxes: Whether, without boxes, the whole image counts as one; False by default.
  name: A name for the operation.

Returns:
  A named tuple: `begin` and `size` for `tf.slice`, and `bboxes`, the crop as a box, float32 of shape [1, 1, 4].

Raises:
  InvalidArgumentError: There are no boxes and `use_image_if_no_bounding_boxes` is not set.
"""


@export("image.sample_distorted_bounding_box")
@with_sections(_DISTORTED)
def sample_distorted_bounding_box(
    image_size, bounding_boxes, seed: int = 0, min_object_covered: float = 0.1,
    aspect_ratio_range: Sequence[float] | None = None, area_range: Sequence[float] | None = None,
    max_attempts: int | None = None, use_image_if_no_bounding_boxes: bool | None = None, name: str | None = None,
):
    """Draws a random crop of an image that contains enough of one of the boxes.

    Args:
      image_size: [height, width, channels].
      bounding_boxes: The boxes [y1, x1, y2, x2] on a scale from 0 to 1, of shape [batch, count, 4].
      seed: A seed for the drawing; 0 for other crops at each call.

    Raises:
      ValueError: `seed` is 0 and op determinism is enabled.

    >>> begin, size, box = sample_distorted_bounding_box([40, 60, 3], [[[0.2, 0.2, 0.8, 0.8]]], seed=1)
    >>> begin.shape.as_list(), size.shape.as_list(), box.shape.as_list()
    ([3], [3], [1, 1, 4])
    """
    if seed:
        seeds = random_state.seed_attrs(seed)
    elif random_state.deterministic():
        raise ValueError(
            "tf.image.sample_distorted_bounding_box requires a non-zero seed to be passed in when determinism is "
            f'enabled, but got seed={seed}. Please pass in a non-zero seed, e.g. by passing "seed=1".'
        )
    else:
        seeds = {"seed": 0, "seed2": 0}
    options = _options(aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes)
    inputs = (convert_to_tensor(image_size), *_floats(bounding_boxes, min_object_covered))
    found = call("SampleDistortedBoundingBoxV2", inputs, {**seeds, **options}, name)
    return output_tuple("SampleDistortedBoundingBoxV2")(*found)


@export("image.stateless_sample_distorted_bounding_box")
@with_sections(_DISTORTED)
def stateless_sample_distorted_bounding_box(
    image_size, bounding_boxes, seed, min_object_covered: Any = 0.1, aspect_ratio_range=None, area_range=None,
    max_attempts=None, use_image_if_no_bounding_boxes=None, name=None,
):
    """Picks the crop of an image that belongs to a seed and contains enough of one of the boxes.

    Args:
      image_size: [height, width, channels].
      bounding_boxes: The boxes [y1, x1, y2, x2] on a scale from 0 to 1, of shape [batch, count, 4].
      seed: Two integers; the same seed gives the same crop.

    >>> found = stateless_sample_distorted_bounding_box([40, 60, 3], [[[0.2, 0.2, 0.8, 0.8]]], seed=(1, 2))
    >>> [part.shape.as_list() for part in found]
    [[3], [3], [1, 1, 4]]
    """
    options = _options(aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes)
    inputs = (convert_to_tensor(image_size), *_floats(bounding_boxes, min_object_covered), convert_to_tensor(seed))
    return output_tuple("StatelessSampleDistortedBoundingBox")(
        *call("StatelessSampleDistortedBoundingBox", inputs, options, name)
    )
