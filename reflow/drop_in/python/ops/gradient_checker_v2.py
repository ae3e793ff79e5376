"""`tensorflow.python.ops.gradient_checker_v2`: how far two Jacobians are apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def max_error(grad1: Sequence[np.ndarray], grad2: Sequence[np.ndarray]) -> float:
    """The largest difference between arrays of two lists."""
    return max((np.abs(a - b).max() for a, b in zip(grad1, grad2, strict=False) if a.size or b.size), default=0)
