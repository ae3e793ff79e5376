"""Decoding JPEG files by the kernel in C++: the pixels of libjpeg-turbo, or nothing."""

import io
import itertools

import numpy as np
import pytest
import simplejpeg
from PIL import Image

import reflow as tf
from reflow import native

pytestmark = pytest.mark.skipif(not native.available(), reason="there is no compiler")


def picture(draw: np.random.Generator, height: int, width: int) -> np.ndarray:
    """Patches of colours with some noise: blocks with a few numbers and with many."""
    patches = np.kron(draw.integers(0, 256, (height // 8 + 1, width // 8 + 1, 3)), np.ones((8, 8, 1)))[:height, :width]
    return np.clip(patches + draw.normal(0, draw.choice([0, 3, 30]), patches.shape), 0, 255).astype(np.uint8)


def encoded(pixels: np.ndarray, **options) -> bytes:
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "JPEG", **options)
    return out.getvalue()


def by_library(data: bytes, channels: int, **options) -> np.ndarray:
    return simplejpeg.decode_jpeg(data, "RGB" if channels == 3 else "GRAY", fastdct=True, fastupsample=False, **options)


def by_kernel(data: bytes, shape: tuple[int, ...]) -> np.ndarray | None:
    out = np.full(shape, 7, np.uint8)
    return out if native.decode_jpeg(data, out) else None


@pytest.mark.parametrize("subsampling", [0, 1, 2, None])
@pytest.mark.parametrize("quality", [1, 30, 75, 95, 100])
def test_pixels_are_those_of_the_library(subsampling, quality):
    """`subsampling` None: grey."""
    draw = np.random.default_rng(quality)
    tables, restarts = ({}, {"optimize": True}), ({}, {"restart_marker_blocks": 3}, {"restart_marker_rows": 1})
    for (height, width), codes, marks in itertools.product([(5, 7), (16, 16), (33, 50), (64, 129)], tables, restarts):
        pixels = picture(draw, height, width)
        options = {"quality": quality, **codes, **marks}
        data = (
            encoded(pixels[..., 0], **options) if subsampling is None
            else encoded(pixels, subsampling=subsampling, **options)
        )
        for channels in (1, 3):
            ours = by_kernel(data, (height, width, channels))
            assert ours is not None
            np.testing.assert_array_equal(ours, by_library(data, channels))


def test_extreme_pixels():
    """Sums that wrap and samples beyond black and white: pixels of 0 and 255 at random."""
    draw = np.random.default_rng(0)
    for quality, subsampling in itertools.product([5, 50, 100], [0, 1, 2]):
        data = encoded(
            (draw.random((40, 40, 3)) < 0.5).astype(np.uint8) * 255, quality=quality, subsampling=subsampling
        )
        ours = by_kernel(data, (40, 40, 3))
        assert ours is not None
        np.testing.assert_array_equal(ours, by_library(data, 3))


PIXELS = picture(np.random.default_rng(1), 24, 24)
PLAIN = encoded(PIXELS)


@pytest.mark.parametrize("data", [
    encoded(PIXELS, progressive=True), encoded(PIXELS, keep_rgb=True), encoded(PIXELS[:, :4], subsampling=2),
    PLAIN[:-2], PLAIN[:-30], PLAIN[:-2] + b"\1\xff\xd9", b"", b"\xff\xd8",
], ids=["progressive", "rgb", "narrow", "no end", "cut", "more bytes", "nothing", "no header"])
def test_what_is_left_to_the_library(data):
    width = 4 if data.startswith(encoded(PIXELS[:, :4], subsampling=2)[:200]) else 24
    assert by_kernel(data, (24, width, 3)) is None


def test_a_file_of_another_size_is_refused():
    for shape in [(24, 23, 3), (25, 24, 3), (1, 1, 1)]:
        assert by_kernel(PLAIN, shape) is None


def test_damaged_files_are_decoded_as_by_the_library():
    """A byte changed, or bytes gone: where the kernel gives pixels, they are the library's,
    which has nothing to warn about."""
    draw = np.random.default_rng(2)
    given = 0
    for _ in range(4000):
        data = bytearray(PLAIN)
        at = int(draw.integers(20, len(data) if draw.random() < 0.5 else 650))
        if draw.random() < 0.8:
            data[at] = int(draw.choice([0, 1, 255, data[at] ^ 1 << draw.integers(8)]))
        else:
            del data[at : at + int(draw.integers(1, 9))]
        ours = by_kernel(bytes(data), (24, 24, 3))
        if ours is not None:
            given += 1
            np.testing.assert_array_equal(ours, by_library(bytes(data), 3))
    assert given > 500


def test_unknown_symbols_of_zero_length_end_a_block():
    """Symbols 0x10 to 0xE0 mean nothing. libjpeg-turbo takes them for the end of a block."""
    end = PLAIN.index(b"\xff\xc4\x00\xb5") + 21  # the symbols of the first table with runs
    place = PLAIN.index(b"\0", end)
    data = PLAIN[:place] + b"\x50" + PLAIN[place + 1 :]
    ours = by_kernel(data, (24, 24, 3))
    assert ours is not None
    np.testing.assert_array_equal(ours, by_library(data, 3))


@pytest.mark.parametrize(
    "options", [{}, {"channels": 1}, {"ratio": 2}, {"fancy_upscaling": False}, {"dct_method": "INTEGER_ACCURATE"}]
)
def test_the_op_gives_the_same_with_and_without(monkeypatch, options):
    with_kernel = tf.io.decode_jpeg(PLAIN, **options).numpy()
    monkeypatch.setattr(native, "decode_jpeg", lambda *_: False)
    np.testing.assert_array_equal(with_kernel, tf.io.decode_jpeg(PLAIN, **options).numpy())
