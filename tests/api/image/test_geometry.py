"""`tf.image`: pictures turned, cropped and changed as TensorFlow does it,
also where their size is not known in a trace."""


import numpy as np
import pytest

import reflow as tf
from tests import GOLDEN
from tests.expressions import session

test_expressions = session(__file__)

PICTURE = tf.cast(tf.reshape(tf.range(7 * 10 * 3), [7, 10, 3]), tf.float32)
ANY = tf.TensorSpec([None, None, 3], tf.float32)


@pytest.mark.parametrize(
    ("fraction", "shape", "total"), [(0.3, (3, 4, 3), 3762.0), (0.5, (5, 6, 3), 9405.0), (0.875, (7, 10, 3), 21945.0)]
)
def test_central_crop(fraction, shape, total):
    f = tf.function(lambda x: tf.image.central_crop(x, fraction), input_signature=[ANY])
    for out in (f(PICTURE), tf.image.central_crop(PICTURE, fraction)):
        assert (tuple(out.shape), float(tf.reduce_sum(out))) == (shape, total)
    assert f.get_concrete_function().output_shapes.as_list() == [None, None, 3]


def test_central_crop_of_a_batch():
    f = tf.function(lambda x: tf.image.central_crop(x, 0.5), input_signature=[tf.TensorSpec([None, None, None, 3])])
    assert f(PICTURE[None]).shape == [1, 5, 6, 3]


@pytest.mark.parametrize(
    ("height", "width", "total"), [(4, 12, 10740.0), (9, 3, 6489.0), (7, 10, 21945.0), (3, 4, 3762.0)]
)
def test_crop_or_pad(height, width, total):
    f = tf.function(lambda x: tf.image.resize_with_crop_or_pad(x, height, width), input_signature=[ANY])
    for out in (f(PICTURE), tf.image.resize_with_crop_or_pad(PICTURE, height, width)):
        assert (out.shape, float(tf.reduce_sum(out))) == ([height, width, 3], total)
    assert f.get_concrete_function().output_shapes.as_list() == [height, width, 3]


def test_crop_or_pad_to_a_tensor():
    f = tf.function(lambda x, h: tf.image.resize_with_crop_or_pad(x, h, 5))
    assert f(PICTURE, tf.constant(4)).shape == [4, 5, 3]


@pytest.mark.parametrize(("k", "corner"), [(-1, 180.0), (0, 0.0), (1, 27.0), (2, 207.0), (3, 180.0), (4, 0.0)])
def test_turns_by_a_tensor(k, corner):
    f = tf.function(tf.image.rot90)
    out = f(PICTURE, tf.constant(k))
    assert float(out[0, 0, 0]) == corner
    assert out.shape == ([7, 10, 3] if k % 2 == 0 else [10, 7, 3])


FILES = GOLDEN / "files"
IMAGE = dict(np.load(FILES / "image.npz"))
CHANGES = {
    "rot90": lambda t: tf.image.rot90(t), "rot90_3": lambda t: tf.image.rot90(t, 3),
    "flip_left_right": tf.image.flip_left_right, "flip_up_down": tf.image.flip_up_down, "transpose": tf.image.transpose,
    "central_crop": lambda t: tf.image.central_crop(t, 0.5),
    "crop_or_pad": lambda t: tf.image.resize_with_crop_or_pad(t, 7, 3),
    "brightness": lambda t: tf.image.adjust_brightness(t, 0.2), "contrast": lambda t: tf.image.adjust_contrast(t, 0.5),
    "gamma": lambda t: tf.image.adjust_gamma(t, 2.0, 0.5), "saturation": lambda t: tf.image.adjust_saturation(t, 1.5),
    "hue": lambda t: tf.image.adjust_hue(t, 0.3), "standard": tf.image.per_image_standardization,
}


@pytest.mark.parametrize("kind", ["float", "eight"])
@pytest.mark.parametrize("name", CHANGES)
def test_changes_of_pictures(name, kind):
    got, expected = CHANGES[name](IMAGE["x" if kind == "float" else kind]).numpy(), IMAGE[f"{kind}/{name}"]
    assert got.dtype == expected.dtype and got.shape == expected.shape
    tolerance = 1 if got.dtype == np.uint8 and name in ("saturation", "hue", "contrast", "gamma") else 1e-5
    np.testing.assert_allclose(got.astype(float), expected.astype(float), atol=tolerance)


def test_random_changes_draw_tensorflows_numbers():
    tf.random.set_seed(3)
    x = IMAGE["x"][0]
    np.testing.assert_array_equal(tf.image.random_crop(x, [2, 3, 3], seed=5), IMAGE["random_crop"])
    np.testing.assert_array_equal(tf.image.random_flip_left_right(x, seed=5), IMAGE["random_flip"])
    np.testing.assert_allclose(tf.image.random_brightness(x, 0.3, seed=5), IMAGE["random_brightness"], atol=1e-6)
