"""Decodes and encodes image files: `tf.io.decode_jpeg`, `tf.image.encode_png` and similar functions."""

from __future__ import annotations

from typing import Any

from reflow.api.call import call, tensor_or
from reflow.api.export import export, with_sections
from reflow.api.image import sizes
from reflow.api.math import arithmetic
from reflow.api.strings import elementwise
from reflow.core import dtypes
from reflow.ops.convert import convert_to_tensor


def _text(contents):
    return convert_to_tensor(contents, dtypes.string)


_JPEG = """\
Args:
  channels: 1 for gray, 3 for color, or 0 for what the file has.
  ratio: By what the size is divided: 1, 2, 4 or 8.
  fancy_upscaling: Whether colors that are stored at half the resolution are interpolated.
  try_recover_truncated: Whether a file that ends too early is decoded as far as it goes.
  acceptable_fraction: Must be 1.
  dct_method: `"INTEGER_FAST"`, `"INTEGER_ACCURATE"` or `""` for the decoder's choice.
  name: A name for the operation.

Returns:
  uint8 of shape [height, width, channels].

Raises:
  ValueError: `channels` is not 0, 1 or 3.
  NotImplementedError: `acceptable_fraction` is not 1.
"""


@export("io.decode_jpeg", "image.decode_jpeg")
@with_sections(_JPEG)
def decode_jpeg(
    contents, channels: int = 0, ratio: int = 1, fancy_upscaling: bool = True, try_recover_truncated: bool = False,
    acceptable_fraction: float = 1, dct_method: str = "", name: str | None = None,
):
    """Decodes a JPEG file.

    Args:
      contents: The bytes of a file, a scalar string.

    Raises:
      InvalidArgumentError: The file cannot be decoded.

    >>> file = tf.io.encode_jpeg(tf.fill([8, 8, 1], tf.constant(7, tf.uint8)))
    >>> tf.io.decode_jpeg(file)[0, 0].numpy().tolist()
    [7]
    """
    attrs = _jpeg_attrs(channels, ratio, fancy_upscaling, try_recover_truncated, acceptable_fraction, dct_method)
    return call("DecodeJpeg", (_text(contents),), attrs, name)


def _jpeg_attrs(channels, ratio, fancy_upscaling, try_recover_truncated, acceptable_fraction, dct_method) -> dict:
    if channels not in (0, 1, 3):
        raise ValueError(f"channels must be 0, 1, or 3. Received: channels={channels}")
    if acceptable_fraction != 1:
        raise NotImplementedError(
            "How much of a JPEG file is missing is not known: it is refused, or with try_recover_truncated taken as it "
            f"is. Received: acceptable_fraction={acceptable_fraction}"
        )
    return {
        "channels": channels,
        "ratio": ratio,
        "fancy_upscaling": bool(fancy_upscaling),
        "try_recover_truncated": bool(try_recover_truncated),
        "dct_method": dct_method,
    }


@export("io.decode_and_crop_jpeg", "image.decode_and_crop_jpeg")
@with_sections(_JPEG)
def decode_and_crop_jpeg(
    contents, crop_window, channels: int = 0, ratio: int = 1, fancy_upscaling: bool = True,
    try_recover_truncated: bool = False, acceptable_fraction: float = 1, dct_method: str = "", name: str | None = None,
):
    """Decodes a part of a JPEG file.

    Args:
      contents: The bytes of a file, a scalar string.
      crop_window: [top, left, height, width] of the part, in pixels.

    Raises:
      InvalidArgumentError: The file cannot be decoded, or the window lies outside the image.

    >>> file = tf.io.encode_jpeg(tf.fill([8, 8, 1], tf.constant(7, tf.uint8)))
    >>> decode_and_crop_jpeg(file, [1, 2, 1, 3])[..., 0].numpy().tolist()
    [[7, 7, 7]]
    """
    attrs = _jpeg_attrs(channels, ratio, fancy_upscaling, try_recover_truncated, acceptable_fraction, dct_method)
    return call("DecodeAndCropJpeg", (_text(contents), convert_to_tensor(crop_window, dtypes.int32)), attrs, name)


@export("io.is_jpeg", "image.is_jpeg")
def is_jpeg(contents, name=None):
    r"""Tells whether the bytes of files begin like those of a JPEG file.

    Args:
      contents: The bytes of files, strings of any shape.
      name: A name for the operation.

    Returns:
      bool of the same shape.

    >>> is_jpeg([b"\xff\xd8\xff\xe0", b"GIF89a"]).numpy().tolist()
    [True, False]
    """
    return arithmetic.equal(elementwise.substr(contents, 0, 3), b"\xff\xd8\xff", name)


@export("image.adjust_jpeg_quality")
def adjust_jpeg_quality(image, jpeg_quality, dct_method="", name=None):
    """Returns an image as it looks after JPEG compression.

    Args:
      image: An image [height, width, channels] with 1 or 3 channels.
      jpeg_quality: The quality, from 0 to 100.
      dct_method: How the file is decoded: `"INTEGER_FAST"`, `"INTEGER_ACCURATE"` or `""` for the decoder's choice.
      name: A name for the operation.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `jpeg_quality` is not in [0, 100].

    >>> adjust_jpeg_quality(tf.fill([8, 8, 3], 1.0), 50)[0, 0].numpy().tolist()
    [1.0, 1.0, 1.0]
    """
    image = convert_to_tensor(image)
    convert = sizes.convert_image_dtype
    quality = convert_to_tensor(jpeg_quality, dtypes.int32)
    file = call("EncodeJpegVariableQuality", (convert(image, dtypes.uint8, saturate=True), quality), {}, name)
    attrs = {"channels": image.shape[-1] or 0, "dct_method": dct_method}
    return convert(call("DecodeJpeg", (file,), attrs), image.dtype, saturate=True)


@export("io.decode_png", "image.decode_png")
def decode_png(contents, channels=0, dtype: Any = dtypes.uint8, name=None):
    """Decodes a PNG file.

    Args:
      contents: The bytes of a file, a scalar string.
      channels: 1 for gray, 3 for color, 4 for color and alpha, or 0 for what the file has.
      dtype: `tf.uint8` or `tf.uint16`.
      name: A name for the operation.

    Returns:
      A tensor of `dtype` of shape [height, width, channels].

    Raises:
      InvalidArgumentError: The file cannot be decoded.

    >>> decode_png(encode_png(tf.constant([[[7]]], tf.uint8))).numpy().tolist()
    [[[7]]]
    """
    return call("DecodePng", (_text(contents),), {"channels": channels, "dtype": dtypes.as_dtype(dtype)}, name)


@export("io.decode_bmp", "image.decode_bmp")
def decode_bmp(contents, channels=0, name=None):
    r"""Decodes a BMP file.

    Args:
      contents: The bytes of a file, a scalar string.
      channels: 1, 3 or 4, which must be what the file has; 0 for what it has.
      name: A name for the operation.

    Returns:
      uint8 of shape [height, width, channels].

    Raises:
      InvalidArgumentError: The file cannot be decoded, or has another number of channels.

    >>> header = b"BM" + bytes(8) + b"\x36\0\0\0\x28\0\0\0\1\0\0\0\1\0\0\0\1\0\x18\0" + bytes(24)
    >>> tf.io.decode_bmp(header + bytes([1, 2, 3, 0])).numpy().tolist()
    [[[3, 2, 1]]]
    """
    return call("DecodeBmp", (_text(contents),), {"channels": channels}, name)


@export("io.decode_gif", "image.decode_gif")
def decode_gif(contents, name=None):
    r"""Decodes all frames of a GIF file.

    Args:
      contents: The bytes of a file, a scalar string.
      name: A name for the operation.

    Returns:
      uint8 of shape [frames, height, width, 3].

    Raises:
      InvalidArgumentError: The file cannot be decoded.

    >>> file = b"GIF87a\1\0\1\0\x80\0\0\1\2\3\4\5\6,\0\0\0\0\1\0\1\0\0\2\2D\1\0;"
    >>> tf.io.decode_gif(file).numpy().tolist()
    [[[[1, 2, 3]]]]
    """
    return call("DecodeGif", (_text(contents),), label=name)


@export("io.decode_webp", "image.decode_webp")
def decode_webp(contents, channels=0, dtype: Any = dtypes.uint8, name=None):
    """Decodes all frames of a WebP file.

    Args:
      contents: The bytes of a file, a scalar string.
      channels: 3 or 4, which must be what the file has; 0 for what it has.
      dtype: `tf.uint8`.
      name: A name for the operation.

    Returns:
      uint8 of shape [frames, height, width, channels].

    Raises:
      InvalidArgumentError: The file cannot be decoded.

    >>> import base64
    >>> file = base64.b64decode(
    ...     "UklGRjoAAABXRUJQVlA4TC4AAAAvCIABEM1lRP9jFxH9DygJgIZBo0mCXv9kfwkGe1CEtGlo2GsmAOQReTxRin8B"
    ... )
    >>> tf.io.decode_webp(file).shape
    TensorShape([1, 7, 9, 4])
    """
    return call("DecodeWebP", (_text(contents),), {"channels": channels, "dtype": dtypes.as_dtype(dtype)}, name)


@export("io.decode_image", "image.decode_image")
def decode_image(contents, channels=None, dtype: Any = dtypes.uint8, name=None, expand_animations=True):
    """Decodes an image file, whose format is recognized: JPEG, PNG, GIF, BMP or WebP.

    Args:
      contents: The bytes of a file, a scalar string.
      channels: How many channels to decode, as for the functions of the formats; None or 0 for what the file has.
      dtype: The dtype of the result; floats are in the scale from 0 to 1.
      name: A name for the operation.
      expand_animations: Whether an animation gives all its frames, rather than its first one as a single image.

    Returns:
      A tensor of `dtype` of shape [height, width, channels], or [frames, height, width, channels].

    Raises:
      InvalidArgumentError: The format is not known, or the file is broken.

    >>> tf.io.decode_image(tf.io.encode_png(tf.constant([[[7]]], tf.uint8))).numpy().tolist()
    [[[7]]]
    """
    attrs = {"channels": channels or 0, "dtype": dtypes.as_dtype(dtype), "expand_animations": expand_animations}
    return call("DecodeImage", (_text(contents),), attrs, name)


@export("io.encode_png", "image.encode_png")
def encode_png(image, compression=-1, name=None):
    """Encodes images as PNG files.

    Args:
      image: uint8 or uint16 of shape [..., height, width, channels], with 1 to 4 channels.
      compression: From 0 for none to 9 for the smallest file; -1 for the encoder's choice.
      name: A name for the operation.

    Returns:
      The bytes of the files, strings of shape `image.shape[:-3]`.

    Raises:
      InvalidArgumentError: The number of axes or channels is not possible.

    >>> tf.io.encode_png(tf.zeros([1, 1, 1], tf.uint8)).numpy()[1:4]
    b'PNG'
    """
    return call("EncodePng", (convert_to_tensor(image),), {"compression": compression}, name)


@export("io.encode_jpeg", "image.encode_jpeg")
def encode_jpeg(
    image, format: str = "", quality: int = 95, progressive: bool = False, optimize_size: bool = False,
    chroma_downsampling: bool = True, density_unit: str = "in", x_density: int = 300, y_density: int = 300,
    xmp_metadata: str = "", name: str | None = None,
):
    """Encodes an image as a JPEG file.

    Args:
      image: uint8 of shape [height, width, channels], with 1 or 3 channels.
      format: `"grayscale"`, `"rgb"` or `""` for what the channels say.
      quality: From 0 to 100.
      progressive: Whether the file can be shown coarsely before it is read to its end.
      optimize_size: Whether to spend more time for a smaller file.
      chroma_downsampling: Whether colors are stored at half the resolution.
      density_unit: The unit of the densities: `"in"` or `"cm"`.
      x_density: Pixels per unit across.
      y_density: Pixels per unit down.
      xmp_metadata: XMP metadata to put into the file.
      name: A name for the operation.

    Returns:
      The bytes of the file, a scalar string.

    Raises:
      InvalidArgumentError: The shape of `image` does not fit, or `quality` is out of range.

    >>> tf.io.is_jpeg(tf.io.encode_jpeg(tf.zeros([8, 8, 3], tf.uint8))).numpy().item()
    True
    """
    attrs = {
        "format": format,
        "quality": quality,
        "progressive": progressive,
        "optimize_size": optimize_size,
        "chroma_downsampling": chroma_downsampling,
        "density_unit": density_unit,
        "x_density": x_density,
        "y_density": y_density,
        "xmp_metadata": xmp_metadata,
    }
    return call("EncodeJpeg", (tensor_or(image, dtypes.uint8),), attrs, name)


@export("io.extract_jpeg_shape", "image.extract_jpeg_shape")
def extract_jpeg_shape(contents, output_type: Any = dtypes.int32, name=None):
    """Reads the shape of the image in a JPEG file, without decoding it.

    Args:
      contents: The bytes of a file, a scalar string.
      output_type: `tf.int32` or `tf.int64`.
      name: A name for the operation.

    Returns:
      [height, width, channels], a vector of `output_type`.

    Raises:
      InvalidArgumentError: The file cannot be decoded.

    >>> tf.io.extract_jpeg_shape(tf.io.encode_jpeg(tf.zeros([8, 4, 3], tf.uint8))).numpy().tolist()
    [8, 4, 3]
    """
    return call("ExtractJpegShape", (_text(contents),), {"output_type": dtypes.as_dtype(output_type)}, name)
