"""Resizing images by the kernel in C++: the bits of the definition in NumPy."""

import numpy as np
import pytest

import reflow as tf
from reflow import native
from reflow.ops.kernels.image.resize import _linear_taps
from reflow.ops.kernels.image.taps import Taps


@pytest.mark.parametrize(("dtype", "channels"), [(np.uint8, 3), (np.float32, 3), (np.uint8, 1), (np.float32, 5)])
def test_both_ways_give_the_same_bits(monkeypatch, dtype, channels):
    if not native.available():
        pytest.skip("there is no compiler")
    images = (np.random.RandomState(3).rand(2, 61, 87, channels) * 255).astype(dtype)
    for size in ([48, 93], [200, 30]):
        quick = tf.image.resize(images, size).numpy()
        with monkeypatch.context() as patch:
            patch.setattr(native, "resize_bilinear", lambda *_: False)
            np.testing.assert_array_equal(quick, tf.image.resize(images, size).numpy())


def test_what_is_left_to_numpy():
    taps = Taps(np.array([0]), np.array([0]), np.array([0.0])).addresses
    out = np.zeros((1, 1, 1, 1), np.float32)
    assert not native.resize_bilinear(np.zeros((1, 2, 2, 1), np.int16), taps + taps, out)


def test_taps_lie_within_the_image_however_large_the_result():
    """Positions are float32 numbers: the last of so many is rounded to the image's size."""
    taps = _linear_taps(3, 2**24 + 8, align_corners=False, half_pixel_centers=False)
    assert taps.first.max() == taps.second.max() == 2
