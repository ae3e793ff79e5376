"""Convolution kernels that keep norms. Values are those of TensorFlow 2.21."""

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.python.ops.initializers import init_ops


@pytest.fixture(autouse=True)
def seeded():
    tf.random.set_seed(7)


def test_an_orthogonal_matrix_at_the_centre():
    kernel = init_ops.ConvolutionDeltaOrthogonal(gain=2.0, seed=1)([3, 2, 2]).numpy()
    np.testing.assert_allclose(kernel[1], [[-0.836686, 1.816578], [1.816578, 0.836686]], rtol=1e-5)
    assert not kernel[0].any() and not kernel[2].any()


def test_the_centre_of_an_even_kernel():
    even = init_ops.convolutional_delta_orthogonal(seed=1)([4, 4, 1, 2]).numpy()
    np.testing.assert_allclose(even[1, 1, 0], [-0.418343, 0.908289], rtol=1e-5)


def test_a_kernel_over_sequences():
    kernel = init_ops.ConvolutionOrthogonal1D(gain=2.0, seed=1)([3, 2, 2]).numpy()
    expected = [-0.356524, -0.089798, 1.906377, 0.480163, -0.480162, 1.906376, -0.089799, 0.356524, 0, 0, 0, 0]
    np.testing.assert_allclose(kernel.ravel(), expected, atol=1e-5)


def test_a_kernel_over_images_counts_its_seed_up():
    initializer = init_ops.ConvolutionOrthogonal2D(seed=1)
    kernel = initializer([2, 2, 2, 3]).numpy()
    np.testing.assert_allclose(kernel[0, 0].ravel(), [-0.405268, 0.454532, -0.764338, -0.645483, 0.303385, 0.615622], atol=1e-5)
    np.testing.assert_allclose(kernel[1, 0].ravel(), [0.118174, 0.171556, 0.039362, 0.186811, 0.271197, 0.062223], atol=1e-5)
    assert initializer.seed == 6


@pytest.mark.parametrize(
    ("kind", "shape", "convolve"),
    [
        (init_ops.ConvolutionOrthogonal1D, [3, 4, 6], lambda x, k: tf.nn.conv1d(x, k, 1, "SAME")),
        (init_ops.ConvolutionOrthogonal2D, [3, 3, 4, 6], lambda x, k: tf.nn.conv2d(x, k, 1, "SAME")),
        (init_ops.ConvolutionOrthogonal3D, [2, 2, 2, 4, 6], lambda x, k: tf.nn.conv3d(x, k, [1] * 5, "SAME")),
    ],
)
def test_the_norm_stays(kind, shape, convolve):
    axes = len(shape) - 2
    x = np.zeros([1, *[9] * axes, 4], np.float32)
    x[(0, *[slice(3, 6)] * axes)] = np.random.default_rng(1).normal(size=[3] * axes + [4])
    y = convolve(tf.constant(x), kind(seed=3)(shape))
    np.testing.assert_allclose(np.linalg.norm(y), np.linalg.norm(x), rtol=1e-4)


def test_what_is_refused():
    for kind, shape, words in (
        (init_ops.ConvolutionDeltaOrthogonal, [3, 2], "at least three-dimensional and at most five-dimensional"),
        (init_ops.ConvolutionOrthogonal1D, [3, 2], "must be three-dimensional. Received shape="),
        (init_ops.ConvolutionOrthogonal2D, [3, 2, 2], "must be four-dimensional. Received: "),
        (init_ops.ConvolutionOrthogonal2D, [2, 3, 2, 2], r"specified by shape\[0\]=2 and shape\[1\]=3 must be equal"),
        (init_ops.ConvolutionOrthogonal3D, [2, 3, 3, 2, 2], r"shape\[0\]=2,  shape\[1\]=3 and shape\[2\]=3 must be equal"),
        (init_ops.ConvolutionOrthogonal1D, [3, 4, 2], r"shape\[-2\]=4 cannot be greater than out_filters"),
    ):
        with pytest.raises(ValueError, match=words):
            kind(seed=1)(shape)
    with pytest.raises(ValueError, match="expected to be floating point"):
        init_ops.ConvolutionOrthogonal2D(dtype=tf.int32)
