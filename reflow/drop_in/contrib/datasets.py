"""`tf.contrib.data`: transformations of datasets that became arguments of `batch` and `padded_batch`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def batch_and_drop_remainder(batch_size: Any) -> Callable[[Any], Any]:
    """For `Dataset.apply`: batches of one size; what is left over is dropped."""
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def padded_batch_and_drop_remainder(
    batch_size: Any, padded_shapes: Any, padding_values: Any = None
) -> Callable[[Any], Any]:
    """For `Dataset.apply`: padded batches of one size; what is left over is dropped."""
    return lambda dataset: dataset.padded_batch(batch_size, padded_shapes, padding_values, drop_remainder=True)
