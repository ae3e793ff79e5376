"""The digits of `tf.contrib.learn.datasets.mnist` and `tensorflow.examples.tutorials.mnist`, given out in batches."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from reflow.datasets import mnist_small


class Digits:
    """Images and labels, returned batch by batch."""

    def __init__(
        self, images: np.ndarray, labels: np.ndarray, one_hot: bool, reshape: bool, whole: bool = False,
        seed: int | None = None,
    ) -> None:
        shaped = images.reshape(len(images), -1) if reshape else images[..., None]
        self.images = shaped if whole else shaped.astype(np.float32) / 255.0
        self._random: Any = np.random if seed is None else np.random.RandomState(seed)
        self.labels = np.eye(10)[labels] if one_hot else labels.astype(np.uint8)
        self.num_examples, self.epochs_completed, self._at = len(images), 0, 0
        self._order = np.arange(len(images))

    def next_batch(
        self, batch_size: int, fake_data: bool = False, shuffle: bool = True
    ) -> tuple[np.ndarray, np.ndarray]:
        """The next pictures and labels; they are mixed when a round begins."""
        if fake_data:
            raise ValueError("next_batch: there are only real digits.")
        if self._at + batch_size > self.num_examples:
            self.epochs_completed, self._at = self.epochs_completed + 1, 0
        if shuffle and self._at == 0:
            self._random.shuffle(self._order)
        chosen = self._order[self._at : self._at + batch_size]
        self._at += batch_size
        return self.images[chosen], self.labels[chosen]


class Datasets(NamedTuple):
    """Digits to train with, to choose by, and to test with."""

    train: Digits
    validation: Digits
    test: Digits


def read_data_sets(
    train_dir: Any = None, fake_data: bool = False, one_hot: bool = False, dtype: Any = np.float32,
    reshape: bool = True, validation_size: int = 500, seed: int | None = None, source_url: str | None = None,
) -> Datasets:
    """The 7,000 digits of MNIST that come with Reflow; nothing is downloaded from `source_url` to `train_dir`.

    Pictures are numbers from 0 to 1, or bytes if `dtype` is `uint8`. A `seed` fixes the order of batches.
    """
    if fake_data:
        raise ValueError("read_data_sets: there are only real digits.")
    whole = np.dtype(getattr(dtype, "as_numpy_dtype", dtype)) == np.uint8
    (images, labels), (test_images, test_labels) = mnist_small()
    images, labels = np.asarray(images), np.asarray(labels)
    first, rest = slice(validation_size), slice(validation_size, None)
    parts = [
        (images[rest], labels[rest]), (images[first], labels[first]), (np.asarray(test_images), np.asarray(test_labels))
    ]
    return Datasets(*[Digits(x, y, one_hot, reshape, whole, seed) for x, y in parts])


def load_mnist(train_dir: Any = "MNIST-data") -> Datasets:
    """The digits."""
    return read_data_sets(train_dir)
