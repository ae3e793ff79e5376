"""`tensorflow.python.ops.bincount_ops`: weights of values that are counted."""

from __future__ import annotations

from typing import Any

from reflow.core.tensor import Tensor
from reflow.ops.convert import constant


def validate_dense_weights(values: Any, weights: Any, dtype: Any = None) -> Any:
    """Weights, which must be a tensor; an empty one if there are no weights."""
    if weights is None:
        return constant([], dtype or values.dtype)
    if not isinstance(weights, Tensor):
        raise ValueError(
            "Argument `weights` must be a tf.Tensor if `values` is a tf.Tensor. "
            f"Received weights={weights} of type: {type(weights).__name__}"
        )
    return weights
