"""Pictures in files: JPEG, PNG, BMP and GIF to arrays of 8-bit numbers and back, by Pillow. All run on the host."""

from __future__ import annotations

import io

import numpy as np

from reflow.core import dtypes, errors
from reflow.ops import shape_rules as rules
from reflow.ops.registry import NO_GRADIENT, op

_MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}


def _picture_shape(f):
    return [(None, None, f.attr("channels") or None)]


def _opened(contents, what: str):
    from PIL import Image, UnidentifiedImageError

    data = contents[()]
    try:
        picture = Image.open(io.BytesIO(data))
        picture.load()
    except (UnidentifiedImageError, OSError, SyntaxError) as error:
        if isinstance(error, UnidentifiedImageError):
            raise errors.InvalidArgumentError(
                None, None, "Unknown image file format. One of JPEG, PNG, GIF, BMP, WEBP required."
            ) from None
        raise errors.InvalidArgumentError(None, None, f"Invalid {what} data, size {len(data)}") from None
    return picture


def _channels(picture, wanted: int) -> int:
    """The number asked for, or as many as the file has."""
    if wanted:
        return wanted
    return {"1": 1, "L": 1, "I;16": 1, "I": 1, "LA": 2, "RGBA": 4, "PA": 4}.get(
        picture.mode, 4 if "transparency" in picture.info else 3
    )


def _array(picture, wanted: int) -> np.ndarray:
    array = np.asarray(picture.convert(_MODES[_channels(picture, wanted)]))
    return array[..., None] if array.ndim == 2 else array


def _deep(picture, wanted: int) -> np.ndarray:
    """16 bits a channel: Pillow keeps them for grey pictures only."""
    if picture.mode.startswith("I"):
        grey = np.asarray(picture).astype(np.uint16)[..., None]
        return np.repeat(grey, wanted, axis=-1) if wanted in (1, 3) else grey
    return _array(picture, wanted).astype(np.uint16) * 257


@op("DecodeJpeg", shape=_picture_shape, grad=NO_GRADIENT, host=True)
def decode_jpeg(
    _,
    contents,
    channels=0,
    ratio=1,
    fancy_upscaling=True,
    try_recover_truncated=False,
    acceptable_fraction=1.0,
    dct_method="",
):
    picture = _opened(contents, "JPEG")
    if ratio != 1:
        picture = picture.reduce(ratio)
    return _array(picture, channels)


def _window_shape(f):
    window = f.values[1]
    height, width = window[2:] if isinstance(window, tuple) and len(window) == 4 else (None, None)
    return [(height, width, f.attr("channels") or None)]


@op("DecodeAndCropJpeg", shape=_window_shape, grad=NO_GRADIENT, host=True)
def decode_and_crop_jpeg(_, contents, crop_window, **attrs):
    """The part of a picture at [top, left, height, width]."""
    if crop_window.shape != (4,):
        raise errors.InvalidArgumentError(
            None, None, f"crop_size must have four elements {rules.text(crop_window.shape)}"
        )
    picture = decode_jpeg.kernel(_, contents, **decode_jpeg.bind(attrs))
    top, left, height, width = crop_window.tolist()
    fits = top >= 0 and left >= 0 and top + height <= picture.shape[0] and left + width <= picture.shape[1]
    if not fits or height <= 0 or width <= 0:
        raise errors.InvalidArgumentError(None, None, "jpeg::Uncompress failed. Invalid JPEG data or crop window.")
    return picture[top : top + height, left : left + width]


@op("DecodePng", shape=_picture_shape, grad=NO_GRADIENT, host=True)
def decode_png(_, contents, channels=0, dtype=dtypes.uint8):
    picture = _opened(contents, "PNG")
    return _deep(picture, channels) if dtype is dtypes.uint16 else _array(picture, channels)


@op("DecodeBmp", shape=_picture_shape, grad=NO_GRADIENT, host=True)
def decode_bmp(_, contents, channels=0):
    return _array(_opened(contents, "BMP"), channels)


def _gif_shape(f):
    return [(None, None, None, 3)]


@op("DecodeGif", shape=_gif_shape, grad=NO_GRADIENT, host=True)
def decode_gif(_, contents):
    from PIL import ImageSequence

    return np.stack([_array(frame, 3) for frame in ImageSequence.Iterator(_opened(contents, "GIF"))])


def _any_shape(f):
    return [None] if f.attr("expand_animations") else _picture_shape(f)


@op("DecodeImage", shape=_any_shape, grad=NO_GRADIENT, host=True)
def decode_image(_, contents, channels=0, dtype=dtypes.uint8, expand_animations=True):
    picture = _opened(contents, "image")
    if picture.format == "GIF" and expand_animations:
        array = decode_gif.kernel(_, contents)
    elif dtype is dtypes.uint16:
        return _deep(picture, channels)
    else:
        array = _array(picture, channels)
    if dtype is dtypes.float32:
        return array.astype(np.float32) * np.float32(1 / 255)
    return array.astype(np.uint16) * 257 if dtype is dtypes.uint16 else array


def _saved(image: np.ndarray, form: str, **options) -> bytes:
    from PIL import Image

    if image.shape[-1] not in _MODES:
        raise errors.InvalidArgumentError(None, None, f"image must have 1, 2, 3, or 4 channels, got {image.shape[-1]}")
    out = io.BytesIO()
    Image.fromarray(image[..., 0] if image.shape[-1] == 1 else image).save(out, form, **options)
    return out.getvalue()


def _strings(items, shape) -> np.ndarray:
    out = np.empty(len(items), object)
    out[:] = items
    return out.reshape(shape)


def _encoded_shape(f):
    return [None if f.shapes[0] is None else f.shapes[0][:-3]]


@op("EncodePng", shape=_encoded_shape, grad=NO_GRADIENT, host=True)
def encode_png(_, image, compression=-1):
    pictures = image.reshape(-1, *image.shape[-3:])
    options = {} if compression < 0 else {"compress_level": compression}
    return _strings([_saved(p, "PNG", **options) for p in pictures], image.shape[:-3])


@op("EncodeJpeg", shape=rules.scalar, grad=NO_GRADIENT, host=True)
def encode_jpeg(
    _,
    image,
    format="",
    quality=95,
    progressive=False,
    optimize_size=False,
    chroma_downsampling=True,
    density_unit="in",
    x_density=300,
    y_density=300,
    xmp_metadata="",
):
    wanted = {"grayscale": 1, "rgb": 3}.get(format, image.shape[-1])
    if image.shape[-1] != wanted or wanted not in (1, 3):
        raise errors.InvalidArgumentError(
            None,
            None,
            f"format '{format}' expects {wanted if format else '1 or 3'} channels "
            f"but image has shape {list(image.shape)}",
        )
    inches = 1 if density_unit == "in" else 2.54
    options = {
        "quality": quality,
        "progressive": progressive,
        "optimize": optimize_size,
        "subsampling": 2 if chroma_downsampling else 0,
        "dpi": (x_density * inches, y_density * inches),
    }
    if xmp_metadata:
        options["xmp"] = xmp_metadata.encode()
    return _strings([_saved(image, "JPEG", **options)], ())


@op("EncodeJpegVariableQuality", shape=rules.scalar, grad=NO_GRADIENT, host=True)
def encode_jpeg_variable_quality(_, images, quality):
    if images.ndim != 3 or images.shape[-1] not in (1, 3):
        raise errors.InvalidArgumentError(
            None, None, f"image must have 1 or 3 channels, got {rules.text(images.shape)}"
        )
    if not 0 <= quality <= 100:
        raise errors.InvalidArgumentError(None, None, f"quality must be in [0,100], got {quality}")
    return encode_jpeg.kernel(_, images, quality=int(quality))


@op("ExtractJpegShape", shape=lambda f: [(3,)], grad=NO_GRADIENT, host=True)
def extract_jpeg_shape(_, contents, output_type=dtypes.int32):
    picture = _opened(contents, "JPEG")
    return np.array([picture.height, picture.width, _channels(picture, 0)], output_type.np_dtype)
