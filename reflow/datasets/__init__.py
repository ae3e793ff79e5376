"""Data that ships with the package, so that examples and tests need no network.

`mnist_7k.npz` is a part of the MNIST database of handwritten digits by Yann LeCun and Corinna Cortes, made available
under the terms of the Creative Commons Attribution-Share Alike 3.0 license
(https://creativecommons.org/licenses/by-sa/3.0/): the first 6,000 of its 60,000 training images and the first 1,000 of
its 10,000 test images, 28 x 28 grey levels each, otherwise unchanged.
"""

from __future__ import annotations

from importlib import resources

import numpy as np

Split = tuple[np.ndarray, np.ndarray]


def mnist_small() -> tuple[Split, Split]:
    """7,000 handwritten digits as `((x_train, y_train), (x_test, y_test))`, like `tf.keras.datasets.mnist.load_data()`.

    >>> (x_train, y_train), (x_test, y_test) = mnist_small()
    >>> x_train.shape, x_train.dtype, y_test.shape
    ((6000, 28, 28), dtype('uint8'), (1000,))
    """
    with (
        resources.files(__package__).joinpath("mnist_7k.npz").open("rb") as file,
        np.load(file, allow_pickle=False) as data,
    ):
        return (data["x_train"], data["y_train"]), (data["x_test"], data["y_test"])


__all__ = ["mnist_small"]
