"""Encodes arrays as JPEG and PNG files, with Pillow. All run on the host."""

from __future__ import annotations

import io

import numpy as np

from reflow.core import errors
from reflow.ops import shape_rules as rules
from reflow.ops.kernels.image import deep_png
from reflow.ops.registry import NO_GRADIENT, op

_MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}


def _saved(image: np.ndarray, form: str, **options) -> bytes:
    from PIL import Image

    if image.shape[-1] not in _MODES:
        raise errors.InvalidArgumentError(None, None, f"image must have 1, 2, 3, or 4 channels, got {image.shape[-1]}")
    out = io.BytesIO()
    Image.fromarray(image[..., 0] if image.shape[-1] == 1 else image).save(out, form, **options)
    return out.getvalue()


def _strings(items, shape) -> np.ndarray:
    return np.fromiter(items, object, len(items)).reshape(shape)


def _encoded_shape(f):
    return [None if f.shapes[0] is None else f.shapes[0][:-3]]


@op("EncodePng", fits="3+", shape=_encoded_shape, grad=NO_GRADIENT, host=True)
def encode_png(_, image, compression=-1):
    if not -1 <= compression <= 9:
        raise ValueError(f"compression should be in [-1,9], got {compression}")
    if image.ndim < 3:
        raise errors.InvalidArgumentError(None, None, f"images must be at least rank 3{rules.text(image.shape)}")
    pictures = image.reshape(-1, *image.shape[-3:])
    if image.dtype == np.uint16 and image.shape[-1] in (2, 3, 4):
        return _strings([deep_png.written(p, compression) for p in pictures], image.shape[:-3])
    options = {} if compression < 0 else {"compress_level": compression}
    return _strings([_saved(p, "PNG", **options) for p in pictures], image.shape[:-3])


def _check_channels(image: np.ndarray, format: str) -> None:
    """Refuse a picture that the format of a JPEG file cannot hold."""
    size = rules.text(image.shape)
    wanted = {"grayscale": 1, "rgb": 3}.get(format)
    if image.ndim != 3:
        raise errors.InvalidArgumentError(None, None, f"image must be 3-dimensional{size}")
    if wanted is not None and image.shape[-1] != wanted:
        raise errors.InvalidArgumentError(None, None, f"format {format} expects {wanted} channels, got {size}")
    if image.shape[-1] not in (1, 3):
        raise errors.InvalidArgumentError(None, None, f"image must have 1 or 3 channels, got {size}")


@op("EncodeJpeg", fits="3", shape=rules.scalar, grad=NO_GRADIENT, host=True)
def encode_jpeg(
    _, image, format="", quality=95, progressive=False, optimize_size=False, chroma_downsampling=True,
    density_unit="in", x_density=300, y_density=300, xmp_metadata="",
):
    if not 0 <= quality <= 100:
        raise ValueError(f"quality must be in [0,100], got {quality}")
    _check_channels(image, format)
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


@op("EncodeJpegVariableQuality", fits="3", shape=rules.scalar, grad=NO_GRADIENT, host=True)
def encode_jpeg_variable_quality(_, images, quality):
    if images.ndim != 3 or images.shape[-1] not in (1, 3):
        raise errors.InvalidArgumentError(
            None, None, f"image must have 1 or 3 channels, got {rules.text(images.shape)}"
        )
    if not 0 <= quality <= 100:
        raise errors.InvalidArgumentError(None, None, f"quality must be in [0,100], got {quality}")
    return encode_jpeg.kernel(_, images, quality=int(quality))
