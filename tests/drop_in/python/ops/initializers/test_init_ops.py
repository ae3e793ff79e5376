"""Kernels of convolutions that keep norms: values for seeds recorded from TensorFlow 2.21."""

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.python.ops.initializers import init_ops


def first(kind, shape, count=4):
    """The first values other than zero."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        flat = session.run(kind(gain=2.0, seed=3)(shape)).ravel()
    return flat[np.abs(flat) > 1e-3][:count]


@pytest.mark.parametrize(
    ("kind", "shape", "expected"),
    [
        (init_ops.convolutional_orthogonal_1d, [3, 2, 2], [1.989, -0.21, 0.21, 1.989]),
        (init_ops.convolutional_orthogonal_1d, [1, 2, 3], [1.898, -0.629, 0.042, 0.331]),
        (init_ops.convolutional_orthogonal_2d, [3, 3, 1, 2], [0.115, 0.088, 0.916, -1.193]),
        (init_ops.convolutional_orthogonal_3d, [2, 2, 2, 1, 2], [0.958, 0.895, 1.031, -1.104]),
        (init_ops.convolutional_delta_orthogonal, [3, 3, 1, 2], [1.989, -0.21]),
    ],
)
def test_values(kind, shape, expected):
    np.testing.assert_allclose(first(kind, shape), expected, atol=6e-4)


def test_a_convolution_keeps_norms():
    kernel = init_ops.ConvolutionOrthogonal2D(seed=1)([3, 3, 2, 4])
    x = tf.pad(tf.random.stateless_normal([1, 4, 4, 2], [1, 2]), [[0, 0], [3, 3], [3, 3], [0, 0]])
    y = tf.nn.conv2d(x, kernel, 1, "SAME")
    assert tf.norm(y).numpy() == pytest.approx(tf.norm(x).numpy(), rel=1e-5)


def test_errors():
    with pytest.raises(ValueError, match=r"must be three-dimensional. Received shape=\[2, 2\]"):
        init_ops.ConvolutionOrthogonal1D()([2, 2])
    with pytest.raises(ValueError, match=r"must be four-dimensional. Received: \[2, 2\]"):
        init_ops.ConvolutionOrthogonal2D()([2, 2])
    with pytest.raises(ValueError, match=r"In_filters, specified by shape\[-2\]=2 cannot be greater than out_filters"):
        init_ops.ConvolutionOrthogonal1D()([3, 2, 1])
    with pytest.raises(
        ValueError, match=r"Kernel sizes, specified by shape\[0\]=3,  shape\[1\]=2 and shape\[2\]=3 must be equal"
    ):
        init_ops.ConvolutionOrthogonal3D()([3, 2, 3, 1, 1])
    with pytest.raises(ValueError, match="at least three-dimensional and at most five-dimensional"):
        init_ops.ConvolutionDeltaOrthogonal()([2, 2])
    with pytest.raises(ValueError, match="expected to be floating point. Received: <dtype: 'int32'>"):
        init_ops.ConvolutionDeltaOrthogonal(dtype=tf.int32)


def test_configurations():
    config = init_ops.ConvolutionOrthogonal2D(2.0, 3).get_config()
    assert config == {"gain": 2.0, "seed": 3, "dtype": "float32"}
    assert init_ops.ConvolutionOrthogonal2D.from_config(config).get_config() == config


def test_each_random_matrix_has_the_next_seed():
    initializer = init_ops.ConvolutionOrthogonal2D(seed=1)
    initializer([2, 2, 2, 3])
    assert initializer.seed == 6
