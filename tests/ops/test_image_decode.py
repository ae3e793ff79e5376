"""Decoding pictures: which op takes which format, and what hostile bytes get (row 11 of the bad inputs).

The texts are TensorFlow 2.21's.
"""

import contextlib
import io
import struct
import sys
import zlib

import numpy as np
import pytest
from PIL import Image

import reflow as tf
from reflow.core import errors

PIXELS = np.random.default_rng(0).integers(0, 255, (6, 8, 3), np.uint8)
OPS = {
    "jpeg": tf.io.decode_jpeg,
    "png": tf.io.decode_png,
    "gif": tf.io.decode_gif,
    "bmp": tf.io.decode_bmp,
    "image": tf.io.decode_image,
    "crop": lambda data: tf.image.decode_and_crop_jpeg(data, [0, 0, 2, 2]),
    "shape": tf.image.extract_jpeg_shape,
}


def encoded(form: str, mode: str = "RGB", **options) -> bytes:
    out = io.BytesIO()
    Image.fromarray(PIXELS).convert(mode).save(out, form, **options)
    return out.getvalue()


FILES = {form: encoded(form) for form in ("JPEG", "PNG", "GIF", "BMP")} | {"WEBP": encoded("WEBP", lossless=True)}
ANIMATED = encoded("GIF", save_all=True, append_images=[Image.fromarray(255 - PIXELS)])


def failure(function, *args) -> str:
    with pytest.raises(errors.InvalidArgumentError) as caught:
        function(*args)
    return str(caught.value)


@pytest.mark.parametrize("form, op, shape", [
    ("JPEG", "jpeg", (6, 8, 3)), ("JPEG", "png", (6, 8, 3)), ("JPEG", "gif", (1, 6, 8, 3)),
    ("JPEG", "image", (6, 8, 3)), ("JPEG", "crop", (2, 2, 3)), ("PNG", "jpeg", (6, 8, 3)), ("PNG", "png", (6, 8, 3)),
    ("PNG", "gif", (1, 6, 8, 3)), ("PNG", "image", (6, 8, 3)), ("GIF", "jpeg", (6, 8, 3)), ("GIF", "png", (6, 8, 3)),
    ("GIF", "gif", (1, 6, 8, 3)), ("GIF", "image", (1, 6, 8, 3)), ("BMP", "bmp", (6, 8, 3)),
    ("BMP", "image", (6, 8, 3)), ("WEBP", "image", (1, 6, 8, 3)),
])
def test_formats_that_an_op_takes(form, op, shape):
    array = OPS[op](FILES[form]).numpy()
    assert array.shape == shape
    if form != "JPEG":
        assert np.array_equal(array.reshape(-1, 3), PIXELS.reshape(-1, 3))


@pytest.mark.parametrize("form, op, text", [
    ("BMP", "jpeg", "BMP format using a wrong op. Use `decode_bmp` or `decode_image` instead. Op used: DecodeJpeg"),
    ("BMP", "gif", "BMP format using a wrong op. Use `decode_bmp` or `decode_image` instead. Op used: DecodeGif"),
    ("PNG", "bmp", "Trying to decode PNG format using DecodeBmp op. Use `decode_png` or `decode_image` instead."),
    ("PNG", "crop", "DecodeAndCropJpeg operation can run on JPEG only, but detected PNG."),
    ("PNG", "shape", "Invalid JPEG data, size"),
])
def test_formats_that_an_op_refuses(form, op, text):
    assert text in failure(OPS[op], FILES[form])


def test_animations():
    assert tf.io.decode_gif(ANIMATED).shape == tf.io.decode_image(ANIMATED).shape == (2, 6, 8, 3)
    assert tf.io.decode_image(ANIMATED, expand_animations=False).shape == (6, 8, 3)
    assert "Got 2 frames, but animated gifs can only be decoded by" in failure(tf.io.decode_png, ANIMATED)


@pytest.mark.parametrize("form, channels, text", [
    ("GIF", 1, "channels must be 0 or 3 for GIF, got 1"),
    ("BMP", 1, "`channels` must be 0, 3 or 4 for BMP, but got 1"),
    ("JPEG", 4, "JPEG does not support 4 channels"),
    ("WEBP", 4, "Number of channels requested does not match input"),
    ("PNG", 2, "`channels` must be 0, 1, 3 or 4 but got 2"),
    ("PNG", -1, "`channels` must be 0, 1, 3 or 4 but got -1"),
])
def test_channels_that_a_format_has_not(form, channels, text):
    assert text in failure(lambda: tf.io.decode_image(FILES[form], channels=channels))


def test_bmp_as_tensorflow_reads_it():
    """Palettes are not looked at, alpha is kept, a negative height means rows from the top."""
    grey = np.asarray(Image.fromarray(PIXELS).convert("L"))
    assert np.array_equal(tf.io.decode_bmp(encoded("BMP", "L")).numpy()[..., 0], grey)
    assert tf.io.decode_bmp(encoded("BMP", "P")).shape == (6, 8, 1)
    assert np.array_equal(tf.io.decode_bmp(encoded("BMP", "RGBA")).numpy()[..., :3], PIXELS)
    assert tf.io.decode_bmp(FILES["BMP"], channels=4).numpy()[..., 3].tolist() == [[255] * 8] * 6
    down = bytearray(FILES["BMP"])
    down[22:26] = struct.pack("<i", -6)
    assert np.array_equal(tf.io.decode_bmp(bytes(down)).numpy(), PIXELS[::-1])
    assert (tf.io.decode_image(FILES["BMP"], dtype=tf.uint16).numpy() == PIXELS.astype(int) * 256).all()


@pytest.mark.parametrize("at, value, text", [
    (10, -1, "header size must be nonnegative"), (18, 0, "Width must be positive"), (18, -8, "Width must be positive"),
    (28, 16, "Number of channels inherent in the image must be 1, 3 or 4, was 2"), (22, 2**30, "size too large"),
    (10, 2**30, "Input size should match"),
])
def test_bmp_headers(at, value, text):
    data = bytearray(FILES["BMP"])
    data[at : at + 4] = struct.pack("<i", value) if at != 28 else struct.pack("<Hxx", value)
    assert text in failure(tf.io.decode_bmp, bytes(data))


# --- hostile bytes

started: list | None = None


def hook(event, args):
    if (
        started is not None
        and event in ("subprocess.Popen", "os.posix_spawn", "os.system", "os.exec", "socket.connect")
    ):
        started.append((event, args))


sys.addaudithook(hook)


@pytest.mark.parametrize("form", ["EPS", "TIFF", "PPM", "ICO", "TGA", "PDF"])
@pytest.mark.parametrize("op", [op for op in OPS if op != "shape"])
def test_other_formats_are_unknown_and_start_no_program(form, op):
    """Pillow reads EPS by starting Ghostscript on it."""
    global started
    started = []
    try:
        assert "One of JPEG, JPEG XL, PNG, GIF, BMP, WebP required" in failure(OPS[op], encoded(form))
        assert not started
    finally:
        started = None


@pytest.mark.parametrize("op", OPS)
def test_bytes_that_are_no_picture(op):
    for data in (b"", b"junk", b"RIFF", b"RIFF1234WEBP", b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF8", b"BM"):
        failure(OPS[op], data)
    assert "must be scalar" in failure(OPS[op], [b"a"])


@pytest.mark.parametrize("form", FILES)
def test_damaged_files(form):
    """Cut at every place, and with each byte changed: a picture or an InvalidArgumentError, nothing of Pillow's."""
    data = FILES[form]
    damaged = [data[:i] for i in range(len(data))]
    for i in range(len(data)):
        damaged += [data[:i] + bytes([b]) + data[i + 1 :] for b in {0, 255, data[i] ^ 128} - {data[i]}]
    for bad in damaged:
        for op in ("image", "gif" if form == "GIF" else "shape"):
            with contextlib.suppress(errors.InvalidArgumentError, errors.UnimplementedError):
                OPS[op](bad)


def png(width: int, height: int) -> bytes:
    """A PNG that declares a size and holds next to nothing."""

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = [chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(b"\0" * 100)), chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def changed(form: str, at: int, value: bytes) -> bytes:
    data = bytearray(FILES[form])
    data[at : at + len(value)] = value
    return bytes(data)


@pytest.mark.parametrize("data", [
    png(100_000, 100_000), png(2**31 - 1, 2**31 - 1), changed("GIF", 6, b"\xff" * 4),
    changed("BMP", 18, b"\xff\xff\xff\x0f" * 2), changed("JPEG", FILES["JPEG"].index(b"\xff\xc0") + 5, b"\xfd\xe8" * 2),
], ids=["png", "larger-png", "gif", "bmp", "jpeg"])
def test_a_small_file_that_declares_a_huge_picture(data):
    assert "more than the limit of 1073741824 (the environment variable REFLOW_MAX_IMAGE_BYTES sets it)" in failure(
        tf.io.decode_image, data
    )


def test_the_limit_counts_frames_and_can_be_set(monkeypatch):
    monkeypatch.setenv("REFLOW_MAX_IMAGE_BYTES", str(6 * 8 * 3))
    assert tf.io.decode_image(FILES["PNG"]).shape == (6, 8, 3)
    assert "GIF size too large: 8 by 6 pixels are 288 bytes" in failure(tf.io.decode_gif, ANIMATED)
    monkeypatch.setenv("REFLOW_MAX_IMAGE_BYTES", str(6 * 8 * 3 - 1))
    for form in FILES:
        assert "size too large: " in failure(tf.io.decode_image, FILES[form])


def test_colours_of_png_become_grey_by_the_integers_of_libpng():
    """TensorFlow's values for these pixels; by rounded weights some are one more."""
    pixels = np.random.default_rng(0).integers(0, 256, (30, 30, 4)).astype(np.uint8)
    for channels in (3, 4):
        png = tf.io.encode_png(pixels[..., :channels])
        weighed = (pixels[..., :3].astype(np.int64) * [9797, 19234, 3737]).sum(-1) >> 15
        np.testing.assert_array_equal(tf.io.decode_png(png, channels=1)[..., 0], weighed)
