"""`tf.image`: image similarity, total variation, and the color spaces YIQ and YUV."""

from __future__ import annotations

import math
from typing import Any

from reflow.api.array import arrange, creation
from reflow.api.debugging import asserts
from reflow.api.export import export, export_function
from reflow.api.image import sizes
from reflow.api.image.sizes import comparable, similarity
from reflow.api.linalg import products
from reflow.api.math import arithmetic, reduce, unary
from reflow.api.nn import activations, pool
from reflow.core import dtypes
from reflow.ops.convert import convert_to_tensor

# --- differences between neighbours -----------------------------------------------------------------------------------


def _steps(images, axis: int):
    """Each pixel's successor along an axis, less the pixel."""
    whole = slice(None)
    behind = [whole] * images.shape.rank
    ahead = list(behind)
    behind[axis], ahead[axis] = slice(None, -1), slice(1, None)
    return images[tuple(ahead)] - images[tuple(behind)]


@export("image.total_variation")
def total_variation(images, name=None):
    """Sums up the differences between neighboring pixels, a measure of noise.

    Args:
      images: An image [height, width, channels], or a batch of images [batch, height, width, channels].
      name: A name for the operation.

    Returns:
      A scalar of the same dtype, or for a batch a vector with a number for each image.

    Raises:
      ValueError: `images` has not 3 or 4 axes.

    >>> total_variation(tf.constant([[[1.0], [3.0]], [[2.0], [2.0]]])).numpy().item()
    4.0
    """
    images = convert_to_tensor(images)
    if images.shape.rank not in (3, 4):
        raise ValueError("'images' must be either 3 or 4-dimensional.")
    axes = None if images.shape.rank == 3 else [1, 2, 3]
    down, across = (reduce.reduce_sum(unary.abs(_steps(images, axis)), axes) for axis in (-3, -2))
    return arithmetic.add(down, across, name)


@export("image.image_gradients")
def image_gradients(image):
    """Computes the differences to the pixel below and to the pixel on the right, zero in the last row and column.

    Args:
      image: Images [batch, height, width, channels].

    Returns:
      (dy, dx), two tensors of the shape and dtype of `image`.

    Raises:
      ValueError: `image` has not 4 axes.

    >>> dy, dx = image_gradients(tf.reshape(tf.range(4.0), [1, 2, 2, 1]))
    >>> dy[0, ..., 0].numpy().tolist(), dx[0, ..., 0].numpy().tolist()
    ([[2.0, 2.0], [0.0, 0.0]], [[1.0, 0.0], [1.0, 0.0]])
    """
    image = convert_to_tensor(image)
    if image.shape.rank != 4:
        raise ValueError(f"image_gradients expects a 4D tensor [batch_size, h, w, d], not {image.shape}.")

    def differences(axis):
        paddings = [[0, int(i == axis)] for i in range(4)]
        out = arrange.pad(_steps(image, axis), paddings)
        out.set_shape(image.shape)
        return out

    return differences(1), differences(2)


# --- alike or not -----------------------------------------------------------------------------------------------------


@export("image.psnr")
def psnr(a, b, max_val, name=None):
    """Computes the peak signal-to-noise ratio of pairs of images in decibels, infinite for equal ones.

    Args:
      a: Images [..., height, width, channels].
      b: Images of the same shape.
      max_val: The difference between the greatest and the least value that a pixel can have.
      name: A name for the operation.

    Returns:
      float32 with a number for each pair, of shape `a.shape[:-3]`.

    Raises:
      InvalidArgumentError: The shapes do not fit, or there are less than 3 axes.

    >>> psnr(tf.zeros([2, 2, 1]), tf.fill([2, 2, 1], 0.1), 1.0).numpy().round(3).item()
    20.0
    """
    a, b = convert_to_tensor(a), convert_to_tensor(b)
    x, y = (sizes.convert_image_dtype(z, dtypes.float32) for z in (a, b))
    error = reduce.reduce_mean(arithmetic.squared_difference(x, y), [-3, -2, -1])
    _, _, peak = comparable(a, b, max_val)
    if a.shape.num_elements() is None or b.shape.num_elements() is None:
        asserts.assert_equal(arrange.shape(a)[-3:], arrange.shape(b)[-3:])
    loudest = 20 * unary.log(peak) / unary.log(10.0)
    return arithmetic.subtract(loudest, 10 / math.log(10) * unary.log(error), name)


def _halved(images):
    """Half the height and width: means of 2 x 2 pixels, after repeating the last row or column of an odd one."""
    size = arrange.shape(images)
    flat = arrange.reshape(images, arrange.concat([[-1], size[-3:]], 0))
    odd = size[-3:-1] % 2
    zero = creation.zeros_like(odd)
    paddings = arrange.pad(arrange.stack([zero, odd], 1), [[1, 1], [0, 0]])
    flat = arrange.pad(flat, paddings, mode="SYMMETRIC")
    small = pool.avg_pool2d(flat, 2, 2, "VALID")
    return arrange.reshape(small, arrange.concat([size[:-3], arrange.shape(small)[1:]], 0))


@export("image.ssim_multiscale")
def ssim_multiscale(
    img1, img2, max_val, power_factors: Any = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333), filter_size=11,
    filter_sigma: Any = 1.5, k1: Any = 0.01, k2: Any = 0.03,
):
    """Computes the structural similarity of images at several scales (Wang et al., 2003).

    Each scale has half the size of the last. The result is the product of contrast and structure at each scale and the
    brightness at the last one, each to its power.

    Args:
      img1: Images [..., height, width, channels].
      img2: Images of the same shape.
      max_val: The difference between the greatest and the least value that a pixel can have.
      power_factors: The power of each scale; as many as there are scales.
      filter_size: The size of the Gaussian window.
      filter_sigma: The width of the Gaussian.
      k1: A small factor that stabilizes the comparison of brightness.
      k2: A small factor that stabilizes the comparison of contrast.

    Returns:
      float32 in [0, 1] with a number for each pair, of shape `img1.shape[:-3]`.

    Raises:
      ValueError: The shapes do not fit, or there are less than 3 axes.
      InvalidArgumentError: At a scale the images are smaller than the window.

    >>> x = tf.ones([1, 22, 22, 1])
    >>> ssim_multiscale(x, x, 1.0, power_factors=[0.5, 0.5]).numpy().tolist()
    [1.0]
    """
    x, y, max_val = comparable(convert_to_tensor(img1), convert_to_tensor(img2), max_val)
    factors = []
    for scale in range(len(power_factors)):
        if scale:
            x, y = _halved(x), _halved(y)
        both, structure = similarity(x, y, max_val, filter_size, filter_sigma, k1, k2)
        last = scale == len(power_factors) - 1
        factors.append(activations.relu(reduce.reduce_mean(both if last else structure, [-3, -2])))
    powers = arithmetic.cast(power_factors, dtypes.float32)
    product = reduce.reduce_prod(arithmetic.pow(arrange.stack(factors, -1), powers), [-1])
    return reduce.reduce_mean(product, [-1])


# --- colours: one brightness and two colour differences ---------------------------------------------------------------

_RGB_TO_YIQ = [[0.299, 0.59590059, 0.2115], [0.587, -0.27455667, -0.52273617], [0.114, -0.32134392, 0.31119955]]
_YIQ_TO_RGB = [[1, 1, 1], [0.95598634, -0.27201283, -1.10674021], [0.6208248, -0.64720424, 1.70423049]]
_RGB_TO_YUV = [[0.299, -0.14714119, 0.61497538], [0.587, -0.28886916, -0.51496512], [0.114, 0.43601035, -0.10001026]]
_YUV_TO_RGB = [[1, 1, 1], [0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0]]


def _colour_space(matrix: list, public: str, source: str, target: str):
    def function(images):
        images = convert_to_tensor(images)
        return products.tensordot(images, convert_to_tensor(matrix, images.dtype), [[images.shape.rank - 1], [0]])

    doc = f"""Converts {source} to {target}.

    Args:
      images: A tensor of floats with {source} in the last axis, of size 3.

    Returns:
      A tensor of the same shape and dtype, with {target} in the last axis.

    >>> tf.{public}([[[0.0, 0.0, 0.0]]]).numpy().tolist()
    [[[0.0, 0.0, 0.0]]]
    """
    return export_function(function, public, doc=doc)


_RGB, _YIQ, _YUV = "red, green and blue", "the colours of NTSC television", "the colours of PAL television"
rgb_to_yiq = _colour_space(_RGB_TO_YIQ, "image.rgb_to_yiq", _RGB, _YIQ)
yiq_to_rgb = _colour_space(_YIQ_TO_RGB, "image.yiq_to_rgb", _YIQ, _RGB)
rgb_to_yuv = _colour_space(_RGB_TO_YUV, "image.rgb_to_yuv", _RGB, _YUV)
yuv_to_rgb = _colour_space(_YUV_TO_RGB, "image.yuv_to_rgb", _YUV, _RGB)
