"""Kernels of smoothing convolutions, with the numbers of TensorFlow."""

import numpy as np

import reflow as tf
from reflow.drop_in.python.ops.linalg import linear_operator_circulant as circulant
from reflow.drop_in.python.ops.linalg.linear_operator_circulant import exponential_power_convolution_kernel


def test_kernels():
    found = exponential_power_convolution_kernel([3, 4], [0.3, 0.5])
    np.testing.assert_allclose(
        found[:2], [[1, 0.80074, 0.41111, 0.80074], [0.24935, 0.19967, 0.10251, 0.19967]], atol=1e-5
    )
    found = exponential_power_convolution_kernel([5], [0.3], power=1.0, divisor=2.0, zero_inflation=0.25)
    np.testing.assert_allclose(found, [1, 0.49443, 0.32595, 0.32595, 0.49443], atol=1e-5)


def test_transforms_by_depth_and_complex_numbers_of_a_precision():
    x = tf.constant([1.0, 2.0], tf.float64)
    z = circulant._to_complex(x)
    assert z.dtype is tf.complex128 and circulant._to_complex(z) is z
    there = circulant._FFT_OP[1](z)
    assert there.numpy().tolist() == [3, -1] and circulant._IFFT_OP[1](there).numpy().tolist() == [1, 2]
