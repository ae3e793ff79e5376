"""Decodes image files: JPEG with libjpeg-turbo and a C++ kernel, PNG, GIF and WebP with Pillow, BMP here.

All run on the host.

Bytes are not trusted. Their first bytes determine the format, and only Pillow's reader of that format sees them: its
`Image.open` would also try PostScript, for which it starts Ghostscript. The size declared in the header is compared
with a limit before any pixel is decoded. Any error of a reader becomes an InvalidArgumentError.
"""

from __future__ import annotations

import io
import struct
from typing import NamedTuple

import numpy as np

from reflow.core import dtypes, errors, limits
from reflow.ops import shape_rules as rules
from reflow.ops.kernels.image import deep_png
from reflow.ops.registry import NO_GRADIENT, op

_MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}
_STARTS = {"JPEG": b"\xff\xd8\xff", "PNG": b"\x89PNG\r\n\x1a\n", "GIF": b"GIF8", "BMP": b"BM"}
_KNOWN = "JPEG, JPEG XL, PNG, GIF, BMP, WebP"


def _invalid(message: str) -> errors.OpError:
    return errors.InvalidArgumentError(None, None, message)


# --- which format, and its reader -----------------------------------------------------------------------------------


def _bytes(contents) -> bytes:
    if contents.ndim:
        raise _invalid(f"`contents` must be scalar but got shape{rules.text(contents.shape)}")
    return contents[()]


def _form(data: bytes) -> str:
    """The format of a file, by its first bytes."""
    if not data:
        raise _invalid("Input is empty.")
    for form, start in _STARTS.items():
        if data.startswith(start):
            return form
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP" and len(data) > 12:
        return "WebP"
    if data.startswith((b"\xff\x0a", b"\0\0\0\x0cJXL \r\n\x87\n")):
        raise errors.UnimplementedError(None, None, "JPEG XL files cannot be decoded: Pillow has no reader for them.")
    raise _invalid(f"Unknown image file format. One of {_KNOWN} required.")


def _reader(form: str):
    from PIL import GifImagePlugin, JpegImagePlugin, PngImagePlugin, WebPImagePlugin

    return {
        "JPEG": JpegImagePlugin.JpegImageFile,
        "PNG": PngImagePlugin.PngImageFile,
        "GIF": GifImagePlugin.GifImageFile,
        "WebP": WebPImagePlugin.WebPImageFile,
    }[form]


def _failure(form: str, data: bytes) -> errors.OpError:
    return _invalid(
        {
            "JPEG": "jpeg::Uncompress failed. Invalid JPEG data or crop window.",
            "PNG": f"Invalid PNG data, size {len(data)}",
            "GIF": f"Invalid GIF data (size {len(data)})",
            "WebP": "Failed to decode WebP image.",
        }[form]
    )


def _opened(data: bytes, form: str):
    """A file whose header was read and whose size is within the limit."""
    try:
        picture = _reader(form)(io.BytesIO(data))
        frames = getattr(picture, "n_frames", 1) if form in ("GIF", "WebP") else 1
    except Exception:  # a reader may fail in any way, also with classes of Pillow's own
        raise _failure(form, data) from None
    _check_size(form, picture.width, picture.height, frames * (3 if picture.mode == "P" else len(picture.getbands())))
    return picture


def _check_size(form: str, width: int, height: int, numbers: int):
    """Refuse a file whose header declares too many pixels of `numbers` bytes each."""
    excess = limits.excess("REFLOW_MAX_IMAGE_BYTES", width * height * numbers)
    if excess:
        raise _invalid(f"{form} size too large: {width} by {height} pixels are {excess}")


def _pixels(picture, form: str, data: bytes, wanted: int) -> np.ndarray:
    """The frame at which a file stands, with as many channels as wanted (0: as it has)."""
    try:
        if form == "JPEG" and wanted == 1 and picture.mode == "RGB":
            picture.draft("L", picture.size)  # the luminance stored in the file
        picture.load()
        if picture.mode == "CMYK" and wanted != 1:
            return _without_black(np.asarray(picture))
        if form == "PNG" and wanted in (1, 2) and picture.mode in ("RGB", "RGBA", "P"):
            return _grey(np.asarray(picture.convert("RGBA")), wanted)
        array = np.asarray(picture.convert(_MODES[_channels(picture, wanted)]))
    except Exception:  # as above
        raise _failure(form, data) from None
    return array[..., None] if array.ndim == 2 else array


def _grey(colours: np.ndarray, wanted: int) -> np.ndarray:
    """Red, green, blue and opacity as brightness, and opacity if two channels are wanted; by the integers that libpng
    takes for the weights 0.299, 0.587 and 0.114. (Pillow's are rounded otherwise.)"""
    light = (colours[..., :3].astype(np.int32) @ np.array([9797, 19234, 3737], np.int32)) >> 15
    return np.concatenate([light[..., None].astype(np.uint8), colours[..., 3 : 2 + wanted]], -1)


def _without_black(inks: np.ndarray) -> np.ndarray:
    light = 255 - inks.astype(np.int32)
    return (light[..., :3] * light[..., 3:] // 255).astype(np.uint8)


def _channels(picture, wanted: int) -> int:
    """The number asked for, or as many as the file has."""
    if wanted:
        return wanted
    return {"1": 1, "L": 1, "I;16": 1, "I": 1, "LA": 2, "RGBA": 4, "PA": 4}.get(
        picture.mode, 4 if "transparency" in picture.info else 3
    )


# --- one format each: data -> array -----------------------------------------------------------------------------------


class JpegOptions(NamedTuple):
    """How a JPEG file is decoded; the defaults are TensorFlow's, and its pixels come out."""

    ratio: int = 1  # the factor by which the image is reduced
    fast_dct: bool = True
    fancy: bool = True  # smooth upsampling of the colours
    recover: bool = False  # a file that is cut gives what it has


_DEFAULT = JpegOptions()


def _jpeg(data: bytes, channels: int, options: JpegOptions) -> np.ndarray:
    """By libjpeg-turbo, which TensorFlow uses too, or by a kernel that gives the same pixels.

    The lock of the interpreter is free meanwhile.
    """
    import simplejpeg

    from reflow import native  # not at the top: it imports JAX, which programs that compile nothing do without

    if channels == 4:
        raise _invalid("JPEG does not support 4 channels")
    try:
        height, width, space, _ = simplejpeg.decode_jpeg_header(data, strict=not options.recover)
    except (ValueError, KeyError):  # the latter: a header that ends too soon
        raise _failure("JPEG", data) from None
    if space in ("CMYK", "YCCK"):  # inks: TensorFlow converts them itself
        return _pixels(_opened(data, "JPEG"), "JPEG", data, channels)
    _check_size("JPEG", width, height, 1 if space == "Gray" else 3)
    grey = channels == 1 or (channels == 0 and space == "Gray")
    if options.ratio == 1 and options.fast_dct and options.fancy:
        # every element is written by the kernel, or dropped
        pixels = np.empty((height, width, 1 if grey else 3), np.uint8)
        if native.decode_jpeg(data, pixels):
            return pixels
    try:
        return simplejpeg.decode_jpeg(
            data, "GRAY" if grey else "RGB", fastdct=options.fast_dct, fastupsample=not options.fancy,
            min_height=-(-height // options.ratio), min_width=-(-width // options.ratio), strict=not options.recover,
        )
    except ValueError:
        raise _failure("JPEG", data) from None


def _png(data: bytes, channels: int, deep: bool = False) -> np.ndarray:
    """8 bits a channel, or 16."""
    picture = _opened(data, "PNG")
    if not deep_png.is_deep(picture):
        pixels = _pixels(picture, "PNG", data, channels)
        return pixels.astype(np.uint16) * 257 if deep else pixels
    try:
        pixels = deep_png.read(lambda: _opened(data, "PNG"))
    except Exception:  # as above
        raise _failure("PNG", data) from None
    pixels = deep_png.converted(pixels, channels)
    return pixels if deep else (pixels >> 8).astype(np.uint8)


def _gif(data: bytes, channels: int) -> np.ndarray:
    """All frames."""
    if channels not in (0, 3):
        raise _invalid(f"channels must be 0 or 3 for GIF, got {channels}")
    return _frames(data, "GIF", 3)


def _webp(data: bytes, channels: int) -> np.ndarray:
    """All frames."""
    if channels not in (0, 3, 4):
        raise _invalid("WebP only supports 3 or 4 channels")
    array = _frames(data, "WebP", 0)
    if channels not in (0, array.shape[-1]):
        raise _invalid("Number of channels requested does not match input")
    return array


def _frames(data: bytes, form: str, channels: int) -> np.ndarray:
    picture = _opened(data, form)
    frames = []
    for i in range(getattr(picture, "n_frames", 1)):
        try:
            picture.seek(i)
        except Exception:  # as above
            raise _failure(form, data) from None
        frames.append(_pixels(picture, form, data, channels))
    return np.stack(frames)


def _bmp(data: bytes, channels: int) -> np.ndarray:
    """Rows of 1, 3 or 4 bytes per pixel, from the bottom up unless the height is negative; palettes are ignored.

    Byte 10 of the file: where the rows begin; 18 and 22: width and height; 28: bits a pixel. Rows fill whole words.
    """
    if channels not in (0, 3, 4):
        raise _invalid(f"`channels` must be 0, 3 or 4 for BMP, but got {channels}")
    if len(data) < 32:
        raise _invalid(
            "Incomplete bmp content, requires at least 32 bytes to find the header size, width, height, and bpp, got "
            f"{len(data)} bytes"
        )
    (start,) = struct.unpack_from("<i", data, 10)
    width, height = struct.unpack_from("<ii", data, 18)
    held = struct.unpack_from("<H", data, 28)[0] // 8
    if start < 0:
        raise _invalid("header size must be nonnegative")
    if width <= 0:
        raise _invalid("Width must be positive")
    if held not in (1, 3, 4):
        raise _invalid(f"Number of channels inherent in the image must be 1, 3 or 4, was {held}")
    row, rows = (held * width + 3) // 4 * 4, abs(height)
    _check_size("BMP", row, rows, 1)
    if len(data) != start + row * rows:
        difference = len(data) - start - row * rows
        raise _invalid(f"Input size should match (header_size + row_size * abs_height) but they differ by {difference}")
    pixels = np.frombuffer(data, np.uint8, row * rows, start).reshape(rows, row)[:, : held * width]
    pixels = pixels.reshape(rows, width, held)[:: 1 if height < 0 else -1]
    colours = pixels[..., 2::-1] if held > 1 else np.repeat(pixels, 3, axis=-1) if channels else pixels
    if (channels or held) < 4:
        return np.ascontiguousarray(colours)
    opaque = pixels[..., 3:] if held == 4 else np.full((rows, width, 1), 255, np.uint8)
    return np.concatenate([colours, opaque], axis=-1)


# --- ops --------------------------------------------------------------------------------------------------------------


def _picture_shape(f):
    return [(None, None, f.attr("channels") or None)]


def _decoded(
    data: bytes, name: str, channels: int, deep: bool = False, jpeg: JpegOptions = _DEFAULT, stack: bool = False
) -> np.ndarray:
    """A picture of any format that the op called `name` takes; with `stack`, all frames of an animation."""
    form = _form(data)
    if channels not in (0, 1, 3, 4):
        raise _invalid(f"`channels` must be 0, 1, 3 or 4 but got {channels}")
    if name == "DecodeBmp" and form not in ("BMP", "WebP"):
        raise _invalid(
            f"Trying to decode {form} format using DecodeBmp op. Use `decode_{form.lower()}` or `decode_image` instead."
        )
    if name == "DecodeAndCropJpeg" and form != "JPEG":
        raise _invalid(f"DecodeAndCropJpeg operation can run on JPEG only, but detected {form}.")
    if form == "BMP":
        if name not in ("DecodeBmp", "DecodeImage"):
            raise _invalid(
                "Trying to decode BMP format using a wrong op. Use `decode_bmp` or `decode_image` instead. Op used: "
                + name
            )
        return _bmp(data, channels)
    if form == "JPEG":
        return _jpeg(data, channels, jpeg)
    if form == "PNG":
        return _png(data, channels, deep)
    frames = _gif(data, channels) if form == "GIF" else _webp(data, channels)
    if form == "GIF" and len(frames) > 1 and name in ("DecodeJpeg", "DecodePng"):
        raise _invalid(
            f"Got {len(frames)} frames, but animated gifs can only be decoded by tf.io.decode_gif or tf.io.decode_image"
        )
    return frames if stack else frames[0]


@op("DecodeJpeg", fits="0", shape=_picture_shape, grad=NO_GRADIENT, host=True, overlaps=True)
def decode_jpeg(
    _, contents, channels=0, ratio=1, fancy_upscaling=True, try_recover_truncated=False, acceptable_fraction=1.0,
    dct_method="",
):
    options = _jpeg_options(ratio, fancy_upscaling, try_recover_truncated, dct_method)
    return _decoded(_bytes(contents), "DecodeJpeg", channels, jpeg=options)


def _jpeg_options(ratio=1, fancy_upscaling=True, try_recover_truncated=False, dct_method="", **_) -> JpegOptions:
    if ratio not in (1, 2, 4, 8):
        raise _invalid(f"ratio must be 1, 2, 4, or 8, got {ratio}")
    if dct_method not in ("", "INTEGER_FAST", "INTEGER_ACCURATE"):
        raise _invalid("dct_method must be one of {'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}")
    return JpegOptions(ratio, dct_method != "INTEGER_ACCURATE", fancy_upscaling, try_recover_truncated)


def _window_shape(f):
    window = f.values[1]
    height, width = window[2:] if isinstance(window, tuple) and len(window) == 4 else (None, None)
    return [(height, width, f.attr("channels") or None)]


@op("DecodeAndCropJpeg", fits="0 [4]", shape=_window_shape, grad=NO_GRADIENT, host=True, overlaps=True)
def decode_and_crop_jpeg(_, contents, crop_window, channels=0, **attrs):
    """The part of a picture at [top, left, height, width]."""
    if crop_window.shape != (4,):
        raise _invalid(f"crop_size must have four elements {rules.text(crop_window.shape)}")
    data = _bytes(contents)
    picture = _decoded(data, "DecodeAndCropJpeg", channels, jpeg=_jpeg_options(**attrs))
    top, left, height, width = crop_window.tolist()
    fits = top >= 0 and left >= 0 and top + height <= picture.shape[0] and left + width <= picture.shape[1]
    if not fits or height <= 0 or width <= 0:
        raise _failure("JPEG", data)
    return picture[top : top + height, left : left + width]


@op("DecodePng", fits="0", shape=_picture_shape, grad=NO_GRADIENT, host=True, overlaps=True)
def decode_png(_, contents, channels=0, dtype=dtypes.uint8):
    data, deep = _bytes(contents), dtype is dtypes.uint16
    array = _decoded(data, "DecodePng", channels, deep)
    return array.astype(np.uint16) * 256 if deep and array.dtype == np.uint8 else array


@op("DecodeBmp", fits="0", shape=_picture_shape, grad=NO_GRADIENT, host=True, overlaps=True)
def decode_bmp(_, contents, channels=0):
    return _decoded(_bytes(contents), "DecodeBmp", channels)


def _gif_shape(f):
    return [(None, None, None, 3)]


@op("DecodeGif", fits="0", shape=_gif_shape, grad=NO_GRADIENT, host=True, overlaps=True)
def decode_gif(_, contents):
    array = _decoded(_bytes(contents), "DecodeGif", 3, stack=True)
    return array if array.ndim == 4 else array[None]


def _webp_shape(f):
    return [(None, None, None, f.attr("channels") or None)]


@op("DecodeWebP", fits="0", shape=_webp_shape, grad=NO_GRADIENT, host=True, overlaps=True)
def decode_webp(_, contents, channels=0, dtype=dtypes.uint8):
    return _webp(_bytes(contents), channels)


def _any_shape(f):
    return [None] if f.attr("expand_animations") else _picture_shape(f)


@op("DecodeImage", fits="0", shape=_any_shape, grad=NO_GRADIENT, host=True, overlaps=True)
def decode_image(_, contents, channels=0, dtype=dtypes.uint8, expand_animations=True):
    data = _bytes(contents)
    if dtype is not dtypes.uint8 and _form(data) == "WebP":
        raise _invalid("WebP only supports uint8 for dtype")
    array = _decoded(data, "DecodeImage", channels, deep=dtype is not dtypes.uint8, stack=expand_animations)
    if dtype is dtypes.float32:
        return array.astype(np.float32) * np.float32(1 / np.iinfo(array.dtype).max)
    return array.astype(np.uint16) * 256 if dtype is dtypes.uint16 and array.dtype == np.uint8 else array


@op("ExtractJpegShape", fits="0", shape=lambda f: [(3,)], grad=NO_GRADIENT, host=True)
def extract_jpeg_shape(_, contents, output_type=dtypes.int32):
    data = _bytes(contents)
    try:
        picture = _reader("JPEG")(io.BytesIO(data))
    except Exception:  # as above
        raise _invalid(f"Invalid JPEG data, size {len(data)}") from None
    return np.array([picture.height, picture.width, len(picture.getbands())], output_type.np_dtype)
