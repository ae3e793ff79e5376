"""`tf.image`: rotating, flipping and cropping images, also at random; brightness and contrast.

An image is [height, width, channels]; a batch has a leading axis.
"""

from __future__ import annotations

from typing import Any

from reflow.api.array import arrange, creation, indexing
from reflow.api.array.arrange import is_tensor
from reflow.api.call import call
from reflow.api.control import branches
from reflow.api.control.printing import assert_
from reflow.api.export import export, export_function, with_sections
from reflow.api.framework.core_names import control_dependencies
from reflow.api.image import sizes
from reflow.api.image.sizes import sides
from reflow.api.math import arithmetic, reduce, unary
from reflow.api.random import sampling
from reflow.api.scoped import scoped
from reflow.core import dtypes
from reflow.core.context import state
from reflow.function.control_flow import cond
from reflow.ops.convert import convert_to_tensor


def _picture(image):
    image = convert_to_tensor(image)
    if image.shape.rank is not None and image.shape.rank < 3:
        raise ValueError(f"'image' (shape {image.shape}) must be at least three-dimensional.")
    if image.shape.rank not in (3, 4, None):
        raise ValueError(f"'image' (shape {image.shape}) must have either 3 or 4 dimensions.")
    return image


def _transposed(x):
    return arrange.transpose(x, [1, 0, 2] if x.shape.rank == 3 else [0, 2, 1, 3])


#: what the docstrings of functions that flip images have in common, at random too
FLIP = """\
Args:
  image: An image [height, width, channels], or a batch of images [batch, height, width, channels].
  seed: {seed}.

Returns:
  A tensor of the same shape and dtype.

Raises:
  ValueError: `image` has not 3 or 4 axes.
"""


@export("image.flip_left_right")
@with_sections(FLIP)
@scoped("flip_left_right")
def flip_left_right(image):
    """Mirrors images left to right.

    >>> flip_left_right(tf.reshape(tf.range(4), [2, 2, 1]))[..., 0].numpy().tolist()
    [[1, 0], [3, 2]]
    """
    return arrange.reverse(_picture(image), [-2])


@export("image.flip_up_down")
@with_sections(FLIP)
@scoped("flip_up_down")
def flip_up_down(image):
    """Flips images upside down.

    >>> tf.image.flip_up_down(tf.constant([[[1]], [[2]]])).numpy().ravel().tolist()
    [2, 1]
    """
    return arrange.reverse(_picture(image), [-3])


@export("image.transpose")
def transpose(image, name=None):
    """Swaps the rows and columns of images.

    Args:
      image: An image [height, width, channels], or a batch of images [batch, height, width, channels].
      name: Has no effect.

    Returns:
      A tensor of the same dtype, with height and width exchanged.

    Raises:
      ValueError: `image` has not 3 or 4 axes.

    >>> tf.image.transpose(tf.constant([[[1], [2]]])).numpy()[..., 0].tolist()
    [[1], [2]]
    """
    return _transposed(_picture(image))


@export("image.rot90")
def rot90(image, k: Any = 1, name=None):
    """Rotates images counter-clockwise by right angles.

    Args:
      image: An image [height, width, channels], or a batch of images [batch, height, width, channels].
      k: By how many right angles.
      name: Has no effect.

    Returns:
      A tensor of the same dtype, with height and width exchanged if `k` is odd.

    Raises:
      ValueError: `image` has not 3 or 4 axes.

    >>> rot90(tf.reshape(tf.range(4), [2, 2, 1]))[..., 0].numpy().tolist()
    [[1, 3], [0, 2]]
    """
    image = _picture(image)
    turns = [
        lambda: image,
        lambda: arrange.reverse(_transposed(image), [-3]),
        lambda: arrange.reverse(image, [-3, -2]),
        lambda: _transposed(arrange.reverse(image, [-3])),
    ]
    k = convert_to_tensor(k, dtypes.int32)
    if k.shape.rank:
        raise ValueError(f"Shape {k.shape} must have rank 0")
    count = arrange.get_static_value(k)
    if count is not None:
        return turns[int(count) % 4]()
    return branches.switch_case(arithmetic.floormod(arithmetic.cast(k, dtypes.int32), 4), turns)


@export("image.central_crop")
def central_crop(image, central_fraction):
    """Cuts out the central part of images.

    Args:
      image: An image [height, width, channels], or a batch of images [batch, height, width, channels].
      central_fraction: The fraction of the height and of the width that is kept, in (0, 1].

    Returns:
      A tensor of the same dtype and rank.

    Raises:
      ValueError: `central_fraction` is out of range, or `image` has not 3 or 4 axes.

    >>> tf.image.central_crop(tf.reshape(tf.range(16), [4, 4, 1]), 0.5).numpy()[..., 0].tolist()
    [[5, 6], [9, 10]]
    """
    if not 0.0 < central_fraction <= 1.0:
        raise ValueError("central_fraction must be within (0, 1]")
    image = _picture(image)
    if central_fraction == 1.0:
        return image
    height, width = sides(image)
    top, left = _margin(height, central_fraction), _margin(width, central_fraction)
    return sizes.crop_to_bounding_box(image, top, left, height - 2 * top, width - 2 * left)


def _margin(side, fraction: float):
    """What is cut off at one end of a side, a number or a tensor."""
    if isinstance(side, int):
        return int((side - side * fraction) / 2)
    whole = arithmetic.cast(side, dtypes.float64)
    return arithmetic.cast((whole - whole * fraction) / 2, dtypes.int32)


@export("image.resize_with_crop_or_pad")
def resize_with_crop_or_pad(image, target_height, target_width):
    """Crops images, or pads them with zeros, equally on both sides to a given size.

    Args:
      image: An image [height, width, channels], or a batch of images [batch, height, width, channels].
      target_height: The height of the result.
      target_width: The width of the result.

    Returns:
      A tensor of the same dtype and rank, with the given height and width.

    Raises:
      ValueError: A target is not positive, or `image` has not 3 or 4 axes.

    >>> tf.image.resize_with_crop_or_pad(tf.ones([2, 4, 1]), 4, 2).numpy()[..., 0].tolist()
    [[0.0, 0.0], [1.0, 1.0], [1.0, 1.0], [0.0, 0.0]]
    """
    image = _picture(image)
    height, width = sides(image)
    image = sizes.crop_to_bounding_box(
        image, _larger(height - target_height, 0) // 2, _larger(width - target_width, 0) // 2,
        _smaller(height, target_height), _smaller(width, target_width),
    )
    return sizes.pad_to_bounding_box(
        image, _larger(target_height - height, 0) // 2, _larger(target_width - width, 0) // 2, target_height,
        target_width,
    )


def _larger(a, b):
    return max(a, b) if isinstance(a, int) and isinstance(b, int) else arithmetic.maximum(a, b)


def _smaller(a, b):
    return min(a, b) if isinstance(a, int) and isinstance(b, int) else arithmetic.minimum(a, b)


@export("image.grayscale_to_rgb")
def grayscale_to_rgb(images, name=None):
    """Repeats the one channel of gray images three times.

    Args:
      images: A tensor whose last axis has size 1.
      name: Has no effect.

    Returns:
      A tensor of the same dtype, with 3 channels in the last axis.

    Raises:
      ValueError: The last axis has another size.

    >>> tf.image.grayscale_to_rgb(tf.constant([[[7]]])).numpy().tolist()
    [[[7, 7, 7]]]
    """
    images = convert_to_tensor(images)
    if images.shape.rank and images.shape[-1] not in (1, None):
        raise ValueError("Last dimension of a grayscale image should be size 1.")
    return creation.repeat(images, 3, axis=-1)


# --- light ----------------------------------------------------------------------------------------------------------


def _as_float(image, change):
    """Transform an image as float32, and convert it back to its dtype."""
    image = convert_to_tensor(image)
    if image.dtype in (dtypes.float16, dtypes.float32):
        return change(image)
    convert = sizes.convert_image_dtype
    return convert(change(convert(image, dtypes.float32)), image.dtype, saturate=True)


@export("image.adjust_brightness")
def adjust_brightness(image, delta):
    """Adds a number to all pixels.

    Args:
      image: A tensor of floats, or of integers that use their whole range.
      delta: The number, on a scale from 0 to 1 also for integers.

    Returns:
      A tensor of the same shape and dtype; integers saturate.

    >>> tf.image.adjust_brightness(tf.constant([[[0.25]]]), 0.5).numpy().item()
    0.75
    """
    return _as_float(image, lambda x: x + arithmetic.cast(delta, x.dtype))


@export("image.adjust_contrast")
def adjust_contrast(images, contrast_factor):
    """Scales each channel of images around its mean.

    Args:
      images: An image [height, width, channels], or a batch of images [batch, height, width, channels].
      contrast_factor: The factor of the differences from the mean.

    Returns:
      A tensor of the same shape and dtype; integers saturate.

    >>> tf.image.adjust_contrast(tf.constant([[[1.0], [3.0]]]), 2.0).numpy().ravel().tolist()
    [0.0, 4.0]
    """

    def change(x):
        mean = reduce.reduce_mean(x, axis=[-3, -2], keepdims=True)
        return (x - mean) * arithmetic.cast(contrast_factor, x.dtype) + mean

    return _as_float(images, change)


@export("image.adjust_gamma")
def adjust_gamma(image, gamma: Any = 1, gain: Any = 1):
    """Computes `gain * image ** gamma` on a scale from 0 to 1.

    Args:
      image: A tensor of floats, or of integers that use their whole range.
      gamma: The power, at least 0; above 1 it darkens, below it brightens.
      gain: The factor.

    Returns:
      A tensor of the same shape and dtype; integers saturate.

    Raises:
      ValueError: `gamma` is a negative number.
      InvalidArgumentError: `gamma` is a negative tensor.

    >>> tf.image.adjust_gamma(tf.constant([[[0.5]]]), 2).numpy().item()
    0.25
    """
    words = "Gamma should be a non-negative real number."
    if is_tensor(gamma):
        with control_dependencies([assert_(arithmetic.greater_equal(gamma, 0), [words])]):
            gamma = arrange.identity(gamma)
    elif gamma < 0:
        raise ValueError(words)
    return _as_float(image, lambda x: gain * arithmetic.pow(x, arithmetic.cast(gamma, x.dtype)))


@export("image.adjust_saturation")
def adjust_saturation(image, saturation_factor, name=None):
    """Multiplies the saturation of RGB images.

    Args:
      image: A tensor with 3 channels in the last axis.
      saturation_factor: The factor; 0 gives gray.
      name: Has no effect.

    Returns:
      A tensor of the same shape and dtype.

    >>> tf.image.adjust_saturation(tf.constant([[[1.0, 0.5, 0.5]]]), 0.0).numpy().ravel().tolist()
    [1.0, 1.0, 1.0]
    """
    return _as_float(image, lambda x: call("AdjustSaturation", (x, arithmetic.cast(saturation_factor, dtypes.float32))))


@export("image.adjust_hue")
def adjust_hue(image, delta, name=None):
    """Rotates the hue of RGB images.

    Args:
      image: A tensor with 3 channels in the last axis.
      delta: The part of the full circle to rotate by, in [-1, 1].
      name: Has no effect.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      ValueError: `delta` is out of range, in eager code.

    >>> tf.image.adjust_hue(tf.constant([[[1.0, 0.0, 0.0]]]), 0.5).numpy().ravel().tolist()
    [0.0, 1.0, 1.0]
    """
    if state.graph is None and not -1 <= delta <= 1:
        raise ValueError("delta must be in the interval [-1, 1]")
    return _as_float(image, lambda x: call("AdjustHue", (x, arithmetic.cast(delta, dtypes.float32))))


@export("image.per_image_standardization")
@scoped("per_image_standardization", result=True)
def per_image_standardization(image):
    """Scales each image to mean 0 and variance 1; its deviation counts as at least `1 / sqrt(number of values)`.

    Args:
      image: Images [..., height, width, channels].

    Returns:
      float32 of the same shape, or float16 for float16 images.

    >>> tf.image.per_image_standardization(tf.constant([[[1.0], [3.0]]])).numpy().ravel().tolist()
    [-1.0, 1.0]
    """
    image = convert_to_tensor(image)
    x = image if image.dtype is dtypes.float16 else arithmetic.cast(image, dtypes.float32)
    count = arithmetic.cast(reduce.reduce_prod(arrange.shape(x)[-3:]), x.dtype)
    mean = reduce.reduce_mean(x, axis=[-1, -2, -3], keepdims=True)
    deviation = reduce.reduce_std(x, axis=[-1, -2, -3], keepdims=True)
    return (x - mean) / arithmetic.maximum(deviation, unary.rsqrt(count))


# --- at random ------------------------------------------------------------------------------------------------------


def random_flip(image, flip, uniform):
    """Each picture flipped or not; `uniform(shape)` draws numbers from 0 to 1."""
    image = _picture(image)

    def one():
        return cond(uniform([]) < 0.5, lambda: flip(image), lambda: image)

    def several():
        chosen = uniform([arrange.shape(image)[0]])
        chosen = arithmetic.cast(unary.round(arrange.reshape(chosen, [-1, 1, 1, 1])), image.dtype)
        return chosen * flip(image) + (1 - chosen) * image

    if image.shape.rank is None:
        return cond(arithmetic.equal(arrange.rank(image), 3), one, several)
    return one() if image.shape.rank == 3 else several()


def _random_flip(public, flip, how, image):
    def function(image, seed=None):
        return random_flip(image, flip, lambda shape: sampling.uniform(shape, seed=seed))

    sections = FLIP.format(seed="A seed for the drawing")
    example = f"""
    >>> sorted(tf.image.{public}(tf.constant({image})).numpy().ravel().tolist())
    [1, 2]
    """
    doc = f"{how} with probability one half; each image of a batch on its own.\n\n{sections}"
    return export_function(function, f"image.{public}", doc=doc, example=example)


random_flip_left_right = _random_flip(
    "random_flip_left_right", flip_left_right, "Mirrors images left to right", [[[1], [2]]]
)
random_flip_up_down = _random_flip("random_flip_up_down", flip_up_down, "Flips images upside down", [[[1]], [[2]]])


@export("image.random_brightness")
def random_brightness(image, max_delta, seed=None):
    """Changes the brightness by a random number, as `adjust_brightness` does.

    Args:
      image: A tensor of floats, or of integers that use their whole range.
      max_delta: By how much at most, up or down, on a scale from 0 to 1.
      seed: A seed for the drawing.

    Returns:
      A tensor of the same shape and dtype; integers saturate.

    Raises:
      ValueError: `max_delta` is negative.

    >>> tf.image.random_brightness(tf.zeros([4, 4, 3]), 0.2).shape
    TensorShape([4, 4, 3])
    """
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return adjust_brightness(image, sampling.uniform([], -max_delta, max_delta, seed=seed))


def factor_range(lower, upper):
    """ValueError unless 0 <= lower < upper."""
    if upper <= lower:
        raise ValueError("upper must be > lower.")
    if lower < 0:
        raise ValueError("lower must be non-negative.")


#: what the docstrings of functions have in common that change colors by a random factor
RANDOM_FACTOR = """\
Args:
  image: {image}.
  lower: The least factor.
  upper: The greatest factor; it is itself not drawn.
  seed: {seed}.

Returns:
  A tensor of the same shape and dtype{integers}.

Raises:
  ValueError: Not `0 <= lower < upper`.
"""
#: what stands in it for `adjust_contrast` and for `adjust_saturation`
CONTRAST = {
    "image": "An image [height, width, channels], or a batch of images [batch, height, width, channels]",
    "integers": "; integers saturate",
}
SATURATION = {"image": "A tensor with 3 channels in the last axis", "integers": ""}


def _by_random_factor(public, adjust, doc, words):
    def function(image, lower, upper, seed=None):
        factor_range(lower, upper)
        return adjust(image, sampling.uniform([], lower, upper, seed=seed))

    doc = f"{doc}\n\n{RANDOM_FACTOR.format(seed='A seed for the drawing', **words)}"
    example = f"""
    >>> tf.image.{public}(tf.zeros([4, 4, 3]), 0.5, 1.5).shape
    TensorShape([4, 4, 3])
    """
    return export_function(function, f"image.{public}", doc=doc, example=example)


random_contrast = _by_random_factor(
    "random_contrast", adjust_contrast,
    "Changes the contrast by a random factor, as `adjust_contrast` does.", CONTRAST,
)
random_saturation = _by_random_factor(
    "random_saturation", adjust_saturation,
    "Changes the saturation of RGB images by a random factor.", SATURATION,
)


@export("image.random_hue")
def random_hue(image, max_delta, seed=None):
    """Rotates the hue of RGB images by a random angle.

    Args:
      image: A tensor with 3 channels in the last axis.
      max_delta: By which part of the full circle at most, in either direction, from 0 to 0.5.
      seed: A seed for the drawing.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      ValueError: `max_delta` is out of range.

    >>> tf.image.random_hue(tf.zeros([4, 4, 3]), 0.1).shape
    TensorShape([4, 4, 3])
    """
    if not 0 <= max_delta <= 0.5:
        raise ValueError("max_delta must be <= 0.5." if max_delta > 0.5 else "max_delta must be non-negative.")
    return adjust_hue(image, sampling.uniform([], -max_delta, max_delta, seed=seed))


@export("image.random_crop")
@scoped("random_crop", result=True)
def random_crop(value, size, seed=None, name=None):
    """Cuts out a part of a given size at a random position.

    Args:
      value: A tensor of any shape.
      size: The size of the part along each axis.
      seed: A seed for the drawing.
      name: Has no effect.

    Returns:
      A tensor of the same dtype, of shape `size`.

    Raises:
      InvalidArgumentError: `size` exceeds the shape of `value`.

    >>> tf.image.random_crop(tf.zeros([4, 4, 3]), [2, 2, 3]).shape
    TensorShape([2, 2, 3])
    """
    value = convert_to_tensor(value)
    size = convert_to_tensor(size, dtypes.int32)
    whole_shape = arrange.shape(value)
    fits = reduce.reduce_all(whole_shape >= size)
    assert_(fits, ["Need value.shape >= size, got ", whole_shape, size], summarize=1000)
    limit = whole_shape - size + 1
    whole = convert_to_tensor(2**31 - 1, dtypes.int32)
    offset = sampling.uniform([value.shape.rank], maxval=whole, dtype=dtypes.int32, seed=seed) % limit
    return indexing.slice(value, offset, size)
