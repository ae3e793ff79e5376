"""`tensorflow.python.ops.math_ops`: functions without a public name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reflow.api.raw_ops import raw_ops


def _bucketize(input: Any, boundaries: Sequence[float], name: str | None = None) -> Any:
    """The index of the bucket, between `boundaries`, in which each number lies."""
    return raw_ops.Bucketize(input=input, boundaries=boundaries, name=name)
