"""Flipped arrays by the kernels in C++: copied, and in place."""

import numpy as np
import pytest

from reflow import native

IMAGE = np.random.RandomState(1).randint(0, 255, (5, 6, 7, 3))
VIEWS = {
    "flipped": lambda x: x[:, :, ::-1],
    "upside down": lambda x: x[:, ::-1],
    "transposed": lambda x: x.transpose(0, 2, 1, 3),
    "every second": lambda x: x[::2, :, 1::3],
    "cropped": lambda x: x[:, 1:4, 2:5],
    "channels swapped": lambda x: x[..., ::-1],
    "spread": lambda x: np.broadcast_to(x[0], x.shape),
}


@pytest.mark.skipif(not native.available(), reason="there is no compiler")
@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64])
def test_views_are_copied(dtype):
    for name, view in VIEWS.items():
        array = view(IMAGE.astype(dtype))
        out = np.zeros(array.shape, dtype)
        assert native.copy_strided(array, out), name
        np.testing.assert_array_equal(out, array, name)


@pytest.mark.skipif(not native.available(), reason="there is no compiler")
@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64])
def test_arrays_are_flipped_in_their_own_memory(dtype):
    image = np.arange(5 * 6 * 7 * 3).reshape(5, 6, 7, 3).astype(dtype)
    for axis in range(4):  # runs of one number, of a pixel, and of more than the kernel swaps at once
        array = image.copy()
        assert native.reverse(array, axis)
        np.testing.assert_array_equal(array, np.flip(image, axis))


def test_what_is_left_to_numpy():
    for array in (IMAGE[:, :0], IMAGE.astype(object), IMAGE[::-1]):
        assert not native.reverse(array, 0)
    for array in (IMAGE, IMAGE[:, :0, ::-1], IMAGE.astype(object)[::-1]):
        assert not native.copy_strided(array, np.zeros(array.shape, array.dtype))
