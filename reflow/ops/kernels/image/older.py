"""Older image ops that newer ops also cover: color adjustments, older forms of boxes and glimpses."""

from __future__ import annotations

import numpy as np

from reflow.core.errors import InvalidArgumentError
from reflow.ops import random_state, require
from reflow.ops import shape_rules as rules
from reflow.ops.kernels.image import colors, distorted, glimpses, transform
from reflow.ops.kernels.image.boxes import kept_boxes
from reflow.ops.kernels.image.crops import no_gradient
from reflow.ops.registry import NO_GRADIENT, op

F32 = np.dtype(np.float32)


# --- colours ----------------------------------------------------------------------------------------------------------


def _require_image(images):
    if images.ndim < 3:
        raise ValueError(f"input must be at least 3-D, got shape{rules.text(images.shape)}")


@op("AdjustContrastv2", fits="3+ 0", shape=rules.same, nondiff=("contrast_factor",))
def adjust_contrast(xp, images, contrast_factor):
    """Each channel moved away from its mean, or towards it."""
    require.scalar("contrast_factor", contrast_factor)
    _require_image(images)
    wide = xp.cast(images, F32)
    mean = xp.mean(wide, (-3, -2), True)
    return xp.cast(xp.add(xp.multiply(xp.subtract(wide, mean), contrast_factor), mean), images.dtype)


@op("AdjustContrast", shape=rules.same, grad=NO_GRADIENT)
def adjust_contrast_within(xp, images, contrast_factor, min_value, max_value):
    """Each channel moved away from its mean, or towards it, in 32 bits; results are limited to a range."""
    require.scalars(min_value=min_value, max_value=max_value)
    changed = adjust_contrast.kernel(xp, xp.cast(images, F32), contrast_factor)
    return xp.minimum(xp.maximum(changed, min_value), max_value)


def _require_colours(images):
    _require_image(images)
    if images.shape[-1] != 3:
        raise InvalidArgumentError(
            None, None, f"input must have 3 channels but instead has {images.shape[-1]} channels."
        )


@op("AdjustHue", fits="3+", shape=rules.same, grad=no_gradient("AdjustHue"))
def adjust_hue(xp, images, delta):
    """The hue turned by `delta` of a full turn.

    Of each pixel the smallest and the largest channel stay what they are, to the bit.
    """
    require.scalar("delta", delta)
    _require_colours(images)
    wide = xp.cast(images, F32)
    hue = xp.unstack(colors.rgb_to_hsv.kernel(xp, wide), 3, -1)[0]
    low, high = xp.min(wide, (-1,)), xp.max(wide, (-1,))

    def channel(weight):
        between = xp.add(low, xp.multiply(weight, xp.subtract(high, low)))
        return xp.select(xp.equal(weight, xp.const(1, weight)), high, between)

    turned = xp.floor_mod(xp.add(hue, delta), xp.const(1, hue))
    return xp.cast(xp.stack([channel(weight) for weight in colors.hue_weights(xp, turned)], -1), images.dtype)


@op("AdjustSaturation", fits="3+", shape=rules.same, grad=no_gradient("AdjustSaturation"))
def adjust_saturation(xp, images, scale):
    """The saturation times `scale`, at most 1."""
    require.scalar("scale", scale)
    _require_colours(images)
    hue, saturation, value = xp.unstack(colors.rgb_to_hsv.kernel(xp, xp.cast(images, F32)), 3, -1)
    scaled = xp.maximum(xp.minimum(xp.multiply(saturation, scale), xp.const(1, hue)), xp.const(0, hue))
    return xp.cast(colors.hsv_to_rgb.kernel(xp, xp.stack([hue, scaled, value], -1)), images.dtype)


# --- boxes ------------------------------------------------------------------------------------------------------------


def _lowest() -> np.ndarray:
    return np.array(-np.inf, F32)


@op(
    "NonMaxSuppression", fits="[n,4] [n] 0", shape=lambda f: [(None,)], grad=no_gradient("NonMaxSuppression"),
    host=True,
)
def non_max_suppression(_, boxes, scores, max_output_size, iou_threshold=0.5):
    return kept_boxes(boxes, scores, max_output_size, np.array(iou_threshold, F32), _lowest(), keep_nan=True)


@op(
    "NonMaxSuppressionV2", fits="[n,4] [n] 0 0", shape=lambda f: [(None,)], grad=no_gradient("NonMaxSuppressionV2"),
    host=True,
)
def non_max_suppression_v2(_, boxes, scores, max_output_size, iou_threshold):
    return kept_boxes(boxes, scores, max_output_size, iou_threshold, _lowest(), keep_nan=True)


@op("SampleDistortedBoundingBox", fits="[3] [_,_,4]", shape=distorted.box_shapes, grad=NO_GRADIENT, host=True)
def sample_distorted_bounding_box(_, image_size, bounding_boxes, min_object_covered=0.1, **attrs):
    share = np.array(min_object_covered, F32)
    cell = attrs.get("_counter") or random_state.eager_cell("SampleDistortedBoundingBox", attrs)
    return distorted.sample_distorted_bounding_box.kernel(
        _, image_size, bounding_boxes, share, **{**attrs, "_counter": cell}
    )


# --- windows ----------------------------------------------------------------------------------------------------------


def _transform_grad(attrs, inputs, outputs, cotangents, wanted):
    return (*transform.projective_grad(attrs, (*inputs, None), outputs, cotangents, wanted)[:1], None, None)


@op(
    "ImageProjectiveTransformV2", fits="4 * [2]", shape=transform.transformed_shape, static=("output_shape",),
    nondiff=("transforms",), grad_tensors=_transform_grad,
)
def image_projective_transform(xp, images, transforms, output_shape, interpolation, fill_mode="CONSTANT"):
    zero = xp.asarray(np.zeros((), F32), F32)
    return transform.image_projective_transform.kernel(
        xp, images, transforms, output_shape, zero, interpolation, fill_mode
    )


@op(
    "ExtractGlimpse", fits="[n,_,_,_] [2] [n,2]", shape=glimpses.glimpse_shape, static=("size",),
    grad=no_gradient("ExtractGlimpse"), host=True,
)
def extract_glimpse(_, input, size, offsets, centered=True, normalized=True, uniform_noise=True, noise="uniform"):
    corner = glimpses.corner_from_centre
    return glimpses.glimpses(input, size, offsets, centered, normalized, uniform_noise, noise, corner)
