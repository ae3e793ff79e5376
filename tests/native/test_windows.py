"""Convolutions, max pooling and their gradients by kernels in C++ in eager code, against NumPy's operations."""

from unittest import mock

import numpy as np
import pytest

import reflow as tf
from reflow import native
from reflow.native import windows
from reflow.ops.xp import host as host_xp
from reflow.ops.xp.host import native as host_native

pytestmark = pytest.mark.skipif(not native.available(), reason="no C++ compiler here")
rng = np.random.default_rng(0)


def normal(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def by_numpy(function, *args):
    with mock.patch.object(windows, "run", return_value=None):
        return function(*args)


#: images, filters, strides, paddings, dilations, groups: Winograd's algorithm, few taps, windows as rows, single
#: pixels, each channel by itself
CONVOLUTIONS = [
    ((8, 14, 14, 16), (3, 3, 16, 32), (1, 1), ((1, 1), (1, 1)), None, 1),
    ((8, 28, 28, 1), (3, 3, 1, 16), (1, 1), ((1, 1), (1, 1)), None, 1),
    ((16, 15, 17, 5), (5, 4, 5, 19), (2, 3), ((2, 1), (0, 3)), (1, 1), 1),
    ((16, 20, 20, 12), (1, 1, 12, 40), (1, 1), ((0, 0), (0, 0)), None, 1),
    ((16, 19, 18, 33), (3, 3, 1, 33), (2, 1), ((2, 2), (1, 0)), (1, 2), 33),
]


@pytest.mark.parametrize("image, filters, strides, padding, dilations, groups", CONVOLUTIONS)
def test_a_convolution_and_its_gradients_are_those_of_numpy(image, filters, strides, padding, dilations, groups):
    x, w = normal(*image), normal(*filters)
    with mock.patch.object(windows, "run", wraps=windows.run) as run:
        y = host_xp.conv(x, w, strides, padding, dilations, None, groups)
        g = normal(*y.shape)
        dx = host_xp.conv_backprop_input(x.shape, w, g, strides, padding, dilations, groups)
        dw = host_xp.conv_backprop_filter(x, w.shape, g, strides, padding, dilations, groups)
    assert run.call_count == 3
    close = dict(rtol=1e-4, atol=1e-3)
    np.testing.assert_allclose(y, by_numpy(host_xp.conv, x, w, strides, padding, dilations, None, groups), **close)
    np.testing.assert_allclose(
        dx, by_numpy(host_xp.conv_backprop_input, x.shape, w, g, strides, padding, dilations, groups), **close
    )
    np.testing.assert_allclose(
        dw, by_numpy(host_xp.conv_backprop_filter, x, w.shape, g, strides, padding, dilations, groups), **close
    )


@pytest.mark.parametrize(
    "window, strides, padding", [((2, 2), (2, 2), ((0, 0), (0, 0))), ((3, 2), (2, 1), ((1, 1), (0, 1)))]
)
def test_a_pool_and_its_gradient_are_those_of_numpy(window, strides, padding):
    x = rng.integers(-3, 3, (6, 30, 29, 17)).astype(np.float32)  # many maxima are met twice
    x[0, 3, 3, 3] = np.nan
    with mock.patch.object(windows, "run", wraps=windows.run) as run:
        y = host_xp.max_pool(x, window, strides, padding)
        g = normal(*y.shape)
        dx = host_xp.max_pool_grad(x, y, g, window, strides, padding)
    assert run.call_count == 2
    np.testing.assert_array_equal(y, by_numpy(host_xp.max_pool, x, window, strides, padding))
    np.testing.assert_allclose(
        dx, by_numpy(host_xp.max_pool_grad, x, y, g, window, strides, padding), rtol=1e-6, atol=1e-6
    )


def test_operands_that_lie_in_pieces_are_copied():
    x, w = normal(16, 14, 14, 16).transpose(0, 2, 1, 3), normal(3, 3, 32, 16).swapaxes(2, 3)
    numbers = (1, 1), ((1, 1), (1, 1))
    np.testing.assert_allclose(
        host_xp.conv(x, w, *numbers), by_numpy(host_xp.conv, x, w, *numbers), rtol=1e-4, atol=1e-4
    )


@pytest.mark.parametrize(
    "changed",
    [
        {"shape": (2, 9, 8, 4)}, {"strides": (0, 1)}, {"strides": (2**31, 1)}, {"padding": ((-1, 1), (1, 1))},
        {"padding": ((2**61, 1), (1, 1))}, {"strides": (2**70, 1)}, {"strides": (1,)},
        {"operands": (normal(2, 8, 8, 3), normal(3, 3, 2, 4))}, {"dilations": (2, 2)},
        {"operands": (normal(2, 8, 8, 3).astype(np.float64), normal(3, 3, 3, 4))},
        {"operands": (normal(0, 8, 8, 3), normal(3, 3, 3, 4))}, {"operands": (normal(8, 8, 3), normal(3, 3, 3, 4))},
    ],
)  # fmt: skip
def test_what_does_not_fit_is_left_to_numpy(changed):
    right = {
        "operands": (normal(2, 8, 8, 3), normal(3, 3, 3, 4)), "shape": (2, 8, 8, 4), "strides": (1, 1),
        "padding": ((1, 1), (1, 1)),
    }
    assert windows.run("convolution", **right) is not None
    assert windows.run("convolution", **right | changed) is None


def test_little_work_loads_nothing():
    x, w = tf.constant(normal(1, 4, 4, 3)), tf.constant(normal(3, 3, 3, 4))
    with mock.patch.object(host_native, "_run", side_effect=AssertionError):
        assert tf.nn.max_pool2d(tf.nn.conv2d(x, w, 1, "SAME"), 2, 2, "SAME").shape == [1, 2, 2, 4]


def test_narrow_floats_are_widened_first():
    x, w = normal(8, 14, 14, 16).astype(np.float16), normal(3, 3, 16, 32).astype(np.float16)
    numbers = (1, 1), ((1, 1), (1, 1))
    with mock.patch.object(windows, "run", wraps=windows.run) as run:
        y = host_xp.conv(x, w, *numbers)
    assert run.call_count == 1 and y.dtype == np.float16
    np.testing.assert_allclose(y, by_numpy(host_xp.conv, x, w, *numbers), rtol=2e-3, atol=2e-2)
