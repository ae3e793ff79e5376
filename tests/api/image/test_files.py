"""Picture files: PNG and JPEG, against files that TensorFlow wrote."""

import numpy as np
import pytest

import reflow as tf
from tests import GOLDEN
from tests.api.image import image_cases as cases
from tests.api.image.pictures import traced
from tests.expressions import session
from tests.ops.table import table_data

test_expressions = session(__file__)
JPEG = table_data.JPEG
FILES = GOLDEN / "files"
IMAGE = dict(np.load(FILES / "image.npz"))


def test_picture_files():
    png = (FILES / "picture.png").read_bytes()
    np.testing.assert_array_equal(tf.io.decode_png(png), IMAGE["eight"][0])
    np.testing.assert_array_equal(tf.image.decode_image(png), IMAGE["eight"][0])
    jpeg = tf.io.decode_jpeg((FILES / "picture.jpg").read_bytes()).numpy().astype(int)
    # Pillow decodes by the slow, exact DCT, TensorFlow by the fast one
    np.testing.assert_allclose(jpeg, IMAGE["jpeg_pixels"], atol=8)
    assert tf.io.extract_jpeg_shape((FILES / "picture.jpg").read_bytes()).numpy().tolist() == [5, 6, 3]
    np.testing.assert_array_equal(tf.io.decode_png(tf.io.encode_png(IMAGE["eight"][0])), IMAGE["eight"][0])
    assert tf.io.decode_jpeg((FILES / "picture.jpg").read_bytes(), channels=1).shape == (5, 6, 1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unknown image file format"):
        tf.io.decode_jpeg(b"no picture")


def test_jpeg_quality():
    y, x = np.mgrid[:24, :32]
    smooth = tf.constant(np.stack([x * 4, y * 5, x + y], -1).astype(np.uint8))
    losses = [float(tf.image.psnr(smooth, tf.image.adjust_jpeg_quality(smooth, q), 255)) for q in (5, 50, 95)]
    assert losses == sorted(losses) and losses[0] < 30 < losses[2]
    f = traced(
        lambda p, q: tf.image.adjust_jpeg_quality(p, q), tf.TensorSpec([None, None, 3]), tf.TensorSpec([], tf.int32)
    )
    floats = tf.image.convert_image_dtype(smooth, tf.float32)
    np.testing.assert_array_equal(f(floats, 30), tf.image.adjust_jpeg_quality(floats, 30))
    drawn = tf.random.stateless_uniform([], (1, 2), 10, 90, tf.int32)
    np.testing.assert_array_equal(
        tf.image.stateless_random_jpeg_quality(smooth, 10, 90, seed=(1, 2)), tf.image.adjust_jpeg_quality(smooth, drawn)
    )
    assert tf.image.random_jpeg_quality(smooth, 10, 90).dtype == tf.uint8


def test_part_of_a_jpeg_file():
    file = tf.io.encode_jpeg(cases.BYTES)
    np.testing.assert_array_equal(tf.image.decode_and_crop_jpeg(file, [1, 2, 3, 4]), tf.io.decode_jpeg(file)[1:4, 2:6])
    for window in ([0, 0, 9, 2], [0, 0, 0, 2], [0, -1, 2, 2], [0, 0, 2]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="crop"):
            tf.io.decode_and_crop_jpeg(file, window)


def test_jpeg_pixels_are_those_of_tensorflow():
    """Sums of all pixels, as TensorFlow 2.21 gives them."""
    for options, total in (
        ({}, 29403),
        ({"fancy_upscaling": False}, 29433),
        ({"dct_method": "INTEGER_ACCURATE"}, 29620),
        ({"dct_method": "INTEGER_ACCURATE", "fancy_upscaling": False}, 29648),
    ):
        assert int(tf.io.decode_jpeg(JPEG, channels=3, **options).numpy().sum()) == total
    cut = JPEG[:-20]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid JPEG data"):
        tf.io.decode_jpeg(cut)
    assert tf.io.decode_jpeg(cut, try_recover_truncated=True).shape == tf.io.decode_jpeg(JPEG).shape
