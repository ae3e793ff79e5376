"""`tf.image`: sizes, boxes, patches, colors, similarity. Images are [height, width, channels], or a batch of those."""

from __future__ import annotations

from typing import Any

import numpy as np

from reflow.api.array import arrange as array
from reflow.api.array.indexing import slice as tensor_slice
from reflow.api.call import call, op_inputs
from reflow.api.debugging.asserts import assert_greater_equal
from reflow.api.export import export, export_function
from reflow.api.math import arithmetic as m
from reflow.api.math.reduce import reduce_mean
from reflow.api.math.unary import floor
from reflow.api.nn.conv import depthwise_conv2d
from reflow.api.scoped import scoped
from reflow.core import dtypes
from reflow.core.tensor import Tensor
from reflow.ops.convert import constant, convert_to_tensor


@export("image.ResizeMethod")
class ResizeMethod:
    """The interpolation method of `tf.image.resize`.

    >>> tf.image.resize(tf.reshape(tf.range(4.0), [2, 2, 1]), [1, 1], tf.image.ResizeMethod.AREA).numpy().item()
    1.5
    """

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


#: the filter that each method uses with `antialias=True`; the last four always use it
_FILTERS = {
    "bilinear": "triangle",
    "bicubic": "keyscubic",
    "lanczos3": "lanczos3",
    "lanczos5": "lanczos5",
    "gaussian": "gaussian",
    "mitchellcubic": "mitchellcubic",
}


# --- sizes ------------------------------------------------------------------------------------------------------------


def _batched(images, what="images"):
    """A batch of images, and whether it was one before."""
    images = convert_to_tensor(images)
    rank = images.shape.rank
    if rank is None and what == "images":
        raise ValueError("'images' contains no shape.")
    if rank in (3, None):
        images = array.expand_dims(images, 0)
        if rank is None:
            images.set_shape([None] * 4)
        return images, False
    if rank != 4:
        shown = "" if what == "images" else f" (shape {images.shape})"
        raise ValueError(f"'{what}'{shown} must have either 3 or 4 dimensions.")
    return images, True


def _unbatched(images, is_batch):
    return images if is_batch else array.squeeze(images, [0])


def sides(images):
    """Height and width of a picture or a batch: ints where they are known, else tensors."""
    known = images.shape.as_list()[-3:-1]
    measured: Any = array.shape(images) if None in known else None
    return [n if n is not None else measured[i - 3] for i, n in enumerate(known)]


def _resized(images, size, method, antialias):
    if method == "nearest":
        return call("ResizeNearestNeighbor", (images, size), {"half_pixel_centers": True})
    if method == "area":
        return call("ResizeArea", (images, size))
    if method in ("bilinear", "bicubic") and not antialias:
        return call(
            "ResizeBilinear" if method == "bilinear" else "ResizeBicubic", (images, size), {"half_pixel_centers": True}
        )
    if method not in _FILTERS:
        raise ValueError(f"Resize method is not implemented: {method}")
    scale = m.divide(m.cast(size, dtypes.float32), m.cast(array.shape(images)[1:3], dtypes.float32))
    return call(
        "ScaleAndTranslate",
        (images, size, scale, constant([0.0, 0.0])),
        {"kernel_type": _FILTERS[method], "antialias": bool(antialias)},
    )


_METHODS = {value for name, value in vars(ResizeMethod).items() if name.isupper()}


@export("image.resize")
def resize(images, size, method=ResizeMethod.BILINEAR, preserve_aspect_ratio=False, antialias=False, name=None):
    """Resizes images.

    Args:
      images: An image [height, width, channels], or a batch of images [batch, height, width, channels].
      size: The new height and width.
      method: How to interpolate, one of `tf.image.ResizeMethod`.
      preserve_aspect_ratio: Whether to keep the proportions, so that the result fits into `size`.
      antialias: Whether to smooth images when they shrink; of no effect for `"nearest"` and `"area"`.
      name: A name for the operation.

    Returns:
      Images of the new size, of the same rank; float32, except for the method `"nearest"`, which keeps the dtype.

    Raises:
      ValueError: `images` has not 3 or 4 axes, `size` has not 2 elements, or there is no such method.

    >>> tf.image.resize([[[0.0], [1.0]]], [1, 4])[0, :, 0].numpy().tolist()
    [0.0, 0.25, 0.75, 1.0]
    """
    images, is_batch = _batched(images)
    if method not in _METHODS:
        raise ValueError(f"Resize method is not implemented: {method}")
    try:
        size = convert_to_tensor(size, dtypes.int32)
    except (TypeError, ValueError):
        raise ValueError("'size' must be a 1-D int32 Tensor") from None
    if not size.shape.is_compatible_with([2]):
        raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
    if preserve_aspect_ratio:
        size = _fitting(images, size)
    wanted = array.static_shape(size)
    wanted = [None, None] if wanted is None else list(wanted)
    if None not in wanted and images.shape.as_list()[1:3] == wanted:
        same = images if method == ResizeMethod.NEAREST_NEIGHBOR else m.cast(images, dtypes.float32)
        return _unbatched(same, is_batch)
    out = _resized(images, size, method, antialias)
    out.set_shape([None, *wanted, None])
    return array.identity(_unbatched(out, is_batch), name) if name else _unbatched(out, is_batch)


def _fitting(images, size):
    """The largest size within `size` that keeps the proportions."""
    both = m.cast(array.stack(sides(images)), dtypes.float32)
    scales = m.divide(m.cast(size, dtypes.float32), both)
    return m.cast(call("Round", (m.multiply(m.minimum(scales[0], scales[1]), both),)), dtypes.int32)


@export("image.resize_with_pad")
def resize_with_pad(image, target_height, target_width, method=ResizeMethod.BILINEAR, antialias=False):
    """Scales images to fit into a size, and pads them with zeros.

    Args:
      image: An image [height, width, channels], or a batch of images [batch, height, width, channels].
      target_height: The height of the result.
      target_width: The width of the result.
      method: How to interpolate, one of `tf.image.ResizeMethod`.
      antialias: Whether to smooth images when they shrink.

    Returns:
      Images of the given size, of the same rank; float32, except for the method `"nearest"`, which keeps the dtype.

    Raises:
      ValueError: `image` has not 3 or 4 axes, or there is no such method.

    >>> tf.image.resize_with_pad(tf.ones([2, 2, 1]), 2, 4)[0, :, 0].numpy().tolist()
    [0.0, 1.0, 1.0, 0.0]
    """
    return padded(
        image, target_height, target_width, lambda images, size: resize(images, size, method, antialias=antialias)
    )


def padded(image, target_height, target_width, resized):
    """Images scaled by `resized(images, size)` so that they fit into a size, with zeros around them."""
    image, is_batch = _batched(image, "image")
    both = m.cast(array.stack(sides(image)), dtypes.float32)
    target = m.cast(
        array.stack([convert_to_tensor(target_height, dtypes.int32), convert_to_tensor(target_width, dtypes.int32)]),
        dtypes.float32,
    )
    ratios = m.divide(both, target)
    exact = m.divide(both, m.maximum(ratios[0], ratios[1]))
    free = m.cast(floor(m.divide(m.subtract(target, exact), 2.0)), dtypes.int32)
    free = m.maximum(free, 0)
    fitting = resized(image, m.cast(floor(exact), dtypes.int32))
    return _unbatched(pad_to_bounding_box(fitting, free[0], free[1], target_height, target_width), is_batch)


# --- boxes ------------------------------------------------------------------------------------------------------------


def _at_least(value, least, message):
    """ValueError at once for numbers; a check in the graph for tensors."""
    if isinstance(value, Tensor):
        known = array.get_static_value(value)
        if known is None:
            assert_greater_equal(value, least, message)
            return
        value = int(known)
    if value < least:
        raise ValueError(message)


def _number(n):
    """A size for a static shape: None if it is a tensor."""
    return None if isinstance(n, Tensor) else int(n)


@export("image.crop_to_bounding_box")
def crop_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
    """Cuts a part out of images.

    Args:
      image: An image [height, width, channels], or a batch of images [batch, height, width, channels].
      offset_height: How many rows come before it.
      offset_width: How many columns come before it.
      target_height: The height of the part.
      target_width: The width of the part.

    Returns:
      A tensor of the same dtype and rank, with the given height and width.

    Raises:
      ValueError: The part is empty or reaches beyond the image, or `image` has not 3 or 4 axes.

    >>> tf.image.crop_to_bounding_box([[[1], [2], [3]]], 0, 1, 1, 2)[0, :, 0].numpy().tolist()
    [2, 3]
    """
    image, is_batch = _batched(image, "image")
    height, width = sides(image)
    _at_least(offset_width, 0, "offset_width must be >= 0.")
    _at_least(offset_height, 0, "offset_height must be >= 0.")
    _at_least(target_width, 1, "target_width must be > 0.")
    _at_least(target_height, 1, "target_height must be > 0.")
    _at_least(width - (target_width + offset_width), 0, "width must be >= target + offset.")
    _at_least(height - (target_height + offset_height), 0, "height must be >= target + offset.")
    size = array.shape(image)
    cropped = tensor_slice(
        image,
        array.stack([0, offset_height, offset_width, 0]),
        array.stack([size[0], target_height, target_width, size[3]]),
    )
    cropped.set_shape([image.shape[0], _number(target_height), _number(target_width), image.shape[3]])
    return _unbatched(cropped, is_batch)


@export("image.pad_to_bounding_box")
def pad_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
    """Pads images with zeros to a given size.

    Args:
      image: An image [height, width, channels], or a batch of images [batch, height, width, channels].
      offset_height: How many rows of zeros to put above.
      offset_width: How many columns of zeros to put on the left.
      target_height: The height of the result.
      target_width: The width of the result.

    Returns:
      A tensor of the same dtype and rank, with the given height and width.

    Raises:
      ValueError: The image does not fit in, or has not 3 or 4 axes.

    >>> tf.image.pad_to_bounding_box([[[1], [2]]], 0, 1, 1, 4)[0, :, 0].numpy().tolist()
    [0, 1, 2, 0]
    """
    image, is_batch = _batched(image, "image")
    height, width = sides(image)
    after_width = target_width - offset_width - width
    after_height = target_height - offset_height - height
    _at_least(offset_height, 0, "offset_height must be >= 0")
    _at_least(offset_width, 0, "offset_width must be >= 0")
    _at_least(after_width, 0, "width must be <= target - offset")
    _at_least(after_height, 0, "height must be <= target - offset")
    paddings = array.reshape(array.stack([0, 0, offset_height, after_height, offset_width, after_width, 0, 0]), [4, 2])
    padded = array.pad(image, paddings)
    padded.set_shape([image.shape[0], _number(target_height), _number(target_width), image.shape[3]])
    return _unbatched(padded, is_batch)


@export("image.extract_patches")
def extract_patches(images, sizes, strides, rates, padding, name=None):
    """Cuts windows out of images, and puts the pixels of each side by side in the channels.

    Args:
      images: Images [batch, height, width, channels].
      sizes: The size of the windows, [1, rows, columns, 1].
      strides: The steps between windows, [1, rows, columns, 1].
      rates: The steps between the pixels of a window, [1, rows, columns, 1].
      padding: `"VALID"`, or `"SAME"` to fill up with zeros.
      name: A name for the operation.

    Returns:
      A tensor of the same dtype, [batch, rows of windows, columns of windows, rows * columns * channels].

    Raises:
      TypeError: `sizes`, `strides` or `rates` is not a list.

    >>> tf.image.extract_patches(
    ...     [[[[1], [2], [3]]]], [1, 1, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID"
    ... ).numpy().tolist()
    [[[[1, 2], [2, 3]]]]
    """
    attrs = {"ksizes": sizes, "strides": strides, "rates": rates}
    for label, value in attrs.items():
        if not isinstance(value, (list, tuple)):
            raise TypeError(f"Expected list for '{label}' argument to 'extract_image_patches' Op, not {value!r}.")
    attrs = {label: list(value) for label, value in attrs.items()} | {"padding": padding}
    return call("ExtractImagePatches", (convert_to_tensor(images),), attrs, name)


# --- colours ----------------------------------------------------------------------------------------------------------


@export("image.convert_image_dtype")
def convert_image_dtype(image, dtype, saturate=False, name=None):
    """Converts images to another dtype. Integers use their whole range, floats the range from 0 to 1.

    Args:
      image: A tensor of floats or integers.
      dtype: The dtype of the result, float or integer.
      saturate: Whether values that do not fit are clipped to the range of `dtype`; else what they become is not
        defined.
      name: A name for the operation.

    Returns:
      A tensor of `dtype` of the same shape.

    Raises:
      AttributeError: A dtype is neither float nor integer.

    >>> tf.image.convert_image_dtype(tf.constant([255], tf.uint8), tf.float32).numpy().tolist()
    [1.0]
    """
    image, dtype = convert_to_tensor(image), dtypes.as_dtype(dtype)
    for what, given in (("dtype", dtype), ("image dtype", image.dtype)):
        if not given.is_floating and not given.is_integer:
            raise AttributeError(f"{what} must be either floating point or integer")
    if dtype == image.dtype:
        return array.identity(image, name)
    cast = m.saturate_cast if saturate else m.cast
    if image.dtype.is_floating:
        if dtype.is_floating:
            return m.cast(image, dtype, name)
        return cast(m.multiply(image, dtype.max + 0.5), dtype, name)  # half a step more: casts cut off
    if dtype.is_floating:
        return m.multiply(m.cast(image, dtype), 1.0 / image.dtype.max, name)
    low, high = image.dtype.max, dtype.max
    if low > high:
        return cast(m.floordiv(image, (low + 1) // (high + 1)), dtype, name)
    return m.multiply(cast(image, dtype), (high + 1) // (low + 1), name)


@export("image.rgb_to_grayscale")
@scoped("rgb_to_grayscale", result=True)
def rgb_to_grayscale(images, name=None):
    """Computes the luminance of color images.

    Args:
      images: A tensor with red, green and blue in the last axis.
      name: A name for the operation.

    Returns:
      A tensor of the same dtype, with 1 channel in the last axis.

    >>> tf.image.rgb_to_grayscale([[[1.0, 1.0, 1.0]]]).numpy().round(3).tolist()
    [[[1.0]]]
    """
    images = convert_to_tensor(images)
    floats = convert_image_dtype(images, dtypes.float32)
    from reflow.api.linalg.products import tensordot

    gray = array.expand_dims(tensordot(floats, constant([0.2989, 0.5870, 0.1140]), [[-1], [-1]]), -1)
    return convert_image_dtype(gray, images.dtype, name=name)


_COLORS = """\
Args:
  images: Floats from 0 to 1, with {given} in the last axis.
  name: A name for the operation.

Returns:
  A tensor of the same shape and dtype, with {result} from 0 to 1 in the last axis.

Raises:
  FailedPreconditionError: The last axis has not size 3.
"""


def _color_conversion(public, op, doc, given, result, example):
    def convert(images, name=None):
        return call(op, op_inputs(op, images), {}, name)

    doc = f"{doc}\n\n{_COLORS.format(given=given, result=result)}"
    return export_function(convert, f"image.{public}", doc=doc, example=example)


rgb_to_hsv = _color_conversion(
    "rgb_to_hsv", "RGBToHSV", "Converts colors to hue, saturation and value.",
    "red, green and blue", "hue, saturation and value", """
    >>> tf.image.rgb_to_hsv([0.0, 1.0, 0.0]).numpy().round(3).tolist()
    [0.3330000042915344, 1.0, 1.0]
    """,
)
hsv_to_rgb = _color_conversion(
    "hsv_to_rgb", "HSVToRGB", "Converts hue, saturation and value to colors.",
    "hue, saturation and value", "red, green and blue", """
    >>> tf.image.hsv_to_rgb([0.0, 1.0, 1.0]).numpy().tolist()
    [1.0, 0.0, 0.0]
    """,
)


# --- similarity and edges ---------------------------------------------------------------------------------------------


def _gaussian_window(size, sigma, channels):
    at = np.arange(size, dtype=np.float32) - np.float32((size - 1) / 2)
    log = at * at * np.float32(-0.5 / (sigma * sigma))
    grid = np.exp(log[:, None] + log[None, :])
    window = constant((grid / grid.sum()).astype(np.float32).reshape(size, size, 1, 1))
    return array.tile(window, array.stack([1, 1, channels, 1]))


@export("image.ssim")
def ssim(
    img1, img2, max_val, filter_size=11, filter_sigma: Any = 1.5, k1: Any = 0.01, k2: Any = 0.03,
    return_index_map=False,
):
    """Computes the structural similarity of images (Wang et al., 2004), 1 for equal ones.

    Args:
      img1: Images [..., height, width, channels].
      img2: Images of the same shape.
      max_val: The difference between the greatest and the least value that a pixel can have.
      filter_size: The size of the Gaussian window.
      filter_sigma: The width of the Gaussian.
      k1: A small factor that stabilizes the comparison of brightness.
      k2: A small factor that stabilizes the comparison of contrast.
      return_index_map: Whether to return the similarity at each place, rather than its mean.

    Returns:
      float32 with a number for each pair, of shape `img1.shape[:-3]`, or with a map [..., height, width] for each.

    Raises:
      ValueError: The shapes do not fit, or there are less than 3 axes.
      InvalidArgumentError: The images are smaller than the window.

    >>> x = tf.ones([1, 11, 11, 1])
    >>> tf.image.ssim(x, x, 1.0).numpy().tolist()
    [1.0]
    """
    img1, img2, max_val = comparable(convert_to_tensor(img1), convert_to_tensor(img2), max_val)
    both, _ = similarity(img1, img2, max_val, filter_size, filter_sigma, k1, k2)
    return reduce_mean(both if return_index_map else reduce_mean(both, [-3, -2]), [-1])


def comparable(img1, img2, max_val):
    """Two batches of images and their largest possible value, in the scale from 0 to 1.

    ValueError if they do not fit.
    """
    for image in (img1, img2):
        if image.shape.rank is not None and image.shape.rank < 3:
            raise ValueError(f"Shape {image.shape} must have rank at least 3")
    if not img1.shape[-3:].is_compatible_with(img2.shape[-3:]):
        raise ValueError(f"Shapes {img1.shape[-3:]} and {img2.shape[-3:]} are incompatible")
    max_val = convert_image_dtype(m.cast(max_val, img1.dtype), dtypes.float32)
    return convert_image_dtype(img1, dtypes.float32), convert_image_dtype(img2, dtypes.float32), max_val


def similarity(x, y, max_val, filter_size, filter_sigma, k1, k2):
    """Structural similarity at each place, and its part without the brightness: of contrast and structure."""
    for image in (x, y):
        assert_greater_equal(array.shape(image)[-3:-1], filter_size, "Images must be at least as large as the filter.")
    window = _gaussian_window(filter_size, filter_sigma, array.shape(x)[-1])

    def local(z):
        size = array.shape(z)
        out = depthwise_conv2d(array.reshape(z, array.concat([[-1], size[-3:]], 0)), window, [1, 1, 1, 1], "VALID")
        return array.reshape(out, array.concat([size[:-3], array.shape(out)[1:]], 0))

    c1, c2 = m.square(k1 * max_val), m.square(k2 * max_val)
    mean_x, mean_y = local(x), local(y)
    product, squares = mean_x * mean_y * 2.0, m.square(mean_x) + m.square(mean_y)
    luminance = (product + c1) / (squares + c1)
    structure = (local(x * y) * 2.0 - product + c2) / (local(m.square(x) + m.square(y)) - squares + c2)
    return luminance * structure, structure


@export("image.sobel_edges")
def sobel_edges(image):
    """Computes vertical and horizontal differences by Sobel's filters.

    Args:
      image: Images [batch, height, width, channels] of floats, at least 2 by 2.

    Returns:
      A tensor of the same dtype, [batch, height, width, channels, 2]: the change downwards and the change to the right.

    >>> tf.image.sobel_edges(tf.ones([1, 3, 3, 1])).shape.as_list()
    [1, 3, 3, 1, 2]
    """
    image = convert_to_tensor(image)
    masks = np.array([[[-1, -2, -1], [0, 0, 0], [1, 2, 1]], [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]])
    kernels = constant(masks.transpose(1, 2, 0)[:, :, None], image.dtype)
    size = array.shape(image)
    kernels = array.tile(kernels, array.stack([1, 1, size[3], 1]))
    padded = array.pad(image, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT")
    edges = array.reshape(depthwise_conv2d(padded, kernels, [1, 1, 1, 1], "VALID"), array.concat([size, [2]], 0))
    edges.set_shape([*image.shape.as_list(), 2])
    return edges
