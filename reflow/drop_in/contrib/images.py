"""`tf.contrib.image`: images turned, moved and projected."""

from __future__ import annotations

from typing import Any

from reflow.api.array import arrange, creation
from reflow.api.call import call
from reflow.api.math import arithmetic, unary
from reflow.core import dtypes
from reflow.ops.convert import convert_to_tensor

_INTERPOLATIONS = ("NEAREST", "BILINEAR")


def angles_to_projective_transforms(angles, image_height, image_width, name=None):
    """The projection that turns an image about its centre, for each angle: 8 numbers."""
    angles = convert_to_tensor(angles, dtypes.float32)
    angles = arrange.reshape(angles, [-1]) if angles.shape.rank == 0 else angles
    height, width = (arithmetic.cast(size, dtypes.float32) - 1 for size in (image_height, image_width))
    cos, sin = unary.cos(angles), unary.sin(angles)
    x = (width - (cos * width - sin * height)) / 2.0
    y = (height - (sin * width + cos * height)) / 2.0
    zero = creation.zeros_like(angles)
    return arrange.stack([cos, -sin, x, sin, cos, y, zero, zero], 1)


def translations_to_projective_transforms(translations, name=None):
    """The projection that moves an image by [dx, dy], for each pair: 8 numbers."""
    moves = convert_to_tensor(translations, dtypes.float32)
    moves = moves[None] if moves.shape.rank == 1 else moves
    one, zero = creation.ones_like(moves[:, 0]), creation.zeros_like(moves[:, 0])
    return arrange.stack([one, zero, -moves[:, 0], zero, one, -moves[:, 1], zero, zero], 1)


def transform(images, transforms, output_shape=None, interpolation="NEAREST", name=None):
    """Transforms images by a projection: 8 numbers, or 8 for each image."""
    if interpolation not in _INTERPOLATIONS:
        raise ValueError(f"interpolation must be one of {_INTERPOLATIONS}. Received: {interpolation}")
    images, transforms = convert_to_tensor(images), convert_to_tensor(transforms, dtypes.float32)
    rank = images.shape.rank
    if rank not in (2, 3, 4):
        raise TypeError(f"Images should have rank between 2 and 4. Received: {rank}")
    batch = images[None, :, :, None] if rank == 2 else images[None] if rank == 3 else images
    size = arrange.shape(batch)[1:3] if output_shape is None else convert_to_tensor(output_shape, dtypes.int32)
    transforms = transforms[None] if transforms.shape.rank == 1 else transforms
    modes = {"interpolation": interpolation, "fill_mode": "CONSTANT"}
    found = call("ImageProjectiveTransformV3", (batch, transforms, size, convert_to_tensor(0.0)), modes, name)
    return found[0, :, :, 0] if rank == 2 else found[0] if rank == 3 else found


def _size(images: Any) -> tuple[Any, Any]:
    shape = arrange.shape(images)
    return (shape[0], shape[1]) if convert_to_tensor(images).shape.rank in (2, 3) else (shape[1], shape[2])


def rotate(images, angles, interpolation="NEAREST", name=None):
    """Rotates images counterclockwise by angles in radians."""
    return transform(
        images, angles_to_projective_transforms(angles, *_size(images)), interpolation=interpolation, name=name
    )


def translate(images, translations, interpolation="NEAREST", name=None):
    """Translates images by [dx, dy] pixels."""
    return transform(
        images, translations_to_projective_transforms(translations), interpolation=interpolation, name=name
    )
