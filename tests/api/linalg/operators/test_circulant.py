"""`reflow/api/linalg/operators/circulant.py`.

Every method against the dense matrix, and what the constructor refuses.
"""

import numpy as np
import pytest

import reflow as tf
from tests.api.linalg.operators.dense import check, check_in_function, numbers

L = tf.linalg


def test_methods():
    kernel = np.array([5.0, 1.0, 2.0], "float32")
    dense = np.stack([np.roll(kernel, i) for i in range(3)], axis=1)
    operator = L.LinearOperatorCirculant(np.fft.fft(kernel).astype("complex64"), input_output_dtype=tf.float32)
    check(operator, dense)
    assert np.allclose(operator.convolution_kernel(), kernel)
    operator.assert_hermitian_spectrum()
    assert operator.block_depth == 1 and operator.block_shape == (3,) and operator.block_shape_tensor().numpy() == [3]
    check(L.LinearOperatorCirculant(numbers(2, 4)))
    check(L.LinearOperatorCirculant2D(numbers(2, 2, 3) + 1j * numbers(2, 2, 3)))
    check(L.LinearOperatorCirculant3D(numbers(2, 2, 2)))
    check_in_function(operator)
    check_in_function(L.LinearOperatorCirculant2D(numbers(2, 3)))


def test_unknown_shapes():
    @tf.function(input_signature=[tf.TensorSpec(None), tf.TensorSpec([None, None], tf.complex64)])
    def product(spectrum, x):
        return L.LinearOperatorCirculant2D(spectrum).matmul(x)

    spectrum, x = numbers(2, 3), numbers(6, 1).astype("complex64")
    assert np.allclose(product(spectrum, x), L.LinearOperatorCirculant2D(spectrum).matmul(x), 1e-4, 1e-4)


def test_refusals():
    with pytest.raises(ValueError, match="at least 2 dimensions"):
        L.LinearOperatorCirculant2D([1.0])
    with pytest.raises(ValueError, match="A real spectrum always"):
        L.LinearOperatorCirculant([1.0], is_self_adjoint=False)
    with pytest.raises(ValueError, match="always square"):
        L.LinearOperatorCirculant([1.0], is_square=False)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Spectrum contained zero values"):
        L.LinearOperatorCirculant([0.0]).assert_non_singular()
    with pytest.raises(tf.errors.InvalidArgumentError, match="Real part of spectrum"):
        L.LinearOperatorCirculant([-1.0]).assert_positive_definite()
    with pytest.raises(tf.errors.InvalidArgumentError, match="non-zero imaginary part"):
        L.LinearOperatorCirculant([1j]).assert_self_adjoint()
    with pytest.raises(tf.errors.InvalidArgumentError, match="Spectrum was not Hermitian"):
        L.LinearOperatorCirculant(tf.constant([1.0, 2.0, 5.0])).assert_hermitian_spectrum()
