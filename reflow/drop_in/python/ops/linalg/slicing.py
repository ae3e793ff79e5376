"""`tensorflow.python.ops.linalg.slicing`: operators of a part of a batch."""

from __future__ import annotations

from typing import Any

from reflow.api.linalg.operators.batch import sliced


def batch_slice(linop: Any, params_overrides: dict[str, Any], slices: Any) -> Any:
    """The operator of a part of the batch, with some arguments replaced by others."""
    part = sliced(linop, slices)
    return type(part)(**part.parameters | params_overrides) if params_overrides else part
