"""`tensorflow.python.ops.bincount_ops`: weights of values that are counted."""

from __future__ import annotations

from reflow.api.math.bins import validate_dense_weights as validate_dense_weights
