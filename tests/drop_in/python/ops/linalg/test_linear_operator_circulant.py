"""Kernels of smoothing convolutions, with the numbers of TensorFlow."""

import numpy as np

from reflow.drop_in.python.ops.linalg.linear_operator_circulant import exponential_power_convolution_kernel


def test_kernels():
    found = exponential_power_convolution_kernel([3, 4], [0.3, 0.5])
    np.testing.assert_allclose(
        found[:2], [[1, 0.80074, 0.41111, 0.80074], [0.24935, 0.19967, 0.10251, 0.19967]], atol=1e-5
    )
    found = exponential_power_convolution_kernel([5], [0.3], power=1.0, divisor=2.0, zero_inflation=0.25)
    np.testing.assert_allclose(found, [1, 0.49443, 0.32595, 0.32595, 0.49443], atol=1e-5)
