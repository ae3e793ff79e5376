"""Pictures whose size is not known while a function is traced: cropping, padding, turning. Numbers from TensorFlow 2.21."""

import pytest

import reflow as tf

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
