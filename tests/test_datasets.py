"""The data that comes with the package."""

import numpy as np

from reflow.datasets import mnist_small


def test_mnist_small_has_the_form_of_keras_mnist():
    (x_train, y_train), (x_test, y_test) = mnist_small()
    assert (x_train.shape, y_train.shape) == ((6000, 28, 28), (6000,))
    assert (x_test.shape, y_test.shape) == ((1000, 28, 28), (1000,))
    assert {a.dtype for a in (x_train, y_train, x_test, y_test)} == {np.dtype(np.uint8)}
    assert x_train.max() == 255


def test_mnist_small_begins_as_mnist_does():
    """The first labels of MNIST's two files, and a few hundred of each digit."""
    (_, y_train), (_, y_test) = mnist_small()
    assert y_train[:10].tolist() == [5, 0, 4, 1, 9, 2, 1, 3, 1, 4]
    assert y_test[:10].tolist() == [7, 2, 1, 0, 4, 1, 4, 9, 5, 9]
    assert np.bincount(y_train).min() > 500


def test_each_call_gives_fresh_arrays():
    mnist_small()[0][0][:] = 0
    assert mnist_small()[0][0].any()
