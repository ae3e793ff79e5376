"""`tf.image`: random transformations that depend only on a seed of two integers; and JPEG quality."""

from __future__ import annotations

from reflow.api.array import arrange, indexing
from reflow.api.control import printing
from reflow.api.export import export, export_function, with_sections
from reflow.api.image import files, geometry
from reflow.api.image.geometry import (
    CONTRAST,
    FLIP,
    RANDOM_FACTOR,
    SATURATION,
    factor_range,
    flip_left_right,
    flip_up_down,
    random_flip,
)
from reflow.api.math import reduce
from reflow.api.random import sampling
from reflow.core import dtypes
from reflow.ops.convert import convert_to_tensor

_SEED = "Two integers; the same seed gives the same result"


def _between(low, high, seed):
    return sampling.stateless_uniform([], seed, low, high)


def _random_flip(public, flip, how, flipped):
    def function(image, seed):
        return random_flip(image, flip, lambda shape: sampling.stateless_uniform(shape, seed))

    sections = FLIP.format(seed=_SEED)
    example = f"""
    >>> {public}(tf.reshape(tf.range(4), [2, 2, 1]), seed=(2, 3))[..., 0].numpy().tolist()
    {flipped}
    """
    doc = f"{how} or not, depending on the seed; each image of a batch on its own.\n\n{sections}"
    return export_function(function, f"image.{public}", doc=doc, example=example)


stateless_random_flip_left_right = _random_flip(
    "stateless_random_flip_left_right", flip_left_right, "Mirrors images left to right", [[1, 0], [3, 2]]
)
stateless_random_flip_up_down = _random_flip(
    "stateless_random_flip_up_down", flip_up_down, "Flips images upside down", [[2, 3], [0, 1]]
)


@export("image.stateless_random_brightness")
def stateless_random_brightness(image, max_delta, seed):
    """Changes the brightness by a number that depends on the seed, as `adjust_brightness` does.

    Args:
      image: A tensor of floats, or of integers that use their whole range.
      max_delta: By how much at most, up or down, on a scale from 0 to 1.
      seed: Two integers; the same seed gives the same result.

    Returns:
      A tensor of the same shape and dtype; integers saturate.

    Raises:
      ValueError: `max_delta` is negative.

    >>> stateless_random_brightness(tf.zeros([1, 1, 1]), 0.0, seed=(1, 2)).numpy().tolist()
    [[[0.0]]]
    """
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return geometry.adjust_brightness(image, _between(-max_delta, max_delta, seed))


@export("image.stateless_random_contrast")
@with_sections(RANDOM_FACTOR, seed=_SEED, **CONTRAST)
def stateless_random_contrast(image, lower, upper, seed):
    """Changes the contrast by a factor that depends on the seed, as `adjust_contrast` does.

    >>> stateless_random_contrast(tf.ones([1, 2, 1]), 0.5, 0.9, seed=(1, 2)).numpy().tolist()
    [[[1.0], [1.0]]]
    """
    factor_range(lower, upper)
    return geometry.adjust_contrast(image, _between(lower, upper, seed))


@export("image.stateless_random_saturation")
@with_sections(RANDOM_FACTOR, seed=f"{_SEED}. It must be given", **SATURATION)
def stateless_random_saturation(image, lower, upper, seed=None):
    """Changes the saturation of RGB images by a factor that depends on the seed.

    >>> stateless_random_saturation(tf.ones([1, 1, 3]), 0.5, 0.9, seed=(1, 2)).numpy().tolist()
    [[[1.0, 1.0, 1.0]]]
    """
    factor_range(lower, upper)
    return geometry.adjust_saturation(image, _between(lower, upper, seed))


@export("image.stateless_random_hue")
def stateless_random_hue(image, max_delta, seed):
    """Rotates the hue of RGB images by an angle that depends on the seed.

    Args:
      image: A tensor with 3 channels in the last axis.
      max_delta: By which part of the full circle at most, in either direction, from 0 to 0.5.
      seed: Two integers; the same seed gives the same result.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      ValueError: `max_delta` is out of range.

    >>> stateless_random_hue(tf.ones([1, 1, 3]), 0.5, seed=(1, 2)).numpy().tolist()
    [[[1.0, 1.0, 1.0]]]
    """
    if max_delta > 0.5:
        raise ValueError("max_delta must be <= 0.5.")
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return geometry.adjust_hue(image, _between(-max_delta, max_delta, seed))


@export("image.stateless_random_crop")
def stateless_random_crop(value, size, seed, name=None):
    """Cuts out a part of a given size, at a position that depends on the seed.

    Args:
      value: A tensor of any shape.
      size: The size of the part along each axis.
      seed: Two integers; the same seed gives the same result.
      name: A name for the operation.

    Returns:
      A tensor of the same dtype, of shape `size`.

    Raises:
      InvalidArgumentError: `size` exceeds the shape of `value`.

    >>> stateless_random_crop(tf.range(5), [2], seed=(1, 2)).shape.as_list()
    [2]
    """
    value, size = convert_to_tensor(value), convert_to_tensor(size, dtypes.int32)
    shape = arrange.shape(value)
    fits = reduce.reduce_all(shape >= size)
    printing.assert_(fits, ["Need value.shape >= size, got ", shape, size], summarize=1000)
    whole = convert_to_tensor(dtypes.int32.max, dtypes.int32)
    drawn = sampling.stateless_uniform(arrange.shape(shape), seed, maxval=whole, dtype=dtypes.int32)
    return indexing.slice(value, drawn % (shape - size + 1), size, name)


# --- JPEG files -------------------------------------------------------------------------------------------------------


def _qualities(low, high):
    if not (0 <= low <= 100 and 0 <= high <= 100):
        raise ValueError("jpeg encoding range must be between 0 and 100.")
    if low >= high:
        raise ValueError("`min_jpeg_quality` must be less than `max_jpeg_quality`.")


@export("image.random_jpeg_quality")
def random_jpeg_quality(image, min_jpeg_quality, max_jpeg_quality, seed=None):
    """Returns an image as it looks after JPEG compression with a random quality.

    Args:
      image: An image [height, width, channels] with 1 or 3 channels.
      min_jpeg_quality: The least quality, at least 0.
      max_jpeg_quality: The greatest quality, at most 100; it is itself not drawn.
      seed: A seed for the drawing.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      ValueError: A bound is not in [0, 100], or the least is not below the greatest.

    >>> random_jpeg_quality(tf.ones([8, 8, 3]), 90, 95)[0, 0].numpy().tolist()
    [1.0, 1.0, 1.0]
    """
    _qualities(min_jpeg_quality, max_jpeg_quality)
    quality = sampling.uniform([], min_jpeg_quality, max_jpeg_quality, dtypes.int32, seed)
    return files.adjust_jpeg_quality(image, quality)


@export("image.stateless_random_jpeg_quality")
def stateless_random_jpeg_quality(image, min_jpeg_quality, max_jpeg_quality, seed):
    """Returns an image as it looks after JPEG compression with a quality that depends on the seed.

    Args:
      image: An image [height, width, channels] with 1 or 3 channels.
      min_jpeg_quality: The least quality, at least 0.
      max_jpeg_quality: The greatest quality, at most 100; it is itself not drawn.
      seed: Two integers; the same seed gives the same result.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      ValueError: A bound is not in [0, 100], or the least is not below the greatest.

    >>> stateless_random_jpeg_quality(tf.ones([8, 8, 3]), 75, 95, seed=(1, 2))[0, 0].numpy().tolist()
    [1.0, 1.0, 1.0]
    """
    _qualities(min_jpeg_quality, max_jpeg_quality)
    bounds = min_jpeg_quality, max_jpeg_quality
    quality = sampling.stateless_uniform([], seed, *bounds, dtype=dtypes.int32)
    return files.adjust_jpeg_quality(image, quality)
