"""`tf.image.psnr`, `ssim`, `total_variation` and colour spaces, where sizes are not known in a trace."""

import numpy as np
import pytest

import reflow as tf
from tests.api.image import image_cases as cases
from tests.api.image.pictures import ANY, same, traced


def test_quality_of_unknown_sizes():
    pairs = traced(lambda a, b: [tf.image.psnr(a, b, 1.0)], ANY, ANY)
    np.testing.assert_allclose(pairs(cases.A, cases.B)[0], tf.image.psnr(cases.A, cases.B, 1.0), rtol=1e-6)
    with pytest.raises(tf.errors.InvalidArgumentError):
        pairs(cases.A, cases.B[:, :1])
    variation = traced(tf.image.total_variation)
    np.testing.assert_allclose(variation(cases.A), tf.image.total_variation(cases.A), rtol=1e-6)
    dy, _ = traced(tf.image.image_gradients)(cases.A)
    np.testing.assert_array_equal(dy, tf.image.image_gradients(cases.A)[0])
    yuv = traced(tf.image.rgb_to_yuv)
    assert yuv.get_concrete_function().output_shapes.as_list() == [None, None, None, 3]


def test_multiscale_of_unknown_sizes():
    unknown = tf.TensorSpec([None, None, None, None])
    f = traced(lambda a, b: tf.image.ssim_multiscale(a, b, 1.0, (0.3, 0.3, 0.4), filter_size=5), unknown, unknown)
    same(f(cases.LARGE_A, cases.LARGE_B), "ssim_multiscale")
    with pytest.raises(tf.errors.InvalidArgumentError):
        f(cases.LARGE_A[:, :9], cases.LARGE_B[:, :9])
